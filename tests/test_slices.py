from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seer.errors import SettingError
from seer.machine import StateMachine
from seer.patterns.search import find_places
from seer.slices import (
    FALSE_SHARE,
    Filter,
    class_reports,
    confusion_matrix,
    matching_rows,
    slice_accuracy,
    where_to_look,
)
from seer.study import Study
from seer.traces import Traces


def traces_of(sentences: list[list[int]]) -> Traces:
    lengths = [len(sentence) for sentence in sentences]
    state = np.array([state for sentence in sentences for state in sentence], dtype=np.int16)
    zeros = np.zeros(len(state), dtype=np.int16)
    return Traces(np.concatenate([[0], np.cumsum(lengths)]), zeros, state, zeros, np.ones((len(state), 2), np.float32))


@settings(deadline=None)
@given(
    st.lists(st.lists(st.integers(1, 3), max_size=8), min_size=1, max_size=6), st.lists(st.integers(1, 3), max_size=4)
)
def test_places_of_a_pattern_equal_a_plain_search(sentences: list[list[int]], pattern: list[int]) -> None:
    expected = [
        (row, place)
        for row, sentence in enumerate(sentences)
        for place in range(len(sentence))
        if sentence[place : place + len(pattern)] == pattern
    ]
    if pattern:
        found = find_places(traces_of(sentences), pattern)
        assert sorted(zip(found.sentence.tolist(), found.begin.tolist(), strict=True)) == expected


def test_a_pattern_is_of_whole_states_within_one_sentence() -> None:
    traces = traces_of([[11, 2], [5, 7, 5, 7, 2], [1], [2]])
    assert not len(find_places(traces, (1, 2)).sentence)
    found = find_places(traces, (5, 7, 2))
    assert (found.sentence.tolist(), found.begin.tolist()) == ([1], [2])


def test_filters_agree_with_plain_python(small_study: Study) -> None:
    study, corpus, traces = small_study, small_study.corpus, small_study.traces
    wanted = Filter(split="test", outcome="wrong", query="FILM", length=(4, 9), confidence=(0.5, 1.0))
    expected = [
        row
        for row in range(len(corpus))
        if corpus.table["split"][row].as_py() == "test"
        and traces.prediction[row] != corpus.labels[row]
        and "film" in corpus.text(row)
        and 4 <= traces.lengths[row] <= 9
    ]
    assert matching_rows(study, wanted).tolist() == expected
    state = int(traces.state[traces.steps_of(3)][0])
    passing = [row for row in range(len(corpus)) if state in traces.state[traces.steps_of(row)]]
    assert matching_rows(study, Filter(state=state)).tolist() == passing
    first = [row for row in range(len(corpus)) if traces.state[traces.steps_of(row)][0] == state]
    assert matching_rows(study, Filter(transition=(0, state))).tolist() == first


def test_regular_expressions(small_study: Study) -> None:
    rows = matching_rows(small_study, Filter(query=r"^(good|bad)\b", regex=True))
    texts = small_study.corpus.texts(rows)
    assert texts
    assert all(text.split()[0] in ("good", "bad") for text in texts)
    assert len(matching_rows(small_study, Filter(query="(a|a)*(b", regex=False))) == 0
    with pytest.raises(SettingError, match="not a regular expression"):
        matching_rows(small_study, Filter(query="(good", regex=True))


def test_confusion_and_class_figures(small_study: Study) -> None:
    rows = small_study.rows("test")
    matrix, accuracy = confusion_matrix(small_study, rows), slice_accuracy(small_study, rows)
    assert matrix.sum() == accuracy.labelled == len(rows)
    assert matrix.trace() == accuracy.right
    assert accuracy.low < accuracy.value < accuracy.high
    reports = class_reports(np.array([[3, 1, 0], [2, 2, 0], [0, 0, 0]]), ("a", "b", "c"))
    assert (reports[0].precision, reports[0].recall, reports[0].f1) == (3 / 5, 3 / 4, 2 * 3 / 9)
    assert (reports[2].support, reports[2].precision, reports[2].recall, reports[2].f1) == (0, None, None, None)


def test_places_to_look_first(demo: Study) -> None:
    places = where_to_look(demo, "test")
    base = demo.accuracy("test")
    assert 1 <= len(places) <= 5
    assert [place.p for place in places] == sorted(place.p for place in places)
    machine = demo.machine("test")
    for place in places:
        assert place.rate == place.errors / place.labelled > base.errors / base.labelled
        rows = matching_rows(demo, Filter(split="test", state=place.state, transition=place.transition))
        assert slice_accuracy(demo, rows).errors == place.errors
        assert place.p <= place.q <= FALSE_SHARE
        if place.transition is None:
            assert machine.errors[place.state] == place.errors


def test_no_place_is_named_where_chance_explains_the_errors(demo: Study) -> None:
    """Errors dealt out at random gather somewhere too; correction for all places compared leaves nearly none."""
    traces, random, found = demo.split_traces("test"), np.random.default_rng(0), 0
    for _ in range(40):
        wrong = random.random(traces.sentences) < 0.25
        labels = np.where(wrong, 1 - traces.prediction, traces.prediction).astype(np.int32)
        machine = StateMachine.count(traces, labels, demo.states, demo.classes)
        dealt = SimpleNamespace(
            machine=lambda split, machine=machine: machine,
            split_traces=lambda split: traces,
            rows=lambda split: np.arange(traces.sentences),
            corpus=SimpleNamespace(labels=labels),
        )
        found += bool(where_to_look(dealt, None))
    assert found <= 40 * 2 * FALSE_SHARE
