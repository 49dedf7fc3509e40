"""What the sessions of one server share is bounded, and nothing of a session stays in a module; read off the code."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_imports import ENTRANCES, FILES, name_of

ALL = [*FILES, *ENTRANCES]
CHANGING = {
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "reverse",
    "setdefault", "sort", "update",
}  # fmt: skip


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def caches(path: Path) -> Iterator[tuple[str, ast.expr, list[str]]]:
    """(name, decorator, arguments) of each function that Streamlit keeps the results of."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                if "st.cache_" in ast.unparse(decorator):
                    yield node.name, decorator, [given.arg for given in (*node.args.args, *node.args.kwonlyargs)]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_cache_is_bounded(path: Path) -> None:
    for name, decorator, takes in caches(path):
        given = {word.arg for word in decorator.keywords} if isinstance(decorator, ast.Call) else set()
        assert not takes or "max_entries" in given, f"{name} keeps any number of results"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_what_a_cache_is_not_keyed_by_has_its_hash_beside_it(path: Path) -> None:
    """Streamlit leaves arguments out of the key whose names begin with a line."""
    for name, _, takes in caches(path):
        hidden = [argument for argument in takes if argument.startswith("_")]
        assert not hidden or {"version", "fingerprint"} & set(takes), f"{name} mixes {', '.join(hidden)} up"


def test_the_caches_are_seen() -> None:
    assert sum(len(list(caches(path))) for path in FILES) > 20


def base(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node


@pytest.mark.parametrize("path", ALL, ids=name_of)
def test_nothing_in_a_module_changes(path: Path) -> None:
    """No function rebinds a module's name, puts something into it, or calls a method that changes it."""
    module = tree(path)
    held = {
        target.id
        for node in module.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(module):
        assert not isinstance(node, ast.Global), f"{path.name}:{getattr(node, 'lineno', 0)}"
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign | ast.Delete):
            targets = node.targets
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            targets = [node.func]
        for target in targets:
            root = base(target)
            changed = root is not target and isinstance(root, ast.Name) and root.id in held
            assert not changed, f"{path.name}:{target.lineno} changes {ast.unparse(target)}"
