"""A button that copies the address of the present view."""

from __future__ import annotations

import streamlit as st

LONGEST_LINK = 32_000
"""Characters of the query. Streamlit itself opens links of 120,000, but proxies and chat programs cut them."""

_HTML = """
<button type="button" class="copy"><span class="label">Copy link</span></button>
<span class="said" role="status" aria-live="polite"></span>
<input class="address" type="text" readonly hidden aria-label="Address of this view" />
"""

_CSS = """
:host, div { font-family: var(--st-font); }
.copy { font: inherit; font-size: .875rem; min-height: 2.25rem; padding: .25rem .75rem; cursor: pointer;
  white-space: nowrap; color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius); }
.copy:hover { border-color: var(--st-primary-color); color: var(--st-primary-color); }
.copy:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
.said { font-size: .8rem; color: var(--st-text-color); margin-left: .5rem; }
.address { display: block; width: 100%; box-sizing: border-box; margin-top: .35rem; padding: .35rem .5rem;
  font: .8rem var(--st-code-font); color: var(--st-text-color); background: var(--st-secondary-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius); }
.address[hidden] { display: none; }
"""

# The browser knows the address behind any proxy, and reads it at the click, when Python has already written the query.
_JS = """
export default function ({ parentElement, data }) {
  const find = selector => parentElement.querySelector(selector)
  const button = find(".copy"), label = find(".label"), said = find(".said"), field = find(".address")
  button.setAttribute("aria-label", "Copy a link to this view")
  field.hidden = true
  said.textContent = ""

  const done = () => {
    label.textContent = "Copied"
    said.textContent = data.note
    clearTimeout(button.timer)
    button.timer = setTimeout(() => { label.textContent = "Copy link" }, 2500)
  }
  const show = () => {
    field.hidden = false
    field.focus()
    field.select()
    // Pages that are not served over https have no clipboard, but often this.
    if (document.execCommand && document.execCommand("copy")) done()
    else said.textContent = "Select the address and copy it."
  }
  button.onclick = () => {
    field.value = window.location.href
    if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(field.value).then(done, show)
    else show()
  }
  return () => clearTimeout(button.timer)
}
"""

_BUTTON = st.components.v2.component("seer_copy_link", html=_HTML, css=_CSS, js=_JS)


def copy_link(key: str = "copy-link") -> None:
    """Draw the button: it copies the address, says so, and shows the address where the browser forbids copying."""
    long = sum(len(name) + len(value) for name, value in st.query_params.to_dict().items()) > LONGEST_LINK
    note = "The text is long: the link may not open everywhere." if long else ""
    _BUTTON(key=key, data={"note": note}, width="content")
