"""Pairs that are hardly any: one batch, no NaN, each said to a person, the others as if they were alone."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.corpus import load_corpus
from seer.models.training import TrainingSettings
from seer.pair_reading import PairReading, read_pairs, without
from seer.study import Study

ODD = {
    "empty hypothesis": ("A man is singing", ""),
    "empty premise": ("", "A man is singing"),
    "both empty": ("", ""),
    "blanks": (" \t ", "\u200b"),
    "punctuation": ("!!! ...", "?"),
    "identical": ("A man is singing", "A man is singing"),
    "unknown": ("zzqx vvkw", "qqpl"),
    "300 words": ("a man is singing " * 75, "nobody is singing running " * 75),
    "one word": ("man", "singing"),
}
USUAL = [("A man is singing", "Nobody is singing"), ("A man is singing", "A man sings")]
MARKED = {
    "empty hypothesis": "The hypothesis has no word",
    "empty premise": "The premise has no word",
    "both empty": "Neither sentence has a word",
    "blanks": "Neither sentence has a word",
    "punctuation": "only punctuation",
    "identical": "Both sentences are the same",
    "unknown": "No word of the premise is in the vocabulary",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs whose hypothesis says no or yes; in the test file also odd ones, and a text that is missing."""
    folder = tmp_path_factory.mktemp("odd")
    random = np.random.default_rng(0)
    rows = []
    for number in range(120):
        who, what = random.choice(["man", "girl", "dog"]), random.choice(["singing", "eating", "running"])
        label = ("no", "yes")[number % 2]
        rows.append((f"A {who} is {what}", f"{('Nobody', 'Somebody')[number % 2]} is {what}", label))
    write(folder / "train.csv", rows)
    odd = [(*pair, "no") for pair in ODD.values()]
    write(folder / "test.csv", [*rows[:20], *odd])
    with (folder / "test.jsonl").open("w", encoding="utf-8") as file:
        for premise, hypothesis, label in rows[:20]:
            file.write(json.dumps({"premise": premise, "hypothesis": hypothesis, "label": label}) + "\n")
        file.write(json.dumps({"premise": "A man is singing", "hypothesis": None, "label": "no"}) + "\n")
    return folder


def write(path: Path, rows: list[tuple[str, str, str]]) -> None:
    lines = [",".join(f'"{part}"' for part in row) for row in rows]
    path.write_text("\n".join(["premise,hypothesis,label", *lines]) + "\n", encoding="utf-8")


@pytest.fixture(scope="module", params=[False, True], ids=["published", "same-word"])
def study(request: pytest.FixtureRequest, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Study:
    corpus = load_corpus(data / "train.csv", pairs=True, test=data / "test.csv")
    return train_study(
        corpus,
        tmp_path_factory.mktemp("studies") / "odd",
        architecture={"embedding": 8, "hidden": 6, "same_word": request.param},
        training=TrainingSettings(epochs=4, learning_rate=1e-2),
        analysis=AnalysisSettings(states=5, components=3),
    )


def figures(read: PairReading) -> dict[str, list[np.ndarray]]:
    """All arrays of numbers of a reading."""
    found = {}
    for field in fields(read):
        value = getattr(read, field.name)
        if isinstance(value, np.ndarray):
            found[field.name] = [value]
        elif isinstance(value, tuple) and isinstance(value[0], np.ndarray):
            found[field.name] = list(value)
        elif isinstance(value, tuple) and isinstance(value[0], tuple):
            found[field.name] = [array for part in value for array in part]
    return found


def test_in_one_batch_none_is_nan_each_is_marked_and_the_others_are_as_alone(study: Study) -> None:
    pairs = [USUAL[0], *ODD.values(), USUAL[1]]
    found = read_pairs(study, pairs)
    for read in found:
        assert all(np.isfinite(array).all() for arrays in figures(read).values() for array in arrays)
        assert read.probability.sum() == pytest.approx(1, abs=1e-6)
        json.dumps(read.record(), allow_nan=False)
    for name, read in zip(ODD, found[1:-1], strict=True):
        said = " ".join(read.remarks)
        assert MARKED.get(name, "") in said, name
        assert bool(said) == (name in MARKED), name
    for pair, read in ((USUAL[0], found[0]), (USUAL[1], found[-1])):
        alone = figures(read_pairs(study, [pair])[0])
        for name, arrays in figures(read).items():
            for mine, other in zip(arrays, alone[name], strict=True):
                assert np.allclose(mine, other, rtol=0, atol=1e-6), name


def test_sizes_are_those_of_the_words(study: Study) -> None:
    found = dict(zip(ODD, read_pairs(study, list(ODD.values())), strict=True))
    assert found["both empty"].attention.shape == (0, 0)
    assert found["empty hypothesis"].attention.shape == (4, 0)
    assert found["300 words"].attention.shape == (300, 300)
    assert found["one word"].over_hypothesis.tolist() == [[1.0]]
    assert found["one word"].saliency.tolist() == [[0.0]]  # the softmax over one word is 1, whatever the score
    assert [len(part) for part in found["empty premise"].word_saliency] == [0, 4]


def test_a_word_less_leaves_a_pair_that_is_read_like_any_other(study: Study) -> None:
    without_all = without(study, "man", "A man is singing", word=(0, 0))
    assert np.allclose(without_all, read_pairs(study, [("", "A man is singing")])[0].probability, atol=1e-6)


def test_every_row_is_accounted_for_in_the_study(study: Study) -> None:
    """Rows with no word on either side get no prediction and stay outside the figures; the notice counts them."""
    rows = study.rows("test")
    lengths = dict(zip(ODD, study.traces.lengths[rows[20:]], strict=True))
    assert [name for name, length in lengths.items() if not length] == ["both empty", "blanks"]
    assert lengths["empty hypothesis"] == lengths["empty premise"] == 4
    assert lengths["300 words"] == 600
    assert (study.traces.prediction[rows] >= 0).sum() == len(rows) - 2
    assert study.accuracy("test").labelled == len(rows) - 2
    assert np.isfinite(study.traces.probability).all()
    said = " ".join(study.manifest["notices"])
    assert "2 pairs have one side without text; the model still reads the other side." in said
    assert "2 pairs have no text at all and get no prediction." in said


def test_a_missing_text_is_an_empty_side_and_is_counted(data: Path) -> None:
    corpus = load_corpus(data / "train.csv", pairs=True, test=data / "test.jsonl")
    assert corpus.text(int(corpus.rows("test")[-1])) == "A man is singing\n"
    said = " ".join(corpus.notices)
    assert "1 pair has one side without text; the model still reads the other side." in said
