"""A reading in words: the verdict, what to know about a text, and what an edited copy changed."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np

from seer.charts.captions import counted, state_name
from seer.charts.leading import sentence_colours
from seer.charts.sentence import chip_html
from seer.compare import Difference
from seer.traces import SentenceTrace

_QUOTED = 24


def verdict_html(
    trace: SentenceTrace, true: str | None = None, *, unlabelled: bool = False, colours: Mapping[str, str] | None = None
) -> str:
    """Predicted class with its probability, and whether it is right, in words and a sign.

    Args:
        trace: the sentence.
        true: name of the true class, when it is known.
        unlabelled: say that the data set gives no class.
        colours: of the classes; those of this picture alone by default.
    """
    colours = colours or sentence_colours(trace)
    if trace.prediction is None:
        known = f" It is {chip_html(trace.classes, true, colours)}." if true is not None else ""
        return f'<div class="seer-verdict"><span class="sign">–</span> No prediction.{known}</div>'
    read = f"{chip_html(trace.classes, trace.prediction, colours)} with probability <b>{_final(trace):.2f}</b>"
    if true is None:
        end = "; the data set gives no class" if unlabelled else ""
        return f'<div class="seer-verdict">Read as {read}{end}.</div>'
    sign, word, join = ("✓", "Right", "and") if true == trace.prediction else ("✕", "Wrong", "but")
    return (
        f'<div class="seer-verdict"><span class="sign">{sign} {word}:</span> read as {read}, {join} it is '
        f"{chip_html(trace.classes, true, colours)}.</div>"
    )


def remarks(trace: SentenceTrace) -> list[str]:
    """Sentences to know before one trusts the reading; plain text."""
    if not trace.text:
        return ["The text is empty: there is no word to read. Type a sentence."]
    if not trace.text.strip():
        return ["The text is blank: it has only spaces or line breaks, no word to read. Type a sentence."]
    if not len(trace):
        return ["No word was found in this text, so there is nothing to read."]
    said = []
    if trace.second in (0, len(trace)):
        said.append(
            "There is no word before the line break: the premise is empty, and the prediction says little."
            if trace.second == 0
            else "There is no word after a line break: the hypothesis is empty, and the prediction says little."
        )
    unknown = int((~trace.known).sum())
    if not any(letter.isalnum() for letter in trace.text):
        said.append("The text has only punctuation and signs, no letter or digit: the prediction rests on those alone.")
    if unknown == len(trace):
        said.append(
            "No word is in the vocabulary: the model reads the same “unknown” each time and cannot tell them apart, so "
            "the prediction says little."
        )
    elif unknown:
        share = f"{unknown:,} of {counted(len(trace), 'word')}"
        said.append(f"{share} not in the vocabulary; the model reads each as “unknown”.")
    if trace.cut_line is not None:
        said.append(trace.cut_line)
    if trace.stride > 1:
        said.append(
            "Each prediction of this model needs a reading of its own: it was made after every "
            f"{trace.stride} words only, and in between the last one stands."
        )
    return said


def flips_line(trace: SentenceTrace, most: int = 4) -> str:
    """The flips in a sentence, plain text: which word changed the prediction to what."""
    flips = [int(step) for step in trace.flips]
    if not flips:
        return f"The prediction is {trace.prediction} after every word." if len(trace) else ""
    names = [trace.classes[int(place)] for place in trace.predicted]
    changes = [f"to {names[step]} at “\u2068{_word(trace, step)}\u2069” (word {step + 1:,})" for step in flips[:most]]
    rest = f", and {counted(len(flips) - most, 'time')} more" if len(flips) > most else ""
    return f"The prediction starts as {names[0]} and changes {', '.join(changes)}{rest}."


def difference_html(
    first: SentenceTrace, second: SentenceTrace, difference: Difference, colours: Mapping[str, str] | None = None
) -> str:
    """What the edited copy changed, as a few facts in boxes."""
    facts = [
        ("Prediction", *_prediction(first, second, colours or sentence_colours(first, second))),
        ("Words", *_words(difference)),
        ("States", *_states(difference)),
        ("Paths part", *_parting(first, second, difference)),
    ]
    if difference.change is not None:
        facts.insert(1, _probability(first, second))
    boxes = "".join(f"<div><dt>{name}</dt><dd>{fact}<small>{note}</small></dd></div>" for name, fact, note in facts)
    return f'<dl class="seer-facts">{boxes}</dl>'


def _prediction(first: SentenceTrace, second: SentenceTrace, colours: Mapping[str, str]) -> tuple[str, str]:
    read = (first.prediction, second.prediction)
    names = ["none" if name is None else chip_html(first.classes, name, colours) for name in read]
    if first.prediction == second.prediction:
        return names[0], "the same in both"
    return f"{names[0]} → {names[1]}", "changed by the edit"


def _probability(first: SentenceTrace, second: SentenceTrace) -> tuple[str, str, str]:
    place = int(first.predicted[-1])
    before, after = (float(trace.probability[-1, place]) for trace in (first, second))
    change = round(after, 2) - round(before, 2)
    sign = "±" if abs(change) < 0.005 else "+" if change > 0 else "−"
    return f"Probability of {escape(first.classes[place])}", f"{before:.2f} → {after:.2f}", f"{sign}{abs(change):.2f}"


def _words(difference: Difference) -> tuple[str, str]:
    if not difference.removed and not difference.added:
        return "none changed", "spaces and line breaks are not read"
    both = f"{counted(len(difference.shared), 'word')} in both"
    note = "too many to align them all" if difference.coarse else both
    return f"{len(difference.removed):,} out, {len(difference.added):,} in", note


def _states(difference: Difference) -> tuple[str, str]:
    shared = len(difference.shared)
    if not shared:
        return "–", "no word in both"
    return f"{len(difference.moved):,} of {shared:,}", "words in both that lead to another state"


def _parting(first: SentenceTrace, second: SentenceTrace, difference: Difference) -> tuple[str, str]:
    step = difference.parting
    if step is None:
        return "never", "both pass the same states"
    here, there = (
        f"“{escape(_word(trace, step))}” {state_name(int(trace.state[step]))}" if step < len(trace) else "ended"
        for trace in (first, second)
    )
    return f"at word {step + 1:,}", f"<bdi>{here}</bdi> | <bdi>{there}</bdi>"


def _word(trace: SentenceTrace, step: int) -> str:
    begin, end = (int(place) for place in trace.span[step])
    word = trace.text[begin:end]
    return word if len(word) <= _QUOTED else word[: _QUOTED - 1] + "…"


def _final(trace: SentenceTrace) -> float:
    return float(np.max(trace.probability[-1]))
