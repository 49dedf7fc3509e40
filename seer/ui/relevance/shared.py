"""What the panels of word relevance share: the methods and their settings in the link, and cached explanations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import streamlit as st

from seer.charts.scale import Line, largest
from seer.explain import Explanation, explain, methods_for
from seer.relevance.gradients import LAST_NODES
from seer.relevance.lrp import STEADY
from seer.relevance.methods import METHODS
from seer.relevance.record import RelevanceOverflowError
from seer.relevance.stability import is_unstable, unstable_line
from seer.study import Study
from seer.ui import state
from seer.ui.frame import View

RELEVANCE_PAGE = "pages/relevance.py"

MOST_WORDS = 2000
"""Of a text whose words are explained: some methods read it once a word."""

LONG = 600
"""Words from which on methods that read a text once a word wait for a press."""

ONCE_A_WORD = frozenset(("occlusion", "removal", "lime"))

DEFAULT = ("lrp", "gradient_input", "integrated_gradients", "occlusion")
"""Methods shown until a person chooses."""

CODES = {
    "lrp": "LRP",
    "gradient_input": "G×I",
    "integrated_gradients": "IG",
    "occlusion": "Occ",
    "removal": "Rem",
    "cd": "CD",
    "lime": "LIME",
    "sensitivity": "Sens",
    "random": "Rand",
}
"""Methods in few letters, for narrow places."""

EPS = (0.0, 1e-6, 1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 3e-1)
BIAS = (0.0, 0.5, 1.0)
AUTOMATIC = 0
"""The number of nodes that each sentence needs."""
NODES = (AUTOMATIC, 20, 50, 100, 200, 500, 1000)
RULES = ("inclusive", "strict")

CONFIGURED = frozenset(("lrp", "integrated_gradients", "cd"))
"""Methods with settings to choose."""

MISSED = 0.05
"""Share of the difference of the logits that integrated gradients may miss without a word on it."""

PREDICTED = ""
"""The target's name for “whatever class is predicted”."""

_CHOSEN = "methods"
"""View option: the methods on show, joined by commas."""

Settings = tuple[tuple[str, Any], ...]


def title_of(method: str) -> str:
    """What a person calls a method."""
    return METHODS[method].title


def patient(words: int) -> bool:
    """Whether a text of so many words is read once a word: a long one only when that was asked for."""
    return words <= LONG or state.view_option("long", False)


def quick_methods(study: Study) -> tuple[str, ...]:
    """The methods that apply to the study's model and are quick enough for many sentences."""
    return tuple(name for name in methods_for(study) if not METHODS[name].slow)


def missing_methods(study: Study) -> tuple[str, ...]:
    """Why each of the other methods does not apply, a sentence each."""
    reasons = (method.why_not(study.classifier.architecture) for method in METHODS.values())
    return tuple(reason for reason in reasons if reason is not None)


def chosen_methods(view: View) -> tuple[str, ...]:
    """The methods on show: those of the link that apply, the usual ones without any."""
    present = methods_for(view.study)
    wanted = state.view_option(_CHOSEN, ",".join(DEFAULT)).split(",")
    return tuple(name for name in dict.fromkeys(wanted) if name in present)


def chosen_target(view: View) -> str | None:
    """Name of the class to explain, ``None`` for the predicted one."""
    target = state.view_option("target", PREDICTED)
    return target if target in view.study.classes else None


def chosen_settings(method: str) -> Settings:
    """The settings of a method that differ from its defaults, as a person chose them."""
    wanted: Mapping[str, Mapping[str, Any]] = {
        "lrp": {"eps": _option("eps", 1e-3, EPS), "bias_factor": _option("bias", 0.0, BIAS)},
        "integrated_gradients": {"nodes": _option("nodes", AUTOMATIC, NODES) or None},
        "cd": {"inclusive": _option("rule", RULES[0], RULES) == RULES[0]},
    }
    usual = METHODS[method].settings
    return tuple((name, value) for name, value in wanted.get(method, {}).items() if usual.get(name) != value)


def _option(name: str, default: Any, choices: Sequence[Any]) -> Any:
    value = state.view_option(name, default)
    return value if value in choices else default


def settings_by_method(methods: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The chosen settings of those of the methods that differ from the defaults."""
    chosen = {name: dict(chosen_settings(name)) for name in methods}
    return {name: settings for name, settings in chosen.items() if settings}


def settings_line(settings: Mapping[str, Any]) -> str:
    """The settings of a method in words, empty for a method without."""
    names = {"bias_factor": "bias", "inclusive": "rule"}
    parts = []
    for name, value in settings.items():
        shown = "automatic" if value is None else RULES[not value] if name == "inclusive" else f"{value:g}"
        parts.append(f"{names.get(name, name)} {shown}")
    return ", ".join(parts)


@st.cache_resource(max_entries=400, show_spinner=False)
def _explained(
    _study: Study, version: str, text: str, method: str, target: str | None, settings: Settings
) -> Explanation:
    return explain(_study, text, method, target, **dict(settings))


def explained_by(view: View, text: str, methods: Sequence[str], target: str | None, key: str) -> list[Explanation]:
    """The same by several methods; where LRP overflows, a note with the cure stands in its place.

    Args:
        view: of the page.
        text: of the sentence.
        methods: on show.
        target: class to explain.
        key: begins the key of the note's button.
    """
    found = []
    for name in methods:
        try:
            found.append(explained(view, text, name, target))
        except RelevanceOverflowError as error:
            overflow_note(error, key)
    return found


def explained(view: View, text: str, method: str, target: str | None) -> Explanation:
    """One sentence by one method with the chosen settings; shared by all sessions and never changed."""
    return _explained(view.study, view.study.hash, text, method, target, chosen_settings(method))


def strain(explanation: Explanation) -> tuple[float, float]:
    """The largest |relevance| of a word, and the size of the logit that is shared out."""
    return largest(explanation.relevance), abs(explanation.logit)


def unstable_note(title: str, size: float, logit: float, key: str) -> None:
    """Warn of a method that gives single words many times the logit; of LRP, offer the cure.

    Args:
        title: of the method.
        size: the largest |relevance| of a word.
        logit: size of the logit.
        key: begins the button's key.
    """
    if not is_unstable(size, logit):
        return
    line = unstable_line(title, size, logit)
    if title == METHODS["lrp"].title:
        _steady_note(f"{line} Its sums come near 0 there: a larger eps steadies it, at the price of a larger gap.", key)
    else:
        st.warning(line, icon=":material/warning:")


def overflow_note(error: RelevanceOverflowError, key: str) -> None:
    """Say that LRP has no numbers here, and offer the cure.

    Args:
        error: what it said; its advice is for the command line.
        key: begins the button's key.
    """
    _steady_note(f"{str(error).partition(';')[0]}. A larger eps keeps it bounded, at the price of a larger gap.", key)


def _steady_note(text: str, key: str) -> None:
    note, button = st.columns([6, 1], vertical_alignment="center")
    note.warning(text, icon=":material/warning:")
    button.button(
        f"Use eps {STEADY:g}",
        key=f"{key}-steady",
        help=f"Set eps to {STEADY:g}; Settings has others.",
        on_click=state.change_view,
        kwargs={"eps": str(STEADY)},
        width="stretch",
    )


def missed_note(explanation: Explanation) -> None:
    """Say where integrated gradients misses much of what it should share out."""
    whole = abs(explanation.logit - explanation.rest)
    if explanation.method != "integrated_gradients" or abs(explanation.gap) <= max(MISSED * whole, 1e-3):
        return
    nodes = explanation.settings["nodes"]
    more = "" if nodes >= NODES[-1] else " More nodes may close the gap: Settings has them."
    share = f"{abs(explanation.gap) / whole:.0%} of the difference" if whole > 1e-3 else "the difference"
    st.caption(f"{explanation.title} with {nodes:,} nodes misses {share} of the logits it should share out.{more}")


def box_height(words: int, lines: int) -> int | Literal["content"]:
    """Height of the box round so many words in so many lines: beyond a screen it scrolls."""
    return "content" if words * lines <= 600 and words <= 200 else 640


def line_of(explanation: Explanation, name: str | None = None, code: str | None = None) -> Line:
    """An explanation as a line of words."""
    method = METHODS[explanation.method]
    return Line(
        name or method.title, code or name or CODES[explanation.method], explanation.relevance, signed=method.signed
    )


def methods_field(view: View) -> None:
    """The field that chooses the methods; those that do not apply are told below it."""
    present = methods_for(view.study)
    st.multiselect(
        "Methods",
        present,
        format_func=title_of,
        placeholder="Choose two or more",
        help="  \n".join(f"**{METHODS[name].title}**: {METHODS[name].reading}" for name in present),
        **state.tied("relevance-methods", list(chosen_methods(view)), _take_methods),
    )


def _take_methods(chosen: Sequence[str]) -> None:
    state.change_view(**{_CHOSEN: None if tuple(chosen) == DEFAULT else ",".join(chosen)})


def target_field(view: View, predicted: str) -> None:
    """The field that chooses the class to explain.

    Args:
        view: of the page.
        predicted: name of the predicted class.
    """
    choices = (PREDICTED, *view.study.classes)
    st.selectbox(
        "Relevance for",
        choices,
        format_func=lambda name: f"predicted: {predicted}" if name == PREDICTED else name,
        help="The class whose logit is shared out among the words.",
        **state.bound("relevance-target", "view.target", empty=PREDICTED, choices=choices),
    )


def settings_fields(methods: Sequence[str], key: str = "relevance") -> None:
    """Fields for the settings of those of the methods that have some.

    Args:
        methods: on show.
        key: begins the widgets' keys.
    """
    if "lrp" in methods:
        st.select_slider(
            "LRP: eps",
            EPS,
            format_func=lambda value: f"{value:g}",
            help="Stabilises divisions by sums near 0. It is absolute: beside a cell state of .05, .001 is not small. "
            "Watch the gap.",
            **state.bound(f"{key}-eps", "view.eps", empty=1e-3, choices=EPS),
        )
        st.segmented_control(
            "LRP: bias factor",
            BIAS,
            format_func=lambda value: f"{value:g}",
            required=True,
            help="Which part of what biases and eps take is given back to the words; at 1 nothing is lost.",
            **state.bound(f"{key}-bias", "view.bias", empty=0.0, choices=BIAS),
        )
    if "integrated_gradients" in methods:
        st.select_slider(
            "Integrated gradients: nodes",
            NODES,
            format_func=lambda nodes: "automatic" if nodes == AUTOMATIC else str(nodes),
            help="Points of the way at which the gradient is read. More of them close the gap, and cost as much more. "
            f"Automatic: 50, and up to {LAST_NODES} where the gap is above 1 % of the difference of the logits.",
            **state.bound(f"{key}-nodes", "view.nodes", empty=AUTOMATIC, choices=NODES),
        )
    if "cd" in methods:
        st.segmented_control(
            "CD: bias of a span",
            RULES,
            required=True,
            help="Inclusive: the bias at every word of the span is the span's. Strict, as the authors' program: at all "
            "but the last word read.",
            **state.bound(f"{key}-rule", "view.rule", empty=RULES[0], choices=RULES),
        )
    if not CONFIGURED.intersection(methods):
        st.caption("None of these methods has a setting.")
