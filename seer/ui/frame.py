"""What every page has: the menu, the title with chips and the link, the view, and errors in a sentence."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

import streamlit as st
from scipy.sparse import csr_array
from streamlit.navigation.page import Page

from seer.charts.captions import counted
from seer.charts.leading import machine_colours
from seer.charts.sentence import STYLE
from seer.errors import SeerError
from seer.listing import study_folders
from seer.machine import StateMachine
from seer.mining import OFTEN
from seer.slices import Filter, matching_rows, query_fault
from seer.study import Study
from seer.text import PAIR_BREAK
from seer.traces import NO_CLASS, IntArray, Traces
from seer.ui import state
from seer.ui.link import copy_link
from seer.ui.loaders import nearest_study
from seer.ui.selection import ALL_SPLITS, Selection, path_name, shortened, state_name

log = logging.getLogger("seer")

FAILED = (
    "Something went wrong here. The server's log has the details. The other pages at the left still work; clearing the "
    "filters or starting again with the demo may help."
)

PAIR_LINE = "A pair is read as one sentence: the premise, then the hypothesis, as the inference LSTM reads them."

CHIP_ROW = "<style>.st-key-chips { min-height: 2.5rem; }</style>"
"""Room for a row of chips, whether there are any or not."""


@dataclass(frozen=True)
class View:
    """What a page shows: the study, and the Selection as far as the study has what it names.

    Attributes:
        study: the opened study.
        selection: the session's, without what this study lacks.
        gone: a sentence for each thing left out.
    """

    study: Study
    selection: Selection
    gone: tuple[str, ...] = ()

    @property
    def split(self) -> str | None:
        """The split for ``Study``'s functions, ``None`` for all."""
        return self.selection.corpus_split

    @property
    def split_name(self) -> str:
        """The split in words."""
        return "all splits" if self.split is None else f"the {self.split} split"

    @property
    def noun(self) -> str:
        """What a row of the study is called."""
        return self.study.noun

    def line(self, text: str, most: int) -> str:
        """A row's text in one line, cut; of a pair, a ⏎ stands between the premise and the hypothesis."""
        return shortened(text.replace(PAIR_BREAK, " ⏎ ", 1) if self.study.paired else text, most)

    @property
    def machine(self) -> StateMachine:
        """The state machine of the split."""
        return self.study.machine(self.split)

    @property
    def colours(self) -> dict[str, str]:
        """The colour of each class; of many, those have one that the machine and its chosen state mostly read."""
        state = self.selection.state
        majority = NO_CLASS if state is None else int(self.machine.majority[state])
        return machine_colours(self.study.machine(None), None if majority == NO_CLASS else majority)

    @property
    def traces(self) -> Traces:
        """The traces of the split."""
        return self.study.split_traces(self.split)

    @property
    def sentences_name(self) -> str:
        """The sentences of the split in words."""
        return f"the {self.noun}s of {self.split_name}"

    @property
    def word_counts(self) -> csr_array:
        """(K+1, V) how often each word is read into each state in the split."""
        return self.study.word_counts(self.split)

    @property
    def often(self) -> int:
        """How often a text must be read to say something."""
        return OFTEN

    def filter(self, **changes: Any) -> Filter:
        """The Selection as a filter of sentences, with some fields changed."""
        chosen, classes = self.selection, self.study.classes
        wanted = Filter(
            split=self.split,
            state=chosen.state,
            transition=chosen.transition,
            pattern=chosen.pattern,
            words=self.words,
            collapse=chosen.collapse,
            true=None if chosen.true is None else classes.index(chosen.true),
            predicted=None if chosen.predicted is None else classes.index(chosen.predicted),
            outcome=chosen.outcome,
            query=chosen.query or None,
            regex=chosen.regex,
            confidence=chosen.confidence,
            length=chosen.length,
        )
        return replace(wanted, **changes)

    def rows(self, **changes: Any) -> IntArray:
        """Positions of the sentences that pass the filter; see ``filter``."""
        return matching_rows(self.study, self.filter(**changes))

    def rows_with(self, **fields: Any) -> IntArray:
        """Positions of the split's sentences that have a state or a transition, whatever else is chosen."""
        return matching_rows(self.study, Filter(split=self.split, **fields))

    def filtered(self, **changes: Any) -> bool:
        """Whether the filter asks for anything beyond the split; see ``filter``."""
        return replace(self.filter(**changes), regex=False, collapse=False) != Filter(split=self.split)

    @property
    def filter_line(self) -> str:
        """How many sentences pass the filter, in words."""
        whole = len(self.study.rows(self.split))
        if self.filtered():
            return f"{len(self.rows()):,} of {counted(whole, self.noun)} of {self.split_name} pass"
        usual = self.selection.split == self.study.usual_split  # then a split no one chose: without a chip
        others = [chip for chip in self.selection.chips() if chip.field != "split" or not usual]
        other = "No other filter" if others else "No filter"
        return f"{other}: {'all ' if whole > 1 else ''}{counted(whole, self.noun)} of {self.split_name}"

    @property
    def words(self) -> tuple[int, ...] | None:
        """Vocabulary ids of the chosen words."""
        return None if self.selection.word is None else self.study.phrase_ids(self.selection.word)

    @property
    def row(self) -> int | None:
        """Position of the chosen sentence."""
        return None if self.selection.row is None else self.study.corpus.position(self.selection.row)


def current_view() -> View:
    """The session's view, fitted to what the study has. A link to what is gone opens the nearest view and says so."""
    selection = state.current()
    study, missing = nearest_study(selection.study)
    gone = []
    if missing is not None:  # the session goes on with the demo: what is clicked from here on is about it
        selection = Selection(split=selection.split)
        state.fall_back(selection, missing)
    corpus = study.corpus
    if selection.split != ALL_SPLITS and selection.split not in corpus.splits:
        if selection.split != Selection().split:
            gone.append(f"This study has no split {selection.split!r}.")
        selection = selection.change(split=study.usual_split)
    if not study.has_model and (selection.text is not None or selection.edited is not None):
        gone.append(study.why_no_model)
        selection = selection.without("text").without("edited")
    for field, present, label in _references(study, selection):
        if not present:
            gone.append(f"This study has no {label}.")
            selection = selection.without(field)
    fault = query_fault(selection.query, selection.regex)
    if fault is not None:  # as its field says too: the rest of the page goes on without it
        gone.append(fault)
        selection = selection.without("query")
    return View(study, selection, tuple(gone))


def _references(study: Study, chosen: Selection) -> Iterator[tuple[str, bool, str]]:
    """(field, whether the study has what it names, its name) of all that a Selection may name."""
    if chosen.state is not None:
        yield "state", 1 <= chosen.state <= study.states, f"state {state_name(chosen.state)}"
    if chosen.transition is not None:
        source, target = chosen.transition
        fits = 0 <= source <= study.states and 1 <= target <= study.states
        yield "transition", fits, f"transition {path_name(chosen.transition)}"
    if chosen.pattern is not None:
        fits = all(1 <= part <= study.states for part in chosen.pattern)
        yield "pattern", fits, f"pattern {path_name(chosen.pattern)}"
    if chosen.word is not None:
        yield "word", study.phrase_ids(chosen.word) is not None, f"word {shortened(chosen.word)!r}"
    for field in ("true", "predicted"):
        name = getattr(chosen, field)
        if name is not None:
            yield field, name in study.classes, f"class {shortened(name)!r}"
    if chosen.row is not None:
        yield "row", chosen.row in study.corpus, f"{study.noun} {shortened(chosen.row)!r}"


def sidebar(sections: Mapping[str, Sequence[Page]], view: View) -> None:
    """The study, the split and the menu."""
    with st.sidebar:
        st.selectbox("Study", list(study_folders()), format_func=shortened, **state.bound("frame-study", "study"))
        splits = [*view.study.corpus.splits, ALL_SPLITS]
        st.selectbox(
            f"{view.noun.capitalize()}s from",
            splits,
            format_func=lambda split: "all splits" if split == ALL_SPLITS else split,
            help="The model learned from the training split, so its errors there say little.",
            # What is shown is the split in use, which differs from the link's when the study lacks that.
            **state.tied("frame-split", view.selection.split, lambda split: state.change(split=split)),
        )
        for section, pages in sections.items():
            st.caption(section)
            state.page_links(pages)


def header(view: View, title: str, line: str, guide: str | None = None, *, pairs: bool = True) -> None:
    """The page's title, a line on how to read it, the chips, and the button that copies the link.

    Args:
        view: of the page.
        title: of the page.
        line: what the page shows and how to read it.
        guide: more of that, behind a “?”.
        pairs: say of a study of pairs how a pair is read as a sentence.
    """
    st.html(STYLE + CHIP_ROW)
    with st.container(gap="small"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.title(title, help=guide, width="stretch")
            copy_link()
        st.caption(state.literal(f"{line} {PAIR_LINE}" if pairs and view.study.paired else line))
        # Always there, with or without content: an element more would mount what follows anew.
        with st.container(gap="small"):
            notices = (*state.ignored(), *view.gone)
            state.chips(view.selection, view.filter_line, clear=bool(notices), noun=view.noun)
            for sentence in notices:
                st.warning(state.literal(sentence), icon=":material/link_off:")


@contextmanager
def guarded() -> Iterator[None]:
    """Show an error a person can mend as a sentence in the page, any other as one that points to the log.

    Nothing is drawn after it. Streamlit's own ways to leave a run (stop, rerun, switch of page) are no ``Exception``.
    """
    try:
        yield
    except Exception as error:
        if not _say(error):
            st.button("Start again with the demo", key="failed-demo", on_click=state.select, args=(Selection(),))
        st.stop()


def fragment(body: Callable[..., None], run_every: float | None = None) -> Callable[..., None]:
    """A part of a page that runs again by itself; its errors are said in its place, and the rest of the page stands.

    Every fragment is made here: what escapes from one that runs again reaches no ``guarded``.

    Args:
        body: draws the part.
        run_every: seconds between two runs.
    """

    @wraps(body)
    def drawn(*args: Any) -> None:
        try:
            body(*args)
        except Exception as error:
            _say(error)

    return st.fragment(drawn, run_every=run_every)


def _say(error: Exception) -> bool:
    """Show an error in a sentence; whether a person can mend it. Of any other the server's log gets the traceback."""
    mendable = isinstance(error, SeerError)
    if not mendable:
        log.error("A page failed", exc_info=error)
    st.error(state.literal(str(error)) if mendable else FAILED, icon=":material/error:")
    return mendable


def empty(sentence: str, icon: str = ":material/search_off:") -> None:
    """Say in place of a picture why there is nothing to see and what to do."""
    st.info(state.literal(sentence), icon=icon)
