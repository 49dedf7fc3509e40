"""Text patterns beside the plain way, in one process: ``python -m tests.benchmarks.patterns``.

First the 6,824 training reviews of the demo study: words and phrases, influential patterns, flips, buggy patterns, each
found by ``seer`` and by plain loops over dictionaries, from the same traces, with the same output, which is asserted.
Then 25,000 long reviews (``imdb``): CPU seconds of every kind, and the peak memory of a process that does nothing else.
"""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import os
import resource
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.stats import false_discovery_control, hypergeom

from seer.corpus import load_corpus
from seer.patterns.buggy import mine_buggy
from seer.patterns.flips import FlipWord, find_flips
from seer.patterns.influential import find_influential
from seer.patterns.paper import mine_paper
from seer.patterns.ranked import KINDS, BuggyPattern
from seer.patterns.search import TraceIndex, find_states
from seer.patterns.words import phrases_by_transition, state_words
from seer.study import Study
from seer.traces import Traces

TURNS = 5
AT_LEAST = 0.2
TOP, PHRASES = 50, 10
MINIMUM, LONGEST = 5, 10


def plain_rows(traces: Traces, *fields: str) -> list[tuple[list, ...]]:
    """What plain loops read: the fields of each sentence as lists."""
    columns = [getattr(traces, field).tolist() for field in fields]
    bounds = traces.offsets.tolist()
    return [tuple(column[begin:end] for column in columns) for begin, end in itertools.pairwise(bounds)]


def plain_words(traces: Traces, vocabulary: int, states: int) -> tuple[dict, dict]:
    """Counts of words by state, and of word pairs by transition, the ten most frequent of each."""
    words: dict[int, Counter] = defaultdict(Counter)
    phrases: dict[tuple[int, int], Counter] = defaultdict(Counter)
    for row in plain_rows(traces, "state", "token"):
        before, previous = 0, None
        for state, word in zip(*row, strict=True):
            words[state][word] += 1
            if state != before:
                phrases[before, state][previous, word] += 1
            before, previous = state, word
    return dict(words), {
        pair: sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:PHRASES]
        for pair, counts in sorted(phrases.items())
    }


def fast_words(traces: Traces, vocabulary: int, states: int) -> tuple[Any, dict]:
    """The same as arrays and records."""
    return state_words(traces, vocabulary, states), phrases_by_transition(traces, PHRASES)


def plain_influential(traces: Traces, labels: np.ndarray) -> tuple[list, dict]:
    """Windows of three disagreeing predictions by their states, the first fifty with phrases."""
    sentences: dict[tuple, set] = defaultdict(set)
    changes: dict[tuple, Counter] = defaultdict(Counter)
    phrases: dict[tuple, Counter] = defaultdict(Counter)
    rows = plain_rows(traces, "state", "token", "predicted")
    for place, ((state, token, predicted), label) in enumerate(zip(rows, labels.tolist(), strict=True)):
        if not state or predicted[-1] != label:
            continue
        for t in range(len(state) - 2):
            if not predicted[t] == predicted[t + 1] == predicted[t + 2]:
                key = (state[t], state[t + 1], state[t + 2])
                sentences[key].add(place)
                changes[key][predicted[t], predicted[t + 2]] += 1
                phrases[key][token[t], token[t + 1], token[t + 2]] += 1
    figures = [(-len(held), -changes[key].total(), key) for key, held in sentences.items()]
    ranked = [(key, -support, -occurrences) for support, occurrences, key in sorted(figures)]
    shown = {
        key: sorted(phrases[key].items(), key=lambda item: (-item[1], item[0]))[:PHRASES] for key, _, _ in ranked[:TOP]
    }
    return ranked, {key: (sorted(changes[key].items(), key=lambda i: (-i[1], i[0])), shown[key]) for key in shown}


def fast_influential(traces: Traces, labels: np.ndarray) -> tuple[Any, list]:
    """The same as arrays and records."""
    patterns = find_influential(traces, labels)
    return patterns, patterns.records(TOP, PHRASES)


def plain_flips(traces: Traces) -> list[tuple]:
    """Words that changed the predicted class, the fifty most frequent."""
    gains: dict[int, list[float]] = defaultdict(list)
    changes: dict[int, Counter] = defaultdict(Counter)
    for token, predicted, probability in plain_rows(traces, "token", "predicted", "probability"):
        for t in range(1, len(token)):
            before, after = predicted[t - 1], predicted[t]
            if before != after:
                gains[token[t]].append(probability[t][after] - probability[t - 1][after])
                changes[token[t]][before, after] += 1
    ranked = sorted((-len(found), -sum(found) / len(found), word) for word, found in gains.items())[:TOP]
    return [
        (word, -count, -mean, sorted(changes[word].items(), key=lambda item: (-item[1], item[0])))
        for count, mean, word in ranked
    ]


def fast_flips(traces: Traces) -> list[FlipWord]:
    """The same as records."""
    return find_flips(traces).by_word(TOP)


def plain_buggy(traces: Traces, labels: np.ndarray) -> list[tuple]:
    """Closed state sequences with p and q, ranked, the first fifty with phrases."""
    holding: dict[tuple, set] = defaultdict(set)
    failed, total = set(), 0
    rows = [tuple(map(tuple, row)) for row in plain_rows(traces, "state", "token", "predicted")]
    for place, ((state, _, predicted), label) in enumerate(zip(rows, labels.tolist(), strict=True)):
        if not state:
            continue
        total += 1
        if predicted[-1] != label:
            failed.add(place)
        for length in range(1, LONGEST + 1):
            for t in range(len(state) - length + 1):
                holding[state[t : t + length]].add(place)
    frequent = {key: held for key, held in holding.items() if len(held) >= MINIMUM}
    same = {part for key, held in frequent.items() for part in (key[1:], key[:-1]) if frequent.get(part) == held}
    closed = [key for key in frequent if key not in same]
    support = np.array([len(frequent[key]) for key in closed])
    n_f = np.array([len(frequent[key] & failed) for key in closed])
    p = hypergeom.sf(n_f - 1, total, len(failed), support)
    q = false_discovery_control(np.clip(p, 0, 1))
    # Twelve digits: p differs in the last ones by how it is summed, and the ranks must not.
    figures = zip((float(f"{x:.12g}") for x in q), -n_f / support, -support, closed, n_f.tolist(), p, strict=True)
    shown = [figure for figure in sorted(figures) if figure[4]][:TOP]
    phrases: dict[tuple, list] = {figure[3]: [Counter(), Counter()] for figure in shown}
    lengths = {len(key) for key in phrases}
    for place, (state, token, _) in enumerate(rows):
        for length in lengths:
            for t in range(len(state) - length + 1):
                if state[t : t + length] in phrases:
                    counts = phrases[state[t : t + length]]
                    counts[0][token[t : t + length]] += 1
                    counts[1][token[t : t + length]] += place in failed
    return [
        (key, n_f, -support - n_f, p, q, sorted((-phrases[key][1][words], -count, words)
         for words, count in phrases[key][0].items())[:PHRASES])
        for q, _, support, key, n_f, p in shown
    ]  # fmt: skip


def fast_buggy(traces: Traces, labels: np.ndarray) -> list[BuggyPattern]:
    """The same as records."""
    return mine_buggy(traces, labels, minimum_support=MINIMUM, lengths=(1, LONGEST)).records(TOP, PHRASES)


def same_words(fast: tuple[Any, dict], plain: tuple[dict, dict]) -> None:
    """Assert that both found the same."""
    counts, phrases = fast
    rows, columns = counts.nonzero()
    found: dict[int, dict] = defaultdict(dict)
    for state, word, count in zip(rows.tolist(), columns.tolist(), counts[rows, columns].tolist(), strict=True):
        found[state][word] = count
    assert found == plain[0]
    assert {
        pair: [((phrase.before, phrase.after), phrase.count) for phrase in listed] for pair, listed in phrases.items()
    } == plain[1]


def same_influential(fast: tuple[Any, list], plain: tuple[list, dict]) -> None:
    """Assert that both found the same."""
    patterns, records = fast
    keys = map(tuple, patterns.states.tolist())
    assert list(zip(keys, patterns.support.tolist(), patterns.occurrences.tolist(), strict=True)) == plain[0]
    assert {
        record.states: (
            [((change.source, change.target), change.occurrences) for change in record.changes],
            [(phrase.words, phrase.occurrences) for phrase in record.phrases],
        )
        for record in records
    } == plain[1]


def same_flips(fast: list[FlipWord], plain: list[tuple]) -> None:
    """Assert that both found the same."""
    assert len(fast) == len(plain) > 0
    for word, (token, count, mean, changes) in zip(fast, plain, strict=True):
        assert (word.word, word.count) == (token, count)
        np.testing.assert_allclose(word.change, mean, rtol=1e-9)
        assert [((change.source, change.target), change.occurrences) for change in word.changes] == changes


def same_buggy(fast: list[BuggyPattern], plain: list[tuple]) -> None:
    """Assert that both found the same."""
    assert len(fast) == len(plain) > 0
    for record, (key, failed, correct, p, q, phrases) in zip(fast, plain, strict=True):
        assert (record.states, record.failed, record.correct) == (key, failed, correct)
        np.testing.assert_allclose([record.p, record.q], [p, q], rtol=1e-9)
        assert [(-phrase.failed, -phrase.occurrences, phrase.words) for phrase in record.phrases] == phrases


def cpu(way: Callable[[], Any], at_least: float = 0.0) -> tuple[float, Any]:
    """CPU seconds of a call, the mean of as many as take ``at_least`` seconds, and what it returns.

    The garbage collector rests, as in ``timeit``: what it costs depends on all else that the process holds.
    """
    gc.collect()
    gc.disable()
    calls, begin = 0, time.process_time()
    while not calls or time.process_time() - begin < at_least:
        result = way()
        calls += 1
    spent = time.process_time() - begin
    gc.enable()
    return spent / calls, result


def uncached(traces: Traces) -> Traces:
    """The same traces, as if just read."""
    return Traces(*(getattr(traces, field.name) for field in fields(traces)))


def compare(study: Study) -> None:
    """The training reviews, both ways in turn."""
    rows = study.rows("train")
    traces, labels = study.traces.select(rows), study.corpus.labels[rows]
    print(f"{traces.sentences:,} sentences, {traces.steps:,} words; CPU ms a call, median of {TURNS} turns")
    size = (study.tokenizer.size, study.states)
    for name, fast, plain, given, same in (
        ("words", fast_words, plain_words, size, same_words),
        ("influential", fast_influential, plain_influential, (labels,), same_influential),
        ("flips", fast_flips, plain_flips, (), same_flips),
        ("buggy", fast_buggy, plain_buggy, (labels,), same_buggy),
    ):
        times: dict[Callable, list[float]] = {fast: [], plain: []}
        found = {}
        for _ in range(TURNS):
            for way, spent in times.items():
                seconds, found[way] = cpu(lambda way=way, given=given: way(uncached(traces), *given), AT_LEAST)
                spent.append(seconds)
        same(found[fast], found[plain])
        one, other = (1000 * float(np.median(spent)) for spent in times.values())
        print(f"{name:>12}: {one:7.1f}  plain {other:8.1f}  {other / one:6.1f} times less, same output", flush=True)


def peak_memory() -> float:
    """Peak memory of this process in GB; where Linux tells, without what the parent had before."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text(encoding="ascii").splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def everything(folder: Path) -> None:
    """All patterns of the stored traces, with the seconds of each and the peak memory of this process."""
    traces, labels = Traces.load(folder), np.load(folder / "labels.npy")
    base = peak_memory()
    states, vocabulary = int(traces.state.max()), int(traces.token.max()) + 1
    jobs: dict[str, Callable[[], Any]] = {
        "state words": lambda: state_words(traces, vocabulary, states),
        "phrases": lambda: phrases_by_transition(traces, PHRASES),
        "influential": lambda: find_influential(traces, labels).records(TOP, PHRASES),
        "flips": lambda: find_flips(traces).by_word(TOP),
        "buggy paper": lambda: mine_paper(traces, labels).records(TOP, PHRASES),
    }
    for kind in KINDS:
        jobs[f"buggy {kind}"] = lambda kind=kind: mine_buggy(traces, labels, kind=kind).records(TOP, PHRASES)
    total = 0.0
    for name, job in jobs.items():
        seconds, result = cpu(job)
        total += seconds
        peak = peak_memory()
        shown = result.nnz if hasattr(result, "nnz") else len(result)
        print(f"{name:>18}: {seconds:6.2f} CPU s, peak so far {peak:.2f} GB, {shown:,} shown", flush=True)
    print(f"{'all patterns':>18}: {total:6.2f} CPU s, peak {peak:.2f} GB ({base:.2f} GB before)")
    seconds, _ = cpu(lambda: find_states(traces, (1, 2, 1), collapse=True))
    begin = time.process_time()
    index = TraceIndex(traces, states)
    index.similar(traces.select(np.array([0])))
    first = time.process_time() - begin
    again, _ = cpu(lambda: index.similar(traces.select(np.array([1]))))
    print(f"search collapsed {seconds:.2f}, similar {first:.2f} the first time, then {again:.3f} CPU s")


def long_reviews(study: Study) -> None:
    """Trace the long reviews here, then find all patterns in a process of its own."""
    corpus = load_corpus("imdb")
    rows = np.arange(min(len(corpus), 25_000))
    traces = study.read(corpus.texts(rows))
    print(f"\n{traces.sentences:,} sentences, {traces.steps:,} words", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        traces.save(Path(folder))
        np.save(Path(folder) / "labels.npy", corpus.labels[rows], allow_pickle=False)
        process = multiprocessing.get_context("spawn").Process(target=everything, args=(Path(folder),))
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(process.exitcode)


def main() -> None:
    """Run both parts."""
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    study = Study.open("demo")
    compare(study)
    long_reviews(study)


if __name__ == "__main__":
    main()
