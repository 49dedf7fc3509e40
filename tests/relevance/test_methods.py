"""What every method keeps to, on every model it says it is defined for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from seer.errors import SettingError
from seer.models.batches import Batch, make_batch
from seer.models.classifier import Architecture, RNNClassifier
from seer.relevance.methods import METHODS, attribute_rows, find_method, settings_by_method
from seer.relevance.record import WordRelevance
from seer.relevance.stability import is_unstable
from seer.study import Study
from seer.text import UNKNOWN_ID
from tests.conftest import make_model
from tests.relevance.small import KINDS, batch_of, drawn, model_of, padded

FAST = {"lime": {"samples": 30}, "integrated_gradients": {"nodes": 7}}
"""Settings that make the slow ones quick."""

Kind = tuple[str, bool, int]
PAIRS = [
    pytest.param(name, kind, id=f"{name}-{kind[0]}-{'two' if kind[1] else 'one'}-way-{kind[2]}")
    for name, method in METHODS.items()
    for kind in KINDS
    if method.why_not(Architecture(50, 3, kind[0], bidirectional=kind[1], layers=kind[2])) is None
]
each_method = pytest.mark.parametrize("name", METHODS)
each_pair = pytest.mark.parametrize(("name", "kind"), PAIRS)


def run(name: str, model: RNNClassifier, batch: Batch, target: torch.Tensor | int | None = None) -> WordRelevance:
    return METHODS[name].attribute(model, batch, target, **FAST.get(name, {}))


def fitting(name: str) -> RNNClassifier:
    """A model that the method is defined for."""
    return model_of(METHODS[name].cells[-1], True)


def assert_same(found: WordRelevance, expected: WordRelevance, tolerance: float = 1e-12) -> None:
    for field in ("offsets", "token", "target", "prediction"):
        assert getattr(found, field).tolist() == getattr(expected, field).tolist(), field
    for field in ("relevance", "logit", "rest"):
        ours, theirs = getattr(found, field), getattr(expected, field)
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance, err_msg=field)


@each_pair
def test_a_record_of_every_word(name: str, kind: Kind) -> None:
    model, sentences = model_of(*kind), [*drawn([6, 1]), [9, 9, 4, 9]]
    batch = batch_of(sentences)
    found = run(name, model, batch)
    with torch.no_grad():
        logits = model(batch).numpy()
    assert len(found) == 3
    assert found.offsets.tolist() == [0, 6, 7, 11]
    assert found.token.tolist() == [word for words in sentences for word in words]
    assert found.relevance.shape == (11,)
    assert found.relevance.dtype == found.logit.dtype == found.rest.dtype == np.float64
    assert np.isfinite(found.relevance).all()
    assert np.isfinite(found.gap).all()
    assert found.relevance.any()
    assert found.target.tolist() == found.prediction.tolist() == logits.argmax(1).tolist()
    np.testing.assert_allclose(found.logit, logits.max(1), atol=1e-12)


@each_pair
def test_padding_and_company_change_nothing(name: str, kind: Kind) -> None:
    model, sentences = model_of(*kind), drawn([5, 1, 24])
    for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 1e-6)):
        model.to(dtype)
        together = run(name, model, padded(batch_of(sentences), 3))
        for place, words in enumerate(sentences):
            alone = run(name, model, batch_of([words]))
            assert_same(alone, together.select(np.array([place])), tolerance)


@pytest.mark.hard_inputs(29)
@each_pair
def test_two_calls_are_equal_and_the_model_stays_as_it_was(name: str, kind: Kind) -> None:
    model, batch = model_of(*kind), batch_of(drawn([7, 3]))
    in_eval = run(name, model, batch)
    model.train()
    model.rnn.eval()  # a part in another mode keeps it
    model.embedding.weight.requires_grad_(False)
    model.head.weight.grad = torch.ones_like(model.head.weight)
    modes = [module.training for module in model.modules()]
    weights = {key: value.clone() for key, value in model.state_dict().items()}
    states = torch.get_rng_state(), np.random.get_state()[1].tolist()
    first, second = run(name, model, batch), run(name, model, batch)
    for field in ("relevance", "logit", "rest"):
        assert np.array_equal(getattr(first, field), getattr(second, field))
        assert np.array_equal(getattr(first, field), getattr(in_eval, field)), "dropout is at work"
    assert modes == [module.training for module in model.modules()]
    assert all(torch.equal(value, weights[key]) for key, value in model.state_dict().items())
    assert {key for key, weight in model.named_parameters() if not weight.requires_grad} == {"embedding.weight"}
    assert {key for key, weight in model.named_parameters() if weight.grad is not None} == {"head.weight"}
    assert (model.head.weight.grad == 1).all()
    assert torch.equal(torch.get_rng_state(), states[0])
    assert np.random.get_state()[1].tolist() == states[1]


@pytest.mark.hard_inputs(29)
@each_pair
def test_three_words_on_a_hidden_state_of_two(name: str, kind: Kind) -> None:
    cell, two_way, layers = kind
    model = make_model(3, cell=cell, bidirectional=two_way, layers=layers, hidden=2, dropout=0.5).double().train()
    weights = {key: value.clone() for key, value in model.state_dict().items()}
    first, second = (run(name, model, batch_of([[3, 4, 5]])) for _ in range(2))
    for field in ("relevance", "logit", "rest", "gap"):
        assert np.array_equal(getattr(first, field), getattr(second, field)), field
    assert model.training
    assert all(torch.equal(value, weights[key]) for key, value in model.state_dict().items())
    assert np.isfinite(first.relevance).all()
    assert first.gap[0] == pytest.approx(first.logit[0] - first.relevance.sum() - first.rest[0], abs=1e-12)
    if name == "lrp":  # what biases and eps take is the gap; given back to the words, nothing is lost
        whole = METHODS[name].attribute(model, batch_of([[3, 4, 5]]), None, bias_factor=1.0)
        assert abs(first.gap[0]) > 1e-6
        assert whole.gap[0] == pytest.approx(0, abs=1e-9)


@each_pair
def test_targets_one_by_one_and_together(name: str, kind: Kind) -> None:
    model, batch = model_of(*kind), batch_of(drawn([4, 6, 2]))
    mixed = run(name, model, batch, torch.tensor([2, 0, 1]))
    assert mixed.target.tolist() == [2, 0, 1]
    for sentence, target in enumerate(mixed.target.tolist()):
        whole = run(name, model, batch, target)
        assert whole.target.tolist() == [target] * 3
        assert_same(whole.select(np.array([sentence])), mixed.select(np.array([sentence])))
    predicted = run(name, model, batch)
    assert_same(run(name, model, batch, torch.from_numpy(predicted.prediction)), predicted)
    if name != "random":
        assert not np.allclose(run(name, model, batch, 0).relevance, run(name, model, batch, 1).relevance)


@each_method
def test_results_follow_the_precision_of_the_model(name: str) -> None:
    model, batch = fitting(name), batch_of(drawn([8, 5]))
    double, single = run(name, model, batch, 0), run(name, model.float(), batch, 0)
    assert single.relevance.dtype == single.logit.dtype == np.float32
    np.testing.assert_allclose(single.relevance, double.relevance, rtol=1e-3, atol=1e-4)


@each_method
def test_the_word_that_is_not_known_is_a_word(name: str) -> None:
    found = run(name, fitting(name), batch_of([[UNKNOWN_ID, 7, UNKNOWN_ID], [UNKNOWN_ID]]))
    assert found.token.tolist() == [UNKNOWN_ID, 7, UNKNOWN_ID, UNKNOWN_ID]
    assert np.isfinite(found.relevance).all()
    assert found.relevance.all()


@each_method
def test_targets_that_the_model_lacks_are_said(name: str) -> None:
    model, batch = fitting(name), batch_of(drawn([3, 2]))
    for target in (3, -1, torch.tensor([0, 3])):
        with pytest.raises(SettingError, match="must lie from 0 to 2, got"):
            run(name, model, batch, target)
    with pytest.raises(SettingError, match="one target class for each of 2 sentences"):
        run(name, model, batch, torch.tensor([0, 1, 2]))


@each_method
def test_settings_are_those_of_the_function(name: str) -> None:
    parameters = inspect.signature(METHODS[name].attribute).parameters
    own = {key: value.default for key, value in parameters.items() if value.kind is inspect.Parameter.KEYWORD_ONLY}
    assert own == METHODS[name].settings


def test_what_is_not_defined_is_said_by_name() -> None:
    reasons = {
        (name, *kind): METHODS[name].why_not(Architecture(50, 3, kind[0], bidirectional=kind[1], layers=kind[2]))
        for name in METHODS
        for kind in KINDS
    }
    refused = {key: reason for key, reason in reasons.items() if reason is not None}
    assert {key[0] for key in refused} == {"cd"}
    assert refused["cd", "gru", False, 1] == "Contextual decomposition is defined for LSTM; this model is a GRU."
    assert refused["cd", "rnn", True, 3] == "Contextual decomposition is defined for LSTM; this model is a RNN."
    assert refused["cd", "lstm", True, 3] == "Contextual decomposition is defined for one layer; this model has 3."
    assert len(refused) == 10
    for (name, *kind), reason in refused.items():
        model = model_of(*kind)
        for call in (
            lambda name=name, model=model: run(name, model, batch_of([[3, 4]])),
            lambda name=name, model=model: find_method(name, model.architecture),
            lambda name=name, model=model: attribute_rows(
                model, np.array([0, 2]), np.array([3, 4]), np.array([0]), name
            ),
        ):
            assert said(call) == reason


def said(call: Callable[[], object]) -> str:
    with pytest.raises(SettingError) as caught:
        call()
    return str(caught.value)


def test_a_method_of_another_name_is_said() -> None:
    with pytest.raises(SettingError, match=r"one of lrp, .*, random; got 'attention'"):
        find_method("attention", Architecture(50, 3))


class TestRows:
    """Many sentences of a ragged corpus, streamed."""

    lengths = (4, 0, 1, 9, 3, 0, 6)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    ids = np.random.default_rng(4).integers(1, 50, sum(lengths)).astype(np.int32)
    rows = np.array([3, 0, 6, 2, 3, 4, 0])

    @each_method
    def test_they_come_in_the_order_asked_for(self, name: str) -> None:
        model, wanted = fitting(name), np.array([0, 1, 2, 0, 1, 2, 1])
        whole = run(name, model, make_batch(self.offsets, self.ids, self.rows), torch.from_numpy(wanted))
        for budget in (1, 10, 4096):
            found = attribute_rows(
                model, self.offsets, self.ids, self.rows, name, wanted, budget=budget, **FAST.get(name, {})
            )
            assert_same(found, whole, 1e-11)

    def test_targets_for_all_and_of_the_model(self) -> None:
        model = model_of()
        for target in (None, 1):
            found = attribute_rows(model, self.offsets, self.ids, self.rows, "gradient_input", target, budget=10)
            expected = run("gradient_input", model, make_batch(self.offsets, self.ids, self.rows), target)
            assert_same(found, expected)
        with pytest.raises(SettingError, match="0 to 2"):
            attribute_rows(model, self.offsets, self.ids, self.rows, "gradient_input", 5)

    def test_progress_rises_to_all(self) -> None:
        told: list[tuple[str, int, int]] = []
        attribute_rows(
            model_of(),
            self.offsets,
            self.ids,
            self.rows,
            "occlusion",
            budget=10,
            progress=lambda stage, done, total: told.append((stage, done, total)),
        )
        assert len(told) > 1
        assert [done for _, done, _ in told] == sorted({done for _, done, _ in told})
        assert told[-1] == ("relevance", 7, 7)

    def test_no_rows_are_no_sentences(self) -> None:
        found = attribute_rows(model_of(), self.offsets, self.ids, np.array([], dtype=np.int64), "lrp")
        assert len(found) == 0
        assert found.offsets.tolist() == [0]
        assert found.total.shape == found.gap.shape == (0,)


class TestDemo:
    """The study that comes with the program: a GRU."""

    names = tuple(name for name in METHODS if name != "cd")

    def explained(self, demo: Study, text: str, name: str) -> WordRelevance:
        offsets, ids = demo.tokenizer.encode([text])
        found = attribute_rows(demo.model, offsets, ids, np.array([0]), name)
        assert len(found.relevance) == len(ids)
        assert np.isfinite(found.relevance).all()
        assert np.isfinite(found.gap).all()
        return found

    @pytest.mark.parametrize("name", names)
    def test_odd_texts(self, demo: Study, name: str) -> None:
        assert self.explained(demo, "awful", name).relevance.all()
        repeated = self.explained(demo, "bad film bad good bad", name)
        assert len(set(repeated.relevance.tolist())) == 5
        unknown = self.explained(demo, "a qzxqzx film", name)
        assert unknown.token[1] == UNKNOWN_ID
        assert unknown.relevance.all()

    @pytest.mark.slow
    @pytest.mark.parametrize("name", names)
    def test_two_thousand_words(self, demo: Study, name: str) -> None:
        words = np.array(demo.tokenizer.words[2:])[np.random.default_rng(0).integers(0, demo.tokenizer.size - 2, 2000)]
        assert len(self.explained(demo, " ".join(words), name).relevance) >= 2000

    def test_contextual_decomposition_says_why_not(self, demo: Study) -> None:
        with pytest.raises(SettingError, match="defined for LSTM; this model is a GRU"):
            self.explained(demo, "the film is awful", "cd")


def test_contextual_decomposition_of_two_thousand_words() -> None:
    found = run("cd", model_of("lstm"), batch_of(drawn([2000])))
    assert np.isfinite(found.relevance).all()


def test_the_registry_describes_itself() -> None:
    for method in METHODS.values():
        assert method.title
        assert method.reading.endswith(".")
        assert replace(method, layers=False, cells=("lstm", "gru")).why_not(Architecture(9, 2, "rnn")) == (
            f"{method.title} is defined for LSTM or GRU; this model is a RNN."
        )
    assert [name for name, method in METHODS.items() if not method.signed] == ["sensitivity"]


@each_method
def test_no_sentence_gives_an_empty_record(name: str) -> None:
    model = fitting(name)
    none = Batch(torch.zeros(0, 1, dtype=torch.int64), torch.zeros(0, dtype=torch.int64))
    for found in (
        METHODS[name].attribute(model, none),
        attribute_rows(model, np.array([0, 0, 2]), np.array([3, 4]), np.array([], dtype=int), name),
        attribute_rows(model, np.array([0, 2]), np.array([3, 4]), np.array([]), name, target=np.array([])),
    ):
        assert len(found) == len(found.token) == len(found.gap) == 0
        assert found.offsets.tolist() == [0]
        assert found.strain == (0.0, 0.0)


@each_method
def test_a_sentence_without_a_word_is_refused(name: str) -> None:
    model = fitting(name)
    batch = Batch(torch.tensor([[3, 4], [0, 0]]), torch.tensor([2, 0]))
    with pytest.raises(SettingError, match=r"Every sentence needs a word .*; 1 of 2 have none, the first at place 1"):
        METHODS[name].attribute(model, batch)
    with pytest.raises(SettingError, match=r"2 of 3 have none, the first at place 0\. Leave out those without"):
        attribute_rows(model, np.array([0, 0, 2]), np.array([3, 4]), np.array([0, 1, 0]), name)


@pytest.mark.parametrize(
    "target", [np.int64(2), torch.tensor(2), np.array(2), [2, 2], (2, 2), np.array([2, 2], np.int8)]
)
def test_targets_may_be_any_whole_numbers(target: Any) -> None:
    model, batch = model_of(), batch_of([[3, 4], [5]])
    expected = run("gradient_input", model, batch, 2)
    assert_same(run("gradient_input", model, batch, target), expected)
    offsets, ids = np.array([0, 2, 3]), np.array([3, 4, 5])
    assert_same(attribute_rows(model, offsets, ids, np.arange(2), "gradient_input", target), expected)


@pytest.mark.parametrize("target", [1.0, [0.5, 1.0], np.ones(2), torch.ones(2), "1", True, [[1], [1, 2]]])
def test_targets_that_are_no_whole_numbers_are_refused(target: Any) -> None:
    model, batch = model_of(), batch_of([[3, 4], [5]])
    with pytest.raises(SettingError, match="A target class is a whole number"):
        run("lrp", model, batch, target)
    with pytest.raises(SettingError, match="A target class is a whole number"):
        attribute_rows(model, np.array([0, 2, 3]), np.array([3, 4, 5]), np.arange(2), "lrp", target)


def test_settings_that_a_method_lacks_are_said() -> None:
    model, one = model_of(), (np.array([0, 2]), np.array([3, 4]), np.array([0]))
    with pytest.raises(SettingError, match="Occlusion has no settings; got eps"):
        attribute_rows(model, *one, "occlusion", eps=1.0)
    with pytest.raises(SettingError, match="given for lrp; the methods asked for are occlusion"):
        settings_by_method({"lrp": {"eps": 1.0}}, ["occlusion"])
    assert settings_by_method({"lrp": {"eps": 1.0}}, ["occlusion", "lrp"]) == {"lrp": {"eps": 1.0}}


def test_strain_is_of_the_strongest_word_and_its_sentence() -> None:
    found = run("lrp", model_of(), batch_of(drawn([5, 1, 9])))
    word = int(np.abs(found.relevance).argmax())
    sentence = next(at for at in range(3) if found.offsets[at] <= word < found.offsets[at + 1])
    assert found.strain == (abs(found.relevance[word]), abs(found.logit[sentence]))
    assert not is_unstable(20.0, 0.5)
    assert is_unstable(20.5, 0.5)
    assert not is_unstable(39.0, 2.0)
