"""Studies of states and predictions alone, and of a module of one's own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from seer.analysis import AnalysisSettings
from seer.apply import add_split, apply_study
from seer.build import analyse_study
from seer.corpus import Corpus
from seer.errors import DataError, ModelError, SeerError
from seer.explain import explain, explain_many, methods_for
from seer.mining import KINDS, pattern_records
from seer.models.batches import make_batch
from seer.models.modes import evaluating
from seer.notes import Notes
from seer.parts import STATES, weights_hash
from seer.profile import ModelReader
from seer.rare import rare_paths
from seer.recorded import study_of_module, study_of_states
from seer.report import report_html
from seer.slices import where_to_look
from seer.study import Study
from seer.suspects import training_suspects, unseen_suspects
from seer.text import Tokenizer
from tests.conftest import make_corpus, opinions
from tests.recorded.own_module import AttentionRNN

FEW = AnalysisSettings(states=6, components=4)


def arrays_of(study: Study) -> dict[str, Any]:
    """The hidden states, lengths and predictions of a study's model, as somebody else would have saved them."""
    offsets, ids = study.tokenizer.encode(study.corpus.texts())
    states = np.zeros((len(ids), study.architecture.hidden), dtype=np.float32)
    probability = np.zeros((len(ids), len(study.classes)), dtype=np.float32)
    for part in ModelReader(study.model, offsets, ids).steps():
        states[part.steps], probability[part.steps] = part.states, part.probability
    return {"states": states, "lengths": np.diff(offsets), "probability": probability}


@pytest.fixture(scope="module")
def arrays(small_study: Study) -> dict[str, Any]:
    return arrays_of(small_study)


@pytest.fixture(scope="module")
def recorded(small_study: Study, arrays: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Study:
    return study_of_states(tmp_path_factory.mktemp("recorded") / "s", small_study.corpus, analysis=FEW, **arrays)


def test_states_alone_give_the_figures_that_the_model_gives(small_study: Study, recorded: Study) -> None:
    one, other = small_study.summary(), recorded.summary()
    for field in ("sentences", "tokens", "states", "components", "accuracy", "classes"):
        assert other[field] == one[field]
    for field in ("fidelity_step", "fidelity_final", "purity", "stability"):
        assert other[field] == pytest.approx(one[field])
    assert recorded.traces.state.tolist() == small_study.traces.state.tolist()
    assert recorded.machine("test") == small_study.machine("test")
    assert recorded.sentence(7).words == small_study.sentence(7).words
    assert recorded.trained_rows.tolist() == small_study.trained_rows.tolist()


def test_the_files_are_plain_and_hold_no_model(recorded: Study) -> None:
    files = {path.name for path in recorded.version.rglob("*") if path.is_file()}
    assert STATES in files
    assert "model.safetensors" not in files
    assert {Path(name).suffix for name in files} == {".safetensors", ".json", ".parquet", ".npy"}
    assert isinstance(recorded.hidden, np.memmap)
    assert recorded.hidden.dtype == np.float32
    json.dumps(recorded.manifest, allow_nan=False)


def test_what_needs_a_model_says_why_not_in_a_sentence(recorded: Study) -> None:
    assert not recorded.has_model
    assert recorded.architecture.describe() == "No model, states of 12 numbers"
    doors: list[Callable[[], object]] = [
        lambda: recorded.model,
        lambda: recorded.classifier,
        lambda: recorded.pair_model,
        lambda: recorded.trace("a good film"),
        lambda: recorded.read(["a good film"]),
        lambda: explain(recorded, 3),
        lambda: explain_many(recorded, 3),
        lambda: add_split(recorded, opinions(10), "monday"),
        lambda: apply_study(recorded, opinions(10), recorded.folder.parent / "applied"),
    ]
    for door in doors:
        with pytest.raises(ModelError, match="holds no model, only stored states"):
            door()
    assert methods_for(recorded) == ()
    with pytest.raises(ModelError, match="made of states alone"):
        Study.open(recorded.folder, model=AttentionRNN(10, 2))


def test_all_that_reads_traces_works_on_it(recorded: Study, tmp_path: Path) -> None:
    assert where_to_look(recorded, "test", most_q=1.0) is not None
    for kind in KINDS:
        assert isinstance(pattern_records(recorded, kind, split=None), list)
    assert len(rare_paths(recorded, "test")) == 60
    assert unseen_suspects(recorded).judged > 0
    page = report_html(recorded, "test", Notes(tmp_path / "notes.sqlite").current())
    assert "No model, states of 12 numbers" in page


def test_cross_validation_needs_a_model(recorded: Study) -> None:
    with pytest.raises(ModelError, match="holds no model"):
        training_suspects(recorded)


def test_other_states_are_found_in_the_stored_ones(recorded: Study, small_study: Study, tmp_path: Path) -> None:
    settings = AnalysisSettings("gmm", 3, 2, seed=1)
    again = analyse_study(recorded, settings, folder=tmp_path / "again")
    same = analyse_study(small_study, settings, folder=tmp_path / "same")
    assert (again.states, again.has_model) == (3, False)
    assert again.traces.state.tolist() == same.traces.state.tolist()
    assert again.hidden is not None


def test_without_a_split_named_train_nothing_counts_as_trained_on(arrays: dict[str, Any], tmp_path: Path) -> None:
    corpus = opinions()
    corpus = replace(corpus, table=corpus.table.set_column(3, "split", [["monday"] * len(corpus)]))
    study = study_of_states(tmp_path / "s", corpus, analysis=FEW, **arrays)
    assert len(study.trained_rows) == 0
    assert "No split is named train" in study.manifest["notices"][-1]
    assert unseen_suspects(study).judged > 0


# --- words that came with the states


TOKENS = [["Not", "go", "##od", "!"], ["Bad"], [], ["New York", "[UNK]"]]
TEXTS = ["Not good !", "  bad", "", "New York zzqx"]


def tokens_corpus() -> Corpus:
    return make_corpus([(text, place % 2, "test") for place, text in enumerate(TEXTS)])


def token_arrays(rows: int = 7) -> dict[str, Any]:
    random = np.random.default_rng(0)
    return {
        "states": random.normal(size=(rows, 3)),
        "lengths": [4, 1, 0, 2],
        "probability": np.tile([0.25, 0.75], (rows, 1)),
    }


def test_given_tokens_stand_where_they_are_in_the_text(tmp_path: Path) -> None:
    study = study_of_states(tmp_path / "s", tokens_corpus(), tokens=TOKENS, **token_arrays())
    assert study.sentence(0).words == ("Not", "go", "od", "!")
    assert study.sentence(1).words == ("bad",)
    assert len(study.sentence(2)) == 0
    assert [study.words[number] for number in study.sentence(0).token] == ["Not", "go", "##od", "!"]
    assert study.phrase_ids("go ##od") is not None
    # [UNK] does not stand in the text: the row shows its tokens.
    assert study.corpus.text(3) == "New York [UNK]"
    assert study.sentence(3).words == ("New York", "[UNK]")
    assert study.sentence(3).known.tolist() == [True, False]
    assert study.as_traces(study.sentence(0)).token.tolist() == study.sentence(0).token.tolist()
    assert any("1 row shows its tokens" in notice for notice in study.manifest["notices"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"lengths": [4, 1, 2]}, "a length for each of 4 rows of small, got 3"),
        ({"lengths": [4, 1, -1, 3]}, r"row r2: expected a length of 0 or more, got -1"),
        ({"lengths": [4.0, 1, 0, 2]}, "whole numbers"),
        ({"lengths": [4, 1, 0, 3]}, "add up to 8 words, and there are 7 states"),
        ({"lengths": [4, 1, 1, 1]}, "row r2: expected 1 tokens, one a state, got 0 tokens"),
        ({"probability": np.full((7, 3), 1 / 3)}, r"3 columns, and there are 2 classes \(neg, pos\)"),
        ({"probability": np.full((6, 2), 0.5)}, "there are 6 predictions"),
        ({"probability": np.tile([1.5, -2.0], (7, 1))}, "row r0, word 1: the predictions must be probabilities"),
        ({"states": np.zeros(7)}, r"the shape \(7,\)"),
        ({"states": np.array([[0.0]] * 6 + [[np.nan]])}, "row r3, word 2: its states hold NaN"),
        ({"states": np.array([[0.0]] * 5 + [[1e300]] * 2)}, "row r3, word 1: its states hold NaN or infinity"),
        ({"tokens": TOKENS[:3]}, "tokens for each of 4 rows of small, got 3"),
        (
            {"tokens": [*TOKENS[:3], ["a", ""]]},
            "row r3: expected each token to be a text of whole characters, not empty",
        ),
        ({"tokens": [*TOKENS[:3], ["a", "[PAD]"]]}, "leave padding out of the lengths"),
        ({"tokens": ["Not good !", *TOKENS[1:]]}, "row r0: expected 4 tokens, one a state, got one text"),
        ({"tokens": None}, "row r0: its text has 3 words as seer splits it, and there are 4 states; give the tokens"),
    ],
)
def test_every_mismatch_is_named_and_nothing_is_written(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    given = {"tokens": TOKENS, **token_arrays()} | change
    with pytest.raises(DataError, match=said):
        study_of_states(tmp_path / "s", tokens_corpus(), **given)
    assert not (tmp_path / "s").exists()


def test_altered_states_files_are_refused(recorded: Study, tmp_path: Path) -> None:
    study = study_of_states(tmp_path / "s", tokens_corpus(), tokens=TOKENS, **token_arrays())
    assert study.hidden is not None
    np.save(study.version / STATES, np.zeros((7, 3), dtype=np.float32))
    with pytest.raises(SeerError, match=r"mixes files: states.npy does not match"):
        _ = Study.open(study.folder).hidden
    np.save(study.version / STATES, np.zeros((3, 3), dtype=np.float32))
    with pytest.raises(SeerError, match=r"states.npy has the shape \(3, 3\)"):
        _ = Study.open(study.folder).hidden
    (study.version / STATES).write_bytes(b"no numbers")
    with pytest.raises(SeerError, match="damaged"):
        _ = Study.open(study.folder).hidden


# --- a module of one's own


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return opinions()


@pytest.fixture(scope="module")
def tokenizer(corpus: Corpus) -> Tokenizer:
    return Tokenizer.train(corpus.texts(corpus.fitting_rows))


@pytest.fixture(scope="module")
def module(tokenizer: Tokenizer) -> AttentionRNN:
    torch.manual_seed(0)
    return AttentionRNN(tokenizer.size, 2)


@pytest.fixture(scope="module")
def own(corpus: Corpus, tokenizer: Tokenizer, module: AttentionRNN, tmp_path_factory: pytest.TempPathFactory) -> Study:
    module.train()
    study = study_of_module(module, tokenizer, corpus, tmp_path_factory.mktemp("own") / "own", analysis=FEW)
    assert module.training  # as it was handed in
    return study


def test_a_module_is_read_as_it_is(own: Study, module: AttentionRNN) -> None:
    text = own.corpus.text(3)
    alone = make_batch(*own.tokenizer.encode([text]), np.array([0]))
    with torch.no_grad(), evaluating(module):
        expected, states = module.predict_steps(alone)[0], module.hidden_states(alone)[0]
    assert np.allclose(own.sentence(3).probability, expected.numpy(), atol=1e-6)
    assert own.hidden is not None
    assert np.allclose(own.hidden[own.traces.steps_of(3)], states.numpy(), atol=1e-6)
    assert own.trace(text).path == own.sentence(3).path
    assert own.architecture.describe() == "AttentionRNN, states of 16 numbers"


def test_it_opens_without_the_module_and_whole_with_it(own: Study, module: AttentionRNN) -> None:
    bare, whole = Study.open(own.folder), Study.open(own.folder, model=module)
    assert (bare.has_model, whole.has_model) == (False, True)
    assert bare.summary() == whole.summary() == own.summary()
    assert own.manifest["hashes"]["weights"] == weights_hash(module)
    with pytest.raises(ModelError, match=r"AttentionRNN is not stored .* Study.open\(folder, model=module\)"):
        bare.trace("a good film")
    other = AttentionRNN(own.tokenizer.size, 2)
    with pytest.raises(ModelError, match="not the one that the study was made with"):
        Study.open(own.folder, model=other)


def test_a_study_with_its_own_model_takes_no_other(small_study: Study, module: AttentionRNN) -> None:
    with pytest.raises(ModelError, match="has its own model, a GRU"):
        Study.open(small_study.folder, model=module)


def test_relevance_needs_predictions_only_or_says_so(own: Study) -> None:
    assert methods_for(own) == ("removal", "lime", "random")
    row = 3
    found = explain(own, row, "removal")
    trace, words = own.sentence(row), own.sentence(row).words
    number = own.classes.index(found.target)
    for place in range(len(words)):
        rest = " ".join(word for other, word in enumerate(words) if other != place)
        fall = np.log(trace.probability[-1, number]) - np.log(own.trace(rest).probability[-1, number])
        assert found.relevance[place] == pytest.approx(fall, abs=1e-4)
    assert len(explain(own, row, "lime", samples=50)) == len(words)
    with pytest.raises(SeerError, match="LRP needs the word vectors and layers of a net that seer knows"):
        explain(own, row, "lrp")
    with pytest.raises(ModelError, match="AttentionRNN gives states and predictions only"):
        _ = own.classifier


def test_a_split_more_brings_its_states_along(own: Study, tmp_path: Path) -> None:
    added = add_split(own, opinions(12, seed=4), "monday", folder=tmp_path / "more").study
    assert added.corpus.splits == ("train", "validation", "test", "monday")
    assert added.hidden is not None
    assert len(added.hidden) == added.traces.steps
    assert added.has_model
    assert analyse_study(added, AnalysisSettings(states=3, components=2)).states == 3


def test_analysed_anew_it_keeps_the_module(own: Study, tmp_path: Path) -> None:
    again = analyse_study(own, AnalysisSettings(states=3, components=2), folder=tmp_path / "again")
    assert again.has_model
    assert again.manifest["hashes"]["weights"] == own.manifest["hashes"]["weights"]


class Odd(AttentionRNN):
    """One of its answers is wrong."""

    def __init__(self, words: int, wrong: str) -> None:
        super().__init__(words, 2)
        self.wrong = wrong

    def hidden_states(self, batch: Any) -> Any:
        states = super().hidden_states(batch)
        return {"list": states.tolist(), "short": states[:, :-1], "nan": states / 0}.get(self.wrong, states)

    def predict_steps(self, batch: Any) -> Any:
        logits = torch.zeros(*batch.ids.shape, 2)
        return {"logits": logits - 3, "three": torch.full((*batch.ids.shape, 3), 1 / 3)}.get(self.wrong, logits + 0.5)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("list", r"hidden_states of Odd must give a tensor of the shape .*, got list"),
        ("short", r"hidden_states of Odd must give a tensor of the shape \(1, \d+, H\)"),
        ("nan", "hidden_states of Odd gave NaN or infinity"),
        ("logits", "must give probabilities that add up to 1; .* Apply a softmax"),
        ("three", "predict_steps of Odd gives 3 numbers a word, and there are 2 classes"),
    ],
)
def test_a_module_that_answers_wrongly_is_told(
    corpus: Corpus, tokenizer: Tokenizer, tmp_path: Path, wrong: str, said: str
) -> None:
    with pytest.raises(ModelError, match=said):
        study_of_module(Odd(tokenizer.size, wrong), tokenizer, corpus, tmp_path / "s")
    assert not (tmp_path / "s").exists()


def test_a_module_without_the_protocol_is_refused(corpus: Corpus, tokenizer: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="Linear lacks hidden_states and predict_steps"):
        study_of_module(torch.nn.Linear(2, 2), tokenizer, corpus, tmp_path / "s")


def test_classes_in_the_module_s_order(corpus: Corpus, tokenizer: Tokenizer, module: Any, tmp_path: Path) -> None:
    study = study_of_module(module, tokenizer, corpus, tmp_path / "s", classes=("pos", "neg"), analysis=FEW)
    assert study.classes == ("pos", "neg")
    assert study.corpus.labels.tolist() == (1 - corpus.labels).tolist()


def test_the_readme_s_example_runs(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hand-written net with attention pooling, whole: trained, studied, opened again, explained."""
    blocks = re.findall(r"```python\n(.*?)```", (root / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    (example,) = [block for block in blocks if "study_of_module" in block]
    data = tmp_path / "opinions.csv"
    pairs = (("good film", "pos"), ("bad film", "neg"))
    rows = [f'"{text} {place % 7}",{label}' for place in range(60) for text, label in pairs]
    data.write_text("text,label\n" + "\n".join(rows), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(example.replace("reviews.csv", str(data)), "README.md", "exec"), names)
    study = names["study"]
    assert study.accuracy("test").value == 1
    assert Study.open("studies/attention").has_model is False
