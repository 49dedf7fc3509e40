"""A study whose files were altered, emptied or exchanged: named in a sentence, never answered with wrong numbers."""

import io
import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from seer.analysis import AnalysisSettings
from seer.build import model_study
from seer.errors import SeerError, StudyError
from seer.parts import ABSTRACTION, CHECKPOINT, CORPUS, TOKENIZER, TRACES, WEIGHTS
from seer.storage import part, read_manifest, version_name
from seer.study import DEMOS, Study
from tests.conftest import opinions


@pytest.fixture
def copy(small_study: Study, tmp_path: Path) -> Path:
    """A study's folder that may be damaged."""
    return Path(shutil.copytree(small_study.folder, tmp_path / "copy"))


def rewrite(folder: Path, **fields: object) -> None:
    """Change a manifest by hand: what is said of files and of itself goes, as in a study of earlier days."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    older = {field: value for field, value in manifest.items() if field not in ("files", "check")}
    (folder / "manifest.json").write_text(json.dumps(older | fields), encoding="utf-8")


def version_of(folder: Path) -> Path:
    return folder / version_name(json.loads((folder / "manifest.json").read_text(encoding="utf-8")))


def read_whole(folder: Path) -> None:
    study = Study.open(folder)
    assert study.corpus
    study.machine(None)


PARTS = [WEIGHTS, CHECKPOINT, TOKENIZER, ABSTRACTION, CORPUS] + [
    f"{TRACES}/{name}.npy" for name in ("offsets", "token", "state", "predicted", "probability")
]


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("broken", PARTS)
def test_a_damaged_file_is_named_in_a_sentence(copy: Path, broken: str, older: bool) -> None:
    path, said = version_of(copy) / broken, "traces" if broken.startswith(TRACES) else broken
    if older:
        rewrite(copy)
    whole = path.read_bytes()
    garbage = (b"", whole[:10], b"\x93NUMPY garbage", b"[" * 200_000, b'{"architecture": 1}', b"null")
    odd = io.BytesIO()
    np.save(odd, np.array([{}], dtype=object), allow_pickle=True)
    for content in (*garbage, odd.getvalue()):
        path.write_bytes(content)
        with pytest.raises(StudyError, match=f"The study copy (is damaged|mixes files): .*{said}") as caught:
            read_whole(copy)
        assert str(copy.parent) not in str(caught.value)
        assert not re.search(
            r"Errno|object|argument|recursion|Error|header", str(caught.value).replace("no object", "")
        )


@pytest.mark.parametrize("broken", [name for name in PARTS if name != CORPUS])
@pytest.mark.parametrize("place", ["missing", "pipe", "device", "folder", "link to nowhere", "link to text"])
def test_what_is_no_plain_file_keeps_nobody_waiting(copy: Path, broken: str, place: str) -> None:
    path = version_of(copy) / broken
    path.unlink()
    if place == "pipe":
        os.mkfifo(path)
    elif place == "folder":
        path.mkdir()
    elif place != "missing":
        path.symlink_to({"device": "/dev/zero", "link to nowhere": "nowhere", "link to text": "/etc/passwd"}[place])
    with pytest.raises(StudyError, match=rf"The study copy (is damaged|mixes files): its {broken}") as caught:
        read_whole(copy)
    assert "root:" not in str(caught.value)


@pytest.mark.parametrize("place", ["pipe", "/etc/passwd", "/dev/zero"])
def test_sentences_that_are_no_plain_file_are_refused(copy: Path, place: str) -> None:
    path = version_of(copy) / CORPUS
    path.unlink()
    os.mkfifo(path) if place == "pipe" else path.symlink_to(place)
    with pytest.raises(StudyError, match=r"The study copy (is damaged|mixes files): its corpus\.parquet"):
        _ = Study.open(copy).corpus


def test_a_version_that_is_a_link_is_read_like_any_other(small_study: Study, copy: Path) -> None:
    version = version_of(copy)
    version.rename(copy.parent / "elsewhere")
    version.symlink_to(copy.parent / "elsewhere")
    assert Study.open(copy).summary() == small_study.summary() | {"name": small_study.name}


def test_altered_traces_are_noticed(copy: Path) -> None:
    path = version_of(copy) / TRACES / "predicted.npy"
    np.save(path, 1 - np.load(path))
    with pytest.raises(StudyError, match=r"mixes files: its traces/predicted\.npy does not match what its manifest"):
        _ = Study.open(copy).traces


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("token", -1, "a value of token is not from 0 to"),
        ("token", 10**6, "a value of token is not from 0 to"),
        ("state", 0, "a value of state is not from 1 to 6"),
        ("state", 7, "a value of state is not from 1 to 6"),
        ("predicted", -1, "a value of predicted is not from 0 to 1"),
        ("predicted", 2, "a value of predicted is not from 0 to 1"),
        ("probability", np.nan, "a value of probability is not from 0 to 1"),
        ("probability", -0.5, "a value of probability is not from 0 to 1"),
        ("probability", np.inf, "a value of probability is not from 0 to 1"),
        ("offsets", -3, "its traces cannot be read"),
        ("offsets", 10**9, "its traces cannot be read"),
    ],
)
def test_traces_out_of_range_are_refused_though_nothing_is_said_of_their_files(
    copy: Path, name: str, value: float, fault: str
) -> None:
    rewrite(copy)
    path = version_of(copy) / TRACES / f"{name}.npy"
    odd = np.load(path)
    odd.flat[3] = value
    np.save(path, odd)
    with pytest.raises(StudyError, match=f"The study copy is damaged: .*{fault}"):
        _ = Study.open(copy).traces


def test_traces_of_another_type_are_refused(copy: Path) -> None:
    rewrite(copy)
    path = version_of(copy) / TRACES / "state.npy"
    np.save(path, np.load(path).astype(np.float32))
    with pytest.raises(StudyError, match="its traces cannot be read"):
        _ = Study.open(copy).traces


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("part", ["classes", "weights", "abstraction"])
def test_altered_parts_are_refused_not_answered_with_wrong_numbers(copy: Path, part: str, older: bool) -> None:
    version = version_of(copy)
    if older:
        rewrite(copy)
    if part == "classes":
        checkpoint = json.loads((version / CHECKPOINT).read_text())
        (version / CHECKPOINT).write_text(json.dumps(checkpoint | {"classes": ["pos", "neg"]}))
    else:
        path = version / (WEIGHTS if part == "weights" else ABSTRACTION)
        arrays = safetensors.numpy.load_file(path)
        safetensors.numpy.save_file({name: np.zeros_like(array) for name, array in arrays.items()}, path)
    with pytest.raises(StudyError, match="The study copy mixes files"):
        Study.open(copy)


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"training": [1]}, "training is missing or no object"),
        ({"classes": "np"}, "classes is missing or no list"),
        ({"classes": [1, 2]}, "a value in classes is missing or no text"),
        ({"architecture": []}, "architecture is missing or no object"),
        ({"architecture": {"module": "x", "classes": "2", "hidden": 3}}, "its model.json cannot be read"),
    ],
)
def test_an_odd_field_of_the_model_is_named(copy: Path, fields: dict[str, object], fault: str) -> None:
    rewrite(copy)
    path = version_of(copy) / CHECKPOINT
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))
    with pytest.raises(StudyError, match=f"The study copy is damaged: .*{fault}"):
        Study.open(copy)


def test_no_model_is_built_of_sizes_that_were_changed(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rewrite(copy)
    path = version_of(copy) / CHECKPOINT
    checkpoint = json.loads(path.read_text())
    path.write_text(json.dumps(checkpoint | {"architecture": checkpoint["architecture"] | {"hidden": 500}}))
    monkeypatch.setattr("seer.parts.load_model", None)
    with pytest.raises(StudyError, match="its manifest speaks of another checkpoint"):
        Study.open(copy)


@pytest.mark.parametrize("place", ["quality", "sweep"])
@pytest.mark.parametrize("value", [float("nan"), 1e308, -0.1, "0.5", [0.5]])
def test_a_figure_of_quality_that_is_no_share_is_refused(copy: Path, place: str, value: object) -> None:
    quality = json.loads((copy / "manifest.json").read_text())["quality"] | {"purity": value}
    rewrite(copy, **{place: quality if place == "quality" else [quality]})
    with pytest.raises(StudyError, match=r"The study copy is damaged: .*quality"):
        Study.open(copy)


def test_quality_of_other_states_is_refused(copy: Path) -> None:
    quality = json.loads((copy / "manifest.json").read_text())["quality"]
    rewrite(copy, quality=quality | {"states": 1, "purity_by_state": [1]})
    with pytest.raises(StudyError, match="quality is that of 1 states, and it has 6"):
        Study.open(copy)


def test_a_study_of_earlier_days_opens(small_study: Study, copy: Path) -> None:
    rewrite(copy)
    assert Study.open(copy).summary() == small_study.summary()


@pytest.mark.parametrize("source", [{"path": "x"}, {}, {"name": 5}, {"kind": "test"}])
def test_sentences_from_nowhere_are_told_in_a_sentence(copy: Path, source: dict[str, object]) -> None:
    rewrite(copy, corpus={"name": "small", "source": source})
    (version_of(copy) / CORPUS).unlink()
    with pytest.raises(SeerError) as caught:
        _ = Study.open(copy).corpus
    assert "argument" not in str(caught.value)
    assert "attribute" not in str(caught.value)


def written_again(study: Study, folder: Path, *, keep_sentences: bool = True) -> Study:
    """The same study made once more, without the training."""
    return model_study(
        study.model,  # type: ignore[arg-type]
        study.tokenizer,
        study.corpus,
        folder,
        origin={},
        seed=0,
        analysis=AnalysisSettings(states=6, components=4),
        keep_sentences=keep_sentences,
    )


@pytest.mark.parametrize("broken", [WEIGHTS, CHECKPOINT, TOKENIZER, ABSTRACTION, CORPUS, TRACES])
def test_made_again_a_damaged_study_is_mended(small_study: Study, copy: Path, broken: str) -> None:
    path = version_of(copy) / broken
    if broken == TRACES:
        shutil.rmtree(path)
        path.mkdir()
    else:
        path.write_bytes(b"x")
    again = written_again(small_study, copy)
    assert (again.hash, again.summary()) == (small_study.hash, small_study.summary() | {"name": "copy"})
    assert len([path for path in copy.iterdir() if path.is_dir()]) == 1


def test_made_again_without_sentences_it_has_none_and_with_them_it_has(small_study: Study, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    opened = written_again(small_study, folder)
    assert opened.traces.steps
    with pytest.raises(SeerError):  # these sentences are from nowhere
        _ = written_again(small_study, folder, keep_sentences=False).corpus
    assert not [path for path in folder.rglob("*") if path.name in (CORPUS, TRACES)]
    assert opened.machine("test") == small_study.machine("test")  # whoever had it open goes on
    assert written_again(small_study, folder).traces.steps == opened.traces.steps


@pytest.mark.parametrize("name", DEMOS)
def test_the_demos_tell_the_hashes_of_their_files(name: str) -> None:
    manifest = read_manifest(DEMOS[name])
    version = DEMOS[name] / version_name(manifest)
    assert manifest["files"].keys() == {str(path.relative_to(version)) for path in version.rglob("*.*")}
    for file in manifest["files"]:
        part(DEMOS[name], manifest, file)
    assert manifest["check"]


@pytest.mark.parametrize("field", ["quality", "abstraction", "corpus", "sweep"])
def test_a_manifest_with_another_shape_inside_is_damaged(copy: Path, field: str) -> None:
    rewrite(copy, **{field: {"sweep": [{}]}.get(field, {"x": 1})})
    with pytest.raises(StudyError, match="The study copy is damaged"):
        Study.open(copy)


def test_sentences_that_changed_are_noticed(copy: Path) -> None:
    opinions(240, seed=9).save(version_of(copy) / CORPUS)
    with pytest.raises(StudyError, match=r"mixes files: its corpus\.parquet"):
        _ = Study.open(copy).corpus
    rewrite(copy)
    with pytest.raises(StudyError, match="not those"):
        _ = Study.open(copy).corpus
