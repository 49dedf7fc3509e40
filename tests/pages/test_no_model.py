"""Every page on a study without a model: what can be shown is, what cannot says why in a sentence."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from seer.analysis import AnalysisSettings
from seer.corpus import Corpus
from seer.recorded import study_of_module, study_of_states
from seer.study import Study
from seer.text import Tokenizer
from tests.conftest import opinions
from tests.pages.test_every_page import PAGES, open_page
from tests.recorded.own_module import AttentionRNN

WHY = "holds no model, only stored states and predictions"
WORKING = ("overview", "states", "transitions", "triage", "trace", "plan")


@pytest.fixture(scope="module")
def studies(small_study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("without")
    few = AnalysisSettings(states=6, components=4)
    random = np.random.default_rng(0)
    corpus: Corpus = small_study.corpus
    lengths = small_study.traces.lengths
    probability = random.dirichlet((1, 1), int(lengths.sum()))
    states = np.concatenate([probability, random.normal(scale=0.1, size=(len(probability), 3))], axis=1)
    study_of_states(folder / "states", corpus, states=states, lengths=lengths, probability=probability, analysis=few)
    tokenizer = Tokenizer.train(corpus.texts())
    study_of_module(AttentionRNN(tokenizer.size, 2), tokenizer, opinions(80), folder / "module", analysis=few)
    return folder


def shown(app: AppTest) -> str:
    parts = (*app.info, *app.caption, *app.warning, *app.markdown)
    return " ".join(str(part.value) for part in parts).replace("\\", "")


@pytest.fixture(autouse=True)
def studies_folder(studies: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_STUDIES", str(studies))


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", ["states", "module"])
def test_every_page_opens(root: Path, page: str, name: str) -> None:
    app = open_page(root, page, study=name)
    assert not app.exception
    assert not app.error
    assert not app.warning
    assert app.title[0].value


@pytest.mark.parametrize("page", WORKING)
def test_the_study_s_own_sentences_are_shown_with_filters(root: Path, page: str) -> None:
    app = open_page(root, page, study="states", row="r7", state="2", edge="2-1", split="all", outcome="wrong")
    assert not app.exception
    assert not app.error


def test_a_stored_sentence_has_its_trace_and_no_field_to_type_in(root: Path) -> None:
    app = open_page(root, "trace", study="states", row="r7")
    assert not app.text_area
    assert "Sentence r7." in shown(app)
    assert WHY in shown(app)
    assert not [button for button in app.button if button.label in ("Edit a copy", "Show an example")]
    assert [table for table in app.dataframe if "word" in table.value.columns]


def test_a_link_with_a_typed_text_says_why_it_is_left_out(root: Path) -> None:
    app = open_page(root, "trace", study="states", text="a good film", edited="a bad film")
    assert [WHY in warning.value for warning in app.warning] == [True]
    assert not app.exception
    graph = open_page(root, "transitions", study="states", text="a good film")
    assert not graph.exception


def test_relevance_and_pairs_say_why_not(root: Path) -> None:
    assert WHY in shown(open_page(root, "relevance", study="states"))
    assert "the chosen study holds no model" in shown(open_page(root, "pairs", study="states"))
    told = shown(open_page(root, "relevance", study="module"))
    assert "The module AttentionRNN is not stored with the study module" in told
    assert "Study.open(folder, model=module)" in told


def test_suspected_labels_are_not_judged_by_training(root: Path) -> None:
    app = open_page(root, "triage", study="states", split="train", **{"v.list": "suspected labels"})
    assert not app.exception
    assert not app.error
    assert WHY in shown(app)
    assert "suspects-judge" not in [button.key for button in app.button]


def test_the_overview_names_what_it_is_made_of(root: Path) -> None:
    assert "No model, states of 5 numbers" in shown(open_page(root, "overview", study="states"))
    assert "AttentionRNN, states of 16 numbers" in shown(open_page(root, "overview", study="module"))
