"""What the panels of sentence pairs share: the pairs on show and what is taken out of them, both in the link."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from seer.errors import SeerError
from seer.listing import reads_pairs, study_folders
from seer.pair_reading import SENTENCES, PairReading, read_pairs, without
from seer.picks import same_premise, shared_premises
from seer.study import Study
from seer.text import PAIR_BREAK, split_pair
from seer.traces import FloatArray
from seer.ui import state
from seer.ui.frame import View
from seer.ui.loaders import open_study
from seer.ui.trace_panels import shown_sentence

PAIRS_PAGE = "pages/pairs.py"

MOST = 3
"""Hypotheses of a premise."""
MOST_WORDS = 300
"""Of a sentence that is read here."""
MOST_CHARACTERS = 20_000
PREDICTED = ""
"""The target's name for “whatever class is predicted”."""

BESIDE, TARGET, SCORE, TAKEN = "beside", "target", "score", "take"
"""View options: the second model, the class of the score and the kind of it, what is taken out."""
OF = "of"
"""View option: which pair the further hypotheses and what is taken out belong to; of another pair they are not read."""
FURTHER = ("h2", "h3")
"""View options: the second and the third hypothesis."""
SHOWN = "pairs-shown"
"""Key of the session: the last pair whose further hypotheses were on show."""
_CODE = re.compile(r"([1-3])c(\d{1,4})\.(\d{1,4})|([1-3])h(\d{1,4})|p(\d{1,4})")


@dataclass(frozen=True)
class Taken:
    """What is taken out: the attention of a pair of words, or a word.

    Attributes:
        pair: which hypothesis it concerns, from 0; ``None`` for a word of the premise, which concerns all.
        cell: places of the premise word and the hypothesis word.
        word: the sentence (0 premise, 1 hypothesis) and the place.
    """

    pair: int | None
    cell: tuple[int, int] | None = None
    word: tuple[int, int] | None = None

    @property
    def code(self) -> str:
        """As it stands in the link; ``read_code`` reads it."""
        if self.cell is not None:
            return f"{(self.pair or 0) + 1}c{self.cell[0]}.{self.cell[1]}"
        side, place = self.word or (0, 0)
        return f"p{place}" if side == 0 else f"{(self.pair or 0) + 1}h{place}"

    def concerns(self, pair: int) -> bool:
        """Whether it changes the prediction for a hypothesis."""
        return self.pair is None or self.pair == pair


def read_code(code: str) -> Taken | None:
    """What a code stands for, ``None`` for anything else."""
    found = _CODE.fullmatch(code)
    if found is None:
        return None
    pair, first, second, other, place, premise = (None if part is None else int(part) for part in found.groups())
    if pair is not None and first is not None and second is not None:
        return Taken(pair - 1, cell=(first, second))
    if other is not None and place is not None:
        return Taken(other - 1, word=(1, place))
    return None if premise is None else Taken(None, word=(0, premise))


@dataclass(frozen=True)
class Case:
    """A premise and its hypotheses.

    Attributes:
        premise: as typed or as the study has it.
        hypotheses: one to three.
        row: position in the corpus of the premise with the first hypothesis, ``None`` when it was typed.
        example: nobody chose it.
        outside: it does not pass the filters, as nothing with a word does.
        taken: what is taken out.
    """

    premise: str
    hypotheses: tuple[str, ...]
    row: int | None = None
    example: bool = False
    outside: bool = False
    taken: Taken | None = None

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Premise and hypothesis, for each hypothesis."""
        return tuple((self.premise, hypothesis) for hypothesis in self.hypotheses)


def shown_case(view: View) -> Case:
    """The chosen or typed pair with its further hypotheses; of an example, those that the data has for its premise."""
    shown = shown_sentence(view, shared_premises)
    premise, first = split_pair(shown.text)
    options = view.selection.view
    ours = options.get(OF) == stamp(shown.text)
    further: tuple[str, ...] = ()
    if ours:
        st.session_state[SHOWN] = options[OF]
        further = tuple(options[name] for name in FURTHER if name in options)
    elif shown.example and shown.row is not None:
        further = tuple(split_pair(view.study.corpus.text(row))[1] for row in other_rows(view, shown.row))
    taken = read_code(options.get(TAKEN, "")) if ours else None
    return Case(premise, (first, *further)[:MOST], shown.row, shown.example, shown.outside, taken)


def other_rows(view: View, row: int) -> list[int]:
    """Rows of the split on show with the same premise as a row and another hypothesis, each hypothesis once."""
    return [int(other) for other in same_premise(view.study, row, view.split)]


def put(view: View, case: Case) -> None:
    """Make these pairs the Selection's, in the session and in the link. For callbacks."""
    text = case.premise.replace(PAIR_BREAK, " ") + PAIR_BREAK + case.hypotheses[0]
    same = case.row is not None and view.study.corpus.text(case.row) == text
    chosen = state.current().change(**({"row": str(view.study.corpus.ids[case.row])} if same else {"text": text}))
    further = dict(zip(FURTHER, (*case.hypotheses[1:], None, None), strict=False))
    kept = len(case.hypotheses) > 1 or case.taken is not None
    code = None if case.taken is None else case.taken.code
    state.select(chosen.with_view(**further, **{TAKEN: code, OF: stamp(text) if kept else None}))


def edit(view: View, case: Case, place: int | None, text: str) -> None:
    """Another text for the premise (``None``) or a hypothesis; what was taken out is put back."""
    if place is None:
        changed = replace(case, premise=text, taken=None)
    else:
        hypotheses = (*case.hypotheses[:place], text, *case.hypotheses[place + 1 :])
        changed = replace(case, hypotheses=hypotheses, taken=None)
    put(view, changed)


def add(view: View, case: Case, text: str) -> None:
    """One more hypothesis."""
    put(view, replace(case, hypotheses=(*case.hypotheses, text)[:MOST]))


def remove(view: View, case: Case, place: int) -> None:
    """One hypothesis less; what was taken out is put back."""
    put(view, replace(case, hypotheses=(*case.hypotheses[:place], *case.hypotheses[place + 1 :]), taken=None))


def take(view: View, case: Case, taken: Taken | None) -> None:
    """Take something out, or put it back when it is taken out already."""
    put(view, replace(case, taken=None if taken == case.taken else taken))


def stamp(text: str) -> str:
    """The mark of a pair, short enough for a link."""
    return f"{zlib.crc32(text.encode('utf-8', 'replace')):08x}"


@dataclass(frozen=True)
class Reader:
    """A model on show, and how it reads the pairs."""

    name: str
    study: Study
    readings: tuple[PairReading, ...]

    @property
    def title(self) -> str:
        """The study's name and what its model is made of."""
        return f"{self.name} · {self.study.architecture.describe()}"

    def after(self, pair: int, taken: Taken | None) -> FloatArray | None:
        """(C,) probabilities of a pair without what is taken out; ``None`` where nothing is or the model has it not."""
        if taken is None or not taken.concerns(pair):
            return None
        reading = self.readings[pair]
        if not _has(reading, taken):
            return None
        study = self.study
        return _without(study, study.hash, reading.premise, reading.hypothesis, taken.cell, taken.word)


def _has(reading: PairReading, taken: Taken) -> bool:
    counts = [len(words) for words in reading.words]
    if taken.cell is not None:
        return all(place < count for place, count in zip(taken.cell, counts, strict=True))
    return taken.word is not None and taken.word[1] < counts[taken.word[0]]


def described(reading: PairReading, taken: Taken) -> str:
    """What is taken out, in words; plain text."""
    premise, hypothesis = reading.words
    if taken.cell is not None:
        return f"without the attention between “{premise[taken.cell[0]]}” and “{hypothesis[taken.cell[1]]}”"
    side, place = taken.word or (0, 0)
    return f"without “{reading.words[side][place]}”, word {place + 1} of the {SENTENCES[side]}"


def readers(view: View, case: Case) -> list[Reader]:
    """The study's model, and the second one where it is chosen and can be opened."""
    names = [view.selection.study, *filter(None, [chosen_beside(view)])]
    found = []
    for place, name in enumerate(names):
        try:
            study = view.study if place == 0 else open_study(name)
        except SeerError as error:
            st.warning(state.literal(f"{error} It is left out."), icon=":material/link_off:")
            continue
        target = state.view_option(TARGET, PREDICTED)
        found.append(
            Reader(
                name,
                study,
                _readings(study, study.hash, case.pairs, target if target in study.classes else None, chosen_score()),
            )
        )
    return found


def other_studies(view: View) -> list[str]:
    """Names of the other studies of sentence pairs."""
    return [name for name, folder in study_folders().items() if name != view.selection.study and reads_pairs(folder)]


def chosen_beside(view: View) -> str | None:
    """Name of the second model's study."""
    name = state.view_option(BESIDE, "")
    return name if name in other_studies(view) else None


def chosen_score() -> str:
    """What the saliency is of: the logit or the probability of the class."""
    return "probability" if state.view_option(SCORE, "logit") == "probability" else "logit"


@st.cache_resource(max_entries=64, show_spinner="Reading the pairs…")
def _readings(
    _study: Study, version: str, pairs: tuple[tuple[str, str], ...], target: str | None, score: str
) -> tuple[PairReading, ...]:
    return tuple(read_pairs(_study, pairs, target=target, score=score))


@st.cache_resource(max_entries=256, show_spinner=False)
def _without(
    _study: Study,
    version: str,
    premise: str,
    hypothesis: str,
    cell: tuple[int, int] | None,
    word: tuple[int, int] | None,
) -> FloatArray:
    return without(_study, premise, hypothesis, cell=cell, word=word)


def too_many(case: Case, study: Study) -> str | None:
    """Why the pairs are not read here, ``None`` when they are."""
    for name, texts in (("premise", (case.premise,)), ("hypothesis", case.hypotheses)):
        for text in texts:
            if len(text) > MOST_CHARACTERS or len(study.tokenizer.spans(text)) > MOST_WORDS:
                return f"A sentence of at most {MOST_WORDS} words is read here; this {name} is longer. Shorten it."
    return None


def records_json(found: Sequence[Reader]) -> str:
    """All numbers on show as JSON: a list of records a model."""
    records = [
        {"study": reader.name, "hypothesis": place + 1, **reading.record()}
        for reader in found
        for place, reading in enumerate(reader.readings)
    ]
    return json.dumps(records, ensure_ascii=False, allow_nan=False)
