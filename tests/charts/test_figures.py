import numpy as np
import pytest

from seer.charts.figures import confidence_chart, confusion_chart
from seer.charts.palette import contrast


def test_every_cell_of_the_confusion_matrix_is_there():
    matrix = np.array([[5, 3], [0, 0]])
    spec = confusion_chart(matrix, ["<b>neg</b>", "pos"], chosen=(0, 1)).to_dict()
    (rows,) = spec["datasets"].values()
    assert [row["count"] for row in rows] == [5, 3, 0, 0]
    assert [row["share"] for row in rows] == [0.625, 0.375, 0, 0]
    assert [row["chosen"] for row in rows] == [False, True, False, False]
    assert {row["kind"] for row in rows if row["true"] == row["predicted"]} == {"right"}


def test_a_cell_is_readable_whatever_its_share():
    names = ["if", "constructor"]
    spec = confusion_chart(np.array([[12_345, 0], [5, 0]]), names).to_dict()
    (rows,) = spec["datasets"].values()
    assert [row["label"] for row in rows] == ["12,345", "0", "5 ✕", "0"]
    assert all(contrast(row["ink"], row["colour"]) >= 4.5 for row in rows if row["count"])
    # A list to sort by would become an expression, which some names break.
    axes = [spec["layer"][0]["encoding"][axis] for axis in "xy"]
    assert [(axis["sort"], axis["scale"]["domain"]) for axis in axes] == [(None, names)] * 2


def test_the_histogram_counts_each_sentence_once():
    confidence, right = np.array([0.51, 0.99, 1.0, 0.7]), np.array([True, True, False, False])
    spec = confidence_chart(confidence, right).to_dict()
    (rows,) = spec["datasets"].values()
    assert sum(row["count"] for row in rows) == 4
    assert sum(row["signed"] for row in rows) == 0


@pytest.mark.parametrize(
    ("confidence", "orient"),
    [([0.5, 0.97, 0.97], "top-left"), ([0.52, 0.52, 0.52, 0.97], "top-right"), ([0.97], "top")],
)
def test_the_legend_of_the_histogram_covers_no_high_bar(confidence, orient):
    values = np.array(confidence)
    encoding = confidence_chart(values, values > 0).to_dict()["encoding"]
    assert encoding["color"]["legend"]["orient"] == orient


@pytest.mark.parametrize(
    ("right", "wrong", "ticks"),
    [
        (203, 41, [-50, 0, 50, 100, 150, 200]),
        (180, 3, [-50, 0, 50, 100, 150]),
        (4, 0, [0, 1, 2, 3, 4]),
        (0, 1, [-1, 0]),
    ],
)
def test_counts_have_round_ticks_on_both_sides_and_edges_stand_at_tenths(right, wrong, ticks):
    confidence = np.repeat([0.52, 0.97], [wrong, right])
    encoding = confidence_chart(confidence, confidence > 0.9).to_dict()["encoding"]
    assert encoding["y"]["axis"]["values"] == ticks
    low, high = encoding["y"]["scale"]["domain"]
    assert low <= -wrong
    assert high >= right
    if wrong:
        assert encoding["x"]["axis"]["values"] == [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
