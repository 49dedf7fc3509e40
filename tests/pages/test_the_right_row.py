"""What is open follows its id, not its place; what is chosen is still chosen after another page."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.corpus import Corpus
from seer.models.training import TrainingSettings
from seer.study import Study
from seer.table import ORDERS
from seer.ui.selection import Selection

TWINS = ("12", "14")
TEXTS = {
    "11": "good film",
    "12": "the same sad film",
    "13": "a good and fine film",
    "14": "the same sad film",
    "15": "bad",
}
APP = str(Path(__file__).resolve().parents[2] / "app.py")


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study of five test rows, two of them of the same text."""
    folder = tmp_path_factory.mktemp("studies")
    words = [f"{word} film {place % 7}" for place, word in enumerate(["bad", "good"] * 20)]
    table = pa.table(
        {
            "id": pa.array([*(f"t{place}" for place in range(40)), *TEXTS]),
            "text": pa.array([*words, *TEXTS.values()]),
            "label": pa.array([*([0, 1] * 20), 1, 0, 0, 1, 0], pa.int32()),
            "split": pa.array([*(["train"] * 40), *(["test"] * 5)]),
        }
    )
    train_study(
        Corpus("five", table, ("neg", "pos"), {"kind": "test"}, ()),
        folder / "five",
        architecture={"embedding": 4, "hidden": 6},
        training=TrainingSettings(epochs=2),
        analysis=AnalysisSettings(states=4, components=2),
    )
    return folder


@pytest.fixture
def five(studies: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.setenv("SEER_STUDIES", str(studies))
    return Study.open(studies / "five")


def opened(page: str, **query: str) -> AppTest:
    test = AppTest.from_file(APP, default_timeout=60)
    for key, value in query.items():
        test.query_params[key] = value
    test.run()
    return test.switch_page(f"pages/{page}.py").run()


def said(test: AppTest) -> str:
    kinds = ("markdown", "caption", "info", "warning")
    return "\n".join(str(element.value) for kind in kinds for element in test.get(kind)).replace("\\", "")


def sentence(test: AppTest) -> str:
    """The drawn sentences, as HTML."""
    return "\n".join(str(element.proto.body) for element in test.get("html"))


@pytest.mark.hard_inputs(32)
@pytest.mark.parametrize("row_id", TEXTS)
def test_the_detail_follows_the_id_through_every_order_and_filter(five: Study, row_id: str) -> None:
    test = opened("triage", study="five", row=row_id, **{"v.all": "1"})
    for order in ORDERS:
        test.selectbox(key="sentences-order").set_value(order).run()
        assert f"Sentence {row_id}** · " in said(test)
        assert test.text_area(key=f"note-text-{row_id}")
    test.text_input(key="filter-query").set_value("good").run()  # holds 11 and 13
    passes = "good" in TEXTS[row_id]
    assert ("does not pass the filter" in said(test)) is not passes
    assert f"Sentence {row_id}** · " in said(test)
    test.text_input(key="filter-query").set_value("no such text").run()
    assert f"Sentence {row_id}** · outside the filter" in said(test)
    assert "No sentence passes these filters" in said(test)
    test.text_input(key="filter-query").set_value("").run()
    assert f"Sentence {row_id}** · " in said(test)


@pytest.mark.hard_inputs(32)
@pytest.mark.parametrize("page", ["triage", "trace", "relevance"])
def test_identical_texts_open_their_own_ids(five: Study, page: str) -> None:
    told = []
    for row_id, other in (TWINS, TWINS[::-1]):
        test = opened(page, study="five", row=row_id, outcome="", **{"v.all": "1"})
        labels = [area.label.replace("\\", "") for area in test.text_area]
        everything = "\n".join([said(test), *labels])
        assert f"entence {row_id}" in everything
        assert f"entence {other}" not in everything
        told.append(sentence(test))
    assert told[0] != told[1], "one is labelled neg, the other pos"
    test = opened("trace", study="five", q="same sad")
    for row_id in TWINS:
        test.button(key=f"trace-found-{row_id}").click().run()
        assert test.session_state["_selection"].row == row_id


TWELVE = (1, 2, 1, 3, 1, 4, 2, 3, 2, 4, 3, 4)
CHOICES = Selection(
    study="five", split="train", pattern=TWELVE, true="neg", query="film", view={"methods": "lrp,occlusion"}
)


@pytest.mark.hard_inputs(34)
@pytest.mark.parametrize("other", ["overview", "states", "triage", "trace", "relevance", "pairs", "plan"])
def test_twelve_chosen_states_outlive_a_page_switch(five: Study, other: str) -> None:
    test = opened("transitions", **CHOICES.to_query())
    test.switch_page(f"pages/{other}.py").run()
    test.switch_page("pages/transitions.py").run()
    kept: Selection = test.session_state["_selection"]
    assert kept == CHOICES
    assert kept.pattern == TWELVE
    assert all(first != second for first, second in pairwise(kept.pattern))
    # Shown as a chip, and in the field that finds paths.
    assert " → ".join(f"S{state}" for state in TWELVE) in "\n".join(
        button.label.replace("\\", "") for button in test.button if str(button.key).startswith("chip-")
    )
