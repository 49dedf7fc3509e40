"""Third step of a new study: which model, and what it would take."""

from __future__ import annotations

import math
from typing import Any

import streamlit as st

from seer.apply import check_addable
from seer.charts.captions import counted
from seer.corpus import Corpus
from seer.errors import ModelError, SeerError
from seer.estimate import Estimate, estimate_training
from seer.listing import reads_pairs, studies_root, study_folders
from seer.models.classifier import CELL_NAMES
from seer.models.training import usual_training
from seer.parts import CORPUS
from seer.study import DEMOS
from seer.ui import state
from seer.ui.loaders import open_study
from seer.ui.selection import shortened
from seer.ui.studies.bring import bring_plan
from seer.ui.studies.draft import Draft, held, keeping, within
from seer.ui.studies.names import free_name, plain_name
from seer.ui.studies.plan import Plan
from seer.ui.studies.states import states_plan

KINDS = {
    "train": "Train one",
    "import": "Bring one",
    "import-states": "Bring its states",
    "classify": "Use a study's model",
}

_SIZES = {"embedding": 64, "hidden": 64, "dropout": 0.6, "min_count": 2}
_PAIR_SIZES = {"embedding": 100, "hidden": 50, "dropout": 0.4, "min_count": 1}
_OF_MODEL = ("cell", "embedding", "hidden", "layers", "bidirectional", "dropout", "same_word")
_OF_TRAINING = ("epochs", "patience", "batch", "learning_rate", "weight_decay", "class_weights", "seed")
_OF_WORDS = ("min_count", "keep_case")
_OF_STATES = ("states", "components", "method", "sweep")


def model_step(corpus: Corpus, chosen: Draft) -> Plan | None:
    """Choose the model; the plan, or ``None`` while something is missing or wrong, which is then said."""
    kinds = [kind for kind in KINDS if not (corpus.paired and kind.startswith("import"))]
    if not corpus.classes:
        kinds.remove("train")
        st.caption(
            ":material/info: Training needs labels, and this data has none: use a model that is there, or go back and "
            "choose the label column."
        )
    if held("kind") not in kinds:
        st.session_state["new-kind"] = "train" if corpus.classes else "classify"
    st.segmented_control(
        "Model",
        kinds,
        format_func=KINDS.__getitem__,
        required=True,
        label_visibility="collapsed",
        **keeping("kind"),
    )
    kind = held("kind")
    if kind == "import":
        return bring_plan(chosen)
    if kind == "import-states":
        return states_plan(chosen)
    return _classify(corpus, chosen) if kind == "classify" else _train(corpus)


def _train(corpus: Corpus) -> Plan | None:
    usual = _usual(corpus.paired)
    with st.expander("Settings", icon=":material/tune:"):
        _settings(corpus, usual)
    chosen = {name: held(name) for name in usual if held(name) is not None and held(name) != usual[name]}
    try:
        with st.spinner("Timing a second of this training…"):
            found = _estimate(corpus, corpus.fingerprint, tuple(sorted(chosen.items())))
    except SeerError as error:
        st.error(state.literal(str(error)), icon=":material/error:")
        return None
    whole = usual | chosen
    name = f"ESIM {whole['hidden']}" if corpus.paired else f"{CELL_NAMES[whole['cell']]} {whole['hidden']}"
    line = f"{name}, at most {counted(whole['epochs'], 'epoch')}, {counted(whole['states'], 'state')}"
    st.markdown(f"**{state.literal(line)}**")
    least, most = duration(found.least), duration(found.seconds)
    span = most if least == most else f"{least} to {most}"
    st.caption(
        f":material/schedule: About {span}: extrapolated from a second of this training on this machine. It ends early "
        "when the validation split gets no better."
    )
    return Plan("train", line, chosen, time=span)


def _usual(paired: bool) -> dict[str, Any]:
    training = usual_training(paired).as_dict()
    sizes: dict[str, Any] = dict(_PAIR_SIZES if paired else _SIZES)
    kind = {"same_word": False} if paired else {"cell": "gru", "layers": 1, "bidirectional": False}
    states = {"states": 20, "components": 10, "method": "kmeans", "sweep": False}
    return kind | sizes | {name: training[name] for name in _OF_TRAINING} | {"keep_case": False} | states


def _settings(corpus: Corpus, usual: dict[str, Any]) -> None:
    def number(name: str, label: str, least: int | float, step: int | float, guide: str | None = None) -> None:
        st.number_input(label, min_value=least, value=usual[name], step=step, help=guide, **keeping(name))

    model, training, rest = st.columns(3)
    with model:
        st.caption("Model")
        if not corpus.paired:
            names = {cell: CELL_NAMES[cell] for cell in ("gru", "lstm", "rnn")}
            st.selectbox("Cell", list(names), format_func=names.__getitem__, **keeping("cell"))
            number("layers", "Layers", 1, 1)
        number("hidden", "Units a layer and direction", 1, 8)
        number("embedding", "Numbers a word vector", 1, 8)
        st.number_input(
            "Dropout", min_value=0.0, max_value=0.95, value=usual["dropout"], step=0.1, **keeping("dropout")
        )
        if corpus.paired:
            st.toggle("Flag words in both sentences", **keeping("same_word"))
        else:
            st.toggle("Read both ways", **keeping("bidirectional"))
    with training:
        st.caption("Training")
        number("epochs", "Most epochs", 1, 1)
        number("patience", "Stop after epochs without gain", 1, 1, "Without a better validation loss.")
        number("batch", "Sentences a step", 1, 16)
        real: dict[str, Any] = {"min_value": 0.0, "format": "%.5g"}
        st.number_input("Learning rate", value=usual["learning_rate"], step=1e-3, **real, **keeping("learning_rate"))
        st.number_input("Weight decay", value=0.0, step=1e-5, **real, **keeping("weight_decay"))
        st.toggle("Weigh rare classes more", **keeping("class_weights"))
    with rest:
        st.caption("States and words")
        number("states", "Number of states", 1, 1)
        number("components", "Principal components", 1, 1)
        methods = {"kmeans": "k-means", "gmm": "mixture"}
        st.selectbox("Grouping", list(methods), format_func=methods.__getitem__, **keeping("method"))
        number("min_count", "A word is known from", 1, 1, "Times that it stands in the training split.")
        number("seed", "Seed", 0, 1, "Of the split, the training and the states.")
        st.toggle("Try other numbers too", help="Measure the quality for other numbers of states.", **keeping("sweep"))
        st.toggle("Keep upper case", help="Tell upper from lower case.", **keeping("keep_case"))


@st.cache_data(max_entries=50, show_spinner=False)
def _estimate(_corpus: Corpus, fingerprint: str, chosen: tuple[tuple[str, Any], ...]) -> Estimate:
    given = dict(chosen)
    training = {name: given[name] for name in _OF_TRAINING if name in given}
    return estimate_training(
        _corpus,
        architecture={name: given[name] for name in _OF_MODEL if name in given},
        training=usual_training(_corpus.paired, **training),
        lowercase=not given.get("keep_case", False),
        min_count=given.get("min_count"),
    )


def _classify(corpus: Corpus, chosen: Draft) -> Plan | None:
    if len(chosen.uploads) > 1:
        st.error("A new split is one file: go back and remove the others.", icon=":material/error:")
        return None
    names = [name for name, folder in study_folders().items() if reads_pairs(folder) == corpus.paired]
    within("base", names)
    opened = state.current().study
    if held("base") is None and opened in names and opened not in DEMOS:
        st.session_state["new-base"] = opened
    left, right = st.columns(2)
    with left:
        st.selectbox("Study", names, index=None, format_func=shortened, placeholder="Choose one", **keeping("base"))
    with right:
        if not held("split"):
            st.session_state["new-split"] = plain_name(chosen.shown)
        st.text_input("Name of the new split", max_chars=60, help="As the menu will call it.", **keeping("split"))
    name, split = held("base"), str(held("split") or "").strip()
    if name is None:
        return None
    try:
        study = open_study(name)
        if not study.has_model:
            raise ModelError(f"The study {name} holds no model that could read the data; choose another.")
        copied = name in DEMOS or not (study.version / CORPUS).exists()
        copy = free_name(f"{name} with {split}") if copied else None
        check_addable(study, split, None if copy is None else studies_root() / copy)
    except SeerError as error:
        st.error(state.literal(str(error)), icon=":material/error:")
        return None
    line = f"{study.architecture.describe()} of {name}, as the split {split}"
    st.markdown(f"**{state.literal(line)}**")
    if copy is None:
        st.caption(f":material/info: The split joins the others of {state.literal(name)}; its notes and rows stay.")
        return Plan("classify", line, {"split": split}, base=name, study=name)
    st.caption(f":material/info: {state.literal(name)} itself stays as it is: a copy gets the split.")
    return Plan("classify", line, {"split": split}, base=name, shown=copy)


def duration(seconds: float) -> str:
    """A length of time in words, rounded up."""
    if seconds < 90:
        return f"{max(5, 5 * math.ceil(seconds / 5))} s"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes / 60:.1f} h"
