"""The command that reads new data with a study's model: one more split of the study."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from seer.apply import Added, add_split, check_addable
from seer.cli.data import DataOptions, reads_data
from seer.cli.output import Bars, Json, StudyName, UsualSplit, chosen_split, print_data, table, tell
from seer.listing import listed_name
from seer.notes import notes_path
from seer.rare import RarePaths, rare_paths
from seer.rates import number
from seer.slices import class_reports, confusion_matrix
from seer.study import Study
from seer.text import PAIR_BREAK

MOST_PATHS = 20
"""Rarest paths shown."""

_CUT = 70
_FILE = Annotated[str, typer.Argument(metavar="FILE", help="New data, labelled or not: file, known set, or hub set.")]
_NAME = Annotated[str | None, typer.Option("--split", help="Name of the new split; the file's by default.")]


@reads_data(without={"validation", "test", "folder", "phrases", "task"}, data=_FILE)
def classify(
    study: StudyName,
    data: DataOptions,
    split: _NAME = None,
    out: Annotated[
        Path | None, typer.Option(help="Write a copy with the new split here and leave STUDY as it is.")
    ] = None,
    paths: Annotated[int, typer.Option(min=0, help="Rarest paths to show.")] = MOST_PATHS,
    as_json: Json = False,
) -> None:
    """Read new data with a study's model and states, and add them to the study as one more split.

    Shows how many of each class were predicted, the accuracy where there are labels, and the sentences whose path the
    training sentences took least.
    """
    opened = Study.open(study)
    name = split or split_name(data.data)
    check_addable(opened, name, out)
    one_split = {"split": name} if data.one_file or data.packaged else {}
    own = {"like": opened.corpus.source}  # columns are looked for under the names that the study's own have
    corpus = data.load(pairs=opened.paired, labelled=data.labels_if_any, **one_split, **own)
    with Bars() as bars:
        added = add_split(opened, corpus, name, folder=out, progress=bars)
    book = notes_path(opened.folder, listed_name(opened.folder))
    left = [f"The notes on {opened.name} stay there; the page Plan exports and imports them."]
    tell([*added.notices, *(left if out is not None and book.exists() else [])])
    rare = rare_paths(added.study, name)
    record = _record(added, rare, paths)
    print_data(as_json, record, lambda: _tables(added, record, rare))


def rare(
    study: StudyName,
    split: UsualSplit = None,
    top: Annotated[int, typer.Option(min=1, help="Rarest paths to show.")] = MOST_PATHS,
    as_json: Json = False,
) -> None:
    """List the sentences whose path the training sentences took least: where new data differ first."""
    opened = Study.open(study)
    found = rare_paths(opened, chosen_split(opened, split))
    records = found.records(opened, top)
    print_data(
        as_json, {"reference": found.reference, "paths": records}, lambda: [rare_table(records, found.reference)]
    )


def split_name(data: str) -> str:
    """A file's name without its endings."""
    return Path(data).name.split(".")[0]


def _record(added: Added, rare: RarePaths, paths: int) -> dict[str, Any]:
    study, split = added.study, added.split
    rows, accuracy = study.rows(split), study.accuracy(split)
    prediction = study.traces.prediction[rows]
    counts = np.bincount(prediction[prediction >= 0], minlength=len(study.classes)).tolist()
    return {
        "study": study.name,
        "folder": str(study.folder),
        "hash": study.hash,
        "split": split,
        "rows": len(rows),
        "words": int(study.traces.lengths[rows].sum()),
        "without_words": int((study.traces.lengths[rows] == 0).sum()),
        "labelled": accuracy.labelled,
        "right": accuracy.right,
        "accuracy": number(accuracy.value),
        "accuracy_low": number(accuracy.low),
        "accuracy_high": number(accuracy.high),
        "predictions": dict(zip(study.classes, counts, strict=True)),
        "classes": [vars(report) for report in class_reports(confusion_matrix(study, rows), study.classes)]
        if accuracy.labelled
        else [],
        "unknown_classes": dict(added.unknown),
        "absent_classes": list(added.absent),
        "duplicates": added.duplicates,
        "repeated": dict(added.repeated),
        "notices": list(added.notices),
        "rare_reference": rare.reference,
        "rare_paths": rare.records(study, paths),
    }


def _tables(added: Added, record: dict[str, Any], rare: RarePaths) -> Iterable[Table | str]:
    labelled = f"{record['labelled']:,} labelled" if record["labelled"] else "none labelled"
    size = f"{record['rows']:,} rows, {record['words']:,} words, {labelled}"
    yield escape(f"{record['split']}: {size}, added to {record['folder']}.")
    if record["labelled"]:
        yield (
            f"Accuracy {record['accuracy']:.3f} ({record['right']:,} of {record['labelled']:,}; 95 %: "
            f"{record['accuracy_low']:.3f}–{record['accuracy_high']:.3f})."
        )
    reports = {report["name"]: report for report in record["classes"]}
    total = max(1, sum(record["predictions"].values()))
    yield table(
        [
            {"class": name, "predicted": count, "share": count / total}
            | {key: reports[name][key] for key in ("support", "precision", "recall") if name in reports}
            for name, count in record["predictions"].items()
        ]
    )
    if record["rare_paths"]:
        yield rare_table(record["rare_paths"], rare.reference)


def rare_table(records: list[dict[str, Any]], reference: str) -> Table:
    """The rarest step of each sentence, a row a sentence."""
    return table(
        [
            {
                "id": row["id"],
                "predicted": row["predicted"],
                "step (taken)": f"{row['source'] or 'start'}→{row['target']} ({row['count']:,}×)",
                "word": row["word"],
                "text": _line(row["text"]),
            }
            for row in records
        ],
        f"Rarest paths: the step that {reference} took least",
        room="text",
    )


def _line(text: str) -> str:
    """A text in one line, cut."""
    line = " ".join(text.replace(PAIR_BREAK, " ⏎ ").split())
    return line if len(line) <= _CUT else f"{line[: _CUT - 1]}…"
