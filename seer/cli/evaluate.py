"""Commands that measure whether the methods find what is known to be there."""

from __future__ import annotations

from typing import Annotated

import typer

from seer.cli.output import Bars, Json, print_data, table
from seer.corpus import load_corpus
from seer.evaluation.planted import planted_bug

app = typer.Typer(no_args_is_help=True)


@app.callback()
def evaluate() -> None:
    """Experiments whose right answer is known."""


@app.command()
def planted(
    where: Annotated[str, typer.Option(help="Write the word at the end of a text, or at random within it.")] = "end",
    data: Annotated[str, typer.Option(help="Built-in data set.")] = "rotten_tomatoes",
    seed: Annotated[int, typer.Option(help="Of planting, training and states.")] = 0,
    lime_errors: Annotated[int, typer.Option(help="Most errors that LIME explains; 0 leaves it out.")] = 200,
    as_json: Json = False,
) -> None:
    """Plant a bug in the training data, train on it, and see at which place each ranking names it."""
    with Bars() as bars:
        result = planted_bug(load_corpus(data), where, seed=seed, lime_errors=lime_errors, progress=bars).record()
    rows = [{"": key.replace("_", " "), " ": value} for key, value in result.items() if not isinstance(value, dict)]
    print_data(as_json, result, lambda: [table(rows, "The planted bug")])
