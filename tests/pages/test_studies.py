"""The page Studies: what is on the server, and a new study in four steps, each of which says what it understood."""

from __future__ import annotations

import io
import shlex
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from seer.jobs import jobs
from seer.listing import study_folders
from seer.study import Study
from tests.imports import research
from tests.jobs.conftest import LONG, begin, over, training, waited
from tests.pages.test_notes import opened, said

MARKUP = '<img src=x onerror="alert(1)"> *x* $y$ :red[z]'


pytestmark = pytest.mark.usefixtures("studies")


def reviews(count: int = 60, columns: str = "text,label") -> bytes:
    rows = [f"the film was {('bad', 'good')[place % 2]} {place},{('neg', 'pos')[place % 2]}" for place in range(count)]
    return "\n".join([columns, *rows, ""]).encode()


def upload(test: AppTest, content: bytes, name: str = "data.csv", role: str = "train") -> AppTest:
    return test.file_uploader(key=f"new-file-{role}").set_value((name, content, "text/csv")).run()


def onward(test: AppTest, times: int = 1) -> AppTest:
    for _ in range(times):
        test.button(key="new-continue").click().run()
    assert not test.exception
    return test


def command(test: AppTest) -> list[str]:
    """The command that stands on the page last."""
    return shlex.split(test.code[-1].value)


def counts(test: AppTest) -> list[int]:
    """Rows of each class."""
    return list(next(table.value for table in test.dataframe if "class" in table.value).sum(axis=1, numeric_only=True))


def columns(test: AppTest) -> list[str]:
    """Columns of the first rows, which come after the list of studies."""
    return list(test.dataframe[1].value.columns)


def options(test: AppTest) -> list[str]:
    return [word for word in command(test) if word.startswith("--") and not word.startswith("--out")]


def test_a_file_becomes_a_job_in_four_steps(studies: Path) -> None:
    test = upload(opened("studies"), reviews())
    assert not test.exception
    assert "data.csv · 1,471 bytes · content " in said(test)
    onward(test)
    assert "60 sentences, 2 classes, none left out" in said(test)
    assert test.selectbox(key="new-text").value == "text"
    assert test.selectbox(key="new-text").label == "Text column · found"
    onward(test)
    assert "GRU 64, at most 12 epochs, 20 states" in said(test)
    assert "extrapolated from a second of this training" in said(test)
    test.number_input(key="new-epochs").set_value(1).run()
    test.number_input(key="new-hidden").set_value(8).run()
    test.number_input(key="new-states").set_value(5).run()
    onward(test)
    assert test.text_input(key="new-name").value == "data"
    assert options(test) == ["--hidden=8", "--epochs=1", "--states=5", "--"]
    assert command(test)[:4] == ["python", "-m", "seer", "train"]
    test.button(key="new-start").click().run()
    assert not test.exception
    assert not test.error
    (job,) = jobs()
    assert (job.kind, job.study, job.data[:10]) == ("train", "data", "data.csv (")
    assert job.author.startswith("guest ")
    assert "Training: data, from data.csv (" in said(test)
    assert "No file yet." in said(test)  # ready for another study; no press trains over this one
    assert not [button for button in test.button if button.key == "new-start"]
    onward(upload(test, reviews()), 2)
    assert test.number_input(key="new-hidden").value == 64
    onward(test)
    assert test.text_input(key="new-name").value == "data 2"
    test.text_input(key="new-name").set_value("data").run()
    assert "The study data is" in said(test)
    assert waited(job, over).state == "done"
    test.run()
    assert "done after" in said(test)
    assert "data" in list(test.dataframe[0].value["study"])
    assert "data" in test.selectbox(key="frame-study").options
    assert "is there already" in said(test)
    study = Study.open(studies / "data")
    assert study.corpus.source["sha256"]["train"] in job.argv[-1]
    assert study.corpus.name == "data.csv"
    assert "--called=data.csv" in job.argv
    assert "upload-" not in test.dataframe[0].value.to_string()
    test.button(key="job-explore").click().run()
    assert not test.exception
    assert test.query_params["study"] == "data"
    assert "data.csv" in said(test)


def test_one_command_of_two_people_is_one_job(studies: Path) -> None:
    begin(studies, "long", *LONG)
    people = [onward(upload(opened("studies"), reviews()), 3) for _ in range(2)]
    for test in people:
        test.button(key="new-start").click().run()
    assert len(jobs()) == 2
    assert [toast.value for toast in people[1].toast] == ["This very job is waiting or running already; see above\\."]


def test_an_upload_is_called_by_a_line_without_folders(studies: Path) -> None:
    name = f"../x\\\ta {'y' * 250}.csv"
    test = onward(upload(opened("studies"), reviews(), name), 3)
    assert not test.error
    test.button(key="new-start").click().run()
    called = f"a {'y' * 198}"
    assert f"--called={called}" in jobs()[0].argv
    assert waited(jobs()[0], over).error is None


def test_a_wrong_guess_is_changed_and_stands_in_the_command(studies: Path) -> None:
    rows = [
        f"batch {place % 3};a title;the film was {('bad', 'good')[place % 2]};{'np'[place % 2]}" for place in range(40)
    ]
    content = "\n".join(["label;text;content;stars", *rows]).encode()
    test = onward(upload(opened("studies"), content))
    assert test.selectbox(key="new-delimiter").value == ";"
    assert test.selectbox(key="new-text").value == "text"
    test.selectbox(key="new-text").set_value("content").run()
    test.selectbox(key="new-label").set_value("stars").run()
    assert test.selectbox(key="new-text").label == "Text column · chosen"
    assert "40 sentences, 2 classes" in said(test)
    assert options(test) == ["--text=content", "--label=stars", "--"]
    test.selectbox(key="new-header").set_value(False).run()
    assert "data.csv has no column 'content'" in said(test)
    assert test.button(key="new-continue").disabled
    test.button(key="new-guess").click().run()
    assert test.selectbox(key="new-header").value is True
    assert test.selectbox(key="new-text").value == "text"


@pytest.mark.hard_inputs(34, 39)
def test_page_switch_and_re_upload(studies: Path) -> None:
    test = onward(upload(opened("studies"), reviews(3)))
    assert "3 sentences" in said(test)
    test.button(key="new-back").click().run()
    upload(test, reviews(4))  # another file of the same name
    onward(test)
    assert "4 sentences" in said(test)
    kept = sorted((studies / ".uploads").glob("*/*"))
    assert len(kept) == 2
    assert all(path.name == f"upload-{path.parent.name[:8]}.csv" for path in kept)
    shown = [path for path in kept if f"content {path.parent.name[:8]}" in said(test)]
    assert len(shown) == 1
    assert shown[0].read_bytes() == reviews(4)
    test.number_input(key="new-limit").set_value(4).run()
    test.selectbox(key="new-encoding").set_value("latin-1").run()

    test.switch_page("pages/states.py").run()
    test.switch_page("pages/studies.py").run()
    assert test.number_input(key="new-limit").value == 4
    assert test.selectbox(key="new-encoding").label == "Encoding · chosen"
    assert f"content {shown[0].parent.name[:8]}" in said(test)

    test.button(key="new-back").click().run()
    upload(test, reviews(6), f"测试_🙂 {MARKUP}.csv")
    assert "测试_🙂 <img" in said(test)
    assert len(list((studies / ".uploads").glob("*/*"))) == 3
    onward(test, 3)
    assert test.text_input(key="new-name").value.startswith("测试_🙂")
    assert not test.error


@pytest.mark.hard_inputs(34)
def test_twelve_states_chosen_are_kept_over_a_page_switch(studies: Path) -> None:
    test = onward(upload(opened("studies"), reviews()), 2)
    test.number_input(key="new-states").set_value(12).run()
    test.switch_page("pages/overview.py").run()
    test.switch_page("pages/studies.py").run()
    assert test.number_input(key="new-states").value == 12
    onward(test)
    assert "--states=12" in options(test)


@pytest.mark.hard_inputs(36)
def test_cache_mix_ups(studies: Path) -> None:
    """One label changed, columns renamed, two sessions with one name: everybody sees their own file."""
    first, second = opened("studies"), opened("studies")
    one, other = reviews(20), reviews(20).replace(b"bad 0,neg", b"bad 0,pos")
    renamed = reviews(20, "label,text")
    onward(upload(first, one))
    onward(upload(second, other))
    assert counts(first) == [10, 10]
    assert counts(second) == [9, 11]
    second.button(key="new-back").click().run()
    onward(upload(second, renamed))
    assert columns(second) == ["label", "text"]
    assert second.selectbox(key="new-text").value == "text"
    assert "2 classes" not in said(second)
    first.run()
    assert columns(first) == ["text", "label"]


def test_what_was_left_out_stands_there_by_line(studies: Path) -> None:
    content = reviews(20) + b"the film was odd,pos,more\nthe film was fine,\nthe film was good 1,neg\n"
    test = onward(upload(opened("studies"), content))
    text = said(test)
    assert "22 of 23 records read, 1 left out" in text
    labels = [expander.label for expander in test.expander]
    assert "Rows: 1 left out and 1 without a label" in labels
    assert "2 rows: a text that stands with another label too" in labels
    reasons = next(table.value for table in test.dataframe if "reason" in table.value)
    assert list(reasons["line"]) == [22, 23]
    assert test.get("download_button")


def test_faults_stand_beside_the_widgets_that_mend_them(studies: Path) -> None:
    test = onward(upload(opened("studies"), b"a\n\nb\n"))
    assert not test.exception
    assert test.selectbox(key="new-delimiter")
    upload_page = opened("studies")
    upload(upload_page, b"", "empty.csv")
    assert "empty (0 bytes)" in said(upload_page)
    assert upload_page.button(key="new-continue").disabled


def test_limits_are_told_with_their_number(studies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_MAX_UPLOAD_MB", "1")
    monkeypatch.setenv("SEER_MAX_ROWS", "10")
    test = upload(opened("studies"), b"x" * 1_000_001)
    assert "up to 1 MB (SEER_MAX_UPLOAD_MB), this one has 1.0 MB" in said(test)
    onward(upload(test, reviews(11)))
    assert "takes 10 rows (SEER_MAX_ROWS), the data has 11" in said(test)
    assert test.button(key="new-continue").disabled
    test.number_input(key="new-limit").set_value(10).run()
    assert not test.button(key="new-continue").disabled
    monkeypatch.setenv("SEER_MAX_TEXT_LENGTH", "17")  # “the film was bad 10” has 19
    test.run()
    assert "texts of 17 characters (SEER_MAX_TEXT_LENGTH); the longest has 19 and begins “the film was " in said(test)
    assert test.button(key="new-continue").disabled


@pytest.mark.parametrize("name", ["/etc/passwd", "../data", "README.md", "seer/cli", "x/y.csv", "a b", "imdb"])
def test_a_hub_name_never_reads_this_server(studies: Path, name: str) -> None:
    test = opened("studies")
    test.session_state["new-source"] = "hub"
    test.run()
    test.text_input(key="new-hub").set_value(name).run()
    assert "Expected the name of a set on the hub" in said(test)
    assert test.button(key="new-continue").disabled


def test_a_built_in_set_and_its_limit(studies: Path) -> None:
    test = opened("studies")
    test.session_state["new-source"] = "builtin"
    test.run()
    test.selectbox(key="new-builtin").set_value("rotten_tomatoes").run()
    onward(test)
    test.number_input(key="new-limit").set_value(200).run()
    assert "200 sentences" in said(test)
    onward(test, 2)
    assert command(test)[-3:] == ["--limit=200", "--", "rotten_tomatoes"]


def test_new_texts_become_a_split_of_a_study(studies: Path) -> None:
    waited(begin(studies, "mine", "--epochs=1"), over)
    test = onward(upload(opened("studies"), b"text\ngood film\nbad one\nbad one\n", "yesterday.csv"))
    assert "the rows become one split of a study" in said(test)
    assert "shared out" not in said(test)
    assert [expander.label for expander in test.expander if "row" in expander.label] == [
        "1 row: a text that stands in the same split before"
    ]
    onward(test)
    assert "Training needs labels" in said(test)
    assert not test.error
    assert test.segmented_control(key="new-kind").value == "classify"
    assert test.button(key="new-continue").disabled
    test.selectbox(key="new-base").set_value("mine").run()
    assert test.text_input(key="new-split").value == "yesterday"
    test.text_input(key="new-split").set_value("test").run()
    assert "has a split 'test' already" in said(test)
    test.text_input(key="new-split").set_value("today").run()
    onward(test)
    assert command(test)[3:6] == ["classify", "--split=today", "--"]
    assert command(test)[6:] == ["studies/mine", "yesterday.csv"]
    test.button(key="new-start").click().run()
    assert waited(jobs()[0], over).error is None
    study = Study.open(studies / "mine")
    assert len(study.rows("today")) == 3
    assert not study.accuracy("today").labelled
    test.run()
    links = {link.proto.label: link.proto.query_string for link in test.get("page_link")}
    assert links["Its rarest paths"] == "study=mine&split=today&v.all=1&v.sort=rare"
    onward(upload(test, b"text\ngood film\n", "today.csv"), 2)
    test.selectbox(key="new-base").set_value("demo").run()  # which stays as it is
    onward(test)
    assert test.text_input(key="new-name").value == "demo with today"
    assert "--out=studies/demo with today" in command(test)
    assert command(test)[-2:] == ["demo", "today.csv"]
    test.button(key="job-explore").click().run()
    assert {key: test.query_params[key] for key in ("study", "split")} == {"study": "mine", "split": "today"}


def test_a_model_from_elsewhere_becomes_a_study_in_three_steps(studies: Path, tmp_path: Path) -> None:
    texts, labels = research.reviews(120)
    ids = research.plain_ids(texts)
    torch.manual_seed(0)
    model = research.trained(research.Research(len(research.PIECES)), ids, labels)
    right = int((model.probabilities(ids).argmax(1) == labels).sum())
    weights = research.saved(model, tmp_path / "best.pt").read_bytes()
    data = research.csv_of(texts, labels, tmp_path / "data.csv").read_bytes()

    test = onward(upload(opened("studies"), data), 2)
    test.session_state["new-kind"] = "import"
    test.run()
    upload(test, weights, "../../best.pt", "weights")
    upload(test, "\n".join(research.PIECES).encode(), "vocab.txt", "vocabulary")
    assert "taken to be ReLU; “Between layers of the head” chooses" in said(test)
    assert f"Right on **{right / len(labels):.2%}** of {len(labels)} labelled rows" in said(test)
    onward(test)
    assert [word.partition("=")[0] for word in options(test)] == [
        "--data",
        "--tokenizer",
        "--",
    ]  # nothing but the files
    test.button(key="new-start").click().run()
    job = waited(jobs()[0], over)
    assert job.error is None
    accuracy = Study.open(studies / "data").accuracy(None)
    assert (accuracy.right, accuracy.labelled) == (right, len(labels))


def test_states_without_a_model_become_a_study(studies: Path) -> None:
    random, lengths = np.random.default_rng(0), [5] * 60  # “the film was good 1”
    file = io.BytesIO()
    probability = random.dirichlet([1, 1], sum(lengths))
    np.savez(file, states=random.normal(size=(sum(lengths), 6)), lengths=lengths, probability=probability)
    test = onward(upload(opened("studies"), reviews()), 2)
    test.session_state["new-kind"] = "import-states"
    test.run()
    upload(test, b"no archive", "x.npz", "states")
    assert len(test.error) == 1
    assert test.button(key="new-continue").disabled
    upload(test, file.getvalue(), "x.npz", "states")
    assert "States of 60 sentences from x.npz: 300 steps, 6 units" in said(test)
    onward(test)
    assert command(test)[3] == "import-states"
    test.button(key="new-start").click().run()
    assert waited(jobs()[0], over).error is None
    study = Study.open(studies / "data")
    assert not study.has_model
    assert study.traces.steps == 300
    test.run()
    assert not test.exception
    assert "data" in list(test.dataframe[0].value["study"])


def test_a_running_job_shows_progress_and_stops(studies: Path) -> None:
    job = waited(begin(studies, f"long {'x' * 50}", *LONG), training)
    waiting = begin(studies, "next", "--epochs=1")
    test = opened("studies")
    assert "Waits for" in said(test)
    bars = [bar.value for bar in test.get("progress")]
    assert len(bars) == 2  # on the page and in the menu
    test.button(key=f"job-stop-{waiting.id}").click().run()
    test.button(key=f"job-stop-{job.id}").click().run()
    assert [found.state for found in jobs()] == ["stopped", "stopped"]
    assert "stopped" in said(test)


def test_studies_are_listed_opened_and_deleted(studies: Path, small_study: Study) -> None:
    studies.mkdir()
    (studies / "mine").symlink_to(small_study.folder)
    (studies / "broken").mkdir()
    (studies / "broken" / "manifest.json").write_text("{}")
    test = opened("studies")
    table = test.dataframe[0].value.set_index("study")
    assert list(table.index) == ["demo", "demo-pairs", "broken", "mine"]
    assert table.loc["demo", "rows"] == 8530
    assert table.loc["demo", "accuracy"] == pytest.approx(74.7, abs=0.1)
    assert "schema version" in table.loc["broken", "data"]
    assert not [button for button in test.button if button.key == "shelf-delete-yes"]
    test.session_state["_shelf_chosen"] = "mine"
    test.run()
    test.button(key="shelf-delete-yes").click().run()
    assert "mine" not in study_folders()
    assert small_study.folder.exists()  # a link goes, not what it leads to
    assert not test.exception


def test_a_read_only_server_offers_nothing_to_change(studies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = waited(begin(studies, "mine", "--epochs=1"), over)
    assert job.state == "done"
    monkeypatch.setenv("SEER_READ_ONLY", "1")
    test = opened("studies", study="mine")
    assert not test.file_uploader
    assert not [button for button in test.button if (button.key or "").startswith(("new-", "shelf-delete", "job-stop"))]
    assert "it shows them only" in said(test)
    assert not test.exception


def test_a_newer_version_is_told_and_shown(studies: Path, tmp_path: Path) -> None:
    waited(begin(studies, "mine", "--epochs=1"), over)
    test = opened("overview", study="mine")
    version = Study.open(studies / "mine").hash
    waited(begin(studies, "mine", "--epochs=2", "--states=7"), over)
    assert Study.open(studies / "mine").hash != version
    test.run()
    assert [toast.value for toast in test.toast] == ["The study mine was made anew\\: this is the new version\\."]
    assert not test.exception
