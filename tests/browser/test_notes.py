"""Triage by keyboard in a browser: ten errors, a whole group, back again, and all of it there after a reload."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from seer.notes import CAUSES, Notes
from seer.slices import Filter, matching_rows
from seer.study import Study
from seer.table import order_rows
from tests.browser.conftest import settled

pytestmark = pytest.mark.browser

MARKUP = "<b onclick=alert(1)>bold</b> *x* $y$ :red[z]"
KEYS = "1234567891"


def opened(page: Any, address: str) -> None:
    page.goto(address)
    page.locator("[data-testid=stDataFrame] canvas").first.wait_for(timeout=60_000)
    settled(page)


def errors(study: Study, **wanted: Any) -> list[str]:
    rows = order_rows(study, matching_rows(study, Filter("validation", outcome="wrong", **wanted)), "errors")
    return [str(study.corpus.ids[row]) for row in rows]


def saved(page: Any, app_url: str, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """The notes as the plan page gives them out."""
    page.goto(f"{app_url}/plan?split=validation")
    page.get_by_role("heading", name="Plan", level=1).wait_for(timeout=60_000)
    settled(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="History JSONL").click()
    waiting.value.save_as(tmp_path / "notes.jsonl")
    lines = map(json.loads, (tmp_path / "notes.jsonl").read_text().splitlines())
    return {line["row_id"]: line["note"] for line in lines if line["note"]}


def test_ten_errors_a_group_undo_and_reload(page: Any, app_url: str, demo: Study, tmp_path: Path) -> None:
    ids, group = errors(demo), errors(demo, true=1, predicted=0)
    opened(page, f"{app_url}/triage?split=validation")
    for place, key in enumerate(KEYS):
        page.get_by_text(f"Sentence {ids[place]} ·").wait_for()
        page.keyboard.press(key)
        page.get_by_text(f"Saved on {ids[place]}:").wait_for()
    page.get_by_text(f"10 of {len(ids)} checked").wait_for()
    settled(page)

    note = page.locator(".st-key-note textarea").first
    note.click()
    page.keyboard.type(f"{MARKUP} 123")  # digits in a text are no causes
    page.keyboard.press("Control+Enter")
    page.get_by_text(f"Saved on {ids[10]}: “").wait_for()
    settled(page)
    assert page.locator(".st-key-note b, .st-key-note .katex").count() == 0
    page.reload()
    page.get_by_text(f"10 of {len(ids)} checked").wait_for(timeout=60_000)
    page.get_by_text("History · 1 change").wait_for()
    settled(page)
    assert page.locator(".st-key-note textarea").first.input_value() == f"{MARKUP} 123"

    opened(page, f"{app_url}/triage?split=validation&true=pos&pred=neg&outcome=wrong")
    page.get_by_role("button", name=f"Note on all {len(group)}").click()
    page.get_by_text(f"{len(group)} sentences").first.wait_for()
    page.get_by_role("dialog").get_by_role("combobox").nth(1).click()
    page.get_by_role("option", name="augment").click()
    page.get_by_role("button", name=f"Set on {len(group)} sentences").click()
    page.get_by_text(f"Saved on {len(group)} sentences: augment.").wait_for()
    settled(page)
    first = saved(page.context.new_page(), app_url, tmp_path)
    assert {row for row, note in first.items() if note["action"] == "augment"} == set(group)

    page.locator("[data-testid=stMain] h1").click()
    page.keyboard.press("u")
    page.get_by_text(f"{len(group)} sentences as before").wait_for()
    after = saved(page, app_url, tmp_path)
    assert set(after) == set(ids[:11])
    assert [after[row]["cause"] for row in ids[:10]] == [CAUSES[int(key) - 1] for key in KEYS]
    assert {after[row]["status"] for row in ids[:10]} == {"checked"}
    assert after[ids[10]]["text"] == f"{MARKUP} 123"
    assert not [row for row, note in after.items() if note["action"]]
    assert page.console_errors == []


def test_fast_keys_land_each_on_its_sentence(page: Any, app_url: str, demo: Study, notes_folder: Path) -> None:
    notes, lists = Notes(notes_folder / "demo.sqlite"), dict[str, list[str]]()
    for label, name in enumerate(demo.classes):
        rows = order_rows(demo, matching_rows(demo, Filter("train", true=label, outcome="wrong")), "errors")
        lists[name] = [str(demo.corpus.ids[row]) for row in rows]
    true = next(name for name, ids in lists.items() if ids[0] not in notes.current())  # another list for another try
    ids = lists[true]
    page.goto(f"{app_url}/triage?split=train&true={true}")
    page.locator(".strip").wait_for(timeout=60_000)
    for key in "1234n56u789p2":  # at once, and faster than the page is drawn
        page.keyboard.press(key)
        page.wait_for_timeout(60)
    page.locator(".strip[data-waiting='0']").wait_for(timeout=60_000)
    expected = {0: "1", 1: "2", 2: "3", 3: "4", 5: "5", 6: "7", 7: "8", 8: "9"}  # 4 skipped, 6 taken back and given 7
    current = notes.current()
    found = {place: current[row].note.cause for place, row in enumerate(ids) if row in current}
    assert found == {place: CAUSES[int(key) - 1] for place, key in expected.items()}
    # P went back to a checked sentence: the key asks before it writes over the note.
    page.get_by_text(f"{ids[8]} is checked already (other). Press 2 once more").wait_for()
    page.get_by_text(f"Sentence {ids[8]} ·").wait_for()
    page.keyboard.press("2")
    page.get_by_text(f"Saved on {ids[8]}: negation, checked. It was other.").wait_for()
    author = notes.current()[ids[8]].author
    assert author.startswith("guest ")

    page.goto(f"{app_url}/triage?split=train&true={true}")  # the same guest, who goes on where the work ended
    page.get_by_text(f"Sentence {ids[4]} ·").wait_for(timeout=60_000)
    page.locator(".strip").wait_for()
    page.keyboard.press("u")
    page.get_by_text("Taken back: negation, checked on").wait_for()
    assert notes.current()[ids[8]].note.cause == "other"
    name = page.get_by_role("textbox", name="Your name")
    assert name.get_attribute("placeholder") == author
    name.fill("Ana Ö")
    name.press("Enter")
    settled(page)
    page.reload()
    page.locator(".strip").wait_for(timeout=60_000)
    assert page.get_by_role("textbox", name="Your name").input_value() == "Ana Ö"
    assert page.console_errors == []


@pytest.mark.hard_inputs(35)
def test_a_held_lock_is_waited_for_and_said(page: Any, app_url: str, notes_folder: Path, demo: Study) -> None:
    row = errors(demo)[20]
    opened(page, f"{app_url}/triage?split=validation&row={row}")
    page.keyboard.press("3")
    page.get_by_text(f"Saved on {row}:").wait_for()
    page.keyboard.press("p")
    page.get_by_text(f"Sentence {row} ·").wait_for()
    settled(page)
    writer = sqlite3.connect(notes_folder / "demo.sqlite", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    page.keyboard.press("4")
    page.get_by_text(f"{row} is checked already").wait_for()
    page.wait_for_timeout(400)
    page.keyboard.press("4")
    page.get_by_text("Another program holds the notes", exact=False).first.wait_for()
    writer.execute("ROLLBACK")
    writer.close()
    page.get_by_text(f"Saved on {row}: irony, checked. It was contrast or mixed.").wait_for()
    assert page.get_by_text("Traceback").count() == 0
    assert page.console_errors == []
