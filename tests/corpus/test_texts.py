"""Texts without a word, from right to left, and long ones, from a file to their trace."""

import json
from pathlib import Path

import numpy as np
import pytest

from seer.apply import apply_study
from seer.corpus import load_corpus
from seer.study import Study
from tests.corpus.shared import Write, said

TEXTS = ["", "   ", "\t\n", "!!! ...", "zzqx vvkw", "good"]


@pytest.mark.hard_inputs(14)
def test_no_usable_tokens_no_prediction_and_six_rows_stay_six(write: Write, tmp_path: Path, small_study: Study) -> None:
    path = write("six.jsonl", "\n".join(json.dumps({"text": text, "label": "pos"}) for text in TEXTS))
    corpus = load_corpus(path, split="odd")
    assert corpus.texts() == TEXTS
    assert "1 row has an empty text and gets no prediction" in said(corpus)
    study = apply_study(small_study, corpus, tmp_path / "odd")
    rows = study.rows("odd")
    assert len(rows) == 6
    words = study.traces.lengths[rows]
    assert words.tolist()[:3] == [0, 0, 0]
    assert words.tolist()[4:] == [2, 1]
    for row in rows.tolist():
        read = study.sentence(row)
        assert (read.prediction is None) == (words[row] == 0)
    assert study.traces.prediction[rows][words == 0].tolist() == [-1] * int((words == 0).sum())
    assert study.sentence(4).known.tolist() == [False, False]
    assert study.sentence(5).known.tolist() == [True]


@pytest.mark.hard_inputs(17)
def test_right_to_left_text_keeps_its_signs_and_its_first_word_is_step_one(write: Write, small_study: Study) -> None:
    hebrew, turned = "שלום עולם, יש לי iPhone 15 Pro מאז 2024-05", "a \u202egood\u202c film"
    corpus = load_corpus(write("rtl.csv", f'text,label\n"{hebrew}",a\n{turned},b\n'))
    assert corpus.texts() == [hebrew, turned]
    read = small_study.trace(hebrew)
    words = [hebrew[begin:stop] for begin, stop in read.span]
    assert words[:2] == ["שלום", "עולם"]
    assert "iPhone" in words
    assert (np.diff(read.span[:, 0]) > 0).all()
    marked = small_study.trace(turned)
    assert "good" in "".join(turned[begin:stop] for begin, stop in marked.span)


@pytest.mark.hard_inputs(19)
def test_size_of_a_text_of_ten_thousand_words_hides_no_word(write: Write, small_study: Study) -> None:
    text = "the " * 9989 + "superb" + " film" * 10
    corpus = load_corpus(write("long.csv", f"text,label\n{text},a\nx,b\n"))
    assert corpus.text(0) == text
    read = small_study.trace(corpus.text(0))
    assert len(read.token) == 10_000
    begin, stop = read.span[9989]
    assert (text[begin:stop], bool(read.known[9989])) == ("superb", True)
