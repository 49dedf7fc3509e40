import numpy as np
import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seer.errors import DataError, ModelError, SettingError
from seer.models.batches import by_length, make_batch
from seer.models.checkpoint import load_model, read_architecture, save_weights
from seer.models.classifier import Architecture
from seer.models.prefixes import prefix_stride
from seer.models.training import Sentences, TrainingSettings, evaluate, train
from seer.profile import profile, sample_sentences
from tests.conftest import make_model

CELLS = [(cell, two_way, layers) for cell in ("gru", "lstm", "rnn") for two_way in (False, True) for layers in (1, 2)]


def ragged(lengths: list[int], seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    ids = np.random.default_rng(seed).integers(1, 50, sum(lengths)).astype(np.int32)
    return np.concatenate([[0], np.cumsum(lengths)]), ids


@pytest.mark.parametrize(("cell", "two_way", "layers"), CELLS)
def test_padding_changes_nothing(cell: str, two_way: bool, layers: int) -> None:
    """A sentence alone, beside one of 200 words, and padded to 256 gives the same states and predictions."""
    model = make_model(cell=cell, bidirectional=two_way, layers=layers)
    offsets, ids = ragged([7, 200])
    alone, beside = make_batch(offsets, ids, np.array([0])), make_batch(offsets, ids, np.array([0, 1]))
    padded = type(alone)(torch.nn.functional.pad(alone.ids, (0, 249)), alone.lengths)
    with torch.inference_mode():
        for other in (beside, padded):
            for read in (model.hidden_states, model.predict_steps):
                assert torch.allclose(read(alone)[0, :7], read(other)[0, :7], atol=1e-6)
            assert torch.allclose(model(alone)[0], model(other)[0], atol=1e-6)
            assert not model.hidden_states(other)[0, 7:].any()


@pytest.mark.parametrize(("cell", "two_way", "layers"), CELLS)
def test_states_are_those_of_packed_sequences(cell: str, two_way: bool, layers: int) -> None:
    """PyTorch's own module on packed sequences is the reference, for values and for gradients."""
    model = make_model(cell=cell, bidirectional=two_way, layers=layers)
    batch = make_batch(*ragged([4, 9, 1, 6]), np.arange(4))
    packed = pack_padded_sequence(model.embedding(batch.ids), batch.lengths, batch_first=True, enforce_sorted=False)
    expected = pad_packed_sequence(model.rnn(packed)[0], batch_first=True)[0]
    states = model.hidden_states(batch)
    assert torch.allclose(states, expected, atol=1e-6)
    weights = list(model.rnn.parameters())
    for own, reference in zip(
        torch.autograd.grad(states.square().sum(), weights),
        torch.autograd.grad(expected.square().sum(), weights),
        strict=True,
    ):
        assert torch.allclose(own, reference, atol=1e-5)


@pytest.mark.parametrize(("cell", "two_way", "layers"), CELLS)
def test_intermediate_predictions_are_those_of_the_prefixes(cell: str, two_way: bool, layers: int) -> None:
    model = make_model(cell=cell, bidirectional=two_way, layers=layers)
    offsets, ids = ragged([9, 5, 1])
    with torch.inference_mode():
        steps = model.predict_steps(make_batch(offsets, ids, np.arange(3)))
        for sentence, length in enumerate(np.diff(offsets)):
            for end in range(1, length + 1):
                begin = offsets[sentence]
                prefix = make_batch(np.array([0, end]), ids[begin : begin + end], np.array([0]))
                expected = torch.softmax(model(prefix), dim=-1)[0]
                assert torch.allclose(steps[sentence, end - 1], expected, atol=1e-6)


def test_long_texts_of_a_two_way_model_keep_a_stride_and_the_last_word() -> None:
    model, length = make_model(bidirectional=True), 500
    offsets, ids = ragged([length])
    with torch.inference_mode():
        batch = make_batch(offsets, ids, np.array([0]))
        steps = model.predict_steps(batch)[0]
        assert torch.allclose(steps[-1], torch.softmax(model(batch), dim=-1)[0], atol=1e-6)
    stride = prefix_stride(length)
    assert stride > 1
    starts = np.arange(length - 1) // stride * stride
    assert torch.equal(steps[:-1], steps[torch.from_numpy(starts)])


@pytest.mark.parametrize("length", [1, 38, 39, 100, 256, 10_000])
def test_prefixes_cost_less_than_twenty_forwards(length: int) -> None:
    ends = sorted({*range(0, length, prefix_stride(length)), length - 1})
    assert sum(end + 1 for end in ends) <= 20 * length + 20


def test_batches_name_each_sentence_with_a_word_once() -> None:
    lengths = np.array([0, 5, 30_000, 7, 0, 1])
    groups = by_length(lengths, budget=12)
    assert sorted(np.concatenate(groups).tolist()) == [1, 2, 3, 5]
    assert groups[0].tolist() == [2]
    assert all(lengths[group].max() * len(group) <= 12 for group in groups[1:])


def test_profile_gives_every_step_once_whatever_the_batches() -> None:
    model = make_model()
    offsets, ids = ragged([3, 0, 200, 1, 17])
    parts = list(profile(model, offsets, ids))
    steps = np.concatenate([part.steps for part in parts])
    states = np.concatenate([part.states for part in parts])[np.argsort(steps)]
    assert sorted(steps.tolist()) == list(range(221))
    with torch.inference_mode():
        alone = model.hidden_states(make_batch(offsets, ids, np.array([4])))[0]
    assert np.allclose(states[204:], alone.numpy(), atol=1e-6)


def test_sample_draws_whole_sentences_by_seed() -> None:
    lengths = np.array([10, 0, 5, 8, 30, 2])
    drawn = sample_sentences(lengths, 20, seed=3)
    assert lengths[drawn].sum() <= 20
    assert 1 not in drawn
    assert drawn.tolist() == sample_sentences(lengths, 20, seed=3).tolist()
    assert sample_sentences(lengths, 10_000, 0).tolist() == [0, 2, 3, 4, 5]
    assert len(sample_sentences(np.array([50]), 10, 0)) == 1


@pytest.mark.parametrize(
    "changes", [{"cell": "cnn"}, {"hidden": 0}, {"classes": 1}, {"dropout": 1.0}, {"layers": 0}, {"vocabulary": 0}]
)
def test_architecture_checks_itself(changes: dict) -> None:
    with pytest.raises(SettingError):
        Architecture(**({"vocabulary": 10, "classes": 2} | changes))


@pytest.mark.parametrize("changes", [{"epochs": 0}, {"batch": 0}, {"learning_rate": 0.0}, {"weight_decay": -1e-5}])
def test_training_settings_check_themselves(changes: dict) -> None:
    with pytest.raises(SettingError, match="got"):
        TrainingSettings(**changes)


def test_checkpoint_is_all_or_nothing(tmp_path) -> None:
    model, path = make_model(cell="lstm", bidirectional=True), tmp_path / "model.safetensors"
    save_weights(model, path)
    again = load_model(path, read_architecture(model.architecture.as_dict()))
    assert all(torch.equal(a, b) for a, b in zip(model.state_dict().values(), again.state_dict().values(), strict=True))
    assert not again.training
    with pytest.raises(ModelError, match=r"expected embedding.weight of shape \(49, 6\), found \(50, 6\)"):
        load_model(path, read_architecture(model.architecture.as_dict() | {"vocabulary": 49}))
    path.write_bytes(b"\x89PNG not weights")
    with pytest.raises(ModelError, match="safetensors"):
        load_model(path, model.architecture)
    with pytest.raises(ModelError, match="cell"):
        read_architecture({"cell": "gru"})


def labelled(count: int, seed: int) -> Sentences:
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, count)
    lengths = random.integers(3, 8, count)
    offsets, ids = ragged(lengths.tolist(), seed)
    ids[offsets[:-1]] = 2 + labels  # the first word tells the class
    return Sentences(offsets, ids, labels)


def test_training_learns_and_repeats_itself() -> None:
    settings = TrainingSettings(epochs=20, batch=20, learning_rate=1e-2, seed=1)
    made_of = Architecture(50, 2, "lstm", 8, 8, dropout=0.1)
    runs = [train(made_of, labelled(200, 0), labelled(60, 1), settings) for _ in range(2)]
    assert evaluate(runs[0][0], labelled(60, 2))[1] > 0.9
    weights = [torch.cat([p.flatten() for p in model.parameters()]) for model, _ in runs]
    assert torch.equal(*weights)
    assert runs[0][1] == runs[1][1]
    best = min(runs[0][1], key=lambda record: record["validation_loss"])
    assert evaluate(runs[0][0], labelled(60, 1))[0] == pytest.approx(best["validation_loss"], abs=1e-5)


def test_training_leaves_the_global_seed_and_threads_alone() -> None:
    torch.manual_seed(5)
    expected, threads = torch.rand(1), torch.get_num_threads()
    torch.manual_seed(5)
    train(Architecture(50, 2, "gru", 4, 4), labelled(20, 0), labelled(5, 1), TrainingSettings(epochs=1))
    assert torch.equal(torch.rand(1), expected)
    assert torch.get_num_threads() == threads


def test_class_weights_help_a_rare_class() -> None:
    common, rare = labelled(300, 0), labelled(300, 1)
    labels = np.where(np.arange(300) < 285, 0, 1)
    ids = common.ids.copy()
    ids[common.offsets[:-1]] = np.where(np.random.default_rng(0).random(300) < 0.75, 2 + labels, 3 - labels)
    skewed = Sentences(common.offsets, ids, labels)

    def recall(class_weights: bool) -> float:
        settings = TrainingSettings(epochs=3, learning_rate=1e-2, class_weights=class_weights)
        model, _ = train(Architecture(50, 2, "gru", 8, 8, dropout=0.0), skewed, skewed, settings)
        only = Sentences(rare.offsets, rare.ids, np.where(rare.labels == 1, 1, -1))
        return evaluate(model, only)[1]

    assert recall(True) > recall(False)


def test_one_class_is_refused_with_the_reason() -> None:
    one = labelled(20, 0)
    with pytest.raises(DataError, match="two classes or more, the training split has 1 of 2"):
        train(Architecture(50, 2), Sentences(one.offsets, one.ids, np.zeros(20, int)), one, TrainingSettings())
