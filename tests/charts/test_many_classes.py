"""Forty classes: colours for those a picture is about, one grey for the rest, and names that stay apart."""

import json

import numpy as np
import pandas as pd
import pytest

from seer.charts.captions import OTHERS, legend
from seer.charts.curve import probability_chart, probability_strip
from seer.charts.export import standalone_html
from seer.charts.figures import FEW, confusion_chart
from seer.charts.leading import likely_classes, machine_colours, sentence_colours
from seer.charts.network import GraphOptions, graph_data
from seer.charts.palette import COLOURED, OTHER
from seer.charts.relevance_figures import dropping_chart, map_chart
from seer.charts.sentence import legend_html
from seer.charts.states import class_bars, map_places, state_map
from seer.confusions import class_order
from seer.slices import confusion_matrix
from seer.study import Study
from tests.many import CLASSES


def table_of(spec, layer):
    return pd.DataFrame(spec["datasets"][spec["layer"][layer].get("data", spec.get("data"))["name"]])


@pytest.fixture(scope="module")
def trace(forty_study: Study):
    return forty_study.sentence(int(forty_study.rows("test")[0]))


def test_the_machine_colours_the_classes_of_most_visits(forty_study: Study) -> None:
    machine = forty_study.machine(None)
    colours = machine_colours(machine)
    largest = int(np.argmax(machine.visits[1:])) + 1
    assert colours[CLASSES[machine.majority[largest]]] != OTHER
    assert sum(colour != OTHER for colour in colours.values()) == COLOURED
    grey = next(place for place, name in enumerate(CLASSES) if colours[name] == OTHER)
    also = machine_colours(machine, grey)
    assert also[CLASSES[grey]] != OTHER
    assert sum(also[name] == colour for name, colour in colours.items() if colour != OTHER) == COLOURED - 1


def test_a_sentence_is_about_what_it_is_read_as_and_what_was_asked_for(trace) -> None:
    likely = likely_classes(trace.probability, asked=[33])
    assert likely[0] == 33
    assert set(np.unique(trace.predicted)) <= set(likely)
    colours = sentence_colours(trace, asked=[33])
    assert OTHER not in (colours[CLASSES[33]], colours[str(trace.prediction)])


def test_a_curve_draws_the_likely_classes_and_the_highest_of_the_others(trace) -> None:
    spec = probability_chart(trace, asked=[33]).to_dict()
    lines = table_of(spec, 1)
    names, domain = list(dict.fromkeys(lines["line"])), spec["layer"][1]["encoding"]["color"]["scale"]["domain"]
    assert names == domain
    assert len(names) <= COLOURED + 1
    assert CLASSES[33] in set(lines["class"])
    rest = lines[lines["line"] == names[-1]]
    drawn = [CLASSES.index(name) for name in set(lines.loc[lines["line"] != names[-1], "class"])]
    assert names[-1] == f"highest of {40 - len(drawn)} others"
    others = np.setdiff1d(np.arange(40), drawn)
    assert np.allclose(rest["probability"], trace.probability[:, others].max(axis=1))
    assert [CLASSES.index(name) for name in rest["class"]] == others[
        trace.probability[:, others].argmax(axis=1)
    ].tolist()
    strip = probability_strip(trace, 0, 3).to_dict()["layer"][1]["encoding"]["color"]["scale"]["domain"]
    assert len(strip) <= COLOURED + 1


def test_what_is_left_when_words_go_has_few_lines(trace) -> None:
    probability = np.vstack([trace.probability, np.full(40, 1 / 40)])
    spec = dropping_chart(probability, list(trace.words), CLASSES, 1).to_dict()
    assert len(spec["layer"][1]["encoding"]["color"]["scale"]["domain"]) <= COLOURED + 1


def test_the_legend_of_a_sentence_tells_the_coloured_classes_and_the_rest_as_one(trace) -> None:
    html = legend_html(CLASSES, colours=sentence_colours(trace))
    assert html.count('class="bar"') == COLOURED + 1
    assert "other classes" in html
    assert "<b>bold</b>" not in html
    one = legend_html(CLASSES, only=[str(trace.prediction)], colours=sentence_colours(trace))
    assert one.count('class="bar"') == 1


def test_the_map_and_the_graph_name_few_classes(forty_study: Study) -> None:
    machine = forty_study.machine("test")
    spec = state_map(machine, map_places(forty_study.machine(None), forty_study.places)).to_dict()
    entries = spec["layer"][2]["encoding"]["color"]["scale"]["domain"]
    assert len(entries) <= COLOURED + 2
    assert len(set(entries)) == len(entries)
    assert set(table_of(spec, 2)["class"]) <= {*CLASSES, "never visited"}
    told = legend(machine, False, machine_colours(machine))
    assert len(told) <= COLOURED + 1
    assert [entry["label"] for entry in told if entry["colour"] == OTHER] in ([], [OTHERS])
    data = graph_data(machine, GraphOptions(noun="pair"))
    assert all(len(node["caption"]) <= 12 for node in data["nodes"])
    assert "pair" in data["nodes"][0]["title"]
    assert not any("sentence" in item["title"] for item in (*data["nodes"], *data["edges"]))
    assert "<img src=x onerror" not in standalone_html(machine)
    json.dumps(data, allow_nan=False)


def test_a_bar_keeps_its_share_beside_a_long_name(forty_study: Study) -> None:
    machine = forty_study.machine(None)
    for state in range(1, machine.states + 1):
        rows = next(iter(class_bars(machine, state).to_dict()["datasets"].values()))
        assert len({row["label"] for row in rows}) == len(rows)
        assert all(row["label"].endswith("%") and len(row["label"]) <= 24 for row in rows)


def test_the_matrix_shows_some_classes_in_their_order_and_pools_the_rest(forty_study: Study) -> None:
    matrix = confusion_matrix(forty_study, forty_study.rows("test"))
    places = class_order(matrix, "errors")[:FEW].tolist()
    spec = confusion_chart(matrix, CLASSES, (places[1], places[0]), places).to_dict()
    rows = next(iter(spec["datasets"].values()))
    names = [CLASSES[place] for place in places]
    assert spec["layer"][0]["encoding"]["y"]["scale"]["domain"] == [*names, "28 others"]
    assert sum(row["count"] for row in rows) == matrix.sum()
    assert [(row["true"], row["predicted"]) for row in rows if row["chosen"]] == [(names[1], names[0])]
    assert {row["kind"] for row in rows} == {"right", "wrong", "right, or wrong among these"}
    # No name stands in an expression.
    axes = [spec["layer"][0]["encoding"][axis]["axis"]["labelExpr"] for axis in "xy"]
    assert set(axes) == {"shown[indexof(names, datum.value)]"}
    shown = next(param["value"] for param in spec["params"] if param["name"] == "shown")
    assert len(set(shown)) == FEW + 1


def test_the_whole_matrix_writes_numbers_where_there_is_room(forty_study: Study) -> None:
    matrix = confusion_matrix(forty_study, forty_study.rows("test"))
    spec = confusion_chart(matrix, CLASSES).to_dict()
    rows = next(iter(spec["datasets"].values()))
    assert len(rows) == 1600
    assert {row["label"] for row in rows if not row["count"]} == {""}
    assert "bandwidth('x')" in spec["layer"][1]["mark"]["opacity"]["expr"]
    assert spec["height"] < 1000


def test_points_of_many_classes_share_the_grey() -> None:
    labels = [CLASSES[0]] * 5 + list(CLASSES[:20])
    places = np.random.default_rng(0).normal(size=(25, 2))
    spec = map_chart(places, labels, [True] * 25, [str(at) for at in range(25)], CLASSES).to_dict()
    domain = spec["encoding"]["color"]["scale"]["domain"]
    assert len(domain) == COLOURED + 1
    assert domain.count(OTHERS) == 1
