"""Sentences as table rows: orders, pages, and files that give back what was written."""

import csv
import io
import json
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.cells import guarded, unguarded
from seer.models.training import TrainingSettings
from seer.study import Study
from seer.table import (
    ORDERS,
    csv_bytes,
    jsonl_bytes,
    order_rows,
    page_count,
    page_of,
    page_rows,
    place_of,
    records,
)
from tests.conftest import make_corpus, opinions

ROUGH = [
    ("", 0),
    (" \t\n", 1),
    ('=HYPERLINK("http://x","good")', 1),
    ("'-- a good film", -1),
    ("good film", 1),
    ("good film", 0),
    ('a "quoted", <b>bold</b> film\nof two lines', 0),
    ("הסרט good 🙂 ﬁlm", 1),
]


@pytest.fixture(scope="module")
def rough_study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study whose test split has texts and labels that break tables."""
    good = opinions(80).table
    rows = list(zip(good["text"].to_pylist(), good["label"].to_pylist(), ["train", "validation"] * 40, strict=True))
    return train_study(
        make_corpus([*rows, *((text, label, "test") for text, label in ROUGH)], ("+neg", "pos")),
        tmp_path_factory.mktemp("studies") / "rough",
        architecture={"embedding": 4, "hidden": 6},
        training=TrainingSettings(epochs=2),
        analysis=AnalysisSettings(states=4, components=2),
    )


def test_records_say_what_is_missing(rough_study: Study) -> None:
    rows = rough_study.rows("test")
    found = records(rough_study, rows[::-1])[::-1]
    assert [record.text for record in found] == [text for text, _ in ROUGH]
    assert [record.true for record in found] == [None if label < 0 else ("+neg", "pos")[label] for _, label in ROUGH]
    assert [record.words == 0 for record in found] == [True, True, *[False] * 6]
    for record, row in zip(found, rows, strict=True):
        trace = rough_study.sentence(int(row))
        assert (record.predicted, record.states) == (trace.prediction, trace.path[1:])
        assert (record.confidence is None) == (record.predicted is None)
        assert (record.right is None) == (record.true is None or record.predicted is None)
    assert records(rough_study, rows[:0]) == []


@pytest.mark.parametrize("order", ORDERS)
def test_orders_equal_a_plain_sort(rough_study: Study, order: str) -> None:
    study, machine = rough_study, rough_study.machine("train")
    everything = records(study, np.arange(len(study.corpus)))

    def key(row: int) -> tuple[object, ...]:
        record = everything[row]
        confidence = record.confidence or 0.0
        errors = {False: -confidence, True: 1 + confidence, None: 3 + confidence}[record.right]
        taken = [machine.probability[step] for step in pairwise((0, *record.states))]
        by = {"errors": errors, "unsure": confidence, "sure": -confidence, "short": record.words, "long": -record.words}
        by |= {"rare": (min(taken, default=0), -taken.count(0))}
        return (int(record.id[1:]),) if order == "id" else (record.words == 0, by[order], row)

    rows = np.random.default_rng(0).permutation(len(study.corpus))
    assert order_rows(study, rows, order).tolist() == sorted(rows.tolist(), key=key)  # type: ignore[arg-type]
    assert order_rows(study, rows[:0], order).tolist() == []  # type: ignore[arg-type]


def test_the_surest_errors_come_first(demo: Study) -> None:
    rows = order_rows(demo, demo.rows("test"), "errors")
    found = records(demo, rows)
    errors = demo.accuracy("test").errors
    assert [record.right for record in found] == [False] * errors + [True] * (len(rows) - errors)
    sure = [record.confidence for record in found]
    assert sure[:errors] == sorted(sure[:errors], reverse=True)
    assert sure[errors:] == sorted(sure[errors:])


@given(st.integers(0, 70), st.integers(1, 20), st.integers(-3, 90))
def test_pages_part_the_rows(total: int, size: int, page: int) -> None:
    rows = np.arange(total) * 3
    parts = [page_rows(rows, number, size) for number in range(1, page_count(total, size) + 1)]
    assert np.concatenate(parts).tolist() == rows.tolist()
    assert len(page_rows(rows, page, size)) == 0 if total == 0 else len(page_rows(rows, page, size)) > 0
    for place, row in enumerate(rows.tolist()):
        assert place_of(rows, row) == place
        assert row in parts[page_of(place, size) - 1]
    assert place_of(rows, 1) is None
    assert place_of(rows, None) is None


@given(st.lists(st.text(alphabet=st.sampled_from("'=+-@\t\ra1 ＝\n"), max_size=6)))
def test_a_guarded_cell_is_no_formula_and_comes_back(texts: list[str]) -> None:
    cells = guarded(pa.array(texts, pa.string()))
    assert unguarded(cells).to_pylist() == texts
    assert not any(cell[:1] in tuple("=+-@\t\r＝") for cell in cells.to_pylist() if cell)
    plain = [text for text in texts if text.lstrip("'")[:1].strip("=+-@\t\r＝") != ""]
    assert guarded(pa.array(plain, pa.string())).to_pylist() == plain


def test_csv_holds_the_slice(rough_study: Study) -> None:
    rows = order_rows(rough_study, rough_study.rows("test"), "errors")
    data = csv_bytes(rough_study, rows)
    assert data.startswith(b"\xef\xbb\xbf")
    found = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert list(found[0]) == ["id", "split", "text", "true", "predicted", "confidence", "words", "states"]
    for line, record in zip(found, records(rough_study, rows), strict=True):
        back = {name: unguarded(pa.array([value]))[0].as_py() for name, value in line.items()}
        assert (back["id"], back["split"], back["text"]) == (record.id, "test", record.text)
        assert (back["true"], back["predicted"]) == (record.true or "", record.predicted or "")
        assert back["states"].split() == [f"S{state}" for state in record.states]
        assert int(back["words"]) == record.words
        assert back["confidence"] == "" or float(back["confidence"]) == pytest.approx(record.confidence, abs=1e-6)
        assert not any(value.startswith(tuple("=+-@")) for value in line.values())
    assert csv_bytes(rough_study, rows[:0]).count(b"\n") == 1


def test_json_lines_hold_the_texts_untouched(rough_study: Study) -> None:
    rows = rough_study.rows("test")
    found = [json.loads(line) for line in jsonl_bytes(rough_study, rows).decode().split("\n")[:-1]]
    assert [line["text"] for line in found] == [text for text, _ in ROUGH]
    assert [line["id"] for line in found] == rough_study.corpus.ids[rows].tolist()
    assert found[0]["predicted"] is found[0]["confidence"] is None
    assert found[0]["states"] == []
    assert found[3]["true"] is None
    assert jsonl_bytes(rough_study, rows[:0]) == b""
