import numpy as np

from seer.charts.figures import FEW, confidence_chart, confusion_chart


def test_every_cell_of_the_confusion_matrix_is_there():
    matrix = np.array([[5, 3], [0, 0]])
    spec = confusion_chart(matrix, ["<b>neg</b>", "pos"], chosen=(0, 1)).to_dict()
    (rows,) = spec["datasets"].values()
    assert [row["count"] for row in rows] == [5, 3, 0, 0]
    assert [row["share"] for row in rows] == [0.625, 0.375, 0, 0]
    assert [row["chosen"] for row in rows] == [False, True, False, False]
    assert {row["kind"] for row in rows if row["true"] == row["predicted"]} == {"right"}


def test_numbers_are_left_out_when_there_are_many_classes():
    names = [f"c{i}" for i in range(FEW + 1)]
    spec = confusion_chart(np.eye(len(names), dtype=int), names).to_dict()
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["rect"]


def test_the_histogram_counts_each_sentence_once():
    confidence, right = np.array([0.51, 0.99, 1.0, 0.7]), np.array([True, True, False, False])
    spec = confidence_chart(confidence, right).to_dict()
    (rows,) = spec["datasets"].values()
    assert sum(row["count"] for row in rows) == 4
    assert sum(row["signed"] for row in rows) == 0
