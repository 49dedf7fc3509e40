"""Model × encoded sentences → state abstraction, its quality, and the traces.

Two passes over the model keep memory bounded: the first keeps the hidden states of a sample, the second assigns a state
to every step and keeps no hidden state at all.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from seer.abstraction import PRESETS, StateAbstraction
from seer.errors import DataError, SettingError
from seer.models import TextModel
from seer.profile import profile, sample_sentences
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
    model: TextModel,
    offsets: IntArray,
    ids: IntArray,
    sentences: IntArray,
    tokens: int,
    seed: int,
    progress: Progress = silent,
    *,
    first: IntArray | None = None,
) -> HiddenSample:
    """Run the model over whole sentences drawn from ``sentences``, up to ``tokens`` words, and keep what it gives.

    Raises:
        DataError: no sentence has a word.
    """
    drawn = sentences[sample_sentences(np.diff(offsets)[sentences], tokens, seed)]
    parts = list(profile(model, offsets, ids, drawn, first, progress))
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


def fit_states(
    model: TextModel,
    offsets: IntArray,
    ids: IntArray,
    fitting: IntArray,
    held_out: IntArray,
    settings: AnalysisSettings,
    progress: Progress = silent,
    *,
    first: IntArray | None = None,
) -> tuple[StateAbstraction, QualitySample]:
    """Fit the abstraction on the fitting sentences and gather what its quality is measured on.

    Args:
        model: in eval mode.
        offsets: (n+1,) where each sentence begins in ``ids``.
        ids: (N,) word ids.
        fitting: positions of the training sentences.
        held_out: positions of sentences the model was not trained on.
        settings: of the abstraction.
        progress: told how far the model has read.
        first: (n,) words of each premise, for a model of pairs.
    """
    fit = hidden_sample(model, offsets, ids, fitting, FIT_TOKENS, settings.seed, progress, first=first)
    held = hidden_sample(model, offsets, ids, held_out, HELD_OUT_TOKENS, settings.seed, progress, first=first)
    progress("states", 0, 2)
    abstraction = settings.unfitted().fit(fit.states)
    sample = QualitySample.from_hidden(abstraction, fit.states, fit.predicted, held.states, held.predicted, held.final)
    progress("states", 1, 2)
    return abstraction, sample


def measure(abstraction: StateAbstraction, sample: QualitySample, progress: Progress = silent) -> Quality:
    """The abstraction's quality; stability takes refits with other seeds."""
    quality = assess(abstraction, sample)
    progress("states", 2, 2)
    return quality


def sweep_states(abstraction: StateAbstraction, sample: QualitySample, progress: Progress = silent) -> list[Quality]:
    """The quality for several numbers of states."""
    rows = sweep(abstraction, sample)
    progress("sweep", 1, 1)
    return rows


def read_traces(
    model: TextModel,
    abstraction: StateAbstraction,
    offsets: IntArray,
    ids: IntArray,
    progress: Progress = silent,
    *,
    first: IntArray | None = None,
) -> Traces:
    """The traces of all sentences.

    Args:
        model: in eval mode.
        abstraction: fitted on states of this model.
        offsets: (n+1,) where each sentence begins in ``ids``.
        ids: (N,) word ids.
        progress: told how far the model has read.
        first: (n,) words of each premise, for a model of pairs.
    """
    steps = int(offsets[-1])
    state = np.zeros(steps, dtype=np.int16)
    probability = np.zeros((steps, model.classes), dtype=np.float32)
    for part in profile(model, offsets, ids, first=first, progress=progress):
        state[part.steps] = abstraction.predict(part.states)
        probability[part.steps] = part.probability
    return Traces(offsets, ids, state, probability.argmax(axis=1).astype(np.int16), probability)
