"""Pairs of classes by how often they are confused, and orders that show them; checked by counting."""

import numpy as np
import pytest

from seer.confusions import Confusion, class_order, most_confused, pooled
from seer.errors import SettingError

MATRIX = np.array([[9, 0, 1, 0], [0, 4, 0, 4], [2, 0, 3, 0], [0, 3, 0, 0]])


def test_the_largest_wrong_cells_come_first():
    assert most_confused(MATRIX) == [
        Confusion(1, 3, 4, 0.5),
        Confusion(3, 1, 3, 1.0),
        Confusion(2, 0, 2, 0.4),
        Confusion(0, 2, 1, 0.1),
    ]
    assert len(most_confused(MATRIX, 2)) == 2
    assert most_confused(np.diag([3, 0])) == []


def test_orders():
    assert class_order(MATRIX, "stored").tolist() == [0, 1, 2, 3]
    assert class_order(MATRIX, "size").tolist() == [0, 1, 2, 3]
    assert class_order(MATRIX, "errors").tolist() == [1, 3, 0, 2]
    side = class_order(MATRIX, "confusion").tolist()
    assert sorted(side) == [0, 1, 2, 3]
    assert abs(side.index(1) - side.index(3)) == abs(side.index(0) - side.index(2)) == 1
    with pytest.raises(SettingError, match="ordered by errors, confusion, size, stored, got name"):
        class_order(MATRIX, "name")


@pytest.mark.parametrize("matrix", [np.zeros((1, 1), int), np.zeros((40, 40), int), np.eye(3, dtype=int)])
@pytest.mark.parametrize("by", ["errors", "confusion", "size", "stored"])
def test_an_order_of_nothing_is_the_stored_one(matrix, by):
    assert class_order(matrix, by).tolist() == list(range(len(matrix)))


def test_the_others_are_one_class_and_no_row_is_lost():
    found = pooled(MATRIX, [3, 1])
    assert found.tolist() == [[0, 3, 0], [4, 4, 0], [0, 0, 15]]
    assert found.sum() == MATRIX.sum()
