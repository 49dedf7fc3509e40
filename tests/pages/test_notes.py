"""Notes in the app: saved at once, for one and for many, filtered, summed up, exchanged; a faster one is told of."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from seer.notes import FILE, Note, Notes
from seer.slices import Filter, matching_rows
from seer.study import DEMO, Study
from seer.table import order_rows
from seer.ui.notes import drafts, keys, notebook, person
from seer.ui.notes.notebook import Notebook
from seer.ui.sentences import SIZE

APP = str(Path(__file__).resolve().parents[2] / "app.py")


@pytest.fixture
def notes(notes_folder: Path, demo: Study) -> Notes:
    return Notes(notes_folder / "demo.sqlite", demo.hash, demo.corpus.fingerprint)


def opened(page: str = "triage", **query: str) -> AppTest:
    test = AppTest.from_file(APP, default_timeout=60)
    for key, value in query.items():
        test.query_params[key] = value
    test.run()
    return test.switch_page(f"pages/{page}.py").run()


def said(test: AppTest) -> str:
    kinds = ("markdown", "caption", "info", "warning", "error")
    whole = "\n".join(str(element.value) for kind in kinds for element in test.get(kind))
    return whole.replace("\\", "").replace(":small[]", "")


def errors(study: Study) -> list[str]:
    rows = order_rows(study, matching_rows(study, Filter("test", outcome="wrong")), "errors")
    return [str(study.corpus.ids[row]) for row in rows]


def test_a_cause_is_saved_checked_and_goes_on(notes: Notes, demo: Study) -> None:
    ids = errors(demo)
    test = opened()
    assert not (DEMO / FILE).exists()
    test.text_input(key="notes-author").set_value("Ada").run()
    test.button(key=f"note-cause-2-{ids[0]}").click().run()
    assert not test.exception
    change = notes.current()[ids[0]]
    assert (change.note.cause, change.note.status, change.author) == ("negation", "checked", "Ada")
    assert f"Saved on {ids[0]}: negation, checked." in said(test)
    assert f"Sentence {ids[1]}**" in said(test)
    assert f"1 of {len(ids)} checked" in said(test)
    assert test.dataframe[0].value["note"][0] == "✓ negation"

    test.toggle(key="note-step").set_value(False).run()
    test.button(key=f"note-cause-4-{ids[1]}").click().run()
    assert (notes.current()[ids[1]].note.cause, notes.current()[ids[1]].note.status) == ("irony", "to do")
    assert f"Sentence {ids[1]}**" in said(test)
    test.button(key=f"note-cause-0-{ids[1]}").click().run()
    assert notes.current()[ids[1]].note.cause is None


def test_every_field_is_saved_by_itself_and_another_writer_is_told(notes: Notes, demo: Study) -> None:
    row = errors(demo)[0]
    test = opened(row=row)
    test.selectbox(key=f"note-action-{row}").set_value("relabel").run()
    test.selectbox(key=f"note-label-{row}").set_value("pos").run()
    notes.put_many([row], {"text": "from <b>Bob</b>", "cause": "irony"}, "Bob")
    test.text_area(key=f"note-text-{row}").set_value("mine").run()
    note = notes.current()[row].note
    assert (note.text, note.cause, note.action, note.label) == ("mine", "irony", "relabel", "pos")
    assert f"Bob had changed {row} since you looked" in test.warning[0].value.replace("\\", "")
    assert "from <b>Bob</b>" in [change.note.text for change in notes.history(row)]
    history = next(element.value for element in test.caption if " UTC" in element.value).replace("\\", "")
    lines = [line.split(" UTC · ")[1] for line in history.splitlines()]
    assert [line.split(": ")[0].split()[0] for line in lines] == ["guest", "Bob", "guest", "guest"]
    assert lines[0].endswith("irony, relabel, as pos, to do, “mine”")
    test.selectbox(key=f"note-action-{row}").set_value("leave").run()
    assert not test.warning
    assert notes.current()[row].note.label is None
    test.button(key=f"note-cause-1-{row}").click().run()
    assert "It was irony." in said(test)


def test_what_could_not_be_saved_stays_in_its_field(notes: Notes, demo: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = errors(demo)
    notes.put_many(ids[:1], {"cause": "irony"}, "Bob")
    toasts: list[str] = []
    monkeypatch.setattr(notebook.st, "toast", lambda text, **_: toasts.append(text))
    monkeypatch.setattr(notebook, "WAIT", 1.5)
    test = opened(row=ids[0])
    writer = sqlite3.connect(notes.path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    test.text_area(key=f"note-text-{ids[0]}").set_value("a long thought").run()
    assert not test.exception
    assert "held by another process" in test.error[0].value.replace("\\", "")
    assert "Another program holds the notes" in toasts[0]
    assert test.text_area(key=f"note-text-{ids[0]}").value == "a long thought"
    writer.execute("ROLLBACK")
    writer.close()
    test.button(key="note-again").click().run()
    assert notes.current()[ids[0]].note.text == "a long thought"
    assert not test.error


def test_a_list_gets_one_note_and_the_undo_leaves_what_changed_since(notes: Notes, demo: Study) -> None:
    rows = order_rows(demo, matching_rows(demo, Filter("test", true=0, predicted=1, outcome="wrong")), "errors")
    ids = [str(demo.corpus.ids[row]) for row in rows]
    notes.put_many(ids[:1], {"text": "before"}, "Bob")
    test = opened(true="neg", pred="pos", outcome="wrong")
    test.button(key="notes-bulk").click().run()
    assert f"**{len(ids)} sentences** that match the filter; 1 of them has a note" in said(test)
    test.selectbox(key="bulk-cause").set_value("negation")
    test.selectbox(key="bulk-status").set_value("checked").run()
    test.button(key="bulk-set").click().run()
    current = notes.current()
    assert set(current) == set(ids)
    assert {(change.note.cause, change.note.status) for change in current.values()} == {("negation", "checked")}
    assert current[ids[0]].note.text == "before"
    assert f"{len(ids)} of {len(ids)} checked" in said(test)

    notes.put_many(ids[1:2], {"cause": "irony"}, "Bob")
    test.button(key="note-undo").click().run()
    current = notes.current()
    assert {row: change.note.cause for row, change in current.items()} == {ids[0]: None, ids[1]: "irony"}
    left = f"Left alone: {ids[1]} was changed since by Bob, and the later note stays."
    assert f"{len(ids) - 1} sentences as before. {left}" in said(test)


def test_the_list_is_kept_by_status_and_cause(notes: Notes, demo: Study) -> None:
    ids = errors(demo)
    notes.put_many(ids[:3], {"cause": "irony", "status": "checked"}, "Bob")
    notes.put_many(ids[3:4], {"text": "look again"}, "Bob")
    for option, count, first in (
        ("", len(ids), ids[3]),  # where the work goes on
        ("unchecked", len(ids) - 3, ids[3]),
        ("checked", 3, ids[0]),
        ("irony", 3, ids[0]),
        ("no-cause", len(ids) - 3, ids[3]),
        ("nonsense", len(ids), ids[3]),
    ):
        test = opened(**{"v.note": option} if option else {})
        place = ids.index(first) + 1 if count == len(ids) else 1
        assert f"Sentence {first}** · {place} of {count}" in said(test), option
    test = opened(**{"v.note": "negation"})
    assert "No sentence passes these filters" in said(test)
    test = opened(**{"v.note": "unchecked"})
    test.button(key=f"note-cause-1-{ids[3]}").click().run()
    assert f"Sentence {ids[4]}** · 1 of {len(ids) - 4}" in said(test)


@pytest.mark.parametrize("by", ["confusion", "state", "pattern"])
def test_the_queue_counts_and_opens_a_group(notes: Notes, demo: Study, by: str) -> None:
    ids = errors(demo)
    notes.put_many(ids[:40], {"status": "checked"}, "Bob")
    test = opened(**{"v.list": "work queue", "v.group": by})
    frame = test.dataframe[0].value
    name, count, checked = frame.iloc[0, 0], frame["sentences"][0], frame["checked"][0]
    wanted: dict[str, Any] = {
        "confusion": lambda: {"true": demo.classes.index(name[:3]), "predicted": demo.classes.index(name[-3:])},
        "state": lambda: {"state": int(name[1:])},
        "pattern": lambda: pattern_filter(demo, name),
    }[by]()
    rows = matching_rows(demo, Filter("test", outcome="wrong", **wanted))
    assert count == len(rows)
    assert checked == len({str(demo.corpus.ids[row]) for row in rows} & set(ids[:40]))
    assert (frame["checked"] <= frame["sentences"]).all()


def pattern_filter(study: Study, name: str) -> dict[str, Any]:
    states, _, word = name.rpartition(" · ") if "“" in name else (name, "", "")
    found = tuple(int(part[1:]) for part in states.split(" → ")) if states else None
    return {"pattern": found, "words": study.phrase_ids(word.strip("“”")) if word else None}


def test_checked_sentences_are_skipped(notes: Notes, demo: Study) -> None:
    ids = errors(demo)
    notes.put_many([*ids[:2], *ids[3:20]], {"status": "checked"}, "Bob")
    test = opened()
    assert f"Sentence {ids[2]}** · 3 of {len(ids)}" in said(test)
    test.button(key=f"note-cause-1-{ids[2]}").click().run()
    assert f"Sentence {ids[20]}** · 21 of {len(ids)}" in said(test)
    assert f"{SIZE} of" not in said(test)
    assert test.dataframe[0].value["text"][20 - SIZE].startswith(demo.corpus.text(demo.corpus.position(ids[20]))[:20])
    notes.put_many(ids[21:], {"status": "checked"}, "Bob")
    test = opened(row=ids[30])
    test.button(key=f"note-cause-1-{ids[30]}").click().run()
    assert f"Sentence {ids[20]}**" in said(test)  # from the top again


def test_a_list_can_lose_fields_and_a_label_goes_with_its_action(notes: Notes, demo: Study) -> None:
    ids = errors(demo)[:2]
    notes.put_many(ids, {"cause": "irony", "action": "relabel", "label": "pos", "text": "why"}, "Bob")
    test = opened(**{"v.note": "irony"})
    test.button(key="notes-bulk").click().run()
    test.selectbox(key="bulk-action").set_value("augment").run()
    assert "Sets: augment." in said(test)
    test.button(key="bulk-set").click().run()
    assert {notes.current()[row].note for row in ids} == {Note("irony", "why", "augment")}
    test.button(key="notes-bulk").click().run()
    test.selectbox(key="bulk-cause").set_value("no cause")
    test.selectbox(key="bulk-action").set_value("no action")
    test.checkbox(key="bulk-clear").check().run()
    test.button(key="bulk-set").click().run()
    assert {notes.current()[row].note for row in ids} == {Note()}


def test_a_guest_comes_back_and_takes_back(notes: Notes, demo: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = errors(demo)
    cookies = {"_person_guest": "0f3a9c", "_person_name": ""}
    monkeypatch.setattr(person, "_cookie", cookies.__getitem__)
    test = opened()
    test.button(key=f"note-cause-2-{ids[0]}").click().run()
    test.button(key=f"note-cause-3-{ids[1]}").click().run()
    assert notes.current()[ids[0]].author == "guest 0f3a9c"
    again = opened()
    assert f"contrast or mixed, checked on {ids[1]}" in again.button(key="note-undo").help.replace("\\", "")
    notes.put_many(ids[1:2], {"cause": "irony"}, "Bob")
    again.button(key="note-undo").click().run()
    assert f"Nothing was taken back: {ids[1]} was changed since by Bob, and the later note stays." in said(again)
    assert f"Sentence {ids[1]}**" in said(again)
    again.button(key="note-undo").click().run()
    assert f"Taken back: negation, checked on {ids[0]}; 1 sentence as before." in said(again)
    assert set(notes.current()) == {ids[1]}
    assert again.button(key="note-undo").disabled
    cookies["_person_name"] = "Ana%20%C3%96%3A"
    named = opened()
    assert named.text_input(key="notes-author").value == "Ana Ö:"


def test_a_draft_belongs_to_one_row(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts.st, "session_state", {})
    book = Notebook(notes, 0, {}, None)
    drafts.keep(book, "a-100", {"text": "mine"})
    drafts.keep(book, "a-100", {"status": "checked"})
    assert drafts.with_draft(book, "100") == Note()
    assert drafts.with_draft(book, "a-100") == Note(text="mine", status="checked")
    saved = []
    drafts.save_again(book, lambda _, rows, fields: bool(saved.append((rows, fields))) or True)
    assert saved == [(["a-100"], {"text": "mine", "status": "checked"})]
    assert drafts.kept(book) == []


def test_each_key_is_taken_once_and_nonsense_never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys.st, "session_state", {})
    press = {"number": 1, "key": "3", "row": "5", "then": "6", "checks": True, "study": "s"}
    taken = keys.Press(1, "3", "5", "6", True, "s")
    done: list[keys.Press] = []

    def report(token: str, *presses: dict[str, Any], most: int = 9) -> None:
        keys.st.session_state["note-keys"] = SimpleNamespace(pressed={"token": token, "presses": list(presses)})

        def take(found: list[keys.Press], confirm: Callable[[keys.Press], None]) -> None:
            for each in found[:most]:
                done.append(each)
                confirm(each)

        keys._report(take)

    report("t", press)
    report("t", press, {**press, "number": 2}, {**press, "number": 3}, most=1)  # the run ends after one of them
    report("t", press, {**press, "number": 2}, {**press, "number": 3})
    report("t", press)
    report("other", press)
    assert [each.number for each in done] == [1, 2, 3, 1]
    assert done[0] == taken
    odd = [None, {}, {**press, "number": "9"}, {**press, "number": 9, "key": "x"}, {**press, "number": 9, "row": 5}]
    for value in (None, 5, {}, {"token": 1}, {"token": "other"}, {"token": "other", "presses": odd}):
        assert keys.fresh(value) == []


def test_the_plan_adds_up_and_damage_is_a_sentence(notes: Notes, demo: Study) -> None:
    empty = opened("plan")
    assert "There is no note yet" in said(empty)
    ids = errors(demo)
    notes.put_many(ids[:5], {"cause": "irony", "action": "leave", "status": "checked"}, "Bob")
    notes.put_many(ids[5:7], {"text": "look <script>"}, "Bob")
    notes.put_many(["gone"], {"text": "of a sentence that is not there"}, "Bob")
    test = opened("plan")
    assert not test.exception
    assert [metric.value for metric in test.metric] == ["7", f"5 of {len(ids)}"]
    assert "7 of 8 notes belong to a sentence that is still there" in said(test)
    causes = test.dataframe[0].value.set_index("cause")
    assert causes["all"].to_dict() == {"irony": 5, "no cause yet": 2}
    actions = next(frame.value for frame in test.dataframe if "action" in frame.value).set_index("action")
    assert actions["sentences"].to_dict() == {"leave": 5, "not decided": 2}
    notes.path.write_bytes(b"no database" * 200)
    for page in ("plan", "triage"):
        test = opened(page)
        assert not test.exception
        assert "is no file of notes" in test.error[0].value.replace("\\", "")
