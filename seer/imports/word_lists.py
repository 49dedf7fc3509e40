"""Tokenizers made of a list of words, or of the pieces of words of a BERT-like ``vocab.txt``."""

from __future__ import annotations

from collections.abc import Sequence

import tokenizers
from tokenizers import models, normalizers, pre_tokenizers, processors

from seer.errors import SettingError
from seer.imports.reading import SPLITS, UNKNOWN_NAMES, FoundVocabulary, Reading, named, numbered_here
from seer.text import UNKNOWN


def word_piece(words: list[str], reading: Reading) -> FoundVocabulary:
    """A ``vocab.txt`` of BERT's kind."""
    if reading.split is not None:
        raise SettingError("WordPiece splits words by itself; leave out --word-split.")
    vocabulary, added = _with_unknown(words)
    unknown = named(vocabulary, UNKNOWN_NAMES, "UNK")
    inner = tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token=unknown))
    lowercase = _lowercase(words, reading)
    inner.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if reading.special:
        missing = [mark for mark in ("[CLS]", "[SEP]") if mark not in vocabulary]
        if missing:
            raise SettingError(f"The vocabulary has no {' and no '.join(missing)}; leave out --special-tokens.")
        inner.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[(mark, vocabulary[mark]) for mark in ("[CLS]", "[SEP]")]
        )
    return numbered_here(inner, vocabulary, added, "WordPiece vocabulary", reading, [_case(lowercase)])


def word_list(words: list[str], texts: Sequence[str], reading: Reading) -> FoundVocabulary:
    """Whole words; how texts are split is chosen by how many of their words are known."""
    if reading.special:
        raise SettingError("A word list has no marks to put around texts; leave out --special-tokens.")
    vocabulary, added = _with_unknown(words)
    unknown = str(named(vocabulary, UNKNOWN_NAMES, "UNK"))
    inner = tokenizers.Tokenizer(models.WordLevel(vocabulary, unk_token=unknown))
    lowercase = _lowercase(words, reading)
    steps: list[normalizers.Normalizer] = [normalizers.Lowercase()] if lowercase else []
    inner.normalizer = normalizers.Sequence(steps)
    shares = {}
    for name in SPLITS if reading.split is None else [reading.split]:
        inner.pre_tokenizer = SPLITS[name]
        found = [i for encoding in inner.encode_batch_fast(list(texts)) for i in encoding.ids]
        shares[name] = sum(i != vocabulary[unknown] for i in found) / max(1, len(found))
    best = max(shares, key=shares.__getitem__)
    inner.pre_tokenizer = SPLITS[best]
    said = f"Texts are split by {best}: {shares[best]:.1%} of their words are in the list"
    others = [f"{name} {share:.1%}" for name, share in shares.items() if name != best]
    said += f" ({', '.join(others)}; --word-split chooses)." if others else "."
    return numbered_here(inner, vocabulary, added, "word list", reading, [_case(lowercase), said])


def _with_unknown(words: list[str]) -> tuple[dict[str, int], list[str]]:
    """Word → number, with an unknown word at the end where there is none; and which words were added."""
    vocabulary = {word: number for number, word in enumerate(words)}
    if named(vocabulary, UNKNOWN_NAMES, "UNK") is not None:
        return vocabulary, []
    return vocabulary | {UNKNOWN: len(words)}, [UNKNOWN]


def _lowercase(words: Sequence[str], reading: Reading) -> bool:
    if reading.lowercase is not None:
        return reading.lowercase
    return not any(word != word.lower() for word in words if not word.startswith(("[", "<")))


def _case(lowercase: bool) -> str:
    return f"Upper case is {'read as lower case' if lowercase else 'kept'}."
