import numpy as np
import pytest

from seer.errors import DataError
from seer.traces import NO_CLASS, START, SentenceTrace, Traces


def made() -> Traces:
    probability = np.array([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8], [0.7, 0.3]], np.float32)
    return Traces(
        np.array([0, 3, 3, 4]), np.array([5, 6, 7, 5]), np.array([2, 1, 1, 2]), np.array([0, 1, 1, 0]), probability
    )


def test_what_follows_from_the_arrays() -> None:
    traces = made()
    assert (traces.sentences, traces.steps, traces.classes) == (3, 4, 2)
    assert traces.lengths.tolist() == [3, 0, 1]
    assert traces.sentence.tolist() == [0, 0, 0, 2]
    assert traces.first.tolist() == [True, False, False, True]
    assert traces.source.tolist() == [START, 2, 1, START]
    assert traces.prediction.tolist() == [1, NO_CLASS, 0]
    assert np.isnan(traces.confidence[1])
    assert traces.confidence[[0, 2]] == pytest.approx([0.8, 0.7])


def test_selected_sentences_keep_their_order_and_repeats() -> None:
    traces = made().select(np.array([2, 1, 0, 2]))
    assert traces.lengths.tolist() == [1, 0, 3, 1]
    assert traces.token.tolist() == [5, 5, 6, 7, 5]
    assert traces.source.tolist() == [START, START, 2, 1, START]
    assert made().select(np.array([], dtype=int)).steps == 0


def test_saved_and_mapped(tmp_path) -> None:
    made().save(tmp_path / "traces")
    again = Traces.load(tmp_path / "traces")
    assert isinstance(again.state, np.memmap)
    assert again.state.tolist() == made().state.tolist()


@pytest.mark.parametrize("offsets", [[1, 4], [0, 3, 2, 4], [0, 3], []])
def test_contradictions_are_refused(offsets: list[int]) -> None:
    traces = made()
    with pytest.raises(DataError):
        Traces(np.array(offsets), traces.token, traces.state, traces.predicted, traces.probability)


def test_sentence_trace() -> None:
    traces = made()
    span, known = np.array([[0, 3], [4, 7], [9, 13]]), np.array([True, False, True])
    steps = slice(0, 3)
    arrays = (traces.state[steps], traces.predicted[steps], traces.probability[steps])
    read = SentenceTrace("Not bad. Fine", ("neg", "pos"), span, known, *arrays)
    assert read.words == ("Not", "bad", "Fine")
    assert (read.prediction, read.path, read.flips.tolist()) == ("pos", (0, 2, 1, 1), [1])
    assert read.records()[1]["known"] is False
    assert read.final == pytest.approx({"neg": 0.2, "pos": 0.8})
