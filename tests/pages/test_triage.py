"""The triage page shows what the library counts, and follows ids."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from seer.slices import Filter, matching_rows
from seer.study import Study
from seer.table import order_rows

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
    assert f"{accuracy.errors:,} of {len(demo.rows('test')):,} sentences" in said(test)
    assert f"slice accuracy **{accuracy.value:.0%}** (95 %: {accuracy.low:.0%} – {accuracy.high:.0%})" in said(test)
    shown = test.dataframe[0].value
    assert shown[""].tolist() == ["✕"] * 15
    assert shown["confidence"].is_monotonic_decreasing
    rows = order_rows(demo, matching_rows(demo, Filter(split="test", outcome="wrong")), "errors")
    assert f"Sentence {demo.corpus.ids[rows[0]]}** · 1 of {accuracy.errors}" in said(test).replace("\\", "")


def test_filters_count_as_the_library_does(demo: Study) -> None:
    test = opened(true="neg", q="movie", len="5..30", outcome="right")
    rows = matching_rows(demo, Filter("test", true=0, query="movie", length=(5, 30), outcome="right"))
    assert f"**{len(rows):,} of {len(demo.rows('test')):,} sentences**" in said(test)
    assert test.segmented_control(key="filter-outcome").value == "right"
    test.segmented_control(key="filter-outcome").set_value("all").run()
    rows = matching_rows(demo, Filter("test", true=0, query="movie", length=(5, 30)))
    assert f"**{len(rows):,} of" in said(test)
    cell = opened(true="neg", pred="neg")
    assert cell.segmented_control(key="filter-outcome").value == "all"
    count = len(matching_rows(demo, Filter("test", true=0, predicted=0)))
    total = len(matching_rows(demo, Filter("test", true=0)))
    assert f"**{count:,} of" in said(cell)
    assert f"{count / total:.0%} of the {total:,} in this slice that are neg" in said(cell)


def test_a_bad_expression_is_told_and_left_out(demo: Study) -> None:
    test = opened(q="(good", regex="1")
    assert not test.exception
    assert not test.error
    assert "is not a regular expression" in said(test)
    assert len(test.dataframe[0].value) == 15


def test_nothing_passes() -> None:
    test = opened(q="no sentence says this zzqx")
    assert not test.exception
    assert "No sentence passes these filters" in said(test)
    assert not test.dataframe


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
    assert f"{accuracy.errors:,} of " in said(test)
