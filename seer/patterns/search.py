"""Search in traces: by states in a row, by words in a row, and by how a sentence runs through the states."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from seer.errors import DataError
from seer.traces import START, FloatArray, IntArray, Traces

Mask = npt.NDArray[np.bool_]

DENSE_PLACES = 3
"""Values of a search that are compared at every step; the others only where these are found."""


@dataclass(frozen=True)
class Match:
    """A place in a sentence: the words ``begin`` to ``end`` (not included) of the sentence at a position."""

    sentence: int
    begin: int
    end: int


@dataclass(frozen=True, eq=False)
class Matches:
    """The m places where something was found, in order of sentence and step.

    Attributes:
        sentence: (m,) position of the sentence.
        begin: (m,) the first word of the place, counted within its sentence.
        end: (m,) the word after its last.
    """

    sentence: IntArray
    begin: IntArray
    end: IntArray

    @classmethod
    def at(cls, traces: Traces, steps: IntArray, after: IntArray) -> Matches:
        """From the steps where places begin, (m,), and the steps after their ends, (m,)."""
        sentence = traces.sentence[steps]
        origin = traces.offsets[sentence]
        return cls(sentence, steps - origin, after - origin)

    def __len__(self) -> int:
        return len(self.sentence)

    @property
    def sentences(self) -> IntArray:
        """The sentences with a match, each once, ascending."""
        return np.unique(self.sentence)

    def records(self, top: int | None = None) -> list[Match]:
        """The first ``top`` places, all when None."""
        columns = (column[:top].tolist() for column in (self.sentence, self.begin, self.end))
        return [Match(*place) for place in zip(*columns, strict=True)]


def starts(values: IntArray, traces: Traces, wanted: Sequence[int]) -> IntArray:
    """Steps from which on the values are ``wanted``, all within one sentence, ascending; none for an empty search.

    Args:
        values: (N,) states or words of the steps.
        traces: N steps.
        wanted: values in a row.
    """
    last = traces.steps - len(wanted) + 1
    if not wanted or last <= 0:
        return np.zeros(0, dtype=np.int64)
    values = np.asarray(values)
    found = values[:last] == wanted[0]
    for place, value in enumerate(wanted[1:DENSE_PLACES], start=1):
        found &= values[place : last + place] == value
    at = np.flatnonzero(found)
    for place, value in enumerate(wanted[DENSE_PLACES:], start=DENSE_PLACES):
        at = at[values[at + place] == value]
    inside: IntArray = at[traces.sentence[at] == traces.sentence[at + len(wanted) - 1]]
    return inside


def find_states(traces: Traces, pattern: Sequence[int], collapse: bool = False) -> Matches:
    """Where the trace runs through the states of ``pattern``, one after the other.

    Args:
        traces: n sentences.
        pattern: states in a row.
        collapse: a state that repeats counts as one, in the traces and in the pattern: (5, 7) is found in 5 5 7 7.
    """
    if not collapse:
        steps = starts(traces.state, traces, pattern)
        return Matches.at(traces, steps, steps + len(pattern))
    runs = collapsed(traces)
    wanted = [state for place, state in enumerate(pattern) if not place or state != pattern[place - 1]]
    found = starts(runs.traces.state, runs.traces, wanted)
    return Matches.at(traces, runs.begin[found], runs.begin[found + len(wanted)])


def find_phrase(traces: Traces, words: Sequence[int]) -> Matches:
    """Where the words stand in a row, given by their vocabulary ids."""
    steps = starts(traces.token, traces, words)
    return Matches.at(traces, steps, steps + len(words))


def find_places(
    traces: Traces, pattern: Sequence[int] | None, words: Sequence[int] | None = None, collapse: bool = False
) -> Matches:
    """Where states stand in a row, words stand in a row, or both.

    Args:
        traces: n sentences.
        pattern: states in a row; the places are theirs. Without them the places are those of the words.
        words: vocabulary ids; the last one must be read at the last step of the pattern.
        collapse: a state that repeats counts as one, as in ``find_states``.
    """
    if not pattern:
        return find_phrase(traces, words or ())
    found = find_states(traces, pattern, collapse)
    if not words:
        return found
    first = found.end - len(words)
    inside = np.flatnonzero(first >= 0)
    step = traces.offsets[found.sentence[inside]] + first[inside]
    token, read = np.asarray(traces.token), np.ones(len(inside), dtype=bool)
    for place, word in enumerate(words):
        read &= token[step + place] == word
    kept = inside[read]
    return Matches(found.sentence[kept], found.begin[kept], found.end[kept])


def places_within(sequence: Iterable[Hashable], patterns: Iterable[Iterable[Hashable]]) -> list[list[int]]:
    """Where each pattern begins in one sequence: a list of places for each pattern, empty when it is not there."""
    row, wanted = tuple(sequence), [tuple(pattern) for pattern in patterns]
    found: dict[tuple[Hashable, ...], list[int]] = {}
    for length in {len(pattern) for pattern in wanted} - {0}:
        for place in range(len(row) - length + 1):
            found.setdefault(row[place : place + length], []).append(place)
    return [found.get(pattern, []) for pattern in wanted]


@dataclass(frozen=True, eq=False)
class Runs:
    """Traces with each run of a repeated state as one step: R runs.

    Attributes:
        traces: the runs as traces; their words and predictions are those of the first step of each run.
        begin: (R+1,) step at which each run begins; N at last.
    """

    traces: Traces
    begin: IntArray


def collapsed(traces: Traces) -> Runs:
    """The traces with the repeats of a state collapsed."""
    new = (traces.state != traces.source) | traces.first
    begin = np.flatnonzero(new)
    offsets = np.concatenate([[0], np.cumsum(new)])[traces.offsets]
    token, state, predicted = (field[begin] for field in (traces.token, traces.state, traces.predicted))
    return Runs(Traces(offsets, token, state, predicted, traces.probability[begin]), np.append(begin, traces.steps))


@dataclass(frozen=True)
class Similar:
    """A sentence like another: whether its collapsed trace is the same, and its distance (0 then; else 0 to 1)."""

    sentence: int
    same: bool
    distance: float


class TraceIndex:
    """Finds sentences that run through the states alike.

    First come those with the same collapsed trace. The others follow by the cosine distance between the counts of the
    changes of state in the collapsed traces, the change from the start and the end included: 0 when the same changes
    occur in the same shares, 1 when none is shared. The distance knows which state followed which, not where.

    Args:
        traces: n sentences to search in.
        states: number of states K.
    """

    def __init__(self, traces: Traces, states: int) -> None:
        self.states = states
        self.runs = collapsed(traces).traces

    @cached_property
    def _changes(self) -> sparse.csr_array:
        return _unit_changes(self.runs, self.states)

    def similar(self, query: Traces, top: int = 10, exclude: int | None = None) -> list[Similar]:
        """The sentences most like the query's; ties in their order. A sentence without a token is like no other.

        Args:
            query: traces of one sentence.
            top: how many at most.
            exclude: position of a sentence to leave out, as the query's own.

        Raises:
            DataError: the query is not one sentence, or its states are not the index's.
        """
        if query.sentences != 1 or (query.steps and query.state.max() > self.states):
            raise DataError(
                f"Expected the trace of one sentence through states up to {self.states}; got {query.sentences} "
                f"sentences and states up to {query.state.max(initial=0)}."
            )
        runs = collapsed(query).traces
        if not runs.steps:
            return []
        same = self._same(np.asarray(runs.state))
        alike = (self._changes @ _unit_changes(runs, self.states).toarray().ravel()).clip(0.0, 1.0)
        distance: FloatArray = np.where(same, 0.0, 1.0 - alike)
        wanted = np.flatnonzero(self.runs.lengths > 0)
        wanted = wanted[wanted != exclude] if exclude is not None else wanted
        order = wanted[np.lexsort((wanted, distance[wanted], ~same[wanted]))][:top]
        return [Similar(int(row), bool(same[row]), float(distance[row])) for row in order]

    def _same(self, path: IntArray) -> Mask:
        """(n,) whether a sentence's collapsed trace is ``path``, compared state by state."""
        same: Mask = self.runs.lengths == len(path)
        rows = np.flatnonzero(same)
        steps = self.runs.offsets[rows][:, None] + np.arange(len(path))
        same[rows] = (np.asarray(self.runs.state)[steps] == path).all(axis=1)
        return same


def _unit_changes(runs: Traces, states: int) -> sparse.csr_array:
    """(n, (K+1)²) counts of the changes of state, rows of length 1; the end is a change to ``START``."""
    size = states + 1
    read = np.flatnonzero(runs.lengths > 0)
    last = np.asarray(runs.state)[runs.offsets[1:][read] - 1].astype(np.int64)
    sentence = np.concatenate([runs.sentence, read])
    change = np.concatenate([runs.source.astype(np.int64) * size + runs.state, last * size + START])
    counts = sparse.csr_array((np.ones(len(change)), (sentence, change)), shape=(runs.sentences, size * size))
    norm = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
    counts.data /= np.repeat(norm, np.diff(counts.indptr))
    return counts
