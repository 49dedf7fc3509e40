"""A study in which every name and text holds what Markdown, HTML, a URL or a spreadsheet would eat."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pyarrow as pa

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.corpus import Corpus
from seer.models.training import TrainingSettings
from seer.notes import Note, Notes
from seer.study import Study
from seer.text import PAIR_BREAK

OUTSIDE = "http://127.0.0.1:9/"
"""Where nothing listens: what asks for it went outside."""

EATEN = "cost $5 then $9 *really* :red[x] :smile: # a_b_"
IMAGE = f"<img src={OUTSIDE}x.png onerror=window.hacked=1>"
MARKDOWN = f"![i]({OUTSIDE}i.png) [l]({OUTSIDE}) `c` ~~s~~ :material/close: --- 1. **b** &lt;i&gt; &amp;"

STUDY = "odd *name* $1$ [x] :red[x]"
PAIRS = f"pairs {STUDY}"
CLASSES = ("R&D's", "<b>neg</b>", EATEN, IMAGE, MARKDOWN)
TRAINED, SEEN = "train", f"<i>dev</i> {EATEN}"
SPLITS = (TRAINED, SEEN)
WORDS = ("<b>", "</b>", "<i>", "<br />", "&lt;", "*bold*", "$5$", ":red[x]", "`code`", "R&D's", "image", "title")
"""Put into the texts; some of them are words of the vocabulary as they stand."""

EAGER = re.compile(
    r":red\[x|:smile:|:material/close:|\$5|\$9|\$1|\*really|\*name|\*\*b|a_b_|`c|~~s|!\[i|\[l\]|\[x\]"
    r"|<b>|<i>|<img|<br|&lt;|&amp;|R&D"
)
"""What Markdown would take for a sign of its own, if it stands there without a backslash."""


def odd_corpus(count: int = 240, *, paired: bool = False) -> Corpus:
    """Five classes told apart by one word each; ids, splits, classes and texts, or pairs of them, are all odd."""
    random = np.random.default_rng(0)
    texts, labels = [], []
    for place in range(count):
        label = place % len(CLASSES)
        words = [f"word{label}", *random.choice(WORDS, 4), *(f"filler{number}" for number in random.integers(0, 9, 3))]
        random.shuffle(words)
        ending = CLASSES[label if place % 3 else place % 5]
        texts.append(f"{' '.join(words)}{PAIR_BREAK if paired else ' '}{ending}")
        labels.append(label if place % 7 else (label + 1) % len(CLASSES))
    table = pa.table(
        {
            "id": pa.array([f"<i>{place}</i> {EATEN}" for place in range(count)]),
            "text": pa.array(texts),
            "label": pa.array(labels, pa.int32()),
            "split": pa.array([SPLITS[place // len(CLASSES) % 2] for place in range(count)]),
        }
    )
    notice = f"The column <i> of {EATEN} was taken for the text."
    return Corpus(EATEN, table, CLASSES, {"kind": "test", "name": IMAGE}, (notice,), paired=paired)


def odd_study(folder: Path, *, paired: bool = False) -> Study:
    """The study of ``odd_corpus``, below ``folder``."""
    return train_study(
        odd_corpus(paired=paired),
        folder / (PAIRS if paired else STUDY),
        architecture={"embedding": 6, "hidden": 8},
        training=TrainingSettings(epochs=3, learning_rate=1e-2),
        analysis=AnalysisSettings(states=6, components=4),
    )


def odd_notes(study: Study, path: Path) -> Notes:
    """Notes on some rows of the study, as odd as it is."""
    notes = Notes(path, study.hash, study.corpus.fingerprint)
    for row in study.rows(SEEN)[:12]:
        row_id = str(study.corpus.ids[row])
        notes.put(row_id, Note("other", f"{EATEN} {IMAGE}", "relabel", CLASSES[int(row) % 5]), f"Ann {EATEN}")
        notes.put(row_id, Note("irony", f"{MARKDOWN} {IMAGE}", "relabel", CLASSES[int(row + 1) % 5]), "<b>Bob</b>")
    return notes


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def read_html(html: str) -> _Reader:
    """What a browser makes of HTML: its tags, attributes and texts."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader


def eaten_by_markdown(text: str) -> list[str]:
    """What of the odd names Markdown would take for its own signs: empty when all of it is escaped."""
    return EAGER.findall(re.sub(r"\\[^\w\s]", "\0", text))


def double_escaped(text: str) -> bool:
    """Whether a shown text holds an escape that no odd name has."""
    plain = text.replace("&lt;i&gt; &amp;", "").replace("&lt;", "")
    return re.search(r"&(?:amp|lt|gt|quot|#x27|#39);", plain) is not None
