"""The report: the library's numbers, everything escaped, nothing from outside, bounded whatever the study."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.charts.captions import counted
from seer.cli import app
from seer.errors import DataError, NotesError, SettingError
from seer.mining import pattern_records
from seer.models.training import TrainingSettings
from seer.notes import FILE, Note, Notes, action_counts
from seer.report import report_html
from seer.report.sentences import CHARACTERS, WORDS, drawn_text
from seer.report.subject import Subject
from seer.slices import class_reports, confusion_matrix, where_to_look
from seer.study import Study
from tests.conftest import make_corpus

QUICK = TrainingSettings(epochs=2, learning_rate=1e-2)
SMALL = {"embedding": 6, "hidden": 8}
EVIL = ("<img src=x onerror=alert(1)>", 'R&D\'s "quoted" </script><script>alert(1)</script>', "%SCRIPT% --> <!--")


class Page(HTMLParser):
    """Tags, attributes and texts of a page; scripts and styles apart."""

    VOID = ("meta", "br", "rect", "line", "link", "img")

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str | None]] = []
        self.ids: list[str] = []
        self.scripts: list[str] = []
        self.parts: list[str] = []
        self.data = ""
        self._inside: str | None = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += attrs
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        if tag in ("script", "style"):
            self._inside = "data" if found.get("type") == "application/json" else tag

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside == "data":
            self.data += data
        elif self._inside == "script":
            self.scripts.append(data)
        elif self._inside is None:
            self.parts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"[ \n]+", " ", "".join(self.parts))

    def policy(self) -> str:
        return next(
            value or "" for name, value in self.attributes if name == "content" and "default-src" in (value or "")
        )


def assert_closed(page: Page) -> None:
    """Nothing of the study became markup, nothing points outside."""
    assert page.tags["script"] == 3
    assert not {"img", "link", "iframe", "object", "form"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "src"]
    links = [value or "" for name, value in page.attributes if name in ("href", "xlink:href", "action")]
    assert all(link.startswith("#") for link in links)
    assert {link[1:] for link in links} <= set(page.ids)
    assert len(set(page.ids)) == len(page.ids)
    allowed = re.findall(r"'sha256-([^']+)'", page.policy())
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in page.scripts]
    assert hashes == allowed
    assert "default-src 'none'" in page.policy()


def make_study(folder: Path, classes: tuple[str, ...], *, unlabelled: bool = False, text: str = "word{} a b") -> Study:
    rows = [
        (text.format(place % len(classes)), -1 if unlabelled and split == "test" else place % len(classes), split)
        for place in range(3 * len(classes))
        for split in ("train", "validation", "test")
    ]
    analysis = AnalysisSettings(states=4, components=3)
    return train_study(make_corpus(rows, classes), folder / "s", architecture=SMALL, training=QUICK, analysis=analysis)


@pytest.fixture(scope="module")
def html(small_study: Study) -> str:
    return report_html(small_study, "test")


def test_the_figures_are_those_of_the_library(small_study: Study, html: str) -> None:
    page, accuracy = Page(html), small_study.accuracy("test")
    assert_closed(page)
    for expected in (
        f"Accuracy{accuracy.value:.1%}95 %: {accuracy.low:.1%} – {accuracy.high:.1%}",
        f"Errors{accuracy.errors}of {accuracy.labelled} labelled",
        f"Fidelity{small_study.quality.fidelity_step:.1%}",
        small_study.hash,
        *small_study.manifest["hashes"].values(),
    ):
        assert expected in page.text
    matrix = confusion_matrix(small_study, small_study.rows("test"))
    assert f"neg{matrix[0, 0]}✕ {matrix[0, 1]}pos✕ {matrix[1, 0]}{matrix[1, 1]}" in page.text
    for report in class_reports(matrix, small_study.classes):
        row = f"{report.name}{report.support}{report.predicted}{report.precision:.2f}{report.recall:.2f}{report.f1:.2f}"
        assert row in page.text
    for record in small_study.machine("test").state_records():
        assert counted(record["visits"], "visit") in page.text
        if record["error_low"] is not None:
            assert f"{record['error_low']:.0%} – {record['error_high']:.0%}" in page.text


def test_patterns_and_errors_are_those_of_the_library(small_study: Study, html: str) -> None:
    text = Page(html).text
    for record in pattern_records(small_study, "influential", "test", top=15):
        path = " → ".join(f"S{state}" for state in record["states"])
        assert f"{path}{record['support']}{record['occurrences']}" in text
    for record in pattern_records(small_study, "buggy", "test", top=15):
        assert f"{record['failed']}{record['correct']}{record['rate']:.0%}{record['lift']:.2f}" in text
    errors = Subject(small_study, "test", {}).errors
    confidence = small_study.traces.confidence[errors]
    assert (np.diff(confidence) <= 0).all()
    assert len(errors) == small_study.accuracy("test").errors > 0
    places = [text.index(small_study.corpus.text(int(row))) for row in errors]
    assert places == sorted(places)
    few = Page(report_html(small_study, "test", errors=1))
    assert f"1 of {len(errors)} wrong sentences" in few.text
    assert ("class", "error") in few.attributes
    assert few.attributes.count(("class", "error")) == 1


def test_the_same_study_gives_the_same_bytes(small_study: Study, html: str) -> None:
    assert report_html(Study.open(small_study.folder), "test").encode() == html.encode()
    assert "Made by Ann." in Page(report_html(small_study, "test", made="Made by Ann")).text


def test_the_graph_has_a_card_for_all_it_draws(demo: Study) -> None:
    page = Page(report_html(demo, "test", errors=3))
    assert_closed(page)
    data = json.loads(page.data)
    assert {f"state-{node['id']}" for node in data["nodes"]} <= set(page.ids)
    assert {f"edge-{edge['from']}-{edge['to']}" for edge in data["edges"]} <= set(page.ids)
    places = where_to_look(demo, "test")
    assert {place.transition for place in places if place.transition} <= {(e["from"], e["to"]) for e in data["edges"]}
    for place in places:
        assert f"✕ {place.rate:.0%} of {place.labelled:,} sentences wrong" in page.text


@pytest.mark.hard_inputs(39)
def test_markup_of_texts_classes_words_and_notes_is_text(tmp_path: Path) -> None:
    study = make_study(tmp_path, EVIL, text="{} <img src=x onerror=alert(1)> </script> \"a\" & 'b' %TITLE%")
    notes = Notes(tmp_path / "n.sqlite", study.hash, "another")
    for row_id in study.corpus.ids[:4]:
        notes.put(str(row_id), Note("other", EVIL[1], "relabel", EVIL[0]), EVIL[0])
    notes.put("<i>gone</i>", Note(text=EVIL[2]), "Bo")
    html = report_html(study, None, notes.current())
    assert html.encode("utf-8")
    page = Page(html)
    assert_closed(page)
    for evil in EVIL:
        assert evil in page.text
    assert "<i>gone</i>" in page.text
    assert "(no longer in the data)" in page.text
    assert "written on another version of the data" in page.text
    assert "%TITLE%" in page.text


@pytest.mark.parametrize("count", [2, 5, 40])
def test_any_number_of_classes(tmp_path: Path, count: int) -> None:
    study = make_study(tmp_path, tuple(f"class {place}" for place in range(count)))
    page = Page(report_html(study, "test"))
    assert_closed(page)
    assert page.text.count("class 1") > 1
    assert ("Confused most often" in page.text) == (count > 12)
    assert len(report_html(study, "test")) < 2_000_000


def test_an_unlabelled_split_says_so(tmp_path: Path) -> None:
    study = make_study(tmp_path, ("neg", "pos"), unlabelled=True)
    page = Page(report_html(study, "test"))
    assert_closed(page)
    assert "No sentence here has a label, so nothing can be right or wrong." in page.text
    assert "No sentence here has a label, so errors cannot gather anywhere." in page.text
    assert "No sentence here has a label, so none is known to be wrong." in page.text
    assert "No labelled sentence passes it." in page.text
    assert "nan" not in page.text.lower()


def test_texts_without_a_word(tmp_path: Path) -> None:
    rows = [(f"{word} film", label, "train") for label, word in enumerate(("bad", "good"))] * 20
    rows += [("", 0, "test"), (" \u200b", 1, "test")]
    study = train_study(make_corpus(rows), tmp_path / "s", architecture=SMALL, training=QUICK)
    page = Page(report_html(study, "test"))
    assert_closed(page)
    assert "none to judge" in page.text
    assert "nan" not in page.text.lower()


def test_without_an_error_it_says_so(tmp_path: Path) -> None:
    rows = [(f"{word} film", label, split) for label, word in enumerate(("bad", "good")) for split in ["train"] * 30]
    rows += [("good film", 1, "test"), ("bad film", 0, "test")]
    training = TrainingSettings(epochs=15, learning_rate=2e-2)
    study = train_study(make_corpus(rows), tmp_path / "s", architecture=SMALL, training=training)
    assert study.accuracy("test").errors == 0
    page = Page(report_html(study, "test"))
    assert_closed(page)
    assert "Every one of the 2 labelled sentences is read rightly." in page.text
    assert "No pattern goes with errors." in page.text


@pytest.mark.parametrize(
    "text", ["good " * 10_000, "x" * 300_000, "good" + " " * 300_000, " " * 300_000 + "good", "\0\u202e good", "", " "]
)
def test_a_drawn_text_is_bounded(small_study: Study, text: str) -> None:
    trace = small_study.trace(text)
    drawn = drawn_text(trace)
    assert len(drawn) < WORDS * 400 + 3 * CHARACTERS
    assert "\0" not in drawn
    if len(text) > CHARACTERS:
        assert " more</span>" in drawn


def test_notes_are_summed_up_and_stand_with_their_errors(small_study: Study, tmp_path: Path, html: str) -> None:
    assert 'id="notes"' not in html
    notes = Notes(tmp_path / "n.sqlite", small_study.hash, small_study.corpus.fingerprint)
    rows = Subject(small_study, "test", {}).errors
    for place, row in enumerate(rows.tolist()):
        action = ("augment", "leave")[place % 2]
        notes.put(str(small_study.corpus.ids[row]), Note("negation", f"note {place}", action, None, "checked"), "Ann")
    current = notes.current()
    page = Page(report_html(small_study, "test", current))
    assert_closed(page)
    assert f"Errors checked{len(rows)}of {len(rows)}" in page.text
    for action, count in action_counts(current).items():
        assert f"{action.capitalize()} ({count})" in page.text
    assert page.text.count("note 0") == 2
    assert page.attributes.count(("class", "remark")) == len(rows)
    assert report_html(small_study, "test", current) == report_html(small_study, "test", notes.current())


def test_what_cannot_be_asked_for(small_study: Study) -> None:
    with pytest.raises(DataError):
        report_html(small_study, "nowhere")
    with pytest.raises(SettingError, match="0 errors or more; got -1"):
        report_html(small_study, "test", errors=-1)


def test_the_command_writes_the_file_with_the_notes_of_the_study(small_study: Study, tmp_path: Path, html: str) -> None:
    out, folder = tmp_path / "new" / "report.html", str(small_study.folder)
    run = CliRunner().invoke(app, ["report", folder, "--out", str(out)])
    assert (run.exit_code, run.stdout.strip()) == (0, str(out))
    assert out.read_bytes() == html.encode()
    assert [path.name for path in out.parent.iterdir()] == ["report.html"]
    notes = Notes(tmp_path / FILE, small_study.hash, small_study.corpus.fingerprint)
    notes.put("r3", Note("irony"), "Ann")
    run = CliRunner().invoke(app, ["report", folder, "--out", str(out), "--split", "all", "--notes", str(notes.path)])
    assert run.exit_code == 0
    assert out.read_text(encoding="utf-8") == report_html(small_study, None, notes.current())
    for extra, error in ((["--notes", str(tmp_path / "none")], NotesError), (["--out", str(tmp_path)], SettingError)):
        run = CliRunner().invoke(app, ["report", folder, "--out", str(out), *extra])
        assert isinstance(run.exception, error)
