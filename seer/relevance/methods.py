"""The relevance methods by name, and what each is defined for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from seer.errors import SettingError
from seer.models import AnyArchitecture
from seer.models.batches import by_length, make_batch
from seer.models.classifier import CELLS, Architecture, RNNClassifier
from seer.models.readout import READ_OUTS
from seer.models.recorded import OwnModule
from seer.progress import Progress, silent
from seer.relevance.decomposition import DEFINED, contextual_decomposition
from seer.relevance.gradients import gradient_input, integrated_gradients, sensitivity
from seer.relevance.lime import lime
from seer.relevance.lrp import lrp
from seer.relevance.occlusion import occlusion, removal
from seer.relevance.random import random_relevance
from seer.relevance.record import WordRelevance, class_numbers, require_words, why_not
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
        read_outs: for which of ``READ_OUTS`` it is defined.
        linear: whether it is defined for a linear head alone.
        signed: whether it tells words for the class from words against it.
        settings: names of its settings and their defaults.
        slow: it runs the model hundreds of times for a sentence.
        inside: it needs the word vectors and layers of the net, not its predictions alone.
        adds_up: it promises that the words and the rest give the logit, but for what its settings lose: its gap tells
            something.
    """

    title: str
    attribute: Attribute
    reading: str
    cells: tuple[str, ...] = tuple(CELLS)
    layers: bool = True
    read_outs: tuple[str, ...] = tuple(READ_OUTS)
    linear: bool = False
    signed: bool = True
    settings: dict[str, Any] = field(default_factory=dict)
    slow: bool = False
    inside: bool = True
    adds_up: bool = False

    def why_not(self, architecture: AnyArchitecture) -> str | None:
        """Why it does not apply to a model of single sentences, in a sentence; ``None`` when it does."""
        if not isinstance(architecture, Architecture):
            return f"{self.title} needs the word vectors and layers of a net that seer knows." if self.inside else None
        return why_not(architecture, self.title, self.cells, self.layers, self.read_outs, self.linear)


METHODS: dict[str, Method] = {
    "lrp": Method(
        "LRP",
        lrp,
        "Shares the logit out backwards, layer by layer; gates count as constants.",
        settings={"eps": 1e-3, "bias_factor": 0.0},
        adds_up=True,
    ),
    "gradient_input": Method(
        "Gradient × input", gradient_input, "How the logit would move if the word vector grew: a first-order guess."
    ),
    "integrated_gradients": Method(
        "Integrated gradients",
        integrated_gradients,
        "The gradient gathered on the way from zero word vectors to these; sums to the difference of the logits.",
        settings={"nodes": None},
        adds_up=True,
    ),
    "occlusion": Method("Occlusion", occlusion, "How much the logit falls when the word's vector is set to zero."),
    "removal": Method("Word removal", removal, "How much the logit falls when the word is taken out.", inside=False),
    "cd": Method(
        "Contextual decomposition",
        contextual_decomposition,
        "The part of the logit that comes from the word alone, without its meeting with others.",
        **DEFINED,
        settings={"inclusive": True},
        adds_up=True,
    ),
    "lime": Method(
        "LIME",
        lime,
        "The weight of the word in a linear model of the prediction on copies with words left out.",
        settings={"samples": 500, "seed": 0},
        slow=True,
        inside=False,
    ),
    "sensitivity": Method(
        "Sensitivity", sensitivity, "How steep the logit is at the word, for or against.", signed=False
    ),
    "random": Method(
        "Random", random_relevance, "A control: numbers without meaning.", settings={"seed": 0}, inside=False
    ),
}


def find_method(name: str, architecture: AnyArchitecture) -> Method:
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


def checked_settings(method: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings given to a method, which is one of ``METHODS``.

    Raises:
        SettingError: it has no setting of such a name.
    """
    found = METHODS[method]
    unknown = sorted(set(settings) - set(found.settings))
    if unknown:
        has = f"the settings {', '.join(found.settings)}" if found.settings else "no settings"
        raise SettingError(f"{found.title} has {has}; got {', '.join(unknown)}.")
    return dict(settings)


def settings_by_method(
    settings: Mapping[str, Mapping[str, Any]] | None, methods: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """The settings given to several methods, by the method's key.

    Raises:
        SettingError: settings of a method that is not asked for, or that has none of such a name.
    """
    given = dict(settings or {})
    stray = [name for name in given if name not in methods]
    if stray:
        raise SettingError(
            f"Settings were given for {', '.join(stray)}; the methods asked for are {', '.join(methods)}. Leave them "
            "out, or ask for the method too."
        )
    return {name: checked_settings(name, values) for name, values in given.items() if values}


def attribute_rows(
    model: RNNClassifier | OwnModule,
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
        SettingError: no such method or setting, it is not defined for this model, a sentence without a word, or
            targets that are not whole numbers, one for all or one for each.
    """
    found, rows = find_method(method, model.architecture), np.asarray(rows, dtype=np.int64)
    checked_settings(method, settings)
    wanted = None if target is None else _targets(target, len(rows))
    require_words(np.diff(offsets)[rows])
    parts, order = [], []
    for group in by_length(np.diff(offsets)[rows], budget):
        chosen = None if wanted is None else torch.from_numpy(wanted[group])
        parts.append(found.attribute(model, make_batch(offsets, ids, rows[group]), chosen, **settings))
        order.append(group)
        progress("relevance", sum(map(len, order)), len(rows))
    if not parts:
        return WordRelevance.nothing()
    place = np.empty(len(rows), dtype=np.int64)
    place[np.concatenate(order)] = np.arange(len(rows))
    return WordRelevance.join(parts).select(place)


def _targets(target: Any, count: int) -> IntArray:
    chosen = class_numbers(target)
    if chosen.shape not in ((), (count,)):
        raise SettingError(f"Expected one target class for each of {count} sentences, got shape {chosen.shape}.")
    return np.array(np.broadcast_to(chosen, count))
