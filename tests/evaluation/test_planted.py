from typing import Any, cast

import pytest

from seer.corpus import Corpus, load_corpus
from seer.errors import DataError, SettingError
from seer.evaluation.planted import planted_bug
from seer.models.training import TrainingSettings
from tests.conftest import make_corpus, opinions

NEVER = cast(TrainingSettings, object())  # to train with it fails
QUICK = TrainingSettings(epochs=25, batch=16, learning_rate=1e-2)


def test_a_planted_word_is_found_first_in_a_small_set() -> None:
    result = planted_bug(opinions(400), "end", share=0.15, held_out_share=0.3, lime_errors=20, training=QUICK)
    assert result.planted_training > 0
    assert result.errors_with > result.planted_held_out / 2
    assert result.rank == 1
    assert result.first["word"] == result.trigger
    assert result.record()["rank_by_kind"]["words"] == 1


def test_it_is_the_same_each_time_and_leaves_the_corpus_alone() -> None:
    corpus = opinions(120)
    before = corpus.fingerprint
    settings = TrainingSettings(epochs=2, batch=16)
    first, second = (planted_bug(corpus, "random", lime_errors=0, training=settings) for _ in range(2))
    assert first == second
    assert corpus.fingerprint == before


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"where": "middle"}, "at the end or at random; got 'middle'"),
        ({"lime_errors": -1}, "0 errors or more; got -1"),
        ({"seed": -1}, "seed must lie between 0 and"),
        ({"seed": 10**20}, "seed must lie between 0 and"),
        ({"share": 0.0}, "share of texts that get the word must be above 0"),
        ({"held_out_share": 1.5}, "held-out share of texts .* at most 1; got 1.5"),
        ({"trigger": "two words"}, "one word in lower case"),
        ({"trigger": "Zyzzyva"}, "one word in lower case"),
        ({"trigger": ""}, "one word in lower case"),
    ],
)
def test_settings_that_mean_nothing_are_refused_before_the_training(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        planted_bug(opinions(40), **settings, training=NEVER)


def rows(*counts: tuple[int, int, str]) -> list[tuple[str, int, str]]:
    return [("good film", label, split) for label, count, split in counts for _ in range(count)]


@pytest.mark.parametrize(
    ("corpus", "said"),
    [
        (make_corpus(rows((0, 9, "train"), (1, 9, "train"))), "a training split and a held-out one"),
        (make_corpus(rows((0, 9, "train"), (1, 9, "train"), (1, 9, "test"))), "No held-out text has the class 'neg'"),
        (make_corpus(rows((1, 9, "train"), (0, 9, "test"))), "No training text has the class 'neg'"),
        (
            make_corpus(rows((0, 9, "train"), (0, 9, "test")), ("neg",)),
            "needs two classes; the data set has 'neg' alone",
        ),
        (
            make_corpus(rows((0, 9, "train"), (1, 9, "train"), (0, 9, "test"))),
            "Only 1 training text of the class 'neg'",
        ),
        (make_corpus([("a Zyzzyva", 0, "train"), *rows((1, 9, "train"), (0, 9, "test"))]), "already holds 'zyzzyva'"),
    ],
)
def test_data_in_which_nothing_can_be_planted_are_refused_before_the_training(corpus: Corpus, said: str) -> None:
    with pytest.raises(DataError, match=said):
        planted_bug(corpus, training=NEVER)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["end", "random"])
def test_on_real_reviews_ours_finds_it_first(where: str) -> None:
    result = planted_bug(load_corpus("rotten_tomatoes"), where)
    assert result.rank == 1
    assert result.rank_by_kind["words"] == result.rank_by_kind["state_words"] == 1
    assert result.rank_paper is None or result.rank_paper > 1
