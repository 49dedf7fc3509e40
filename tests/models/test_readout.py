"""Heads and read-outs against PyTorch's own modules, run text by text."""

from itertools import product

import numpy as np
import pytest
import torch

from seer.errors import ModelError, SettingError
from seer.models.batches import make_batch
from seer.models.checkpoint import load_model, read_architecture, save_weights
from seer.models.classifier import CELLS, Architecture, RNNClassifier
from seer.models.prefixes import prefix_stride
from seer.models.readout import READ_OUTS
from tests.conftest import make_model

KINDS = [
    (cell, two_way, read_out)
    for cell, two_way, read_out in product(CELLS, (False, True), READ_OUTS)
    if two_way or not read_out.endswith("_step")
]
LENGTHS = [7, 12, 1]
OFFSETS = np.concatenate([[0], np.cumsum(LENGTHS)])
IDS = np.random.default_rng(0).integers(1, 50, OFFSETS[-1]).astype(np.int32)


def model_with(cell: str, two_way: bool, read_out: str, **more: object) -> RNNClassifier:
    length = 10 if read_out.startswith("padded") else None
    made = {"cell": cell, "bidirectional": two_way, "read_out": read_out, "length": length, "layers": 2} | more
    model = make_model(1, **made)
    with torch.no_grad():
        model.embedding.weight[0] = torch.linspace(-1, 1, 6)  # padding as other programs leave it
    return model


def alone(model: RNNClassifier, ids: np.ndarray) -> torch.Tensor:
    """(C,) probabilities of one text by PyTorch's own layers, without a batch."""
    a = model.architecture
    words = torch.from_numpy(ids.astype(np.int64))
    if a.length is not None:
        words = torch.nn.functional.pad(words, (0, max(0, a.length - len(words))))[: a.length]
    states, last = model.rnn(model.embedding(words)[None])
    last = last[0] if isinstance(last, tuple) else last
    if a.read_out == "mean":
        read = states[0].mean(0)
    elif a.read_out == "max":
        read = states[0].amax(0)
    elif a.read_out.endswith("_step"):
        read = states[0, -1]
    else:
        read = torch.cat([last[-2, 0], last[-1, 0]]) if a.bidirectional else last[-1, 0]
    return torch.softmax(model.head(read), 0)


@pytest.mark.parametrize(("cell", "two_way", "read_out"), KINDS)
def test_predictions_after_every_word_are_those_of_the_prefixes(cell: str, two_way: bool, read_out: str) -> None:
    model = model_with(cell, two_way, read_out, head=(5, 4), activation="gelu")
    batch = make_batch(OFFSETS, IDS, np.arange(3))
    with torch.inference_mode():
        steps, whole = model.predict_steps(batch), model.probabilities(batch)
        assert torch.allclose(steps, model.predict_steps(batch, model.hidden_states(batch)))
        for row, (begin, length) in enumerate(zip(OFFSETS, LENGTHS, strict=False)):
            for end in range(length):
                expected = alone(model, IDS[begin : begin + end + 1])
                assert torch.allclose(steps[row, end], expected, atol=1e-6)
            assert torch.allclose(whole[row], steps[row, length - 1], atol=1e-6)


@pytest.mark.hard_inputs(25)
@pytest.mark.parametrize(("cell", "two_way", "read_out"), KINDS)
def test_padding_changes_no_answer(cell: str, two_way: bool, read_out: str) -> None:
    """“not good” alone, beside a text of 200 words, and padded to 256."""
    model = model_with(cell, two_way, read_out, head=(5,))
    offsets = np.array([0, 2, 202])
    ids = np.random.default_rng(1).integers(1, 50, 202).astype(np.int32)
    short, beside = make_batch(offsets, ids, np.array([0])), make_batch(offsets, ids, np.array([0, 1]))
    padded = type(short)(torch.nn.functional.pad(short.ids, (0, 254)), short.lengths)
    with torch.inference_mode():
        for other in (beside, padded):
            assert torch.allclose(model.probabilities(short)[0], model.probabilities(other)[0], atol=1e-6)
            for read in (model.hidden_states, model.predict_steps):
                assert torch.allclose(read(short)[0, :2], read(other)[0, :2], atol=1e-6)
            assert not model.hidden_states(other)[0, 2:].any()


def test_long_texts_with_padding_keep_a_stride_and_the_last_word() -> None:
    model = model_with("gru", False, "padded")
    assert model.rereads
    ids = np.random.default_rng(2).integers(1, 50, 90).astype(np.int32)
    with torch.inference_mode():
        batch = make_batch(np.array([0, 90]), ids, np.array([0]))
        steps = model.predict_steps(batch)[0]
        assert torch.allclose(steps[-1], alone(model, ids), atol=1e-6)  # cut after ten words
    places = np.arange(89) // prefix_stride(90) * prefix_stride(90)
    assert torch.equal(steps[:-1], steps[torch.from_numpy(places)])


def test_a_text_without_a_word_is_padding_or_nothing() -> None:
    padded, mean = model_with("gru", False, "padded"), model_with("gru", False, "mean", head=(3,))
    with torch.inference_mode():
        assert torch.allclose(torch.softmax(padded.logits_of_nothing(), 0), alone(padded, np.zeros(0)), atol=1e-6)
        assert torch.allclose(mean.logits_of_nothing(), mean.head(torch.zeros(8)))


def test_what_is_at_its_default_is_not_written_down() -> None:
    plain = Architecture(50, 3)
    assert plain.as_dict() == {
        "vocabulary": 50,
        "classes": 3,
        "cell": "gru",
        "embedding": 64,
        "hidden": 64,
        "layers": 1,
        "bidirectional": False,
        "dropout": 0.6,
    }
    assert read_architecture(plain.as_dict()) == plain
    other = Architecture(50, 3, head=(5, 4), activation="tanh", read_out="padded", length=9)
    assert read_architecture(other.as_dict()) == other
    assert other.describe() == "GRU 64, one-way, 1 layer, head 5–4 tanh, read-out padded 9"
    with pytest.raises(ModelError, match="check dropout"):
        read_architecture({key: value for key, value in plain.as_dict().items() if key != "dropout"})


def test_every_part_is_stored(tmp_path) -> None:
    model = model_with("rnn_relu", True, "padded_step", head=(5, 4), activation="tanh")
    save_weights(model, tmp_path / "m.safetensors")
    again = load_model(tmp_path / "m.safetensors", read_architecture(model.architecture.as_dict()))
    batch = make_batch(OFFSETS, IDS, np.arange(3))
    assert torch.equal(model.probabilities(batch), again.probabilities(batch))


@pytest.mark.hard_inputs(20)
@pytest.mark.parametrize("value", ["False", 0, None])
def test_a_flag_is_true_or_false_and_never_a_word(value: object) -> None:
    with pytest.raises(ModelError, match="bidirectional must be true or false, got"):
        read_architecture(Architecture(50, 3).as_dict() | {"bidirectional": value})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"head": (0,)}, "1 to 8,192 units, got 0"),
        ({"head": (2,) * 9}, "8 hidden layers, got 9"),
        ({"activation": "sine"}, "activation must be one of relu"),
        ({"read_out": "first"}, "read-out must be one of last"),
        ({"read_out": "padded"}, "need the length"),
        ({"length": 9}, "need the length"),
        ({"read_out": "padded", "length": 0}, "got 0"),
        ({"read_out": "last_step"}, "choose last"),
    ],
)
def test_architecture_checks_head_and_read_out(changes: dict, said: str) -> None:
    with pytest.raises(SettingError, match=said):
        Architecture(50, 3, **changes)
