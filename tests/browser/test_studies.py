"""Own data in a browser: a file becomes a study, new texts become a split, and the command line says the same."""

from __future__ import annotations

import json
import random
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seer.rare import rare_paths
from seer.study import Study
from tests.browser.conftest import ROOT, running_app, settled

pytestmark = pytest.mark.browser

GOOD, BAD = ["good", "great", "fine", "lovely"], ["bad", "poor", "awful", "dull"]
REST = ["the", "film", "is", "a", "story", "with", "some", "parts", "and", "more"]


@pytest.fixture
def studies(tmp_path: Path) -> Path:
    (tmp_path / "studies").mkdir()
    return tmp_path / "studies"


@pytest.fixture
def url(studies: Path, tmp_path: Path) -> Iterator[str]:
    with running_app(studies, tmp_path / "notes") as app:
        yield app.url


def texts(count: int, seed: int) -> list[tuple[str, str]]:
    chance, found = random.Random(seed), []
    for place in range(count):
        words = [*chance.choices(REST, k=chance.randint(3, 8)), *chance.choices((BAD, GOOD)[place % 2], k=2)]
        chance.shuffle(words)
        found.append((" ".join(words), ("neg", "pos")[place % 2]))
    return found


def bring(page: Any, role: str, name: str, content: bytes) -> None:
    field = page.locator(f".st-key-new-file-{role} input[type=file]")
    field.set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": content})
    page.get_by_text("· content ").first.wait_for()
    settled(page)


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    settled(page)


def set_epochs(page: Any, epochs: int) -> None:
    """Train for just so many epochs, when the page has its estimate of the time."""
    estimate = page.get_by_text("extrapolated from a second")
    estimate.wait_for(timeout=60_000)
    page.get_by_text("Settings", exact=True).click()
    for name in ("Most epochs", "Stop after epochs without gain"):
        page.get_by_role("spinbutton", name=name).fill(str(epochs))
        page.get_by_role("spinbutton", name=name).press("Enter")
        settled(page)
    page.get_by_text(f"at most {epochs:,} epochs, 20 states").first.wait_for()
    estimate.wait_for(timeout=60_000)
    settled(page)


def ended(job: str, how: str) -> re.Pattern[str]:
    """The line of a job that is over; nothing else of the page may stand in between."""
    return re.compile(rf"{re.escape(job)} \([0-9a-f]{{8}}\), by guest [0-9a-f]{{6}} · {how} after")


def seer(*argv: str) -> dict[str, Any]:
    place = argv.index("--") if "--" in argv else len(argv)
    command = [sys.executable, "-m", "seer", *argv[:place], "--json", *argv[place:]]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def shown_command(page: Any) -> list[str]:
    words = shlex.split(page.locator(".st-key-new-study [data-testid=stCode] code").last.inner_text())
    assert words[:3] == ["python", "-m", "seer"]
    return words[3:]


def test_from_a_file_to_the_rarest_paths_of_new_texts(page: Any, url: str, studies: Path, tmp_path: Path) -> None:
    rows = [f"{number};batch {number % 2};{text};{label}" for number, (text, label) in enumerate(texts(300, 1))]
    page.goto(f"{url}/studies")
    page.get_by_role("heading", name="New study").wait_for(timeout=60_000)
    settled(page)
    content = "\n".join(["id;label;text;stars", *rows, ""]).encode()
    bring(page, "train", "Kritiken ü.csv", content)
    press(page, "Continue")
    page.get_by_text("300 sentences, 2 classes, none left out").wait_for()
    label = page.get_by_role("combobox", name="Label column · found")
    assert label.input_value() == "label"  # a wrong guess
    label.click()
    page.get_by_role("option", name="stars").click()
    page.get_by_role("combobox", name="Label column · chosen").wait_for()
    settled(page)
    press(page, "Continue")
    set_epochs(page, 60)
    press(page, "Continue")
    command = shown_command(page)
    assert "--label=stars" in command
    press(page, "Start")
    page.locator(".st-key-watch").get_by_text(re.compile(r"Training: \d+ %|Training: \d+%")).wait_for(timeout=60_000)
    page.get_by_role("button", name="Explore it").wait_for(timeout=120_000)
    settled(page)

    name = "Kritiken ü"
    assert [word for word in command if word.startswith("--out=")] == ["--out=studies/Kritiken ü"]
    assert command[-1] == "Kritiken ü.csv"
    (tmp_path / command[-1]).write_bytes(content)
    again = [f"--out={tmp_path / 'again'}" if word.startswith("--out=") else word for word in command[:-1]]
    assert seer(*again, str(tmp_path / command[-1]))["hash"] == Study.open(studies / name).hash

    page.get_by_role("button", name="Explore it").click()
    page.get_by_role("heading", name="Overview", level=1).wait_for(timeout=60_000)
    page.get_by_text("300 sentences").first.wait_for()
    settled(page)

    page.get_by_role("link", name="Studies", exact=True).click()
    page.get_by_role("heading", name="New study").wait_for(timeout=60_000)
    settled(page)
    new = "\n".join(["text", *(text for text, _ in texts(40, 2)), "more more more bad good the the", ""])
    bring(page, "train", "yesterday.csv", new.encode())
    press(page, "Continue")
    page.get_by_text("41 sentences, no labels, none left out").wait_for()
    press(page, "Continue")
    page.get_by_text("Training needs labels").wait_for()
    assert page.get_by_role("radio", name="Use a study's model").get_attribute("aria-checked") == "true"
    page.get_by_role("combobox", name="Study").last.click()
    page.get_by_role("option", name=name).click()
    settled(page)
    assert page.get_by_role("textbox", name="Name of the new split").input_value() == "yesterday"
    press(page, "Continue")
    command = shown_command(page)
    assert command[0] == "classify"
    press(page, "Start")
    page.get_by_text("New split: Kritiken ü, from yesterday.csv").first.wait_for(timeout=60_000)
    page.get_by_text(ended("New split: Kritiken ü, from yesterday.csv", "done")).first.wait_for(timeout=60_000)
    settled(page)

    study = Study.open(studies / name)
    assert len(study.rows("yesterday")) == 41
    assert not study.accuracy("yesterday").labelled
    rarest = seer("rare", str(studies / name), "--split", "yesterday", "--top", "3")["paths"]
    assert [row["id"] for row in rarest] == [row["id"] for row in rare_paths(study, "yesterday").records(study, 3)]
    page.goto(f"{url}/triage?study=Kritiken%20%C3%BC&split=yesterday")
    page.get_by_role("heading", name="Misprediction triage", level=1).wait_for(timeout=60_000)
    settled(page)
    page.locator(".st-key-sentences-order").get_by_role("combobox").click()
    page.get_by_role("option", name="rarest path first").click()
    settled(page)
    page.get_by_text(f"Sentence {rarest[0]['id']}").first.wait_for()
    page.get_by_text("Rarest step:").wait_for()
    assert page.console_errors == []


@pytest.mark.slow
def test_a_job_outlives_tabs_and_stops(browser: Any, page: Any, url: str, studies: Path) -> None:
    """Started, watched from two tabs, joined, left alone by a closed browser, found again, and stopped."""
    page.goto(f"{url}/studies")
    page.get_by_role("heading", name="New study").wait_for(timeout=60_000)
    settled(page)
    rows = "\n".join(["text,label", *(",".join(row) for row in texts(400, 3)), ""])
    bring(page, "train", "data.csv", rows.encode())
    press(page, "Continue")
    page.get_by_text("400 sentences, 2 classes, none left out").wait_for()
    press(page, "Continue")
    set_epochs(page, 5000)
    press(page, "Continue")
    press(page, "Start")
    page.locator(".st-key-watch").get_by_text(re.compile("data: Training: ")).wait_for(timeout=60_000)
    page.locator(".st-key-new-study").get_by_text("No file yet.").wait_for()

    other = browser.new_context(viewport={"width": 1400, "height": 1000}).new_page()  # another person
    other.goto(f"{url}/")
    other.locator(".st-key-watch").get_by_text(re.compile("data: Training: .*left")).wait_for(timeout=60_000)
    other.get_by_role("link", name="Misprediction triage").click()
    other.get_by_role("heading", name="Misprediction triage", level=1).wait_for(timeout=60_000)
    settled(other)
    other.get_by_role("slider").first.press("ArrowRight")
    settled(other)
    other.locator(".st-key-watch").get_by_text(re.compile("data: Training: ")).wait_for(timeout=60_000)
    other.context.close()
    page.goto("about:blank")
    page.wait_for_timeout(2000)

    page.goto(f"{url}/studies")
    panel = page.locator("[class*=st-key-job-]").first
    panel.get_by_text(re.compile("Training: [0-9]+%")).wait_for(timeout=60_000)
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_text(ended("Training: data, from data.csv", "stopped")).first.wait_for(timeout=15_000)
    settled(page)
    assert page.get_by_role("button", name="Stop", exact=True).count() == 0
    assert not (studies / "data").exists()
    assert page.console_errors == []
