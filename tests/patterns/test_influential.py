"""Influential patterns and flips equal a slow reference, the last window of a sentence included."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings

from seer.errors import DataError
from seer.patterns.flips import Flip, find_flips
from seer.patterns.influential import Change, find_influential
from seer.patterns.search import Match
from seer.patterns.windows import judged
from tests.patterns.ragged import CORPUS, make_labelled, make_traces


@settings(deadline=None)
@given(CORPUS)
def test_influential_patterns_equal_the_reference(corpus):
    places, changes, phrases = defaultdict(list), defaultdict(Counter), defaultdict(Counter)
    for sentence, (steps, label) in enumerate(corpus):
        if not steps or steps[-1][2] != label:
            continue
        for place in range(len(steps) - 2):
            states, words, predicted = zip(*steps[place : place + 3], strict=True)
            if len(set(predicted)) > 1:
                places[states].append(Match(sentence, place, place + 3))
                changes[states][predicted[0], predicted[2]] += 1
                phrases[states][words] += 1
    traces, labels = make_labelled(corpus)
    found = find_influential(traces, labels)
    records = found.records(top=None, phrases=None)
    support = {states: len({match.sentence for match in held}) for states, held in places.items()}
    ranked = sorted(places, key=lambda states: (-support[states], -len(places[states]), states))
    assert [record.states for record in records] == ranked
    for rank, record in enumerate(records):
        states = record.states
        assert (record.support, record.occurrences) == (support[states], len(places[states]))
        expected = sorted(changes[states].items(), key=lambda item: (-item[1], item[0]))
        assert record.changes == tuple(Change(*classes, count) for classes, count in expected)
        assert (record.source, record.target) == expected[0][0]
        expected = sorted(phrases[states].items(), key=lambda item: (-item[1], item[0]))
        assert record.phrases == tuple((words, count, 0) for words, count in expected)
        assert found.matches(rank).records() == places[states]
    assert found.records(top=2, phrases=1) == [
        type(record)(*[getattr(record, name) for name in record.__dataclass_fields__ if name != "phrases"],
                     phrases=record.phrases[:1])
        for record in records[:2]
    ]  # fmt: skip


@settings(deadline=None)
@given(CORPUS)
def test_flips_equal_the_reference(corpus):
    traces, labels = make_labelled(corpus)
    expected, step = [], 0
    for sentence, (steps, _) in enumerate(corpus):
        for place, (_, word, predicted) in enumerate(steps):
            before = steps[place - 1][2] if place else predicted
            if before != predicted:
                change = float(traces.probability[step, predicted]) - float(traces.probability[step - 1, predicted])
                expected.append(Flip(sentence, place, word, before, predicted, change))
            step += 1
    flips = find_flips(traces)
    assert [flip for sentence in range(len(corpus)) for flip in flips.of(sentence)] == expected
    assert flips.records(top=None) == sorted(expected, key=lambda flip: -flip.change)
    gains, kinds = defaultdict(list), defaultdict(Counter)
    for flip in expected:
        gains[flip.word].append(flip.change)
        kinds[flip.word][flip.source, flip.target] += 1
    words = flips.by_word(top=None)
    assert {word.word: word.count for word in words} == {word: len(found) for word, found in gains.items()}
    assert [(-word.count, -round(word.change, 9)) for word in words] == sorted(
        (-len(found), -round(sum(found) / len(found), 9)) for found in gains.values()
    )
    for word in words:
        assert word.change == pytest.approx(sum(gains[word.word]) / word.count)
        ranked = sorted(kinds[word.word].items(), key=lambda item: (-item[1], item[0]))
        assert word.changes == tuple(Change(*classes, count) for classes, count in ranked)
    assert flips.by_word(top=2) == words[:2]
    assert flips.by_word(top=None, minimum=2) == [word for word in words if word.count > 1]
    right = judged(traces, labels)[1]
    assert find_flips(traces, right).step.tolist() == [s for s in flips.step if right[traces.sentence[s]]]


def test_a_flip_on_the_last_word_and_a_sentence_of_three_words_count():
    traces = make_traces([[(1, 5, 0), (2, 6, 0), (3, 7, 1)], [(1, 5, 0), (1, 5, 0), (2, 6, 0), (3, 7, 1)]])
    (record,) = find_influential(traces, np.array([1, 1])).records()
    assert (record.states, record.support, record.occurrences) == ((1, 2, 3), 2, 2)
    assert (record.source, record.target) == (0, 1)
    assert record.phrases == (((5, 6, 7), 2, 0),)


def test_windows_that_agree_wrong_sentences_and_sentences_without_a_label_are_left_out():
    turn = [(1, 5, 0), (2, 6, 1), (3, 7, 1)]
    traces = make_traces([turn, turn, turn, [(1, 5, 1)] * 3, turn[:2], []])
    found = find_influential(traces, np.array([1, 0, -1, 1, 1, 1]))
    assert found.matches(0).records() == [Match(0, 0, 3)]
    assert len(found) == 1


def test_a_prediction_that_comes_back_is_influential_too():
    traces = make_traces([[(1, 5, 0), (2, 6, 1), (1, 7, 0)]])
    (record,) = find_influential(traces, np.array([0])).records()
    assert (record.source, record.target) == (0, 0)


def test_the_gain_of_the_new_class():
    traces = make_traces([[(1, 5, 0), (2, 6, 1)]])
    traces.probability[:] = [[0.9, 0.1, 0.0], [0.25, 0.75, 0.0]]
    (flip,) = find_flips(traces).of(0)
    assert flip == Flip(0, 1, 6, 0, 1, pytest.approx(0.65, abs=1e-7))
    words = [str(word) for word in range(7)]
    assert find_flips(traces).by_word()[0].record(words, "abc") == {
        "word": "6",
        "count": 1,
        "change": pytest.approx(0.65, abs=1e-7),
        "changes": [{"from": "a", "to": "b", "count": 1}],
    }


def test_records_are_json_able():
    traces = make_traces([[(1, 0, 0), (2, 1, 1), (3, 2, 1)]])
    record = find_influential(traces, np.array([1])).records()[0].record(["not", "so", "bad"], ["neg", "pos", "x"])
    assert record == {
        "states": [1, 2, 3],
        "support": 1,
        "occurrences": 1,
        "from": "neg",
        "to": "pos",
        "changes": [{"from": "neg", "to": "pos", "count": 1}],
        "phrases": [{"text": "not so bad", "count": 1}],
    }


def test_nothing_to_read():
    for sentences in ([], [[]], [[(1, 1, 1)]], [[(1, 1, 0), (2, 1, 1)]]):
        traces = make_traces(sentences)
        assert find_influential(traces, np.ones(len(sentences), int)).records() == []
    assert find_flips(make_traces([[], []])).by_word() == []
    with pytest.raises(DataError, match="a label for each of the 2 sentences, got 1"):
        find_influential(make_traces([[], []]), np.zeros(1, int))
