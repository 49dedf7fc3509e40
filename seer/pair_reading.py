"""One sentence pair as a model reads it: attention, gates, what a class's score hangs on, and what a removal does.

Source: Ghaeini, Fern, Tadepalli, EMNLP 2018 (arXiv 1808.03894); the numbers are those of ``seer.pairs``, without the
padding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from seer.corpus.labels import class_number
from seer.errors import SettingError
from seer.models.batches import PairBatch, make_pairs
from seer.models.removal import Removal, without_word
from seer.pairs import DIRECTIONS, GATES, LAYERS, PairSaliency, pair_saliency
from seer.study import Study
from seer.text import UNKNOWN_ID
from seer.traces import FloatArray, IntArray

SENTENCES = ("premise", "hypothesis")

Pair = tuple[str, str]
Cell = tuple[int, int]
"""The place of a premise word and of a hypothesis word."""
Word = tuple[int, int]
"""A sentence, 0 the premise and 1 the hypothesis, and the place of a word in it."""

_TOGETHER = 128  # pairs at a time


@dataclass(frozen=True)
class PairReading:
    """What a model computes on one pair of P and Q words, C classes, and what the score S of a class hangs on.

    Every list of two arrays holds the premise's and the hypothesis's, by word position in both directions of the LSTM.

    Attributes:
        premise: as it was given.
        hypothesis: as it was given.
        premise_span: (P, 2) where each word stands in ``premise``.
        hypothesis_span: (Q, 2) the same of the hypothesis.
        premise_known: (P,) whether each word is in the vocabulary.
        hypothesis_known: (Q,) the same of the hypothesis.
        classes: class names in their stored order.
        prediction: the predicted class.
        probability: (C,).
        target: the class whose score is S.
        score: ``logit`` or ``probability``.
        attention: (P, Q) e, the unnormalised attention.
        over_hypothesis: (P, Q) its softmax over the hypothesis.
        over_premise: (P, Q) its softmax over the premise.
        saliency: (P, Q) ∂S/∂e, signed; it sums to 0.
        gate_signal: of each layer of ``LAYERS`` and each sentence (2, 4, T), the L2 norm over units of each gate, by
            direction and gate of ``GATES``.
        gate_saliency: the same of ∂S/∂gate.
        word_saliency: of each sentence (T,), the L2 norm of ∂S/∂(word vector).
    """

    premise: str
    hypothesis: str
    premise_span: IntArray
    hypothesis_span: IntArray
    premise_known: npt.NDArray[np.bool_]
    hypothesis_known: npt.NDArray[np.bool_]
    classes: tuple[str, ...]
    prediction: str
    probability: FloatArray
    target: str
    score: str
    attention: FloatArray
    over_hypothesis: FloatArray
    over_premise: FloatArray
    saliency: FloatArray
    gate_signal: tuple[tuple[FloatArray, ...], ...]
    gate_saliency: tuple[tuple[FloatArray, ...], ...]
    word_saliency: tuple[FloatArray, ...]

    @property
    def premise_words(self) -> tuple[str, ...]:
        """(P,) the words of the premise as written."""
        return tuple(self.premise[begin:end] for begin, end in self.premise_span)

    @property
    def hypothesis_words(self) -> tuple[str, ...]:
        """(Q,) the words of the hypothesis as written."""
        return tuple(self.hypothesis[begin:end] for begin, end in self.hypothesis_span)

    @property
    def words(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The words of both sentences."""
        return self.premise_words, self.hypothesis_words

    @property
    def known(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Of both sentences, whether each word is in the vocabulary."""
        return self.premise_known, self.hypothesis_known

    @property
    def probabilities(self) -> dict[str, float]:
        """Class name → probability."""
        return dict(zip(self.classes, map(float, self.probability), strict=True))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences to know before one trusts the reading; plain text."""
        return tuple(_remarks(self))

    def record(self) -> dict[str, Any]:
        """JSON-able: prediction, probabilities, the words, attention and gates with their saliency, by word."""
        return {
            "prediction": self.prediction,
            "probabilities": self.probabilities,
            "target": self.target,
            "score": self.score,
            "premise": _tokens(self.premise_words, self.premise_span, self.premise_known),
            "hypothesis": _tokens(self.hypothesis_words, self.hypothesis_span, self.hypothesis_known),
            "attention": self.attention.tolist(),
            "over_hypothesis": self.over_hypothesis.tolist(),
            "over_premise": self.over_premise.tolist(),
            "attention_saliency": np.abs(self.saliency).tolist(),
            "signed": self.saliency.tolist(),
            "gates": _named(self.gate_signal),
            "gate_saliency": _named(self.gate_saliency),
            "word_saliency": dict(zip(SENTENCES, (each.tolist() for each in self.word_saliency), strict=True)),
            "remarks": list(self.remarks),
        }


def read_pairs(
    study: Study, pairs: Sequence[Pair], *, target: str | int | None = None, score: str = "logit"
) -> list[PairReading]:
    """Read pairs of a premise and a hypothesis, side by side in a batch; either may be without a word.

    Args:
        study: of sentence pairs.
        pairs: any texts.
        target: class of S by its name or its number; of each pair the predicted one by default.
        score: S is the class's ``logit`` or its ``probability``.

    Raises:
        ModelError: the study reads single sentences.
        SettingError: there is no such class or score.
    """
    model = study.pair_model
    wanted = None if target is None else class_number(study.classes, target)
    found: list[PairReading] = []
    for begin in range(0, len(pairs), _TOGETHER):
        part = pairs[begin : begin + _TOGETHER]
        batch = _batch(study, part)
        found += _cut(part, study, batch, pair_saliency(model, batch, wanted, score=score), score)
    return found


def without(
    study: Study, premise: str, hypothesis: str, *, cell: Cell | None = None, word: Word | None = None
) -> FloatArray:
    """(C,) class probabilities of a pair from which something is taken out.

    Args:
        study: of sentence pairs.
        premise: any text.
        hypothesis: any text.
        cell: the pair of words whose attention is taken out, before both softmaxes.
        word: the word that is deleted from its sentence.

    Raises:
        ModelError: the study reads single sentences.
        SettingError: not one of the two is asked for, or the pair has no such word.
    """
    model = study.pair_model
    batch = _batch(study, [(premise, hypothesis)])
    if cell is not None and word is None:
        _check(batch, ((0, cell[0]), (1, cell[1])))
        removal: Removal | None = Removal(torch.tensor([cell[0]]), torch.tensor([cell[1]]))
    elif word is not None and cell is None:
        _check(batch, (word,))
        batch, removal = without_word(batch, torch.tensor([word[0]]), torch.tensor([word[1]])), None
    else:
        raise SettingError("Say what is to be taken out of the pair: either a pair of words or one word.")
    with torch.inference_mode():
        logits = model.read(model.embed(batch), batch, on_scores=removal).logits
        probability: FloatArray = torch.softmax(logits, dim=1)[0].numpy()
    return probability


def _check(batch: PairBatch, words: Sequence[Word]) -> None:
    for side, place in words:
        if side not in (0, 1):
            raise SettingError(f"The sentence must be 0, the premise, or 1, the hypothesis; got {side}.")
        most = int(batch.sides[side].lengths[0])
        if not 0 <= place < most:
            counted = f"the words 0 to {most - 1}" if most else "no word"
            raise SettingError(f"The {SENTENCES[side]} has {counted}; got {place}.")


def _batch(study: Study, pairs: Sequence[Pair]) -> PairBatch:
    """The pairs side by side; a line break within a sentence is white space like any other."""
    offsets, ids = study.tokenizer.encode([sentence for pair in pairs for sentence in pair])
    return make_pairs(offsets[::2], ids, np.diff(offsets)[::2], np.arange(len(pairs)))


def _cut(
    pairs: Sequence[Pair], study: Study, batch: PairBatch, read: PairSaliency, score: str
) -> Iterator[PairReading]:
    """The rows of a batch, each cut to its own lengths."""
    probability, word_saliency = read.probability, read.word_saliency
    gates = read.gate_signal, read.gate_saliency
    for row, (premise, hypothesis) in enumerate(pairs):
        cut = tuple(slice(int(length)) for length in read.lengths[:, row])
        known = [side.ids[row, part].numpy() != UNKNOWN_ID for side, part in zip(batch.sides, cut, strict=True)]
        signal, saliency = (
            tuple(tuple(values[layer, side, row][..., cut[side]] for side in (0, 1)) for layer in range(len(LAYERS)))
            for values in gates
        )
        yield PairReading(
            premise=premise,
            hypothesis=hypothesis,
            premise_span=study.tokenizer.spans(premise),
            hypothesis_span=study.tokenizer.spans(hypothesis),
            premise_known=known[0],
            hypothesis_known=known[1],
            classes=study.classes,
            prediction=study.classes[read.prediction[row]],
            probability=probability[row],
            target=study.classes[read.target[row]],
            score=score,
            attention=read.scores[row][cut],
            over_hypothesis=read.over_hypothesis[row][cut],
            over_premise=read.over_premise[row][cut],
            saliency=read.attention[row][cut],
            gate_signal=signal,
            gate_saliency=saliency,
            word_saliency=tuple(word_saliency[side, row][cut[side]] for side in (0, 1)),
        )


def _remarks(read: PairReading) -> Iterator[str]:
    empty = [name for name, words in zip(SENTENCES, read.words, strict=True) if not words]
    if len(empty) == 2:
        yield "Neither sentence has a word: the prediction is what the model says of nothing."
    elif empty:
        yield f"The {empty[0]} has no word, so there is nothing to attend to; the prediction says little."
    for name, text, known in zip(SENTENCES, (read.premise, read.hypothesis), read.known, strict=True):
        unknown = int((~known).sum())
        if not len(known):
            continue
        if not any(letter.isalnum() for letter in text):
            yield f"The {name} has only punctuation and signs, no letter or digit."
        elif unknown == len(known):
            yield f"No word of the {name} is in the vocabulary: the model reads the same “unknown” each time."
        elif unknown:
            said = "1 word is" if unknown == 1 else f"{unknown:,} words are"
            yield f"In the {name}, {said} not in the vocabulary and read as “unknown”."
    if read.words[0] and read.words[0] == read.words[1]:
        yield "Both sentences are the same."


def _tokens(words: Sequence[str], span: IntArray, known: npt.NDArray[np.bool_]) -> list[dict[str, Any]]:
    return [
        {"text": word, "start": int(begin), "end": int(end), "known": bool(flag)}
        for word, (begin, end), flag in zip(words, span, known, strict=True)
    ]


def _named(values: tuple[tuple[FloatArray, ...], ...]) -> dict[str, Any]:
    """Layer → sentence → direction → gate → (T,) numbers."""
    return {
        layer: {
            sentence: {
                direction: {gate: found[way, place].tolist() for place, gate in enumerate(GATES)}
                for way, direction in enumerate(DIRECTIONS)
            }
            for sentence, found in zip(SENTENCES, sides, strict=True)
        }
        for layer, sides in zip(LAYERS, values, strict=True)
    }
