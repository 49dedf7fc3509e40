"""The triage page shows what the library counts, and follows ids."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from seer.slices import Filter, matching_rows, slice_accuracy
from seer.study import Study
from seer.table import order_rows
from seer.ui.sentences import SIZE, VERDICT

APP = str(Path(__file__).resolve().parents[2] / "app.py")


def opened(**query: str) -> AppTest:
    test = AppTest.from_file(APP, default_timeout=60)
    for key, value in query.items():
        test.query_params[key] = value
    test.run()
    return test.switch_page("pages/triage.py").run()


def said(test: AppTest) -> str:
    return "\n".join(str(element.value) for kind in ("markdown", "caption", "info") for element in test.get(kind))


def test_it_opens_on_the_errors_the_surest_first(demo: Study) -> None:
    test = opened()
    assert not test.exception
    accuracy = demo.accuracy("test")
    share = f"**{accuracy.value:.0%} right** (95 %: {accuracy.low:.0%}–{accuracy.high:.0%})"
    line = f"**{accuracy.errors:,} wrong** of the {len(demo.rows('test')):,} sentences of the test split: {share}"
    assert line in said(test).split("\n")
    shown = test.dataframe[0].value
    assert {cell[0] for cell in shown[VERDICT]} == {"✕"}
    assert len(shown) == SIZE
    assert shown["confidence"].is_monotonic_decreasing
    rows = order_rows(demo, matching_rows(demo, Filter(split="test", outcome="wrong")), "errors")
    assert f"Sentence {demo.corpus.ids[rows[0]]}** · 1 of {accuracy.errors}" in said(test).replace("\\", "")


def test_filters_count_as_the_library_does(demo: Study) -> None:
    test = opened(true="neg", q="movie", len="5..30", outcome="right")
    rows = matching_rows(demo, Filter("test", true=0, query="movie", length=(5, 30), outcome="right"))
    part = slice_accuracy(demo, matching_rows(demo, Filter("test", true=0, query="movie", length=(5, 30))))
    share = f"**{part.value:.0%} right** (95 %: {part.low:.0%}–{part.high:.0%})"
    whole = f"the whole of the test split: {demo.accuracy('test').value:.0%}"
    assert f"**{len(rows):,} right** of the {part.labelled:,} sentences in this slice: {share}; {whole}" in said(test)
    assert {cell[0] for cell in test.dataframe[0].value[VERDICT]} == {"✓"}
    assert test.segmented_control(key="filter-outcome").value == "right"
    test.segmented_control(key="filter-outcome").set_value("all").run()
    rows = matching_rows(demo, Filter("test", true=0, query="movie", length=(5, 30)))
    assert f"**{len(rows):,} sentences** in this slice, {part.errors:,} wrong: {share}; {whole}" in said(test)
    cell = opened(true="neg", pred="neg")
    assert cell.segmented_control(key="filter-outcome").value == "all"
    count = len(matching_rows(demo, Filter("test", true=0, predicted=0)))
    total = len(matching_rows(demo, Filter("test", true=0)))
    assert f"**{count:,} read as “neg”** of the {total:,} “neg” in this slice: {count / total:.0%}" in said(cell)


def test_a_bad_expression_is_told_and_left_out(demo: Study) -> None:
    test = opened(q="(good", regex="1")
    assert not test.exception
    assert not test.error
    assert "is not a regular expression" in said(test)
    assert len(test.dataframe[0].value) == SIZE


def test_what_a_link_names_in_vain_gets_no_chip() -> None:
    test = opened(true="nothing of the kind", pred="pos", state="99")
    assert [button.key for button in test.button if str(button.key).startswith("chip-")] == [
        "chip-predicted",
        "chip-all",
    ]
    assert len(test.warning) == 2
    test.button(key="chip-all").click().run()
    assert not test.warning
    assert not [button for button in test.button if str(button.key).startswith("chip-")]
    assert "No filter: all " in said(test).replace("\\", "")


def test_nothing_passes() -> None:
    test = opened(q="no sentence says this zzqx")
    assert not test.exception
    assert "No sentence passes these filters" in said(test)
    assert not test.dataframe


@pytest.mark.hard_inputs(32)
def test_the_detail_follows_the_id_through_order_filter_and_page(demo: Study) -> None:
    everything = order_rows(demo, demo.rows("test"), "id")
    row = int(everything[100])
    name = str(demo.corpus.ids[row])
    test = opened(row=name, **{"v.all": "1", "v.sort": "id"})
    assert f"Sentence {name}** · 101 of 853" in said(test)
    test.selectbox(key="sentences-order").set_value("long").run()
    assert f"Sentence {name}** · " in said(test)
    test.text_input(key="filter-query").set_value("zzqx").run()
    assert f"Sentence {name}** · outside the filter" in said(test)
    assert "does not pass the filter" in said(test)
    test.text_input(key="filter-query").set_value("").run()
    test.selectbox(key="sentences-order").set_value("id").run()
    test.button(key="sentences-next").click().run()
    assert f"Sentence {demo.corpus.ids[everything[101]]}** · 102 of 853" in said(test)


@pytest.mark.parametrize("split", ["train", "all"])
def test_other_splits(demo: Study, split: str) -> None:
    test = opened(split=split)
    assert not test.exception
    accuracy = demo.accuracy(None if split == "all" else split)
    assert f"**{accuracy.errors:,} wrong** of the " in said(test)
