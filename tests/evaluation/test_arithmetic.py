import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from seer.errors import ModelError, SettingError
from seer.evaluation.arithmetic import COMPARED, Arithmetic, arithmetic, score_task
from seer.evaluation.one_unit import (
    LONG,
    TASKS,
    TrainingPlan,
    as_classifier,
    as_words,
    draw,
    errors,
    run,
    train_nets,
)
from seer.models.batches import make_batch

TINY = TrainingPlan(
    sequences=400, steps=600, first_steps=150, batch=64, finish_sequences=200, finish_steps=40, most_error=1e-3
)

SMALL = 1e-2


def adder(scale: float = SMALL) -> torch.Tensor:
    """A net that adds by its weights: every gate stays near 1/2, and g = tanh(scale·n + 2h) keeps what was there."""
    weights = torch.zeros(13, dtype=torch.float64)
    weights[5], weights[10], weights[12] = scale, 2, 4 / scale
    return weights


def sums_of(task: str, count: int = 300, seed: int = 0):
    return draw(task, count, LONG, np.random.default_rng(seed))


@pytest.mark.parametrize("task", TASKS)
def test_sequences_hold_noise_and_two_numbers(task: str) -> None:
    sums = draw(task, 500, (4, 10), np.random.default_rng(3))
    steps, rows = sums.steps.numpy(), np.arange(500)[:, None]
    assert set(sums.lengths) == set(range(4, 11))
    padding = np.arange(10) < 10 - sums.lengths[:, None]
    assert (steps[padding] == 0).all()
    assert (sums.places[:, 0] < sums.places[:, 1]).all()
    assert not padding[rows, sums.places].any()
    assert (steps[rows, sums.places] == np.stack([np.zeros_like(sums.numbers), sums.numbers], 2)).all()
    noise = ~padding
    noise[rows, sums.places] = False
    assert (steps[noise][:, 1] == 0).all()
    for values in (steps[noise][:, 0], np.abs(sums.numbers)):
        assert 0.5 <= values.min() < 0.52 < 0.98 < values.max() <= 1
    assert (sums.numbers < 0).any() == (task == "addition")
    first, second = sums.numbers.T
    assert np.allclose(sums.answers, first + second if task == "addition" else first - second)


def test_both_numbers_come_at_any_place() -> None:
    sums = draw("addition", 4000, (4, 4), np.random.default_rng(0))
    counts = np.unique(sums.places, axis=0, return_counts=True)[1]
    assert len(counts) == 6
    assert (np.abs(counts / 4000 - 1 / 6) < 0.03).all()


def test_nets_side_by_side_answer_as_a_plain_loop_and_as_our_classifier() -> None:
    sums = sums_of("addition", 20)
    nets = torch.from_numpy(np.random.default_rng(1).normal(size=(3, 13)))
    answers, cells = run(nets, sums.steps)
    offsets, ids, _ = as_words(sums)
    for weights, answer, cell in zip(nets, answers, cells, strict=True):
        one = weights.numpy()
        for place, length in enumerate(sums.lengths):
            h = c = 0.0
            for x in sums.steps[place].numpy()[-length:]:
                z = one[:8].reshape(4, 2) @ x + one[8:12] * h
                i, f, o = 1 / (1 + np.exp(-z[[0, 1, 3]]))
                c = f * c + i * np.tanh(z[2])
                h = o * np.tanh(c)
            assert answer[place].item() == pytest.approx(one[12] * h, abs=1e-12)
            assert cell[place].item() == pytest.approx(c, abs=1e-12)
        model = as_classifier(weights, sums)
        logits = model(make_batch(offsets, ids, np.arange(20))).detach()
        assert torch.allclose(logits[:, 0], answer, rtol=0, atol=1e-12)
        assert (logits[:, 1] == 0).all()


def test_words_are_the_steps() -> None:
    sums = sums_of("subtraction", 30)
    offsets, ids, places = as_words(sums)
    table = as_classifier(adder(), sums).embedding.weight.detach().numpy()
    assert (np.diff(offsets) == sums.lengths).all()
    assert (table[ids[places]][..., 1] == sums.numbers).all()
    assert (table[0] == 0).all()


def test_a_net_that_adds_is_explained_rightly() -> None:
    """The closed form: in the limit of a small memory, the net is n_a + n_b, and each number is its own relevance."""
    sums = sums_of("addition")
    found = score_task("addition", adder()[None], sums, 1)
    assert found.error < 1e-6
    assert found.memory == pytest.approx(SMALL / 2 * np.median(np.abs(sums.numbers.sum(1))), rel=0.01)
    scores = {score.title: score for score in found.scores}
    assert len(scores) == len(COMPARED)
    for title in ("Gradient × input", "Occlusion", "Contextual decomposition", "Integrated gradients"):
        assert min(scores[title].correlation_a, scores[title].correlation_b) > 0.99999
        assert scores[title].squared_error < 1e-5
        assert scores[title].elsewhere < 1e-5
    by_eps = [scores[f"LRP (eps {eps:g})"] for eps in (1e-3, 1e-4, 1e-5, 1e-6)]
    assert (np.diff([score.correlation_a for score in by_eps]) > 0).all()
    assert (np.diff([score.squared_error for score in by_eps]) < 0).all()
    assert by_eps[0].correlation_a < 0.95 < 0.998 < by_eps[-1].correlation_a
    assert scores["Sensitivity"].elsewhere == pytest.approx(1, abs=1e-3)
    assert abs(scores["Random"].correlation_a) < 0.2


def test_correlations_are_over_the_sequences_of_all_nets() -> None:
    sums = sums_of("addition", 100)
    nets = torch.stack([adder(), adder() * torch.tensor([1.0] * 12 + [3.0])])
    found = score_task("addition", nets, sums, 2).scores[0]
    numbers = sums.numbers[:, 0]
    expected = np.corrcoef(np.tile(numbers, 2), np.concatenate([numbers, 3 * numbers]))[0, 1]
    assert found.correlation_a == pytest.approx(expected, abs=1e-4)


def test_a_net_that_says_nothing_has_no_correlation() -> None:
    found = score_task("addition", torch.zeros(1, 13, dtype=torch.float64), sums_of("addition", 20), 1)
    record = Arithmetic(0, 20, (found,)).record()
    assert record["tasks"][0]["scores"][0]["correlation_a"] is None
    json.dumps(record, allow_nan=False)


def test_small_training_run_from_end_to_end() -> None:
    stages: dict[str, tuple[int, int]] = {}

    def progress(stage: str, done: int, total: int) -> None:
        assert stages.get(stage, (0, 0))[0] <= done <= total
        stages[stage] = (done, total)

    found = arithmetic(models=1, seed=1, plan=TINY, progress=progress)
    assert [part.task for part in found.tasks] == list(TASKS)
    assert all(done == total for done, total in stages.values())
    assert found.tasks[0].error < 1e-3
    assert found.tasks[0].scores[0].correlation_a > 0.99
    assert [score.record() for part in found.tasks for score in part.scores] == [
        {key: row[key] for key in row if key not in ("task", "title")} for row in found.rows()
    ]
    json.dumps(found.record(), allow_nan=False)


def test_it_is_the_same_each_time_and_what_is_learnt_counts() -> None:
    first, second = (train_nets("addition", 1, seed=5, plan=TINY) for _ in range(2))
    assert torch.equal(first[0], second[0])
    assert first[1] == second[1]
    validation = draw("addition", 500, (4, 10), np.random.default_rng(9))
    assert errors(first[0], validation)[0] < TINY.most_error


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(ModelError, match="None of 4 nets of one unit learnt subtraction"):
        train_nets("subtraction", 1, plan=replace(TINY, steps=1, rounds=2))
    with pytest.raises(SettingError, match="one of addition, subtraction"):
        arithmetic(("division",), plan=TINY)
    with pytest.raises(SettingError, match="one net or more"):
        arithmetic(models=0, plan=TINY)
    for seed in (-1, 2**32, 1.5):
        with pytest.raises(SettingError, match="The seed must lie between 0 and 4294967294; got"):
            arithmetic(models=1, seed=seed, plan=TINY)  # type: ignore[arg-type]


@pytest.mark.slow
def test_ten_nets_a_task_reach_the_bars() -> None:
    addition, subtraction = arithmetic(models=10).tasks
    assert addition.models == subtraction.models == 10
    scores = {score.title: score for score in addition.scores}
    for title in ("Gradient × input", "Occlusion", "LRP (eps 1e-06)"):
        assert min(scores[title].correlation_a, scores[title].correlation_b) >= 0.999
    scores = {score.title: score for score in subtraction.scores}
    fine, usual = scores["LRP (eps 1e-06)"], scores["LRP (eps 0.001)"]
    assert min(fine.correlation_a, -fine.correlation_b) >= 0.98
    assert max(usual.correlation_a, -usual.correlation_b) < 0.75
