"""How texts become the words of a vocabulary from elsewhere, and what its words become here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import tokenizers
from tokenizers import pre_tokenizers

from seer.errors import ModelError, SettingError
from seer.text import PAD, UNKNOWN, WORD_PATTERN, Marks, Tokenizer

PAD_NAMES = ("[pad]", "<pad>", "<blank>", "<|pad|>", "_pad_", "__pad__", "pad_token")
UNKNOWN_NAMES = ("[unk]", "<unk>", "<oov>", "<|unk|>", "_unk_", "__unk__", "unk_token")
"""What padding and the unknown word are called elsewhere, in lower case; plain ``PAD`` and ``UNK`` count too."""

SPLITS: dict[str, pre_tokenizers.PreTokenizer] = {
    "spaces": pre_tokenizers.WhitespaceSplit(),
    "punctuation": pre_tokenizers.BertPreTokenizer(),
    "words": pre_tokenizers.Split(tokenizers.Regex(WORD_PATTERN), behavior="removed", invert=True),
}
"""How a text becomes the words of a word list: at blanks, around punctuation too, or as ``Tokenizer.train`` does."""

SAMPLE = 500
"""Texts that the way of splitting is chosen on."""

MOST_LENGTH = 100_000
"""Most words that texts may be cut to."""


@dataclass(frozen=True)
class Reading:
    """Choices on how texts become words; ``None`` where it follows from the file.

    Attributes:
        lowercase: read upper case as lower case; by default where the vocabulary has no upper case.
        split: one of ``SPLITS``, for a word list; by default as most words of the texts are known.
        special: put the marks of the model, such as [CLS] and [SEP], around each text.
        length: cut longer texts to so many words.
        cut: ``"right"`` to keep the beginning of a text that is cut, ``"left"`` to keep its end.

    Raises:
        SettingError: a choice out of range.
    """

    lowercase: bool | None = None
    split: str | None = None
    special: bool = False
    length: int | None = None
    cut: str = "right"

    def __post_init__(self) -> None:
        if self.split is not None and self.split not in SPLITS:
            raise SettingError(f"Words can be split by {', '.join(SPLITS)}; got {self.split!r}.")
        if self.cut not in ("left", "right"):
            raise SettingError(f"A long text can be cut at its left or right, got {self.cut!r}.")
        if self.length is not None and not 1 <= self.length <= MOST_LENGTH:
            raise SettingError(f"Texts can be cut to 1 to {MOST_LENGTH:,} words, got {self.length:,}.")


@dataclass(frozen=True)
class FoundVocabulary:
    """A vocabulary and its words.

    Attributes:
        tokenizer: ready for use; ``tokenizer.order`` says where each of its words stood before.
        size: words in the file, each with a row of the embedding.
        kind: what the file is, for a person.
        notes: a sentence each.
    """

    tokenizer: Tokenizer
    size: int
    kind: str
    notes: tuple[str, ...]


def numbered_here(
    inner: tokenizers.Tokenizer,
    words: dict[str, int],
    added: Sequence[str],
    kind: str,
    reading: Reading,
    notes: list[str],
) -> FoundVocabulary:
    """Number the words as this program does, and set the cut."""
    size = len(words) - len(added)
    if sorted(words.values()) != list(range(len(words))):
        raise ModelError(
            f"The words of a vocabulary must be numbered from 0 without a gap; this one has {size:,} words, with "
            f"numbers up to {max(words.values(), default=0):,}."
        )
    inner.no_padding()
    inner.no_truncation()
    if reading.length is not None:
        inner.enable_truncation(reading.length, direction=reading.cut)
    pad = named(words, PAD_NAMES, "PAD")
    unknown = named(words, UNKNOWN_NAMES, "UNK")
    model_unknown = json.loads(inner.to_str())["model"].get("unk_token")
    unknown = model_unknown if model_unknown in words else unknown
    if pad is None:
        notes.append(f"The vocabulary has no padding: {PAD} was added, as a vector of zeros.")
    if unknown is None or unknown in added:
        notes.append(f"The vocabulary has no unknown word: {UNKNOWN} was added, as a vector of zeros.")
    marks = Marks(
        None if pad is None else words[pad], None if unknown is None else words[unknown], special=reading.special
    )
    return FoundVocabulary(Tokenizer(inner, marks), size, kind, tuple(notes))


def named(words: dict[str, int], names: Sequence[str], plain: str) -> str | None:
    """The word with one of the names, the first of the names first."""
    lower = {word.lower(): word for word in words if word == plain or word.lower() in names}
    return next((lower[name] for name in (*names, plain.lower()) if name in lower), None)
