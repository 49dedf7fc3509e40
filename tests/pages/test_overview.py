"""The overview counts what passes the filters, and names only places that chance does not explain."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from seer.mining import OFTEN
from seer.slices import Filter, matching_rows, slice_accuracy, where_to_look
from seer.study import Study
from seer.ui import loaders
from seer.ui.panels import place_name

APP = str(Path(__file__).resolve().parents[2] / "app.py")


def opened(**query: str) -> AppTest:
    test = AppTest.from_file(APP, default_timeout=60)
    for key, value in query.items():
        test.query_params[key] = value
    return test.run()


def said(test: AppTest) -> str:
    kinds = ("markdown", "caption", "info", "warning", "error", "subheader")
    return "\n".join(str(element.value) for kind in kinds for element in test.get(kind)).replace("\\", "")


def figures(test: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in test.metric}


def test_without_a_filter_it_shows_the_split(demo: Study) -> None:
    test, accuracy = opened(), demo.accuracy("test")
    assert figures(test)["Sentences"] == f"{len(demo.rows('test')):,}"
    assert figures(test)["Accuracy"] == f"{accuracy.value:.1%}"
    assert f"No filter: all {len(demo.rows('test')):,} sentences of the test split" in said(test)
    places = where_to_look(demo, "test", most_q=1.0)
    assert len(places) == 5
    for place in places:
        assert f"**{place_name(place)}** · ✕ {place.rate:.0%} of {place.labelled:,} wrong" in said(test)
    sure = where_to_look(demo, "test")
    assert said(test).count("· may be chance") == len(places) - len(sure) < 5
    assert f"×{OFTEN - 1}" not in said(test)


def test_with_a_filter_every_figure_is_of_what_passes(demo: Study) -> None:
    test = opened(q="not", len="5..30", outcome="wrong", true="neg")
    rows = matching_rows(demo, Filter("test", query="not", length=(5, 30), outcome="wrong", true=0))
    accuracy = slice_accuracy(demo, rows)
    assert figures(test)["Sentences"] == f"{len(rows):,}"
    assert figures(test)["Errors"] == f"{accuracy.errors:,}" == f"{len(rows):,}"
    assert f"{len(rows):,} of {len(demo.rows('test')):,} sentences of the test split pass\n" in said(test)
    assert "The figures are of what passes the filters." in said(test)
    assert test.dataframe[0].value["sentences"].sum() == len(rows)
    assert "whatever the filters" in said(test)


def test_nothing_passes() -> None:
    test = opened(q="no sentence says this zzqx")
    assert figures(test)["Sentences"] == "0"
    assert figures(test)["Accuracy"] == "–"
    assert "passes these filters: there is nothing to count" in said(test)
    assert len(test.dataframe) == 1  # how the study was made; no table of classes


def test_a_page_that_fails_says_so_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("secret")

    with monkeypatch.context() as patch:
        patch.setattr("seer.slices.class_reports", broken)
        test = opened(state="2")
    assert not test.exception
    assert "Something went wrong here" in test.error[0].value
    assert "secret" not in said(test)
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [ZeroDivisionError]
    caplog.clear()
    test.button(key="failed-demo").click().run()
    assert not test.error
    assert test.dataframe
    assert "state" not in test.query_params


@pytest.mark.parametrize("manifest", ["", "[]", json.dumps({"schema": 1}), json.dumps({"schema": 1, "hash": 5})])
def test_a_damaged_study_leaves_the_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, manifest: str
) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "manifest.json").write_text(manifest)
    monkeypatch.setenv("SEER_STUDIES", str(tmp_path))
    test = opened(study="bad", state="2")
    assert not test.error
    assert "The demo is shown instead." in said(test)
    assert figures(test)["Sentences"]
    test.selectbox(key="frame-split").select("validation").run()  # what is clicked from here on is about the demo
    assert "validation" in said(test)
    test.button(key="chip-all").click().run()
    assert not test.warning
    caplog.clear()


def test_an_unexpected_fault_of_a_study_leaves_the_demo(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    usual = loaders.open_study

    def broken(name: str) -> Study:
        return usual(name) if name == "demo" else {}[name]

    monkeypatch.setattr(loaders, "open_study", broken)
    test = opened(study="odd")
    assert "The study 'odd' is damaged" in said(test)
    assert figures(test)["Sentences"]
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [KeyError]
    caplog.clear()
