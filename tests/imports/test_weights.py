"""Files of weights from anywhere: right ones are read, no other runs any code."""

import os
import pickle
import struct
import subprocess
import sys
import zipfile
from argparse import Namespace
from pathlib import Path

import joblib
import numpy as np
import pytest
import safetensors.torch
import torch
from torch import nn

from seer.errors import ModelError
from seer.imports import weights as weights_module
from seer.imports.weights import read_weights
from tests.imports.research import Research, saved

MODEL = Research(20)
NAMES = {f"module.{name}" for name in MODEL.state_dict()}


class Canary:
    """Touches a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


class Own(nn.Module):
    """A class that only its own program knows."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.GRU(3, 4)


class Settings:
    """Not a plain value."""


@pytest.mark.hard_inputs(21)
def test_research_checkpoint_is_found_where_it_is_nested(tmp_path: Path) -> None:
    found = read_weights(saved(MODEL, tmp_path / "best.pth.tar"))
    assert set(found.tensors) == NAMES
    for name, tensor in MODEL.state_dict().items():
        assert torch.equal(found.tensors[f"module.{name}"], tensor)
    assert found.notes == ("The weights stand under “model”.",)


@pytest.mark.parametrize("keys", [(), ("state_dict",), ("net",), ("result", "fold 1", "model_state_dict")])
def test_weights_under_any_keys(keys: tuple[str, ...], tmp_path: Path) -> None:
    held: dict = dict(MODEL.state_dict())
    for key in reversed(keys):
        held = {key: held, "optimizer": {"state": {0: {"exp_avg": torch.zeros(3)}}}, "loss": [0.5], "name": "x"}
    torch.save(held, tmp_path / "w.bin")
    assert set(read_weights(tmp_path / "w.bin").tensors) == set(MODEL.state_dict())


def test_several_models_in_a_file(tmp_path: Path) -> None:
    torch.save({"model": MODEL.state_dict(), "ema": MODEL.state_dict()}, tmp_path / "two.pt")
    assert read_weights(tmp_path / "two.pt").notes == ("The weights stand under “model”.",)
    torch.save({"first": MODEL.state_dict(), "second": MODEL.state_dict()}, tmp_path / "two.pt")
    with pytest.raises(ModelError, match="holds several models, under first, second"):
        read_weights(tmp_path / "two.pt")


def test_safetensors_and_the_old_format(tmp_path: Path) -> None:
    safetensors.torch.save_file(MODEL.state_dict(), tmp_path / "w.safetensors")
    torch.save(MODEL.state_dict(), tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    for name in ("w.safetensors", "old.pt"):
        found = read_weights(tmp_path / name).tensors
        assert all(torch.equal(found[each], tensor) for each, tensor in MODEL.state_dict().items())


def rewritten(source: Path, target: Path, old: bytes, new: bytes) -> Path:
    """The same PyTorch file with other bytes in what describes its tensors."""
    with zipfile.ZipFile(source) as before, zipfile.ZipFile(target, "w") as after:
        for entry in before.infolist():
            content = before.read(entry)
            if entry.filename.endswith("data.pkl"):
                assert old in content
                content = content.replace(old, new)
            after.writestr(entry.filename, content)
    return target


def on_a_gpu(source: Path, target: Path) -> Path:
    """As if its tensors had been saved on a graphics card: the device is a word in it."""
    old, new = (b"X" + struct.pack("<I", len(word)) + word for word in (b"cpu", b"cuda:0"))
    return rewritten(source, target, old, new)


@pytest.mark.hard_inputs(20)
def test_gpu_checkpoint_is_read_on_the_cpu_with_a_note(tmp_path: Path) -> None:
    path = on_a_gpu(saved(MODEL, tmp_path / "cpu.pt"), tmp_path / "gpu.pt")
    if not torch.cuda.is_available():
        with pytest.raises(RuntimeError, match="CUDA"):
            torch.load(path, weights_only=False)
    found = read_weights(path)
    assert "The weights were saved on cuda:0; they are read on the CPU." in found.notes
    assert all(torch.equal(found.tensors[f"module.{name}"], each) for name, each in MODEL.state_dict().items())
    assert {tensor.device.type for tensor in found.tensors.values()} == {"cpu"}


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float64])
def test_other_precisions_become_float32_with_a_note(kind: torch.dtype, tmp_path: Path) -> None:
    torch.save({name: tensor.to(kind) for name, tensor in MODEL.state_dict().items()}, tmp_path / "w.pt")
    found = read_weights(tmp_path / "w.pt")
    assert {tensor.dtype for tensor in found.tensors.values()} == {torch.float32}
    assert found.notes == (f"The weights are {str(kind).removeprefix('torch.')}; they are read as float32.",)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e300])
def test_weights_that_are_no_numbers_are_refused(value: float, tmp_path: Path) -> None:
    state = {name: tensor.double() for name, tensor in MODEL.state_dict().items()}
    state["embedding.weight"][3, 2] = value
    torch.save(state, tmp_path / "w.pt")
    with pytest.raises(ModelError, match=r"1 of the 200 weights in embedding\.weight are not finite"):
        read_weights(tmp_path / "w.pt")


@pytest.mark.hard_inputs(21)
def test_blocked_type_is_named_with_how_to_save_again(tmp_path: Path) -> None:
    torch.save({"model": MODEL.state_dict(), "settings": Settings()}, tmp_path / "w.pt")
    with pytest.raises(ModelError, match=r"tests\.imports\.test_weights\.Settings.*torch\.save\(model\.state_dict"):
        read_weights(tmp_path / "w.pt")
    torch.save(Own(), tmp_path / "whole.pt")
    with pytest.raises(ModelError, match=r"tests\.imports\.test_weights\.Own"):
        read_weights(tmp_path / "whole.pt")


@pytest.mark.hard_inputs(38)
@pytest.mark.parametrize("protocol", [0, 2, 4])
@pytest.mark.parametrize("name", ["model.pt", "model.pkl", "model.joblib", "model.safetensors", "../model.pt"])
def test_booby_trapped_file_runs_no_code(name: str, protocol: int, tmp_path: Path) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    path, canary = folder / name, tmp_path / "canary"
    held = {"model": MODEL.state_dict(), "args": Canary(canary)}
    if name.endswith("joblib"):
        joblib.dump({"args": Canary(canary)}, path)
    elif name.endswith(".pt") and protocol == 2:
        torch.save(held, path)
    else:
        path.write_bytes(pickle.dumps({"args": Canary(canary)}, protocol=protocol))
    with pytest.raises(ModelError, match=r"model\.\w+") as caught:
        read_weights(path)
    assert not canary.exists()
    assert ".." not in str(caught.value)
    if protocol == 2 and name.endswith(".pt"):
        assert "posix.system" in str(caught.value)
        torch.load(path, weights_only=False)  # the trap is a trap: a careless reader would have fallen in
        assert canary.exists()


@pytest.mark.hard_inputs(38)
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "found an empty file"),
        (b"\x89PNG\r\n\x1a\n" + bytes(60), "found a PNG picture"),
        (b"\x89HDF\r\n\x1a\n" + bytes(60), "found an HDF5 file, as Keras writes them"),
        (b"PK\x03\x04" + bytes(60), "damaged archive"),
        (b"\x80\x02" + bytes(60), "damaged or no PyTorch file"),
        (b"\xff" * 8 + b"{" + bytes(60), "damaged"),
        (b"any text that is long enough", "found neither"),
    ],
)
@pytest.mark.parametrize("name", ["model.pt", "model.safetensors"])
def test_what_is_no_model_file_is_refused(content: bytes, said: str, name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match=said):
        read_weights(tmp_path / name)


@pytest.mark.hard_inputs(38)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_truncated_file_is_refused(share: float, tmp_path: Path) -> None:
    whole = saved(MODEL, tmp_path / "w.pt").read_bytes()
    (tmp_path / "cut.pt").write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(ModelError, match="damaged"):
        read_weights(tmp_path / "cut.pt")
    safetensors.torch.save_file(MODEL.state_dict(), tmp_path / "w.safetensors")
    whole = (tmp_path / "w.safetensors").read_bytes()
    (tmp_path / "cut.safetensors").write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(ModelError, match="damaged"):
        read_weights(tmp_path / "cut.safetensors")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.pt, but it cannot be read: No such file"):
        read_weights(tmp_path / "none.pt")


@pytest.mark.hard_inputs(38)
def test_archives_that_unpack_to_much_or_to_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = saved(MODEL, tmp_path / "w.pt")
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(tmp_path / "evil.pt", "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            new.writestr(entry.filename, old.read(entry))
        new.writestr("../../evil.txt", "here")
        new.writestr("zeros", bytes(30_000_000))
    assert (tmp_path / "evil.pt").stat().st_size < 100_000
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setattr(weights_module, "MOST_BYTES", 20_000_000)
    with pytest.raises(ModelError, match=r"may have 20,000,000 bytes; evil.pt has 30,\d{3},\d{3} when unpacked"):
        read_weights(tmp_path / "evil.pt")
    assert sorted(tmp_path.rglob("*")) == before
    assert not (tmp_path.parent.parent / "evil.txt").exists()


def test_a_small_file_that_says_it_has_many_numbers(tmp_path: Path) -> None:
    torch.save({"rnn.weight_ih_l0": torch.zeros(1).expand(10_000_000, 1000)}, tmp_path / "w.pt")
    with pytest.raises(ModelError, match=r"may have 250,000,000 weights, w\.pt has 10,000,000,000"):
        read_weights(tmp_path / "w.pt")


def test_other_archives_say_what_they_are(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", a=np.zeros(3))
    with pytest.raises(ModelError, match="none of weights as PyTorch writes it"):
        read_weights(tmp_path / "w.npz")
    torch.jit.script(nn.Linear(2, 2)).save(tmp_path / "script.pt")
    with pytest.raises(ModelError, match="TorchScript program, which holds code"):
        read_weights(tmp_path / "script.pt")
    torch.save({"conv.weight": torch.zeros(3, 3), "n": torch.zeros(1)}, tmp_path / "cnn.pt")
    with pytest.raises(ModelError, match=r"named weight_ih_l0 and so on, in cnn\.pt; found conv\.weight, n"):
        read_weights(tmp_path / "cnn.pt")
    torch.save(torch.zeros(3), tmp_path / "one.pt")
    with pytest.raises(ModelError, match=r"found Tensor"):
        read_weights(tmp_path / "one.pt")


def test_numbers_of_an_older_numpy_are_let_in(tmp_path: Path) -> None:
    source = saved(MODEL, tmp_path / "w.pt")
    older = rewritten(source, tmp_path / "older.pt", b"numpy._core.multiarray", b"numpy.core.multiarray")
    assert set(read_weights(older).tensors) == NAMES


def test_plain_values_beside_the_weights_are_let_in(tmp_path: Path) -> None:
    """Numpy scalars and settings of the command line are values: a process of its own shows that they suffice."""
    values = {"f": np.float32(1), "i": np.int64(2), "b": np.bool_(True), "args": Namespace(out=Path("x"))}
    torch.save({"model": MODEL.state_dict(), **values}, tmp_path / "w.pt")
    program = (
        "import sys, pathlib, seer.imports.weights as w; print(len(w.read_weights(pathlib.Path(sys.argv[1])).tensors))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "w.pt")], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == str(len(MODEL.state_dict()))


@pytest.mark.hard_inputs(38)
def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "w.pt")
    with pytest.raises(ModelError, match=r"Expected model weights in w\.pt, found no ordinary file"):
        read_weights(tmp_path / "w.pt")


@pytest.mark.hard_inputs(38)
def test_a_program_in_the_old_format_is_named(tmp_path: Path) -> None:
    torch.save({"a": Canary(tmp_path / "canary")}, tmp_path / "w.pt", _use_new_zipfile_serialization=False)
    with pytest.raises(ModelError, match=r"it would run posix\.system, which is refused"):
        read_weights(tmp_path / "w.pt")
    assert not (tmp_path / "canary").exists()


def test_weights_without_numbers_are_refused(tmp_path: Path) -> None:
    state = {name: tensor.to("meta") for name, tensor in MODEL.state_dict().items()}
    torch.save(state, tmp_path / "w.pt")
    with pytest.raises(ModelError, match="have a shape and no numbers"):
        read_weights(tmp_path / "w.pt")


def test_a_dictionary_that_holds_itself_is_one_model(tmp_path: Path) -> None:
    state = dict(MODEL.state_dict())
    state["self"] = state
    torch.save(state, tmp_path / "w.pt")
    assert read_weights(tmp_path / "w.pt").tensors.keys() == MODEL.state_dict().keys()
    torch.save({**MODEL.state_dict(), "ema": MODEL.state_dict()}, tmp_path / "two.pt")
    with pytest.raises(ModelError, match=r"several models, under \(top\), ema"):
        read_weights(tmp_path / "two.pt")


def test_what_weights_unpack_to_is_bounded_by_the_size_of_their_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.save({"rnn.weight_ih_l0": torch.zeros(1000, 100)}, tmp_path / "plain.pt")
    with zipfile.ZipFile(tmp_path / "plain.pt") as plain, zipfile.ZipFile(tmp_path / "w.pt", "w", 8) as packed:
        for entry in plain.infolist():
            packed.writestr(entry.filename, plain.read(entry))
    monkeypatch.setattr("seer.corpus.bounds.MOST_UNPACKED", 200_000)
    assert read_weights(tmp_path / "plain.pt").tensors["rnn.weight_ih_l0"].shape == (1000, 100)
    with pytest.raises(ModelError, match=r"of this size may have 200,000 bytes; w\.pt has 40\d,\d\d\d when unpacked"):
        read_weights(tmp_path / "w.pt")
