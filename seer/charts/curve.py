"""The probability of each class, word by word."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import altair as alt
import numpy as np
import pandas as pd

from seer.charts.captions import state_name
from seer.charts.leading import ClassLines, class_lines, likely_classes, sentence_colours
from seer.charts.names import legend_columns
from seer.charts.palette import NO_VALUE
from seer.traces import SentenceTrace

MOST_NAMED = 40
"""Most words that stand at the axis of a curve themselves; more are numbered."""
MOST_DOTTED = 60
"""Most words with a dot each."""

THIS, COPY = "this sentence", "edited copy"

WORDS = "words"
"""Name of the chart's parameter that holds the words of its axis."""


def probability_chart(
    trace: SentenceTrace,
    others: SentenceTrace | None = None,
    *,
    first: int = 0,
    most: int = 400,
    chosen: Collection[int] = (),
    height: int = 300,
    named: int = MOST_NAMED,
    legend: bool = True,
    asked: Sequence[int] = (),
    colours: Mapping[str, str] | None = None,
) -> alt.LayerChart:
    """Probability of each class after each word, with a dashed line where the predicted class changes.

    Of many classes the likely ones have a line, and the highest of all others another.

    Args:
        trace: the sentence.
        others: an edited copy, drawn dashed.
        first: step to begin at.
        most: words drawn at most.
        chosen: steps to be ringed.
        height: in pixels.
        named: words written along the axis at most; where there are more, their numbers are.
        legend: tell the colours above the chart.
        asked: places of classes that have a line in any case.
        colours: of the classes; those of this picture alone by default.
    """
    copies = [(trace, THIS), *([(others, COPY)] if others is not None else [])]
    last = min(first + most, max(len(copy) for copy, _ in copies))
    likely = likely_classes(*(copy.probability for copy, _ in copies), asked=asked)
    colours = colours or sentence_colours(*(copy for copy, _ in copies), asked=asked)
    lines = [class_lines(copy.probability[first:last], trace.classes, likely, colours) for copy, _ in copies]
    curves = [_curve(copy, drawn, name, first) for (copy, name), drawn in zip(copies, lines, strict=True)]
    data = pd.concat(curves, ignore_index=True)
    # Few words stand at the axis themselves, when they are the same ones in both copies.
    written = last - first <= named and (others is None or others.words == trace.words)
    word = _word_axis(first, last, written)
    base = alt.Chart(data).encode(
        x=word,
        y=probability_axis(),
    )
    colour = line_colour(lines[0], legend)
    dash = alt.StrokeDash("copy:N", scale=alt.Scale(domain=[THIS, COPY], range=[[1, 0], [5, 4]]), legend=None)
    tooltip = [
        alt.Tooltip("step:Q", title="word number", format=",d"),
        alt.Tooltip("word:N"),
        alt.Tooltip("state:N"),
        alt.Tooltip("class:N"),
        alt.Tooltip("probability:Q", format=".3f"),
        *([alt.Tooltip("copy:N", title="in")] if others is not None else []),
    ]
    strokes = base.mark_line(strokeWidth=2, strokeJoin="round").encode(color=colour, detail="copy:N", strokeDash=dash)
    # The dots of many words would hide the lines: they stay for their tooltips, unseen.
    dots = base.mark_circle(size=45, opacity=float(last - first <= MOST_DOTTED)).encode(color=colour, tooltip=tooltip)
    layers = [_flip_rules(trace, first, last, word), *_second_rule(trace, first, last, word), strokes, dots]
    ringed = data["copy"].eq(THIS) & data["step"].isin([step + 1 for step in chosen])
    if ringed.any():
        rings = base.mark_point(size=160, strokeWidth=2, color=NO_VALUE).encode(tooltip=tooltip)
        layers.append(rings.properties(data=data[ringed]))
    chart = alt.LayerChart(layer=layers, height=height)
    if not written:
        return chart
    labelled: alt.LayerChart = chart.add_params(alt.param(name=WORDS, value=_axis_words(trace, first, last)))
    return labelled


def probability_axis() -> alt.Y:
    """``probability`` from 0 to 1."""
    return alt.Y(
        "probability:Q",
        scale=alt.Scale(domain=[0, 1]),
        title="probability",
        axis=alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f", labelFlush=False),
    )


def line_colour(lines: ClassLines, legend: bool = True) -> alt.Color:
    """The encoding of the field ``line`` by the colours of its classes."""
    entries = alt.Legend(
        orient="top", title=None, columns=legend_columns(lines.names), labelLimit=240, symbolStrokeWidth=3
    )
    scale = alt.Scale(domain=lines.names, range=lines.colours)
    return alt.Color("line:N", scale=scale, legend=entries if legend else None)


def probability_strip(
    trace: SentenceTrace, first: int, most: int, runs: int = 250, colours: Mapping[str, str] | None = None
) -> alt.LayerChart:
    """A long sentence as a whole: mean probability of each class over equal runs of words, the words on show shaded.

    Args:
        trace: the sentence.
        first: step at which the words that are shown elsewhere begin.
        most: how many of them.
        runs: how many at most.
        colours: of the classes; those of this picture alone by default.
    """
    starts = np.arange(0, len(trace), run_length(trace, runs))
    sizes = np.diff(np.append(starts, len(trace)))
    means = np.add.reduceat(np.asarray(trace.probability, dtype=np.float64), starts, axis=0) / sizes[:, None]
    drawn = class_lines(means, trace.classes, likely_classes(trace.probability), colours or sentence_colours(trace))
    data = pd.DataFrame(
        {
            "step": np.repeat(starts + (sizes + 1) / 2, len(drawn.names)),
            "line": np.tile(np.array(drawn.names, dtype=object), len(starts)),
            "probability": drawn.values.ravel(),
        }
    )
    scale = alt.Scale(domain=[0.5, len(trace) + 0.5], nice=False)
    lines = (
        alt.Chart(data)
        .mark_line(strokeWidth=1.5)
        .encode(
            x=alt.X("step:Q", title=None, scale=scale, axis=alt.Axis(format=",d", labelFlush=False)),
            y=alt.Y(
                "probability:Q",
                scale=alt.Scale(domain=[0, 1]),
                title=None,
                axis=alt.Axis(values=[0, 0.5, 1], labelFlush=False),
            ),
            color=line_colour(drawn, legend=False),
        )
    )
    shown = pd.DataFrame({"from": [first + 0.5], "to": [min(len(trace), first + most) + 0.5]})
    shade = alt.Chart(shown).mark_rect(color=NO_VALUE, opacity=0.35).encode(x=alt.X("from:Q", scale=scale), x2="to:Q")
    return alt.LayerChart(layer=[shade, lines], height=130)


def run_length(trace: SentenceTrace, runs: int = 250) -> int:
    """Words that ``probability_strip`` takes together."""
    return max(1, -(-len(trace) // runs))


def _flip_rules(trace: SentenceTrace, first: int, last: int, word: alt.X) -> alt.Chart:
    flips = trace.flips[(trace.flips >= first) & (trace.flips < last)]
    data = pd.DataFrame(
        {
            "step": flips + 1,
            "word": [trace.text[begin:end] for begin, end in trace.span[flips]],
            "to": [trace.classes[int(predicted)] for predicted in trace.predicted[flips]],
        }
    )
    tooltip = [
        alt.Tooltip("step:Q", title="word number", format=",d"),
        alt.Tooltip("word:N"),
        alt.Tooltip("to:N", title="changes to"),
    ]
    rules = alt.Chart(data).mark_rule(strokeDash=[4, 3], strokeWidth=1.5, color=NO_VALUE)
    encoded: alt.Chart = rules.encode(x=word, tooltip=tooltip)
    return encoded


def _second_rule(trace: SentenceTrace, first: int, last: int, word: alt.X) -> list[alt.Chart]:
    """Of a pair, a line before the first word of the hypothesis, and its name beside it."""
    if trace.second is None or not first < trace.second < last:
        return []
    base = alt.Chart(pd.DataFrame({"step": [trace.second + 0.5], "begins": ["hypothesis"]})).encode(x=word)
    name = base.mark_text(align="left", baseline="top", dx=4, fontSize=11, fill="currentColor", opacity=0.75)
    return [base.mark_rule(strokeWidth=1.5, color=NO_VALUE), name.encode(y=alt.value(2), text="begins:N")]


def _word_axis(first: int, last: int, written: bool) -> alt.X:
    """The words themselves, out of the parameter ``WORDS``; else their numbers.

    The words must not stand in the expression: Vega's parser takes some string literals, such as "if" and
    "constructor", for names. A parameter's value is data to it.
    """
    scale = alt.Scale(domain=[first + 0.5, max(last, first + 1) + 0.5], nice=False)
    if not written:
        axis = alt.Axis(tickMinStep=1, format=",d", grid=False, labelFlush=False)
        return alt.X("step:Q", title="word number", scale=scale, axis=axis)
    axis = alt.Axis(
        values=list(range(first + 1, last + 1)),
        labelExpr=f"{WORDS}[datum.value - {first + 1}]",
        labelAngle=-50,
        labelAlign="right",
        labelBaseline="middle",
        labelOverlap=False,
        labelFlush=False,
        grid=False,
        labelLimit=120,
    )
    return alt.X("step:Q", title=None, scale=scale, axis=axis)


def _axis_words(trace: SentenceTrace, first: int, last: int) -> list[str]:
    return [_shortened(trace.text[begin:end]) for begin, end in trace.span[first:last]]


def _shortened(word: str, most: int = 14) -> str:
    return word if len(word) <= most else word[: most - 1] + "…"


def _curve(trace: SentenceTrace, lines: ClassLines, copy: str, first: int) -> pd.DataFrame:
    steps, count = lines.values.shape
    words = [trace.text[begin:end] for begin, end in trace.span[first : first + steps]]
    states = np.array([state_name(int(state)) for state in trace.state[first : first + steps]], dtype=object)
    return pd.DataFrame(
        {
            "step": np.repeat(np.arange(first + 1, first + steps + 1), count),
            "word": np.repeat(np.array(words, dtype=object), count),
            "state": np.repeat(states, count),
            "line": np.tile(np.array(lines.names, dtype=object), steps),
            "class": lines.classes.ravel(),
            "probability": lines.values.ravel(),
            "copy": copy,
        }
    )
