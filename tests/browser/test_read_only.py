"""A read-only server below a path: links hold, a newer version is told, and no hand or request changes a study."""

from __future__ import annotations

import re
import shutil
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from seer.analysis import AnalysisSettings
from seer.build import analyse_study
from seer.notes import Notes
from seer.study import Study
from seer.ui.studies.watch import IDLE
from tests.browser.conftest import running_app, settled
from tests.pages.test_links import everything
from tests.pages.test_notes import opened

pytestmark = pytest.mark.browser

CHANGES = re.compile(r"Deleted?|New study|Continue|Start\b|Stop|Upload|Browse|Remove|job", re.IGNORECASE)
"""What stands on the page where something can be changed."""


class Forger:
    """A client without a browser: it asks for pages, and claims that buttons were pressed which it was never shown."""

    def __init__(self, url: str, socket: Any) -> None:
        self._url, self._socket = url, socket
        self._session = ""

    def run(self, page: str, query: str, *pressed: str) -> str:
        """Have a page run; what it then says."""
        message = BackMsg()
        message.rerun_script.page_name, message.rerun_script.query_string = page, query
        for button in pressed:
            message.rerun_script.widget_states.widgets.add(id=button, trigger_value=True)
        self._socket.send(message.SerializeToString())
        said = ""
        while True:
            answer = ForwardMsg.FromString(self._socket.recv(timeout=60))
            self._session = answer.new_session.initialize.session_id or self._session
            said += str(answer.delta) if answer.HasField("delta") else ""
            if answer.HasField("script_finished") and answer.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                return said

    def put(self, content: bytes) -> int:
        """Upload a file into the session, past all pages; the status."""
        with urllib.request.urlopen(f"{self._url}/_stcore/health") as answer:
            cookie = str(answer.headers["Set-Cookie"]).partition(";")[0]
        part = b"--x\r\nContent-Disposition: form-data; name=f; filename=x.csv\r\n\r\n%s\r\n--x--\r\n" % content
        headers = {"Content-Type": "multipart/form-data; boundary=x", "Cookie": cookie}
        headers["X-Xsrftoken"] = cookie.partition("=")[2]
        address = f"{self._url}/_stcore/upload_file/{self._session}/1"
        request = urllib.request.Request(address, part, headers, method="PUT")
        with urllib.request.urlopen(request) as answer:
            return int(answer.status)


@contextmanager
def forger(url: str) -> Iterator[Forger]:
    with connect(f"{url.replace('http', 'ws')}/_stcore/stream", subprotocols=["streamlit"], max_size=None) as socket:
        yield Forger(url, socket)


def buttons(studies: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a server that is not read-only calls its buttons on the page."""
    with monkeypatch.context() as patch:
        patch.setenv("SEER_STUDIES", str(studies))
        page = opened("studies", study="mine")
        found = {str(button.key): str(button.proto.id) for button in page.button}
    assert {"shelf-delete-yes", "new-continue"} <= found.keys()
    return list(found.values())


def visit(page: Any, address: str, title: str) -> None:
    page.goto(address)
    page.get_by_role("heading", name=title, level=1).wait_for(timeout=60_000)
    settled(page)


def test_nothing_can_be_changed_and_links_hold_below_a_path(
    page: Any, browser: Any, small_study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    studies, notes, requested = tmp_path / "studies", tmp_path / "notes", []
    shutil.copytree(small_study.folder, studies / "mine")
    page.on("request", lambda request: requested.append(request.url))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    names = buttons(studies, monkeypatch)
    with running_app(studies, notes, base="reviews", SEER_READ_ONLY="1") as app:
        assert app.url.endswith("/reviews")
        visit(page, f"{app.url}/triage?study=mine&split=train&state=2&outcome=wrong", "Misprediction triage")
        page.locator(".strip").wait_for()
        page.keyboard.press("1")  # notes have a switch of their own
        page.get_by_text("Saved on ").first.wait_for()
        assert len(Notes(notes / "mine.sqlite").current()) == 1
        page.get_by_role("button", name="Copy a link to this view").click()
        page.get_by_role("button", name="Copy a link to this view").get_by_text("Copied").wait_for()
        link = page.evaluate("navigator.clipboard.readText()")
        assert link.startswith(f"{app.url}/triage?study=mine&")
        other = browser.new_context(viewport={"width": 1400, "height": 1000}).new_page()
        other.clock.install()
        visit(other, link, "Misprediction triage")
        other.get_by_role("button", name="S2").first.wait_for()
        analyse_study(Study.open(studies / "mine"), AnalysisSettings(states=4, components=3))

        before = everything(studies)
        visit(page, f"{app.url}/studies?study=mine&deleted=mine&new-start=1", "Studies")
        page.get_by_text("it shows them only").wait_for()
        page.get_by_text("“new-start” is not known here").wait_for()
        assert CHANGES.findall(page.locator("[data-testid=stMain]").inner_text()) == ["deleted", "start"]  # the link's
        assert page.locator("input[type=file]").count() == 0
        with forger(app.url) as client:
            assert "it shows them only" in client.run("studies", "study=mine")
            said = client.run("studies", "study=mine", *names)
            assert "it shows them only" in said
            assert "is deleted" not in said
            assert client.put(b"text,label\n") == 204  # into the session's memory, and no further
            assert "it shows them only" in client.run("studies", "study=mine", *names)
        assert everything(studies) == before

        other.clock.fast_forward(1000 * IDLE)  # an open tab looks now and then
        other.get_by_text("A newer version of this study is there.").wait_for()
        other.get_by_role("button", name="Show it").click()
        other.get_by_text("was made anew").wait_for()
        other.context.close()
        assert [url for url in requested if not url.startswith((app.url, "data:", "blob:"))] == []
        assert page.console_errors == []
