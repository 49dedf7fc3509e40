"""Sentence vectors: do word vectors weighted by relevance tell the classes apart better than the plain ones?

For the command line and the page::

    sentence_vectors(study, *, methods=("lrp", "gradient_input"), split=None, most=1000, neighbours=5, seed=0,
                     settings=None, progress=silent) -> SentenceVectors

Source: Arras et al., "What is relevant in a text document?" (PLoS ONE 2017), document summary vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from seer.errors import DataError, SettingError
from seer.evaluation.seeds import checked_seed
from seer.picks import sampled
from seer.progress import Progress, part_of, silent
from seer.rates import number
from seer.relevance.methods import METHODS, attribute_rows, find_method, settings_by_method
from seer.study import Study
from seer.traces import NO_CLASS, FloatArray, IntArray

LEAST = 3
"""Fewer sentences have no map."""


@dataclass(frozen=True)
class VectorMap:
    """One kind of sentence vector.

    Attributes:
        kind: ``"sum"`` or ``"mean"`` of the word vectors, or the key of a relevance method.
        title: what a person calls it.
        places: (n, 2) the vectors on their first two principal components.
        explained: (2,) share of the variance along each.
        label_agreement: share of a sentence's nearest neighbours that have its label, the mean over sentences.
        prediction_agreement: the same for the predicted class.
    """

    kind: str
    title: str
    places: FloatArray
    explained: FloatArray
    label_agreement: float
    prediction_agreement: float

    def record(self) -> dict[str, Any]:
        """JSON-able fields."""
        return {
            "kind": self.kind,
            "title": self.title,
            "label_agreement": number(self.label_agreement),
            "prediction_agreement": number(self.prediction_agreement),
            "explained": self.explained.tolist(),
            "places": self.places.tolist(),
        }


@dataclass(frozen=True)
class SentenceVectors:
    """n labelled sentences as vectors, several kinds.

    Attributes:
        split: where the sentences come from.
        classes: class names.
        rows: (n,) positions in the corpus.
        ids: (n,) their row ids.
        label: (n,) class of each.
        prediction: (n,) predicted class of each.
        neighbours: how many nearest neighbours were asked.
        seed: of the sample.
        label_chance: agreement of neighbours drawn at random, for labels.
        prediction_chance: the same for predictions.
        maps: sum, mean, then the methods as asked.
        settings: those given, by method.
        strain: of each method the largest |relevance| of a word, and |logit| of its sentence.
    """

    split: str
    classes: tuple[str, ...]
    rows: IntArray
    ids: tuple[str, ...]
    label: IntArray
    prediction: IntArray
    neighbours: int
    seed: int
    label_chance: float
    prediction_chance: float
    maps: tuple[VectorMap, ...]
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    strain: dict[str, tuple[float, float]] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """JSON-able fields."""
        return {
            "split": self.split,
            "classes": list(self.classes),
            "sentences": len(self.rows),
            "neighbours": self.neighbours,
            "seed": self.seed,
            "settings": self.settings,
            "label_chance": number(self.label_chance),
            "prediction_chance": number(self.prediction_chance),
            "ids": list(self.ids),
            "label": self.label.tolist(),
            "prediction": self.prediction.tolist(),
            "maps": [kind.record() for kind in self.maps],
        }


def sentence_vectors(
    study: Study,
    *,
    methods: Sequence[str] = ("lrp", "gradient_input"),
    split: str | None = None,
    most: int = 1000,
    neighbours: int = 5,
    seed: int = 0,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Progress = silent,
) -> SentenceVectors:
    """Add up the word vectors of each sentence, plainly and weighted by relevance for the predicted class.

    The true class is asked of no sentence while its vector is made, so the agreement with labels is an honest one.
    Distances are Euclidean, between vectors as they are.

    Args:
        study: a classifier of sentences.
        methods: keys of ``seer.relevance.methods.METHODS``.
        split: which labelled sentences; by default the one to look at first: test, else validation.
        most: at most this many of them, a seeded sample.
        neighbours: how many nearest neighbours of a sentence are asked for their class; all others when there are
            fewer.
        seed: of the sample.
        settings: of the methods, by key: ``{"lrp": {"eps": 0.1}}``.
        progress: told how far it is.

    Raises:
        SettingError: no such method or setting, or the method is not defined for the model; ``most``, ``neighbours``
            or the seed is out of range.
        DataError: no such split, or fewer than three labelled sentences in it.
        ModelError: the study is one of sentence pairs.
    """
    model, traces = study.classifier, study.traces
    kinds = list(dict.fromkeys(methods))
    for kind in kinds:
        find_method(kind, model.architecture)
    given, seed = settings_by_method(settings, kinds), checked_seed(seed)
    if most < LEAST or neighbours < 1:
        raise SettingError(
            f"Sentence vectors need {LEAST} sentences or more and one neighbour or more; got most = {most}, "
            f"neighbours = {neighbours}."
        )
    split = study.usual_split if split is None else split
    rows = _labelled_rows(study, split, most, seed)
    neighbours = min(neighbours, len(rows) - 1)
    chosen = traces.select(rows)
    label, prediction = study.corpus.labels[rows].astype(np.int64), chosen.prediction.astype(np.int64)
    even = np.ones(chosen.steps)
    weights: dict[str, FloatArray] = {"sum": even, "mean": even / np.repeat(chosen.lengths, chosen.lengths)}
    strain = {}
    for place, kind in enumerate(kinds):
        told, own = part_of(progress, place, len(kinds)), given.get(kind, {})
        relevance = attribute_rows(model, traces.offsets, traces.token, rows, kind, progress=told, **own)
        weights[kind], strain[kind] = relevance.relevance, relevance.strain
    titles = {"sum": "Sum of the word vectors", "mean": "Mean of the word vectors"}
    words = model.embedding.weight.detach().double().numpy()
    maps = []
    for kind, weight in weights.items():
        vectors = weighted_sums(chosen.offsets, chosen.token, weight, words)
        places, explained = _map(vectors, seed)
        agreement = neighbour_agreement(vectors, np.stack([label, prediction]), neighbours).tolist()
        maps.append(VectorMap(kind, titles.get(kind) or METHODS[kind].title, places, explained, *agreement))
    return SentenceVectors(
        split,
        study.classes,
        rows,
        tuple(study.corpus.ids[rows].tolist()),
        label,
        prediction,
        neighbours,
        seed,
        chance_agreement(label),
        chance_agreement(prediction),
        tuple(maps),
        given,
        strain,
    )


def weighted_sums(offsets: IntArray, token: IntArray, weight: FloatArray, words: FloatArray) -> FloatArray:
    """(n, E) the sum of each sentence's word vectors, each times its weight.

    Args:
        offsets: (n+1,) where each sentence begins.
        token: (N,) word ids.
        weight: (N,) of each word.
        words: (V, E) word vectors.
    """
    shape = (len(offsets) - 1, len(words))
    parts = (np.asarray(weight, dtype=np.float64), np.asarray(token), offsets)
    vectors: FloatArray = sparse.csr_array(parts, shape=shape) @ words
    return vectors


def neighbour_agreement(vectors: FloatArray, classes: IntArray, neighbours: int) -> FloatArray:
    """(…) share of each vector's nearest others that are of its class, the mean over vectors.

    Args:
        vectors: (n, E).
        classes: (…, n) class of each vector, by one count or several.
        neighbours: how many others, below n.
    """
    nearest = NearestNeighbors(n_neighbors=neighbours, algorithm="brute").fit(vectors).kneighbors(return_distance=False)
    agreement: FloatArray = (classes[..., nearest] == classes[..., None]).mean(axis=(-2, -1))
    return agreement


def chance_agreement(classes: IntArray) -> float:
    """What ``neighbour_agreement`` would be on average if the n neighbours were drawn at random."""
    counts = np.bincount(classes)
    return float((counts * (counts - 1)).sum() / (len(classes) * (len(classes) - 1)))


def _labelled_rows(study: Study, split: str, most: int, seed: int) -> IntArray:
    rows = study.rows(split)
    rows = rows[(study.corpus.labels[rows] != NO_CLASS) & (study.traces.lengths[rows] > 0)]
    if len(rows) < LEAST:
        raise DataError(
            f"Sentence vectors need {LEAST} labelled sentences or more; the {split} split has {len(rows)}. Choose "
            "another split."
        )
    return sampled(rows, most, seed)


def _map(vectors: FloatArray, seed: int) -> tuple[FloatArray, FloatArray]:
    """(n, 2) places on the first two principal components, and (2,) the share of variance along each; 0 where none is.

    The sign of a component is fixed: its largest loading is positive.
    """
    components = min(2, vectors.shape[1])
    spread = float(((vectors - vectors.mean(axis=0)) ** 2).sum())
    if spread == 0:
        return np.zeros((len(vectors), 2)), np.zeros(2)
    pca = PCA(components, svd_solver="full", random_state=seed).fit(vectors)
    largest = np.abs(pca.components_).argmax(axis=1)
    places = pca.transform(vectors) * np.sign(pca.components_[np.arange(components), largest])
    missing = 2 - components
    return np.pad(places, ((0, 0), (0, missing))), np.pad(pca.explained_variance_ratio_, (0, missing))
