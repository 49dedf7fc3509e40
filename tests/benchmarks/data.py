"""Reading, preview and repeated texts of large files: ``python -m tests.benchmarks.data``.

Each file is made of random words and checked with ``check_data`` in a fresh process on one thread, which tells its CPU
seconds, with and without the imports, and the peak of its memory. The first is also read by ``datasets`` alone, with
the repeated texts counted by pandas: what a notebook would do, and without a look at the file beforehand.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from tests.benchmarks.patterns import peak_memory

ROOT = Path(__file__).resolve().parents[2]
ROWS = 60_000
WORDS = np.array([*(f"word{number}" for number in range(5000)), "é", "naïve", "🙂"])


def texts(count: int, words: int, seed: int = 0) -> Iterator[str]:
    """Texts of random words; every 500th is the same."""
    random = np.random.default_rng(seed)
    for place in range(count):
        yield "the same text" if place % 500 == 0 else " ".join(random.choice(WORDS, words))


def comma_separated(path: Path, count: int, words: int, bad: int | None = None) -> None:
    """Quoted texts with one of five labels; the line of the bad row has a field too many."""
    with path.open("w", encoding="utf-8") as file:
        file.write("id,text,label\n")
        for place, text in enumerate(texts(count, words)):
            cells = "one, two" if place == bad else f'"{text}, end"'
            file.write(f"{place},{cells},{'abcde'[place * 7 % 5]}\n")


def json_lines(path: Path, count: int, words: int) -> None:
    """The same as an object a line."""
    with path.open("w", encoding="utf-8") as file:
        for place, text in enumerate(texts(count, words)):
            file.write(json.dumps({"id": place, "text": text, "label": "abcde"[place * 7 % 5]}) + "\n")


def wide(path: Path, count: int) -> None:
    """Fields of 150,000 characters, every second one with characters outside the basic plane."""
    with path.open("w", encoding="utf-8") as file:
        file.write("text,label\n")
        for place in range(count):
            unit = "wörd 🙂 end " if place % 2 else "plain word "
            file.write(f'"{(unit * 14_000)[:150_000]}",{"ab"[place // 2 % 2]}\n')


FILES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "60,000 rows of 30 words": ("short.csv", lambda path: comma_separated(path, ROWS, 30)),
    "the same as JSON lines": ("short.jsonl", lambda path: json_lines(path, ROWS, 30)),
    "60,000 rows of 150 words": ("long.csv", lambda path: comma_separated(path, ROWS, 150)),
    "these as JSON lines": ("long.jsonl", lambda path: json_lines(path, ROWS, 150)),
    "300 fields of 150,000 characters": ("wide.csv", lambda path: wide(path, 300)),
    "10,000 rows, a bad one in the middle": ("bad.csv", lambda path: comma_separated(path, 10_000, 30, bad=5000)),
}


def check(path: str) -> str:
    """What this process needs for a check, in a line."""
    from seer.corpus import check_data  # its cost is part of what is measured

    ready, base = time.process_time(), peak_memory()
    found = check_data(path)
    seconds = time.process_time() - ready
    assert found.corpus is not None, found.fault
    said = f"{len(found.corpus):,} rows, {len(found.rejected)} left out, {found.duplicates.count} repeat a text"
    return f"{seconds:5.1f} CPU s (+ {ready:.1f} imports), peak {peak_memory():.2f} GB ({base:.2f} before): {said}"


def notebook(path: str) -> str:
    """The same file by ``datasets`` and pandas alone."""
    import datasets

    ready, base = time.process_time(), peak_memory()
    with tempfile.TemporaryDirectory() as cache:
        frame = datasets.load_dataset("csv", data_files=path, cache_dir=cache)["train"].to_pandas()
        repeated = int(frame["text"].duplicated().sum())
    seconds = time.process_time() - ready
    said = f"{len(frame):,} rows, {repeated} repeat a text"
    return f"{seconds:5.1f} CPU s (+ {ready:.1f} imports), peak {peak_memory():.2f} GB ({base:.2f} before): {said}"


def fresh(way: str, path: Path) -> str:
    """The line that a process of its own prints."""
    quiet = {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
    command = [sys.executable, "-m", "tests.benchmarks.data", way, str(path)]
    run = subprocess.run(command, env=os.environ | quiet, cwd=ROOT, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def main() -> None:
    """Print the figures."""
    if len(sys.argv) == 3:
        print({"check": check, "notebook": notebook}[sys.argv[1]](sys.argv[2]))
        return
    with tempfile.TemporaryDirectory() as folder:
        for what, (name, make) in FILES.items():
            path = Path(folder, name)
            make(path)
            print(f"{what} ({path.stat().st_size / 1e6:.0f} MB): {fresh('check', path)}", flush=True)
            if name == "short.csv":
                print(f"{'datasets and pandas alone':>30}: {fresh('notebook', path)}", flush=True)
            path.unlink()


if __name__ == "__main__":
    main()
