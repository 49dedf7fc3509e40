"""The graph: filters, positions, escaping, and files that stand alone."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re

import networkx as nx
import numpy as np
import pytest

from seer.charts.export import edges_csv, graphml, standalone_html
from seer.charts.layout import HEIGHT, WIDTH, node_radius, place_states
from seer.charts.network import (
    GraphOptions,
    build_network,
    error_limit,
    graph_data,
    path_steps,
    shown_edges,
)
from seer.errors import SettingError
from seer.machine import StateMachine
from seer.traces import Traces

CLASSES = ("<b>neg</b>", "R&D's </script><img src=x onerror=alert(1)>", "href\x00=x")


def make_machine(states: int = 20, sentences: int = 200, classes: tuple[str, ...] = CLASSES) -> StateMachine:
    random = np.random.default_rng(0)
    offsets = np.concatenate([[0], np.cumsum(random.integers(1, 15, sentences))])
    steps = int(offsets[-1])
    state = np.minimum(random.geometric(0.2, steps), states).astype(np.int16)
    predicted = ((state + (random.random(steps) < 0.2)) % len(classes)).astype(np.int16)
    probability = np.full((steps, len(classes)), 1 / len(classes), dtype=np.float32)
    traces = Traces(offsets, np.zeros(steps, np.int32), state, predicted, probability)
    labels = random.integers(-1, len(classes), sentences)
    return StateMachine.count(traces, labels, states, classes)


@pytest.fixture(scope="module")
def machine() -> StateMachine:
    return make_machine()


def test_top_counts_edges_out_of_each_state_without_loops(machine: StateMachine) -> None:
    edges = shown_edges(machine, GraphOptions(top=2))
    for source in range(machine.states + 1):
        counts = machine.transitions[source].copy()
        counts[source] = 0
        mine = [target for start, target in edges if start == source]
        assert len(mine) == min(2, np.count_nonzero(counts))
        assert source not in mine
        if mine:
            assert sorted(counts[mine]) == sorted(np.sort(counts)[-len(mine) :])


def test_loops_minimum_and_kept_edges(machine: StateMachine) -> None:
    loops = [edge for edge in shown_edges(machine, GraphOptions(loops=True, top=1)) if edge[0] == edge[1]]
    assert loops == [(s, s) for s in range(1, 21) if machine.transitions[s, s]]
    assert all(machine.probability[edge] >= 0.2 for edge in shown_edges(machine, GraphOptions(top=0, minimum=0.2)))
    kept = shown_edges(machine, GraphOptions(minimum=1.0), keep=[(3, 17), (3, 99)])
    assert (3, 17) in kept
    assert (3, 99) not in kept
    everything = GraphOptions(top=0, loops=True)
    assert len(shown_edges(machine, everything)) == np.count_nonzero(machine.transitions)


@pytest.mark.parametrize("wrong", [{"top": -1}, {"minimum": 1.5}, {"colour": "x"}, {"width": "x"}])
def test_settings_out_of_range(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingError, match="got"):
        GraphOptions(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("states", [1, 2, 20, 39])
def test_positions_are_repeatable_apart_and_of_a_good_shape(states: int) -> None:
    machine = make_machine(states)
    places = place_states(machine)
    assert places == place_states(machine)
    assert set(places) == set(range(states + 1))
    for first, second in itertools.combinations(places, 2):
        distance = np.hypot(*np.subtract(places[first], places[second]))
        assert distance > node_radius(machine, first) + node_radius(machine, second) + 5
    assert places[0][0] == min(x for x, _ in places.values())
    if states >= 20:
        width, height = np.ptp(np.array(list(places.values())), axis=0)
        assert 0.8 < width / height / (WIDTH / HEIGHT) < 1.3


def test_filters_move_nothing(machine: StateMachine) -> None:
    few, many = graph_data(machine, GraphOptions(top=1)), graph_data(machine, GraphOptions(top=0, colour="error"))
    assert [(n["id"], n["x"], n["y"]) for n in few["nodes"]] == [(n["id"], n["x"], n["y"]) for n in many["nodes"]]


def test_area_follows_visits(machine: StateMachine) -> None:
    first, second = (node_radius(machine, s) for s in (1, 2))
    assert (first / second) ** 2 == pytest.approx(machine.visits[1] / machine.visits[2])


def test_data_is_plain_json_and_marks_what_is_chosen(machine: StateMachine) -> None:
    data = graph_data(machine, state=3, transition=(4, 19), path=[0, 1, 1, 2, 1, 1])
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["selected"] == {"node": 3, "edge": "4-19"}
    assert data["steps"] == {"0-1": [1], "1-1": [2, 5], "1-2": [3], "2-1": [4]}
    assert data["visited"] == [0, 1, 2]
    assert {"4-19", *data["steps"]} <= {edge["id"] for edge in data["edges"]}
    assert [node["start"] for node in data["nodes"]] == [True] + [False] * 20
    assert data["nodes"][1]["label"] == "S1"
    assert data["nodes"][0]["label"] == "start"
    assert "20 states" in data["description"]
    assert [entry["label"] for entry in data["legend"]] == list(CLASSES)
    assert path_steps([5]) == {}


def test_it_is_a_pyvis_network(machine: StateMachine) -> None:
    network = build_network(machine)
    assert network.num_nodes() == 21
    assert network.num_edges() == len(shown_edges(machine))
    assert "mostly " + CLASSES[1] in network.get_node(1)["title"]
    assert all(type(value) in (int, float, str, bool, type(None)) for node in network.nodes for value in node.values())


def test_states_without_visits_or_labels() -> None:
    traces = Traces(
        np.array([0, 2]),
        np.zeros(2, np.int32),
        np.array([1, 1], np.int16),
        np.array([0, 0], np.int16),
        np.ones((2, 1), np.float32),
    )
    machine = StateMachine.count(traces, np.array([-1]), 3, ("only",))
    for colour in ("class", "error"):
        data = graph_data(machine, GraphOptions(colour=colour, top=0, loops=True))  # type: ignore[arg-type]
        json.dumps(data, allow_nan=False)
        assert data["nodes"][3]["caption"] in ("no visit", "no label")
    assert error_limit(machine) == 0.1


@pytest.mark.hard_inputs(39)
def test_the_file_stands_alone_and_escapes(machine: StateMachine) -> None:
    page = standalone_html(machine, state=2, title="<b>R&D's</b> %DATA%")
    assert "<title>&lt;b&gt;R&amp;D&#x27;s&lt;/b&gt; %DATA%</title>" in page
    assert not re.search(r"<(link|img|iframe)\b|<script[^>]+src|@import|\burl\(\s*['\"]?http|sourceMappingURL", page)
    assert page.count("</script>") == 2
    assert "onerror" in page
    assert "<img" not in page
    assert "vis-network" in page
    assert "createStateGraph" in page
    assert 'charset="utf-8"' in page
    page.encode("utf-8")


def test_graphml_and_csv_hold_every_transition(machine: StateMachine) -> None:
    graph = nx.parse_graphml(graphml(machine))
    rows = list(csv.DictReader(io.StringIO(edges_csv(machine))))
    assert graph.number_of_edges() == len(rows) == np.count_nonzero(machine.transitions)
    for row in rows:
        source, target = int(row["source"]), int(row["target"])
        assert int(row["count"]) == machine.transitions[source, target]
        assert float(row["probability"]) == machine.probability[source, target]
        assert graph.edges["start" if source == 0 else f"S{source}", f"S{target}"]["count"] == int(row["count"])
    assert graph.nodes["S1"]["majority"] == CLASSES[machine.majority[1]].replace("\x00", "\ufffd")
    assert graph.nodes["S1"]["predicted <b>neg</b>"] == machine.class_counts[1, 0]
