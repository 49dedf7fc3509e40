import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import seer.ui.relevance.arithmetic as panel
import seer.ui.relevance.deletion as deletion_panel
import seer.ui.relevance.set_of_rows as set_panel
import seer.ui.relevance.shared as shared
from seer.build import train_study
from seer.errors import DataError
from seer.evaluation.arithmetic import Arithmetic, Score, TaskScores
from seer.evaluation.composition import composition
from seer.evaluation.deletion import deletion
from seer.evaluation.vectors import sentence_vectors
from seer.explain import Explanation, explain, explain_many, methods_for
from seer.models.training import TrainingSettings
from seer.picks import example_row
from seer.relevance.effects import drop_in_order, span_effect
from seer.relevance.methods import METHODS, attribute_rows
from seer.relevance.record import RelevanceOverflowError
from seer.relevance.summary import rank_agreement, rank_words
from seer.slices import Filter, matching_rows
from seer.study import Study
from seer.ui.relevance.sentence import _error_line
from seer.ui.relevance.set_of_rows import _digits
from seer.ui.relevance.shared import CODES, DEFAULT, missed_note
from tests.conftest import opinions

APP = Path(__file__).resolve().parents[2] / "app.py"
SET, EVALUATIONS = "A set of sentences", "Evaluations"


@pytest.fixture(scope="module")
def study():
    return Study.open("demo")


def open_page(page="relevance", **query):
    app = AppTest.from_file(str(APP), default_timeout=120)
    for key, value in query.items():
        app.query_params[key.replace("__", ".")] = value
    app.run()
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    assert not app.error
    return app


def query_of(app):
    """The link's query: AppTest gives lists or texts."""
    values = dict(app.query_params).items()
    return {key: value if isinstance(value, str) else value[0] for key, value in values}


def table_with(app, *columns):
    return next(table.value for table in app.dataframe if set(columns) <= set(table.value.columns))


def html_of(app):
    return " ".join(element.proto.body for element in app.get("html"))


def said(app):
    return " ".join(element.value for element in [*app.caption, *app.info, *app.markdown, *app.warning]).replace(
        "\\", ""
    )


def test_every_method_has_a_code():
    assert set(CODES) == set(METHODS)
    assert len(set(CODES.values())) == len(CODES)


def test_opens_on_an_error_with_the_librarys_numbers(study):
    app = open_page()
    row = example_row(study, study.rows("test"))
    found = explain_many(study, row, DEFAULT)
    assert app.text_area(key="relevance-text").value == study.corpus.text(row)
    assert "Contextual decomposition is defined for LSTM; this model is a GRU." in said(app)
    numbers = table_with(app, "#", "word")
    assert numbers["word"].tolist() == list(found[0].words)
    figures = table_with(app, "gap", "rest")
    for place, explanation in enumerate(found):
        np.testing.assert_allclose(numbers[explanation.title], explanation.relevance, rtol=1e-6)
        if METHODS[explanation.method].adds_up:
            np.testing.assert_allclose(figures["gap"][place], explanation.gap, atol=1e-6)
        else:
            assert np.isnan(figures["gap"][place])
        np.testing.assert_allclose(figures["logit"][place], explanation.logit, rtol=1e-6)
    assert figures["settings"].tolist()[0] == "eps 0.001, bias 0"
    matrix = rank_agreement([explanation.relevance for explanation in found], [True] * 4)
    shown = re.findall(r"<td[^>]*>([^<]*)</td>", html_of(app))
    assert shown[1] == f"{matrix[0, 1]:+.2f}".replace("-", "−")
    assert "Why was this wrong?" in [title.value for title in app.subheader]


def test_the_target_methods_and_settings_stand_in_the_link(study):
    app = open_page(row="6133")
    assert query_of(app)["row"] == "6133"
    app.multiselect(key="relevance-methods").set_value(["lrp", "sensitivity"]).run()
    app.selectbox(key="relevance-target").set_value("neg").run()
    app.select_slider(key="relevance-eps").set_value(0.01).run()
    app.selectbox(key="relevance-by").set_value("sensitivity").run()
    assert not app.exception
    query = query_of(app)
    assert query["v.methods"] == "lrp,sensitivity"
    assert (query["v.target"], query["v.eps"], query["v.by"]) == ("neg", "0.01", "sensitivity")
    again = open_page(**{key.replace(".", "__"): value for key, value in query.items()})
    found = explain(study, study.corpus.position("6133"), "lrp", "neg", eps=0.01)
    for page in (app, again):
        numbers = table_with(page, "#", "word")
        np.testing.assert_allclose(numbers["LRP"], found.relevance, rtol=1e-6)
        assert "Sensitivity has no sign" in said(page)
        assert "against neg" in html_of(page)


def test_more_nodes_close_the_gap(study):
    app = open_page(row="6133", v__methods="integrated_gradients", v__nodes="500")
    figures = table_with(app, "gap")
    assert figures["settings"].tolist() == ["nodes 500"]
    assert abs(figures["gap"][0]) < 0.01
    app.select_slider(key="relevance-nodes").set_value(50).run()
    assert table_with(app, "gap")["gap"][0] == pytest.approx(
        explain(study, study.corpus.position("6133"), "integrated_gradients", nodes=50).gap, abs=1e-6
    )
    app.select_slider(key="relevance-nodes").set_value(0).run()
    found = explain(study, study.corpus.position("6133"), "integrated_gradients")
    figures = table_with(app, "gap")
    assert figures["settings"].tolist() == [f"nodes {found.settings['nodes']}"]
    assert figures["gap"][0] == pytest.approx(found.gap, abs=1e-6)


@pytest.mark.parametrize(("rest", "said"), [(0.5, ["with 800 nodes misses 33% of the difference"]), (0.99, [])])
def test_a_gap_of_integrated_gradients_is_said(monkeypatch, rest, said):
    span, known, relevance = np.array([[0, 1]]), np.array([True]), np.array([1.0])
    method = "integrated_gradients"
    found = Explanation("a", span, known, relevance, method, "pos", "pos", 2.0, rest, {"nodes": 800})
    told = []
    monkeypatch.setattr(shared.st, "caption", told.append)
    missed_note(found)
    assert len(told) == len(said)
    assert all(words in sentence for words, sentence in zip(said, told, strict=True))


def test_dropping_and_a_span_are_the_librarys(study):
    row = study.corpus.position("6133")
    _, ids = study.tokenizer.encode([study.corpus.text(row)])
    app = open_page(row="6133", v__span="18-19", v__drop="8")
    order = np.argsort(-explain(study, row).relevance, kind="stable")
    probability = drop_in_order(study.classifier, ids, order[:20])[8]
    assert f"<b>{probability.max():.2f}</b>; the prediction changes (pos had 0.95)" in html_of(app)
    effect = span_effect(study.classifier, ids, 17, 18)
    shown = table_with(app, "span", "rest")
    np.testing.assert_allclose(shown["span"], effect.span, atol=1e-6)
    np.testing.assert_allclose(shown["logit"], effect.logits, atol=1e-6)
    assert "By occlusion" in said(app)
    assert html_of(app).count("col framed") == 2
    app.selectbox(key="relevance-span-first").set_value(22).run()
    assert query_of(app)["v.span"] == "23-23"
    app.selectbox(key="relevance-span-last").set_value(1).run()
    assert query_of(app)["v.span"] == "2-2"
    app.selectbox(key="relevance-span-last").set_value(3).run()
    assert query_of(app)["v.span"] == "2-4"
    assert html_of(app).count("col framed") == 3
    for odd in ("0-3", "3-2", "1-99", "x-y", "²-3", ""):
        assert "col framed" not in html_of(open_page(row="6133", v__span=odd, v__drop="999"))
    assert "The words 1-99 of the link are ignored" in said(open_page(row="6133", v__span="1-99"))


def test_an_error_is_explained_and_a_right_reading_is_not(study):
    app = open_page(row="6133")
    row = study.corpus.position("6133")
    pair = [explain(study, row, "lrp", name).relevance for name in ("pos", "neg")]
    best = int(np.argmax(pair[0] - pair[1]))
    word = study.sentence(row).words[best]
    assert f"these spoke most for pos rather than neg: “\u2068{word}\u2069” +{(pair[0] - pair[1])[best]:.2f}" in said(
        app
    )
    right = matching_rows(study, Filter(split="test", outcome="right"))[0]
    app = open_page(row=str(study.corpus.ids[right]))
    assert "Why was this wrong?" not in [title.value for title in app.subheader]
    app = open_page(text="a good film")
    assert "Why was this wrong?" not in [title.value for title in app.subheader]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "The text is empty"),
        (" \n ", "The text is blank"),
        ("film", "A text of one word has no span to mark"),
        ("film film film", "relevance for"),
        ("qwxyz vfrtgb", "No word is in the vocabulary"),
        ("a film " * 1001, "at most 2,000 are explained here"),
        ("word " * 50_000, "250,000 characters"),
        ("<b>no</b> :red[x] $y$ שלום", "relevance for"),
    ],
)
def test_odd_texts_get_a_clear_word(text, word):
    app = open_page(text=text, v__methods=",".join(name for name in METHODS if name != "lime"))
    assert word in said(app)


def test_no_method_and_unknown_ones():
    assert "Choose two methods or more" in said(open_page(v__methods=""))
    app = open_page(v__methods="nonsense,cd", v__span="x-y", v__drop="-2", v__nodes="3", v__rule="odd")
    for name in ("choice of methods 'nonsense,cd'", "span of words 'x-y'", "taken out '-2'", "nodes '3'", "rule 'odd'"):
        assert f"{name} is not to be had here; it is ignored" in said(app)
    assert not [name for name in query_of(app) if name.startswith("v.")]
    assert len(table_with(app, "gap")) == len(DEFAULT)
    app = open_page(v__methods="lrp,magic", v__by="nothing", v__target="nobody", v__eps="17", v__bias="x")
    assert query_of(app)["v.methods"] == "lrp"
    assert {"v.by", "v.target", "v.eps", "v.bias"}.isdisjoint(query_of(app))
    assert "Choose a second method" in said(app)
    assert table_with(app, "gap")["settings"].tolist() == ["eps 0.001, bias 0"]


def test_an_unstable_reading_is_called_so_and_mended(study):
    rows = study.rows("test")
    traces = study.traces
    found = attribute_rows(study.classifier, traces.offsets, traces.token, rows[traces.lengths[rows] > 0], "lrp")
    worst = int(np.searchsorted(found.offsets, np.abs(found.relevance).argmax(), side="right")) - 1
    app = open_page(row=str(study.corpus.ids[rows[traces.lengths[rows] > 0][worst]]))
    assert "LRP is unstable here" in said(app)
    app.button(key="relevance-steady").click().run()
    assert not app.exception
    assert "LRP is unstable here" not in said(app)
    assert table_with(app, "gap")["settings"].tolist()[0] == "eps 0.1, bias 0"


def test_a_set_ranks_the_words_of_the_errors(study):
    app = open_page(true="neg", pred="pos", v__tab=SET, v__rank="mean", v__often="3")
    rows = matching_rows(study, Filter(split="test", true=0, predicted=1))
    found = attribute_rows(study.classifier, study.traces.offsets, study.traces.token, rows, "lrp")
    expected = rank_words(found).ordered("mean", 3, study.stop_words)
    shown = table_with(app, "times", "mean")
    assert shown["word"].tolist() == [study.words[word] for word in expected.word]
    assert shown["times"].tolist() == expected.count.tolist()
    np.testing.assert_allclose(shown["mean"], expected.mean, rtol=1e-5)
    assert f"{len(rows)} sentences" in said(app)
    assert "Click a word" in said(app)
    app.selectbox(key="relevance-set-target").set_value("true").run()
    target = study.corpus.labels[rows].astype(np.int64)
    found = attribute_rows(study.classifier, study.traces.offsets, study.traces.token, rows, "lrp", target)
    expected = rank_words(found).ordered("mean", 3, study.stop_words)
    assert table_with(app, "times", "mean")["word"].tolist() == [study.words[word] for word in expected.word]


def test_a_word_of_a_set_filters_and_shows_its_sentences(study):
    app = open_page(true="neg", pred="pos", word="but", v__tab=SET)
    rows = matching_rows(study, Filter(split="test", true=0, predicted=1))
    holding = matching_rows(study, Filter(split="test", true=0, predicted=1, words=study.phrase_ids("but")))
    assert f"{len(rows)} sentences" in said(app)
    assert f"{len(holding)} sentences** here with “but”" in said(app)
    assert "col framed" in html_of(app)
    assert app.button(key="chip-word").label.endswith("“but”")


def test_sets_are_sampled_and_may_be_empty():
    app = open_page(v__tab=SET, v__all="1", v__most="100")
    assert "100 of them drawn with the seed 0" in said(app)
    app = open_page(v__tab=SET, conf="0.0..0.1")
    assert "No sentence with a word passes these filters" in said(app)
    open_page(v__tab=SET, v__most="-3", v__often="-1", v__rank="nothing", v__of="class nobody", v__by="lime")
    assert "No word is read as often" in said(open_page(v__tab=SET, q="tambor", v__often="20"))


def press_run(app, name):
    app.button(key=f"evaluate-{name}").click().run()
    assert not app.exception
    assert not app.error
    assert not [button for button in app.button if button.key == f"evaluate-{name}"]


def test_deletion_runs_once_and_matches_the_library(study):
    app = open_page(v__tab=EVALUATIONS, v__evaluate="Deletion", v__evalmost="200", v__delmethods="lrp")
    press_run(app, "deletion")
    found = deletion(study, methods=["lrp"], split="test", most=200)
    shown = table_with(app, "method").set_index("method")
    assert shown.loc["LRP"].tolist()[0] == pytest.approx(100 * found.accuracy("lrp")[-1])
    assert "Random" in shown.index
    # The result is kept: the next one who looks need not run it.
    again = open_page(v__tab=EVALUATIONS, v__evaluate="Deletion", v__evalmost="200", v__delmethods="lrp")
    assert table_with(again, "method").equals(table_with(app, "method"))


def test_vectors_and_composition_match_the_library(study):
    app = open_page(v__tab=EVALUATIONS, v__evaluate="Vectors", v__evalmost="200", v__vecmethods="lrp", split="all")
    assert "test split" in said(app)
    press_run(app, "vectors")
    found = sentence_vectors(study, methods=("lrp",), split="test", most=200)
    assert table_with(app, "vector")["class"].tolist() == pytest.approx(
        [100 * kind.label_agreement for kind in found.maps]
    )
    app = open_page(v__tab=EVALUATIONS, v__evaluate="Composition", v__compmost="500")
    press_run(app, "composition")
    readings = composition(study, split="test", most=500).readings
    shown = table_with(app, "group")
    assert shown["times"].tolist() == [reading.count for reading in readings]
    np.testing.assert_allclose(shown["word_negative"], [r.word_negative.median for r in readings], rtol=1e-6)
    mean = readings[0].word_negative
    assert shown["word_negative mean"][0] == f"{mean.value:+.2f} ± {mean.error:.2f}".replace("-", "−")
    assert shown["modifier_negative mean"].isna().any()
    app.selectbox(key="evaluate-negative").set_value("pos").run()
    assert "Choose two different classes" in said(app)


def test_evaluations_take_the_settings_and_say_where_lrp_is_unstable(study):
    at = {"v__tab": EVALUATIONS, "v__evaluate": "Composition", "v__compmethod": "lrp"}
    app = open_page(**at)
    press_run(app, "composition")
    assert "LRP: eps 0.001, bias 0." in said(app)
    assert "LRP is unstable here" in said(app)
    app.button(key="evaluate-composition-steady").click().run()
    assert query_of(app)["v.eps"] == "0.1"
    press_run(app, "composition")
    assert "LRP: eps 0.1, bias 0." in said(app)
    assert "LRP is unstable here" not in said(app)
    expected = composition(study, split="test", eps=0.1).readings
    np.testing.assert_allclose(
        table_with(app, "group")["word_positive"], [r.word_positive.median for r in expected], rtol=1e-6
    )
    for name, choice in (("Deletion", "delmethods"), ("Vectors", "vecmethods")):
        app = open_page(
            v__tab=EVALUATIONS, v__evaluate=name, v__evalmost="200", v__eps="0.1", **{f"v__{choice}": "lrp"}
        )
        press_run(app, name.lower())
        assert "LRP: eps 0.1, bias 0." in said(app)


def overflow(*_, **__):
    raise RelevanceOverflowError("LRP overflowed with eps 0.001 in a text of 900 words; choose a larger eps.")


def test_an_overflow_offers_the_cure_everywhere(monkeypatch):
    monkeypatch.setattr(deletion_panel, "deletion", overflow)
    app = open_page(v__tab=EVALUATIONS, v__evaluate="Deletion", v__evalmost="500", v__delmethods="lrp,sensitivity")
    app.button(key="evaluate-deletion").click().run()
    assert not app.error
    assert "LRP overflowed with eps 0.001 in a text of 900 words. A larger eps" in said(app)
    app.button(key="evaluate-deletion-steady").click().run()
    assert query_of(app)["v.eps"] == "0.1"
    monkeypatch.setattr(set_panel, "attribute_rows", overflow)
    app = open_page(v__tab=SET, q="xylophone or film")
    assert not app.error
    app = open_page(v__tab=SET, v__most="100", q="film", v__all="1")
    assert "LRP overflowed" in said(app)
    assert app.button(key="relevance-set-steady").label == "Use eps 0.1"
    monkeypatch.setattr(
        shared, "explain", lambda s, t, m, *a, **g: overflow() if m == "lrp" else explain(s, t, m, *a, **g)
    )
    app = open_page(text="a text that nobody read before", v__methods="lrp,occlusion")
    assert "LRP overflowed" in said(app)
    assert table_with(app, "gap")["method"].tolist() == ["Occlusion"]


def test_a_failed_evaluation_says_so_in_its_box(monkeypatch):
    def fail(*_, **__):
        raise DataError("There is nothing to delete.")

    monkeypatch.setattr(deletion_panel, "deletion", fail)
    app = open_page(v__tab=EVALUATIONS, v__evaluate="Deletion", v__evalmost="1000", v__delmethods="lrp")
    app.button(key="evaluate-deletion").click().run()
    assert [error.value.replace("\\", "") for error in app.error] == ["There is nothing to delete."]
    assert [(box.label, box.state) for box in app.status] == [("Stopped: it cannot be measured like this.", "error")]


def test_a_long_text_waits_for_the_slow_methods():
    app = open_page(text="a film " * 310, v__methods="gradient_input,occlusion,removal")
    assert "Left out: Occlusion, Word removal, since the text has 620 words" in said(app)
    assert table_with(app, "gap")["method"].tolist() == ["Gradient × input"]
    app.button(key="relevance-patient").click().run()
    assert not app.exception
    assert len(table_with(app, "gap")) == 3
    assert query_of(app)["v.long"] == "1"


def test_a_preview_begins_short_of_the_whole_sentence():
    for text, gone in (
        ("film", 0),
        ("good film", 1),
        ("a good film", 2),
        ("a very good film", 3),
        ("so a good old film", 3),
    ):
        assert open_page(text=text, v__methods="lrp").select_slider(key="relevance-drop").value == gone


def test_only_words_that_count_are_said_to_have_spoken(study):
    trace = study.trace("a b c")
    told = _error_line(trace, np.array([1.0, 0.04, 0.2]), 1.0, "LRP", "pos", "neg")
    assert "“\u2068a\u2069”" in told
    assert "“\u2068c\u2069”" in told
    assert "“\u2068b\u2069”" not in told
    assert "no word speaks clearly more" in _error_line(trace, np.array([0.01, 0.04, -1]), 1.0, "LRP", "pos", "neg")


def test_huge_columns_are_written_in_powers_of_ten():
    assert _digits(12.0, True) == "%+.4f"
    assert _digits(3e9, True) == "%+.3g"
    assert _digits(3e9, False) == "%.3g"


def test_arithmetic_shows_every_task(monkeypatch):
    scores = (Score("lrp", {"eps": 1e-6}, 0.9998, float("nan"), 1e-7, 0.0),)
    tasks = tuple(TaskScores(name, 2, 3, 1e-6, 0.02, scores) for name in ("addition", "subtraction"))
    asked = []

    def quick(*, models, progress):
        asked.append(models)
        progress("addition", 1, 2)
        return Arithmetic(0, 2500, tasks)

    monkeypatch.setattr(panel, "arithmetic", quick)
    app = open_page(v__tab=EVALUATIONS, v__models="5")
    press_run(app, "arithmetic")
    assert asked == [5]
    assert [title.value for title in app.subheader] == ["Addition", "Subtraction"]
    assert table_with(app, "first")["first"].tolist() == [pytest.approx(99.98)]
    assert "LRP (eps 1e-06)" in table_with(app, "first")["method"].tolist()


def test_a_read_only_server_trains_no_model_for_arithmetic(monkeypatch):
    monkeypatch.setenv("SEER_READ_ONLY", "1")
    app = open_page(v__tab=EVALUATIONS)
    assert "This server trains nothing" in said(app)
    assert not [button for button in app.button if button.key == "evaluate-arithmetic"]
    assert not app.exception


def test_relevance_lies_under_the_states_of_a_trace(study):
    app = open_page("trace", row="6133")
    assert 'class="r ' not in html_of(app)
    app.toggle(key="trace-relevance").set_value(True).run()
    app.selectbox(key="trace-by").set_value("occlusion").run()
    assert not app.exception
    found = explain(study, study.corpus.position("6133"), "occlusion")
    shown = re.findall(r'<i class="r [^"]*" data-r="([^"]*)"', html_of(app))
    assert shown == [
        f"{v:+.2f}".replace("-", "−").replace("+0.00", "0.00").replace("−0.00", "0.00") for v in found.relevance
    ]
    # An edited copy is explained for the same class.
    app.button(key="trace-edit").click().run()
    app.text_area(key="trace-edited").set_value("a dull , dull film").run()
    copy = explain(study, "a dull , dull film", "occlusion", found.target)
    shown = re.findall(r'<i class="r [^"]*" data-r="([^"]*)"', html_of(app))
    assert len(shown) == len(found) + len(copy)
    assert shown[-1][0] == ("−" if copy.relevance[-1] < 0 else "+")


def test_an_lstm_is_decomposed(tmp_path, monkeypatch):
    architecture = {"embedding": 6, "hidden": 8, "cell": "lstm", "bidirectional": True}
    small = train_study(opinions(), tmp_path / "lstm", architecture=architecture, training=TrainingSettings(epochs=2))
    monkeypatch.setenv("SEER_STUDIES", str(tmp_path))
    app = open_page(study="lstm", text="the film is not good", v__methods="cd,lrp", v__span="4-5", v__rule="strict")
    assert methods_for(small) == tuple(METHODS)
    found = explain(small, "the film is not good", "cd", inclusive=False)
    np.testing.assert_allclose(table_with(app, "#")[found.title], found.relevance, rtol=1e-5)
    assert table_with(app, "gap")["settings"].tolist()[0] == "rule strict"
    _, ids = small.tokenizer.encode(["the film is not good"])
    effect = span_effect(small.classifier, ids, 3, 4, inclusive=False)
    np.testing.assert_allclose(table_with(app, "span")["span"], effect.span, rtol=1e-5, atol=1e-7)
    assert "By contextual decomposition, strict rule" in said(app)
