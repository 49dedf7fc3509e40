"""Many sessions on one server: ``python -m tests.benchmarks.load [SESSIONS] [THINK]``.

Starts the app on the demo and one Chromium. After a first session has warmed the caches, SESSIONS browser contexts (20)
walk five pages at the same time, each with a state of its own chosen by clicks, with THINK seconds on average (20)
to look at an answer before the next click. An answer is over when the page stands still. Server and browser share the
machine's cores. Asserted: no error in a page or console, and no session sees another's selection. Printed: answer
times, and how much the server's memory grew a session.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.async_api import Browser, async_playwright

from tests.browser.conftest import CHROMIUM, FLAGS, NOISE, ROOT

SESSIONS, THINK, STATES = 20, 20.0, 20
PAGES = ("Transition graph", "Misprediction triage", "Sentence trace", "Overview")
SETTLED = """() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'
    && !document.querySelector('[data-stale=true]')"""
WAIT = 60_000


class Session:
    """One person: a browser context of its own, a state of its own."""

    def __init__(self, number: int, page: Any, think: float) -> None:
        self.state, self.page = 1 + number % STATES, page
        self.times: list[float] = []
        self.faults: list[str] = []
        self._chance, self._think = random.Random(number), think
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.faults.append(str(error)))

    def _note(self, message: Any) -> None:
        where = f"{message.text} {message.location.get('url', '')}"
        if message.type == "error" and not any(noise in where for noise in NOISE):
            self.faults.append(where)

    async def walk(self, url: str) -> None:
        """Five pages, the state chosen on the second."""
        await self._pause()  # nobody arrives with everybody else
        await self._step(self.page.goto(url), "Overview")
        await self._open("States")
        box = self.page.get_by_role("combobox", name="State", exact=False).last
        await self._pause()
        await box.click()
        option = self.page.get_by_role("option", name=re.compile(rf"^S{self.state}\b"))
        if not await option.count():  # the list shows a part: typing narrows it
            await box.fill(f"S{self.state} ")
        await self._step(self._choose(option.first), f"State S{self.state}")
        for name in PAGES:
            await self._open(name)
            chosen = parse_qs(urlsplit(self.page.url).query).get("state", ["none"])[0]
            if chosen != str(self.state):
                self.faults.append(f"{name}: state {chosen} instead of {self.state}")
            if await self.page.get_by_text("Something went wrong").count():
                self.faults.append(f"{name}: something went wrong")

    async def _choose(self, option: Any) -> None:
        """Choose a state; one of them is on show, with its heading, before anybody has chosen."""
        await option.click()
        await self.page.wait_for_url(f"**state={self.state}**", timeout=WAIT)

    async def _open(self, name: str) -> None:
        await self._pause()
        link = self.page.get_by_role("link", name=name, exact=True)
        await self._step(link.click(), name)

    async def _pause(self) -> None:
        await asyncio.sleep(self._chance.uniform(0.5, 1.5) * self._think)

    async def _step(self, click: Any, heading: str) -> None:
        """One answer: from the click until its heading is there and the page stands still."""
        began = time.monotonic()
        await click
        await self.page.get_by_role("heading", name=heading, exact=True).first.wait_for(timeout=WAIT)
        await self.page.wait_for_function(SETTLED, timeout=WAIT)
        self.times.append(time.monotonic() - began)


def memory(process: int) -> float:
    """Megabytes that a process holds (resident)."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def start(folder: str) -> tuple[subprocess.Popen[bytes], str]:
    """The server, once it answers, and its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    command += ["--server.headless", "true", "--server.fileWatcherType", "none"]
    variables = {**os.environ, "SEER_STUDIES": folder, "SEER_NOTES": folder}
    server = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=2).close()
            return server, url
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("The app did not start.")


async def crowd(browser: Browser, url: str, sessions: int, think: float) -> list[Session]:
    """So many sessions at the same time; they stay open until all are done."""
    contexts = [
        await browser.new_context(viewport={"width": 1400, "height": 1000}, reduced_motion="reduce")
        for _ in range(sessions)
    ]
    people = [Session(number, await context.new_page(), think) for number, context in enumerate(contexts)]
    for person in people:
        person.page.set_default_timeout(WAIT)
    await asyncio.gather(*(person.walk(url) for person in people))
    return people


async def main(sessions: int, think: float) -> None:
    """Warm up, let the crowd in, print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        server, url = start(folder)
        try:
            async with async_playwright() as playwright:
                browser = await playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
                await crowd(browser, url, 1, 0.5)
                before = memory(server.pid)
                people = await crowd(browser, url, sessions, think)
                after = memory(server.pid)
                await browser.close()
        finally:
            server.terminate()
            server.wait(timeout=20)
    times = sorted(answer for person in people for answer in person.times)
    print(f"{sessions} sessions, {len(times)} answers, {think:g} s between them on average, {os.cpu_count()} cores")
    print(f"answer: median {statistics.median(times):.2f} s, nine of ten within {times[int(0.9 * len(times))]:.2f} s")
    print(f"server: {before:.0f} MB before, {after:.0f} MB after, {(after - before) / sessions:.1f} MB a session")
    faults = [fault for person in people for fault in person.faults]
    assert not faults, faults


if __name__ == "__main__":
    given = sys.argv[1:]
    asyncio.run(main(int(given[0]) if given else SESSIONS, float(given[1]) if len(given) > 1 else THINK))
