"""The session's one Selection and its place in the URL.

Found in Chromium with Streamlit 1.67:

- A fresh session (a pasted link) has its whole query in ``st.query_params`` in its first run.
- A click in ``st.navigation``'s own menu opens the page *without* the query; ``st.page_link`` and ``st.switch_page``
  carry the ``query_params`` given to them and no others. A page opened bare and then written to can leave two steps in
  the browser's history, and so does ``st.switch_page``; a ``st.page_link`` with a query leaves one.
- Writing ``st.query_params`` adds a step to the history, except in a run that Back or Forward started: there it
  replaces the step. So Back undoes one choice at a time, and rewriting the URL never traps anybody.
- Such a run has ``is_history_navigation``; it tells "Back to the bare address" from "a menu click cleared the query".
- A browser that asks for the next run before the query that the last one wrote has reached it sends an older query: on
  the same page, and without Back or Forward, a query that was replaced a moment ago is such a late one.
- A folder named ``pages`` beside app.py makes a new server run ``pages/states.py`` *without* app.py when the first
  address anybody opens is ``/states``; that lasts until app.py calls ``st.navigation`` once. ``current`` notices and
  starts the run again through app.py: every page calls it first.

Hence: the session's Selection is the truth and is written to the URL; a new session and Back / Forward read the URL; so
does a link that carries a query. ``page_links`` builds the menu from links that carry the Selection.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import wraps
from typing import Any, TypeVar

import streamlit as st
from streamlit.navigation.page import Page
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from seer.ui.markdown import literal as literal
from seer.ui.notes.keys import only_keys
from seer.ui.selection import Chip, Selection, shortened

_SELECTION = "_selection"
_URL = "_selection_url"
_REPLACED = "_selection_replaced"
"""In the session: the page and the queries that were replaced on it, the last ones."""
_IGNORED = "_selection_ignored"
_LATE = 20
_UNSET = object()
T = TypeVar("T")


def current() -> Selection:
    """The session's Selection, after taking in what Back, Forward or a link did to the URL. Cheap: call it anywhere."""
    _enter_by_app()
    url = st.query_params.to_dict()
    if _SELECTION not in st.session_state:
        _adopt(url)
    elif url != st.session_state[_URL]:
        if _came_by_history() or (url and not _is_late(url)):
            _adopt(url)
        else:
            _write(st.session_state[_SELECTION])
    selection: Selection = st.session_state[_SELECTION]
    return selection


def change(**fields: Any) -> None:
    """Change fields of the Selection, in the session and in the URL. For callbacks, which run before the page does."""
    select(current().change(**fields))


def change_view(**options: str | None) -> None:
    """Change view options; None removes one."""
    select(current().with_view(**options))


def select(selection: Selection) -> None:
    """Make this the session's Selection. Notices about a link end with its study.

    In a run that keys of the keyboard asked for, only what they do counts; see ``seer.ui.notes.keys.only_keys``.
    """
    if not only_keys():
        _select(selection)


def _select(selection: Selection) -> None:
    before = st.session_state.get(_SELECTION)
    if before is not None and before.study != selection.study:
        st.session_state[_IGNORED] = ()
    st.session_state[_SELECTION] = selection
    _write(selection)


def fall_back(selection: Selection, reason: str) -> None:
    """Make another Selection the session's than was asked for; the reason joins the notices until the next link."""
    sentences = ignored()
    _select(selection)
    st.session_state[_IGNORED] = tuple(dict.fromkeys((*sentences, reason)))


def leave_out(name: str, label: str, left: str | None = None) -> None:
    """Put a view option of the link that nobody can show back at what is left of it, with a notice; None removes it."""
    sentence = f"The link's {label} {shortened(current().view[name])!r} is not to be had here; it is ignored."
    fall_back(current().with_view(**{name: left}), sentence)


def ignored() -> tuple[str, ...]:
    """Sentences about parts of the opened link that could not be used, to be shown as notices."""
    sentences: tuple[str, ...] = st.session_state.get(_IGNORED, ())
    return sentences


def bound(key: str, field: str, *, empty: Any = None, choices: Collection[Any] | None = None) -> dict[str, Any]:
    """Arguments that tie a widget to a field of the Selection, or to a view option ``"view.name"``.

    ``st.selectbox("True class", ["any", *classes], **bound("triage-true", "true", empty="any"))``. The widget shows the
    Selection, whoever changed it, and its callback writes the Selection before the page runs: one click, no loop.

    Args:
        key: key of the widget, unique in the app.
        field: name of the field or ``"view.name"``.
        empty: the widget's value for "nothing chosen". For a view option it is the default and gives the type.
        choices: what the widget offers: anything else, as from a link, shows as ``empty``.

    Returns:
        ``key`` and ``on_change``. Do not pass ``index`` or ``value`` beside them.
    """
    value = _widget_value(current(), field, empty)
    if choices is not None and value not in choices:
        value = empty
    return tied(key, value, lambda chosen: _take(chosen, field, empty))


def tied(key: str, value: Any, take: Callable[[Any], None]) -> dict[str, Any]:
    """Arguments that tie a widget to a value: it shows the value, whoever changed it, and gives on what is chosen.

    Args:
        key: key of the widget, unique in the app.
        value: what the widget shows.
        take: called with what a person chose, before the page runs.

    Returns:
        ``key`` and ``on_change``. Do not pass ``index`` or ``value`` beside them.
    """
    # Assigned only when it differs: an assignment goes to the browser and would wipe what is being typed.
    if st.session_state.get(key, _UNSET) != value:
        st.session_state[key] = value
    return {"key": key, "on_change": by_hand(lambda: take(st.session_state[key]))}


def by_hand(take: Callable[..., None]) -> Callable[..., None]:
    """A callback of a widget outside of fragments, for what a person does alone.

    A person's choice runs the whole page. A fragment's run, for which a clock may have asked while the page was made,
    carries what the widgets held before the page gave them other values: nobody chose that.
    """

    @wraps(take)
    def taken(*args: Any) -> None:
        context = get_script_run_ctx()
        if context is None or not context.fragment_ids_this_run:
            take(*args)

    return taken


def view_option(name: str, default: T) -> T:
    """A view option in the type of its default; the default when it is absent or unreadable."""
    raw = current().view.get(name)
    if raw is None:
        return default
    try:
        return _typed(raw, default)
    except ValueError:
        return default


def link_query(selection: Selection | None = None, **fields: Any) -> dict[str, str]:
    """The query of a link that opens the Selection with some fields changed.

    Never empty: a page opened with an empty query would keep the session's Selection.
    """
    chosen = (current() if selection is None else selection).change(**fields)
    return {"study": chosen.study, **chosen.to_query()}


def page_links(pages: Sequence[Page]) -> None:
    """A menu whose links carry the Selection, for use with ``st.navigation(..., position="hidden")``."""
    for page in pages:
        st.page_link(page, query_params=link_query(), width="stretch")


def chips(fitted: Selection, line: str, *, clear: bool = False, noun: str = "sentence") -> None:
    """The filters in force as buttons that remove them, and a line on what passes them.

    The row is there without a filter too, and as high: an element more above the graph would mount the graph anew, and
    a row more would push the page away from under the pointer.

    Args:
        fitted: the Selection as far as the study has what it names. What it lacks gets no chip.
        line: text at the end of the row.
        clear: offer to clear all for a single chip too, and without one to dismiss the notices.
        noun: what a row of the study is called.
    """
    asked = current().chips(noun)
    # A pattern whose word is gone has another label than was asked for.
    present = [chip for chip in fitted.chips(noun) if chip in asked or chip.field == "pattern"]
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="chips"):
        for chip in present:
            _chip(chip)
        if clear or len(present) > 1:
            label = "Clear all" if present else "Dismiss"
            st.button(label, key="chip-all", type="tertiary", on_click=_clear, args=(fitted.split,))
        st.caption(literal(line), width="content")


def _chip(chip: Chip) -> None:
    # A button's label is Markdown: whatever a class is called must stand there as it is.
    st.button(
        literal(chip.label),
        key=f"chip-{chip.field}",
        icon=":material/close:",
        help="Remove this filter",
        on_click=_remove,
        args=(chip.field,),
    )


def _remove(field: str) -> None:
    select(current().without_chip(field))


def _clear(split: str) -> None:
    chosen = current().cleared()
    # A split that the study lacks goes too; the usual one then stands in for the default.
    select(chosen if chosen.split == split else chosen.without("split"))
    st.session_state[_IGNORED] = ()


def _take(value: Any, field: str, empty: Any) -> None:
    group, _, option = field.rpartition(".")
    if group:
        # A control that is just being made anew reports None.
        change_view(**{option: None if value is None or value == empty else _plain(value, empty)})
    else:
        change(**{field: None if value == empty else value})


def _widget_value(selection: Selection, field: str, empty: Any) -> Any:
    group, _, option = field.rpartition(".")
    if group:
        return view_option(option, empty)
    value = getattr(selection, field)
    return empty if value is None else value


def _typed(raw: str, default: T) -> T:
    if isinstance(default, bool):
        return raw == "1"  # type: ignore[return-value]
    if isinstance(default, int | float):
        return type(default)(raw)
    return raw  # type: ignore[return-value]


def _plain(value: Any, default: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    # A number box without integer bounds gives 5.0 for an option that is 5.
    return str(int(value)) if type(default) is int else str(value)


def _enter_by_app() -> None:
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()


def _came_by_history() -> bool:
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def _is_late(url: dict[str, str]) -> bool:
    """Whether the browser sent a query that this page has replaced already."""
    page, replaced = st.session_state.get(_REPLACED, (None, ()))
    return page == _page() and url in replaced


def _page() -> str | None:
    context = get_script_run_ctx()
    return None if context is None else context.page_script_hash


def _adopt(url: dict[str, str]) -> None:
    selection, sentences = Selection.from_query(url)
    st.session_state[_SELECTION], st.session_state[_IGNORED] = selection, sentences
    st.session_state[_URL], st.session_state[_REPLACED] = url, (_page(), ())


def _write(selection: Selection) -> None:
    query, before = selection.to_query(), st.session_state.get(_URL)
    if query != st.query_params.to_dict():
        st.query_params.from_dict(query)
    if before is not None and before != query:
        page, replaced = st.session_state.get(_REPLACED, (None, ()))
        st.session_state[_REPLACED] = _page(), (*(replaced if page == _page() else ()), before)[-_LATE:]
    st.session_state[_URL] = query
