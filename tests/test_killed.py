"""Runs that are killed at any moment: the old study opens, or the new one, whole. Twenty processes: slow."""

import csv
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from seer.study import Study

pytestmark = pytest.mark.slow

KILLS = 10
WORDS = ["good", "fine", "great", "bad", "poor", "dull", "the", "a", "film", "plot", "and", "very"]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A small trained study, and the file it was trained on."""
    folder, chance = tmp_path_factory.mktemp("killed"), random.Random(5)
    data = folder / "data.csv"
    with data.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["text", "label"])
        for number in range(600):
            label = number % 2
            words = chance.choices(WORDS[3 * label : 3 * label + 3] + WORDS[6:], k=12)
            rows.writerow([" ".join(words), ("pos", "neg")[label]])
    assert run(["train", str(data), "--out", str(folder / "study"), "--epochs", "2"]).wait() == 0
    return folder / "study", data


def run(command):
    """The command line in a process group of its own."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, "-m", "seer", *command], start_new_session=True, **quiet)


def kill_at_random(folder, command_of):
    """Kill ten runs, each at its own moment of what a whole run takes; the hashes that the study then had."""
    began = time.monotonic()
    assert run(command_of(0)).wait() == 0
    whole = time.monotonic() - began
    chance, found, cut = random.Random(1), [Study.open(folder).hash], 0
    for seed in range(1, KILLS + 1):
        process = run(command_of(seed))
        time.sleep(chance.uniform(0.3, 1.0) * whole)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        cut += process.wait() == -signal.SIGKILL
        opened = Study.open(folder)
        assert opened.traces.sentences == len(opened.corpus) == 600
        assert opened.trace("a good film").prediction in ("pos", "neg")
        found.append(opened.hash)
    assert cut >= KILLS // 2, "too few runs were still running when they were to be killed"
    return found


@pytest.mark.parametrize("kind", ["train", "analyse"])
def test_a_run_killed_at_any_moment_leaves_a_whole_study(study, kind):
    folder, data = study
    commands = {
        "train": lambda seed: ["train", str(data), "--out", str(folder), "--epochs", "2", "--seed", str(seed)],
        "analyse": lambda seed: ["analyse", str(folder), "--states", str(5 + seed)],
    }
    hashes = kill_at_random(folder, commands[kind])
    # The next whole run clears what the killed ones left.
    assert run(commands[kind](KILLS + 1)).wait() == 0
    assert Study.open(folder).hash not in hashes
    left = [path.name for path in folder.iterdir() if path.name.startswith(".writing-")]
    assert left == []
