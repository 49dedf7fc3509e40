"""The map keeps states apart and in place; rings and bars add up; missing figures are drawn as missing."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from seer.charts.quality import purity_chart, sweep_chart
from seer.charts.states import NO_VISIT, class_bars, map_places, state_map
from seer.machine import StateMachine
from seer.quality import Quality
from seer.study import Study
from seer.traces import Traces


def data_of(chart, layer):
    spec = chart.to_dict()
    return pd.DataFrame(spec["datasets"][spec["layer"][layer]["data"]["name"]])


def test_discs_stay_apart_and_no_split_moves_one(demo: Study) -> None:
    whole = demo.machine(None)
    places = map_places(whole, demo.places)
    assert np.array_equal(places, map_places(whole, demo.places))
    states = data_of(state_map(whole, places, chosen=3), 2)
    for first, second in itertools.combinations(states.to_dict("records"), 2):
        distance = np.hypot(first["x"] - second["x"], first["y"] - second["y"])
        assert distance > first["radius"] + second["radius"] + 5
    test = data_of(state_map(demo.machine("test"), places), 2)
    assert test[["x", "y"]].equals(states[["x", "y"]])
    assert states["state"][states["chosen"]].tolist() == [3]


def test_rings_are_the_share_of_each_class(demo: Study) -> None:
    machine = demo.machine("test")
    rings = data_of(state_map(machine, map_places(machine, demo.places)), 1)
    shares = (rings["end"] - rings["begin"]) / (2 * np.pi)
    for state in range(1, machine.states + 1):
        mine = rings["state"] == state
        assert shares[mine].sum() == pytest.approx(1)
        assert shares[mine].max() == pytest.approx(machine.purity[state])


def many_classes(count: int = 9) -> StateMachine:
    predicted = np.repeat(np.arange(count), np.arange(count) + 1).astype(np.int16)
    steps = len(predicted)
    traces = Traces(
        np.array([0, steps]),
        np.zeros(steps, np.int32),
        np.ones(steps, np.int16),
        predicted,
        np.full((steps, count), 1 / count, np.float32),
    )
    return StateMachine.count(traces, np.array([-1]), 2, tuple(f"class {place}" for place in range(count)))


def test_many_classes_share_a_bar_and_unvisited_states_say_so() -> None:
    machine = many_classes()
    spec = class_bars(machine, 1).to_dict()
    bars = pd.DataFrame(spec["datasets"][spec["data"]["name"]])
    assert bars["class"].tolist()[-1] == "4 more classes"
    assert len(bars) == 6
    assert bars["count"].sum() == machine.visits[1]
    assert bars["label"][0] == "class 8 · 20%"
    class_bars(machine, 2).to_dict()
    states = data_of(state_map(machine, map_places(machine, np.zeros((2, 2)))), 2)
    assert states["class"].tolist() == ["class 8", NO_VISIT]


def test_quality_is_drawn_whatever_is_missing(demo: Study) -> None:
    quality = replace(demo.quality, stability=float("nan"), purity_by_state=(0.5, float("nan")))
    assert isinstance(quality, Quality)
    assert data_of(purity_chart(quality), 0)["state"].tolist() == ["S1"]
    assert len(data_of(sweep_chart([quality, demo.quality], 20), 1)) == 8
