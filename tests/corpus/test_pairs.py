"""Corpora of sentence pairs: two text columns, hub sets, SICK; labels that are none, texts that are missing."""

import json
from collections.abc import Callable
from pathlib import Path

import datasets
import pyarrow as pa
import pyarrow.parquet
import pytest

from seer.corpus import SCHEMA, Corpus, hub, load_corpus, reload_corpus
from seer.errors import DataError, SettingError

SICK = Path(__file__).resolve().parents[3] / "shared" / "datasets" / "sick"

Write = Callable[[str, str], Path]

ROWS = [
    ("A man sings", "Somebody sings", "yes"),
    ("A man sings", "Nobody sings", "no"),
    ("Two dogs run, fast", 'They are "dogs"', "maybe"),
]
TEXTS = [f"{premise}\n{hypothesis}" for premise, hypothesis, _ in ROWS]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def _write(name: str, content: str) -> Path:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return _write


def table(rows: list[tuple[str, str, str]], names: tuple[str, ...] = ("premise", "hypothesis", "label")) -> str:
    cells = (",".join('"' + part.replace('"', '""') + '"' for part in row) for row in rows)
    return "\n".join([",".join(names), *cells]) + "\n"


def lines(rows: list[tuple[str, str, str]]) -> str:
    return "".join(json.dumps({"premise": a, "hypothesis": b, "label": c}) + "\n" for a, b, c in rows)


# --- files


@pytest.mark.parametrize(("name", "content"), [("a.csv", table), ("a.jsonl", lines)])
def test_two_text_columns_are_a_pair(write: Write, name: str, content: Callable[[list], str]) -> None:
    loaded = load_corpus(write(name, content(ROWS)), pairs=True, split="test")
    assert loaded.paired
    assert loaded.texts() == TEXTS
    assert [loaded.classes[label] for label in loaded.labels] == ["yes", "no", "maybe"]
    assert loaded.notices == ()
    assert {key: loaded.source[key] for key in ("text", "second", "label", "pairs")} == {
        "text": "premise",
        "second": "hypothesis",
        "label": "label",
        "pairs": True,
    }
    assert reload_corpus(loaded.source).fingerprint == loaded.fingerprint


def test_tab_separated_json_and_parquet_give_the_same(write: Write, tmp_path: Path) -> None:
    csv = load_corpus(write("a.csv", table(ROWS)), pairs=True)
    columns = dict(zip(("premise", "hypothesis", "label"), zip(*ROWS, strict=True), strict=True))
    pa.parquet.write_table(pa.table({name: list(values) for name, values in columns.items()}), tmp_path / "a.parquet")
    rows = [dict(zip(columns, row, strict=True)) for row in ROWS]
    for path in (
        write("a.tsv", table(ROWS).replace('","', '"\t"').replace("premise,hypothesis,", "premise\thypothesis\t")),
        write("a.json", json.dumps(rows)),
        tmp_path / "a.parquet",
    ):
        assert load_corpus(path, pairs=True).fingerprint == csv.fingerprint, path.suffix


@pytest.mark.parametrize("names", [("sentence1", "sentence2", "gold_label"), ("Text_A", "Text_B", "Class")])
def test_common_names_are_found_and_said(write: Write, names: tuple[str, ...]) -> None:
    loaded = load_corpus(write("a.csv", table(ROWS, names)), pairs=True, split="test")
    assert loaded.texts() == TEXTS
    if names[2] != "label":
        assert (
            f"The premise is read from the column “{names[0]}”, the hypothesis from “{names[1]}”" in loaded.notices[0]
        )


def test_columns_can_be_named_and_a_second_one_makes_a_pair(write: Write) -> None:
    path = write("a.csv", table(ROWS, ("one", "other", "verdict")))
    loaded = load_corpus(path, text="other", second="one", label="verdict")
    assert loaded.paired
    assert loaded.text(0) == "Somebody sings\nA man sings"


def test_without_being_asked_for_it_is_no_pair(write: Write) -> None:
    loaded = load_corpus(write("a.csv", table(ROWS)), text="hypothesis")
    assert not loaded.paired
    assert loaded.text(0) == "Somebody sings"


@pytest.mark.parametrize(
    ("names", "asked", "message"),
    [
        (("one", "other", "label"), {"pairs": True}, r"no two columns with common names.*'one', 'other'.*second="),
        (("premise", "other", "label"), {"second": "there"}, "no column 'there' for the second"),
        (("premise", "other", "label"), {"text": "premise", "second": "premise"}, "needs two text columns"),
        (("premise", "hypothesis", "what"), {"pairs": True}, "no label column"),
    ],
)
def test_columns_that_do_not_fit_are_explained(
    write: Write, names: tuple[str, ...], asked: dict[str, object], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        load_corpus(write("a.csv", table(ROWS, names)), **asked)


@pytest.mark.hard_inputs(9)
@pytest.mark.parametrize("none", ["-1", "-", ""])
def test_label_minus_one_of_pairs_is_none(write: Write, none: str) -> None:
    """Labels 0, 1, 2, none, 1, none: four labelled, two not, and none of these is the last class."""
    labels = ["0", "1", "2", none, "1", none]
    rows = [(f"premise {n}", f"hypothesis {n}", label) for n, label in enumerate(labels)]
    loaded = load_corpus(write("a.csv", table(rows)), pairs=True, split="test")
    assert loaded.labels.tolist() == [0, 1, 2, -1, 1, -1]
    assert loaded.classes == ("0", "1", "2")
    assert any("2 of 6 rows have no label" in notice for notice in loaded.notices)


def test_a_line_break_within_a_sentence_is_a_blank(write: Write) -> None:
    loaded = load_corpus(write("a.csv", table([("one\ntwo", "three\n\nfour", "x"), ("a", "b", "y")])), pairs=True)
    assert loaded.text(0) == "one two\nthree  four"


def test_a_missing_side_keeps_the_row_and_is_counted(write: Write) -> None:
    rows = [("A man", "", "x"), ("", "", "y"), ("null", "NA", "x")]
    loaded = load_corpus(write("a.csv", table(rows)), pairs=True, split="test")
    assert loaded.texts() == ["A man\n", "\n", "null\nNA"]
    said = " ".join(loaded.notices)
    assert "1 pair has one side without text" in said
    assert "1 pair has no text at all and gets no prediction." in said


def test_pairs_in_a_file_a_split(write: Write) -> None:
    files = [write(f"{name}.csv", table(ROWS * 4)) for name in ("train", "dev", "test")]
    loaded = load_corpus(files[0], pairs=True, validation=files[1], test=files[2])
    assert {split: len(loaded.rows(split)) for split in loaded.splits} == dict.fromkeys(
        ("train", "validation", "test"), 12
    )
    assert loaded.ids[12] == "validation-0"
    with pytest.raises(SettingError, match="One split for all rows"):
        load_corpus(files[0], pairs=True, test=files[2], split="test")
    with pytest.raises(SettingError, match="needs a name"):
        load_corpus(files[0], pairs=True, split=" ")


# --- the record


def pair_corpus(text: str, paired: bool = True) -> Corpus:
    rows = {"id": ["a"], "text": [text], "label": [0], "split": ["test"]}
    return Corpus("small", pa.table(rows, schema=SCHEMA), ("no", "yes"), paired=paired)


@pytest.mark.parametrize("text", ["no break", "one\ntwo\nthree"])
def test_a_pair_has_one_break(text: str) -> None:
    with pytest.raises(DataError, match="one line break and a hypothesis"):
        pair_corpus(text)


def test_pairs_come_back_whole_and_are_not_the_same_as_sentences(tmp_path: Path) -> None:
    pairs = pair_corpus("one\ntwo")
    pairs.save(tmp_path / "a.parquet")
    again = Corpus.load(tmp_path / "a.parquet")
    assert again.paired
    assert again.fingerprint == pairs.fingerprint != pair_corpus("one\ntwo", paired=False).fingerprint


# --- the hub, with the network replaced


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], None]:
    def _serve(result: object) -> None:
        monkeypatch.setattr(hub, "_reachable", lambda endpoint: True)
        monkeypatch.setattr(datasets, "load_dataset", lambda name, config, revision: result)

    return _serve


def snli(labels: list[int]) -> datasets.Dataset:
    """Rows as the hub has SNLI's: a class label, −1 where the judges did not agree."""
    features = datasets.Features(
        {
            "premise": datasets.Value("string"),
            "hypothesis": datasets.Value("string"),
            "label": datasets.ClassLabel(names=["entailment", "neutral", "contradiction"]),
        }
    )
    numbers = range(len(labels))
    columns = {
        "premise": [f"premise {number}" for number in numbers],
        "hypothesis": [f"hypothesis {number}" for number in numbers],
        "label": labels,
    }
    return datasets.Dataset.from_dict(columns, features=features)


def test_hub_set_of_pairs_keeps_its_classes_and_its_unlabelled_rows(serve: Callable[[object], None]) -> None:
    labels = [0, 1, 2, -1, 1, -1]
    serve(datasets.DatasetDict({"train": snli(labels * 5), "validation": snli(labels), "test": snli(labels)}))
    loaded = load_corpus("owner/snli", pairs=True)
    assert loaded.paired
    assert loaded.classes == ("entailment", "neutral", "contradiction")
    assert loaded.labels[loaded.rows("test")].tolist() == labels
    assert loaded.text(int(loaded.rows("test")[3])) == "premise 3\nhypothesis 3"
    assert any("14 of 42 rows have no label" in notice for notice in loaded.notices)
    assert reload_corpus(dict(loaded.source)).fingerprint == loaded.fingerprint


def test_built_in_sets_have_no_pairs() -> None:
    with pytest.raises(SettingError, match="holds single sentences, and sentence pairs are needed"):
        load_corpus("rotten_tomatoes", pairs=True)


# --- SICK


def test_sick_is_read_whole() -> None:
    if not (SICK / "SICK.txt").exists():
        pytest.skip("SICK is not here")
    loaded = load_corpus("sick", data=SICK)
    assert loaded.paired
    assert {split: len(loaded.rows(split)) for split in loaded.splits} == {
        "train": 4500,
        "validation": 500,
        "test": 4927,
    }
    assert loaded.classes == ("CONTRADICTION", "ENTAILMENT", "NEUTRAL")
    test = loaded.labels[loaded.rows("test")]
    assert (test == 2).mean() == pytest.approx(0.567, abs=5e-4)  # the majority
    assert (loaded.labels >= 0).all()
    assert loaded.notices == ()
    assert loaded.fingerprint == load_corpus("sick", data=SICK, pairs=True).fingerprint
    assert reload_corpus(loaded.source).fingerprint == loaded.fingerprint
    assert len(load_corpus("sick", data=SICK, limit=100)) == 100


SICK_COLUMNS = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"


def sick_rows(count: int) -> str:
    rows = (f'{n}\tA "man {n}\tNobody\t3.5\t{("NEUTRAL", "ENTAILMENT")[n % 2]}' for n in range(count))
    return "\n".join([SICK_COLUMNS, *rows]) + "\n"


def test_a_file_like_sick_s_is_split_by_its_rows(write: Write, tmp_path: Path) -> None:
    """A quote is a letter like any other."""
    write("SICK.txt", sick_rows(5003))
    loaded = load_corpus("sick", data=tmp_path)
    assert [len(loaded.rows(split)) for split in ("train", "validation", "test")] == [4500, 500, 3]
    assert loaded.text(5002) == 'A "man 5002\nNobody'
    assert loaded.ids[5000] == "test-0"


def test_what_is_no_sick_is_explained(write: Write, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"name it with --data.*SICK\.txt"):
        load_corpus("sick")
    with pytest.raises(DataError, match=r"lacks SICK\.txt"):
        load_corpus("sick", data=tmp_path)
    with pytest.raises(DataError, match="no folder"):
        load_corpus("sick", data=tmp_path / "there")
    write("SICK.txt", sick_rows(5000))
    with pytest.raises(DataError, match="5,000 rows; more than 5,000 are needed"):
        load_corpus("sick", data=tmp_path)
    write("SICK.txt", "a\tb\n1\t2\n")
    with pytest.raises(DataError, match="sentence_A, sentence_B, entailment_judgment"):
        load_corpus("sick", data=tmp_path)


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ([("", "a")], "1 pair has one side without text; the model still reads the other side."),
        ([("a", " "), ("", "a")], "2 pairs have one side without text; the model still reads the other side."),
        ([("", "")], "1 pair has no text at all and gets no prediction."),
        (
            [("", ""), (" ", "\u200b"), ("a", "")],
            "1 pair has one side without text; the model still reads the other side. "
            "2 pairs have no text at all and get no prediction.",
        ),
        ([], None),
    ],
)
def test_sides_without_text_are_counted_by_the_pair(write: Write, odd: list[tuple[str, str]], said: str | None) -> None:
    rows = [*ROWS, *((premise, hypothesis, "yes") for premise, hypothesis in odd)]
    loaded = load_corpus(write("a.csv", table(rows)), pairs=True, split="test")
    assert loaded.notices == (() if said is None else (said,))
    single = load_corpus(write("a.csv", table(rows)), text="premise", split="test")
    assert all("pair" not in notice for notice in single.notices)


def test_messages_name_the_options_of_the_command_and_of_python(write: Write) -> None:
    path = write("a.csv", table(ROWS, ("one", "other", "verdict")))
    with pytest.raises(DataError, match=r"with --text and --second \(in Python text=…, second=…\)"):
        load_corpus(path, pairs=True)
    with pytest.raises(DataError, match=r"with --text \(in Python text=…\)"):
        load_corpus(path)
    with pytest.raises(DataError, match=r"with --label \(in Python label=…\)"):
        load_corpus(path, text="one")
