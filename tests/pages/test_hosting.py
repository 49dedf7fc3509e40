"""A server with a login or with closed notes."""

from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from seer.notes import Note, Notes
from seer.study import Study
from tests.pages.test_notes import errors, opened, said


class User:
    """What ``st.user`` says of a person."""

    def __init__(self, **facts: Any) -> None:
        self._facts = facts

    def to_dict(self) -> dict[str, Any]:
        return self._facts


@pytest.fixture
def notes(notes_folder: Path, demo: Study) -> Notes:
    return Notes(notes_folder / "demo.sqlite", demo.hash, demo.corpus.fingerprint)


def fields(test: AppTest) -> list[str]:
    return [field.key for field in test.text_input]


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        ({"name": "Ann <b>Lee</b>", "email": "ann@example.org"}, "Ann <b>Lee</b>"),
        ({"email": "ann@example.org"}, "ann@example.org"),
        ({"sub": "u-17"}, "u-17"),
    ],
)
def test_who_is_logged_in_writes_the_notes(notes, demo, monkeypatch, facts, name):
    monkeypatch.setattr(st, "user", User(is_logged_in=True, **facts))
    ids, test = errors(demo), opened()
    assert "notes-author" not in fields(test)
    assert f"Notes are written by {name}." in said(test)
    test.button(key=f"note-cause-2-{ids[0]}").click().run()
    assert notes.current()[ids[0]].author == name


def test_a_login_is_offered_where_the_server_has_one_and_guests_go_on(notes, demo, monkeypatch):
    monkeypatch.setattr(st, "user", User(is_logged_in=False))
    ids, test = errors(demo), opened()
    assert test.button(key="notes-login").label == "Log in"
    assert "notes-author" not in fields(test)  # nobody signs for a colleague by typing a name
    test.button(key=f"note-cause-2-{ids[0]}").click().run()
    author = notes.current()[ids[0]].author
    assert author.startswith("guest ")
    assert f"You write as {author}." in said(test)


def test_a_server_that_wants_a_login_shows_nothing_without(root, monkeypatch):
    monkeypatch.setenv("SEER_REQUIRE_LOGIN", "1")
    for page in ("overview", "studies", "triage"):
        monkeypatch.setattr(st, "user", User(is_logged_in=False))
        test = AppTest.from_file(str(root / "app.py"), default_timeout=60).run()
        if page != "overview":
            test.switch_page(f"pages/{page}.py").run()
        assert [title.value for title in test.title] == ["Log in"]
        assert [button.key for button in test.button] == ["notes-login"]
        assert not [*test.get("file_uploader"), *test.selectbox, *test.dataframe, *test.metric]
    monkeypatch.setattr(st, "user", User(is_logged_in=True))
    admitted = AppTest.from_file(str(root / "app.py"), default_timeout=60).run()
    assert admitted.title[0].value == "Overview"
    monkeypatch.setattr(st, "user", User())
    refused = AppTest.from_file(str(root / "app.py"), default_timeout=60).run()
    assert "the server has no login to offer" in refused.error[0].value
    assert not refused.metric


def test_without_a_login_nothing_speaks_of_one():
    test = opened()
    assert "notes-author" in fields(test)
    assert not [button for button in test.button if button.key in ("notes-login", "notes-logout")]


def test_closed_notes_show_and_every_way_to_write_is_shut(notes, demo, monkeypatch):
    ids = errors(demo)
    notes.put(ids[0], Note(cause="irony"), "Ann")
    monkeypatch.setenv("SEER_NOTES_READ_ONLY", "1")
    test = opened(row=ids[0])
    assert "This server shows notes and takes none" in said(test)
    assert "Ann: irony" in said(test)
    ways = [
        button for button in test.button if (button.key or "").startswith(("note-cause-", "note-undo", "notes-bulk"))
    ]
    assert len(ways) > 3
    assert all(button.disabled for button in ways)
    assert test.text_area(key=f"note-text-{ids[0]}").disabled
    plan = opened("plan")
    assert plan.get("file_uploader")[0].proto.disabled
    assert notes.revision() == 1
