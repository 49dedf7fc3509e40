"""Buggy patterns equal a slow reference in every count, p, q and rank, and the worked examples."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, fisher_exact

from seer.errors import DataError, SettingError
from seer.patterns.buggy import mine_buggy
from seer.patterns.paper import mine_paper
from seer.patterns.search import Match
from tests.patterns.ragged import CORPUS, judged_traces, make_labelled, make_traces


def windows(steps, kind, longest):
    """Each pattern of a sentence with the words over it, once for each time it occurs."""
    if kind != "states":
        for state, word, _ in steps:
            yield ((state,) if kind == "state_words" else (), word), (word,)
        return
    for length in range(1, longest + 1):
        for place in range(len(steps) - length + 1):
            part = steps[place : place + length]
            yield (tuple(step[0] for step in part), None), tuple(step[1] for step in part)


def split(corpus, confusion=None):
    failed, correct = [], []
    for place, (steps, label) in enumerate(corpus):
        if not steps or label < 0:
            continue
        predicted = steps[-1][2]
        if predicted == label:
            correct.append(place)
        elif confusion in (None, (label, predicted)):
            failed.append(place)
    return failed, correct


def reference(corpus, kind, minimum, lengths, confusion):
    """Patterns with n_f, n_c, p, q, in rank order but for ties in q; and the size of the family."""
    failed, correct = split(corpus, confusion)
    holding = defaultdict(set)
    for place in [*failed, *correct]:
        for key, _ in windows(corpus[place][0], kind, lengths[1]):
            holding[key].add(place)
    held = {key: found for key, found in holding.items() if len(found) >= minimum}
    closed = [
        (states, word)
        for (states, word), found in held.items()
        if kind != "states"
        or (
            len(states) >= lengths[0]
            and not any(
                len(other) == len(states) + 1 and states in (other[1:], other[:-1]) and found == more
                for (other, _), more in held.items()
            )
        )
    ]
    rows = []
    for key in closed:
        n_f, n_c = len(held[key] & set(failed)), len(held[key] & set(correct))
        table = [[n_f, n_c], [len(failed) - n_f, len(correct) - n_c]]
        rows.append((key, n_f, n_c, fisher_exact(table, alternative="greater").pvalue))
    q = false_discovery_control(np.clip([row[3] for row in rows], 0, 1)) if rows else []
    return {key: (n_f, n_c, p, q) for (key, n_f, n_c, p), q in zip(rows, q, strict=True) if n_f}, len(rows)


@settings(deadline=None, max_examples=150)
@given(
    CORPUS,
    st.sampled_from(["states", "state_words", "words"]),
    st.integers(1, 4),
    st.sampled_from([(1, 10), (1, 3), (2, 4), (3, 3)]),
    st.sampled_from([None, (0, 1), (2, 0)]),
)
def test_every_figure_equals_the_reference(corpus, kind, minimum, lengths, confusion):
    traces, labels = make_labelled(corpus)
    found = mine_buggy(traces, labels, kind=kind, confusion=confusion, minimum_support=minimum, lengths=lengths)
    expected, family = reference(corpus, kind, minimum, lengths, confusion)
    failed, correct = split(corpus, confusion)
    assert (found.failed_total, found.correct_total, found.tested) == (len(failed), len(correct), family)
    records = found.records(top=2000, phrases=None)
    assert {(record.states, record.word): (record.failed, record.correct) for record in records} == {
        key: figures[:2] for key, figures in expected.items()
    }
    for record in records:
        n_f, n_c, p, q = expected[record.states, record.word]
        assert record.p == pytest.approx(p, rel=1e-9)
        assert record.q == pytest.approx(q, rel=1e-9)
        assert record.rate == pytest.approx(n_f / (n_f + n_c))
        assert record.lift == pytest.approx(n_f / (n_f + n_c) / (len(failed) / (len(failed) + len(correct))))
        assert record.only_in_failed == (n_c == 0)
    ranks = [(float(f"{r.q:.10g}"), -r.failed / (r.failed + r.correct), -r.failed, r.states, r.word) for r in records]
    assert ranks == sorted(ranks, key=lambda rank: rank[:4] + ((rank[4],) if rank[4] is not None else ()))


@settings(deadline=None)
@given(CORPUS, st.sampled_from(["states", "state_words", "words"]))
def test_phrases_and_places_equal_the_reference(corpus, kind):
    traces, labels = make_labelled(corpus)
    found = mine_buggy(traces, labels, kind=kind, minimum_support=1, lengths=(1, 4))
    failed, correct = split(corpus)
    for rank, record in enumerate(found.records(phrases=None)):
        counts, failures, places = Counter(), Counter(), []
        for sentence in sorted([*failed, *correct]):
            steps = corpus[sentence][0]
            for place in range(len(steps)):
                for key, words in windows(steps[place : place + max(1, len(record.states))], kind, 4):
                    if key == (record.states, record.word) and len(words) == max(1, len(record.states)):
                        counts[words] += 1
                        failures[words] += sentence in failed
                        places.append(Match(sentence, place, place + len(words)))
        order = sorted(counts, key=lambda words: (-failures[words], -counts[words], words))
        assert list(record.phrases) == [(words, counts[words], failures[words]) for words in order]
        assert found.matches(rank).records() == places
        assert found.matches(rank).sentences.tolist() == sorted({place.sentence for place in places})
        first = places[0]
        held = dict(found.within(traces.select(np.array([first.sentence]))))
        assert held[rank] == [place.begin for place in places if place.sentence == first.sentence]


@settings(deadline=None)
@given(CORPUS, st.integers(1, 6), st.sampled_from([(1, 2), (3, 10), (2, 3)]))
def test_the_list_of_the_paper_equals_the_reference(corpus, top, lengths):
    traces, labels = make_labelled(corpus)
    sides = []
    for side in split(corpus):
        support = Counter()
        for place in side:
            keys = {states for (states, _), _ in windows(corpus[place][0], "states", lengths[1])}
            support.update(states for states in keys if len(states) >= lengths[0])
        sides.append((sorted(support, key=lambda states: (-support[states], states))[:top], support))
    (failed, n_f), (correct, _) = sides
    found = mine_paper(traces, labels, lengths=lengths, top=top)
    assert [record.states for record in found.records()] == [states for states in failed if states not in correct]
    everywhere = {
        states: sum(
            states in {key for (key, _), _ in windows(corpus[place][0], "states", 10)} for place in split(corpus)[1]
        )
        for states in failed
    }
    for record in found.records():
        assert (record.failed, record.correct) == (n_f[record.states], everywhere[record.states])
        assert record.q is None


@pytest.mark.hard_inputs(30)
def test_a_pattern_of_failed_and_correct_sentences_is_counted_in_both():
    traces, labels = judged_traces([[1, 2, 3]] * 5, [[4, 5, 6]] * 10 + [[1, 2, 3]] * 2)
    records = mine_buggy(traces, labels, minimum_support=1).records(top=1)
    assert len(records) == 1
    assert records[0].states == (1, 2, 3)
    assert (records[0].failed, records[0].correct, records[0].only_in_failed) == (5, 2, False)
    assert records[0].rate == pytest.approx(5 / 7)
    assert records[0].lift == pytest.approx(5 / 7 / (5 / 17))
    assert records[0].phrases == (((1, 2, 3), 7, 5),)
    every = mine_buggy(traces, labels, minimum_support=1)
    assert every.tested == 2, "parts of (1, 2, 3) and (4, 5, 6) are in the same sentences as the whole"
    assert len(every) == 1, "(4, 5, 6) has no failed sentence"
    listed = mine_paper(traces, labels, top=1).records()
    assert [(record.states, record.failed, record.correct) for record in listed] == [((1, 2, 3), 5, 2)]


@pytest.mark.hard_inputs(30)
def test_a_sentence_counts_once_however_often_it_holds_a_pattern():
    traces, labels = judged_traces([[5, 7, 5, 7, 2]], [])
    found = mine_buggy(traces, labels, minimum_support=1, lengths=(2, 2))
    figures = {record.states: (record.failed, record.phrases[0].occurrences) for record in found.records()}
    assert figures == {(5, 7): (1, 2), (7, 5): (1, 1), (7, 2): (1, 1)}
    whole = mine_buggy(traces, labels, minimum_support=1, lengths=(3, 3))
    rank = [whole.key(rank)[0] for rank in range(len(whole))].index((5, 7, 2))
    assert whole.matches(rank).records() == [Match(0, 2, 5)]


def test_only_in_failed_means_that_no_correct_sentence_holds_it():
    traces, labels = judged_traces([[1, 2]] * 6 + [[1, 3]] * 6, [[1, 2]] * 6 + [[2, 1]] * 6)
    found = {record.states: record for record in mine_buggy(traces, labels).records()}
    assert found[1, 3].only_in_failed
    assert not found[1, 2].only_in_failed
    assert found[1, 3].rate == 1
    assert next(iter(found)) == (1, 3)


@pytest.mark.hard_inputs(30)
def test_more_patterns_than_there_are_may_be_asked_for():
    random = np.random.default_rng(0)
    rows = [list(random.integers(1, 9, 80)) for _ in range(120)]
    traces, labels = judged_traces(rows[:60], rows[60:])
    found = mine_buggy(traces, labels, minimum_support=2)
    assert len(found) > 2000
    records = found.records(top=2000)
    assert len(records) == len({record.states for record in records}) == 2000
    assert found.records(top=3) == records[:3]
    assert len(found.records(top=None)) == len(found.records(top=10**9)) == len(found)


def test_no_failed_sentence_no_labelled_sentence_no_sentence():
    traces, labels = judged_traces([], [[1, 2, 3]] * 6)
    found = mine_buggy(traces, labels)
    assert (len(found), found.failed_total, found.correct_total, found.tested) == (0, 0, 6, 1)
    assert found.records() == mine_paper(traces, labels).records() == []
    unlabelled = np.full(6, -1)
    for kind in ("states", "state_words", "words"):
        assert mine_buggy(traces, unlabelled, kind=kind).tested == 0
        assert mine_buggy(make_traces([]), np.zeros(0, int), kind=kind).records() == []
    assert mine_paper(make_traces([[], []]), np.zeros(2, int)).records() == []


def test_every_sentence_failed():
    traces, labels = judged_traces([[1, 2]] * 6, [])
    (record,) = mine_buggy(traces, labels).records()
    assert (record.rate, record.lift, record.p, record.q) == (1, 1, 1, 1)


def test_a_planted_state_comes_first():
    random = np.random.default_rng(1)
    rows = [list(random.integers(1, 6, 20)) for _ in range(400)]
    for row in rows[:30]:
        row.insert(int(random.integers(20)), 9)
    traces, labels = judged_traces(rows[:60], rows[60:])
    first = mine_buggy(traces, labels).records(top=1)[0]
    assert first.states == (9,)
    assert (first.failed, first.correct) == (30, 0)
    assert first.q < 1e-20
    assert all(9 not in record.states for record in mine_paper(traces, labels).records())


def test_records_are_json_able():
    traces, labels = judged_traces([[1, 2]] * 6, [[2, 1]] * 6)
    words = ["[PAD]", "very", "bad"]
    record = mine_buggy(traces, labels).records(top=1)[0].record(words)
    assert " ".join(record) == "states word failed correct rate lift p q only_in_failed phrases"
    assert record["states"] == [1, 2]
    assert record["phrases"] == [{"text": "very bad", "count": 6, "failed": 6}]
    record = mine_buggy(traces, labels, kind="words").records(top=1)[0].record(words)
    assert (record["states"], record["word"]) == ([], "very")
    assert mine_paper(traces, labels, lengths=(2, 2), top=1).records()[0].record(words)["q"] is None
    assert math.isclose(record["lift"], 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "letters"}, "states, state_words, words; got 'letters'"),
        ({"minimum_support": 0}, "1 sentence or more; got 0"),
        ({"lengths": (3, 2)}, "got 3 and 2"),
        ({"lengths": (0, 2)}, "got 0 and 2"),
        ({"confusion": (0, 0)}, "two different classes from 0 to 2"),
        ({"confusion": (0, 3)}, r"got \(0, 3\)"),
    ],
)
def test_settings_that_mean_nothing_are_refused(change, message):
    traces, labels = judged_traces([[1, 2]], [])
    with pytest.raises(SettingError, match=message):
        mine_buggy(traces, labels, **change)
    with pytest.raises(SettingError, match="1 sequence or more; got 0"):
        mine_paper(traces, labels, top=0)
    with pytest.raises(DataError, match="a label for each of the 1 sentences, got 2"):
        mine_buggy(traces, np.zeros(2, int))
