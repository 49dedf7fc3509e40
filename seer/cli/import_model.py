"""The command that makes a study of a model that was trained elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from seer.cli.data import DataOptions, reads_data
from seer.cli.options import AnalysisOptions, takes
from seer.cli.output import Bars, Json, print_data, table, tell
from seer.cli.studies import show_study
from seer.imports.check import ImportCheck, check_import
from seer.imports.infer import Choices
from seer.imports.mismatch import shape_text
from seer.imports.reading import SPLITS, Reading
from seer.imports.study import write_import
from seer.models.classifier import CELLS
from seer.models.readout import ACTIVATIONS, PADDED, READ_OUTS
from seer.storage import check_free

_DATA = Annotated[str, typer.Option("--data", metavar="DATA", help="Labelled data: set known by name, file, hub set.")]


@takes(AnalysisOptions)
@reads_data(without={"folder", "phrases", "task", "second"}, data=_DATA)
def import_model(
    *,
    weights: Annotated[
        Path, typer.Argument(metavar="WEIGHTS", help="safetensors, or a PyTorch file of plain weights.")
    ],
    tokenizer: Annotated[Path, typer.Option(help="tokenizer.json, vocab.txt (WordPiece) or a word list.")],
    data: DataOptions,
    out: Annotated[Path | None, typer.Option(help="Folder of the study to make; not with --check.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the study; the folder's by default.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Show what was understood and the accuracy; write nothing.")
    ] = False,
    classes: Annotated[str | None, typer.Option(help="Classes in the order of the outputs, as neg,pos.")] = None,
    cell: Annotated[str | None, typer.Option(help=f"{', '.join(CELLS)}; from the weights by default.")] = None,
    read_out: Annotated[str, typer.Option(help=f"What the head reads: {', '.join(READ_OUTS)}.")] = "last",
    length: Annotated[
        int | None, typer.Option(help="Words that longer texts are cut to, and padded ones filled up to.")
    ] = None,
    cut: Annotated[str, typer.Option(help="End at which a long text is cut: right or left.")] = "right",
    activation: Annotated[
        str | None, typer.Option(help=f"Between layers of the head: {', '.join(ACTIVATIONS)}.")
    ] = None,
    sigmoid: Annotated[
        bool | None, typer.Option("--sigmoid/--softmax", help="Of the head; by its outputs by default.")
    ] = None,
    lowercase: Annotated[
        bool | None,
        typer.Option("--lowercase/--no-lowercase", help="Read upper case as lower case; from the words by default."),
    ] = None,
    word_split: Annotated[
        str | None, typer.Option(help=f"For a word list: {', '.join(SPLITS)}; by known words by default.")
    ] = None,
    special_tokens: Annotated[
        bool, typer.Option("--special-tokens", help="Put [CLS], [SEP] around each text.")
    ] = False,
    expect: Annotated[float | None, typer.Option(help="Stop unless the accuracy is this, within 0.005.")] = None,
    without_sentences: Annotated[
        bool, typer.Option("--without-sentences", help="Do not store the sentences; read them again when it opens.")
    ] = False,
    analysis: AnalysisOptions,
    as_json: Json = False,
) -> None:
    """Make a study of a model that was trained elsewhere; its accuracy is shown first."""
    if out is None and not check:
        raise typer.BadParameter("Name the study's folder with --out, or ask for --check alone.")
    settings = analysis.settings(data.seed)
    if out is not None:
        check_free(out)
    corpus = data.load(**({"split": "test"} if data.one_file else {}))  # nothing is trained here: no row is shared out
    tell(corpus.notices)
    with Bars() as bars:
        found = check_import(
            weights,
            tokenizer,
            corpus,
            choices=Choices(cell, activation, read_out, length if read_out in PADDED else None, sigmoid),
            reading=Reading(lowercase, word_split, special_tokens, length, cut),
            classes=None if classes is None else [part.strip() for part in classes.split(",")],
            progress=bars,
        )
    tell([*found.warnings, *found.corpus.notices[len(corpus.notices) :], *found.notes])
    if expect is not None:
        found.expect(expect)
    if check or out is None:
        print_data(as_json, found.record(), lambda: _tables(found))
        return
    if not as_json:
        print_data(False, None, lambda: _tables(found))
    with Bars() as bars:
        study = write_import(
            found,
            out,
            name=name,
            analysis=settings,
            keep_sentences=not without_sentences,
            sweep=analysis.sweep,
            progress=bars,
        )
    show_study(study, as_json)


def _tables(found: ImportCheck) -> Iterable[Table | str]:
    """What was understood, tensor by tensor, and the accuracy."""
    yield table(
        [{"tensor": use.name, "shape": shape_text(use.shape), "used as": use.use} for use in found.inferred.uses]
    )
    rows: list[dict[str, Any]] = [
        {"": "model", " ": found.model.architecture.describe()},
        {"": "vocabulary", " ": f"{found.vocabulary.size:,} words, {found.vocabulary.kind}"},
        {"": "classes", " ": ", ".join(found.corpus.classes)},
    ]
    rows += [
        {
            "": f"accuracy {each.split}",
            " ": f"{each.value:.4f} ({each.right:,} of {each.labelled:,}; largest class {each.largest:.4f})",
        }
        for each in found.accuracies
    ]
    yield table(rows)
