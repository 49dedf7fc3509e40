"""The report put together: sections, navigation, scripts, and a policy that forbids all else."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from seer.charts.captions import counted
from seer.charts.export import drawing_script, drawing_style, vis_script
from seer.charts.names import listed
from seer.charts.sentence import STYLE
from seer.errors import SettingError
from seer.notes import Change
from seer.report.machine import drawn, machine_section
from seer.report.markup import clipped, text
from seer.report.overview import look_first, overview
from seer.report.patterns import buggy_records, patterns_section
from seer.report.plan import notes_section
from seer.report.sentences import errors_section
from seer.report.settings import method_section, settings_section
from seer.report.subject import Subject
from seer.slices import where_to_look
from seer.study import Study

ERRORS = 50
"""Errors shown when nothing is said."""

_HERE = Path(__file__).parent


def report_html(
    study: Study,
    split: str | None = None,
    notes: Mapping[str, Change] | None = None,
    *,
    errors: int = ERRORS,
    made: str | None = None,
) -> str:
    """The study as one HTML page that stands alone; write it as UTF-8.

    The page asks nothing of the network, and its policy allows no script but its own two. The same study, notes and
    arguments give the same text.

    Args:
        study: the study.
        split: name of a split, all sentences without one.
        notes: ``Notes.current()``; the part on notes is left out when there are none.
        errors: wrong sentences shown at most.
        made: when or by whom, written in the head when given.

    Raises:
        DataError: no such split.
        SettingError: ``errors`` is negative.
    """
    if errors < 0:
        raise SettingError(f"The report shows 0 errors or more; got {errors}.")
    subject = Subject(study, split, notes or {})
    kept = [place.transition for place in where_to_look(study, split) if place.transition]
    buggy = buggy_records(subject)
    sections = [
        ("overview", "Overview", overview(subject)),
        ("look", "Where to look first", look_first(subject)),
        ("machine", "State machine", machine_section(subject, drawn(subject, kept))),
        ("patterns", "Patterns", patterns_section(subject, buggy)),
        ("errors", "Errors", errors_section(subject, errors)),
        ("notes", "Notes and plan", notes_section(subject, buggy)),
        ("settings", "Settings", settings_section(subject)),
        ("method", "Method", method_section()),
    ]
    present = [(name, title, body) for name, title, body in sections if body]
    vis = vis_script().replace("</script", "<\\/script")
    script = f"{drawing_script()}\n{_file('report.js')}"
    parts = {
        "POLICY": _policy(vis, script),
        "TITLE": text(f"{study.name}: report"),
        "NAME": text(study.name),
        "ABOUT": _about(subject, made),
        "STYLE": f"{drawing_style()}\n{_file('report.css')}",
        "SENTENCES": STYLE,
        "LINKS": "".join(f'<li><a href="#{name}">{title}</a></li>' for name, title, _ in present),
        "SECTIONS": "\n".join(body for *_, body in present),
        "HASH": text(study.hash),
        "VIS": vis,
        "SCRIPT": script,
    }
    # In one pass, so that a text that looks like a placeholder stays what it is.
    return re.sub("%([A-Z]+)%", lambda match: parts[match[1]], _file("report.html"))


def _about(subject: Subject, made: str | None) -> str:
    study, classes = subject.study, subject.study.classes
    when = f" {text(made)}." if made else ""
    return (
        f"{text(study.architecture.describe())} on {clipped(study.corpus.name)}: "
        f"{counted(len(study.corpus), study.noun)}, {study.traces.steps:,} words, classes {text(listed(classes))}. "
        f"The figures are of {subject.split_name}.{when}"
    )


def _policy(*scripts: str) -> str:
    allowed = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def _file(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")
