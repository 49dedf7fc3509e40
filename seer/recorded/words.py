"""Words that came with their sentences: their vocabulary, and where each stands in its text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import tokenizers
from tokenizers import models, pre_tokenizers

from seer.corpus import Corpus
from seer.errors import DataError, shown
from seer.text import PAD, PAD_ID, UNKNOWN, UNKNOWN_ID, Tokenizer
from seer.traces import IntArray

_CONTINUED = re.compile("^(?:##|▁|Ġ)+")
"""What sub-word tokenizers write before a piece: WordPiece, SentencePiece, byte-level BPE."""

_BLANK = re.compile(r"\s")

_LETTER = re.compile(r"\w")

_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class GivenWords:
    """N words of a corpus' n rows.

    Attributes:
        corpus: the rows; those whose words do not stand in their text have the words, with blanks between, as text.
        tokenizer: numbers the words.
        ids: (N,) word ids.
        spans: (N, 2) where each word stands in its text; ``None`` where the tokenizer tells that.
    """

    corpus: Corpus
    tokenizer: Tokenizer
    ids: IntArray
    spans: IntArray | None = None


def given_words(corpus: Corpus, tokens: Sequence[Sequence[str]], offsets: IntArray) -> GivenWords:
    """Number the words of each row, and find them in its text.

    Args:
        corpus: n rows.
        tokens: the words of each row.
        offsets: (n+1,) where each row's words should begin.

    Raises:
        DataError: a row has another number of words than the offsets say, or what is no word.
    """
    if len(tokens) != len(corpus):
        raise DataError(f"Expected tokens for each of {len(corpus):,} rows of {corpus.name}, got {len(tokens):,}.")
    lengths = np.diff(offsets)
    for row, words in enumerate(tokens):
        where = f"{corpus.name}, row {corpus.ids[row]}"
        if isinstance(words, str) or len(words) != lengths[row]:
            got = "one text" if isinstance(words, str) else f"{len(words):,} tokens"
            raise DataError(f"{where}: expected {lengths[row]:,} tokens, one a state, got {got}.")
        for word in words:
            if not isinstance(word, str) or not word or word == PAD or _HALF.search(word):
                raise DataError(
                    f"{where}: expected each token to be a text of whole characters, not empty and no padding, "
                    f"got {shown(word)}; leave padding out of the lengths."
                )
    tokenizer, ids = _numbered([word for words in tokens for word in words])
    texts, spans, moved = [], [], 0
    for text, words in zip(corpus.texts(), tokens, strict=True):
        found = find_words(text, words)
        if found is None:
            moved += 1
            text = " ".join(words)
            ends = np.cumsum([len(word) + 1 for word in words], dtype=np.int64) - 1
            found = np.stack([ends - [len(word) for word in words], ends], axis=1)
        texts.append(text)
        spans.append(found)
    if moved:
        table = corpus.table.set_column(corpus.table.schema.get_field_index("text"), "text", pa.array(texts))
        have = "1 row shows its tokens" if moved == 1 else f"{moved:,} rows show their tokens"
        said = f"{have} in the place of the text, in which they do not stand one after another."
        corpus = replace(corpus, table=table, notices=(*corpus.notices, said))
    return GivenWords(corpus, tokenizer, ids, np.concatenate(spans))


def find_words(text: str, words: Sequence[str]) -> IntArray | None:
    """(T, 2) where the words stand in the text one after another, ``None`` when they do not.

    Between two words there may be blanks and marks, and no letter or digit. Case does not count, nor does what sub-word
    tokenizers write before a piece.
    """
    lower = len(text.lower()) == len(text)  # of some letters the lower case is longer
    plain = text.lower() if lower else text
    spans, end = np.zeros((len(words), 2), dtype=np.int64), 0
    for place, word in enumerate(words):
        core = _CONTINUED.sub("", word) or word
        begin = plain.find(core.lower() if lower else core, end)
        if begin < 0 or _LETTER.search(text, end, begin):
            return None
        end = begin + len(core)
        spans[place] = begin, end
    return spans


def _numbered(words: Sequence[str]) -> tuple[Tokenizer, IntArray]:
    """A vocabulary of all the words, commonest first, and the number of each; blanks in a word show as ␣."""
    plain = [_BLANK.sub("␣", word) for word in words]
    counts = Counter(plain)
    counts.pop(UNKNOWN, None)
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    numbers = {PAD: PAD_ID, UNKNOWN: UNKNOWN_ID} | {word: 2 + place for place, word in enumerate(ordered)}
    inner = tokenizers.Tokenizer(models.WordLevel(numbers, unk_token=UNKNOWN))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    ids = np.fromiter((numbers[word] for word in plain), np.int32, len(plain))
    return Tokenizer(inner), ids
