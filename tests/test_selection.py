"""The Selection goes to a URL and back without loss, and no URL breaks it; widgets and the session follow it."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from seer.ui.codec import PACK_FROM
from seer.ui.selection import ALL_SPLITS, Chip, Selection, shortened

HARD_TEXTS = [
    "",
    " ",
    "a&b=c%20+#?/",
    "R&D's <b>neg</b>",
    "🙂\U0001f468‍👩",
    "שלום iPhone 15 Pro 2024-05",
    "a‮b",
    "line\nline\r\n\ttab\x00",
    "\ud83d",
    "x" * 100_000,
    "é" * PACK_FROM,
    "“long” 🙂\n" * 5000,
    "0",
    "None",
    "z",
    "v.x",
]

states = st.integers(0, 999_999_999)
texts = st.one_of(st.text(), st.sampled_from(HARD_TEXTS))
names = st.text(min_size=1)
shares = st.floats(0, 1)


def ranges(numbers: st.SearchStrategy) -> st.SearchStrategy:
    return st.tuples(numbers, numbers).map(lambda pair: tuple(sorted(pair)))


selections = st.builds(
    Selection,
    study=names,
    split=st.one_of(names, st.just(ALL_SPLITS)),
    state=st.none() | states,
    transition=st.none() | st.tuples(states, states),
    pattern=st.none() | st.lists(states, min_size=1, max_size=10).map(tuple),
    word=st.none() | names,
    true=st.none() | texts,
    predicted=st.none() | texts,
    outcome=st.sampled_from([None, "right", "wrong"]),
    query=st.none() | texts,
    regex=st.booleans(),
    confidence=st.none() | ranges(shares),
    length=st.none() | ranges(st.integers(0, 10**6)),
    row=st.none() | texts,
    text=st.none() | texts,
    edited=st.none() | texts,
    view=st.dictionaries(st.sampled_from(["colour", "top", "minimum", "loops", "sort", "page", "words"]), texts),
)


@settings(max_examples=150, deadline=None)
@given(selections)
def test_round_trip(selection: Selection) -> None:
    query = selection.to_query()
    assert Selection.from_query(query) == (selection, ())
    through_url = dict(parse_qsl(urlencode(query), keep_blank_values=True, strict_parsing=bool(query)))
    assert Selection.from_query(through_url) == (selection, ())
    assert hash(selection) == hash(Selection.from_query(query)[0])


@pytest.mark.parametrize("text", HARD_TEXTS, ids=range(len(HARD_TEXTS)))
def test_hard_texts(text: str) -> None:
    selection = Selection(text=text, edited=text, true=text, query=text)
    back, ignored = Selection.from_query(dict(parse_qsl(urlencode(selection.to_query()), keep_blank_values=True)))
    assert (back, ignored) == (selection, ())
    assert back.text == text.replace("\ud83d", "\ufffd")


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.one_of(
            st.sampled_from(
                ["state", "edge", "path", "conf", "len", "outcome", "regex", "ztext", "zv.page", "study", "zstate"]
            ),
            st.text(),
        ),
        st.text(),
    )
)
def test_garbage_is_named_and_never_raises(query: dict[str, str]) -> None:
    selection, ignored = Selection.from_query(query)
    assert Selection.from_query(selection.to_query())[0] == selection
    assert len(ignored) <= len(query)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("state", "-1"),
        ("state", "٣"),
        ("state", "1e3"),
        ("state", "9" * 5000),
        ("edge", "3"),
        ("edge", "1-2-3"),
        ("path", ""),
        ("conf", "0.9..0.1"),
        ("conf", "nan..1"),
        ("conf", "0..2"),
        ("len", "3"),
        ("outcome", "maybe"),
        ("regex", "yes"),
        ("study", ""),
        ("ztext", "!!"),
        ("ztext", "eJw"),
        ("what", "1"),
    ],
)
def test_each_bad_part_is_left_out_with_a_sentence(key: str, value: str) -> None:
    selection, ignored = Selection.from_query({key: value, "row": "r1"})
    assert selection == Selection(row="r1")
    assert len(ignored) == 1
    assert key in ignored[0]
    assert ignored[0].endswith(".")
    assert len(ignored[0]) < 200


def test_a_link_cannot_unpack_without_bound() -> None:
    bomb = Selection(text="a" * 5_000_000).to_query()
    assert len(bomb["ztext"]) < 10_000
    assert Selection.from_query(bomb)[1]


def test_defaults_are_left_out_and_keys_are_stable() -> None:
    assert Selection().to_query() == {}
    full = Selection(
        state=7,
        transition=(0, 3),
        pattern=(3, 7, 7),
        word="not the",
        predicted="pos",
        confidence=(0.5, 1.0),
        length=(3, 20),
        regex=True,
        query="a",
        view={"top": "3"},
    )
    assert full.to_query() == {
        "state": "7",
        "edge": "0-3",
        "path": "3-7-7",
        "word": "not the",
        "pred": "pos",
        "q": "a",
        "regex": "1",
        "conf": "0.5..1.0",
        "len": "3..20",
        "v.top": "3",
    }


def test_chips_and_their_removal() -> None:
    selection = Selection(split="all", state=7, transition=(0, 3), query="a.b", regex=True, view={"top": "3"})
    assert selection.chips() == [
        Chip("split", "all splits"),
        Chip("state", "S7"),
        Chip("transition", "start → S3"),
        Chip("query", "matches “a.b”"),
    ]
    assert selection.without("query") == Selection(split="all", state=7, transition=(0, 3), view={"top": "3"})
    for chip in selection.chips():
        selection = selection.without(chip.field)
    assert selection == Selection(view={"top": "3"})


def test_a_pattern_with_a_word_and_repeats_as_one() -> None:
    selection = Selection(pattern=(3, 7), word="but", view={"collapse": "1"})
    assert selection.chips() == [Chip("pattern", "pattern S3 → S7 · “but”, repeats as one")]
    assert selection.without_chip("pattern").chips() == []
    assert selection.without("word").chips() == [Chip("pattern", "pattern S3 → S7, repeats as one")]
    assert Selection(word="but not").chips() == [Chip("word", "words “but not”")]
    assert selection.collapse
    assert not selection.without("pattern").collapse


def test_another_filter_leads_back_to_the_first_page() -> None:
    paged = Selection(state=3, view={"page": "4", "sort": "long"})
    assert paged.change(row="r1").view == paged.change(state=3).view == paged.view
    first = {"sort": "long"}
    assert paged.change(state=4).view == paged.change(split="train").view == paged.change(query="a").view == first
    assert paged.without("state").view == paged.cleared().view == first


def test_a_row_and_a_typed_text_replace_each_other() -> None:
    typed = Selection(row="r1").change(text="good")
    assert (typed.row, typed.text) == (None, "good")
    edited = typed.change(edited="not good")
    assert edited.change(state=3).edited == "not good"
    assert edited.change(row="r2") == Selection(row="r2")
    assert edited.change(text="bad") == Selection(text="bad")
    with pytest.raises(TypeError):
        typed.change(nothing=1)


def test_views_and_splits() -> None:
    selection = Selection().with_view(page="2", sort="lift").with_view(page=None)
    assert selection.view == {"sort": "lift"}
    assert Selection(split="all").corpus_split is None
    assert Selection().corpus_split == "test"
    assert shortened("a  b\nc" + "d" * 50, 8) == "a b cdd…"


def app() -> None:
    import streamlit as st

    from seer.ui import state

    state.chips(state.current(), "all of them")
    st.selectbox("State", ["any", 1, 2, 3], **state.bound("state", "state", empty="any"))
    st.checkbox("Loops", **state.bound("loops", "view.loops", empty=False))
    st.number_input("Top", 0, 20, **state.bound("top", "view.top", empty=3))
    st.button("Pick 2", key="pick", on_click=state.change, kwargs={"state": 2})
    st.text(str(state.current().to_query()))


def test_widgets_follow_the_selection_and_write_it() -> None:
    page = AppTest.from_function(app)
    page.query_params["state"] = "3"
    page.run()
    assert page.selectbox(key="state").value == 3
    page.button(key="pick").click().run()
    assert page.selectbox(key="state").value == 2
    assert page.query_params["state"] == "2"
    page.checkbox(key="loops").check().run()
    page.number_input(key="top").set_value(5).run()
    assert page.text[0].value == "{'state': '2', 'v.loops': '1', 'v.top': '5'}"
    page.selectbox(key="state").select("any").run()
    page.number_input(key="top").set_value(3).run()
    assert page.text[0].value == "{'v.loops': '1'}"
    assert not page.exception


def test_a_chip_removes_its_filter() -> None:
    page = AppTest.from_function(app)
    page.query_params["state"] = "3"
    page.run()
    assert page.caption[0].value == "all of them"
    page.button(key="chip-state").click().run()
    assert page.text[0].value == "{}"
    assert page.selectbox(key="state").value == "any"


def test_what_is_blank_or_does_not_fit_has_no_chip() -> None:
    assert Selection(text=" \n", edited="", query="").chips() == []
    assert [chip.field for chip in Selection(query=" ", text="a").chips()] == ["query", "text"]
