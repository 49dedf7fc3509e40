"""A running app and a Chromium page for it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NOISE = ("font", "/_stcore/")
"""Streamlit asks for its own paths below a page's address first, and a font of its theme may be missing."""


QUIET = """() => {
  const app = document.querySelector('[data-testid=stApp]')
  const idle = app?.dataset.testScriptState === 'notRunning'
    && !document.querySelector('[data-stale=true], [data-testid=stSkeleton]')
  window.quietSince = idle ? window.quietSince || performance.now() : 0
  return idle && performance.now() - window.quietSince > 350
}"""
"""No run of the script has gone on or been asked for during a third of a second, which every delayed press is in."""


def settled(page: Any) -> None:
    """Wait until the page has its title and stands still."""
    page.locator("h1").first.wait_for(timeout=60_000)
    page.evaluate("window.quietSince = 0")
    page.wait_for_function(QUIET, polling=50, timeout=60_000)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError("The app did not start.")


@pytest.fixture(scope="session")
def notes_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the running app keeps its notes, so that none are written beside the demo."""
    return tmp_path_factory.mktemp("notes")


class RunningApp(NamedTuple):
    """An app of its own: its base address and its process."""

    url: str
    process: subprocess.Popen[bytes]


@contextmanager
def running_app(
    studies: Path, notes: Path, script: str = "app.py", base: str = "", **environment: str
) -> Iterator[RunningApp]:
    """An app of its own, below the path ``base`` if one is given; it ends with the block."""
    port = _free_port()
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1", "--server.headless", "true", "--server.fileWatcherType", "none"]
    command += ["--server.baseUrlPath", base] if base else []
    folders = {"SEER_STUDIES": str(studies), "SEER_NOTES": str(notes), "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **folders, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}/{base}".rstrip("/")
    try:
        _wait(url, process)
        yield RunningApp(url, process)
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory, notes_folder: Path) -> Iterator[str]:
    """Base address of the app, running on the demo."""
    with running_app(tmp_path_factory.mktemp("studies"), notes_folder) as app:
        yield app.url


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A running Chromium."""
    if not CHROMIUM.exists():
        message = f"Chromium is not at {CHROMIUM}."
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of its own context; ``page.console_errors`` holds what went wrong in its console."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000}, reduced_motion="reduce")
    opened = context.new_page()
    opened.console_errors = []

    def note(message: Any) -> None:
        where = f"{message.text} {message.location.get('url', '')}"
        if message.type == "error" and not any(noise in where for noise in NOISE):
            opened.console_errors.append(where)

    opened.on("console", note)
    opened.on("pageerror", lambda error: opened.console_errors.append(str(error)))
    yield opened
    context.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One more try for a browser test: on a busy machine a press can fall between two drawings of a page."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))
