"""The page of sentence pairs shows what the library reads, in whatever state a link brings it."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.corpus import load_corpus
from seer.models.training import TrainingSettings
from seer.pair_reading import read_pairs, without
from seer.picks import same_premise, shared_premises
from seer.report import report_html
from seer.study import Study
from seer.text import split_pair

APP = str(Path(__file__).resolve().parents[2] / "app.py")
PREMISE, FIRST, SECOND = "A dog is running behind a bicycle", "A dog is running", "A dog is not running"


def opened(page: str = "pairs", **query: str) -> AppTest:
    test = AppTest.from_file(APP, default_timeout=60)
    for key, value in {"study": "demo-pairs", **query}.items():
        test.query_params[key.replace("__", ".")] = value
    test.run()
    return test.switch_page(f"pages/{page}.py").run()


def typed(premise: str, *hypotheses: str, **options: str) -> dict[str, str]:
    """The query of a link to typed sentences."""
    text = f"{premise}\n{hypotheses[0]}"
    further = {f"v__h{place}": each for place, each in enumerate(hypotheses[1:], 2)}
    stamp = {"v__of": f"{zlib.crc32(text.encode()):08x}"} if further or "v__take" in options else {}
    return {"text": text, **further, **stamp, **options}


def warned(test: AppTest) -> str:
    return "\n".join(element.value for element in test.warning).replace("\\", "")


def html(test: AppTest) -> str:
    return "\n".join(str(element.proto.body) for element in test.get("html"))


def said(test: AppTest) -> str:
    shown = "\n".join(str(element.value) for kind in ("markdown", "caption", "info") for element in test.get(kind))
    return shown.replace("\\", "")


def charts(test: AppTest) -> int:
    return len(test.get("vega_lite_chart"))


@pytest.fixture(scope="module")
def study() -> Study:
    return Study.open("demo-pairs")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study whose premises have several hypotheses each."""
    folder = tmp_path_factory.mktemp("shared")
    lines = ["premise,hypothesis,label"]
    for place in range(40):
        who = ("man", "girl", "dog", "cat")[place % 4]
        lines.append(f"A {who} sings {place // 8},Somebody sings,yes")
        lines.append(f"A {who} sings {place // 8},Nobody sings,no")
        lines.append(f"A {who} sings {place // 8},The {who} sings,yes")
    (folder / "pairs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    train_study(
        load_corpus(folder / "pairs.csv", pairs=True),
        folder / "studies" / "shared",
        architecture={"embedding": 6, "hidden": 5},
        training=TrainingSettings(epochs=2),
        analysis=AnalysisSettings(states=4, components=3),
    )
    return folder / "studies"


def test_it_opens_on_an_error_with_its_pictures(study: Study) -> None:
    test = opened()
    assert not test.exception
    assert not test.error
    pair = (test.text_area(key="pairs-premise").value, test.text_area(key="pairs-hypothesis-0").value)
    read = read_pairs(study, [pair])[0]
    assert "✕ wrong, it is" in html(test)
    assert f"<b>{read.probability.max():.2f}</b>" in html(test)
    for share in read.probability:
        assert f'<span class="number">{share:.2f}</span>' in html(test)
    assert charts(test) == 4
    assert "where each premise word looks" in html(test)
    assert "a softmax is full" in html(test)
    assert "Gate saliency" in html(test)


def test_a_link_holds_hypotheses_scale_class_and_what_is_taken_out(study: Study) -> None:
    taken = {"v__take": "2c4.3", "v__scale": "signed", "v__attention": "raw", "v__target": "NEUTRAL", "v__gates": "f"}
    test = opened(**typed(PREMISE, FIRST, SECOND, **taken))
    assert not test.exception
    assert test.text_area(key="pairs-hypothesis-1").value == SECOND
    after = without(study, PREMISE, SECOND, cell=(4, 3))
    before = read_pairs(study, [(PREMISE, SECOND)])[0].probability
    for one, other in zip(before, after, strict=True):
        assert f"{one:.3f} → {other:.3f}" in html(test)
    assert html(test).count(' class="row after') == 3  # only the second pair moves
    assert "Taken out: the attention between “behind” and “not” in pair 2." in said(test)
    assert "Saliency for NEUTRAL, by its logit; without the attention" in said(test)
    assert "orange pairs speak for the class" in html(test)
    assert "before any softmax" in html(test)
    test.button(key="pairs-put-back").click().run()
    assert "v.take" not in test.query_params
    assert " → " not in html(test)


def test_a_word_of_the_premise_moves_every_pair(study: Study) -> None:
    test = opened(**typed(PREMISE, FIRST, SECOND, v__take="p1"))
    assert html(test).count(' class="row after') == 6
    for hypothesis in (FIRST, SECOND):
        after = without(study, PREMISE, hypothesis, word=(0, 1))
        assert f" → {after.max():.3f}" in html(test)
    assert "“dog”, word 2 of the premise" in said(test)


def test_hypotheses_are_added_changed_and_removed() -> None:
    test = opened(**typed(PREMISE, FIRST))
    test.button(key="pairs-add").click().run()
    test.text_area(key="pairs-hypothesis-1").set_value("A cat [sleeps]").run()
    test.button(key="pairs-add").click().run()
    assert test.text_area(key="pairs-hypothesis-2").value == "A cat [sleeps]"
    assert test.button(key="pairs-add").disabled
    assert charts(test) == 8
    test.button(key="pairs-remove-0").click().run()
    assert not test.exception
    assert [test.text_area(key=f"pairs-hypothesis-{place}").value for place in (0, 1)] == ["A cat [sleeps]"] * 2
    test.text_area(key="pairs-premise").set_value("Two\nlines").run()
    assert test.query_params["text"] == "Two lines\nA cat [sleeps]"
    assert test.text_area(key="pairs-hypothesis-1").value == "A cat [sleeps]"


def test_another_pair_leaves_the_hypotheses_behind(study: Study) -> None:
    test = opened(**typed(PREMISE, FIRST, SECOND, v__take="p1"))
    test.button(key="trace-Next error").click().run()
    assert not test.exception
    row = study.corpus.position(test.query_params["row"])
    assert test.text_area(key="pairs-premise").value == split_pair(study.corpus.text(row))[0]
    assert "pairs-hypothesis-1" not in [area.key for area in test.text_area]
    assert " → " not in html(test)


def test_an_example_comes_with_the_hypotheses_that_the_data_has(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_STUDIES", str(shared))
    small = Study.open(shared / "shared")
    test = opened(study="shared", split="all")
    found = [test.text_area(key=f"pairs-hypothesis-{place}").value for place in range(3)]
    assert len(set(found)) == 3
    assert html(test).count("✓ right") + html(test).count("✕ wrong") == 3
    test.button(key="pairs-remove-2").click().run()
    row = small.corpus.position(test.query_params["row"])
    left = {split_pair(small.corpus.text(int(other)))[1] for other in same_premise(small, row)} - set(found[:2])
    keys = [button.key for button in test.button if str(button.key).startswith("pairs-data-")]
    assert len(keys) == len(left) == 1
    test.button(key=keys[0]).click().run()
    assert test.text_area(key="pairs-hypothesis-2").value in left


def test_rows_that_share_a_premise_are_found(shared: Path, study: Study) -> None:
    small = Study.open(shared / "shared")
    rows = small.rows(None)
    assert len(shared_premises(small, rows)) == len(rows)
    others = same_premise(small, 0)
    assert {split_pair(small.corpus.text(int(row)))[0] for row in others} == {split_pair(small.corpus.text(0))[0]}
    assert len({small.corpus.text(int(row)) for row in [0, *others]}) == 1 + len(others) == 3
    everything = study.rows(None)
    assert shared_premises(study, everything).tolist() == everything.tolist()  # none shares one: all are as good


def test_a_second_model_reads_the_same_pair(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_STUDIES", str(shared))
    test = opened(**typed(PREMISE, FIRST, v__beside="shared", v__take="1c1.1"))
    assert not test.exception
    assert charts(test) == 8
    small = Study.open(shared / "shared")
    after = without(small, PREMISE, FIRST, cell=(1, 1))
    assert f" → {after.max():.3f}" in html(test)
    assert test.selectbox(key="pairs-beside").value == "shared"
    assert "shared · ESIM 5" in said(test)


@pytest.mark.parametrize(
    "query",
    [
        typed("", ""),
        typed("!!! ...", "?"),
        typed("zzqx", "zzqx zzqx"),
        typed("<b>dog</b> $x$ :red[a] a a a a", "[x](y) `code` **b** #h\nsecond line"),
        typed(PREMISE, FIRST, v__take="9c99.99", v__scale="odd", v__attention="odd", v__target="odd", v__beside="odd"),
        typed(PREMISE, FIRST, v__take="1c50.3", v__gatesof="7", v__gates=""),
        typed(PREMISE, "", FIRST, v__take="1h0"),
        typed("a dog " * 60, "a cat " * 50, v__hypothesispart="3", v__premisepart="9"),
        {"text": "no line break"},
        {"q": "no pair says this zzqx"},
        {"q": "dog", "row": "17", "split": "all"},
    ],
    ids=range(11),
)
def test_odd_pairs_and_odd_links_are_read_as_far_as_they_go(query: dict[str, str]) -> None:
    test = opened(**query)
    assert not test.exception
    assert not test.error
    assert test.title[0].value == "Sentence pairs"


def test_a_long_sentence_is_not_read() -> None:
    test = opened(**typed("dog " * 301, FIRST))
    assert "at most 300 words" in said(test)
    assert charts(test) == 0


def test_single_sentences_are_told_where_to_go() -> None:
    test = opened(study="demo")
    assert "needs a study of sentence pairs" in said(test)
    links = [element.proto for element in test.get("page_link")]
    assert any("demo-pairs" in link.label.replace("\\", "") for link in links)
    assert "reads sentence pairs" in said(opened("relevance"))


def test_triage_counts_where_pairs_go_wrong_and_leads_to_the_pair(study: Study) -> None:
    test = opened("triage")
    assert not test.exception
    assert "Where pairs go wrong" in [element.value for element in test.subheader]
    assert f"**{study.accuracy('test').errors} wrong** of the {len(study.rows('test'))} pairs" in said(test)
    assert " ⏎ " in test.dataframe[0].value["text"].iloc[0]
    shown = re.search(r"\*\*Pair (\S+)\*\*", said(test))
    assert shown
    link = next(link for link in (each.proto for each in test.get("page_link")) if "of this pair" in link.label)
    assert f"row={shown[1]}" in str(link)


def test_the_trace_of_a_pair_marks_its_hypothesis(study: Study) -> None:
    test = opened("trace", text=f"{PREMISE}\n{FIRST}")
    assert html(test).count("data-side=") == 2
    assert html(test).index('data-side="premise"') < html(test).index('data-side="hypothesis"')
    steps = next(frame.value for frame in test.dataframe if "of" in frame.value.columns)
    assert steps["of"].tolist() == ["premise"] * 7 + ["hypothesis"] * 4
    assert "line break" in test.text_area(key="trace-text").label
    assert "the hypothesis is empty" in said(opened("trace", text=PREMISE))


def test_other_hypotheses_are_of_the_split_on_show(shared: Path) -> None:
    small = Study.open(shared / "shared")
    for row in small.rows("test"):
        premise, own = split_pair(small.corpus.text(int(row)))
        pairs = {split_pair(text) for text in small.corpus.texts(small.rows("train"))}
        expected = {hypothesis for first, hypothesis in pairs if first == premise} - {own}
        here = same_premise(small, int(row), "train")
        assert {split_pair(small.corpus.text(int(other)))[1] for other in here} == expected
        assert set(here) <= set(small.rows("train"))
    assert any(set(same_premise(small, int(row))) - set(small.rows("test")) for row in small.rows("test"))


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"v__beside": "nowhere"}, "second model 'nowhere'"),
        ({"v__beside": "demo"}, "second model 'demo'"),
        ({"v__of": "odd"}, "mark of the pair 'odd'"),
        ({"v__take": "odd"}, "choice of what is taken out 'odd'"),
        ({"v__take": "p0", "v__of": "00000000"}, "choice of what is taken out 'p0'"),
        ({"v__scale": "odd"}, "scale 'odd'"),
        ({"v__attention": "odd"}, "kind of attention 'odd'"),
        ({"v__target": "odd"}, "class of the saliency 'odd'"),
        ({"v__score": "odd"}, "score 'odd'"),
        ({"v__h2": "A cat"}, "second hypothesis 'A cat'"),
    ],
)
def test_what_a_link_names_and_nobody_can_show_is_said_and_removed(options: dict[str, str], name: str) -> None:
    test = opened(**{"text": f"{PREMISE}\n{FIRST}", **options})
    assert not test.exception
    assert f"The link's {name} is not to be had here; it is ignored." in warned(test)
    for option in options:
        assert option.replace("__", ".") not in test.query_params
    assert "text" in test.query_params


def test_going_on_to_another_pair_leaves_nothing_behind_and_says_nothing() -> None:
    test = opened(**typed(PREMISE, FIRST, SECOND, v__take="p1", v__scale="signed"))
    assert not test.warning
    test.button(key="trace-Next error").click().run()
    assert not test.warning
    assert not {"v.h2", "v.take", "v.of"} & set(test.query_params)
    assert test.query_params["v.scale"] in ("signed", ["signed"])


@pytest.mark.parametrize(
    ("query", "present", "absent"),
    [
        (typed(PREMISE, FIRST), ["Click a word to delete it, or a cell"], ["have buttons"]),
        (typed(PREMISE, ""), ["Click a word to delete it and see", "One of the sentences has no word"], ["or a cell"]),
        (typed("", ""), ["Neither sentence has a word, so there is no pair"], ["Click a word", "One of the sentences"]),
        (typed("a dog " * 31, FIRST), ["Only the first 60 words of a sentence have buttons."], []),
        (typed("dog " * 301, FIRST), [], ["Click a word"]),
    ],
    ids=range(5),
)
def test_only_what_can_be_clicked_is_offered(query: dict[str, str], present: list[str], absent: list[str]) -> None:
    shown = said(opened(**query))
    assert all(words in shown for words in present)
    assert not any(words in shown for words in absent)


def test_rows_of_pairs_are_called_pairs(study: Study) -> None:
    row = str(study.corpus.ids[study.rows("test")[0]])
    test = opened("transitions", row=row, q="dog")
    assert f"pair {row}" in test.button(key="chip-row").label.replace("\\", "")
    assert re.search(r"in the \d+ pairs? that pass", said(test))
    assert "Every pair leaves" in said(test)
    assert test.selectbox(key="frame-split").label == "Pairs from"
    report = report_html(study, "test")
    assert f"{len(study.corpus):,} pairs, " in report
