"""The relevance methods by name, and what each is defined for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from seer.errors import SettingError
from seer.models.batches import by_length, make_batch
from seer.models.classifier import Architecture, RNNClassifier
from seer.progress import Progress, silent
from seer.relevance.decomposition import contextual_decomposition
from seer.relevance.gradients import gradient_input, integrated_gradients, sensitivity
from seer.relevance.lime import lime
from seer.relevance.lrp import lrp
from seer.relevance.occlusion import occlusion, removal
from seer.relevance.random import random_relevance
from seer.relevance.record import WordRelevance, why_not
from seer.traces import IntArray

Attribute = Callable[..., WordRelevance]


@dataclass(frozen=True)
class Method:
    """A relevance method.

    Attributes:
        title: what a person calls it.
        attribute: ``attribute(model, batch, target=None, **settings)``.
        reading: one line on what its numbers mean.
        cells: of which recurrent nets it is defined.
        layers: whether it is defined for more than one layer.
        signed: whether it tells words for the class from words against it.
        settings: names of its settings and their defaults.
        slow: it runs the model hundreds of times for a sentence.
    """

    title: str
    attribute: Attribute
    reading: str
    cells: tuple[str, ...] = ("gru", "lstm", "rnn")
    layers: bool = True
    signed: bool = True
    settings: dict[str, Any] = field(default_factory=dict)
    slow: bool = False

    def why_not(self, architecture: Architecture) -> str | None:
        """Why it does not apply to a model, in a sentence; ``None`` when it does."""
        return why_not(architecture, self.title, self.cells, self.layers)


METHODS: dict[str, Method] = {
    "lrp": Method(
        "LRP",
        lrp,
        "Shares the logit out backwards, layer by layer; gates count as constants.",
        settings={"eps": 1e-3, "bias_factor": 0.0},
    ),
    "gradient_input": Method(
        "Gradient × input", gradient_input, "How the logit would move if the word vector grew: a first-order guess."
    ),
    "integrated_gradients": Method(
        "Integrated gradients",
        integrated_gradients,
        "The gradient gathered on the way from zero word vectors to these; sums to the difference of the logits.",
        settings={"nodes": 50},
    ),
    "occlusion": Method("Occlusion", occlusion, "How much the logit falls when the word's vector is set to zero."),
    "removal": Method("Word removal", removal, "How much the logit falls when the word is taken out."),
    "cd": Method(
        "Contextual decomposition",
        contextual_decomposition,
        "The part of the logit that comes from the word alone, without its meeting with others.",
        cells=("lstm",),
        layers=False,
        settings={"inclusive": True},
    ),
    "lime": Method(
        "LIME",
        lime,
        "The weight of the word in a linear model of the prediction on copies with words left out.",
        settings={"samples": 500, "seed": 0},
        slow=True,
    ),
    "sensitivity": Method(
        "Sensitivity", sensitivity, "How steep the logit is at the word, for or against.", signed=False
    ),
    "random": Method("Random", random_relevance, "A control: numbers without meaning.", settings={"seed": 0}),
}


def find_method(name: str, architecture: Architecture) -> Method:
    """A method by its name.

    Raises:
        SettingError: no such method, or it is not defined for such a model.
    """
    method = METHODS.get(name)
    if method is None:
        raise SettingError(f"The method must be one of {', '.join(METHODS)}; got {name!r}.")
    reason = method.why_not(architecture)
    if reason is not None:
        raise SettingError(reason)
    return method


def attribute_rows(
    model: RNNClassifier,
    offsets: IntArray,
    ids: IntArray,
    rows: IntArray,
    method: str,
    target: IntArray | int | None = None,
    *,
    budget: int = 4096,
    progress: Progress = silent,
    **settings: Any,
) -> WordRelevance:
    """The relevance of many sentences' words, streamed in batches of similar length.

    Args:
        model: the classifier.
        offsets: (n+1,) where each sentence of a ragged corpus begins in ``ids``.
        ids: (N,) word ids.
        rows: (m,) positions of the sentences to explain, each with a word; repeats allowed.
        method: a key of ``METHODS``.
        target: (m,) a class for each, one for all, or ``None`` for the predicted one.
        budget: most padded words a batch.
        progress: told how far it is.
        settings: of the method.

    Returns:
        m sentences in the order of ``rows``.

    Raises:
        SettingError: no such method, or it is not defined for this model.
    """
    wanted = None if target is None else np.broadcast_to(np.asarray(target, dtype=np.int64), len(rows))
    found = find_method(method, model.architecture)
    parts, order = [], []
    for group in by_length(np.diff(offsets)[rows], budget):
        chosen = None if wanted is None else torch.from_numpy(wanted[group])
        parts.append(found.attribute(model, make_batch(offsets, ids, rows[group]), chosen, **settings))
        order.append(group)
        progress("relevance", sum(map(len, order)), len(rows))
    if not parts:
        empty, none = np.zeros(0), np.zeros(0, dtype=np.int64)
        return WordRelevance(np.zeros(1, dtype=np.int64), none, empty, none, none, empty, empty)
    place = np.empty(len(rows), dtype=np.int64)
    place[np.concatenate(order)] = np.arange(len(rows))
    return WordRelevance.join(parts).select(place)
