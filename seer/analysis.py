"""Hidden states of sentences → state abstraction, its quality, and the traces.

Two passes over the model keep memory bounded: the first keeps the hidden states of a sample, the second assigns a state
to every step and keeps no hidden state, unless it is told where to.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from seer.abstraction import PRESETS, StateAbstraction
from seer.corpus import Corpus
from seer.errors import DataError, SettingError
from seer.profile import StepReader, sample_sentences
from seer.progress import Progress, silent
from seer.quality import Quality, QualitySample, assess, sweep
from seer.traces import FloatArray, IntArray, Traces

FIT_TOKENS = 25_000
"""Most words that the abstraction is fitted on: with ten restarts as stable as 50,000 with four, and no slower."""

HELD_OUT_TOKENS = 50_000
"""Most words that its quality is measured on."""


@dataclass(frozen=True)
class AnalysisSettings:
    """How hidden states become abstract states; see ``StateAbstraction``."""

    method: str = "kmeans"
    states: int = 20
    components: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        self.unfitted()

    @classmethod
    def preset(cls, name: str = "default", **changes: Any) -> Self:
        """A named preset with some settings changed; changes that are ``None`` are left out.

        Raises:
            SettingError: no such preset, or a setting out of its range.
        """
        if name not in PRESETS:
            raise SettingError(f"The preset must be one of {', '.join(PRESETS)}; got {name!r}.")
        return cls(**{**PRESETS[name], **{key: value for key, value in changes.items() if value is not None}})

    def unfitted(self) -> StateAbstraction:
        """The abstraction to fit."""
        return StateAbstraction(self.method, self.states, self.components, self.seed)

    def as_dict(self) -> dict[str, Any]:
        """JSON-able fields."""
        return asdict(self)


@dataclass(frozen=True)
class HiddenSample:
    """Hidden states of some sentences: ``states`` (M, H), ``predicted`` (M,), ``final`` (M,) whether a last step."""

    states: FloatArray
    predicted: IntArray
    final: npt.NDArray[np.bool_]


def hidden_sample(
    reader: StepReader, sentences: IntArray, tokens: int, seed: int, progress: Progress = silent
) -> HiddenSample:
    """Read whole sentences drawn from ``sentences``, up to ``tokens`` words, and keep their hidden states.

    Raises:
        DataError: no sentence has a word.
    """
    offsets = reader.offsets
    drawn = sentences[sample_sentences(np.diff(offsets)[sentences], tokens, seed)]
    parts = list(reader.steps(drawn, progress))
    if not parts:
        raise DataError("No sentence has a word to read, so there are no states to find; check the text column.")
    steps = np.concatenate([part.steps for part in parts])
    order = np.argsort(steps)
    last = np.zeros(int(offsets[-1]), dtype=bool)
    last[offsets[1:][np.diff(offsets) > 0] - 1] = True
    return HiddenSample(
        np.concatenate([part.states for part in parts])[order],
        np.concatenate([part.probability.argmax(1) for part in parts])[order].astype(np.int16),
        last[steps[order]],
    )


def read_traces(
    reader: StepReader,
    abstraction: StateAbstraction,
    progress: Progress = silent,
    *,
    keep: FloatArray | None = None,
) -> Traces:
    """The traces of all sentences.

    Args:
        reader: gives the hidden states and predictions.
        abstraction: fitted on states of the same model.
        progress: told how far it is.
        keep: (N, H) filled with the hidden states, when given.
    """
    steps = int(reader.offsets[-1])
    state = np.zeros(steps, dtype=np.int16)
    probability = np.zeros((steps, reader.classes), dtype=np.float32)
    for part in reader.steps(progress=progress):
        state[part.steps] = abstraction.predict(part.states)
        probability[part.steps] = part.probability
        if keep is not None:
            keep[part.steps] = part.states
    predicted = probability.argmax(axis=1).astype(np.int16)
    return Traces(reader.offsets, reader.ids, state, predicted, probability)


@dataclass(frozen=True)
class Found:
    """What an analysis found.

    Attributes:
        settings: of the abstraction.
        abstraction: fitted on the training sentences.
        quality: of it.
        split: name of the split that the quality was measured on.
        sweep: the quality for other numbers of states; empty when it was not asked for.
        traces: of all sentences.
    """

    settings: AnalysisSettings
    abstraction: StateAbstraction
    quality: Quality
    split: str
    sweep: tuple[Quality, ...]
    traces: Traces


def analyse(
    reader: StepReader,
    corpus: Corpus,
    settings: AnalysisSettings,
    *,
    with_sweep: bool = False,
    progress: Progress = silent,
) -> Found:
    """Find the states of a corpus' sentences, measure them, and trace every sentence.

    Args:
        reader: of all rows of the corpus, in its order.
        corpus: says which rows are for fitting and which are held out.
        settings: how to find the states.
        with_sweep: measure the quality for other numbers of states too.
        progress: told how far it is.

    Raises:
        DataError: no sentence has a word.
    """
    held_out, split = held_out_rows(corpus)
    if not np.diff(reader.offsets)[held_out].any():
        held_out, split = corpus.fitting_rows, "train"
    fit = hidden_sample(reader, corpus.fitting_rows, FIT_TOKENS, settings.seed, progress)
    held = hidden_sample(reader, held_out, HELD_OUT_TOKENS, settings.seed, progress)
    progress("states", 0, 2)
    abstraction = settings.unfitted().fit(fit.states)
    sample = QualitySample.from_hidden(abstraction, fit.states, fit.predicted, held.states, held.predicted, held.final)
    progress("states", 1, 2)
    quality = assess(abstraction, sample)
    progress("states", 2, 2)
    found = sweep(abstraction, sample) if with_sweep else []
    if with_sweep:
        progress("sweep", 1, 1)
    return Found(settings, abstraction, quality, split, tuple(found), read_traces(reader, abstraction, progress))


def held_out_rows(corpus: Corpus) -> tuple[IntArray, str]:
    """The rows that quality is measured on, and the name of their split: test, else validation, else training."""
    split = next((split for split in ("test", "validation", "train") if split in corpus.splits), corpus.splits[0])
    return corpus.rows(split), split
