"""A vocabulary from elsewhere: ``tokenizer.json``, WordPiece's ``vocab.txt``, or a list of words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import tokenizers

from seer.errors import ModelError, SettingError
from seer.imports.ordinary import check_file
from seer.imports.reading import UNKNOWN_NAMES, FoundVocabulary, Reading, named, numbered_here
from seer.imports.word_lists import word_list, word_piece
from seer.imports.words import numbered, word_lines
from seer.text import UNKNOWN

MOST_BYTES = 100_000_000
"""Largest vocabulary file that is read."""

MOST_WORDS = 3_000_000
"""Words of it, and what else a JSON file lists."""


def read_vocabulary(path: Path, texts: Sequence[str], reading: Reading) -> FoundVocabulary:
    """Read a vocabulary; padding becomes word 0 and the unknown word 1, whatever their numbers there.

    Args:
        path: ``tokenizer.json``, ``vocab.txt`` with a piece a line, or a word list: a word a line, or JSON that maps
            words to numbers or lists them.
        texts: some that the model is meant for.
        reading: choices.

    Raises:
        ModelError: the file is none of these, or its numbers are not 0 to V − 1.
        SettingError: a choice that the file does not allow.
    """
    content = _content(path)
    words_about = content.count("," if path.suffix.lower() == ".json" else "\n")
    if words_about > MOST_WORDS:
        raise ModelError(f"A vocabulary may have {MOST_WORDS:,} words, {path.name} has about {words_about:,}.")
    fields = _json(content, path) if path.suffix.lower() == ".json" else None
    if isinstance(fields, dict) and isinstance(fields.get("model"), dict):
        return _library_file(fields, path, reading)
    words = word_lines(content, path.name) if fields is None else numbered(fields, path.name)
    if any(word.startswith("##") for word in words):
        return word_piece(words, reading)
    return word_list(words, texts, reading)


def _content(path: Path) -> str:
    """The file's text.

    Raises:
        ModelError: there is none, it is too large, or not in UTF-8.
    """
    check_file(path, "a vocabulary")
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise ModelError(f"A vocabulary may have {MOST_BYTES:,} bytes, {path.name} has {size:,}.")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ModelError(f"Expected a vocabulary in {path.name}, but it cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ModelError(
            f"Expected a vocabulary in UTF-8 in {path.name}, found the byte 0x{error.object[error.start]:02X} at "
            f"{error.start:,}; save it as UTF-8, or give tokenizer.json, vocab.txt or a word list."
        ) from error


def _json(content: str, path: Path) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        where = f": it is broken at line {error.lineno:,}" if isinstance(error, json.JSONDecodeError) else ""
        raise ModelError(f"Expected JSON in {path.name}, found none{where}; copy the file again.") from error


def _library_file(fields: dict[str, Any], path: Path, reading: Reading) -> FoundVocabulary:
    """A ``tokenizer.json``, which says itself how texts become words."""
    if reading.lowercase is not None or reading.split is not None:
        raise SettingError(
            f"{path.name} says itself how texts are split and lower-cased; leave out --lowercase and --word-split."
        )
    kind = str(fields["model"].get("type") or "tokenizer")
    try:
        added = _complete(fields)
    except (TypeError, LookupError) as error:
        raise ModelError(
            f"Expected a tokenizer file of the tokenizers library in {path.name}; its words or their numbers are of "
            "another kind."
        ) from error
    try:
        inner = tokenizers.Tokenizer.from_str(json.dumps(fields))
    except Exception as error:  # the library raises a bare Exception for any malformed content
        raise ModelError(
            f"Expected a tokenizer file of the tokenizers library in {path.name}; that library does not take it. Save "
            "it again with the version that is installed here."
        ) from error
    words = inner.get_vocab(with_added_tokens=True)
    notes = []
    if inner.truncation and reading.length is None:
        reading = replace(reading, length=inner.truncation["max_length"], cut=inner.truncation["direction"])
        notes.append(f"Texts are cut to {reading.length:,} words, as {path.name} says.")
    marks = inner.num_special_tokens_to_add(False)
    if marks and not reading.special:
        notes.append(
            f"{path.name} would put {marks} mark{'s' if marks > 1 else ''} of its own around each text; left out "
            "unless --special-tokens asks for them."
        )
    return numbered_here(inner, words, added, f"{path.name} ({kind})", reading, notes)


def _complete(fields: dict[str, Any]) -> list[str]:
    """Give a ``tokenizer.json`` the unknown word that its model needs; which words were added."""
    model = fields["model"]
    vocabulary = model.get("vocab")
    if model.get("type") == "Unigram" and isinstance(vocabulary, list) and model.get("unk_id") is None:
        known = {pair[0]: number for number, pair in enumerate(vocabulary)}
        name = named(known, UNKNOWN_NAMES, "UNK")
        if name is not None:
            model["unk_id"] = known[name]
            return []
        model["unk_id"] = len(vocabulary)
        vocabulary.append([UNKNOWN, 0.0])
        return [UNKNOWN]
    if model.get("type") in ("WordLevel", "WordPiece") and isinstance(vocabulary, dict):
        if model.get("unk_token") in vocabulary:
            return []
        name = named(vocabulary, UNKNOWN_NAMES, "UNK")
        model["unk_token"] = name or UNKNOWN
        if name is None:
            taken = [*vocabulary.values(), *(token["id"] for token in fields.get("added_tokens") or [])]
            vocabulary[UNKNOWN] = 1 + max(taken, default=-1)
            return [UNKNOWN]
    return []
