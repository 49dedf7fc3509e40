"""Words of a text with their place in it, and the vocabulary that numbers them.

The tokenizer is one of the `tokenizers` library, saved as ``tokenizer.json``; this module only chooses the parts of one
that is trained here (normaliser, split, word-level model), and returns flat arrays.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers, trainers

from seer.errors import ModelError, SettingError

PAD, UNKNOWN = "[PAD]", "[UNK]"
PAD_ID, UNKNOWN_ID = 0, 1

PAIR_BREAK = "\n"
"""What stands between the premise and the hypothesis of a sentence pair."""

# A tag such as <br /> is one word; so is a clitic ("n't", "'s"), since "is" + "n't" says more than a rare "isn't".
WORD_PATTERN = (
    r"</?[A-Za-z][A-Za-z0-9]*\s*/?>"
    r"|\w+?(?=[nN]'[tT]\b)|[nN]'[tT]\b"
    r"|'(?:[sS]|[rR][eE]|[vV][eE]|[lL][lL]|[dD]|[mM])\b"
    r"|\w+"
    # An emoji sequence stays whole; what cannot be seen is no word.
    "|[^\\w\\s\\p{Cc}\\p{Cf}](?:\ufe0f|\u200d[^\\w\\s]|[\U0001f3fb-\U0001f3ff])*"
)
_CHUNK = 2000
_MARKS = "marks"  # field of a saved tokenizer that was made elsewhere


def split_pair(text: str) -> tuple[str, str]:
    """The premise and the hypothesis of a pair written as one text; without a line break all is premise."""
    premise, _, hypothesis = text.partition(PAIR_BREAK)
    return premise, hypothesis


def readable(text: str) -> str:
    """The text with every lone surrogate, which no encoding can store, replaced by U+FFFD; its length is kept."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _has_surrogate(text) else text


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text) if not text.isascii() else False


@dataclass(frozen=True)
class Marks:
    """Where a tokenizer that was made elsewhere has its padding and its unknown word, and whether it adds marks.

    Attributes:
        pad: its id of padding, ``None`` where it has none.
        unknown: its id of the unknown word, ``None`` where it has none.
        special: put the marks of its post-processor, such as [CLS] and [SEP], around each text.
    """

    pad: int | None
    unknown: int | None
    special: bool = False


class Tokenizer:
    """Splits texts into words with character offsets and numbers the words of a vocabulary.

    Id 0 is padding and id 1 every word outside the vocabulary. A tokenizer that was made elsewhere keeps its own
    numbers inside, and ``Marks`` say which of them become 0 and 1; the others follow in their order.
    """

    def __init__(self, inner: tokenizers.Tokenizer, marks: Marks | None = None) -> None:
        vocabulary = inner.get_vocab(with_added_tokens=True)
        if marks is None and (vocabulary.get(PAD) != PAD_ID or vocabulary.get(UNKNOWN) != UNKNOWN_ID):
            raise ModelError(
                f"Expected a tokenizer with {PAD} as word {PAD_ID} and {UNKNOWN} as word {UNKNOWN_ID}, "
                f"got {vocabulary.get(PAD)} and {vocabulary.get(UNKNOWN)}; train it with seer."
            )
        if marks is not None:
            named = {marks.pad, marks.unknown} - {None}
            if not named <= set(vocabulary.values()) or (len(named) < 2 and marks.pad == marks.unknown is not None):
                raise ModelError(
                    f"Expected padding and unknown word among the {len(vocabulary):,} words of the tokenizer, got "
                    f"{marks.pad} and {marks.unknown}."
                )
        self._inner = inner
        self._marks = marks

    @classmethod
    def train(cls, texts: Iterable[str], *, lowercase: bool = True, min_count: int = 2) -> Tokenizer:
        """Build the vocabulary of ``texts``: every word seen at least ``min_count`` times, most frequent first.

        Raises:
            SettingError: ``min_count`` below 1.
        """
        if min_count < 1:
            raise SettingError(f"The minimum count of a word must be 1 or more, got {min_count}.")
        inner = tokenizers.Tokenizer(models.WordLevel(unk_token=UNKNOWN))
        steps: list[normalizers.Normalizer] = [normalizers.Replace("’", "'")]
        if lowercase:
            steps.append(normalizers.Lowercase())
        inner.normalizer = normalizers.Sequence(steps)
        inner.pre_tokenizer = pre_tokenizers.Split(tokenizers.Regex(WORD_PATTERN), behavior="removed", invert=True)
        trainer = trainers.WordLevelTrainer(
            min_frequency=min_count, special_tokens=[PAD, UNKNOWN], show_progress=False, vocab_size=10_000_000
        )
        inner.train_from_iterator(map(readable, texts), trainer)
        # Made anew without special tokens, which would be found inside a text that spells "[UNK]".
        plain = tokenizers.Tokenizer(models.WordLevel(inner.get_vocab(with_added_tokens=True), unk_token=UNKNOWN))
        plain.normalizer, plain.pre_tokenizer = inner.normalizer, inner.pre_tokenizer
        return cls(plain)

    @classmethod
    def load(cls, path: Path) -> Tokenizer:
        """Read a ``tokenizer.json``.

        Raises:
            ModelError: the file is not one.
        """
        return cls.from_json(path.read_text(encoding="utf-8"), path.name)

    @classmethod
    def from_json(cls, content: str, name: str = "tokenizer.json") -> Tokenizer:
        """Read the content of a ``tokenizer.json``.

        Raises:
            ModelError: it is not one.
        """
        try:
            fields = json.loads(content)
            marks = fields.pop(_MARKS, None)
            inner = tokenizers.Tokenizer.from_str(content if marks is None else json.dumps(fields))
            return cls(inner, None if marks is None else Marks(**marks))
        except ModelError:
            raise
        except Exception as error:  # the library raises a bare Exception for any malformed content
            raise ModelError(f"Expected a tokenizer file of the tokenizers library in {name}, got: {error}.") from error

    def to_json(self) -> str:
        """The content of a ``tokenizer.json``."""
        content = self._inner.to_str(pretty=False)
        if self._marks is None:
            return content
        return json.dumps({**json.loads(content), _MARKS: asdict(self._marks)}, ensure_ascii=False)

    def save(self, path: Path) -> None:
        """Write a ``tokenizer.json``."""
        path.write_text(self.to_json(), encoding="utf-8")

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the whole tokenizer, vocabulary included."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Id → word."""
        vocabulary = self._inner.get_vocab(with_added_tokens=True)
        own = {number: word for word, number in vocabulary.items()}
        if self._marks is None:
            return tuple(own[number] for number in sorted(own))
        return PAD, UNKNOWN, *(own[number] for number in self.order[2:].tolist())

    @property
    def size(self) -> int:
        """Number of ids, padding and unknown included."""
        return len(self.order)

    @cached_property
    def order(self) -> npt.NDArray[np.int64]:
        """(V,) for each id the number that the tokenizer has inside, -1 for padding or an unknown word it lacks."""
        own = np.array(sorted(self._inner.get_vocab(with_added_tokens=True).values()), dtype=np.int64)
        if self._marks is None:
            return own
        first = [-1 if number is None else number for number in (self._marks.pad, self._marks.unknown)]
        return np.concatenate([np.array(first, dtype=np.int64), own[~np.isin(own, first)]])

    @cached_property
    def _numbers(self) -> npt.NDArray[np.int32]:
        """For each number inside the id."""
        numbers = np.full(int(self.order.max()) + 1, UNKNOWN_ID, dtype=np.int32)
        known = self.order >= 0
        numbers[self.order[known]] = np.flatnonzero(known)
        return numbers

    @property
    def length(self) -> int | None:
        """Words that a longer text is cut to; ``None`` where texts are read whole."""
        cut = self._inner.truncation
        return None if cut is None else int(cut["max_length"])

    @cached_property
    def _whole(self) -> tokenizers.Tokenizer:
        """The same without the cut."""
        whole = tokenizers.Tokenizer.from_str(self._inner.to_str())
        whole.no_truncation()
        return whole

    def whole_lengths(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """(n,) words of each of n texts before it is cut to ``length``."""
        return np.diff(self._encode(self._whole, texts)[0])

    def encode(self, texts: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Number the words of n texts.

        Returns:
            offsets (n+1,) and ids (N,): text i has the words ``ids[offsets[i]:offsets[i+1]]``.
        """
        offsets, numbers = self._encode(self._inner, texts)
        return offsets, numbers if self._marks is None else self._numbers[numbers]

    def _encode(
        self, inner: tokenizers.Tokenizer, texts: Sequence[str]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Offsets (n+1,), and numbers (N,) as the tokenizer has them inside."""
        lengths, ids = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)]
        for begin in range(0, len(texts), _CHUNK):
            encodings = inner.encode_batch_fast(
                [readable(text) for text in texts[begin : begin + _CHUNK]], add_special_tokens=self._special
            )
            chunk = [encoding.ids for encoding in encodings]
            lengths.append(np.fromiter(map(len, chunk), np.int64, len(chunk)))
            ids.append(np.fromiter(chain.from_iterable(chunk), np.int32))
        return np.cumsum(np.concatenate(lengths)), np.concatenate(ids)

    @property
    def _special(self) -> bool:
        return self._marks is not None and self._marks.special

    def encode_pairs(
        self, texts: Sequence[str]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Number the words of n sentence pairs, each a premise, a line break and a hypothesis; no word holds the break.

        Returns:
            offsets and ids as ``encode`` gives them, and (n,) how many words of each belong to the premise.
        """
        offsets, ids = self.encode([side for text in texts for side in split_pair(text)])
        return offsets[::2], ids, np.diff(offsets)[::2]

    def pair_spans(self, text: str) -> npt.NDArray[np.int64]:
        """Where the words of one pair stand: (T, 2) character offsets into the whole text."""
        premise, hypothesis = split_pair(text)
        return np.concatenate([self.spans(premise), self.spans(hypothesis) + len(premise) + len(PAIR_BREAK)])

    def spans(self, text: str) -> npt.NDArray[np.int64]:
        """Where the words of one text stand: (T, 2) character offsets into the text as it was given, none overlapping.

        What stands for no part of the text, such as a mark or a further byte of a character, is empty, at the end of
        the word before it.
        """
        found = self._inner.encode(readable(text), add_special_tokens=self._special)
        spans = np.array(found.offsets, dtype=np.int64).reshape(-1, 2)
        ends = np.maximum.accumulate(spans[:, 1])
        spans[:, 0] = np.maximum(spans[:, 0], np.concatenate([[0], ends])[: len(spans)])
        spans[:, 1] = np.maximum(spans[:, 1], spans[:, 0])
        return spans
