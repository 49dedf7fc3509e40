"""What a server does once, before its first page."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from seer.ui.server import THREADS, begin


@pytest.fixture(autouse=True)
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SEER_STUDIES", str(tmp_path))
    monkeypatch.delenv(THREADS, raising=False)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    begin.clear()
    yield
    torch.set_num_threads(before)


def threads_of_a_session() -> int:
    """Each run of a page has a thread of its own."""
    found: list[int] = []
    session = threading.Thread(target=lambda: found.append(torch.get_num_threads()))
    session.start()
    session.join()
    return found[0]


def test_a_session_computes_on_one_thread(tmp_path: Path) -> None:
    dead = tmp_path / "study" / ".writing-99999999-x"
    dead.mkdir(parents=True)
    begin()
    assert threads_of_a_session() == 1
    assert not dead.exists()


def test_the_owner_may_ask_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(THREADS, "3")
    begin()
    assert threads_of_a_session() == 3
