"""Suspected labels on the triage page: noted, judged by cross-validation when asked, given out whole."""

import io
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from seer.notes import Notes
from seer.progress import Progress
from seer.study import Study
from seer.suspects import Suspects, unseen_suspects
from seer.ui.frame import View
from seer.ui.notes import judging
from seer.ui.notes.notebook import Notebook
from seer.ui.notes.suspects import all_suspects, suspects_csv
from seer.ui.selection import Selection
from tests.pages.test_notes import opened, said


@pytest.fixture
def notes(notes_folder: Path, demo: Study) -> Notes:
    return Notes(notes_folder / "demo.sqlite", demo.hash, demo.corpus.fingerprint)


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


def test_training_labels_are_judged_when_asked(demo: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = demo.rows("train")[5:8].astype(np.int64)
    found = Suspects(rows, demo.corpus.labels[rows], 1 - demo.corpus.labels[rows], *np.full((2, 3), 0.5), judged=6000)
    gate = threading.Event()

    def judge(study: Study, *, progress: Progress) -> Suspects:
        progress("cross-validate", 2500, 5000)
        gate.wait(20)
        progress("cross-validate", 5000, 5000)
        return found

    monkeypatch.setattr(judging, "training_suspects", judge)
    judging._runs.clear()
    test = opened(split="train", **{"v.list": "suspected labels"})
    assert f"{len(demo.rows('train')):,} training sentences are not judged yet" in said(test)
    assert "None of these sentences has a suspected label" not in said(test)
    test.button(key="suspects-judge").click().run()
    run = judging._runs().get(demo)
    while run.share < 0.5:
        gate.wait(0.01)
    bar = next(element.proto.text for element in test.run().get("progress"))
    assert bar.startswith("Judging the training sentences: model 3 of 5, about ")
    gate.set()
    run.thread.join()
    test.run()
    assert "**3 labels may be wrong**" in said(test)
    assert "not judged yet" not in said(test)
    assert len(opened(split="all", **{"v.list": "suspected labels"}).dataframe[0].value) > 3

    monkeypatch.setattr(judging, "training_suspects", lambda study, progress: progress("", 1, 2))
    stopped = judging.Judging(stopped=True)
    stopped.start(demo)
    stopped.thread.join()
    assert (stopped.found, stopped.fault, stopped.running) == (None, None, False)
    judging._runs.clear()


def test_the_file_has_every_suspected_label(notes: Notes, demo: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    view = View(demo, Selection(split="all"))
    whole = all_suspects(demo)
    notes.put_many([str(demo.corpus.ids[whole.row[0]])], {"cause": "irony"}, "Bob")
    book = Notebook(notes, 1, notes.current(), None)
    frame = pd.read_csv(io.BytesIO(suspects_csv(view, book, whole)), dtype=str, keep_default_na=False)
    assert frame["id"].tolist() == [str(row_id) for row_id in demo.corpus.ids[whole.row]]
    assert frame["note"].tolist() == ["irony", *[""] * (len(whole) - 1)]
    assert frame["suggested"].tolist() == [demo.classes[index] for index in whole.suggested]


def test_a_read_only_server_trains_nothing_to_judge(demo: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_READ_ONLY", "1")
    judging._runs.clear()
    test = opened(split="train", **{"v.list": "suspected labels"})
    assert "training sentences are not judged yet" in said(test)
    assert "this server trains none" in said(test)
    assert "suspects-judge" not in [button.key for button in test.button]
    judging._runs().start(demo)
    assert judging._runs().get(demo) is None
