"""LSTMs of one unit that add or subtract two numbers of a sequence: many are trained side by side.

The task of Arras et al., "Evaluating Recurrent Neural Network Explanations" (BlackboxNLP 2019), section 4. A net has 13
weights and no bias: it gives 0 for zeros, and a zero at the front of a sequence changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from scipy.optimize import least_squares
from torch import Tensor

from seer.errors import ModelError, SettingError
from seer.evaluation.seeds import checked_seed
from seer.models.classifier import Architecture, RNNClassifier
from seer.progress import Progress, silent
from seer.text import PAD_ID
from seer.traces import FloatArray, IntArray

TASKS = ("addition", "subtraction")

SMALLEST, LARGEST = 0.5, 1.0
"""Bounds of a number's size: without numbers near 0 a correlation says whether its *size* is found."""

SHORT, LONG = (4, 10), (13, 14)
"""Fewest and most steps of the sequences trained on, and of those tested on."""

WEIGHTS = 13
"""Of a net: from the inputs to the gates i, f, g, o (4·2), from its state to them (4), from its state to the answer."""


@dataclass(frozen=True)
class Sums:
    """n sequences of (noise, 0) steps, but for (0, n_a) and, after it, (0, n_b).

    Attributes:
        steps: (n, T, 2) float64, shorter sequences with zeros at the front.
        lengths: (n,) steps of each.
        places: (n, 2) which of the T steps hold n_a and n_b.
        numbers: (n, 2) n_a and n_b.
        answers: (n,) n_a + n_b, or n_a − n_b.
    """

    steps: Tensor
    lengths: IntArray
    places: IntArray
    numbers: FloatArray
    answers: Tensor


@dataclass(frozen=True)
class TrainingPlan:
    """How the nets are trained.

    Attributes:
        sequences: to train on; a quarter as many to validate on.
        steps: of Adam for subtraction.
        first_steps: of Adam for addition, before its finish.
        batch: sequences a step.
        learning_rate: of Adam at first; it falls to 0 with a cosine.
        spread: standard deviation of the first weights.
        most_error: mean squared error on the validation sequences that a net must stay below to count.
        finish_sequences: how many of the sequences addition's least-squares finish sees.
        finish_steps: its evaluations. More of them shrink the memory further, to where LRP's eps is no longer small.
        rounds: how often twice the nets that lack are tried.
    """

    sequences: int = 10_000
    steps: int = 2000
    first_steps: int = 500
    batch: int = 256
    learning_rate: float = 0.05
    spread: float = 0.5
    most_error: float = 1e-4
    finish_sequences: int = 1000
    finish_steps: int = 40
    rounds: int = 4


def draw(task: str, count: int, lengths: tuple[int, int], random: np.random.Generator) -> Sums:
    """Draw sequences: sizes uniform in [.5, 1], noise positive, numbers to add of either sign, to subtract positive.

    With noise of either sign nets add as well, but drift more over the steps after n_b, or need a smaller memory, which
    eps is then not small against. LRP pays for either: at eps 1e-6 its correlations stayed between .997 and .999,
    however long the finish; gradient × input and occlusion kept theirs.

    Args:
        task: addition or subtraction.
        count: how many.
        lengths: fewest and most steps.
        random: where chance comes from.

    Raises:
        SettingError: no such task.
    """
    if task not in TASKS:
        raise SettingError(f"The task must be one of {', '.join(TASKS)}; got {task!r}.")
    longest = lengths[1]
    values = random.uniform(SMALLEST, LARGEST, (count, longest))
    length = random.integers(lengths[0], longest + 1, count)
    padding = np.arange(longest) < longest - length[:, None]
    places = np.sort(np.argsort(random.random(values.shape) + padding, axis=1)[:, :2], axis=1)
    numbers = np.take_along_axis(values, places, axis=1)
    if task == "addition":
        numbers *= random.choice((-1, 1), numbers.shape)
    answers = numbers[:, 0] + numbers[:, 1] if task == "addition" else numbers[:, 0] - numbers[:, 1]
    steps = np.zeros((*values.shape, 2))
    steps[..., 0] = np.where(padding, 0, values)
    rows = np.arange(count)[:, None]
    steps[rows, places, 0], steps[rows, places, 1] = 0, numbers
    return Sums(torch.from_numpy(steps), length, places, numbers, torch.from_numpy(answers))


def run(weights: Tensor, steps: Tensor) -> tuple[Tensor, Tensor]:
    """Answers (M, n) and last memory cells (M, n) of M nets with the given weights (M, 13) for steps (n, T, 2)."""
    inputs = torch.einsum("mgd,ntd->tmgn", weights[:, :8].reshape(-1, 4, 2), steps)
    recurrent = weights[:, 8:12, None]
    state = cell = steps.new_zeros(len(weights), len(steps))
    for step in inputs:
        before = step + recurrent * state[:, None]
        gates, candidate = torch.sigmoid(before), torch.tanh(before[:, 2])
        cell = gates[:, 1] * cell + gates[:, 0] * candidate
        state = gates[:, 3] * torch.tanh(cell)
    return weights[:, 12:] * state, cell


def errors(weights: Tensor, sums: Sums) -> FloatArray:
    """(M,) mean squared error of each net."""
    with torch.no_grad():
        found = (run(weights, sums.steps)[0] - sums.answers).square().mean(1)
    return np.asarray(found.numpy())


def train_nets(
    task: str, wanted: int, *, seed: int = 0, plan: TrainingPlan | None = None, progress: Progress = silent
) -> tuple[Tensor, int]:
    """Train until enough nets can do the task.

    Args:
        task: addition or subtraction.
        wanted: how many nets.
        seed: of sequences, first weights and batches.
        plan: how to train.
        progress: told how far it is, in stages named after the task.

    Returns:
        Weights (M, 13), float64, and how many nets were tried until there were ``wanted``. M is smaller than wanted
        when ``plan.rounds`` rounds did not give enough.

    Raises:
        ModelError: no net learnt it.
        SettingError: no such task, fewer than one net wanted, or a seed out of range.
    """
    if wanted < 1:
        raise SettingError(f"Expected one net or more, got {wanted}.")
    seed = checked_seed(seed)
    plan = plan or TrainingPlan()
    random = np.random.default_rng(seed)
    fitting, validation = (draw(task, count, SHORT, random) for count in (plan.sequences, plan.sequences // 4))
    kept: list[Tensor] = []
    tried = 0
    for _ in range(plan.rounds):
        starts = random.normal(0, plan.spread, (2 * (wanted - len(kept)), WEIGHTS))
        for weights in _adam(torch.from_numpy(starts), fitting, plan, random, task, progress):
            tried += 1
            found = _finish(weights, fitting, plan) if task == "addition" else weights
            if errors(found[None], validation)[0] < plan.most_error:
                kept.append(found)
                progress(f"{task} nets", len(kept), wanted)
            if len(kept) == wanted:
                return torch.stack(kept), tried
    if not kept:
        raise ModelError(f"None of {tried} nets of one unit learnt {task}; try another seed.")
    return torch.stack(kept), tried


def _adam(
    starts: Tensor, sums: Sums, plan: TrainingPlan, random: np.random.Generator, task: str, progress: Progress
) -> Tensor:
    """Weights (M, 13) of M nets trained at once; each sees the same batches and learns from its own error only."""
    weights = starts.float().requires_grad_()
    steps, answers = sums.steps.float(), sums.answers.float()
    optimiser = torch.optim.Adam([weights], lr=plan.learning_rate)
    total = plan.first_steps if task == "addition" else plan.steps
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, total)
    for step in range(total):
        chosen = torch.from_numpy(random.integers(0, len(answers), plan.batch))
        loss = (run(weights, steps[chosen])[0] - answers[chosen]).square().mean(1).sum()
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
        if (step + 1) % 20 == 0 or step + 1 == total:
            progress(task, step + 1, total)
    return weights.detach().double()


def _finish(weights: Tensor, sums: Sums, plan: TrainingPlan) -> Tensor:
    """The weights (13,) after Levenberg–Marquardt steps.

    To add numbers of either sign, a net must keep gates from reading them and its memory where tanh is straight: a long
    and narrow valley, in which Adam stands still.
    """
    steps, answers = sums.steps[: plan.finish_sequences], sums.answers[: plan.finish_sequences]

    def answer(point: Tensor) -> Tensor:
        return run(point[None], steps)[0][0]

    slope: Callable[[Tensor], Tensor] = torch.func.jacfwd(answer)
    found = least_squares(
        lambda point: (answer(torch.from_numpy(point)) - answers).numpy(),
        weights.numpy(),
        jac=lambda point: slope(torch.from_numpy(point)).numpy(),
        method="lm",
        max_nfev=plan.finish_steps,
    )
    return torch.from_numpy(found.x)


def as_classifier(weights: Tensor, sums: Sums) -> RNNClassifier:
    """A net (13,) as a classifier in float64 whose logit 0 is the net's answer and whose logit 1 is 0.

    Each step of the sequences is a word of its own; see ``as_words``.
    """
    words = sums.steps[_real(sums)]
    model = RNNClassifier(Architecture(len(words) + 1, 2, "lstm", embedding=2, hidden=1, dropout=0.0)).double().eval()
    parameters = dict(model.named_parameters())
    with torch.no_grad():
        for parameter in parameters.values():
            parameter.zero_()
        parameters["embedding.weight"][PAD_ID + 1 :] = words
        parameters["rnn.weight_ih_l0"].copy_(weights[:8].reshape(4, 2))
        parameters["rnn.weight_hh_l0"].copy_(weights[8:12, None])
        parameters["head.weight"][0] = weights[12]
    return model


def as_words(sums: Sums) -> tuple[IntArray, IntArray, IntArray]:
    """The sequences as a ragged corpus of word ids, one for each step that is not padding.

    Returns:
        offsets (n+1,), ids (N,), and (n, 2) at which positions in ``ids`` n_a and n_b stand.
    """
    offsets = np.concatenate([[0], np.cumsum(sums.lengths)])
    padding = sums.steps.shape[1] - sums.lengths
    return offsets, np.arange(1, offsets[-1] + 1), offsets[:-1, None] + sums.places - padding[:, None]


def _real(sums: Sums) -> Tensor:
    longest = sums.steps.shape[1]
    return torch.from_numpy(np.arange(longest) >= longest - sums.lengths[:, None])
