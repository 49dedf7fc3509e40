"""Pictures of pairs: words keep their places, clicks name what they take, colours tell size and sign."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from seer.charts.error_rates import rate_chart
from seer.charts.gates import Curves, gate_curves
from seer.charts.pairs import AGAINST, FOR, PICK, STRONG, Grid, heat_map
from seer.charts.verdicts import bars_html, help_html, moved_html, strength_html
from seer.pair_errors import ErrorRate

PREMISE, HYPOTHESIS = ("the", "dog", "the", "if"), ("__proto__", "<b>", "supercalifragilisticexpialidocious")
VALUE = np.array([[0.5, -1.0, 0.0], [0.1, 0.2, 2.0], [-2.0, 0.0, 0.3], [0.0, 0.0, 0.0]])
CLASSES = ("no", "<i>yes</i>", "maybe")


def grid(**changes: Any) -> Grid:
    settings = {
        "words": (PREMISE, HYPOTHESIS),
        "value": VALUE,
        "limit": 2.0,
        "signed": True,
        "others": {"∂S/∂e": VALUE},
    }
    return Grid(**(settings | changes))


def rows(chart: Any, layer: int) -> list[dict[str, Any]]:
    spec = chart.to_dict()
    return spec["datasets"][
        spec["layer"][layer]["data"]["name"] if "data" in spec["layer"][layer] else spec["data"]["name"]
    ]


def cells(chart: Any) -> dict[str, dict[str, Any]]:
    return {row["take"]: row for row in rows(chart, 0)}


def test_every_pair_of_words_is_a_cell_and_repeated_words_stay_apart() -> None:
    found = cells(heat_map(grid()))
    assert len(found) == VALUE.size
    assert [found[f"c{place}.1"]["premise_word"] for place in range(4)] == list(PREMISE)
    assert found["c0.0"]["premise"] != found["c2.0"]["premise"]
    assert found["c1.2"]["figure0"] == 2.0
    spec = heat_map(grid()).to_dict()
    scale = spec["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert scale == [0, 1, 2, 3]
    # Words are data: none stands in an expression, which Vega's parser could take for a name.
    assert "expr" not in str(spec["layer"]).lower()


def test_signed_colours_tell_for_from_against_and_absolute_ones_how_strong() -> None:
    signed, absolute = cells(heat_map(grid())), cells(heat_map(grid(signed=False)))
    assert (signed["c1.2"]["colour"], signed["c2.0"]["colour"]) == (FOR, AGAINST)
    assert (signed["c1.2"]["mark"], signed["c2.0"]["mark"], signed["c0.2"]["mark"]) == ("+", "−", "")
    assert signed["c2.0"]["strength"] == signed["c1.2"]["strength"] == 1
    assert {cell["colour"] for cell in absolute.values()} == {STRONG}
    assert {cell["mark"] for cell in absolute.values()} == {""}
    assert absolute["c0.1"]["strength"] == 0.5
    assert {cell["strength"] for cell in cells(heat_map(grid(limit=0.0))).values()} == {0}
    # Where nothing is below 0 a sign says nothing.
    assert {cell["mark"] for cell in cells(heat_map(grid(value=np.abs(VALUE)))).values()} == {""}


def test_what_is_taken_out_and_what_hides_is_marked_by_more_than_colour() -> None:
    hidden = np.zeros(VALUE.shape, dtype=bool)
    hidden[3, 2] = True
    chart = heat_map(grid(taken=(1, 2), deleted=((2,), ()), hidden=hidden))
    found = cells(chart)
    assert (found["c1.2"]["mark"], found["c3.2"]["mark"]) == ("✕", "○")
    assert found["c1.2"]["edge_width"] > found["c0.0"]["edge_width"]
    assert [row["label"] for row in rows(chart, 2)] == ["the", "dog", "✕ the", "if"]
    assert [row["take"] for row in rows(chart, 2)] == ["p0", "p1", "p2", "p3"]
    assert [row["take"] for row in rows(chart, 3)] == ["h0", "h1", "h2"]
    assert rows(chart, 3)[2]["label"] == "supercalifrag…"


def test_a_part_of_long_sentences_keeps_the_places_in_the_whole() -> None:
    chart = heat_map(grid(first=(40, 80), taken=(41, 82), deleted=((), (80,))))
    found = cells(chart)
    assert set(found) == {f"c{i}.{j}" for i in range(40, 44) for j in range(80, 83)}
    assert found["c41.82"]["mark"] == "✕"
    assert [row["label"][0] for row in rows(chart, 3)] == ["✕", "<", "s"]


def test_one_selection_answers_to_all_layers() -> None:
    for chart in (heat_map(grid()), gate_curves(curves())):
        spec = chart.to_dict()
        named = [param for param in spec["params"] if param["name"] == PICK]
        assert len(named) == 1
        assert named[0]["select"]["fields"] == ["take"]


def curves(**changes: Any) -> Curves:
    values = {"input": [np.array([1.0, 5.0, 3.0, 2.0, 1.0, 9.0, 5.0])] * 2, "output": [np.full(7, 4.0)] * 2}
    settings = {"words": (PREMISE, HYPOTHESIS), "lanes": ["a →", "a ←"], "values": values, "measure": "gate signal"}
    return Curves(**(settings | changes))


def test_curves_run_from_their_least_to_their_largest_value_and_keep_the_true_ones() -> None:
    spec = gate_curves(curves(deleted=((1,), (2,)))).to_dict()
    points = [row for rows in spec["datasets"].values() for row in rows if "gate" in row]
    for lane, ground in (("a →", 1.18), ("a ←", 0.0)):
        heights = [row["height"] - ground for row in points if (row["gate"], row["lane"]) == ("input", lane)]
        assert heights == pytest.approx([0, 0.5, 0.25, 0.125, 0, 1, 0.5])
    assert [row["value"] for row in points[:7]] == [1, 5, 3, 2, 1, 9, 5]
    flat = {row["height"] for row in points if (row["gate"], row["lane"]) == ("output", "a ←")}
    assert flat == {0.5}
    assert [row["take"] for row in points[:7]] == ["p0", "p1", "p2", "p3", "h0", "h1", "h2"]
    # The hypothesis begins one place later, so that the sentences stand apart.
    assert [row["at"] for row in points[:7]] == [0, 1, 2, 3, 5, 6, 7]
    words = next(param for param in spec["params"] if param["name"] == "words")["value"]
    assert words == ["the", "dog", "the", "if", "", "__proto__", "<b>", "supercalifrag…"]
    gone = [[row["at"] for row in rows] for rows in spec["datasets"].values() if rows and set(rows[0]) == {"at"}]
    assert [1, 7] in gone


def test_curves_of_one_sentence_alone_and_of_a_part() -> None:
    short = {"input": [np.array([1.0, 2.0, 3.0])] * 2}
    assert gate_curves(curves(words=((), HYPOTHESIS), values=short)).to_dict()
    spec = gate_curves(curves(first=(40, 0), deleted=((41,), ()))).to_dict()
    assert "p41" in str(spec["datasets"])
    assert any(rows == [{"at": 1}] for rows in spec["datasets"].values())


def test_verdicts_escape_names_and_say_what_moved() -> None:
    before, after = np.array([0.2, 0.7, 0.1]), np.array([0.6, 0.3, 0.1])
    shown = bars_html(CLASSES, before, after)
    assert "<i>" not in shown
    assert "0.700 → 0.300" in shown
    assert "0.70</span>" in bars_html(CLASSES, before)
    moved = moved_html(CLASSES, before, after, "<i>yes</i>")
    assert "<i>" not in moved
    assert "changed" in moved
    assert "✓ right" in moved
    assert "the same class" in moved_html(CLASSES, before, before)
    assert "✕ wrong" in moved_html(CLASSES, before, None, "no")
    assert "&lt;" in help_html("<b>")
    assert "−0.5" in strength_html(0.5, True, True)
    assert "−" not in strength_html(0.5, True, False, "a & b")


def test_error_rates_keep_their_order_and_interval() -> None:
    groups = [ErrorRate("below 25%", 100, 4, 0.04, 0.02, 0.1), ErrorRate("all of them", 50, 20, 0.4, 0.28, 0.54)]
    spec = rate_chart(groups, 0.16, "shared words", 0.6).to_dict()
    assert spec["layer"][2]["encoding"]["y"]["scale"]["domain"] == ["below 25%", "all of them"]
    data = next(rows for rows in spec["datasets"].values() if "low" in rows[0])
    assert [(row["rate"], row["low"], row["high"]) for row in data] == [(0.04, 0.02, 0.1), (0.4, 0.28, 0.54)]
