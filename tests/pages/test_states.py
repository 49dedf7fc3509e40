"""The states page shows what the machine counts, and one Selection says which state."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from seer.study import Study

APP = str(Path(__file__).resolve().parents[2] / "app.py")


def opened(page: str = "states", **query: str) -> AppTest:
    test = AppTest.from_file(APP, default_timeout=60)
    for key, value in query.items():
        test.query_params[key] = value
    test.run()
    test.switch_page(f"pages/{page}.py").run()
    assert not test.exception
    return test


def said(test: AppTest) -> str:
    kinds = ("markdown", "caption", "info", "warning", "subheader")
    return "\n".join(str(element.value) for kind in kinds for element in test.get(kind)).replace("\\", "")


def chips(test: AppTest) -> list[str]:
    return [button.label for button in test.button if str(button.key).startswith("chip-")]


def test_it_opens_on_the_most_suspicious_state_without_choosing_it(demo: Study) -> None:
    test, machine = opened(), demo.machine("test")
    first = int(machine.suspicious()[0])
    assert f"State S{first}" in said(test)
    assert f"S{first} is shown" in said(test)
    assert f"{machine.error_rate[first]:.0%} of the {machine.labelled[first]:,} labelled sentences" in said(test)
    assert chips(test) == []
    table = next(element.value for element in test.dataframe if "lift" in element.value)
    assert sorted(table["id"]) == list(range(1, demo.states + 1))
    assert table["lift"].is_monotonic_decreasing
    for record in table.to_dict("records"):
        assert record["visits"] == machine.visits[record["id"]]
        assert record["errors"] == machine.errors[record["id"]]
        assert record["purity"] == pytest.approx(machine.purity[record["id"]])
    words = next(element.value for element in test.dataframe if "distinctiveness" in element.value)
    assert words["distinctiveness"].is_monotonic_decreasing


def test_the_box_and_a_way_out_change_the_selection(demo: Study) -> None:
    test = opened()
    test.selectbox(key="states-box").select(2).run()
    assert chips(test) == ["S2"]
    assert "State S2" in said(test)
    way = next(button for button in test.button if str(button.key).startswith("states-way-2-"))
    way.click().run()
    assert not test.exception
    assert chips(test)[0].startswith("S2 → ")


def test_no_sentence_and_unreadable_options_are_said() -> None:
    test = opened(state="2", conf="0.0..0.0", **{"v.words": "none of them"})
    assert "No sentence passes S2 and the filters above" in said(test)
    test = opened(state="999")
    assert "no state S999" in said(test)
