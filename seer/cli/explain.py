"""The command that says which words decided."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from seer.cli.output import Json, Methods, StudyName, cell, names, print_data, table, tell
from seer.explain import Explanation, explain_many
from seer.relevance.methods import METHODS
from seer.study import Study

ALL = "all"

MOST_ROWS = 300


def explain(
    study: StudyName,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The sentence to explain.")],
    method: Methods = None,
    target: Annotated[str | None, typer.Option(help="Class to explain; the predicted one by default.")] = None,
    eps: Annotated[float | None, typer.Option(help="LRP's stabiliser: small against the model's states.")] = None,
    bias_factor: Annotated[float | None, typer.Option(help="Share of biases that LRP gives to words, 0 to 1.")] = None,
    as_json: Json = False,
) -> None:
    """Say how much each word speaks for a class (above 0) or against it: by lrp, or by --method; all is every one.

    With --json one method gives one record, several give a list of them.
    """
    opened = Study.open(study)
    chosen = names(method) or ("lrp",)
    if ALL in chosen:
        reasons = (each.why_not(opened.classifier.architecture) for each in METHODS.values())
        tell([reason for reason in reasons if reason is not None])
    given = {name: value for name, value in (("eps", eps), ("bias_factor", bias_factor)) if value is not None}
    found = explain_many(opened, text, None if ALL in chosen else chosen, target, **given)
    records = [each.record() for each in found]
    print_data(as_json, records if len(records) > 1 else records[0], lambda: _tables(found))


def _tables(found: tuple[Explanation, ...]) -> Iterable[Table | str]:
    first = found[0]
    rows = [
        {"word": word, "known": bool(known), **{each.title: float(each.relevance[place]) for each in found}}
        for place, (word, known) in enumerate(zip(first.words, first.known, strict=True))
    ]
    told = f"Relevance for {first.target}, logit {first.logit:.3f}; the prediction is {first.prediction}."
    if len(rows) > MOST_ROWS:
        told += f" The last {MOST_ROWS} of {len(rows):,} words; all of them with --json."
    yield escape(told)
    yield table(rows[-MOST_ROWS:])
    yield table([_summary(each) for each in found])


def _summary(found: Explanation) -> dict[str, Any]:
    """Where the logit went."""
    settings = ", ".join(f"{name.replace('_', ' ')} {_setting(value)}" for name, value in found.settings.items())
    return {
        "method": found.title,
        "settings": settings,
        "sum of words": float(found.relevance.sum()),
        "rest": found.rest,
        "gap": found.gap if METHODS[found.method].adds_up else None,
    }


def _setting(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else cell(value)
