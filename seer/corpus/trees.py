"""Treebank files: one bracketed tree a line, a class number after each opening bracket, words as its leaves.

The format is that of the Stanford Sentiment Treebank (Socher et al., EMNLP 2013): ``(4 (2 A) (4 (3 good) (2 film)))``.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa

from seer.corpus.assemble import Labelled
from seer.corpus.files import file_hash
from seer.corpus.plain import read_plain
from seer.corpus.reading import HEAD, FileRead, Reading
from seer.corpus.record import EXTRA_SCHEMA, TRAIN
from seer.errors import DataError

# Only ASCII blanks part the pieces: "2 1/2" with a no-break space is one leaf.
_PIECES = re.compile(r"\([ \t\r]*([^() \t\r]*)|(\))|([^() \t\r]+)")
_BRACKETS = {"LRB": "(", "RRB": ")", "LSB": "[", "RSB": "]", "LCB": "{", "RCB": "}"}
_ESCAPES = {f"-{name}-": sign for name, sign in _BRACKETS.items()}
_ESCAPES |= {name.lower(): sign for name, sign in _ESCAPES.items()} | {"``": '"', "''": '"', "`": "'"}
_EXAMPLE = "expected one tree a line, such as (3 (2 A) (4 (3 good) (2 film)))"


@dataclass(frozen=True)
class Tree:
    """A sentence with its labelled phrases.

    Attributes:
        words: its leaves, treebank escapes undone.
        phrases: (label, begin, stop) of each node over ``words``, the whole sentence last.
    """

    words: tuple[str, ...]
    phrases: tuple[tuple[int, int, int], ...]

    @property
    def label(self) -> int:
        """The sentence's class."""
        return self.phrases[-1][0]

    @property
    def text(self) -> str:
        """The words with a blank between."""
        return " ".join(self.words)

    def inner(self) -> list[tuple[str, int]]:
        """Text and label of every phrase but the sentence itself."""
        return [(" ".join(self.words[begin:stop]), label) for label, begin, stop in self.phrases[:-1]]


def parse_tree(line: str, classes: int) -> Tree:
    """Read one bracketed tree.

    Args:
        line: ``(label leaf)`` or ``(label node node …)``.
        classes: labels lie below this.

    Raises:
        DataError: it is no such tree; the message says what is wrong with it.
    """
    known = {str(label): label for label in range(classes)}
    words: list[str] = []
    unclosed: list[tuple[int, int]] = []
    phrases: list[tuple[int, int, int]] = []
    in_leaf = False
    for label, closing, word in _PIECES.findall(line):
        if in_leaf and not closing:
            raise DataError(f"a leaf holds one word, but more follows {words[-1]!r} before its bracket closes")
        if not unclosed and (phrases or closing or word):
            what = "a bracket closes that was never opened" if closing else "more follows after the tree"
            raise DataError(what if closing or phrases else f"{word!r} stands outside all brackets")
        if closing:
            number, begin = unclosed.pop()
            if begin == len(words):
                raise DataError("a pair of brackets holds no word")
            phrases.append((number, begin, len(words)))
        elif word:
            if unclosed[-1][1] < len(words):
                raise DataError(f"the word {word!r} stands beside a phrase; a word needs brackets of its own")
            words.append(_unescaped(word))
        elif label in known:
            unclosed.append((known[label], len(words)))
        else:
            raise DataError(f"expected a label from 0 to {classes - 1} after an opening bracket, got {label!r}")
        in_leaf = bool(word)
    if not (phrases or unclosed):
        raise DataError("the line is empty")
    if unclosed:
        count = len(unclosed)
        raise DataError(f"{count} {'bracket is' if count == 1 else 'brackets are'} not closed")
    return Tree(tuple(words), tuple(phrases))


def read_trees(
    files: Mapping[str, Path], classes: tuple[str, ...], reading: Reading
) -> tuple[Labelled, dict[str, Tree], dict[str, str]]:
    """Read one treebank file a split.

    Args:
        files: file of each split.
        classes: class names in the order of their numbers.
        reading: told what is understood.

    Returns:
        the sentences, with their split and number among its trees from 0 as ids (``test-12``); the tree of each
        sentence by its id; the sha256 of each file.

    Raises:
        DataError: a file cannot be read or holds no tree, or a line of it is no tree (gives file and line).
    """
    trees: dict[str, Tree] = {}
    hashes, counts = {}, []
    for split, path in files.items():
        plain = read_plain(path)
        plain.refuse_broken()
        found = _parse_lines(plain.lines, path.name, len(classes))
        trees |= {f"{split}-{number}": tree for number, tree in enumerate(found)}
        counts.append(len(found))
        reading.notices += plain.notices
        head = tuple((line.rstrip("\r\n"),) for line in plain.lines[:HEAD])
        reading.note(
            FileRead(split, path.name, ("tree",), head, encoding=plain.encoding, records=len(found), read=len(found))
        )
        hashes[split] = file_hash(path)
    return (
        Labelled(
            pa.array(trees, pa.string()),
            pa.array([tree.text for tree in trees.values()], pa.string()),
            np.array([tree.label for tree in trees.values()], dtype=np.int32),
            classes,
            np.repeat(np.arange(len(counts)), counts),
            tuple(files),
        ),
        trees,
        hashes,
    )


def training_phrases(trees: Mapping[str, Tree], kept: Container[str]) -> pa.Table:
    """The labelled phrases inside the training sentences, each text once with each of its labels.

    A phrase that is a whole training sentence somewhere, with the same label, is left out.

    Args:
        trees: by row id, as ``read_trees`` gives them.
        kept: row ids to take phrases from, where they are training rows.

    Returns:
        m rows of ``EXTRA_SCHEMA``, in the order of the trees.
    """
    training = [tree for row, tree in trees.items() if row.startswith(f"{TRAIN}-") and row in kept]
    phrases = dict.fromkeys(chain.from_iterable(tree.inner() for tree in training))
    for tree in training:
        phrases.pop((tree.text, tree.label), None)
    texts, labels = zip(*phrases, strict=True) if phrases else ((), ())
    return pa.table([pa.array(texts, pa.string()), pa.array(labels, pa.int32())], schema=EXTRA_SCHEMA)


def _parse_lines(lines: Sequence[str], name: str, classes: int) -> list[Tree]:
    trees = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                trees.append(parse_tree(line.rstrip("\r\n"), classes))
            except DataError as error:
                raise DataError(f"{name}, line {number}: {error}; {_EXAMPLE}.") from None
    if not trees:
        raise DataError(f"{name} holds no tree; {_EXAMPLE}.")
    return trees


def _unescaped(word: str) -> str:
    """A leaf as the character it stands for: ``-LRB-`` is a bracket, `` is a quote, and a slash is not escaped."""
    return _ESCAPES.get(word) or word.replace("\\/", "/").replace("\\*", "*")
