"""The command that reads a sentence pair: prediction, attention, gates, and what the prediction hangs on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from seer.cli.output import Json, StudyName, print_data, table
from seer.pair_reading import PairReading, read_pairs
from seer.pairs import GATES, LAYERS, SCORES
from seer.study import Study

MOST_ROWS = 12

_INFERENCE = LAYERS.index("inference")
_SHOWN = [GATES.index(gate) for gate in ("input", "forget", "output")]


def pairs(
    study: StudyName,
    premise: Annotated[str, typer.Argument(metavar="PREMISE", help="The first sentence.")],
    hypothesis: Annotated[str, typer.Argument(metavar="HYPOTHESIS", help="The second sentence.")],
    target: Annotated[
        str | None, typer.Option(help="Class whose score is asked about; the predicted one by default.")
    ] = None,
    score: Annotated[str, typer.Option(help=f"Score of the class: {' or '.join(SCORES)}.")] = SCORES[0],
    as_json: Json = False,
) -> None:
    """Read a sentence pair, and say which pairs of words and which gates its prediction hangs on.

    The tables have the strongest; --json has attention, its saliency, gates and theirs whole.
    """
    read = read_pairs(Study.open(study), [(premise, hypothesis)], target=target, score=score)[0]
    print_data(as_json, read.record() if as_json else None, lambda: _tables(read))


def _tables(read: PairReading) -> Iterable[Table | str]:
    shares = ", ".join(f"{name} {share:.3f}" for name, share in read.probabilities.items())
    yield escape(f"Prediction: {read.prediction} ({shares}). Saliency for {read.target}, by its {read.score}.")
    for remark in read.remarks:
        yield escape(remark)
    if read.saliency.size:
        yield table(_cells(read), f"The most salient of {read.saliency.size:,} pairs of words")
    if any(read.words):
        yield table(
            _words(read),
            "Words; gate signal and saliency: norms of i, f, o over both directions of the inference LSTM, summed",
        )


def _cells(read: PairReading) -> list[dict[str, Any]]:
    order = np.argsort(-np.abs(read.saliency), axis=None, kind="stable")[:MOST_ROWS]
    places = zip(*np.unravel_index(order, read.saliency.shape), strict=True)
    return [
        {
            "premise": read.premise_words[i],
            "hypothesis": read.hypothesis_words[j],
            "over hypothesis": float(read.over_hypothesis[i, j]),
            "over premise": float(read.over_premise[i, j]),
            "saliency": float(read.saliency[i, j]),
        }
        for i, j in places
    ]


def _words(read: PairReading) -> list[dict[str, Any]]:
    rows = []
    for side, words in enumerate(read.words):
        signal, saliency = (
            values[_INFERENCE][side][:, _SHOWN].sum((0, 1)) for values in (read.gate_signal, read.gate_saliency)
        )
        rows += [
            {
                "sentence": ("premise", "hypothesis")[side],
                "word": word,
                "known": bool(read.known[side][place]),
                "gate signal": float(signal[place]),
                "gate saliency": float(saliency[place]),
                "word saliency": float(read.word_saliency[side][place]),
            }
            for place, word in enumerate(words)
        ]
    return rows
