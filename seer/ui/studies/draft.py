"""The study that is being set up, in the session: it stays when the person looks at another page and comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from seer.corpus.builtin import BUILTIN
from seer.corpus.files import file_kind
from seer.corpus.folders import FOLDERS
from seer.corpus.hub import HUB_NAME
from seer.corpus.load import MOST_CALLED
from seer.errors import shown
from seer.uploads import Upload

Source = Literal["builtin", "hub", "upload"]
Step = Literal["data", "preview", "model", "run"]
STEPS: tuple[Step, ...] = ("data", "preview", "model", "run")

ROLES = ("train", "validation", "test")
"""Splits that a file of their own may hold; the first may be split."""

NO_LABEL = "\0none"
"""Chosen as the label column: there is none. No column has this name."""

SAID = "_studies_said"
"""In the session: kind and sentence of what came of the last action on the page."""

_STEP = "new-step"


@dataclass(frozen=True)
class Draft:
    """The data that was chosen, and how to read it.

    Attributes:
        source: where it comes from.
        data: what the command line calls it; ``None`` while nothing is chosen.
        shown: what a person calls it.
        uploads: the files brought here, by split.
        options: keywords of ``load_corpus``, those left to be guessed not among them.
    """

    source: Source
    data: str | None
    shown: str
    uploads: Mapping[str, Upload] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The data as the list of jobs names it: with the content's hash for files."""
        first = self.uploads.get("train")
        return self.shown if first is None else f"{first.name} ({first.short})"


def draft() -> Draft:
    """What is chosen so far."""
    source: Source = held("source") or "upload"
    if source == "builtin":
        name = held("builtin")
        return Draft(source, name, name or "", options=_chosen())
    if source == "hub":
        name = (held("hub") or "").strip()
        hub = {"config": held("config") or None, "revision": held("revision") or None}
        return Draft(source, name if hub_fault(name) is None else None, name, options=_given(hub) | _chosen())
    files = uploads()
    first = files.get("train")
    if first is None:
        return Draft(source, None, "", files)
    others = {role: str(files[role].path) for role in ROLES[1:] if role in files}
    return Draft(source, str(first.path), first.name, files, _given({"called": _called(first)}) | others | _chosen())


def hub_fault(name: str) -> str | None:
    """Why a name is none of the hub, ``None`` when it is one. A path of this server never is."""
    if not name:
        return "No name yet."
    local = name in BUILTIN or name in FOLDERS or file_kind(Path(name)) is not None or Path(name).exists()
    if local or not HUB_NAME.fullmatch(name):
        return f"Expected the name of a set on the hub, as owner/name; got {shown(name)}."
    return None


def _called(upload: Upload) -> str | None:
    """An upload's own name, as the data set's: in one line, without a folder."""
    name = "".join(sign if sign.isprintable() else " " for sign in upload.name).replace("\\", "/")
    return name.rpartition("/")[2].strip()[:MOST_CALLED] or None


def _chosen() -> dict[str, Any]:
    options = {**choices(), "pairs": held("pairs") or None, "limit": held("limit")}
    if options.get("label") == NO_LABEL:
        options |= {"label": None, "labelled": False}
    if not options["pairs"]:
        options["second"] = None
    return _given(options)


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def held(name: str, default: Any = None) -> Any:
    """What a widget of the new study holds; see ``keeping``."""
    return st.session_state.get(f"new-{name}", default)


def keeping(name: str) -> dict[str, Any]:
    """Arguments of a widget of the new study, which keeps its value for the whole session."""
    return {"key": f"new-{name}", "persist_state": "session"}


def within(name: str, choices: object) -> None:
    """Forget a choice that is not to be had any more; before its widget is drawn."""
    if held(name) is not None and isinstance(choices, list) and held(name) not in choices:
        st.session_state[f"new-{name}"] = None


def choices() -> dict[str, Any]:
    """What the person chose in place of a guess on how to read the data: keywords of ``load_corpus``."""
    found: dict[str, Any] = st.session_state.setdefault("_new_choices", {})
    return found


def choose(name: str, value: Any) -> None:
    """Take over what was chosen in place of a guess; for callbacks."""
    if value is None:
        choices().pop(name, None)
    else:
        choices()[name] = value


def forget_reading() -> None:
    """Go back to guessing how the data is to be read; for new data, and for callbacks."""
    choices().clear()
    for name, empty in (("pairs", False), ("limit", None), ("name", None)):
        if f"new-{name}" in st.session_state:
            st.session_state[f"new-{name}"] = empty


def uploads() -> dict[str, Upload]:
    """The files brought here in this session, by split."""
    found: dict[str, Upload] = st.session_state.setdefault("_new_uploads", {})
    return found


def own_names() -> dict[str, str]:
    """What their owner calls the files brought here, by the name under which each is kept."""
    return {upload.path.name: upload.name for upload in uploads().values()}


def forget_draft() -> None:
    """Begin anew with nothing chosen but where data come from; for callbacks that leave the steps' widgets."""
    for key in [str(key) for key in st.session_state]:
        if key.startswith(("new-", "_new_")) and key != "new-source":
            del st.session_state[key]


def asked_step() -> Step:
    """The step that was asked for."""
    step: Step = st.session_state.get(_STEP) or STEPS[0]
    return step


def go_to(step: Step) -> None:
    """Ask for another step; for callbacks."""
    st.session_state[_STEP] = step
