import numpy as np

from seer.charts.curve import MOST_NAMED, probability_chart, probability_strip
from tests.charts.test_sentence import make_trace


def rows_of(spec, layer):
    return spec["datasets"][spec["layer"][layer].get("data", spec.get("data"))["name"]]


def test_the_curve_holds_every_probability():
    trace = make_trace("a good film , not bad", ("a", "b", "c"))
    spec = probability_chart(trace).to_dict()
    rows = rows_of(spec, 1)
    assert len(rows) == len(trace) * 3
    table = np.array([row["probability"] for row in rows]).reshape(len(trace), 3)
    assert np.allclose(table, trace.probability)
    assert [row["step"] for row in rows_of(spec, 0)] == (trace.flips + 1).tolist()
    colour = spec["layer"][1]["encoding"]["color"]
    assert colour["scale"]["domain"] == ["a", "b", "c"]


def test_words_at_the_axis_are_data_and_in_no_expression():
    trace = make_trace('if constructor "x" \\ </script> שלום ’')
    spec = probability_chart(trace).to_dict()
    assert spec["params"] == [{"name": "words", "value": list(trace.words)}]
    axes = [layer["encoding"]["x"]["axis"]["labelExpr"] for layer in spec["layer"]]
    assert set(axes) == {"words[datum.value - 1]"}


def test_long_texts_show_a_window_and_numbers():
    trace = make_trace("good bad " * 500)
    spec = probability_chart(trace, first=400, most=400).to_dict()
    steps = [row["step"] for row in rows_of(spec, 1)]
    assert (min(steps), max(steps)) == (401, 800)
    assert len(steps) == 800
    assert "labelExpr" not in spec["layer"][1]["encoding"]["x"]["axis"]
    assert "params" not in spec
    assert MOST_NAMED < 400


def test_the_copy_is_drawn_beside():
    spec = probability_chart(make_trace("a good film"), make_trace("a bad film indeed"), chosen=[1]).to_dict()
    rows = rows_of(spec, 1)
    assert {row["copy"] for row in rows} == {"this sentence", "edited copy"}
    assert len(rows) == (3 + 4) * 2
    assert [row["step"] for row in rows_of(spec, 3)] == [2, 2]


def test_the_strip_is_thinned_to_means():
    trace = make_trace("good bad " * 600)
    spec = probability_strip(trace, 400, 400, runs=100).to_dict()
    rows = rows_of(spec, 1)
    assert len(rows) == 100 * 2
    assert np.isclose(np.mean([row["probability"] for row in rows[::2]]), trace.probability[:, 0].mean())
    assert rows_of(spec, 0) == [{"from": 400.5, "to": 800.5}]
