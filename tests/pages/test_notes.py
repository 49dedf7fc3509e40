"""Notes in the app: saved at once, for one and for many, filtered, summed up, exchanged; a faster one is told of."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from seer.notes import FILE, Notes
from seer.slices import Filter, matching_rows
from seer.study import DEMO, Study
from seer.suspects import unseen_suspects
from seer.table import order_rows
from seer.ui import notebook

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
    return "\n".join(str(element.value) for kind in kinds for element in test.get(kind)).replace("\\", "")


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
    history = next(frame.value for frame in test.dataframe if "by" in frame.value)
    assert list(history["by"]) == ["guest", "Bob", "guest", "guest"]
    test.selectbox(key=f"note-action-{row}").set_value("leave").run()
    assert not test.warning
    assert notes.current()[row].note.label is None


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
    assert f"**{len(ids)} sentences** that match the filter; 1 of them have a note" in said(test)
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
    assert f"{len(ids) - 1} sentences as before. 1 changed since and left alone: {ids[1]}." in said(test)


def test_the_list_is_kept_by_status_and_cause(notes: Notes, demo: Study) -> None:
    ids = errors(demo)
    notes.put_many(ids[:3], {"cause": "irony", "status": "checked"}, "Bob")
    notes.put_many(ids[3:4], {"text": "look again"}, "Bob")
    for option, count, first in (
        ("", len(ids), ids[0]),
        ("unchecked", len(ids) - 3, ids[3]),
        ("checked", 3, ids[0]),
        ("irony", 3, ids[0]),
        ("no-cause", len(ids) - 3, ids[3]),
        ("nonsense", len(ids), ids[0]),
    ):
        test = opened(**{"v.note": option} if option else {})
        assert f"Sentence {first}** · 1 of {count}" in said(test), option
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


def test_a_suspected_label_becomes_a_note(notes: Notes, demo: Study) -> None:
    found = unseen_suspects(demo).within(demo.rows("test"))
    first, second = (str(demo.corpus.ids[row]) for row in found.row[:2])
    test = opened(row=first, **{"v.list": "suspected labels"})
    assert f"**{len(found)} labels may be wrong**" in said(test)
    assert "With two classes that is nearly the plain list of the surest errors" in said(test)
    test.button(key=f"suspects-mark-{first}").click().run()
    note = notes.current()[first].note
    suggested = demo.classes[found.suggested[0]]
    assert (note.cause, note.action, note.label, note.status) == ("label error", "relabel", suggested, "checked")
    assert f"Sentence {second}**" in said(test)


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
