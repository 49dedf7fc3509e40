"""The command that makes a study of hidden states and predictions alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seer.cli.data import DataOptions, reads_data
from seer.cli.options import AnalysisOptions, takes
from seer.cli.output import Bars, Json, tell
from seer.cli.studies import show_study
from seer.recorded import USUAL_SPLIT, read_states, study_of_states
from seer.storage import check_free

_DATA = Annotated[
    str, typer.Option("--data", metavar="DATA", help="File with texts and labels, in the order of FILE's rows.")
]
_LEFT_OUT = {"folder", "phrases", "task", "second", "validation", "test", "config", "revision", "limit"}


@takes(AnalysisOptions)
@reads_data(without=_LEFT_OUT, optional=True, data=_DATA)
def import_states(
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help=".npz or .parquet with states and predictions.")],
    data: DataOptions,
    out: Annotated[Path, typer.Option(help="Folder of the study to make.")],
    name: Annotated[str | None, typer.Option(help="Name of the study; the folder's by default.")] = None,
    classes: Annotated[str | None, typer.Option(help="Classes in the order of the predictions, as neg,pos.")] = None,
    split: Annotated[str, typer.Option(help="Split of rows that name none.")] = USUAL_SPLIT,
    analysis: AnalysisOptions,
    as_json: Json = False,
) -> None:
    """Make a study without a model, of hidden states and predictions that something else computed.

    An .npz holds states, lengths (or offsets), probability (or logits), and may hold texts, tokens, labels, classes,
    splits, ids. A Parquet file holds a row a sentence: text or tokens, label, states, predictions, maybe split and id.
    """
    check_free(out)
    settings = analysis.settings(data.seed)
    rows = data.load(split=split, labelled=data.labels_if_any) if data.data else None
    named = None if classes is None else [part.strip() for part in classes.split(",")]
    found = read_states(file, rows=rows, classes=named, split=split)
    tell(found.corpus.notices)
    with Bars() as bars:
        study = study_of_states(
            out,
            found.corpus,
            states=found.states,
            lengths=found.lengths,
            probability=found.probability,
            tokens=found.tokens,
            name=name,
            analysis=settings,
            sweep=analysis.sweep,
            progress=bars,
        )
    show_study(study, as_json)
