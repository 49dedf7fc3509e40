"""Rare paths: sentences that take a step which the training sentences never or seldom took.

The model met little like them while it learned, so its states there are a guess; it is where new data differ first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from seer.machine import StateMachine
from seer.rates import number
from seer.study import Study
from seer.traces import FloatArray, IntArray


@dataclass(frozen=True)
class RarePaths:
    """The rarest step of each of m sentences, the rarest first.

    Attributes:
        reference: the sentences whose steps were counted, in words.
        machine: of these sentences.
        row: (m,) positions in the corpus; sentences without a word are left out.
        step: (m,) which word, from 0, the rarest step reads; the first of several.
        source: (m,) state before it.
        target: (m,) state after it.
        probability: (m,) share of the reference's steps out of the source that lead to the target.
        unseen: (m,) steps of the sentence that the reference never took.
    """

    reference: str
    machine: StateMachine
    row: IntArray
    step: IntArray
    source: IntArray
    target: IntArray
    probability: FloatArray
    unseen: IntArray

    def __len__(self) -> int:
        return len(self.row)

    def records(self, study: Study, most: int | None = None) -> list[dict[str, Any]]:
        """One JSON-able record a sentence, the first ``most`` of them."""
        found = []
        for place in range(len(self) if most is None else min(most, len(self))):
            trace = study.sentence(int(self.row[place]))
            source, target, step = int(self.source[place]), int(self.target[place]), int(self.step[place])
            label = int(study.corpus.labels[self.row[place]])
            found.append(
                {
                    "id": str(study.corpus.ids[self.row[place]]),
                    "text": trace.text,
                    "true": None if label < 0 else study.classes[label],
                    "predicted": trace.prediction,
                    "probability": number(self.probability[place]),
                    "source": source,
                    "target": target,
                    "count": int(self.machine.transitions[source, target]),
                    "of": int(self.machine.transitions[source].sum()),
                    "step": step + 1,
                    "word": trace.words[step],
                    "unseen": int(self.unseen[place]),
                }
            )
        return found


def rare_paths(study: Study, split: str | None = None, rows: IntArray | None = None) -> RarePaths:
    """For each sentence its step of the lowest probability in the training sentences' machine, the rarest first.

    Ties go by how many steps were never taken there, then by the order of the corpus. Where no sentence of the study
    was trained on, all sentences that were not added later are counted instead.

    Args:
        study: the study.
        split: name of a split, all sentences without one.
        rows: positions of the sentences instead of a split's.

    Raises:
        DataError: no such split.
    """
    among = study.rows(split) if rows is None else rows
    traces = study.traces.select(among)
    reference, machine = study.reference
    probability = machine.probability[traces.source, traces.state]
    read = np.flatnonzero(traces.lengths)
    begins = traces.offsets[:-1][read]
    if not len(read):
        lowest = np.zeros(0)
        place = unseen = np.zeros(0, dtype=np.int64)
    else:
        lowest = np.minimum.reduceat(probability, begins)
        unseen = np.add.reduceat((probability == 0).astype(np.int64), begins)
        # The first step of each sentence whose probability is the sentence's lowest.
        at_lowest = np.flatnonzero(probability == np.repeat(lowest, traces.lengths[read]))
        place = at_lowest[np.searchsorted(at_lowest, begins)]
    order = np.lexsort((among[read], -unseen, lowest))
    place = place[order]
    return RarePaths(
        reference,
        machine,
        among[read][order],
        place - begins[order],
        np.asarray(traces.source[place], dtype=np.int64),
        np.asarray(traces.state[place], dtype=np.int64),
        lowest[order],
        unseen[order],
    )
