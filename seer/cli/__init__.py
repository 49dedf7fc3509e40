"""The command line: ``python -m seer …``. Each command prints a readable table, or its data with ``--json``."""

from __future__ import annotations

import sys
import warnings

import typer
from rich.console import Console
from rich.markup import escape

from seer.cli import check, classify, evaluate, explain, import_model, jobs, pairs, patterns, report, states, studies
from seer.errors import SeerError
from seer.jobs.own import job_of_environment

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="See and fix what recurrent text classifiers do. STUDY is a study's folder, or demo.",
    pretty_exceptions_enable=False,
)
for command in (
    studies.datasets,
    check.check,
    studies.train,
    classify.classify,
    classify.rare,
    studies.analyse,
    studies.show,
    studies.machine,
    studies.trace,
    patterns.patterns,
    explain.explain,
    pairs.pairs,
    report.report,
):
    app.command()(command)
app.command("import")(import_model.import_model)
app.command("import-states")(states.import_states)
app.add_typer(evaluate.app, name="evaluate", help="Experiments: do the methods find what is known to be there?")
app.add_typer(jobs.app, name="jobs")


def main() -> None:
    """Run the command line; an error a person can mend is one line on stderr and exit code 1."""
    warnings.filterwarnings("ignore", category=FutureWarning)
    try:
        with job_of_environment():
            app()
    except SeerError as error:
        Console(stderr=True).print(f"[bold red]Error:[/] {escape(str(error))}", highlight=False, soft_wrap=True)
        sys.exit(1)
    except KeyboardInterrupt:
        Console(stderr=True).print("Stopped; a study that was there before is unchanged.")
        sys.exit(130)
