"""A study as one HTML file that asks nothing of the network, for people without the program."""

from seer.report.page import ERRORS, report_html

__all__ = ["ERRORS", "report_html"]
