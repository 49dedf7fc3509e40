"""Search finds what a plain search finds; similar sentences have the same collapsed trace, or the nearest."""

from collections import Counter
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seer.errors import DataError
from seer.patterns.search import (
    Match,
    Similar,
    TraceIndex,
    collapsed,
    find_phrase,
    find_places,
    find_states,
    places_within,
)
from tests.patterns.ragged import make_traces

ROWS = st.lists(st.lists(st.integers(1, 3), max_size=10), max_size=8)
WANTED = st.lists(st.integers(1, 3), max_size=6)


def states_only(rows):
    return make_traces([[(state, 10 * state, 0) for state in row] for row in rows])


def collapse(row):
    return [state for state, _ in groupby(row)]


@settings(deadline=None)
@given(ROWS, WANTED)
def test_states_in_a_row_equal_a_plain_search(rows, wanted):
    expected = [
        Match(sentence, place, place + len(wanted))
        for sentence, row in enumerate(rows)
        for place in range(len(row))
        if wanted and row[place : place + len(wanted)] == wanted
    ]
    traces = states_only(rows)
    assert find_states(traces, wanted).records() == expected
    assert find_phrase(traces, [10 * state for state in wanted]).records() == expected
    assert find_states(traces, wanted).records(top=1) == expected[:1]


@settings(deadline=None)
@given(ROWS, WANTED)
def test_collapsed_search_equals_a_plain_search(rows, wanted):
    expected = []
    for sentence, row in enumerate(rows):
        runs, begin = [], 0
        for state, run in groupby(row):
            length = len(list(run))
            runs.append((state, begin, begin + length))
            begin += length
        short = collapse(wanted)
        expected += [
            Match(sentence, runs[place][1], runs[place + len(short) - 1][2])
            for place in range(len(runs))
            if short and [state for state, _, _ in runs[place : place + len(short)]] == short
        ]
    assert find_states(states_only(rows), wanted, collapse=True).records() == expected


STEPS = st.lists(st.lists(st.tuples(st.integers(1, 2), st.integers(0, 2), st.just(0)), max_size=8), max_size=6)


@settings(deadline=None)
@given(STEPS, st.lists(st.integers(1, 2), max_size=3), st.lists(st.integers(0, 2), max_size=3), st.booleans())
def test_words_at_the_end_of_a_pattern_equal_a_plain_search(rows, pattern, words, collapse):
    traces = make_traces(rows)
    expected = find_states(traces, pattern, collapse) if pattern else find_phrase(traces, words)
    kept = [
        place
        for place in expected.records()
        if place.end >= len(words)
        and [word for _, word, _ in rows[place.sentence][place.end - len(words) : place.end]] == words
    ]
    assert find_places(traces, pattern, words, collapse).records() == kept


@given(ROWS)
def test_collapsed_traces(rows):
    runs = collapsed(states_only(rows))
    parts = [runs.traces.state[runs.traces.steps_of(row)].tolist() for row in range(len(rows))]
    assert parts == [collapse(row) for row in rows]
    assert len(runs.begin) == runs.traces.steps + 1


@given(st.lists(st.integers(1, 3), max_size=12), st.lists(WANTED, max_size=4))
def test_places_in_one_sequence(row, patterns):
    assert places_within(row, patterns) == [
        [place for place in range(len(row)) if pattern and row[place : place + len(pattern)] == pattern]
        for pattern in patterns
    ]


@pytest.mark.hard_inputs(30)
def test_a_pattern_is_of_whole_states_within_one_sentence():
    traces = states_only([[11, 2], [5, 7, 5, 7, 2], [1], [2]])
    assert find_states(traces, [1, 2]).records() == []
    assert find_states(traces, [5, 7, 2]).records() == [Match(1, 2, 5)]
    assert find_states(traces, [5, 7]).records() == [Match(1, 0, 2), Match(1, 2, 4)]
    assert find_states(traces, [5, 7]).sentences.tolist() == [1]
    assert find_states(traces, [5, 5]).records() == []
    assert len(find_states(traces, [70_000])) == 0


def test_repeats_collapse_in_the_trace_and_in_the_search():
    traces = states_only([[5, 5, 7, 7, 7, 2], [5, 7], [5, 2, 7]])
    assert find_states(traces, [5, 7], collapse=True).records() == [Match(0, 0, 5), Match(1, 0, 2)]
    assert find_states(traces, [5, 5, 7], collapse=True).records() == [Match(0, 0, 5), Match(1, 0, 2)]


def cosine(one, other):
    first, second = (Counter(zip([0, *collapse(row)], [*collapse(row), 0], strict=True)) for row in (one, other))
    inner = sum(count * second[change] for change, count in first.items())
    norm = [sum(count**2 for count in side.values()) ** 0.5 for side in (first, second)]
    return 1 - inner / (norm[0] * norm[1])


@settings(deadline=None)
@given(ROWS, st.lists(st.integers(1, 3), min_size=1, max_size=10))
def test_similar_sentences_equal_the_stated_distance(rows, query):
    expected = {}
    for place, row in enumerate(rows):
        if row:
            same = collapse(row) == collapse(query)
            expected[place] = (same, 0.0 if same else cosine(row, query))
    found = TraceIndex(states_only(rows), 3).similar(states_only([query]), top=100)
    assert {one.sentence for one in found} == set(expected)
    for one in found:
        assert one.same == expected[one.sentence][0]
        assert one.distance == pytest.approx(expected[one.sentence][1], abs=1e-9)
    assert [(not one.same, round(one.distance, 9)) for one in found] == sorted(
        (not same, round(distance, 9)) for same, distance in expected.values()
    )


def test_the_same_collapsed_trace_comes_first():
    rows = [[1, 2, 1, 2], [1, 1, 2, 3], [3], [1, 2, 3, 3], [1, 2, 3]]
    index = TraceIndex(states_only(rows), 3)
    found = index.similar(states_only([[1, 2, 2, 3]]), top=4, exclude=4)
    assert found[:2] == [Similar(1, True, 0.0), Similar(3, True, 0.0)]
    assert [one.sentence for one in found[2:]] == [0, 2]
    assert index.similar(states_only([[]])) == []
    with pytest.raises(DataError, match="states up to 3; got 1 sentences and states up to 4"):
        index.similar(states_only([[4]]))
    with pytest.raises(DataError, match="one sentence"):
        index.similar(states_only([[1], [2]]))
