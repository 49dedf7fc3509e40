"""Vocabularies from elsewhere: the same words with the same vectors, padding 0 and unknown 1 whatever they were."""

import json
import os
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import tokenizers
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

from seer.corpus import load_corpus
from seer.errors import ModelError, SettingError
from seer.imports.check import check_import, check_words
from seer.imports.infer import Choices
from seer.imports.reading import FoundVocabulary, Reading
from seer.imports.vocabulary import read_vocabulary
from seer.text import PAD_ID, UNKNOWN_ID, Tokenizer
from tests.conftest import opinions
from tests.imports.research import PIECES, Research, plain_ids, reviews, saved

TEXTS = ["The film was GREAT.", "Café acting, loved it", "zzz not good!", "hated hated", ""]


def listed(words: list[str], path: Path) -> Path:
    path.write_text("\n".join(words) + "\n", encoding="utf-8")
    return path


def read(words: list[str], folder: Path, texts: list[str] = TEXTS, **reading: object) -> FoundVocabulary:
    return read_vocabulary(listed(words, folder / "vocab.txt"), texts, Reading(**reading))


def own_numbers(found: FoundVocabulary, texts: list[str]) -> list[list[int]]:
    """The ids that the file itself gives, recovered from ours."""
    offsets, ids = found.tokenizer.encode(texts)
    numbers = found.tokenizer.order[ids]
    return [numbers[begin:end].tolist() for begin, end in pairwise(offsets)]


def words_of(tokenizer: Tokenizer, text: str) -> list[str]:
    return [text[begin:end] for begin, end in tokenizer.spans(text)]


class TestWordPiece:
    def test_ids_are_those_of_the_file_moved_round(self, tmp_path: Path) -> None:
        found = read(PIECES, tmp_path)
        assert found.size == len(PIECES) == found.tokenizer.size
        assert found.tokenizer.words[:4] == ("[PAD]", "[UNK]", "[unused0]", "[CLS]")
        assert found.tokenizer.words.index("##ing") == PIECES.index("##ing")
        assert own_numbers(found, TEXTS) == plain_ids(TEXTS)
        ids = found.tokenizer.encode(["zzz"])[1]
        assert ids.tolist() == [UNKNOWN_ID]

    def test_pieces_point_into_the_text_as_given(self, tmp_path: Path) -> None:
        tokenizer = read(PIECES, tmp_path).tokenizer
        assert words_of(tokenizer, "Café ACTING") == ["Café", "ACT", "ING"]
        decomposed = "Cafe\u0301 acting"
        assert words_of(tokenizer, decomposed)[1:] == ["act", "ing"]
        assert words_of(tokenizer, "שלום film") == ["שלום", "film"]

    def test_case_follows_from_the_vocabulary_or_the_choice(self, tmp_path: Path) -> None:
        assert own_numbers(read(PIECES, tmp_path), ["FILM"]) == [[PIECES.index("film")]]
        kept = read(PIECES, tmp_path, lowercase=False)
        assert own_numbers(kept, ["FILM film"]) == [[PIECES.index("[UNK]"), PIECES.index("film")]]
        cased = read([*PIECES, "Film"], tmp_path)
        assert own_numbers(cased, ["Film"]) == [[len(PIECES)]]
        assert "Upper case is kept." in cased.notes

    def test_marks_around_a_text_are_asked_for(self, tmp_path: Path) -> None:
        found = read(PIECES, tmp_path, special=True, length=5)
        inside = own_numbers(found, ["the film was good ."])[0]
        assert [PIECES[number] for number in inside] == ["[CLS]", "the", "film", "was", "[SEP]"]
        assert found.tokenizer.spans("the film was good .").tolist() == [[0, 0], [0, 3], [4, 8], [9, 12], [12, 12]]
        again = Tokenizer.from_json(found.tokenizer.to_json())
        assert again.encode(TEXTS)[1].tolist() == found.tokenizer.encode(TEXTS)[1].tolist()
        with pytest.raises(SettingError, match=r"has no \[CLS\]"):
            read([word for word in PIECES if word != "[CLS]"], tmp_path, special=True)

    def test_words_cannot_be_typed_as_marks(self, tmp_path: Path) -> None:
        assert PAD_ID not in read(PIECES, tmp_path).tokenizer.encode(["[PAD] film [PAD]"])[1]

    @pytest.mark.parametrize(("cut", "kept"), [("right", ["the", "film"]), ("left", ["good", "."])])
    def test_a_cut_is_the_same_for_ids_and_spans_and_told(self, cut: str, kept: list[str], tmp_path: Path) -> None:
        tokenizer = read(PIECES, tmp_path, length=2, cut=cut).tokenizer
        text = "the film was good ."
        for each in (tokenizer, Tokenizer.from_json(tokenizer.to_json())):
            assert words_of(each, text) == kept
            assert [each.words[i] for i in each.encode([text])[1]] == kept
            assert each.length == 2
            assert each.whole_lengths([text, "film", ""]).tolist() == [5, 1, 0]


class TestWordLists:
    def test_a_word_a_line_numbers_and_names(self, tmp_path: Path) -> None:
        plain = ["<pad>", "the", "film", "<unk>", "good"]
        paths = [
            listed(plain, tmp_path / "words.txt"),
            tmp_path / "list.json",
            tmp_path / "ids.json",
            tmp_path / "v.json",
        ]
        paths[1].write_text(json.dumps(plain))
        paths[2].write_text(json.dumps({word: number for number, word in reversed(list(enumerate(plain)))}))
        paths[3].write_text(json.dumps({"itos": plain, "freqs": {"the": 3}}))
        for path in paths:
            found = read_vocabulary(path, ["the film"], Reading())
            assert found.tokenizer.words == ("[PAD]", "[UNK]", "the", "film", "good")
            assert own_numbers(found, ["good the bad"]) == [[4, 1, 3]]

    def test_first_word_may_be_a_bracket(self, tmp_path: Path) -> None:
        assert read(["{", "[", "<unk>"], tmp_path, ["{"]).tokenizer.words[2:] == ("{", "[")

    def test_numbers_from_one_leave_zero_to_padding(self, tmp_path: Path) -> None:
        (tmp_path / "word_index.json").write_text(json.dumps({"good": 1, "film": 2}))
        found = read_vocabulary(tmp_path / "word_index.json", ["good"], Reading())
        assert found.size == 3
        assert own_numbers(found, ["film good"]) == [[2, 1]]
        assert "The vocabulary has no unknown word: [UNK] was added, as a vector of zeros." in found.notes

    def test_missing_padding_and_unknown_are_added_and_told(self, tmp_path: Path) -> None:
        found = read(["good", "film"], tmp_path, ["good film"])
        assert found.size == 2
        assert found.tokenizer.order.tolist() == [-1, 2, 0, 1]
        assert found.tokenizer.words == ("[PAD]", "[UNK]", "good", "film")
        assert sum("was added" in note for note in found.notes) == 2

    @pytest.mark.parametrize(
        ("words", "split"),
        [
            (["<unk>", "good,", "film."], "spaces"),
            (["<unk>", "good", "film", ",", "don", "t", "'"], "punctuation"),
            (["<unk>", "good", "film", ",", "do", "n't"], "words"),
        ],
    )
    def test_texts_are_split_as_most_words_are_known(self, words: list[str], split: str, tmp_path: Path) -> None:
        found = read(words, tmp_path, ["good, film. don't"])
        assert any(note.startswith(f"Texts are split by {split}") for note in found.notes)
        chosen = read(words, tmp_path, ["good, film. don't"], split="spaces")
        assert len(chosen.tokenizer.encode(["good, film. don't"])[1]) == 3

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            ("", "found none"),
            ("good\nfilm\ngood\n", "'good' stands in lines 1 and 3"),
            ('{"good": 0, "film": 2}', "go from 0 to 2"),
            ('{"good": 5, "film": 6}', "go from 5 to 6"),
            ('{"good": 0, "film": 0}', "go from 0 to 0"),
            ('{"good": "0"}', "'good' has '0'"),
            ("{}", "got {}"),
            ('["a", 3]', "Expected a list of words"),
            ("{broken", "Expected JSON"),
            ("\x00\x01", "binary data"),
        ],
    )
    def test_other_files_are_refused(self, content: str, said: str, tmp_path: Path) -> None:
        path = tmp_path / ("v.json" if content[:1] in "{[" and content else "v.txt")
        path.write_text(content)
        with pytest.raises(ModelError, match=said):
            read_vocabulary(path, [], Reading())
        path.write_bytes(b"caf\xe9")
        with pytest.raises(ModelError, match=r"UTF-8 in v\.\w+, found the byte 0xE9 at 3"):
            read_vocabulary(path, [], Reading())


def library_files() -> dict[str, tokenizers.Tokenizer]:
    """A tokenizer of each model, as other programs write them."""
    texts = reviews(200)[0]
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    made = {
        "WordLevel": (models.WordLevel(unk_token="<unk>"), trainers.WordLevelTrainer(special_tokens=special)),
        "BPE": (models.BPE(unk_token="<unk>"), trainers.BpeTrainer(special_tokens=special, vocab_size=90)),
        "bytes": (models.BPE(), trainers.BpeTrainer(special_tokens=special[:3], vocab_size=300)),
        "Unigram": (
            models.Unigram(),
            trainers.UnigramTrainer(special_tokens=special, unk_token="<unk>", vocab_size=60),
        ),
        "WordPiece": (models.WordPiece(unk_token="<unk>"), trainers.WordPieceTrainer(special_tokens=special)),
    }
    found = {}
    for name, (model, trainer) in made.items():
        one = tokenizers.Tokenizer(model)
        one.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
        if name == "bytes":
            one.pre_tokenizer, one.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
            trainer.initial_alphabet = pre_tokenizers.ByteLevel.alphabet()
        elif name == "Unigram":
            one.pre_tokenizer = pre_tokenizers.Metaspace()
        else:
            one.pre_tokenizer = pre_tokenizers.Whitespace()
        trainer.show_progress = False
        one.train_from_iterator(texts, trainer)
        one.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[(mark, one.token_to_id(mark)) for mark in ("<s>", "</s>")]
        )
        one.enable_padding(pad_id=1, pad_token="<pad>", length=64)
        found[name] = one
    return found


LIBRARY = library_files()


@pytest.mark.parametrize("kind", LIBRARY)
class TestTokenizerFiles:
    def found(self, kind: str, folder: Path, **reading: object) -> FoundVocabulary:
        LIBRARY[kind].save(str(folder / "tokenizer.json"))
        return read_vocabulary(folder / "tokenizer.json", TEXTS, Reading(**reading))

    def test_ids_are_those_of_the_library_without_its_padding_and_marks(self, kind: str, tmp_path: Path) -> None:
        found, library = self.found(kind, tmp_path), tokenizers.Tokenizer.from_str(LIBRARY[kind].to_str())
        library.no_padding()
        assert own_numbers(found, TEXTS) == [library.encode(text, add_special_tokens=False).ids for text in TEXTS]
        assert found.size == library.get_vocab_size()
        assert any("would put 2 marks of its own around each text" in note for note in found.notes)
        with_marks = self.found(kind, tmp_path, special=True)
        assert own_numbers(with_marks, TEXTS) == [library.encode(text).ids for text in TEXTS]
        library.enable_truncation(6)
        assert own_numbers(self.found(kind, tmp_path, special=True, length=6), TEXTS) == [
            library.encode(text).ids for text in TEXTS
        ]

    def test_saved_and_opened_again(self, kind: str, tmp_path: Path) -> None:
        tokenizer = self.found(kind, tmp_path, length=7).tokenizer
        tokenizer.save(tmp_path / "own.json")
        again = Tokenizer.load(tmp_path / "own.json")
        assert again.hash == tokenizer.hash
        assert again.words == tokenizer.words
        assert again.encode(TEXTS)[1].tolist() == tokenizer.encode(TEXTS)[1].tolist()
        assert len(tokenizer.words) == tokenizer.size

    def test_choices_that_the_file_makes_itself(self, kind: str, tmp_path: Path) -> None:
        with pytest.raises(SettingError, match="says itself how texts are split"):
            self.found(kind, tmp_path, lowercase=True)


@cache
def with_marks(kind: str) -> Tokenizer:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        LIBRARY[kind].save(str(path))
        return read_vocabulary(path, [], Reading(special=True)).tokenizer


@pytest.mark.parametrize("kind", LIBRARY)
@given(text=st.text(max_size=30))
def test_spans_lie_in_any_text(kind: str, text: str) -> None:
    tokenizer = with_marks(kind)
    spans = tokenizer.spans(text)
    assert len(spans) == tokenizer.encode([text])[0][-1]
    assert all(0 <= begin <= end <= len(text) for begin, end in spans)
    assert (spans[1:, 0] >= spans[:-1, 1]).all()


def test_bytes_of_one_character_show_it_once() -> None:
    text = "The film 👍🏽 שלום!"
    spans = with_marks("bytes").spans(text)
    assert "".join(text[begin:end] for begin, end in spans) == text
    assert len(spans) > len(text)


@pytest.mark.parametrize(("pad", "unknown"), [(999, 1), ("x", 1), ([], 1), (1, 1)])
def test_stored_marks_are_checked(pad: object, unknown: int) -> None:
    fields = json.loads(with_marks("BPE").to_json())
    fields["marks"] |= {"pad": pad, "unknown": unknown}
    with pytest.raises(ModelError, match=r"Expected"):
        Tokenizer.from_json(json.dumps(fields))


@pytest.mark.parametrize("kind", ["WordLevel", "WordPiece", "Unigram"])
def test_a_tokenizer_file_without_an_unknown_word(kind: str, tmp_path: Path) -> None:
    vocabulary = {"good": 0, "film": 1, "##s": 2}
    model = {
        "WordLevel": models.WordLevel(vocabulary, unk_token="[UNK]"),
        "WordPiece": models.WordPiece(vocabulary, unk_token="[UNK]"),
        "Unigram": models.Unigram([("good", -1.0), ("film", -2.0), ("s", -3.0)]),
    }[kind]
    one = tokenizers.Tokenizer(model)
    one.pre_tokenizer = pre_tokenizers.Whitespace()
    one.save(str(tmp_path / "tokenizer.json"))
    found = read_vocabulary(tmp_path / "tokenizer.json", [], Reading())
    assert found.size == 3
    assert found.tokenizer.encode(["film 漢 good"])[1].tolist() == [3, UNKNOWN_ID, 2]
    assert any("has no unknown word" in note for note in found.notes)


def test_a_cut_of_the_file_is_kept_and_told(tmp_path: Path) -> None:
    one = tokenizers.Tokenizer.from_str(LIBRARY["WordLevel"].to_str())
    one.enable_truncation(3, direction="left")
    one.save(str(tmp_path / "tokenizer.json"))
    found = read_vocabulary(tmp_path / "tokenizer.json", [], Reading())
    assert words_of(found.tokenizer, "the film was a play") == ["was", "a", "play"]
    assert "Texts are cut to 3 words, as tokenizer.json says." in found.notes


@pytest.mark.hard_inputs(23)
@pytest.mark.parametrize("words", [49, 60])
def test_vocabulary_of_another_size_is_refused_with_both_numbers(words: int, tmp_path: Path) -> None:
    weights = saved(Research(50, outputs=2), tmp_path / "w.pt")
    vocabulary = listed(["[PAD]", "[UNK]", *(f"w{number}" for number in range(words - 2))], tmp_path / "words.txt")
    with pytest.raises(ModelError, match=f"embedding has 50 rows, the vocabulary {words} words") as caught:
        check_import(weights, vocabulary, opinions(40))
    assert ("only padding" in str(caught.value)) == (words == 49)
    check_words(50, 50)


@pytest.mark.hard_inputs(23)
def test_predictions_do_not_hang_on_the_hash_seed(tmp_path: Path) -> None:
    """The vocabulary is hashed with the weights: two processes with other hash seeds agree on it and on predictions."""
    saved(Research(len(PIECES), outputs=2), tmp_path / "w.pt")
    listed(PIECES, tmp_path / "vocab.txt")
    program = (
        "import sys; from pathlib import Path; from seer.imports.check import check_import; "
        "from tests.conftest import opinions; from seer.models.batches import make_batch; import numpy as np; "
        "folder = Path(sys.argv[1]); found = check_import(folder / 'w.pt', folder / 'vocab.txt', opinions(40)); "
        "offsets, ids = found.vocabulary.tokenizer.encode(['the film was good', 'bad']); "
        "print(found.vocabulary.tokenizer.hash, ids.tolist(), "
        "found.model.probabilities(make_batch(offsets, ids, np.arange(2))).tolist())"
    )
    said = set()
    for seed in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[2],
        )
        said.add(ran.stdout)
    assert len(said) == 1


def test_word_vectors_move_with_their_words(tmp_path: Path) -> None:
    plain = Research(len(PIECES), outputs=2)
    weights = saved(plain, tmp_path / "w.pt")
    found = check_import(weights, listed(PIECES, tmp_path / "vocab.txt"), opinions(40), choices=Choices())
    order = found.vocabulary.tokenizer.order
    assert torch.equal(found.model.embedding.weight, plain.embedding.weight[torch.from_numpy(order)])
    assert order[:2].tolist() == [PIECES.index("[PAD]"), PIECES.index("[UNK]")]
    assert np.array_equal(np.sort(order), np.arange(len(PIECES)))


@pytest.mark.hard_inputs(23)
def test_a_vocabulary_that_knows_no_word_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "d.csv"
    data.write_text("text,label\ngood film,pos\nbad film,neg\n", encoding="utf-8")
    weights, corpus = saved(Research(5), tmp_path / "w.pt"), load_corpus(data)
    numbered = [f"{word}\t{number}" for number, word in enumerate(("[PAD]", "[UNK]", "good", "bad", "film"))]
    with pytest.raises(ModelError, match=r"No word of d\.csv is in the vocabulary"):
        check_import(weights, listed(numbered, tmp_path / "v.txt"), corpus)
    half = check_import(weights, listed(["[PAD]", "[UNK]", "good", "x", "y"], tmp_path / "v.txt"), corpus)
    assert "Only 25.0% of the words of d.csv are in the vocabulary." in half.notes


@pytest.mark.hard_inputs(18)
@pytest.mark.parametrize("content", [["[PAD]", "\ud83d"], {"[PAD]": 0, "\ud83d": 1}])
def test_half_a_character_in_a_vocabulary_is_refused(content: object, tmp_path: Path) -> None:
    (tmp_path / "v.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ModelError, match=r"of v\.json holds half a character"):
        read_vocabulary(tmp_path / "v.json", TEXTS, Reading())


@pytest.mark.parametrize(
    "model",
    [
        {"type": "Unigram", "vocab": [1, 2]},
        {"type": "Unigram", "vocab": [[]]},
        {"type": "WordLevel", "vocab": {"a": "x"}},
        {"type": "WordLevel", "vocab": {"a": None}, "unk_token": 3},
        {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": ["a"]},
        {"type": "WordLevel", "vocab": {"a": 10**30}},
    ],
)
@pytest.mark.parametrize("added", [[], 5, [{}]])
def test_a_malformed_tokenizer_file_is_told(model: dict[str, object], added: object, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps({"model": model, "added_tokens": added}), encoding="utf-8")
    with pytest.raises(ModelError, match=r"Expected a tokenizer file of the tokenizers library in t\.json"):
        read_vocabulary(tmp_path / "t.json", TEXTS, Reading())


def test_a_pipe_is_no_vocabulary(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "v.txt")
    with pytest.raises(ModelError, match=r"Expected a vocabulary in v\.txt, found no ordinary file"):
        read_vocabulary(tmp_path / "v.txt", TEXTS, Reading())
