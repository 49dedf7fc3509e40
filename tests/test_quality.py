"""Quality on data where the right figures are known."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seer.abstraction import StateAbstraction
from seer.errors import DataError
from seer.quality import Quality, QualitySample, assess, fidelity, majority_classes, purities, stability, sweep

STEPS = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 2)), max_size=30)


def arrays(steps):
    table = np.array(steps, dtype=np.int16).reshape(-1, 2)
    return table[:, 0], table[:, 1]


@given(STEPS, STEPS)
def test_majority_fidelity_and_purity_equal_the_reference(fit, held):
    def commonest(classes):
        return max(range(3), key=lambda c: (classes.count(c), -c))

    overall = commonest([predicted for _, predicted in fit])
    expected = [overall] + [
        commonest(own) if (own := [p for s, p in fit if s == state]) else overall for state in range(1, 6)
    ]
    majority = majority_classes(*arrays(fit), 5)
    assert majority.tolist() == expected
    hits = [expected[state] == predicted for state, predicted in held]
    share = fidelity(*arrays(held), majority)
    assert share == pytest.approx(sum(hits) / len(hits)) if held else math.isnan(share)
    for state, purity in enumerate(purities(*arrays(held), majority), start=1):
        own = [hit for hit, (s, _) in zip(hits, held, strict=True) if s == state]
        assert purity == pytest.approx(sum(own) / len(own)) if own else math.isnan(purity)


def groups(tokens, seed):
    """Four far groups; two predict class 0 always, one class 1, the last class 1 in three of four steps."""
    random = np.random.default_rng(seed)
    group = random.integers(4, size=tokens)
    hidden = np.eye(4)[group] + 0.01 * random.normal(size=(tokens, 4))
    return hidden, np.where(group < 2, 0, np.where((group == 3) & (random.random(tokens) < 0.25), 0, 1))


def sample(abstraction, held=400):
    hidden, predicted = groups(800, 0)
    hidden_held, predicted_held = groups(held, 1)
    final = np.arange(held) % 8 == 7
    return QualitySample.from_hidden(abstraction, hidden, predicted, hidden_held, predicted_held, final)


@pytest.mark.parametrize("method", ["kmeans", "gmm"])
def test_quality_of_groups_that_are_plain_to_see(method):
    abstraction = StateAbstraction(method, 4, 3).fit(groups(800, 0)[0])
    data = sample(abstraction)
    quality = assess(abstraction, data)
    wrong = np.isin(abstraction.assign(data.reduced_held), np.arange(1, 5)[np.array(quality.purity_by_state) < 1])
    missed = (wrong & (data.predicted_held == 0)).mean()
    assert quality.states == 4
    assert quality.fidelity_step == pytest.approx(1 - missed)
    assert sorted(quality.purity_by_state)[1:] == [1, 1, 1]
    assert quality.purity == pytest.approx(np.mean(quality.purity_by_state))
    assert quality.majority_step == pytest.approx(max(data.predicted_held.mean(), 1 - data.predicted_held.mean()))
    if method == "kmeans":
        assert quality.stability == pytest.approx(1)
        assert stability(groups(800, 0)[0], groups(400, 1)[0], abstraction) == quality.stability


def test_sweep_gives_one_quality_for_each_number_of_states():
    abstraction = StateAbstraction(states=4, components=3).fit(groups(800, 0)[0])
    data = sample(abstraction)
    table = sweep(abstraction, data, (1, 2, 4), refits=2)
    assert [quality.states for quality in table] == [1, 2, 4]
    assert table[2] == assess(abstraction, data, refits=2)
    one = table[0]
    assert one.stability == 1
    assert one.fidelity_step == one.purity == one.majority_step


def test_nothing_held_out_gives_none_and_not_a_number():
    abstraction = StateAbstraction(states=4, components=3).fit(groups(800, 0)[0])
    quality = assess(abstraction, sample(abstraction, held=0))
    record = json.loads(json.dumps(quality.record(), allow_nan=False))
    assert record["fidelity_step"] is record["stability"] is record["majority_final"] is record["purity"] is None
    assert record["purity_by_state"] == [None] * 4
    assert math.isnan(Quality.from_record(record).fidelity_final)


def test_record_round_trip():
    abstraction = StateAbstraction(states=4, components=3).fit(groups(800, 0)[0])
    quality = assess(abstraction, sample(abstraction), refits=1)
    assert Quality.from_record(json.loads(json.dumps(quality.record()))) == quality


def test_lengths_that_differ_are_refused():
    abstraction = StateAbstraction(states=4, components=3).fit(groups(800, 0)[0])
    hidden, predicted = groups(20, 2)
    with pytest.raises(DataError, match="20 hidden states"):
        QualitySample.from_hidden(abstraction, hidden, predicted[:5], hidden, predicted, predicted > 0)
    with pytest.raises(DataError, match="lengths differ"):
        QualitySample.from_hidden(abstraction, hidden, predicted, hidden, predicted[:5], predicted > 0)
