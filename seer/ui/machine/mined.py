"""The text patterns of a study, counted once for each setting and kept; and their tables.

What is kept is found by the study's hash, so that no session gets the patterns of another version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from seer.charts.captions import counted
from seer.charts.names import short_names
from seer.mining import BUGGY_KINDS, buggy_patterns
from seer.patterns.flips import Flips, FlipWord, find_flips
from seer.patterns.influential import Change, InfluentialPattern, InfluentialPatterns, find_influential
from seer.patterns.ranked import BuggyPattern, BuggyPatterns
from seer.patterns.search import TraceIndex
from seer.patterns.windows import PhraseCount, count_by_group
from seer.study import Study
from seer.text import PAD_ID, UNKNOWN_ID
from seer.ui.frame import View
from seer.ui.selection import path_name
from seer.ui.tables import frame_csv

SHOWN = 100
"""Patterns of a kind in a table; the file has all."""

_LETTERS = 24
"""Of a class in a table of patterns."""

_SUCH_AS = 3
"""Phrases in a row of a table."""

PatternKey = tuple[tuple[int, ...], str | None]
"""What a row stands for and the Selection takes: states in a row, and the word read at their end."""

Confusion = tuple[int, int] | None


@st.cache_resource(max_entries=12, show_spinner="Counting what goes with failure…")
def buggy(
    _study: Study, version: str, split: str | None, kind: str, confusion: Confusion, preset: str
) -> tuple[BuggyPatterns, list[BuggyPattern]]:
    """The buggy patterns of a kind, and the first ``SHOWN`` with their phrases."""
    patterns = buggy_patterns(_study, split, kind, confusion, preset)
    records = patterns.records(SHOWN)
    if kind == "states":
        return patterns, records
    # Of a word the phrase is the word itself: what says more is the word before it.
    phrases = word_contexts(patterns, range(len(records)))
    return patterns, [replace(record, phrases=tuple(texts)) for record, texts in zip(records, phrases, strict=True)]


def word_contexts(patterns: BuggyPatterns, ranks: Sequence[int], top: int | None = 10) -> list[list[PhraseCount]]:
    """The word before each pattern's word and the word, those of failed sentences first; ``PAD_ID`` at a beginning."""
    traces, token = patterns.traces, np.asarray(patterns.traces.token)
    places = [patterns.matches(rank) for rank in ranks]
    group = np.repeat(np.arange(len(places)), [len(found) for found in places])
    if not len(group):
        return [[] for _ in places]
    sentence, begin = (np.concatenate([getattr(found, name) for found in places]) for name in ("sentence", "begin"))
    step = traces.offsets[sentence] + begin
    before = np.where(begin > 0, token[np.maximum(step - 1, 0)], PAD_ID)
    return count_by_group(group, len(places), [before, token[step]], patterns.failed_sentences[sentence], top)


class Influence(NamedTuple):
    """What changes the prediction: patterns and flip words, the first ``SHOWN`` as records, how many words in all."""

    patterns: InfluentialPatterns
    records: list[InfluentialPattern]
    flips: Flips
    words: list[FlipWord]
    word_total: int


@st.cache_resource(max_entries=8, show_spinner="Counting what changes the prediction…")
def influence(_study: Study, version: str, split: str | None) -> Influence:
    """The influential patterns and flip words of a split."""
    traces = _study.split_traces(split)
    patterns, flips = find_influential(traces, _study.corpus.labels[_study.rows(split)]), find_flips(traces)
    return Influence(
        patterns, patterns.records(SHOWN), flips, flips.by_word(SHOWN), int(np.count_nonzero(np.bincount(flips.word)))
    )


@st.cache_resource(max_entries=4, show_spinner="Comparing the paths of sentences…")
def trace_index(_study: Study, version: str, split: str | None) -> TraceIndex:
    """The sentences of a split, to be searched for similar ones."""
    return TraceIndex(_study.split_traces(split), _study.states)


def confusion_of(view: View) -> Confusion:
    """The chosen (true, predicted) class as what counts as failure; any error unless both are chosen and differ."""
    wanted = view.filter()
    if wanted.true is None or wanted.predicted is None or wanted.true == wanted.predicted:
        return None
    return wanted.true, wanted.predicted


def buggy_in(
    view: View, kinds: Sequence[str] = BUGGY_KINDS, preset: str = "default"
) -> list[tuple[BuggyPatterns, list[BuggyPattern]]]:
    """The buggy patterns of some kinds in the view's split, for the chosen confusion."""
    study, confusion = view.study, confusion_of(view)
    return [buggy(study, study.hash, view.split, kind, confusion, preset) for kind in kinds]


def pattern_name(key: PatternKey) -> str:
    """``S3 → S7``, ``S13 · “but”`` or ``“but”``."""
    states, word = key
    return " · ".join([*([path_name(states)] if states else []), *([f"“{word}”"] if word is not None else [])])


def phrases_text(view: View, phrases: Iterable[PhraseCount]) -> str:
    """The first phrases with their counts, those with an unknown word last: ``not the ×3, but a ×2``."""
    words = ("(start)", *view.study.words[1:])
    telling = sorted(phrases, key=lambda phrase: UNKNOWN_ID in phrase.words)
    return ", ".join(
        f"{' '.join(words[word] for word in phrase.words)} ×{phrase.occurrences:,}" for phrase in telling[:_SUCH_AS]
    )


def changes_text(changes: Sequence[Change], classes: Sequence[str], most: int = 2) -> str:
    """The commonest changes of class with their counts, and how many there are beside them.

    ``neg → pos ×27, 5 others``; a change that comes back is ``neg → … → neg``.
    """
    parts = []
    for change in changes[:most]:
        between = " → " if change.source != change.target else " → … → "
        parts.append(f"{classes[change.source]}{between}{classes[change.target]} ×{change.occurrences:,}")
    rest = sum(change.occurrences for change in changes[most:])
    return ", ".join([*parts, *([counted(rest, "other")] if rest else [])])


def buggy_frame(view: View, records: Sequence[BuggyPattern]) -> pd.DataFrame:
    """Buggy patterns as a table; ``id`` is the ``PatternKey``."""
    words = view.study.words
    rows = []
    for record in records:
        key = record.states, None if record.word is None else words[record.word]
        rows.append(
            {
                "id": key,
                "pattern": pattern_name(key),
                "wrong": f"{record.failed:,} of {record.failed + record.correct:,}" + " ✕" * record.only_in_failed,
                "rate": 100 * record.rate,
                "lift": record.lift,
                "q": record.q,
                "p": record.p,
                "such as": phrases_text(view, record.phrases),
            }
        )
    columns = ["id", "pattern", "wrong", "rate", "lift", "q", "p", "such as"]
    return pd.DataFrame(rows, columns=columns).astype({"q": float, "p": float})


def merged(found: Sequence[tuple[BuggyPatterns, list[BuggyPattern]]], words: Sequence[str] = ()) -> list[BuggyPattern]:
    """The first patterns of several kinds in one order, by q, lift, support, states, word; of one kind in its own."""
    records = [record for _, part in found for record in part]
    if len(found) > 1:
        records.sort(key=partial(_rank, words))
    return records[:SHOWN]


def _rank(words: Sequence[str], record: BuggyPattern) -> tuple[float, float, int, tuple[int, ...], str]:
    word = "" if record.word is None or not words else words[record.word]
    return record.q or 0.0, -record.lift, -(record.failed + record.correct), record.states, word


def in_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """A table of patterns for a narrow place: what is read there stands behind the pattern's name."""
    texts = [f"{name}: {text}" if text else name for name, text in zip(frame["pattern"], frame["such as"], strict=True)]
    return frame.assign(pattern=pd.Series(texts, index=frame.index, dtype=object)).drop(columns="such as")


def shown_names(view: View) -> list[str]:
    """The classes as a table of patterns has room for them."""
    return short_names(view.study.classes, _LETTERS)


def influential_frame(
    view: View, records: Sequence[InfluentialPattern], names: Sequence[str] | None = None
) -> pd.DataFrame:
    """Influential patterns as a table; ``id`` is the ``PatternKey``, ``names`` are of the classes, cut by default."""
    names = names or shown_names(view)
    return pd.DataFrame(
        [
            {
                "id": (record.states, None),
                "pattern": path_name(record.states),
                "change": changes_text(record.changes, names, most=1),
                "sentences": record.support,
                "times": record.occurrences,
                "such as": phrases_text(view, record.phrases),
            }
            for record in records
        ]
    )


def flips_frame(view: View, records: Sequence[FlipWord], names: Sequence[str] | None = None) -> pd.DataFrame:
    """Flip words as a table; ``id`` is the ``PatternKey``, ``names`` are of the classes, cut by default."""
    words, names = view.study.words, names or shown_names(view)
    return pd.DataFrame(
        [
            {
                "id": ((), words[record.word]),
                "pattern": words[record.word],
                "flips": record.count,
                "change": record.change,
                "changes": changes_text(record.changes, names),
            }
            for record in records
        ]
    )


def buggy_csv(view: View, found: Sequence[tuple[BuggyPatterns, list[BuggyPattern]]]) -> bytes:
    """All buggy patterns as CSV; the phrases of those in the table."""
    words = view.study.words
    frames = []
    for patterns, records in found:
        keys = [patterns.key(rank) for rank in range(len(patterns))]
        phrases = [phrases_text(view, record.phrases) for record in records]
        frame = pd.DataFrame(
            {
                "kind": patterns.kind,
                "states": [" ".join(map(str, states)) for states, _ in keys],
                "word": [None if word is None else words[word] for _, word in keys],
                "failed": patterns.failed,
                "correct": patterns.correct,
                "rate": patterns.rate,
                "lift": patterns.lift,
                "p": patterns.p,
                "q": patterns.q,
                "only_in_failed": patterns.only_in_failed,
                "phrases": phrases + [None] * (len(keys) - len(phrases)),
            }
        )
        frames.append(frame)
    return frame_csv(pd.concat(frames, ignore_index=True))


def influential_csv(view: View, patterns: InfluentialPatterns) -> bytes:
    """All influential patterns as CSV."""
    return frame_csv(influential_frame(view, patterns.records(None), view.study.classes).drop(columns="id"))


def flips_csv(view: View, flips: Flips) -> bytes:
    """All words that changed a prediction as CSV."""
    return frame_csv(flips_frame(view, flips.by_word(None), view.study.classes).drop(columns="id"))


def standing(found: Sequence[tuple[BuggyPatterns, list[BuggyPattern]]], names: Callable[[str], str]) -> str:
    """How many patterns were tested and how many stand out from chance, in a sentence.

    Args:
        found: patterns of one kind or several, each kind a family of tests.
        names: what a kind is called.
    """
    if not sum(patterns.tested for patterns, _ in found):
        return "The list of the paper tests nothing, so it has no q: p is that of a single test."
    tested = ", ".join(f"{patterns.tested:,} {names(patterns.kind)}" for patterns, _ in found)
    sure = sum(int(np.count_nonzero(patterns.q < 0.05)) for patterns, _ in found)
    if not sure:
        return f"{tested} tested; none has q < .05: these rank, they do not prove."
    return f"{tested} tested; {sure:,} {'has' if sure == 1 else 'have'} q < .05. The others rank, they do not prove."
