"""A model from elsewhere: its files, what was understood of them, and how right it is, before a study is made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from seer.corpus import Corpus
from seer.corpus.record import TEST
from seer.errors import SeerError
from seer.imports.check import ImportCheck, check_import
from seer.imports.infer import Choices
from seer.imports.mismatch import shape_text
from seer.imports.reading import SPLITS, Reading
from seer.models.classifier import CELL_NAMES
from seer.models.readout import ACTIVATIONS, PADDED, READ_OUTS
from seer.ui import state
from seer.ui.studies.draft import ROLES, Draft, held, keeping, uploads
from seer.ui.studies.files import upload_field
from seer.ui.studies.plan import Plan
from seer.ui.studies.understood import understood
from seer.ui.studies.wording import on_page

WEIGHTS = (".safetensors", ".pt", ".pth", ".bin", ".ckpt", ".pkl")
VOCABULARY = (".json", ".txt", ".vocab")


def bring_plan(chosen: Draft) -> Plan | None:
    """Take the files of a model and show what it is; the plan once it fits the data."""
    left, right = st.columns(2)
    with left:
        upload_field(
            "weights", "Weights", WEIGHTS, "safetensors, or a PyTorch file of plain weights; no code in it runs."
        )
    with right:
        upload_field(
            "vocabulary",
            "Vocabulary",
            VOCABULARY,
            "tokenizer.json, vocab.txt (WordPiece) or a word list, a word a line.",
        )
    with st.expander("What the weights do not say", icon=":material/tune:"):
        _choices()
    weights, vocabulary = uploads().get("weights"), uploads().get("vocabulary")
    if weights is None or vocabulary is None:
        return None
    given, corpus = _given(), _rows(chosen)
    if corpus is None:
        return None
    try:
        with st.spinner("Reading the weights and measuring the model…"):
            found = _checked(str(weights.path), str(vocabulary.path), corpus, corpus.fingerprint, tuple(given.items()))
    except SeerError as error:
        st.error(state.literal(on_page(str(error))), icon=":material/error:")
        return None
    _understood(found)
    unlabelled = {} if corpus.classes else {"labelled": False}
    options = {"tokenizer": str(vocabulary.path), **given, **unlabelled}
    line = f"{found.model.architecture.describe()} from {weights.name}"
    return Plan("import", line, options, str(weights.path))


def _rows(chosen: Draft) -> Corpus | None:
    """The data as ``import`` reads it: rows of a single file are one split, since nothing is trained on them."""
    alone = {"split": TEST} if chosen.uploads.keys() & set(ROLES) == {ROLES[0]} else {}
    found = understood(replace(chosen, options={**chosen.options, **alone}))
    return None if found is None else found.corpus


@st.cache_resource(max_entries=4, show_spinner=False)
def _checked(
    weights: str, vocabulary: str, _corpus: Corpus, fingerprint: str, given: tuple[tuple[str, Any], ...]
) -> ImportCheck:
    chosen = dict(given)
    read_out, length, classes = chosen.get("read_out", "last"), chosen.get("length"), chosen.get("classes")
    return check_import(
        Path(weights),
        Path(vocabulary),
        _corpus,
        choices=Choices(
            chosen.get("cell"),
            chosen.get("activation"),
            read_out,
            length if read_out in PADDED else None,
            chosen.get("sigmoid"),
        ),
        reading=Reading(
            chosen.get("lowercase"),
            chosen.get("word_split"),
            chosen.get("special_tokens", False),
            length,
            chosen.get("cut", "right"),
        ),
        classes=None if classes is None else [part.strip() for part in classes.split(",")],
    )


def _choices() -> None:
    def choice(name: str, label: str, choices: dict[Any, str], usual: str) -> None:
        # No two entries may read the same: Streamlit knows them by that.
        st.selectbox(
            label,
            [None, *choices],
            format_func=lambda value: usual if value is None else choices[value],
            **keeping(name),
        )

    others = {name: told for name, told in READ_OUTS.items() if name != "last"}
    choice("read_out", "The head reads", others, READ_OUTS["last"])
    one, two, three = st.columns(3)
    with one:
        st.number_input(
            "Texts are cut to",
            min_value=1,
            value=None,
            placeholder="not cut",
            help="Words; shorter texts are filled up to it where the head reads the last padded word.",
            **keeping("length"),
        )
        choice("cut", "A long text is cut at its", {"left": "beginning"}, "end")
    with two:
        choice("import_cell", "Cell", dict(CELL_NAMES), "as the weights tell")
        choice("activation", "Between layers of the head", {name: name for name in ACTIVATIONS}, "the usual: relu")
        choice("sigmoid", "The head ends in", {True: "sigmoid", False: "softmax"}, "as its outputs tell")
    with three:
        choice("lowercase", "Upper case", {True: "read as lower case", False: "kept"}, "as the words tell")
        choice("word_split", "A word list splits at", {name: name for name in SPLITS}, "what knows most words")
        st.text_input(
            "Classes in the order of the outputs",
            placeholder="neg, pos",
            max_chars=2000,
            help="By default the order of the data's own classes.",
            **keeping("classes"),
        )
        st.toggle("Put [CLS] and [SEP] around each text", **keeping("special_tokens"))


def _given() -> dict[str, Any]:
    names = ("read_out", "length", "cut", "activation", "sigmoid", "lowercase", "word_split")
    given = {name: held(name) for name in names} | {"cell": held("import_cell"), "classes": held("classes") or None}
    chosen = {name: value for name, value in given.items() if value is not None}
    return chosen | ({"special_tokens": True} if held("special_tokens") else {})


def _understood(found: ImportCheck) -> None:
    usual = found.usual
    with st.container(border=True):
        words = f"{found.vocabulary.size:,} words ({found.vocabulary.kind})"
        st.markdown(f"**{state.literal(found.model.architecture.describe())}** · {state.literal(words)}")
        if usual is not None:
            st.markdown(
                f"Right on **{usual.value:.2%}** of {usual.labelled:,} labelled rows of {state.literal(usual.split)} "
                f"({usual.right:,}); always naming the largest class: {usual.largest:.2%}."
            )
        for warning in found.warnings:
            st.warning(state.literal(on_page(warning)), icon=":material/warning:")
        for note in found.notes:
            st.caption(f":material/info: {state.literal(on_page(note))}")
    with st.expander(f"{len(found.inferred.uses)} tensors", icon=":material/data_array:"):
        st.dataframe(
            [{"tensor": use.name, "shape": shape_text(use.shape), "used as": use.use} for use in found.inferred.uses],
            hide_index=True,
            key="new-tensors",
        )
