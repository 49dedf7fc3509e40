"""Page: the studies that are there, a new one in four steps, and the jobs that make them."""

from seer.ui.studies.page import new_study, said, title
from seer.ui.studies.running import jobs_panel
from seer.ui.studies.shelf import shelf

title()
said()
jobs_panel()
shelf()
new_study()
