"""Names and texts that Markdown, HTML or a chart would read for its own signs stand on every page as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from seer.study import Study
from tests.odd import (
    CLASSES,
    EATEN,
    PAIRS,
    SEEN,
    STUDY,
    double_escaped,
    eaten_by_markdown,
    odd_notes,
    odd_study,
    read_html,
)

PAGES = ("overview", "states", "transitions", "triage", "trace", "relevance", "pairs", "plan", "studies")
PLAIN = {
    *("id", "form_id", "file_name", "query_string", "spec", "alt", "icon", "default", "value", "placeholder"),
    *("raw_value", "json", "js_content", "css_content", "Selectbox.options", "MultiSelect.options"),
}
"""Fields of Streamlit's messages that no browser reads as Markdown; some of them are looked at in their own way."""


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies")
    odd_study(folder)
    odd_study(folder, paired=True)
    return folder


@pytest.fixture
def odd(studies: Path, notes_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.setenv("SEER_STUDIES", str(studies))
    study = Study.open(studies / STUDY)
    odd_notes(study, notes_folder / f"{STUDY}.sqlite")
    return study


def opened(root: Path, page: str, **query: str) -> AppTest:
    test = AppTest.from_file(str(root / "app.py"), default_timeout=60)
    for key, value in query.items():
        test.query_params[key] = value
    test.run()
    return test if page == "overview" else test.switch_page(f"pages/{page}.py").run()


def messages(node: Any) -> Iterator[Message]:
    """Every message of a page's tree."""
    proto = getattr(node, "proto", None)
    if isinstance(proto, Message):
        yield proto
    for child in getattr(node, "children", {}).values():
        yield from messages(child)


def texts(message: Message, path: str = "") -> Iterator[tuple[str, str]]:
    """(place, text) of every text in a message."""
    for field, value in message.ListFields():
        place = f"{path or message.DESCRIPTOR.name}.{field.name}"
        for item in value if field.is_repeated else (value,):
            if isinstance(item, Message):
                yield from texts(item, place)
            elif isinstance(item, str):
                yield place, item


def shown(test: AppTest) -> list[tuple[str, str]]:
    return [found for block in test._tree.children.values() for message in messages(block) for found in texts(message)]


FURTHER: dict[str, list[dict[str, str]]] = {
    "transitions": [{"v.patterns": name} for name in ("Influential", "Buggy")],
    "triage": [{"v.list": "work queue"}, {"v.list": "suspected labels"}, {"v.note": "other"}, {"study": PAIRS}],
    "trace": [{"edited": f"{EATEN} word1"}, {"study": PAIRS}],
    "relevance": [{"v.tab": "A set of sentences"}, {"v.tab": "Evaluations", "v.evaluate": "Vectors"}],
    "pairs": [{"study": PAIRS}],
}
"""Parts of a page that have to be asked for."""


def views(study: Study, page: str) -> list[dict[str, str]]:
    """Ways to look at the study: every kind of thing chosen once, and every part of the page."""
    corpus = study.corpus
    row = str(corpus.ids[study.rows(SEEN)[3]])
    trace = study.sentence(int(study.rows(SEEN)[3]))
    word = next(word for word in ("<b>", "$", "*", "<i>", ":") if study.phrase_ids(word) is not None)
    step = max(range(1, len(trace)), key=lambda place: trace.state[place] != trace.state[place - 1])
    base = {"study": STUDY, "split": SEEN}
    return [
        base,
        {**base, "true": CLASSES[1], "pred": CLASSES[2], "q": EATEN[:12]},
        {**base, "row": row, "word": word, "state": str(int(trace.state[step]))},
        {**base, "row": row, "edge": f"{trace.state[step - 1]}-{trace.state[step]}", "true": CLASSES[3]},
        {**base, "split": "all", "pattern": str(int(trace.state[step])), "pred": CLASSES[4], "row": row},
        {"study": STUDY, "split": f"{SEEN}?", "true": f"{EATEN}?", "row": f"{EATEN}?", "word": f"{EATEN}?"},
        {"study": f"{EATEN}?", f"{EATEN}": "1"},
        *({**base, "row": row, **further} for further in FURTHER.get(page, ())),
    ]


@pytest.mark.hard_inputs(18, 39)
@pytest.mark.parametrize("page", PAGES)
def test_the_display_eats_no_sign_of_a_name_or_a_text(odd: Study, root: Path, page: str) -> None:
    literal = 0
    for query in views(odd, page):
        test = opened(root, page, **query)
        assert not test.exception
        assert not test.error
        for place, text in shown(test):
            if place == "Html.body":
                read = read_html(text)
                assert not {"img", "script", "iframe", "a", "svg"} & set(read.tags), (query, text)
                assert not any(name.startswith("on") for name, _ in read.attributes), (query, text)
                assert not any(map(double_escaped, read.parts)), (query, text)
                assert not any(double_escaped(value or "") for _, value in read.attributes), (query, text)
            elif place.endswith("VegaLiteChart.spec"):  # no chart reads a name as a field or a picture
                for channel in tooltips(json.loads(text)):
                    names = {channel.get("field", ""), channel.get("title") or ""}
                    assert not names & {*CLASSES, "image"}, channel
            elif place.endswith("Dataframe.columns"):
                guides = [column.get("help") or "" for column in json.loads(text).values() if column]
                assert [eaten_by_markdown(guide) for guide in guides if eaten_by_markdown(guide)] == []
            elif not {place, place.rpartition(".")[2]} & PLAIN:
                assert eaten_by_markdown(text) == [], (query, place, text)
            literal += "\\$5 then \\$9 \\*really\\*" in text or EATEN in text
    assert literal, "the names are on the page at all"


def tooltips(spec: Any) -> Iterator[dict[str, Any]]:
    if isinstance(spec, dict):
        for key, value in spec.items():
            if key == "tooltip" and isinstance(value, list | dict):
                yield from value if isinstance(value, list) else [value]
            else:
                yield from tooltips(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from tooltips(value)
