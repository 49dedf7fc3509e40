"""Every count equals a slow plain-Python reference; totals balance; rates have closed forms."""

import json
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seer.errors import DataError
from seer.machine import StateMachine
from seer.rates import wilson_interval
from seer.traces import NO_CLASS, Traces

STATES, CLASSES = 4, ("neg", "neutral", "pos")

STEP = st.tuples(st.integers(1, STATES), st.integers(0, 2), st.integers(0, 9))
SENTENCE = st.tuples(st.lists(STEP, max_size=6), st.integers(-1, 2))
CORPUS = st.lists(SENTENCE, max_size=12)


def make_traces(sentences):
    steps = [step for sentence in sentences for step in sentence]
    state, predicted, token = (np.array([step[i] for step in steps], dtype=np.int16) for i in range(3))
    offsets = np.cumsum([0, *map(len, sentences)])
    return Traces(offsets, token.astype(np.int32), state, predicted, np.full((len(steps), 3), 1 / 3, np.float32))


def machine_of(corpus, states=STATES):
    labels = np.array([label for _, label in corpus], dtype=np.int32)
    return StateMachine.count(make_traces([steps for steps, _ in corpus]), labels, states, CLASSES)


def reference(corpus):
    """Transitions, class counts, and per state the sentences, labelled ones and errors, one step at a time."""
    transitions, predictions = Counter(), Counter()
    sentences, labelled, errors = Counter(), Counter(), Counter()
    for steps, label in corpus:
        if not steps:
            continue
        before, passed = 0, {0}
        for state, predicted, _ in steps:
            transitions[before, state] += 1
            predictions[state, predicted] += 1
            passed.add(state)
            before = state
        for state in passed:
            sentences[state] += 1
            if label >= 0:
                labelled[state] += 1
                errors[state] += steps[-1][1] != label
    return transitions, predictions, sentences, labelled, errors


@given(CORPUS)
def test_counts_equal_the_reference(corpus):
    machine = machine_of(corpus)
    transitions, predictions, sentences, labelled, errors = reference(corpus)
    for source in range(STATES + 1):
        for target in range(STATES + 1):
            assert machine.transitions[source, target] == transitions[source, target]
        for predicted in range(3):
            assert machine.class_counts[source, predicted] == predictions[source, predicted]
        assert machine.sentences[source] == sentences[source]
        assert machine.labelled[source] == labelled[source]
        assert machine.errors[source] == errors[source]


@given(CORPUS)
def test_totals_balance(corpus):
    machine = machine_of(corpus)
    tokens = sum(len(steps) for steps, _ in corpus)
    started = sum(bool(steps) for steps, _ in corpus)
    assert machine.transitions.sum() == machine.class_counts.sum() == machine.visits[1:].sum() == tokens
    assert machine.visits[0] == machine.sentences[0] == started
    assert (machine.transitions.sum(axis=0)[1:] == machine.visits[1:]).all()
    assert (machine.visits - machine.transitions.sum(axis=1)).sum() == started
    sums = machine.probability.sum(axis=1)
    assert np.allclose(sums[machine.transitions.any(axis=1)], 1)
    assert (sums[~machine.transitions.any(axis=1)] == 0).all()


@given(CORPUS, CORPUS)
def test_addition_merges_shards(one, two):
    assert machine_of(one) + machine_of(two) == machine_of(one + two)


CORPUS_BY_HAND = [
    ([(1, 0, 0), (2, 2, 0), (1, 0, 0)], 0),  # right
    ([(1, 0, 0), (2, 2, 0)], 0),  # wrong
    ([(2, 2, 0), (2, 2, 0)], 0),  # wrong
    ([(1, 2, 0)], 2),  # right
    ([(3, 1, 0)], -1),  # no label
    ([], 1),  # no token
]


def test_rates_by_hand():
    machine = machine_of(CORPUS_BY_HAND)
    assert machine.states == 4
    assert machine.visits.tolist() == [5, 4, 4, 1, 0]
    assert machine.labelled.tolist() == [4, 3, 3, 0, 0]
    assert machine.errors.tolist() == [2, 1, 2, 0, 0]
    assert machine.base_error_rate == 0.5
    np.testing.assert_allclose(machine.error_rate, [0.5, 1 / 3, 2 / 3, np.nan, np.nan])
    np.testing.assert_allclose(machine.lift, [1, 2 / 3, 4 / 3, np.nan, np.nan])
    np.testing.assert_allclose(machine.lift_interval, machine.interval / 0.5)
    np.testing.assert_allclose(machine.purity, [np.nan, 0.75, 1, 1, np.nan])
    assert machine.majority.tolist() == [NO_CLASS, 0, 2, 1, NO_CLASS]
    np.testing.assert_allclose(machine.probability[1], [0, 0, 1, 0, 0])
    np.testing.assert_allclose(machine.probability[2], [0, 0.5, 0.5, 0, 0])


def test_records_are_json_with_none_for_missing_rates():
    machine = machine_of(CORPUS_BY_HAND)
    states = json.loads(json.dumps(machine.state_records(), allow_nan=False))
    assert [record["id"] for record in states] == [1, 2, 3, 4]
    assert states[1] == {
        "id": 2,
        "visits": 4,
        "class_counts": [0, 0, 4],
        "majority": "pos",
        "purity": 1.0,
        "sentences": 3,
        "labelled": 3,
        "errors": 2,
        "error_rate": pytest.approx(2 / 3),
        "error_low": pytest.approx(0.2076597),
        "error_high": pytest.approx(0.9385081),
        "lift": pytest.approx(4 / 3),
        "lift_low": pytest.approx(2 * 0.2076597),
        "lift_high": pytest.approx(2 * 0.9385081),
    }
    assert states[2]["error_rate"] is None
    assert states[3]["majority"] is None
    transitions = json.loads(json.dumps(machine.transition_records(), allow_nan=False))
    assert transitions[0] == {"source": 0, "target": 1, "count": 3, "probability": 0.6}
    assert sum(record["count"] for record in transitions) == 9


def test_wilson_interval_solves_its_equation():
    """Both ends p satisfy |share - p| = z sqrt(p (1 - p) / n), the score test turned round."""
    z = 1.959963984540054
    for errors, total in ((0, 5), (3, 10), (7, 7), (41, 100)):
        for end in wilson_interval(errors, total):
            assert abs(errors / total - end) == pytest.approx(z * math.sqrt(end * (1 - end) / total), abs=1e-12)
    np.testing.assert_allclose(wilson_interval(3, 10), [0.1077913, 0.6032219], atol=1e-6)
    assert np.isnan(wilson_interval(0, 0)).all()


def many(states, errors, right):
    return [([(state, 0, 0) for state in states], 1)] * errors + [([(state, 0, 0) for state in states], 0)] * right


def test_suspicious_states_are_ranked_by_certainty():
    corpus = many([1], 4, 1) + many([2], 60, 40) + many([3], 5, 195) + many([4], 12, 6) + many([5], 12, 22)
    machine = machine_of(corpus, states=5)
    assert machine.lift[5] > 1 > machine.lift_interval[5, 0]  # more errors, but it may be chance
    assert machine.suspicious(minimum_sentences=10).tolist() == [2, 4]
    assert machine.suspicious(minimum_sentences=1).tolist() == [2, 4, 1]
    assert machine.suspicious(minimum_sentences=1000).tolist() == []
    assert machine_of(many([1], 0, 20)).suspicious().tolist() == []
    assert machine_of([]).suspicious(0).tolist() == []


def test_an_empty_corpus_has_no_rates():
    machine = machine_of([([], 1), ([], -1)])
    assert machine.visits.sum() == 0
    assert math.isnan(machine.base_error_rate)
    assert np.isnan(machine.lift).all()
    assert machine.transition_records() == []


def test_all_arrays_are_read_only():
    machine = machine_of(CORPUS_BY_HAND)
    names = (
        "transitions",
        "class_counts",
        "sentences",
        "labelled",
        "errors",
        "visits",
        "probability",
        "purity",
        "lift",
    )
    for name in names:
        with pytest.raises(ValueError, match="read-only"):
            getattr(machine, name)[0] = 1


def test_the_arrays_given_stay_writable():
    counts = np.zeros(2, dtype=np.int64)
    StateMachine(("a",), np.zeros((2, 2)), np.zeros((2, 1)), counts, counts, counts)
    counts[0] = 1


@pytest.mark.parametrize(
    ("name", "index", "change", "reason"),
    [
        ("transitions", (1, 0), 1, "back to the start"),
        ("transitions", (3, 1), 5, "left more often"),
        ("transitions", (1, 2), -9, "negative"),
        ("class_counts", (1, 0), 1, "differ in number"),
        ("class_counts", (0, 0), 1, "start has predictions"),
        ("sentences", 0, 1, "starts differ"),
        ("sentences", 2, 2, "more sentences pass"),
        ("sentences", 3, -1, "has no sentence"),
        ("labelled", 1, 5, "labelled than there are"),
        ("errors", 1, 3, "wrong than labelled"),
    ],
)
def test_contradictions_are_refused(name, index, change, reason):
    machine = machine_of(CORPUS_BY_HAND)
    counts = getattr(machine, name).copy()
    counts[index] += change
    with pytest.raises(DataError, match=reason):
        replace(machine, **{name: counts})


def test_wrong_shapes_and_ranges_are_refused():
    machine = machine_of(CORPUS_BY_HAND)
    with pytest.raises(DataError, match="shapes"):
        replace(machine, classes=("a", "b"))
    with pytest.raises(DataError, match="same states and classes"):
        machine + machine_of(CORPUS_BY_HAND, states=5)
    with pytest.raises(DataError, match="States must lie between 1 and 2"):
        machine_of(CORPUS_BY_HAND, states=2)
    traces = make_traces([steps for steps, _ in CORPUS_BY_HAND])
    for labels, message in ((np.zeros(3, int), "a label for each"), (np.full(6, 3), "Labels"), (np.full(6, -2), "-1")):
        with pytest.raises(DataError, match=message):
            StateMachine.count(traces, labels, 4, CLASSES)
    with pytest.raises(DataError, match="Predicted classes"):
        StateMachine.count(traces, np.zeros(6, int), 4, ("a", "b"))
