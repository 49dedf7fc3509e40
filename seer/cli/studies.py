"""Commands that make a study and show it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from seer.build import analyse_study, train_study
from seer.charts.names import listed
from seer.cli.data import DataOptions, reads_data
from seer.cli.options import AnalysisOptions, takes
from seer.cli.output import Bars, Json, Split, StudyName, print_data, table, tell
from seer.cli.reading import reading_tables, state_table
from seer.corpus import builtin_corpora
from seer.estimate import Estimate, estimate_training
from seer.models.training import TrainingSettings, usual_training
from seer.study import Study
from seer.text import PAIR_BREAK

_CALLED = {"majority": "one class always"}
"""Figures of a study under other words than their key."""

NO_HYPOTHESIS = (
    "The hypothesis has no word: without a line break all is premise. Write a pair as premise, line break, hypothesis; "
    "in the shell $'premise\\nhypothesis'."
)


def datasets(as_json: Json = False) -> None:
    """List the data sets known by name, and what each still needs."""
    rows = [
        {
            "name": info.name,
            "description": info.description,
            "classes": list(info.classes),
            "package": info.package,
            "installed": info.installed,
            "needs": info.needs,
        }
        for info in builtin_corpora()
    ]
    shown = ("name", "description", "classes", "needs")
    print_data(as_json, rows, lambda: [table([{key: row[key] for key in shown} for row in rows])])


@takes(AnalysisOptions)
@reads_data()
def train(
    *,
    data: DataOptions,
    out: Annotated[Path, typer.Option(help="Folder of the study to make.")],
    name: Annotated[str | None, typer.Option(help="Name of the study; the folder's by default.")] = None,
    cell: Annotated[str | None, typer.Option(help="gru (the default), lstm or rnn.")] = None,
    embedding: Annotated[int | None, typer.Option(help="Numbers a word vector: 64, for pairs 100.")] = None,
    hidden: Annotated[int | None, typer.Option(help="Units a layer and direction: 64, for pairs 50.")] = None,
    layers: Annotated[int | None, typer.Option(help="Recurrent layers: 1.")] = None,
    bidirectional: Annotated[bool, typer.Option("--bidirectional", help="Read both ways.")] = False,
    dropout: Annotated[float | None, typer.Option(help="From 0 to below 1: 0.6, for pairs 0.4.")] = None,
    same_word: Annotated[
        bool, typer.Option("--same-word", help="Pairs: a learned flag for words that both sentences hold.")
    ] = False,
    epochs: Annotated[int | None, typer.Option(help="Most passes over the training split: 12, for pairs 18.")] = None,
    patience: Annotated[
        int | None, typer.Option(help="Epochs without improvement before it stops: 3, for pairs 5.")
    ] = None,
    batch: Annotated[int, typer.Option(help="Sentences a step.")] = TrainingSettings.batch,
    learning_rate: Annotated[float | None, typer.Option(help="Of Adam: 0.004, for pairs 0.003.")] = None,
    weight_decay: Annotated[float, typer.Option(help="Of Adam; draws rare words' vectors to 0.")] = 0.0,
    class_weights: Annotated[bool, typer.Option("--class-weights", help="Weigh rare classes more.")] = False,
    min_count: Annotated[int | None, typer.Option(help="Words seen less often are unknown: 2, for pairs 1.")] = None,
    keep_case: Annotated[bool, typer.Option("--keep-case", help="Tell upper from lower case.")] = False,
    without_sentences: Annotated[
        bool, typer.Option("--without-sentences", help="Do not store the sentences; read them again when it opens.")
    ] = False,
    analysis: AnalysisOptions,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say how long it would take here, by a second of it; write nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Train a classifier on a data set and analyse it."""
    corpus = data.load()
    tell(corpus.notices)
    architecture = {
        "cell": cell,
        "embedding": embedding,
        "hidden": hidden,
        "layers": layers,
        "bidirectional": bidirectional or None,
        "dropout": dropout,
        "same_word": same_word or None,
    }
    training = usual_training(
        corpus.paired,
        epochs=epochs,
        patience=patience,
        batch=batch,
        learning_rate=learning_rate,
        weight_decay=weight_decay,
        class_weights=class_weights,
        seed=data.seed,
    )
    if estimate:
        found = estimate_training(
            corpus, architecture=architecture, training=training, lowercase=not keep_case, min_count=min_count
        )
        _show_estimate(found, as_json)
        return
    with Bars() as bars:
        study = train_study(
            corpus,
            out,
            name=name,
            architecture=architecture,
            training=training,
            analysis=analysis.settings(data.seed),
            lowercase=not keep_case,
            min_count=min_count,
            keep_sentences=not without_sentences,
            sweep=analysis.sweep,
            progress=bars,
        )
    show_study(study, as_json)


def _show_estimate(found: Estimate, as_json: bool) -> None:
    data = {"least_seconds": found.least, "seconds": found.seconds, "epochs": found.epochs}
    line = (
        f"About {found.least:,.0f} to {found.seconds:,.0f} s for up to {found.epochs:,} epochs, extrapolated from a "
        "second of this training on this machine; it ends early when the validation split gets no better."
    )
    print_data(as_json, data, lambda: [line])


@takes(AnalysisOptions)
def analyse(
    *,
    study: StudyName,
    analysis: AnalysisOptions,
    seed: Annotated[int, typer.Option(help="Seed of the states.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write the analysed study here and leave STUDY as it is.")] = None,
    as_json: Json = False,
) -> None:
    """Find the states of a study's classifier anew."""
    opened = Study.open(study)
    with Bars() as bars:
        show_study(
            analyse_study(opened, analysis.settings(seed), folder=out, sweep=analysis.sweep, progress=bars), as_json
        )


def show(study: StudyName, as_json: Json = False) -> None:
    """Show what a study is and how good it is."""
    show_study(Study.open(study), as_json)


def machine(study: StudyName, split: Split = None, as_json: Json = False) -> None:
    """Show the state machine: states with their errors, and transitions."""
    found = Study.open(study).machine(split)
    states, transitions = found.state_records(), found.transition_records()

    def tables() -> Iterable[Table | str]:
        yield state_table(found, ("id", "visits", "majority", "purity", "errors", "error_rate", "lift"))
        most = sorted(transitions, key=lambda row: -row["count"])[:30]
        yield table(most, f"{len(most)} most frequent of {len(transitions)} transitions")

    print_data(as_json, {"states": states, "transitions": transitions}, tables)


def trace(
    study: StudyName,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Sentence to read; a pair has a line break between.")],
    as_json: Json = False,
) -> None:
    """Read a sentence word by word: state and prediction after each word."""
    opened = Study.open(study)
    read = opened.trace(text)
    tokens = read.records()
    if opened.paired and PAIR_BREAK not in text:
        tell([NO_HYPOTHESIS])
    if read.cut_line is not None:
        tell([read.cut_line])
    last = read.final
    data = {"tokens": tokens, "prediction": read.prediction, "probabilities": last}
    print_data(as_json, data, lambda: reading_tables(read))


def _figure(key: str, value: Any) -> Any:
    """A figure of a study as a person reads it; a seed is a name, no count."""
    if isinstance(value, list):
        return listed(value)
    return f"{value:,}" if isinstance(value, int) and key != "seed" else value


def show_study(study: Study, as_json: bool) -> None:
    """Print a study in a few figures."""
    summary = study.summary()
    tell(study.abstraction.notices_)

    def tables() -> Iterable[Table | str]:
        rows = []
        for key, value in summary.items():
            if isinstance(value, dict):
                rows += [{"": f"{key} {part}", " ": figure} for part, figure in value.items()]
            else:
                rows.append({"": _CALLED.get(key, key), " ": _figure(key, value)})
        yield table(rows)
        if study.sweep:
            keys = ("states", "fidelity_step", "fidelity_final", "purity", "stability")
            yield table([{key: quality.record()[key] for key in keys} for quality in study.sweep], "Sweep")

    data = summary | ({"sweep": [quality.record() for quality in study.sweep]} if study.sweep else {})
    print_data(as_json, data, tables)
