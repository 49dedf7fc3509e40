"""The command line: ``python -m seer …``. Each command prints a readable table, or its data with ``--json``."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from seer.analysis import AnalysisSettings
from seer.build import analyse_study, train_study
from seer.corpus import builtin_corpora, load_corpus
from seer.errors import SeerError
from seer.models.training import TrainingSettings
from seer.study import Study

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="See and fix what recurrent text classifiers do. STUDY is a study's folder, or demo.",
    pretty_exceptions_enable=False,
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
StudyName = Annotated[str, typer.Argument(metavar="STUDY", help="Folder of a study, or demo.")]
Split = Annotated[str | None, typer.Option(help="Only this split; all sentences by default.")]
Method = Annotated[str | None, typer.Option(help="kmeans or gmm (diagonal mixture).")]
States = Annotated[int | None, typer.Option(help="Number of states.")]
Components = Annotated[int | None, typer.Option(help="Principal components kept.")]
Preset = Annotated[str, typer.Option(help="default (kmeans, 20 states) or paper (mixture, 39 states).")]
Sweep = Annotated[bool, typer.Option("--sweep", help="Measure the quality for other numbers of states too.")]

MOST_NOTICES, MOST_ROWS = 10, 300

STAGES = {"train": "Training", "profile": "Reading states", "states": "Finding states", "sweep": "Trying other numbers"}


@app.command()
def datasets(as_json: Json = False) -> None:
    """List the built-in data sets."""
    rows = [
        {
            "name": info.name,
            "description": info.description,
            "classes": list(info.classes),
            "package": info.package,
            "installed": info.installed,
        }
        for info in builtin_corpora()
    ]
    _print(as_json, rows, lambda: [_table(rows)])


@app.command()
def train(
    data: Annotated[str, typer.Argument(metavar="DATA", help="Built-in set, file, or hub set (owner/name).")],
    out: Annotated[Path, typer.Option(help="Folder of the study to make.")],
    name: Annotated[str | None, typer.Option(help="Name of the study; the folder's by default.")] = None,
    text: Annotated[str | None, typer.Option(help="Text column of a file or hub set.")] = None,
    label: Annotated[str | None, typer.Option(help="Label column of a file or hub set.")] = None,
    validation: Annotated[Path | None, typer.Option(help="File of the validation split.")] = None,
    test: Annotated[Path | None, typer.Option(help="File of the test split.")] = None,
    config: Annotated[str | None, typer.Option(help="Configuration of a hub set.")] = None,
    revision: Annotated[str | None, typer.Option(help="Revision of a hub set.")] = None,
    delimiter: Annotated[str | None, typer.Option(help="Between the fields of a CSV; found by default.")] = None,
    limit: Annotated[int | None, typer.Option(help="Use this many sentences only.")] = None,
    cell: Annotated[str, typer.Option(help="gru, lstm or rnn.")] = "gru",
    embedding: Annotated[int, typer.Option(help="Numbers a word vector.")] = 64,
    hidden: Annotated[int, typer.Option(help="Units a layer and direction.")] = 64,
    layers: Annotated[int, typer.Option(help="Recurrent layers.")] = 1,
    bidirectional: Annotated[bool, typer.Option("--bidirectional", help="Read both ways.")] = False,
    dropout: Annotated[float, typer.Option(help="Dropout, 0 to below 1.")] = 0.6,
    epochs: Annotated[int, typer.Option(help="Most passes over the training split.")] = TrainingSettings.epochs,
    patience: Annotated[int, typer.Option(help="Epochs without improvement before it stops.")] = 3,
    batch: Annotated[int, typer.Option(help="Sentences a step.")] = TrainingSettings.batch,
    learning_rate: Annotated[float, typer.Option(help="Of Adam.")] = TrainingSettings.learning_rate,
    class_weights: Annotated[bool, typer.Option("--class-weights", help="Weigh rare classes more.")] = False,
    min_count: Annotated[int, typer.Option(help="Words seen less often are unknown.")] = 2,
    keep_case: Annotated[bool, typer.Option("--keep-case", help="Tell upper from lower case.")] = False,
    without_sentences: Annotated[
        bool, typer.Option("--without-sentences", help="Do not store the sentences; read them again when it opens.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the split, the training and the states.")] = 0,
    method: Method = None,
    states: States = None,
    components: Components = None,
    preset: Preset = "default",
    sweep: Sweep = False,
    as_json: Json = False,
) -> None:
    """Train a classifier on a data set and analyse it."""
    corpus = load_corpus(
        data,
        text=text,
        label=label,
        validation=validation,
        test=test,
        config=config,
        revision=revision,
        delimiter=delimiter,
        seed=seed,
        limit=limit,
    )
    _tell(corpus.notices)
    with _Bars() as bars:
        study = train_study(
            corpus,
            out,
            name=name,
            architecture={
                "cell": cell,
                "embedding": embedding,
                "hidden": hidden,
                "layers": layers,
                "bidirectional": bidirectional,
                "dropout": dropout,
            },
            training=TrainingSettings(
                epochs=epochs,
                patience=patience,
                batch=batch,
                learning_rate=learning_rate,
                class_weights=class_weights,
                seed=seed,
            ),
            analysis=AnalysisSettings.preset(preset, method=method, states=states, components=components, seed=seed),
            lowercase=not keep_case,
            min_count=min_count,
            keep_sentences=not without_sentences,
            sweep=sweep,
            progress=bars,
        )
    _show(study, as_json)


@app.command()
def analyse(
    study: StudyName,
    method: Method = None,
    states: States = None,
    components: Components = None,
    preset: Preset = "default",
    seed: Annotated[int, typer.Option(help="Seed of the states.")] = 0,
    sweep: Sweep = False,
    out: Annotated[Path | None, typer.Option(help="Write the analysed study here and leave STUDY as it is.")] = None,
    as_json: Json = False,
) -> None:
    """Find the states of a study's classifier anew."""
    opened = Study.open(study)
    settings = AnalysisSettings.preset(preset, method=method, states=states, components=components, seed=seed)
    with _Bars() as bars:
        _show(analyse_study(opened, settings, folder=out, sweep=sweep, progress=bars), as_json)


@app.command()
def show(study: StudyName, as_json: Json = False) -> None:
    """Show what a study is and how good it is."""
    _show(Study.open(study), as_json)


@app.command()
def machine(study: StudyName, split: Split = None, as_json: Json = False) -> None:
    """Show the state machine: states with their errors, and transitions."""
    found = Study.open(study).machine(split)
    states, transitions = found.state_records(), found.transition_records()

    def tables() -> Iterable[Table | str]:
        columns = ("id", "visits", "majority", "purity", "sentences", "errors", "error_rate", "lift")
        yield _table([{column: row[column] for column in columns} for row in states])
        most = sorted(transitions, key=lambda row: -row["count"])[:30]
        yield _table(most, f"{len(most)} most frequent of {len(transitions)} transitions")

    _print(as_json, {"states": states, "transitions": transitions}, tables)


@app.command()
def trace(
    study: StudyName,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The sentence to read.")],
    as_json: Json = False,
) -> None:
    """Read a sentence word by word: state and prediction after each word."""
    read = Study.open(study).trace(text)
    tokens = read.records()
    last = read.final
    data = {"tokens": tokens, "prediction": read.prediction, "probabilities": last}

    def tables() -> Iterable[Table | str]:
        rows = [
            {
                "word": token["text"],
                "known": token["known"],
                "state": token["state"],
                "predicted": token["predicted"],
                **dict(zip(read.classes, map(float, probability), strict=True)),
            }
            for token, probability in zip(tokens, read.probability, strict=True)
        ]
        if rows:
            title = f"Prediction: {read.prediction}"
            if len(rows) > MOST_ROWS:
                title += f"; the last {MOST_ROWS} of {len(rows):,} words, all of them with --json"
            yield _table(rows[-MOST_ROWS:], title)
        else:
            yield "No prediction: the text has no word to read."

    _print(as_json, data, tables)


def main() -> None:
    """Run the command line; an error a person can mend is one line on stderr and exit code 1."""
    warnings.filterwarnings("ignore", category=FutureWarning)
    try:
        app()
    except SeerError as error:
        Console(stderr=True).print(f"[bold red]Error:[/] {escape(str(error))}", highlight=False, soft_wrap=True)
        sys.exit(1)
    except KeyboardInterrupt:
        Console(stderr=True).print("Stopped; a study that was there before is unchanged.")
        sys.exit(130)


class _Bars:
    """Progress bars on stderr with the time left, one a stage."""

    def __init__(self) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"))
        self._bars = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> _Bars:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage not in self._tasks:
            self._tasks[stage] = self._bars.add_task(STAGES[stage], total=total)
        self._bars.update(self._tasks[stage], completed=done, total=total)


def _tell(notices: Sequence[str]) -> None:
    for notice in notices[:MOST_NOTICES]:
        Console(stderr=True).print(f"Note: {escape(notice)}", highlight=False, soft_wrap=True)
    if len(notices) > MOST_NOTICES:
        Console(stderr=True).print(f"Note: {len(notices) - MOST_NOTICES} more such notes stand in the manifest.")


def _show(study: Study, as_json: bool) -> None:
    summary = study.summary()
    _tell(study.abstraction.notices_)

    def tables() -> Iterable[Table | str]:
        rows = []
        for key, value in summary.items():
            if isinstance(value, dict):
                rows += [{"": f"{key} {part}", " ": figure} for part, figure in value.items()]
            else:
                rows.append({"": key, " ": ", ".join(value) if isinstance(value, list) else value})
        yield _table(rows)
        if study.sweep:
            keys = ("states", "fidelity_step", "fidelity_final", "purity", "stability")
            yield _table([{key: quality.record()[key] for key in keys} for quality in study.sweep], "Sweep")

    data = summary | ({"sweep": [quality.record() for quality in study.sweep]} if study.sweep else {})
    _print(as_json, data, tables)


def _print(as_json: bool, data: Any, tables: Callable[[], Iterable[Table | str]]) -> None:
    if as_json:
        print(json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False))
        return
    for table in tables():
        Console().print(table)


def _table(rows: Sequence[dict[str, Any]], title: str | None = None) -> Table:
    table = Table(title=title, title_justify="left")
    for place, column in enumerate(rows[0] if rows else ()):
        numeric = all(isinstance(row[column], int | float | None) for row in rows)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold", no_wrap=place == 0)
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    return table


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    return escape(", ".join(map(str, value)) if isinstance(value, list) else str(value))
