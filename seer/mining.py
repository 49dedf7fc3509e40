"""The text patterns of a study by kind, as records: what the command line, the report and the dashboard show."""

from __future__ import annotations

from collections import Counter
from typing import Any

from seer.errors import SettingError, shown
from seer.patterns.buggy import mine_buggy
from seer.patterns.flips import find_flips
from seer.patterns.influential import find_influential
from seer.patterns.paper import mine_paper
from seer.patterns.ranked import BuggyPatterns
from seer.patterns.words import phrases_by_transition, top_words, transition_phrases
from seer.study import Study

KINDS = ("words", "phrases", "influential", "flips", "buggy")
PRESETS = ("default", "paper")
OFTEN = 3
"""A word read fewer times says nothing about a state or a transition."""

_SPARE = 200  # distinctive words looked through for those that occur often enough

BUGGY_KINDS = ("states", "state_words", "words")


def buggy_patterns(
    study: Study,
    split: str | None,
    kind: str = "states",
    confusion: tuple[int, int] | None = None,
    preset: str = "default",
) -> BuggyPatterns:
    """The patterns that go with failure in a split.

    Args:
        study: the study.
        split: name of a split, all sentences without one.
        kind: one of ``BUGGY_KINDS``; the preset ``paper`` knows states only.
        confusion: (true, predicted) class, any without one.
        preset: ``default``, or ``paper`` for the original's list.

    Raises:
        DataError: no such split.
        SettingError: a setting is out of its range.
    """
    _check_preset(preset)
    traces, labels = study.split_traces(split), study.corpus.labels[study.rows(split)]
    if preset == "paper":
        return mine_paper(traces, labels, confusion=confusion)
    return mine_buggy(traces, labels, kind=kind, confusion=confusion)


def read_confusion(study: Study, text: str | None) -> tuple[int, int] | None:
    """``neg:pos`` → (true, predicted) class.

    Raises:
        SettingError: not two different classes of the study with a colon between them.
    """
    if text is None:
        return None
    for place in (place for place, sign in enumerate(text) if sign == ":"):
        pair = text[:place], text[place + 1 :]
        if all(name in study.classes for name in pair):
            if pair[0] == pair[1]:
                raise SettingError(f"A confusion takes one class for another; got {shown(pair[0])} twice, name two.")
            return study.classes.index(pair[0]), study.classes.index(pair[1])
    raise SettingError(f"Expected a confusion as true:predicted of {', '.join(study.classes)}; got {shown(text)}.")


def pattern_records(
    study: Study,
    kind: str,
    split: str | None,
    *,
    confusion: tuple[int, int] | None = None,
    preset: str = "default",
    top: int = 50,
) -> list[dict[str, Any]]:
    """The first ``top`` patterns of a kind, JSON-able.

    ``words``: state, word, count, score (distinctiveness), the first ``top`` of each state. ``phrases``: source,
    target, before, word, count.
    ``influential``, ``flips``, ``buggy``: the fields of their records; buggy ones of all three kinds by q, then lift.

    Raises:
        DataError: no such split.
        SettingError: no such kind or preset, a confusion or a preset with another kind than buggy, or ``top`` below 1.
    """
    if kind not in KINDS:
        raise SettingError(f"The kind must be one of {', '.join(KINDS)}; got {shown(kind)}.")
    _check_preset(preset)
    if kind != "buggy" and (confusion is not None or preset != PRESETS[0]):
        what = "confusion" if confusion is not None else "preset"
        raise SettingError(f"Only buggy patterns know a {what}; got one with the kind {kind}, leave it out.")
    if top < 1:
        raise SettingError(f"At least one pattern must be asked for; got {top}.")
    if kind == "words":
        return _words(study, split, top)
    if kind == "phrases":
        return _phrases(study, split, top)
    traces, labels = study.split_traces(split), study.corpus.labels[study.rows(split)]
    if kind == "influential":
        return [found.record(study.words, study.classes) for found in find_influential(traces, labels).records(top)]
    if kind == "flips":
        return [found.record(study.words, study.classes) for found in find_flips(traces).by_word(top)]
    kinds = BUGGY_KINDS if preset == "default" else ("states",)
    mined = [buggy_patterns(study, split, one, confusion, preset) for one in kinds]
    records = [found.record(study.words) for patterns in mined for found in patterns.records(top)]
    if preset == "default":
        records.sort(key=lambda r: (r["q"], -r["lift"], -(r["failed"] + r["correct"]), r["states"], r["word"] or ""))
    return records[:top]


def telling_words(study: Study, split: str | None, state: int, top: int = 5) -> list[tuple[int, int]]:
    """The most distinctive words of a state that are read into it ``OFTEN``, by id with counts; any where none is."""
    counts = study.word_counts(split)
    found = top_words(counts, state, by="distinctive", top=top + _SPARE, exclude=study.stop_words)
    return [(word.word, word.count) for word in ([word for word in found if word.count >= OFTEN] or found)[:top]]


def transition_words(
    study: Study, split: str | None, source: int, target: int, top: int = 5
) -> tuple[list[tuple[int, int]], bool]:
    """The words read ``OFTEN`` at a transition, by id with counts, and whether they are more than stop words."""
    times: Counter[int] = Counter()
    for phrase in transition_phrases(study.split_traces(split), source, target, top=None):
        times[phrase.after] += phrase.count
    often = [(word, count) for word, count in times.most_common() if count >= OFTEN]
    telling = [(word, count) for word, count in often if word not in study.stop_words]
    return (telling or often)[:top], bool(telling)


def _check_preset(preset: str) -> None:
    if preset not in PRESETS:
        raise SettingError(f"The preset must be one of {', '.join(PRESETS)}; got {shown(preset)}.")


def _words(study: Study, split: str | None, top: int) -> list[dict[str, Any]]:
    counts = study.word_counts(split)
    return [
        {"state": state, "word": study.words[found.word], "count": found.count, "score": found.score}
        for state in range(1, study.states + 1)
        for found in top_words(counts, state, by="distinctive", top=top, exclude=study.stop_words)
    ]


def _phrases(study: Study, split: str | None, top: int) -> list[dict[str, Any]]:
    found = phrases_by_transition(study.split_traces(split), top=top)
    records: list[dict[str, Any]] = [
        {
            "source": source,
            "target": target,
            "before": None if phrase.before is None else study.words[phrase.before],
            "word": study.words[phrase.after],
            "count": phrase.count,
        }
        for (source, target), phrases in found.items()
        for phrase in phrases
    ]
    return sorted(records, key=lambda r: (-r["count"], r["source"], r["target"], r["before"] or "", r["word"]))[:top]
