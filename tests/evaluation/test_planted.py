import pytest

from seer.corpus import load_corpus
from seer.errors import DataError, SettingError
from seer.evaluation.planted import planted_bug
from seer.models.training import TrainingSettings
from tests.conftest import opinions

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


def test_what_cannot_be_planted_is_said() -> None:
    with pytest.raises(SettingError, match="at the end or at random"):
        planted_bug(opinions(40), "middle")
    with pytest.raises(DataError, match="already holds"):
        planted_bug(opinions(40), trigger="film")


@pytest.mark.slow
@pytest.mark.parametrize("where", ["end", "random"])
def test_on_real_reviews_ours_finds_it_first(where: str) -> None:
    result = planted_bug(load_corpus("rotten_tomatoes"), where)
    assert result.rank == 1
    assert result.rank_by_kind["words"] == result.rank_by_kind["state_words"] == 1
    assert result.rank_paper is None or result.rank_paper > 1
