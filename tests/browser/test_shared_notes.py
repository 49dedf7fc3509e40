"""Two servers keep their notes in one file while another program holds it, and one of them is killed. Slow."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from seer.notes import CAUSES, Notes
from seer.slices import Filter, matching_rows
from seer.study import Study
from seer.table import order_rows
from tests.browser.conftest import RunningApp, running_app

pytestmark = [pytest.mark.browser, pytest.mark.slow]

EACH, HELD, AT_ONCE, WAITING = 200, 5.0, 20, 40
"""Notes of each server, seconds that the file is held, keys pressed in a row, keys that may wait before that."""


@pytest.fixture
def apps(tmp_path: Path) -> Iterator[tuple[RunningApp, RunningApp]]:
    """Two apps with one folder of notes."""
    with ExitStack() as stack:
        first, second = (stack.enter_context(running_app(tmp_path / "studies", tmp_path / "notes")) for _ in range(2))
        yield first, second


def waiting(page: Any) -> int:
    return int(page.locator(".strip").get_attribute("data-waiting") or 0)


def typed(pages: Sequence[Any], keys: int) -> Iterator[int]:
    """Press so many keys in each page, some in a row; gives how many each has got."""
    done = [0] * len(pages)
    end = time.monotonic() + 120
    while min(done) < keys and time.monotonic() < end:
        for place, page in enumerate(pages):
            if done[place] < keys and waiting(page) < WAITING:
                for _ in range(AT_ONCE):
                    page.keyboard.press("123456789"[done[place] % 9])
                    done[place] += 1
            page.wait_for_timeout(30)
        yield min(done)
    assert min(done) == keys


def integrity(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])


def test_two_servers_write_while_a_third_program_holds_the_file(
    page: Any, browser: Any, apps: tuple[RunningApp, RunningApp], demo: Study, tmp_path: Path
) -> None:
    notes = Notes(tmp_path / "notes" / "demo.sqlite")
    lists, context = [], browser.new_context(viewport={"width": 1400, "height": 1000})
    pages = (page, context.new_page())
    for label, (name, app, one) in enumerate(zip(demo.classes, apps, pages, strict=True)):
        rows = order_rows(demo, matching_rows(demo, Filter("train", true=label, outcome="wrong")), "errors")
        lists.append([str(demo.corpus.ids[row]) for row in rows])
        one.goto(f"{app.url}/triage?split=train&true={name}")
        one.locator(".strip").wait_for(timeout=60_000)
    holder, since, told = sqlite3.connect(":memory:"), 0.0, 0
    for count in typed(pages, EACH):
        if not since and count >= 30 and notes.exists():
            holder = sqlite3.connect(notes.path, isolation_level=None, timeout=20)
            holder.execute("BEGIN IMMEDIATE")
            since = time.monotonic()
        if holder.in_transaction:
            told += sum(one.get_by_text("Another program holds the notes").count() for one in pages)
            if time.monotonic() - since > HELD:
                holder.rollback()
    while holder.in_transaction and time.monotonic() - since < HELD:
        page.wait_for_timeout(100)
        told += sum(one.get_by_text("Another program holds the notes").count() for one in pages)
    holder.close()
    for one in pages:
        one.locator(".strip[data-waiting='0']").wait_for(timeout=60_000)
    assert told, "somebody is told of the wait"
    history = notes.history()
    assert len(history) == len({change.id for change in history}) == 2 * EACH
    current = notes.current()
    for ids in lists:
        assert [current[row].note.cause for row in ids[:EACH]] == [CAUSES[at % 9] for at in range(EACH)]
    assert len({change.author for change in history}) == 2
    for one in pages:
        assert one.get_by_text("Traceback").count() == 0
    assert page.console_errors == []

    pages[1].keyboard.press("1")
    for _ in typed(pages[1:], 40):
        if len(notes.history()) > 2 * EACH:
            break
    apps[1].process.kill()
    apps[1].process.wait(timeout=20)
    saved = {change.id for change in notes.history()}
    assert len(saved) > 2 * EACH
    for _ in typed(pages[:1], AT_ONCE):
        pass
    page.locator(".strip[data-waiting='0']").wait_for(timeout=60_000)
    assert integrity(notes.path) == "ok"
    after = notes.history()
    assert saved <= {change.id for change in after}
    assert {lists[0][at] for at in range(EACH, EACH + AT_ONCE)} <= set(notes.current())
    context.close()
