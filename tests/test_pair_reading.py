"""A pair as a person reads it: cut to its words, the same in any company, and truly without what is taken out."""

from __future__ import annotations

import json

import numpy as np
import pytest

from seer.errors import ModelError, SettingError
from seer.models.batches import make_pairs
from seer.models.removal import REMOVED
from seer.pair_reading import read_pairs, without
from seer.pairs import DIRECTIONS, GATES, LAYERS, pair_saliency
from seer.study import Study
from tests.pairs.plain import read as plainly

PREMISE, HYPOTHESIS = "A dog is  running — behind a zzqx", "The dog is running"
PAIRS = [("A man is singing in the rain", "Nobody sings"), (PREMISE, HYPOTHESIS), ("", "A cat")]
KEYS = {
    "prediction",
    "probabilities",
    "premise",
    "hypothesis",
    "attention",
    "attention_saliency",
    "signed",
    "gates",
    "gate_saliency",
}


@pytest.fixture(scope="module")
def study() -> Study:
    return Study.open("demo-pairs")


def ids(study: Study, text: str) -> list[int]:
    return study.tokenizer.encode([text])[1].tolist()


def test_the_numbers_are_those_of_the_batch_without_its_padding(study: Study) -> None:
    found = read_pairs(study, PAIRS)
    offsets, words = study.tokenizer.encode([text for pair in PAIRS for text in pair])
    batch = make_pairs(offsets[::2], words, np.diff(offsets)[::2], np.arange(len(PAIRS)))
    whole = pair_saliency(study.pair_model, batch)
    for row, read in enumerate(found):
        p, q = (len(part) for part in read.words)
        assert read.prediction == read.target == study.classes[whole.prediction[row]]
        assert np.array_equal(read.probability, whole.probability[row])
        assert np.array_equal(read.saliency, whole.attention[row, :p, :q])
        assert np.array_equal(read.over_premise, whole.over_premise[row, :p, :q])
        assert abs(read.saliency.sum()) < 1e-5
        for side, length in enumerate((p, q)):
            assert np.array_equal(read.word_saliency[side], whole.word_saliency[side, row, :length])
            for layer in range(2):
                assert np.array_equal(read.gate_signal[layer][side], whole.gate_signal[layer, side, row, :, :, :length])
                assert read.gate_saliency[layer][side].shape == (2, 4, length)


def test_words_are_as_typed(study: Study) -> None:
    read = read_pairs(study, PAIRS)[1]
    assert read.premise_words == ("A", "dog", "is", "running", "—", "behind", "a", "zzqx")
    assert read.hypothesis_words == ("The", "dog", "is", "running")
    assert read.premise_known.tolist() == [True, True, True, True, False, True, True, False]
    assert "2 words are not in the vocabulary" in read.remarks[0]


def test_the_record_has_every_number_by_name(study: Study) -> None:
    read = read_pairs(study, PAIRS)[1]
    record = json.loads(json.dumps(read.record(), allow_nan=False))
    assert set(record) >= KEYS
    assert [token["text"] for token in record["premise"]] == list(read.premise_words)
    assert [PREMISE[token["start"] : token["end"]] for token in record["premise"]] == list(read.premise_words)
    assert np.array_equal(record["attention_saliency"], np.abs(record["signed"]))
    assert np.shape(record["attention"]) == (8, 4)
    for kind, values in (("gates", read.gate_signal), ("gate_saliency", read.gate_saliency)):
        for layer, name in enumerate(LAYERS):
            for way, direction in enumerate(DIRECTIONS):
                for place, gate in enumerate(GATES):
                    told = record[kind][name]["hypothesis"][direction][gate]
                    assert told == pytest.approx(values[layer][1][way, place].tolist())


def test_a_class_and_its_probability_can_be_asked_for(study: Study) -> None:
    logit, share = (
        read_pairs(study, PAIRS[:1], target="NEUTRAL", score=score)[0] for score in ("logit", "probability")
    )
    assert (logit.target, share.target, share.score) == ("NEUTRAL", "NEUTRAL", "probability")
    assert not np.allclose(logit.saliency, share.saliency)
    assert read_pairs(study, []) == []


def test_a_pair_of_words_taken_out_is_as_if_its_score_were_low_in_plain_numpy(study: Study) -> None:
    model = study.pair_model
    words = ids(study, PREMISE), ids(study, HYPOTHESIS)
    scores = plainly(model, *words).scores
    for cell in ((1, 1), (5, 3), (0, 0)):
        logits = plainly(model, *words, score=(cell, REMOVED - scores[cell])).logits
        expected = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
        assert np.allclose(without(study, PREMISE, HYPOTHESIS, cell=cell), expected, atol=2e-5)


@pytest.mark.parametrize(
    ("word", "premise", "hypothesis"),
    [((0, 5), "A dog is running — a zzqx", HYPOTHESIS), ((1, 0), PREMISE, "dog is running")],
)
def test_a_deleted_word_is_as_if_it_were_never_typed(
    study: Study, word: tuple[int, int], premise: str, hypothesis: str
) -> None:
    expected = read_pairs(study, [(premise, hypothesis)])[0].probability
    assert np.allclose(without(study, PREMISE, HYPOTHESIS, word=word), expected, atol=1e-6)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "either a pair of words or one word"),
        ({"cell": (0, 0), "word": (0, 0)}, "either a pair of words or one word"),
        ({"cell": (8, 0)}, "The premise has the words 0 to 7; got 8"),
        ({"cell": (0, -1)}, "The hypothesis has the words 0 to 3; got -1"),
        ({"word": (2, 0)}, "must be 0, the premise, or 1"),
    ],
)
def test_nothing_else_can_be_taken_out(study: Study, asked: dict[str, tuple[int, int]], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        without(study, PREMISE, HYPOTHESIS, **asked)


def test_wrong_classes_scores_and_studies_are_refused(study: Study, demo: Study) -> None:
    with pytest.raises(SettingError, match="got 'odd'"):
        read_pairs(study, PAIRS, target="odd")
    with pytest.raises(SettingError, match="logit, probability"):
        read_pairs(study, PAIRS, score="odds")
    with pytest.raises(ModelError, match="sentence pairs"):
        read_pairs(demo, PAIRS)
    with pytest.raises(ModelError, match="sentence pairs"):
        without(demo, "a", "b", word=(0, 0))
