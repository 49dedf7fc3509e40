"""Every kind of input that broke a comparable tool has a test that asserts the right value.

A test of such a kind is named after it and marked ``@pytest.mark.hard_inputs(number, …)``. ``pytest -m hard_inputs``
runs them all: an expression on the command line replaces the usual one, so none of them may take minutes.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

KINDS = {
    1: "encoding",
    2: "byte-order mark",
    3: "stray quotes swallow rows",
    4: "delimiter guessing",
    6: "real words read as missing",
    7: "uneven JSON, awkward columns",
    8: "hub names",
    9: "label -1",
    10: "classes sorted as text",
    12: "rare, absent, unknown class",
    14: "no usable tokens",
    17: "right-to-left",
    18: "the display eats text",
    19: "size",
    20: "GPU checkpoint on a CPU",
    21: "research-style checkpoint",
    23: "vocabulary drift",
    25: "padding changes the answer",
    26: "too much asked of PCA or the mixture",
    28: "unrepeatable",
    29: "relevance on recurrent nets",
    30: "pattern counts",
    32: "the wrong row opens",
    34: "page switch and re-upload",
    35: "SQLite",
    36: "cache mix-ups",
    38: "booby-trapped model file",
    39: "markup in data",
}

TESTS = Path(__file__).parent


def marks(file: Path) -> list[tuple[str, list[object]]]:
    """(what is decorated, or the file; the mark's numbers) of every mark in a file, in parameters too."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    owners: dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            owners |= {inner: node.name for decorator in node.decorator_list for inner in ast.walk(decorator)}
    return [
        (
            owners.get(node, file.stem),
            [number.value if isinstance(number, ast.Constant) else None for number in node.args],
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "hard_inputs"
    ]


def test_every_kind_has_a_test() -> None:
    found = {number for file in TESTS.rglob("test_*.py") for _, numbers in marks(file) for number in numbers}
    missing = [f"{number} ({name})" for number, name in KINDS.items() if number not in found]
    assert missing == []


def test_marks_name_known_kinds_on_tests() -> None:
    for file in TESTS.rglob("test_*.py"):
        for owner, numbers in marks(file):
            assert numbers, f"{file.name}: {owner} names no kind"
            assert set(numbers) <= KINDS.keys(), f"{file.name}: {owner} names {numbers}"
            assert owner.startswith(("test_", "Test")), f"{file.name}: {owner} is no test"


def test_none_of_them_takes_minutes(request: pytest.FixtureRequest) -> None:
    slow = [
        item.nodeid
        for item in request.session.items
        if item.get_closest_marker("hard_inputs") and item.get_closest_marker("slow")
    ]
    assert slow == []
