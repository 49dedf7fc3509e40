"""The page of the transition graph: panels, controls in the link, paths."""

import numpy as np

from seer.study import Study
from tests.pages.test_states import chips, opened, said


def strongest(study: Study) -> tuple[int, int]:
    counts = study.machine("test").transitions.copy()
    np.fill_diagonal(counts, 0)
    source, target = np.unravel_index(counts.argmax(), counts.shape)
    return int(source), int(target)


def name(edge: tuple[int, int]) -> str:
    return f"{f'S{edge[0]}' if edge[0] else 'start'} → S{edge[1]}"


def test_it_opens_with_a_key_and_the_strongest_transitions(demo: Study) -> None:
    test = opened("transitions")
    assert "How to read it" in said(test)
    table = test.dataframe[0].value
    edge = strongest(demo)
    assert table["transition"][0] == name(edge)
    assert table["times"][0] == demo.machine("test").transitions[edge]


def test_a_transition_shows_its_counts_and_phrases(demo: Study) -> None:
    edge = strongest(demo)
    test, machine = opened("transitions", edge=f"{edge[0]}-{edge[1]}"), demo.machine("test")
    assert f"Taken {machine.transitions[edge]:,} times: {machine.probability[edge]:.0%} of the s" in said(test)
    assert test.dataframe[0].value["times"].sum() <= machine.transitions[edge]
    test.selectbox(key="transitions-box").select(4).run()
    assert chips(test) == ["S4"]
    assert "State S4" in said(test)


def test_controls_stand_in_the_link_and_bad_ones_do_no_harm() -> None:
    test = opened("transitions", **{"v.top": "99", "v.least": "nan", "v.colour": "loud", "v.loops": "1"})
    assert test.selectbox(key="graph-top").value == 3
    assert test.selectbox(key="graph-least").value == 0
    test.selectbox(key="graph-least").select(0.5).run()
    assert not test.exception
    assert test.query_params["v.least"] == "0.5"


def test_whose_path_lies_over_the_graph(demo: Study) -> None:
    row = int(demo.rows("test")[0])
    test = opened("transitions", row=str(demo.corpus.ids[row]))
    assert f"Path of sentence {demo.corpus.ids[row]}" in said(test)
    test.toggle(key="graph-path").set_value(False).run()
    assert test.query_params["v.path"] == "0"
    assert "Path of the typed text: “<b>$a$</b> *x*”" in said(opened("transitions", text="<b>$a$</b> *x*"))
    assert "It holds no word" in said(opened("transitions", text=" "))
    assert "Path of the pattern: “S1 → S2”" in said(opened("transitions", path="1-2"))
