"""Sets of the hub, with the network replaced."""

import time
from collections.abc import Callable
from pathlib import Path

import datasets
import pytest

from seer.corpus import check_data, hub, load_corpus, reload_corpus
from seer.errors import DataError
from tests.corpus.shared import said, split_of

HubStub = Callable[..., None]


def hub_split(labels: list[int], names: tuple[str, ...] = ("World", "Art")) -> datasets.Dataset:
    features = datasets.Features(
        {
            "nr": datasets.Value("int64"),
            "text": datasets.Value("string"),
            "label": datasets.ClassLabel(names=list(names)),
        }
    )
    columns = {"nr": range(len(labels)), "text": [f"text {i}" for i in range(len(labels))], "label": labels}
    return datasets.Dataset.from_dict(columns, features=features)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> HubStub:
    def _serve(result: object, online: bool = True) -> None:
        def load(name: str, config: str | None, revision: str | None) -> object:
            assert online or datasets.config.HF_HUB_OFFLINE
            if isinstance(result, Exception):
                raise result
            return result

        monkeypatch.setattr(hub, "_reachable", lambda endpoint: online)
        monkeypatch.setattr(datasets, "load_dataset", load)

    return _serve


@pytest.mark.hard_inputs(8, 9)
def test_hub_set_with_its_own_splits(serve: HubStub) -> None:
    splits = {"train": hub_split([0, 1] * 20), "dev": hub_split([1, 0]), "test": hub_split([-1, -1, -1])}
    serve(datasets.DatasetDict(splits))
    loaded = load_corpus("owner/news", config="small", revision="v1")
    assert loaded.name == "owner/news"
    assert loaded.classes == ("World", "Art")
    assert {s: len(loaded.rows(s)) for s in loaded.splits} == {"train": 40, "validation": 2, "test": 3}
    assert loaded.ids[40:42].tolist() == ["dev-0", "dev-1"]
    assert loaded.labels[loaded.rows("test")].tolist() == [-1, -1, -1]
    assert "“dev” is taken as validation" in said(loaded)
    assert "3 of 45 rows have no label" in said(loaded)
    assert loaded.source["revision"] == "v1"
    assert loaded.source["config"] == "small"
    assert reload_corpus(dict(loaded.source)).fingerprint == loaded.fingerprint


@pytest.mark.hard_inputs(8)
def test_hub_set_without_validation_and_with_an_extra_split(serve: HubStub) -> None:
    train, test = hub_split([0, 1] * 20), hub_split([1, 0]).select([1])
    train.info.download_checksums = {f"hf://datasets/owner/news@{'a1' * 20}/train.parquet": {}}
    serve(datasets.DatasetDict({"train": train, "test": test, "unsupervised": hub_split([-1] * 5)}))
    loaded = load_corpus("owner/news")
    assert {s: len(loaded.rows(s)) for s in loaded.splits} == {
        "train": 36,
        "validation": 4,
        "test": 1,
        "unsupervised": 5,
    }
    assert loaded.texts(loaded.rows("test")) == ["text 1"]
    assert "no validation split" in said(loaded)
    assert loaded.source["revision"] == "a1" * 20
    assert split_of(load_corpus("owner/news", seed=1)) != split_of(loaded)


@pytest.mark.hard_inputs(8)
def test_hub_names_are_checked_with_their_real_splits(serve: HubStub) -> None:
    serve(datasets.DatasetDict({"train": hub_split([0, 1] * 20), "test": hub_split([0, 0, 1, -1])}))
    found = check_data("owner/news", revision="v1")
    assert [(file.split, file.file, file.records, file.unit) for file in found.files] == [
        ("train", "owner/news", 40, "row"),
        ("test", "owner/news", 4, "row"),
    ]
    assert found.files[0].columns == ("nr", "text", "label")
    assert found.files[0].head[1] == ("1", "text 1", "1")
    assert found.counts == {
        "World": {"train": 18, "validation": 2, "test": 2},
        "Art": {"train": 18, "validation": 2, "test": 1},
    }
    assert [(row.file, row.line, row.reason) for row in found.unlabelled] == [("test", 4, "-1")]
    assert found.guessed == {"text", "label"}
    other = check_data("owner/news", text="body")
    assert other.fault == "owner/news has no column 'body' for the text; its columns are 'nr', 'text', 'label'."
    assert [file.split for file in other.files] == ["train", "test"]
    serve(RuntimeError("Dataset scripts are no longer supported, but found old.py"))
    assert "script of its own" in str(check_data("owner/news").fault)


def test_hub_set_with_one_split_is_split(serve: HubStub) -> None:
    serve(datasets.DatasetDict({"train": hub_split([0, 1] * 20)}))
    assert [len(load_corpus("news").rows(s)) for s in ("train", "validation", "test")] == [32, 4, 4]
    serve(datasets.DatasetDict({"a": hub_split([0]), "b": hub_split([0])}))
    with pytest.raises(DataError, match="no split named train; it has a, b"):
        load_corpus("news")


@pytest.mark.hard_inputs(8)
@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RuntimeError("Dataset scripts are no longer supported, but found old.py"), "script of its own"),
        (datasets.exceptions.DatasetNotFoundError("Dataset 'x/y' doesn't exist on the Hub."), "Check the name"),
        (datasets.exceptions.DatasetNotFoundError("Dataset 'x/y' is a gated dataset on the Hub."), "hf auth login"),
        (ValueError("Config name is missing.\nPlease pick one among ['a', 'b']"), r"config=….*\['a', 'b'\]"),
        (ConnectionError("Couldn't reach"), "cannot be reached"),
    ],
)
def test_hub_names_that_cannot_be_loaded_are_explained(serve: HubStub, error: Exception, message: str) -> None:
    serve(error)
    with pytest.raises(DataError, match=message):
        load_corpus("x/y")


@pytest.mark.hard_inputs(8)
def test_hub_names_without_network_use_the_cache_or_fail_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(hub, "_reachable", lambda endpoint: False)
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    start = time.perf_counter()
    with pytest.raises(DataError, match="cannot be reached, and nobody/nothing is not in the cache"):
        load_corpus("nobody/nothing")
    assert time.perf_counter() - start < 5
    assert not datasets.config.HF_HUB_OFFLINE

    cached = tmp_path / "owner___news" / "default" / "0.0.0" / ("0" * 40)
    cached.mkdir(parents=True)
    writer = datasets.arrow_writer.ArrowWriter(path=str(cached / "news-train.arrow"), features=hub_split([0]).features)
    with writer:
        for row in hub_split([0, 1] * 20):
            writer.write(row)
        count, size = writer.finalize()
    info = datasets.DatasetInfo(features=hub_split([0]).features, dataset_name="news", config_name="default")
    info.builder_name, info.version = "parquet", datasets.Version("0.0.0")
    info.splits = datasets.SplitDict({"train": datasets.SplitInfo("train", size, count, dataset_name="news")})
    info.write_to_directory(str(cached))
    loaded = load_corpus("owner/news")
    assert len(loaded) == 40
    assert loaded.classes == ("World", "Art")
    assert "the copy of owner/news in the cache was used" in said(loaded)


def test_the_probe_gives_up_within_seconds() -> None:
    start = time.perf_counter()
    assert not hub._reachable("http://127.0.0.1:9")
    assert not hub._reachable("http://name.invalid")
    assert time.perf_counter() - start < 9
