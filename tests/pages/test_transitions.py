"""The page of the transition graph: panels, controls in the link, paths."""

import numpy as np

from seer.machine import StateMachine
from seer.slices import Filter, matching_rows
from seer.study import Study
from seer.ui.frame import View
from seer.ui.passing import passing
from seer.ui.selection import Selection
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
    assert "Every sentence leaves **start**" in said(test)
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


def test_a_filter_leaves_only_its_sentences_in_graph_table_and_panel(demo: Study) -> None:
    rows = matching_rows(demo, Filter("test", pattern=(13,), words=demo.phrase_ids(".")))
    machine = StateMachine.count(demo.traces.select(rows), demo.corpus.labels[rows], demo.states, demo.classes)
    view = View(demo, Selection(pattern=(13,), word=".", transition=(5, 7)))
    assert passing(view).machine == machine
    assert passing(View(demo, Selection(state=3, transition=(1, 2)))).machine is demo.machine("test")
    test = opened("transitions", path="13", word=".")
    counts = machine.transitions.copy()
    np.fill_diagonal(counts, 0)
    assert test.dataframe[0].value["times"][0] == counts.max()
    assert f"in the {len(rows)} sentences that pass" in said(test)
    edge = np.unravel_index(counts.argmax(), counts.shape)
    test = opened("transitions", path="13", word=".", edge=f"{edge[0]}-{edge[1]}")
    assert f"Taken {counts.max():,} times: {machine.probability[edge]:.0%} of the s" in said(test)
    empty = opened("transitions", q="no sentence says this zzqx")
    assert "None of the 0 sentences that pass has a word" in said(empty)
    assert not empty.exception


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
    assert "Path of the pattern S1 → S2" in said(opened("transitions", path="1-2"))
    assert "Path of the pattern S13 · “.”" in said(opened("transitions", path="13", word="."))
