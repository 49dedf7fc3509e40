"""What the trace page is made of: the sentence on show, its search, its words, curve, path and steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from seer.charts.curve import probability_chart, probability_strip, run_length
from seer.charts.leading import likely_classes
from seer.charts.network import GraphOptions, graph_data
from seer.charts.palette import COLOURED, many
from seer.charts.reading import flips_line, remarks, verdict_html
from seer.charts.scale import Line
from seer.charts.sentence import sentence_html
from seer.picks import example_row
from seer.study import Study
from seer.traces import IntArray, SentenceTrace
from seer.ui import state
from seer.ui.frame import View, empty
from seer.ui.loaders import graph_positions, typed_trace
from seer.ui.machine.graph import state_graph
from seer.ui.panels import marked_in
from seer.ui.sentence_classes import also_field
from seer.ui.tables import frame_csv

PART = 400
"""Words of a long text on show at once."""

MOST_CHARACTERS = 200_000
"""Of a typed text: reading more would keep the page waiting."""

SCROLLED = 200
"""Words from which on their box scrolls."""

NUMBERED = 80
"""Most steps whose numbers are written on the graph."""


@dataclass(frozen=True)
class Shown:
    """The sentence on show.

    Attributes:
        text: of it.
        row: its position in the corpus, ``None`` when it was typed.
        example: nobody chose it.
        outside: it does not pass the filters, as nothing with a word does.
    """

    text: str
    row: int | None = None
    example: bool = False
    outside: bool = False


def shown_sentence(view: View, among: Callable[[Study, IntArray], IntArray] | None = None) -> Shown:
    """The chosen or typed sentence, else an example that passes the filters, or from the whole split when none does.

    Args:
        view: of the page.
        among: which of the rows make good examples; all by default.
    """
    chosen, row = view.selection, view.row
    if chosen.text is not None:
        return Shown(chosen.text)
    example, outside = row is None, False
    if row is None:
        rows = view.rows()
        row = example_row(view.study, rows if among is None else among(view.study, rows))
        if row is None and view.filtered():
            row, outside = example_row(view.study, view.study.rows(view.split)), True
    return Shown("") if row is None else Shown(view.study.corpus.text(row), row, example, outside)


def read(view: View, shown: Shown) -> SentenceTrace | None:
    """The trace of the sentence, ``None`` when the text is too long."""
    return view.study.sentence(shown.row) if shown.row is not None else read_typed(view, shown.text)


def read_typed(view: View, text: str) -> SentenceTrace | None:
    """The trace of a typed text, ``None`` when it is too long."""
    return typed_trace(view.study, view.study.hash, text) if len(text) <= MOST_CHARACTERS else None


def too_long(text: str) -> None:
    """Say that a text is too long to be read."""
    empty(
        f"The text has {len(text):,} characters; at most {MOST_CHARACTERS:,} are read here. Shorten it.",
        ":material/text_fields:",
    )


def text_box(label: str, text: str, key: str, take: Callable[[str], None], guide: str) -> None:
    """A text area that holds a text of the Selection, whoever changed it."""
    st.text_area(
        label,
        height="content" if len(text) < 1200 else 190,
        help=guide,
        placeholder="Type a sentence",
        **state.tied(key, text, take),
    )


def reading_panel(
    view: View,
    trace: SentenceTrace,
    first: int,
    *,
    row: int | None = None,
    changed: tuple[int, ...] = (),
    moved: tuple[int, ...] = (),
    relevance: Line | None = None,
    colours: Mapping[str, str] | None = None,
) -> None:
    """Verdict, remarks, and the words with their states, and with their relevance where it is given."""
    label = None if row is None else int(view.study.corpus.labels[row])
    true = view.study.classes[label] if label is not None and label >= 0 else None
    st.html(verdict_html(trace, true, unlabelled=label is not None and true is None, colours=colours))
    for remark in remarks(trace):
        st.caption(state.literal(remark))
    if len(trace):
        marked = marked_in(view, trace)
        with st.container(border=True, height="content" if len(trace) <= SCROLLED else 520):
            st.html(
                sentence_html(
                    trace,
                    states=True,
                    marked=marked,
                    changed=changed,
                    moved=moved,
                    relevance=relevance,
                    first=first,
                    most=PART,
                    colours=colours,
                )
            )
        st.caption(state.literal(flips_line(trace)))


def part_panel(trace: SentenceTrace, length: int, colours: Mapping[str, str]) -> int:
    """Which words of a long text are on show.

    Args:
        trace: the sentence.
        length: words of the longest text on show.
        colours: of the classes.

    Returns:
        The step at which they begin.
    """
    parts = max(1, -(-length // PART))
    part = min(max(state.view_option("part", 1), 1), parts)
    if parts == 1:
        return 0
    first = (part - 1) * PART
    with st.container(border=True):
        st.caption(
            f"A long text: its {length:,} words are shown {PART} at a time. The curve is of the whole text, each point "
            f"the mean of {run_length(trace)} words; the shaded part is on show below."
        )
        if len(trace):
            st.altair_chart(
                probability_strip(trace, first, PART, colours=colours),
                key="trace-strip",
                alt=f"Probability of each class over {len(trace):,} words; words {first + 1} on are shown below.",
            )
        with st.container(horizontal=True, vertical_alignment="center"):
            # A widget for each part: its default may not be joined by a value in the session.
            key = f"trace-part-{part}"
            st.pagination(parts, default=part, key=key, on_change=state.by_hand(_take_part), args=(key,))
            flips = trace.flips // PART + 1
            for label, icon, pages in (
                ("Earlier flip", ":material/keyboard_double_arrow_left:", flips[flips < part][-1:]),
                ("Later flip", ":material/keyboard_double_arrow_right:", flips[flips > part][:1]),
            ):
                st.button(
                    label,
                    key=f"trace-{label}",
                    icon=icon,
                    type="tertiary",
                    disabled=not len(pages),
                    help="Go to the nearest part in which the prediction changes.",
                    on_click=_show_part,
                    args=(int(pages[0]) if len(pages) else part,),
                )
    return first


def _take_part(key: str) -> None:
    _show_part(st.session_state[key])


def _show_part(part: int) -> None:
    state.change_view(part=None if part == 1 else str(part))


def curve_panel(
    view: View,
    trace: SentenceTrace,
    other: SentenceTrace | None,
    first: int,
    asked: Sequence[int],
    colours: Mapping[str, str],
) -> None:
    """The probability of each class after each word on show, of many classes of the likely and the asked ones."""
    also_field(view, trace)
    ranked = sorted(zip(map(float, trace.probability[-1]), trace.classes, strict=True), key=lambda pair: -pair[0])
    final = ", ".join(f"{name} {share:.2f}" for share, name in ranked[:COLOURED])
    if other is not None:
        st.caption("Solid lines: this sentence. Dashed lines: the edited copy.")
    st.altair_chart(
        probability_chart(
            trace,
            other,
            first=first,
            most=PART,
            chosen=marked_in(view, trace),
            height=460,
            asked=asked,
            colours=colours,
        ),
        key="trace-curve",
        alt=f"Probability of each class after each of {len(trace):,} words; at the end {final}.",
    )


def path_panel(view: View, trace: SentenceTrace, first: int, colours: Mapping[str, str]) -> None:
    """The states of the words on show as a numbered path on the graph."""
    data: dict[str, Any] = graph_data(
        view.machine,
        GraphOptions(top=2, noun=view.noun),
        graph_positions(view.study, view.study.hash),
        state=view.selection.state,
        transition=view.selection.transition,
        path=trace.path[first : first + PART + 1],
        colours=colours,
    )
    numbered = min(len(trace) - first, PART) <= NUMBERED
    data["steps"] = {edge: [first + p for p in places] if numbered else [] for edge, places in data["steps"].items()}
    if not numbered:
        st.caption("So many words that the path is drawn without its numbers.")
    state_graph(data, key="trace-graph", height=380)


def steps_panel(trace: SentenceTrace, first: int, asked: Sequence[int], colours: Mapping[str, str]) -> None:
    """The steps as a table, of many classes with the likely ones and those asked for, and all of them as a file."""
    table = steps_table(trace)
    likely = likely_classes(trace.probability, asked=asked)[:COLOURED] if many(trace.classes) else None
    names = trace.classes if likely is None else [trace.classes[place] for place in likely]
    hidden = {f"p({name})" for name in trace.classes} - {f"p({name})" for name in names}
    st.subheader("Step by step")
    st.dataframe(
        table.iloc[first : first + PART].drop(columns=hidden),
        hide_index=True,
        height="content" if len(trace) <= 12 else 460,
        column_config={
            "step": st.column_config.NumberColumn("#", format="%d", width="small"),
            "word": st.column_config.TextColumn("word", width=150),
            "predicted": st.column_config.TextColumn(width=None if likely is None else 170),
            "known": st.column_config.CheckboxColumn("known", help="It is in the vocabulary.", width="small"),
            "flip": st.column_config.CheckboxColumn("changes", help="The prediction changes here.", width="small"),
            **{
                f"p({name})": st.column_config.ProgressColumn(format="%.2f", min_value=0, max_value=1, color=colour)
                for name, colour in colours.items()
                if name in names
            },
        },
        key="trace-steps",
    )
    # Below the table: its tools lie over what stands above its right end.
    st.download_button(
        "Download all steps",
        lambda: frame_csv(table),
        "trace.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
    )


def steps_table(trace: SentenceTrace) -> pd.DataFrame:
    """One row a word: number, word, known, state, predicted, whether it flips, and the probability of each class."""
    classes = np.array(trace.classes, dtype=object)
    flips = np.zeros(len(trace), dtype=bool)
    flips[trace.flips] = True
    columns: dict[str, Any] = {
        "step": np.arange(1, len(trace) + 1),
        **(
            {}
            if trace.second is None
            else {"of": np.where(np.arange(len(trace)) < trace.second, "premise", "hypothesis")}
        ),
        "word": list(trace.words),
        "known": trace.known,
        "state": [f"S{number}" for number in trace.state],
        "predicted": classes[trace.predicted],
        "flip": flips,
    }
    for place, name in enumerate(trace.classes):
        columns[f"p({name})"] = trace.probability[:, place]
    return pd.DataFrame(columns)
