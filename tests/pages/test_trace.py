from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from seer.picks import example_row, next_row, wrong_rows
from seer.slices import Filter, matching_rows
from seer.study import Study

APP = Path(__file__).resolve().parents[2] / "app.py"


@pytest.fixture(scope="module")
def study():
    return Study.open("demo")


def open_page(**query):
    app = AppTest.from_file(str(APP), default_timeout=60)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    app.switch_page("pages/trace.py").run()
    assert not app.exception
    return app


def steps_of(app):
    """The table of the steps: other tables stand beside it."""
    return next(table.value for table in app.dataframe if "step" in table.value)


def html_of(app):
    return " ".join(element.proto.body for element in app.get("html"))


def test_opens_on_an_example_worth_seeing(study):
    app = open_page()
    row = example_row(study, study.rows("test"))
    trace = study.sentence(row)
    assert app.text_area(key="trace-text").value == trace.text
    assert "an example" in app.text_area(key="trace-text").label
    assert "✕ Wrong:" in html_of(app)
    assert f"<b>{trace.probability[-1].max():.2f}</b>" in html_of(app)
    table = steps_of(app)
    assert table["word"].tolist() == list(trace.words)
    assert table["state"].tolist() == [f"S{state}" for state in trace.state]
    assert table["p(pos)"].tolist() == pytest.approx(trace.probability[:, 1].tolist())


def test_errors_are_walked_through_within_the_filters(study):
    app = open_page(state="3")
    rows = matching_rows(study, Filter(split="test", state=3))
    wrong, example = wrong_rows(study, rows), example_row(study, rows)
    assert app.text_area(key="trace-text").value == study.corpus.text(example)
    app.button(key="trace-Next error").click().run()
    first = next_row(wrong, example, len(study.corpus))
    assert app.text_area(key="trace-text").value == study.corpus.text(first)
    app.button(key="trace-Next error").click().run()
    assert app.text_area(key="trace-text").value == study.corpus.text(next_row(wrong, first, len(study.corpus)))
    app.button(key="trace-Random error").click().run()
    assert not app.exception
    assert "✕ Wrong:" in html_of(app)
    assert 'class="w marked' in html_of(app)


def test_typing_replaces_the_row_and_editing_keeps_it():
    app = open_page()
    text = app.text_area(key="trace-text").value
    app.button(key="trace-edit").click().run()
    app.text_area(key="trace-edited").set_value(f"not {text}").run()
    assert app.text_area(key="trace-text").value == text
    assert "What the edit changed" in [title.value for title in app.subheader]
    assert "0 out, 1 in" in html_of(app)
    app.text_area(key="trace-text").set_value("a good film").run()
    assert [area.key for area in app.text_area] == ["trace-text"]
    assert len(steps_of(app)) == 3
    assert not app.exception


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "The text is empty"),
        (" \n ", "The text is blank"),
        ("... !", "only punctuation"),
        ("qwxyz vfrtgb", "No word is in the vocabulary"),
        ("a film " * 5000, "10,000 words are shown 400 at a time"),
        ("word " * 50_000, "250,000 characters"),
    ],
)
def test_odd_texts_get_a_clear_word(text, word):
    app = open_page()
    app.text_area(key="trace-text").set_value(text).run()
    assert not app.exception
    said = " ".join(element.value for element in [*app.caption, *app.info]).replace("\\", "")
    assert word in said
    blank = not text.strip()
    assert [button.key for button in app.button if button.key in ("trace-edit", "trace-example")] == [
        "trace-example" if blank else "trace-edit"
    ]
    assert any(button.key == "chip-text" for button in app.button) != blank
    app.text_area(key="trace-text").set_value("a good film").run()
    assert len(steps_of(app)) == 3


def test_an_example_from_outside_the_filters_is_called_so(study):
    app = open_page(conf="0.0..0.1")
    assert "from outside them" in app.info[0].value
    assert app.text_area(key="trace-text").value == study.corpus.text(example_row(study, study.rows("test")))
    assert "an example from outside the filters" in app.text_area(key="trace-text").label


def test_a_search_without_a_hit_says_so():
    app = open_page(q="zzyzx")
    assert "No sentence that passes the filters" in app.info[0].value
    assert app.button(key="trace-Next error").disabled


def test_the_parts_of_a_long_text_are_turned_without_a_warning():
    app = open_page(**{"text": "a film " * 500, "v.part": "2"})
    assert not [warning.value for warning in app.warning]
    assert "401" in html_of(app) or "400 words before" in html_of(app)
    turned = open_page(text="a film " * 500)
    assert not [warning.value for warning in turned.warning]
