"""Which words of one sentence decided, by one relevance method or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from seer.corpus.labels import class_number as class_number
from seer.errors import DataError, SettingError, shown
from seer.models.batches import make_batch
from seer.relevance.methods import METHODS, checked_settings, find_method
from seer.relevance.record import is_whole
from seer.study import Study
from seer.text import UNKNOWN_ID
from seer.traces import FloatArray, IntArray


@dataclass(frozen=True)
class Explanation:
    """The relevance of the T words of one sentence for one class, by one method.

    Attributes:
        text: as it was given.
        span: (T, 2) where each word stands in ``text``.
        known: (T,) whether the word is in the vocabulary.
        relevance: (T,) for the target (positive) or against it (negative), on the scale of the logit.
        method: a key of ``seer.relevance.methods.METHODS``.
        target: the class that is explained.
        prediction: the class that the model predicts.
        logit: the target's logit.
        rest: what the method gives to no word by its own definition.
        settings: of the method, all of them; what it chose by itself is told as it was chosen.
    """

    text: str
    span: IntArray
    known: npt.NDArray[np.bool_]
    relevance: FloatArray
    method: str
    target: str
    prediction: str
    logit: float
    rest: float
    settings: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.span)

    @property
    def title(self) -> str:
        """What a person calls the method."""
        return METHODS[self.method].title

    @property
    def words(self) -> tuple[str, ...]:
        """(T,) the words as written."""
        return tuple(self.text[begin:end] for begin, end in self.span)

    @property
    def gap(self) -> float:
        """Logit − Σ relevance − rest: 0 where the method shares the logit out among the words without loss."""
        return self.logit - float(self.relevance.sum(dtype=np.float64)) - self.rest

    def record(self) -> dict[str, Any]:
        """JSON-able: text, method, target, prediction, logit, gap, rest, settings, and a record for each word."""
        return {
            "text": self.text,
            "method": self.method,
            "target": self.target,
            "prediction": self.prediction,
            "logit": self.logit,
            "gap": self.gap,
            "rest": self.rest,
            "settings": self.settings,
            "tokens": [
                {
                    "text": word,
                    "start": int(begin),
                    "end": int(end),
                    "relevance": float(relevance),
                    "known": bool(known),
                }
                for word, (begin, end), relevance, known in zip(
                    self.words, self.span, self.relevance, self.known, strict=True
                )
            ],
        }


def explain(
    study: Study, text_or_row: str | int, method: str = "lrp", target: str | int | None = None, **settings: Any
) -> Explanation:
    """Say how much each word of a sentence speaks for a class.

    Args:
        study: whose model read it.
        text_or_row: any text, or the position of a row of the study's corpus.
        method: a key of ``seer.relevance.methods.METHODS``.
        target: a class by its name or its number; the predicted one by default.
        settings: of the method, its defaults where not given; see ``Method.settings``.

    Raises:
        DataError: the text has no word, or it is neither a text nor a row of the corpus.
        ModelError: the study is one of sentence pairs, or holds no model.
        SettingError: no such method, class or setting, or the method is not defined for the study's model.
    """
    model = study.sentence_model
    found = find_method(method, model.architecture)
    checked_settings(method, settings)
    wanted = None if target is None else class_number(study.classes, target)
    text = text_or_row if isinstance(text_or_row, str) else _text_of(study, text_or_row)
    offsets, ids = study.tokenizer.encode([text])
    if not len(ids):
        raise DataError("The text has no word to read, so nothing can be explained; write at least one word.")
    used = found.settings | settings
    relevance = found.attribute(model, make_batch(offsets, ids, np.array([0])), wanted, **used)
    return Explanation(
        text=text,
        span=study.tokenizer.spans(text),
        known=ids != UNKNOWN_ID,
        relevance=relevance.of(0),
        method=method,
        target=study.classes[relevance.target[0]],
        prediction=study.classes[relevance.prediction[0]],
        logit=float(relevance.logit[0]),
        rest=float(relevance.rest[0]),
        settings=used | {name: values[0].item() for name, values in relevance.chosen.items()},
    )


def explain_many(
    study: Study,
    text_or_row: str | int,
    methods: Sequence[str] | None = None,
    target: str | int | None = None,
    **settings: Any,
) -> tuple[Explanation, ...]:
    """One sentence by several methods, in the order given, each once.

    Args:
        study: whose model read it.
        text_or_row: any text, or the position of a row of the study's corpus.
        methods: keys of ``METHODS``; all that the study's model allows by default.
        target: a class by its name or its number; the predicted one by default.
        settings: each goes to the methods that have one of that name.

    Raises:
        DataError: the text has no word, or there is no such row.
        ModelError: the study is one of sentence pairs, or holds no model.
        SettingError: no such method or class, a setting that none of the methods has, or a method that is not
            defined for the study's model.
    """
    architecture = study.sentence_model.architecture
    chosen = methods_for(study) if methods is None else tuple(dict.fromkeys(methods))
    settings_of = {name: find_method(name, architecture).settings for name in chosen}
    unused = sorted(name for name in settings if not any(name in owned for owned in settings_of.values()))
    if unused:
        titles = ", ".join(METHODS[name].title for name in chosen)
        raise SettingError(
            f"The setting {', '.join(unused)} belongs to none of the methods asked for ({titles}); leave it out, or "
            "ask for a method that has it."
        )
    return tuple(
        explain(study, text_or_row, name, target, **{key: settings[key] for key in settings if key in owned})
        for name, owned in settings_of.items()
    )


def methods_for(study: Study) -> tuple[str, ...]:
    """Keys of the methods that are defined for the study's model, in the order of ``METHODS``.

    None for pairs, and where the study holds no model.
    """
    if study.paired or not study.has_model:
        return ()
    architecture = study.sentence_model.architecture
    return tuple(name for name, method in METHODS.items() if method.why_not(architecture) is None)


def _text_of(study: Study, row: int) -> str:
    if not is_whole(row) or not 0 <= row < len(study.corpus):
        raise DataError(f"Expected a text, or a row from 0 to {len(study.corpus) - 1}, got {shown(row)}.")
    return study.corpus.text(int(row))
