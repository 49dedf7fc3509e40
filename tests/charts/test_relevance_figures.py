import numpy as np
import pandas as pd

from seer.charts.palette import NO_VALUE, class_colours
from seer.charts.relevance_figures import (
    AGAINST,
    FOR,
    WORD,
    curves_chart,
    dropping_chart,
    map_chart,
    ranked_chart,
)


def rows_of(spec, part=None):
    return spec["datasets"][(part or spec).get("data", spec.get("data"))["name"]]


def test_ranked_words_keep_their_order_counts_and_numbers():
    words = ["if", "constructor", "</b>", "bad"]
    spec = ranked_chart(words, np.array([3.0, 0.5, -0.25, -2]), np.array([1, 20, 3000, 4]), "bad").to_dict()
    rows = rows_of(spec)
    assert [row["word"] for row in rows] == words
    assert [row["label"] for row in rows] == ["+3.00 ×1", "+0.50 ×20", "−0.25 ×3,000", "−2.00 ×4"]
    assert [row["faint"] for row in rows] == [True, True, True, False]
    bars = spec["layer"][0]
    assert (bars["encoding"]["color"]["condition"]["value"], bars["encoding"]["color"]["value"]) == (AGAINST, FOR)
    assert spec["params"][0]["name"] == WORD
    assert spec["params"][0]["select"]["fields"] == ["word"]
    # Words stand in no expression, where a parser would take some of them for names.
    assert bars["encoding"]["y"]["sort"] is None
    low, high = bars["encoding"]["x"]["scale"]["domain"]
    assert low == -high < -3


def test_ranked_words_of_any_size():
    for size in (1e-6, 1e30):
        rows = rows_of(ranked_chart(["a", "b"], np.array([size, -size / 2]), np.array([1, 1])).to_dict())
        assert all(len(row["label"]) < 12 for row in rows)
    spec = ranked_chart([], np.zeros(0), np.zeros(0, dtype=int)).to_dict()
    assert spec["height"] >= 60
    assert (
        ranked_chart(["a"], np.array([1.0]), np.array([1])).to_dict()["layer"][0]["encoding"]["x"]["scale"]["domain"][0]
        == 0
    )


def test_dropping_names_the_word_that_went_last():
    probability = np.array([[0.1, 0.9], [0.4, 0.6], [0.8, 0.2]])
    spec = dropping_chart(probability, ["not", "bad"], ("neg", "pos"), 2).to_dict()
    lines = spec["layer"][1]
    rows = pd.DataFrame(rows_of(spec, lines))
    assert rows.pivot(index="k", columns="class", values="probability").to_numpy().tolist() == probability.tolist()
    assert rows.drop_duplicates("k")["word"].tolist() == ["none", "not", "bad"]
    assert rows_of(spec, spec["layer"][0]) == [{"k": 2}]
    assert lines["encoding"]["color"]["scale"]["range"] == list(class_colours(("neg", "pos")).values())


def test_the_control_is_grey_and_every_method_has_its_own_line():
    titles = ["LRP", "Random", "Occlusion"]
    table = pd.DataFrame({"deleted": [0, 0, 0], "method": titles, "value": [1.0, 1.0, np.nan]})
    spec = curves_chart(table, titles, "right", "Random").to_dict()
    colour, dash = spec["encoding"]["color"]["scale"], spec["encoding"]["strokeDash"]["scale"]
    assert colour["domain"] == ["LRP", "Occlusion", "Random"]
    assert colour["range"][-1] == NO_VALUE
    assert len({tuple(marks) for marks in dash["range"]}) == 3


def test_a_point_far_away_does_not_press_the_others_together():
    random = np.random.default_rng(0)
    places = random.normal(size=(400, 2))
    places[0] = 1e6
    labels = ["neg"] * 200 + ["pos"] * 200
    chart = map_chart(places, labels, [True] * 399 + [False], list(map(str, range(400))), ("neg", "pos"))
    encoding = chart.to_dict()["encoding"]
    for axis in ("x", "y"):
        assert encoding[axis]["scale"]["clamp"]
        assert -6 < encoding[axis]["scale"]["domain"][0] < encoding[axis]["scale"]["domain"][1] < 6
    assert encoding["shape"]["scale"]["range"] == ["circle", "triangle-up"]
    assert rows_of(chart.to_dict())[-1]["read"] == "wrongly"
    map_chart(np.zeros((0, 2)), [], [], [], ("neg", "pos")).to_dict()
    map_chart(np.zeros((3, 2)), ["neg"] * 3, [True] * 3, ["a", "b", "c"], ("neg",)).to_dict()
