"""Treebank folders: trees, escapes, phrases, ids, and what is said about a bad file."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.cli import main
from seer.corpus import Corpus, builtin_corpora, load_corpus, reload_corpus
from seer.corpus.trees import parse_tree
from seer.errors import DataError, SettingError
from seer.models.training import TrainingSettings
from seer.study import Study

FILES = {
    "train.txt": (
        "(4 (2 The) (4 (4 (3 very) (4 good)) (2 film)))\n"
        "(0 (1 (0 Awful) (2 ,)) (0 (0 awful) (2 film)))\n"
        "\n"
        "(2 (2 (2 -LRB-) (2 a)) (2 (2 film) (2 -RRB-)))\n"
        "(3 (3 good) (2 film))\n"
        "(1 (2 The) (1 (1 dull) (2 film)))\n"
    ),
    "dev.txt": "(4 (3 very) (4 good))\n(0 (0 awful) (2 film))\n",
    "test.txt": "(3 (3 good) (2 film))\n(1 (1 dull) (2 film))\n(2 film)\n",
}
SST5 = Path(__file__).resolve().parents[3] / "shared" / "datasets" / "sst5"

Folder = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    def make(**changed: str) -> Path:
        where = tmp_path / "trees"
        where.mkdir(exist_ok=True)
        for name, content in FILES.items():
            (where / name).write_text(changed.get(name.removesuffix(".txt"), content), encoding="utf-8")
        return where

    return make


def extra(corpus: Corpus) -> list[tuple[str, int]]:
    return [(row["text"], row["label"]) for row in corpus.extra.to_pylist()]


# --- trees


def test_a_tree_gives_words_and_every_phrase_with_its_label() -> None:
    tree = parse_tree("(4 (2 The) (4 (3 good) (2 film)))", 5)
    assert tree.words == ("The", "good", "film")
    assert tree.phrases == ((2, 0, 1), (3, 1, 2), (2, 2, 3), (4, 1, 3), (4, 0, 3))
    assert (tree.label, tree.text) == (4, "The good film")
    assert tree.inner() == [("The", 2), ("good", 3), ("film", 2), ("good film", 4)]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("(2 film)", "film"),
        ("( 2  film )\r", "film"),
        ("(2\t(3 (4 film)))", "film"),
        ("(2(1 a)(3 b)(2 c))", "a b c"),
        ("(2 (2 -LRB-) (2 -rrb-) (2 -LSB-) (2 -RSB-) (2 -LCB-) (2 -RCB-))", "( ) [ ] { }"),
        ("(2 (2 ``) (2 a) (2 '') (2 `) (2 b) (2 '))", "\" a \" ' b '"),
        (r"(2 (2 and\/or) (2 \*\*\*) (2 \) (2 n't))", r"and/or *** \ n't"),
        ("(2 (2 2\u00a01\\/2) (2 hours))", "2\u00a01/2 hours"),
        ("(2 (2 naïve) (2 🙂) (2 3))", "naïve 🙂 3"),
    ],
)
def test_blanks_brackets_and_escapes_are_read_as_what_they_are(line: str, text: str) -> None:
    assert parse_tree(line, 5).text == text


BAD = [
    ("good film", "'good' stands outside all brackets"),
    (")", "a bracket closes that was never opened"),
    ("(2 film))", "a bracket closes that was never opened"),
    ("(2 (3 good) (2 film)", "1 bracket is not closed"),
    ("(2 (3 good", "2 brackets are not closed"),
    ("(2 film) (2 film)", "more follows after the tree"),
    ("(2 film) .", "more follows after the tree"),
    ("(2 good film)", "a leaf holds one word, but more follows 'good'"),
    ("(2 good (2 film))", "a leaf holds one word, but more follows 'good'"),
    ("(2 (3 good) film)", "the word 'film' stands beside a phrase"),
    ("(2)", "a pair of brackets holds no word"),
    ("(2 (3 good) ())", "a label from 0 to 4 after an opening bracket, got ''"),
    ("((3 good))", "a label from 0 to 4 after an opening bracket, got ''"),
    ("(5 film)", "a label from 0 to 4 after an opening bracket, got '5'"),
    ("(-1 film)", "got '-1'"),
    ("(good film)", "got 'good'"),
    ("(² film)", "got '²'"),
]


@pytest.mark.parametrize(("line", "message"), BAD)
def test_a_bad_tree_is_told_with_file_line_and_what_is_wrong(folder: Folder, line: str, message: str) -> None:
    data = folder(dev=f"(2 film)\n\n{line}\n(2 film)\n")
    with pytest.raises(DataError) as told:
        load_corpus("sst5", data=data)
    assert str(told.value).startswith("dev.txt, line 3: ")
    assert message in str(told.value)
    assert str(told.value).endswith("such as (3 (2 A) (4 (3 good) (2 film))).")


@given(st.text(alphabet="()012 ab\\-`'\t", max_size=30))
def test_any_line_is_a_tree_or_told_to_be_none(line: str) -> None:
    try:
        tree = parse_tree(line, 3)
    except DataError:
        return
    assert tree.phrases[-1][1:] == (0, len(tree.words))
    assert all(0 <= label < 3 and begin < stop for label, begin, stop in tree.phrases)


NODE = st.deferred(lambda: st.tuples(st.integers(0, 4), st.text("abc.", min_size=1, max_size=3) | CHILDREN))
CHILDREN = st.lists(NODE, min_size=1, max_size=3)


@given(NODE)
def test_what_is_written_comes_back(node: tuple) -> None:
    spans: list[tuple[int, int, int]] = []
    words: list[str] = []

    def write(part: tuple) -> str:
        label, content = part
        begin = len(words)
        if isinstance(content, str):
            words.append(content)
            inside = content
        else:
            inside = " ".join(write(child) for child in content)
        spans.append((label, begin, len(words)))
        return f"({label} {inside})"

    tree = parse_tree(write(node), 5)
    assert tree.words == tuple(words)
    assert tree.phrases == tuple(spans)


def test_an_empty_line_is_no_tree() -> None:
    with pytest.raises(DataError, match="the line is empty"):
        parse_tree(" \t", 5)


def test_a_tree_may_be_deeper_than_python_recurses() -> None:
    depth = 20_000
    tree = parse_tree("(2 " * depth + "film" + ")" * depth, 5)
    assert len(tree.phrases) == depth


# --- the corpus


def test_sentences_are_the_rows_with_their_own_splits_ids_and_class_names(folder: Folder) -> None:
    corpus = load_corpus("sst5", data=folder())
    assert corpus.name == "sst5"
    assert corpus.classes == ("very negative", "negative", "neutral", "positive", "very positive")
    assert corpus.splits == ("train", "validation", "test")
    assert [len(corpus.rows(split)) for split in corpus.splits] == [5, 2, 3]
    assert corpus.ids.tolist()[:5] == ["train-0", "train-1", "train-2", "train-3", "train-4"]
    assert corpus.ids.tolist()[5:] == ["validation-0", "validation-1", "test-0", "test-1", "test-2"]
    assert corpus.labels.tolist() == [4, 0, 2, 3, 1, 4, 0, 3, 1, 2]
    assert corpus.text(2) == "( a film )"
    assert len(corpus.extra) == 0
    assert corpus.notices == ()


def test_phrases_come_from_training_trees_once_each_and_are_no_rows(folder: Folder) -> None:
    data = folder()
    plain, corpus = load_corpus("sst5", data=data), load_corpus("sst5", data=data, phrases=True)
    found = extra(corpus)
    assert len(set(found)) == len(found)
    assert ("very good", 4) in found
    assert ("film", 2) in found
    assert ("very good film", 4) in found
    assert ("good film", 3) not in found  # it is a training sentence with this label
    assert ("dull film", 1) in found
    assert all(text != "The very good film" for text, _ in found)
    assert corpus.fingerprint == plain.fingerprint
    assert corpus.table.equals(plain.table)
    assert f"{len(found)} labelled phrases" in corpus.notices[-1]


def test_a_phrase_with_two_labels_keeps_both(folder: Folder) -> None:
    corpus = load_corpus("sst5", data=folder(train="(2 (1 a) (3 b))\n(3 (2 a) (3 b))\n(0 (1 a) (3 b))\n"), phrases=True)
    assert extra(corpus) == [("a", 1), ("b", 3), ("a", 2)]


def test_with_a_limit_phrases_come_from_the_rows_that_stay(folder: Folder) -> None:
    corpus = load_corpus("sst5", data=folder(), phrases=True, limit=6)
    sentences = corpus.texts(corpus.rows("train"))
    assert len(corpus) == 6
    assert all(any(text in sentence for sentence in sentences) for text, _ in extra(corpus))


def test_it_loads_again_from_its_source_wherever_it_was_named_from(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = folder()
    monkeypatch.chdir(data.parent)
    corpus = load_corpus("sst5", data="trees", phrases=True)
    assert corpus.source["data"] == str(data.resolve())
    assert set(corpus.source["sha256"]) == {"train", "validation", "test"}
    monkeypatch.chdir("/")
    again = reload_corpus(json.loads(json.dumps(dict(corpus.source))))
    assert again.fingerprint == corpus.fingerprint
    assert extra(again) == extra(corpus)
    assert "phrases" not in load_corpus("sst5", data=data).source


def test_line_ends_marks_and_blank_lines_change_nothing(folder: Folder) -> None:
    before = load_corpus("sst5", data=folder()).fingerprint
    data = folder()
    for path in data.iterdir():
        path.write_bytes(b"\xef\xbb\xbf\r\n" + path.read_bytes().replace(b"\n", b"\r\n").rstrip())
    assert load_corpus("sst5", data=data).fingerprint == before


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"data": None}, SettingError, "--data.*train.txt, dev.txt, test.txt"),
        ({"data": "nowhere"}, DataError, "There is no folder .*nowhere"),
        ({"text": "sentence"}, SettingError, "set read from a folder, which takes no text"),
        ({"validation": "dev.txt"}, SettingError, "takes no validation"),
    ],
)
def test_what_does_not_go_with_it_is_said(folder: Folder, change: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        load_corpus("sst5", **({"data": folder()} | change))


def test_a_folder_without_its_files_and_a_file_without_trees_are_told(folder: Folder, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"holds no tree"):
        load_corpus("sst5", data=folder(test="\n \n"))
    (folder() / "dev.txt").unlink()
    with pytest.raises(DataError, match=r"lacks dev.txt; sst5 needs train.txt, dev.txt, test.txt"):
        load_corpus("sst5", data=tmp_path / "trees")
    with pytest.raises(DataError, match="There is no folder"):
        load_corpus("sst5", data=tmp_path / "trees" / "train.txt")


@pytest.mark.parametrize("name", ["rotten_tomatoes", "x.csv", "owner/name"])
def test_other_sets_take_no_folder_and_no_phrases(name: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="takes no data and no phrases"):
        load_corpus(name, data=tmp_path, phrases=True)


def test_extra_texts_must_be_labelled_and_stay_out_of_a_saved_corpus(folder: Folder, tmp_path: Path) -> None:
    corpus = load_corpus("sst5", data=folder(), phrases=True)
    corpus.save(tmp_path / "saved.parquet")
    saved = Corpus.load(tmp_path / "saved.parquet")
    assert saved.fingerprint == corpus.fingerprint
    assert len(saved.extra) == 0
    for label in (-1, 5):
        bad = corpus.extra.set_column(1, corpus.extra.schema.field("label"), [np.full(len(corpus.extra), label, "i4")])
        with pytest.raises(DataError, match="extra texts must lie between 0 and 4"):
            Corpus("x", corpus.table, corpus.classes, extra=bad)
    with pytest.raises(DataError, match="extra texts need the columns text"):
        Corpus("x", corpus.table, corpus.classes, extra=corpus.table)


def test_the_list_of_sets_says_what_each_needs() -> None:
    found = {info.name: info for info in builtin_corpora()}["sst5"]
    assert (found.package, found.installed, found.needs) == (None, False, "--data")
    assert len(found.classes) == 5


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["seer", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return run


def test_the_command_line_lists_it_asks_for_its_folder_and_trains_on_it(run, folder: Folder, tmp_path: Path) -> None:
    assert "--data" in run("datasets")[1]
    listed = {row["name"]: row for row in json.loads(run("datasets", "--json")[1])}
    assert (listed["sst5"]["needs"], listed["sst5"]["package"]) == ("--data", None)
    out = str(tmp_path / "study")
    code, _, told = run("train", "sst5", "--out", out)
    assert (code, told.count("\n")) == (1, 1)
    assert "name it with --data" in told
    small = ["--hidden", "4", "--embedding", "4", "--epochs", "1", "--states", "2", "--json", "--without-sentences"]
    code, printed, told = run("train", "sst5", "--data", str(folder()), "--phrases", "--out", out, *small)
    assert code == 0, told
    assert "labelled phrases inside the training sentences are trained on too" in " ".join(told.split())
    assert json.loads(printed)["sentences"] == 10
    assert Study.open(out).corpus.source["phrases"] is True


# --- studies


def quick(corpus: Corpus, folder: Path, **changes: object) -> Study:
    return train_study(
        corpus,
        folder,
        architecture={"embedding": 4, "hidden": 4},
        training=TrainingSettings(epochs=2, batch=4),
        analysis=AnalysisSettings(states=2, components=2),
        min_count=1,
        **changes,
    )


def test_a_study_trains_on_phrases_and_knows_sentences_only(folder: Folder, tmp_path: Path) -> None:
    data = folder()
    plain = quick(load_corpus("sst5", data=data), tmp_path / "plain")
    study = quick(load_corpus("sst5", data=data, phrases=True), tmp_path / "phrases", keep_sentences=False)
    assert study.manifest["hashes"]["corpus"] == plain.manifest["hashes"]["corpus"]
    assert study.tokenizer.hash == plain.tokenizer.hash
    assert study.manifest["hashes"]["weights"] != plain.manifest["hashes"]["weights"]
    assert not any((study.version / name).exists() for name in ("corpus.parquet", "traces"))
    reopened = Study.open(tmp_path / "phrases")
    assert reopened.corpus.splits == ("train", "validation", "test")
    assert reopened.summary()["sentences"] == reopened.traces.sentences == 10
    assert reopened.manifest["corpus"]["source"]["phrases"] is True
    assert any("labelled phrases" in notice for notice in reopened.manifest["notices"])
    (data / "dev.txt").write_text("(2 film)\n", encoding="utf-8")
    with pytest.raises(Exception, match="are not those that the study"):
        _ = Study.open(tmp_path / "phrases").corpus


@pytest.mark.skipif(not SST5.is_dir(), reason="the SST-5 trees are not here")
def test_the_real_treebank_has_its_published_sizes() -> None:
    corpus = load_corpus("sst5", data=SST5, phrases=True)
    assert [len(corpus.rows(split)) for split in corpus.splits] == [8544, 1101, 2210]
    assert np.bincount(corpus.labels[corpus.rows("test")]).tolist() == [279, 633, 389, 510, 399]
    escapes = ("-LRB-", "-RRB-", "-lrb-", "-rrb-", "\\/", "``")
    assert not any(escape in text for text in corpus.texts() for escape in escapes)
    assert len(corpus.extra) > 100_000
