import pytest
from hypothesis import given
from hypothesis import strategies as st

from seer.errors import ModelError, SettingError
from seer.text import PAD_ID, UNKNOWN_ID, Tokenizer, readable


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(["The film isn't good .", "the film is GOOD", "a film, a film"], min_count=2)


def words(tokenizer: Tokenizer, text: str) -> list[str]:
    return [text[begin:end] for begin, end in tokenizer.spans(text)]


def test_vocabulary_is_by_count_with_padding_and_unknown_first(tokenizer: Tokenizer) -> None:
    assert tokenizer.words[:3] == ("[PAD]", "[UNK]", "film")
    assert set(tokenizer.words[3:]) == {"the", "is", "good", "a"}  # "." and "n't" are seen once


def test_offsets_name_the_words_in_the_text_as_given(tokenizer: Tokenizer) -> None:
    text = "  The FILM isn't <br /> x"
    assert words(tokenizer, text) == ["The", "FILM", "is", "n't", "<br />", "x"]
    offsets, ids = tokenizer.encode([text, "", "film"])
    assert offsets.tolist() == [0, 6, 6, 7]
    assert ids[1] == ids[6] == tokenizer.words.index("film")
    assert ids[5] == UNKNOWN_ID


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("שלום עולם iPhone 15 Pro 2024-05", ["שלום", "עולם", "iPhone", "15", "Pro", "2024", "-", "05"]),
        ("👩‍👩‍👧 👍🏽 ok", ["👩‍👩‍👧", "👍🏽", "ok"]),
        ("İstanbul don’t", ["İstanbul", "do", "n’t"]),
        ("[UNK] [PAD]", ["[", "UNK", "]", "[", "PAD", "]"]),
        ("\t \n", []),
        ("\u200b\x96 \u202e", []),
    ],
)
def test_awkward_texts(tokenizer: Tokenizer, text: str, expected: list[str]) -> None:
    assert words(tokenizer, text) == expected


def test_curly_and_straight_apostrophes_are_one_word() -> None:
    tokenizer = Tokenizer.train(["don't", "don’t"], min_count=2)
    assert "n't" in tokenizer.words


def test_special_words_cannot_be_typed(tokenizer: Tokenizer) -> None:
    assert PAD_ID not in tokenizer.encode(["[PAD] film [PAD]"])[1]


def test_half_a_character_is_shown_as_the_replacement_sign(tokenizer: Tokenizer) -> None:
    text = "film \ud83d film"
    assert readable(text) == "film � film"
    assert len(tokenizer.spans(text)) == 3


@given(st.text(max_size=40))
def test_spans_and_ids_agree_on_any_text(text: str) -> None:
    tokenizer = Tokenizer.train(["a b c a b c"], min_count=1)
    spans = tokenizer.spans(text)
    offsets, ids = tokenizer.encode([text])
    assert len(spans) == len(ids) == offsets[-1]
    assert all(0 <= begin < end <= len(text) for begin, end in spans)
    assert (spans[1:, 0] >= spans[:-1, 1]).all()


def test_settings() -> None:
    kept = Tokenizer.train(["Good good"], lowercase=False, min_count=1)
    assert {"Good", "good"} <= set(kept.words)
    with pytest.raises(SettingError, match="got 0"):
        Tokenizer.train(["a"], min_count=0)


def test_saved_and_loaded(tokenizer: Tokenizer, tmp_path) -> None:
    path = tmp_path / "tokenizer.json"
    tokenizer.save(path)
    again = Tokenizer.load(path)
    assert (again.hash, again.words) == (tokenizer.hash, tokenizer.words)
    path.write_text('{"model": 1}', encoding="utf-8")
    with pytest.raises(ModelError, match=r"tokenizer\.json"):
        Tokenizer.load(path)


PAIR_SIDE = st.text(st.sampled_from("ab'nt <br/>.\u200d☺!\r\t"), max_size=12)


@given(st.lists(st.tuples(PAIR_SIDE, PAIR_SIDE), min_size=1, max_size=5))
def test_the_words_of_a_pair_are_those_of_its_sentences(pairs: list[tuple[str, str]]) -> None:
    """No word holds the line break between them, not even a tag such as <br/> that would begin before it."""
    tokenizer = Tokenizer.train(["a b n't <br/> . '"], min_count=1)
    texts = [f"{premise}\n{hypothesis}" for premise, hypothesis in pairs]
    offsets, ids, first = tokenizer.encode_pairs(texts)
    assert offsets[-1] == len(ids)
    for row, (text, sides) in enumerate(zip(texts, pairs, strict=True)):
        alone = [tokenizer.encode([side])[1].tolist() for side in sides]
        assert ids[offsets[row] : offsets[row + 1]].tolist() == alone[0] + alone[1]
        assert first[row] == len(alone[0])
        spans = tokenizer.pair_spans(text)
        words = [side[begin:end] for side in sides for begin, end in tokenizer.spans(side)]
        assert [text[begin:end] for begin, end in spans] == words
