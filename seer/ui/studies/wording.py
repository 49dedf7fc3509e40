"""What the library says of data and models, in the words of the page."""

from __future__ import annotations

import re

from seer.ui.studies.draft import own_names

_OPTION = re.compile(r"(--[a-z-]+)(?: \(in Python [^)]*\))?")
_FIELDS = {
    "--text": "“Text column”",
    "--label": "“Label column”",
    "--no-label": "“no label” in “Label column”",
    "--second": "“Second text column”",
    "--encoding": "“Encoding”",
    "--delimiter": "“Delimiter”",
    "--no-header": "“a row” in “First line”",
    "--cell": "“Cell”",
    "--activation": "“Between layers of the head”",
    "--lowercase": "“Upper case”",
    "--word-split": "“A word list splits at”",
    "--special-tokens": "“Put [CLS] and [SEP] around each text”",
}
"""The field of the page for an option of the command line."""


def on_page(sentence: str) -> str:
    """A sentence with files as their owner calls them, and fields of the page for options of the command line."""
    sentence = _OPTION.sub(lambda found: _FIELDS.get(found[1], found[0]), sentence)
    for kept, own in own_names().items():
        sentence = sentence.replace(kept, own)
    return sentence
