"""The estimate of a training's time: made of its own first steps, and over long before the training would be."""

import time

import pytest

from seer.errors import DataError, SettingError
from seer.estimate import estimate_training
from seer.models.training import TrainingSettings
from tests.conftest import make_corpus, opinions


def test_it_is_extrapolated_from_steps_and_grows_with_the_epochs() -> None:
    corpus, sizes = opinions(400), {"embedding": 8, "hidden": 8}
    began = time.monotonic()
    long = estimate_training(corpus, architecture=sizes, training=TrainingSettings(epochs=100_000), budget=0.2)
    assert time.monotonic() - began < 20  # not the whole of it, which takes hours
    short = estimate_training(corpus, architecture=sizes, training=TrainingSettings(epochs=3), budget=0.2)
    assert long.seconds > 1000 * long.pass_seconds > 0
    assert long.seconds == long.pass_seconds * 100_000 + long.other
    assert short.least == short.seconds < long.least < long.seconds


def test_a_single_step_suffices_and_faults_are_those_of_the_training() -> None:
    few = make_corpus([("good", 1, "train"), ("bad", 0, "train")] * 2)
    assert estimate_training(few).seconds > 0
    with pytest.raises(DataError, match="two classes"):
        estimate_training(make_corpus([("good", 1, "train")] * 4))
    with pytest.raises(SettingError, match="hidden"):
        estimate_training(few, architecture={"hidden": 0})
