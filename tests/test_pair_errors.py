"""Error rates of pairs by class, shared words and length, counted again by hand."""

from __future__ import annotations

import numpy as np
import pytest

from seer.errors import ModelError
from seer.pair_errors import errors_by_class, errors_by_length, errors_by_overlap, pair_measures
from seer.rates import wilson_interval
from seer.study import Study
from seer.text import split_pair


@pytest.fixture(scope="module")
def study() -> Study:
    return Study.open("demo-pairs")


def words(study: Study, text: str) -> list[int]:
    return study.tokenizer.encode([text])[1].tolist()


def test_overlap_is_the_share_of_the_hypothesis_s_words_that_the_premise_has(study: Study) -> None:
    measures = pair_measures(study)
    for row in range(len(study.corpus)):
        premise, hypothesis = (words(study, side) for side in split_pair(study.corpus.text(row)))
        asked = set(hypothesis)
        shared = {word for word in asked if word > 1 and word in premise}
        assert measures.overlap[row] == pytest.approx(len(shared) / len(asked))
        assert measures.words[row] == len(premise) + len(hypothesis)


def test_each_pair_is_counted_once_in_each_chart(study: Study) -> None:
    rows, measures = study.rows("test"), pair_measures(study)
    accuracy = study.accuracy("test")
    for groups in (
        errors_by_class(study, rows),
        errors_by_overlap(study, rows, measures),
        errors_by_length(study, rows, measures),
    ):
        assert sum(group.labelled for group in groups) == accuracy.labelled
        assert sum(group.errors for group in groups) == accuracy.errors
        for group in groups:
            assert group.rate == group.errors / group.labelled
            assert (group.low, group.high) == pytest.approx(tuple(wilson_interval(group.errors, group.labelled)))


def test_groups_hold_what_their_names_say(study: Study) -> None:
    measures = pair_measures(study)
    whole = np.flatnonzero(measures.overlap == 1)
    assert [group.name for group in errors_by_overlap(study, whole, measures)] == ["all of them"]
    short = np.flatnonzero(measures.words == measures.words.min())
    (group,) = errors_by_length(study, short, measures)
    assert group.name.startswith(str(measures.words.min()))
    assert group.labelled == len(short)
    assert errors_by_class(study, whole[:0]) == []


def test_single_sentences_have_none(demo: Study) -> None:
    with pytest.raises(ModelError, match="sentence pairs"):
        pair_measures(demo)
