"""The model is read off names and shapes; every tensor is used once, or nothing is loaded."""

from itertools import product

import pytest
import torch
from torch import nn

from seer.errors import ModelError, SettingError
from seer.imports.infer import Choices, infer, strip_prefix
from tests.imports.research import Research


def renamed(**names: str) -> dict[str, torch.Tensor]:
    """The tensors of a research model with other first names."""
    state = Research(20, head=(), outputs=3).state_dict()
    return {
        f"{names.get(name.split('.')[0], name.split('.')[0])}.{name.split('.', 1)[1]}": state[name] for name in state
    }


@pytest.mark.parametrize(
    ("cell", "two_way", "layers", "head", "outputs"),
    list(product(("gru", "lstm", "rnn"), (False, True), (1, 3), ((), (5, 4)), (1, 4))),
)
def test_sizes_follow_from_the_shapes(
    cell: str, two_way: bool, layers: int, head: tuple[int, ...], outputs: int
) -> None:
    model = Research(20, cell, two_way=two_way, layers=layers, head=head, outputs=outputs)
    found = infer(model.state_dict(), Choices())
    a = found.architecture
    assert (a.cell, a.bidirectional, a.layers, a.head, a.classes) == (cell, two_way, layers, head, max(2, outputs))
    assert (a.vocabulary, a.embedding, a.hidden) == (20, 10, 12)
    assert [use.name for use in found.uses] == list(model.state_dict())
    assert found.outputs == outputs


@pytest.mark.parametrize(
    "names",
    [
        {"embedding": "word_embeddings", "rnn": "lstm", "dense": "fc"},
        {"embedding": "encoder.emb", "rnn": "encoder.gru", "dense": "classifier"},
        {"embedding": "lookup", "rnn": "recurrent_layer", "dense": "out"},
        {"embedding": "x", "rnn": "y", "dense": "z"},
    ],
)
def test_usual_and_unusual_names(names: dict[str, str]) -> None:
    assert infer(renamed(**names), Choices()).architecture.classes == 3


@pytest.mark.hard_inputs(21)
@pytest.mark.parametrize("prefix", ["module.", "model.", "_orig_mod.", "module.model.", "_orig_mod.module."])
def test_uniform_prefix_is_left_out_and_told(prefix: str) -> None:
    state = {f"{prefix}{name}": tensor for name, tensor in Research(20).state_dict().items()}
    assert strip_prefix(state)[0] == prefix
    found = infer(state, Choices())
    assert found.notes[0] == f"All names begin with “{prefix}”, which was left out."
    assert {use.name for use in found.uses} == set(state)


@pytest.mark.hard_inputs(21)
def test_prefix_of_some_names_alone_is_no_prefix() -> None:
    state = Research(20, head=(), outputs=3).state_dict()
    mixed = {(f"module.{name}" if "bias" in name else name): tensor for name, tensor in state.items()}
    with pytest.raises(ModelError, match=r"Expected one recurrent layer or stack, found .*module\.rnn\."):
        infer(mixed, Choices())


def test_one_output_becomes_two_logits_with_the_same_probabilities() -> None:
    model = Research(20, head=())
    state = infer(model.state_dict(), Choices()).state
    read = torch.randn(7, 12)
    logit = model.dense(read)[:, 0]
    two = read @ state["head.weight"].T + state["head.bias"]
    assert torch.allclose(torch.softmax(two, 1)[:, 1], torch.sigmoid(logit), atol=1e-7)


def test_missing_biases_are_zeros() -> None:
    state = {
        "e.weight": torch.randn(20, 10),
        **{f"r.{name}": each for name, each in nn.GRU(10, 12, bias=False).state_dict().items()},
        "o.weight": torch.randn(2, 12),
    }
    found = infer(state, Choices())
    assert not found.state["rnn.bias_ih_l0"].any()
    assert not found.state["head.bias"].any()
    assert "The recurrent layers have no bias: zeros stand in." in found.notes


def test_cells_of_one_step_are_a_layer() -> None:
    state = {
        "emb.weight": torch.randn(20, 10),
        **{f"cell.{name}": each for name, each in nn.LSTMCell(10, 12).state_dict().items()},
        **{f"out.{name}": each for name, each in nn.Linear(12, 2).state_dict().items()},
    }
    assert infer(state, Choices()).architecture.cell == "lstm"


def test_order_of_the_head_follows_from_the_shapes() -> None:
    state = Research(20, head=(), outputs=3).state_dict()
    del state["dense.0.weight"], state["dense.0.bias"]
    for name, layer in {"a_out": nn.Linear(6, 3), "b_first": nn.Linear(12, 9), "c_second": nn.Linear(9, 6)}.items():
        state |= {f"{name}.{part}": each for part, each in layer.state_dict().items()}
    assert infer(state, Choices()).architecture.head == (9, 6)


def test_ten_layers_are_not_sorted_as_text() -> None:
    state = Research(20, head=(), outputs=3).state_dict()
    del state["dense.0.weight"], state["dense.0.bias"]
    for number in (2, 10):  # square layers: their order is that of their numbers
        state |= {f"dense.{number}.{part}": each for part, each in nn.Linear(12, 12).state_dict().items()}
    found = infer(state, Choices())
    assert torch.equal(found.state["head.0.weight"], state["dense.2.weight"])
    assert torch.equal(found.state["head.2.weight"], state["dense.10.weight"])


def broken(change: str) -> dict[str, torch.Tensor]:
    state = Research(20, "lstm", two_way=True, layers=2).state_dict()
    if change == "batch norm":
        state |= {f"norm.{name}": each for name, each in nn.BatchNorm1d(12).state_dict().items()}
    elif change == "no reverse":
        del state["rnn.weight_hh_l1_reverse"]
    elif change == "one bias":
        del state["rnn.bias_hh_l0"]
    elif change == "wrong width":
        state["rnn.weight_ih_l1"] = torch.zeros(48, 12)
    elif change == "projection":
        state |= {"rnn.weight_hr_l0": torch.zeros(5, 12)}
    elif change == "two nets":
        state |= {f"rnn2.{name}": each for name, each in nn.GRU(10, 12).state_dict().items()}
    elif change == "gates":
        state["rnn.weight_ih_l0"] = torch.zeros(25, 10)
    elif change == "no embedding":
        del state["embedding.weight"]
    elif change == "two embeddings":
        state["embedding2.weight"] = torch.zeros(9, 10)
    elif change == "head":
        state["dense.0.weight"] = torch.zeros(8, 48)
    elif change == "no head":
        state = {name: each for name, each in state.items() if "dense" not in name}
    elif change == "bias of the head":
        state["dense.2.bias"] = torch.zeros(7)
    return state


@pytest.mark.hard_inputs(21)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("batch norm", r"found norm\.weight \(12\), expected no such weights; .*running_mean"),
        ("no reverse", r"expected rnn\.weight_hh_l1_reverse \(48 × 12\), found none"),
        ("one bias", r"expected rnn\.bias_hh_l0 \(48\), found none"),
        ("wrong width", r"expected rnn\.weight_ih_l1 \(48 × 24\), found 48 × 12"),
        ("projection", "has a projection"),
        ("two nets", r"found rnn\. \(16 tensors\), rnn2\. \(4 tensors\)"),
        ("gates", "expected 1, 3 or 4 for RNN, GRU, LSTM times 12 rows in weight_ih_l0, found 25"),
        ("no embedding", r"Expected one embedding, a matrix of 10 numbers a word, found dense\.0\.weight \(8 × 24\)"),
        ("two embeddings", r"found 2: embedding\.weight \(20 × 10\), embedding2\.weight \(9 × 10\)"),
        ("head", r"reads the 24 numbers of the recurrent net's state; found dense\.0\.weight \(8 × 48\)"),
        ("no head", "found none"),
        ("bias of the head", r"expected dense\.2\.bias \(1\), found 7"),
    ],
)
def test_mismatch_lists_expected_against_found(change: str, said: str) -> None:
    with pytest.raises(ModelError, match=said) as caught:
        infer(broken(change), Choices())
    assert len(str(caught.value)) < 500


def test_choices_that_contradict_the_weights() -> None:
    state = Research(20, outputs=3).state_dict()
    with pytest.raises(ModelError, match="expected 4 for LSTM times 12 rows in weight_ih_l0, found 36"):
        infer(state, Choices(cell="lstm"))
    with pytest.raises(SettingError, match="A sigmoid needs a head with one output, this one has 3"):
        infer(state, Choices(sigmoid=True))
    with pytest.raises(SettingError, match="A softmax needs two outputs or more, this one has 1"):
        infer(Research(20).state_dict(), Choices(sigmoid=False))
    with pytest.raises(SettingError, match="cell must be one of"):
        infer(state, Choices(cell="qrnn"))
    with pytest.raises(SettingError, match="activation must be one of"):
        infer(state, Choices(activation="softmax"))
