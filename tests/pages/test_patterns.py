"""Patterns below the graph and beside a trace: the library's numbers, and one Selection for all of them."""

import io
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from seer.mining import buggy_patterns
from seer.patterns.flips import find_flips
from seer.patterns.influential import find_influential
from seer.patterns.search import TraceIndex, find_places
from seer.report.patterns import buggy_records
from seer.report.patterns import pattern_name as report_name
from seer.report.subject import Subject
from seer.slices import Filter, matching_rows, slice_accuracy
from seer.study import Study
from seer.ui.frame import View
from seer.ui.machine.mined import (
    buggy_csv,
    buggy_in,
    flips_csv,
    influence,
    influential_csv,
    pattern_name,
    word_contexts,
)
from seer.ui.machine.pattern_detail import phrases_at
from seer.ui.notes.queue import pattern_rows
from seer.ui.selection import Selection
from seer.ui.similar import patterns_within, similar_sentences
from tests.pages.test_states import chips, opened, said


def table(test, *columns):
    """The first table that has the columns."""
    return next(found.value for found in test.dataframe if set(columns) <= set(found.value.columns))


def names(shown):
    """What the rows of a table of patterns are called, without the words read there."""
    return [text.split(": ")[0] for text in shown["pattern"]]


@pytest.fixture(scope="module")
def view(demo: Study) -> View:
    return View(demo, Selection())


def test_influential_patterns_and_flip_words_are_those_of_the_library(demo: Study) -> None:
    test, traces = opened("transitions", **{"v.patterns": "Influential"}), demo.split_traces("test")
    expected = find_influential(traces, demo.corpus.labels[demo.rows("test")])
    shown = table(test, "change", "sentences")
    assert names(shown) == [pattern_name((one.states, None)) for one in expected.records(100)]
    most = max(expected.records(100), key=lambda one: len(one.changes))
    rest = sum(change.occurrences for change in most.changes[1:])
    assert any(text.endswith(f", {rest} others") for text in shown["change"])
    assert shown["sentences"].tolist() == expected.support[:100].tolist()
    assert shown["times"].tolist() == expected.occurrences[:100].tolist()
    assert f"The first 100 of {len(expected):,}." in said(test)
    flips = table(opened("transitions", **{"v.patterns": "Influential", "v.change": "flip words"}), "flips")
    assert flips["flips"].tolist() == [word.count for word in find_flips(traces).by_word(100)]


def test_buggy_patterns_of_all_kinds_with_an_honest_line(demo: Study) -> None:
    test = opened("transitions", **{"v.patterns": "Buggy"})
    shown = table(test, "wrong", "lift", "q")
    assert shown["q"].is_monotonic_increasing
    families = [buggy_patterns(demo, "test", kind) for kind in ("states", "state_words", "words")]
    text = said(test)
    assert f"{families[0].tested:,} state sequences" in text
    assert f"{sum(int((family.q < 0.05).sum()) for family in families)} have q < .05" in text
    first = families[0].records(1)[0]
    row = shown.iloc[names(shown).index(pattern_name((first.states, None)))]
    assert row["wrong"] == f"{first.failed} of {first.failed + first.correct}"
    assert row["lift"] == pytest.approx(first.lift)
    words = opened("transitions", **{"v.patterns": "Buggy", "v.kind": "words"})
    assert all(": " in text for text in table(words, "wrong", "lift")["pattern"])
    assert "none has q < .05: these rank, they do not prove." in said(words)
    paper = opened("transitions", **{"v.patterns": "Buggy", "v.preset": "paper"})
    assert "has no q" in said(paper)
    expected = buggy_patterns(demo, "test", preset="paper")
    assert table(paper, "wrong", "lift")["p"].tolist() == pytest.approx(expected.p.tolist())


def test_the_chosen_confusion_is_what_counts_as_failure(demo: Study) -> None:
    test = opened("transitions", true="neg", pred="pos", **{"v.patterns": "Buggy"})
    patterns = buggy_patterns(demo, "test", confusion=(0, 1))
    total = patterns.failed_total + patterns.correct_total
    assert f"neg read as pos: {patterns.failed_total} of {total} sentences" in said(test)


def test_a_chosen_pattern_is_shown_in_full(demo: Study) -> None:
    test, traces = opened("transitions", path="15-10"), demo.split_traces("test")
    assert chips(test) == ["pattern S15 → S10"]
    rows = matching_rows(demo, Filter("test", pattern=(15, 10)))
    right = slice_accuracy(demo, rows)
    assert f"in {len(rows)} sentences of the test split. Wrong: {right.errors} of {right.labelled}" in said(test)
    steps = np.flatnonzero((traces.state[1:] == 10) & (traces.source[1:] == 15)) + 1
    phrases = table(test, "words read there")
    assert phrases["times"].sum() == len(steps)
    assert "Sentences with S15 → S10" in said(test)
    assert 'class="w marked' in " ".join(element.proto.body for element in test.get("html"))


def test_a_word_is_read_at_the_end_of_the_pattern(demo: Study) -> None:
    word, traces = demo.phrase_ids("but"), demo.traces
    holding = traces.sentence[(np.asarray(traces.token) == word[0]) & (np.asarray(traces.state) == 13)]
    rows = matching_rows(demo, Filter(pattern=(13,), words=word))
    assert rows.tolist() == np.unique(holding).tolist()
    test = opened("transitions", path="13", word="but")
    assert chips(test) == ["pattern S13 · “but”"]
    test.button(key="chip-pattern").click().run()
    assert chips(test) == []
    assert "This study has no word 'qqzz'." in said(opened("transitions", path="13", word="qqzz"))
    assert chips(opened("transitions", path="13", word="qqzz"))[0] == "pattern S13"
    everywhere = opened("triage", word="but", split="all", **{"v.all": "1"})
    texts = table(everywhere, "text")["text"]
    assert all("but" in text.lower() for text in texts)
    assert "This study has no word 'qqzz'." in said(opened("transitions", word="qqzz"))


def test_paths_and_words_are_searched(demo: Study) -> None:
    test = opened("transitions")
    test.text_input(key="patterns-path").set_value("S3 → 7 7").run()
    assert chips(test) == ["pattern S3 → S7 → S7"]
    assert test.text_input(key="patterns-path").value == "3 7 7"
    test.toggle(key="patterns-collapse").set_value(True).run()
    assert chips(test) == ["pattern S3 → S7 → S7, repeats as one"]
    rows = matching_rows(demo, Filter("test", pattern=(3, 7, 7), collapse=True))
    assert f"in {len(rows)} sentences of the test split" in said(test)
    for text, fault in (("99", "There is no state 99"), ("three", "A path is numbers of states")):
        test.text_input(key="patterns-path").set_value(text).run()
        assert fault in said(test)
        assert test.text_input(key="patterns-path").value == text
        assert chips(test) == []  # what was found before is no answer
        assert "Sentences with" not in said(test)
    test.text_input(key="patterns-path").set_value("").run()
    test.text_input(key="patterns-words").set_value("It ISN'T").run()
    assert chips(test) == [f"words “{demo.as_phrase('it isn' + chr(39) + 't')}”"]
    test.text_input(key="patterns-words").set_value("qqzz the").run()
    assert "does not know every word" in said(test)
    test.text_input(key="patterns-words").set_value("(unknown)").run()
    assert chips(test)[0].replace("\\", "") == "word “(unknown)”"
    assert not test.exception


def test_nothing_found_is_said() -> None:
    text = said(opened("transitions", path="1-2-3-4-5-6-7", **{"v.patterns": "none of them"}))
    assert "No sentence of the test split holds it" in text
    assert "No sentence has S1 → S2" in text


def test_what_a_sentence_holds_and_what_is_like_it(demo: Study, view: View) -> None:
    row = int(matching_rows(demo, Filter("test", pattern=(15, 10), outcome="wrong"))[0])
    trace, row_id = demo.sentence(row), str(demo.corpus.ids[row])
    found = patterns_within(view, demo.as_traces(trace))
    assert {one.sort for one in found} == {"hint", "influential", "flip"}
    states = trace.state.tolist()
    for one in found:
        (wanted, word), begin = one.key, one.begins[0]
        assert list(wanted) == states[begin : begin + len(wanted)]
        if word is not None:
            assert demo.phrase_ids(word)[0] == demo.as_traces(trace).token[begin]
    test = opened("trace", row=row_id)
    assert table(test, "figures")["pattern"].tolist() == [pattern_name(one.key) for one in found]
    rows = demo.rows("test")
    own = int(np.searchsorted(rows, row))
    index = TraceIndex(demo.split_traces("test"), demo.states)
    expected = index.similar(demo.traces.select(np.array([row])), 8, own)
    assert [one.sentence for one in similar_sentences(view, trace, row)] == [
        int(rows[one.sentence]) for one in expected
    ]
    assert row not in [one.sentence for one in similar_sentences(view, trace, row)]
    typed = opened("trace", text=trace.text)
    assert table(typed, "figures")["pattern"].tolist() == [pattern_name(one.key) for one in found]
    assert table(typed, "distance")["distance"][0] == "same path"
    assert table(typed, "distance")["text"][0].startswith(trace.text[:40])


def test_only_what_survives_the_count_of_tests_is_called_buggy(demo: Study, view: View) -> None:
    families = {kind: buggy_patterns(demo, "test", kind) for kind in ("states", "state_words", "words")}
    judged = {}
    for patterns in families.values():
        for rank in range(len(patterns)):
            states, word = patterns.key(rank)
            judged[states, None if word is None else demo.words[word]] = patterns.q[rank]
    sorts = set()
    for row in matching_rows(demo, Filter("test", pattern=(13,)))[:40]:
        for one in patterns_within(view, demo.traces.select(np.array([row]))):
            if one.sort in ("buggy", "hint"):
                assert judged[one.key] <= 0.5
                assert (judged[one.key] <= 0.1) == (one.sort == "buggy")
                sorts.add(one.sort)
    assert sorts == {"buggy", "hint"}


def test_the_word_before_a_word_is_shown_with_its_counts(demo: Study, view: View) -> None:
    patterns = buggy_patterns(demo, "test", "state_words")
    traces, (states, word) = patterns.traces, patterns.key(0)
    steps = np.flatnonzero((np.asarray(traces.token) == word) & (np.asarray(traces.state) == states[0]))
    found = word_contexts(patterns, [0, 1], top=None)
    assert len(found) == 2
    assert sum(phrase.occurrences for phrase in found[0]) == len(steps)
    before = ["(start)" if traces.first[step] else demo.words[traces.token[step - 1]] for step in steps]
    counted = {("(start)" if one.words[0] == 0 else demo.words[one.words[0]]): one.occurrences for one in found[0]}
    assert counted == Counter(before)


def test_files_have_every_pattern(demo: Study, view: View) -> None:
    found = buggy_in(view)
    frame = pd.read_csv(io.BytesIO(buggy_csv(view, found)), keep_default_na=False)
    assert len(frame) == sum(len(patterns) for patterns, _ in found)
    assert frame["failed"].tolist() == np.concatenate([patterns.failed for patterns, _ in found]).tolist()
    assert not frame["word"].str.match(r"[=+\-@]").any()
    changes = influence(demo, demo.hash, "test")
    assert len(pd.read_csv(io.BytesIO(influential_csv(view, changes.patterns)))) == len(changes.patterns)
    words = pd.read_csv(io.BytesIO(flips_csv(view, changes.flips)), keep_default_na=False)
    assert words["flips"].sum() == len(changes.flips)


def test_phrases_with_repeats_as_one_have_their_own_lengths(demo: Study) -> None:
    view = View(demo, Selection(pattern=(13, 6), view={"collapse": "1"}))
    places = find_places(view.traces, (13, 6), None, True)
    phrases = phrases_at(view, places, np.zeros(view.traces.sentences, dtype=bool), top=10_000)
    short = (places.end - places.begin) <= 12
    assert sum(phrase.occurrences for phrase in phrases) == short.sum()
    assert len({len(phrase.words) for phrase in phrases}) > 1


def test_the_report_counts_the_patterns_of_the_plan(demo: Study) -> None:
    view, records = View(demo, Selection()), buggy_records(Subject(demo, "test", {}))
    assert all(record["lift"] > 1 for record in records)
    assert [(tuple(record["states"]), record["word"]) for record in records] == [*pattern_rows(view)]
    assert [report_name(record) for record in records] == [pattern_name(key) for key in pattern_rows(view)]
