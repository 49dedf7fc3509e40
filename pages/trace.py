"""Page: trace."""

from seer.ui.frame import current_view, header

view = current_view()
header(view, "trace", "soon")
