"""Imports go one way; each rule of the house is read off the code."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

LAYERS = [
    {"errors", "progress", "processes"},
    {"traces", "intact"},
    {"text", "storage", "rates", "confusions", "cells", "hosting"},
    {"corpus", "models", "clustering"},
    {"profile", "abstraction", "machine", "patterns", "relevance", "pairs"},
    {"quality"},
    {"analysis", "parts"},
    {"reading"},
    {"study"},
    {"manifest", "rare", "glance"},
    {"apply", "build", "compare", "explain", "listing", "pair_errors", "pair_reading", "picks", "slices", "table"},
    {"estimate", "uploads"},
    {"recorded", "imports"},
    {"notes", "jobs"},
    {"suspects", "mining", "evaluation"},
    {"charts"},
    {"report"},
    {"ui"},
    {"cli"},
    {"__main__"},
]
"""Rooms from the bottom to the top; a room imports from rooms below it, and from its own files."""

FILES = sorted((ROOT / "seer").rglob("*.py"))
ENTRANCES = [*sorted((ROOT / "pages").glob("*.py")), ROOT / "app.py"]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imported(path: Path) -> set[str]:
    """Full names of the modules a file imports, those inside functions too."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module or "")
    return names


def room(path: Path) -> str:
    return path.relative_to(ROOT / "seer").parts[0].removesuffix(".py")


def layer(name: str) -> int:
    found = [place for place, rooms in enumerate(LAYERS) if name in rooms]
    assert found, f"seer.{name} stands in no layer: give it one in tests/test_imports.py"
    return found[0]


@pytest.mark.parametrize("path", [p for p in FILES if p.name != "__init__.py" or p.parent.name != "seer"], ids=name_of)
def test_imports_go_downwards(path: Path) -> None:
    own = room(path)
    for name in imported(path):
        if name.startswith("seer."):
            other = name.split(".")[1]
            assert other == own or layer(other) < layer(own), f"seer.{own} imports seer.{other}"


def outside(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)}


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_libraries_stay_in_their_rooms(path: Path) -> None:
    own = room(path)
    if own != "ui":
        assert "streamlit" not in outside(path)
    if own in {"abstraction", "clustering", "quality", "machine", "patterns", "rates", "traces", "charts", "corpus"}:
        assert "torch" not in outside(path)
    assert not {"pickle", "joblib", "dill", "shelve"} & outside(path)


@pytest.mark.parametrize("path", ENTRANCES, ids=name_of)
def test_pages_only_gather_call_and_draw(path: Path) -> None:
    assert not {"numpy", "torch", "sklearn", "sqlite3", "altair", "pandas"} & outside(path)


def test_no_import_hides_in_a_function() -> None:
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for inner in ast.walk(node):
                    own = isinstance(inner, ast.ImportFrom) and (inner.module or "").startswith("seer")
                    assert not own, f"{path}:{getattr(inner, 'lineno', 0)} imports inside a function"
