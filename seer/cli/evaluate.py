"""Commands that measure whether the methods find what is known to be there, or what the model goes by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer
from rich.table import Table

from seer.cli.output import Bars, Json, Methods, StudyName, names, print_data, table, tell
from seer.corpus import load_corpus
from seer.evaluation.alignments import MOST_WORDS, Alignments
from seer.evaluation.alignments import alignments as measure_alignments
from seer.evaluation.arithmetic import Arithmetic
from seer.evaluation.arithmetic import arithmetic as measure_arithmetic
from seer.evaluation.composition import Composition
from seer.evaluation.composition import composition as measure_composition
from seer.evaluation.deletion import Deletion
from seer.evaluation.deletion import deletion as measure_deletion
from seer.evaluation.means import Mean
from seer.evaluation.planted import planted_bug
from seer.evaluation.vectors import SentenceVectors, sentence_vectors
from seer.rates import number
from seer.relevance.lrp import STEADY
from seer.relevance.methods import METHODS
from seer.relevance.stability import is_unstable, unstable_line
from seer.study import Study

app = typer.Typer(no_args_is_help=True)

MOST_PHRASES = 15

Where = Annotated[str | None, typer.Option("--split", help="Split whose sentences are explained; test by default.")]
Seed = Annotated[int, typer.Option(help="Of whatever is drawn at random.")]
Eps = Annotated[float | None, typer.Option(help="LRP's stabiliser; a larger one, as 0.1, steadies it.")]


@app.callback()
def evaluate() -> None:
    """Experiments: do the methods find what is known to be there?"""


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


@app.command()
def arithmetic(
    models: Annotated[int, typer.Option(help="Nets a task.")] = 10,
    seed: Annotated[int, typer.Option(help="Of sequences and nets.")] = 0,
    as_json: Json = False,
) -> None:
    """Train LSTMs of one unit to add and to subtract two numbers, and see which methods find the numbers."""
    with Bars() as bars:
        found = measure_arithmetic(models=models, seed=seed, progress=bars)
    print_data(as_json, found.record(), lambda: _arithmetic_tables(found))


def _arithmetic_tables(found: Arithmetic) -> Iterable[Table]:
    for part in found.tasks:
        rows = [
            {
                "method": score.title,
                "correlation\na, %": _percent(score.correlation_a),
                "correlation\nb, %": _percent(score.correlation_b),
                "squared\nerror": score.squared_error,
                "elsewhere": score.elsewhere,
            }
            for score in part.scores
        ]
        yield table(
            rows,
            f"{part.task.capitalize()}: {part.models} nets of {part.tries} tried, mean squared error {part.error:.1e} "
            f"on {found.sequences:,} sequences, memory near {part.memory:.3f}",
        )


@app.command()
def deletion(
    study: StudyName,
    method: Methods = None,
    split: Where = None,
    most: Annotated[int | None, typer.Option(help="Draw so many sentences; all by default.")] = None,
    deletions: Annotated[int, typer.Option(help="Words deleted from each sentence.")] = 5,
    least_words: Annotated[int, typer.Option(help="Leave shorter sentences out.")] = 10,
    seed: Seed = 0,
    eps: Eps = None,
    as_json: Json = False,
) -> None:
    """Delete words in the order of their relevance for the true class, and see what becomes of the predictions."""
    opened = Study.open(study)
    with Bars() as bars:
        found = measure_deletion(
            opened,
            methods=names(method),
            split=split,
            most=most,
            deletions=deletions,
            least_words=least_words,
            seed=seed,
            settings=_settings(eps),
            progress=bars,
        )
    _tell_unstable(found.strain)
    print_data(as_json, found.record(), lambda: _deletion_tables(found))


def _deletion_tables(found: Deletion) -> Iterable[Table]:
    curves = [curve.record() for curve in found.curves]
    for group, order, count in (
        ("correct", "falling", found.correct),
        ("wrong", "rising", found.wrong),
        ("wrong", "falling", found.wrong),
    ):
        rows = [
            {"method": curve["title"], **{str(place): share for place, share in enumerate(curve["accuracy"])}}
            for curve in curves
            if (curve["group"], curve["order"]) == (group, order)
        ]
        where = f"{count:,} {group} sentences of the {found.split} split{_settings_line(found.settings)}"
        yield table(rows, f"{where}: accuracy after 0, 1, … deletions by {order} relevance")


@app.command()
def vectors(
    study: StudyName,
    method: Methods = None,
    split: Where = None,
    most: Annotated[int, typer.Option(help="Most sentences.")] = 1000,
    neighbours: Annotated[int, typer.Option(help="Nearest neighbours asked for their class.")] = 5,
    seed: Seed = 0,
    eps: Eps = None,
    as_json: Json = False,
) -> None:
    """Weigh word vectors by relevance, and see whether the sums' neighbours share a class more often."""
    opened, methods = Study.open(study), names(method)
    chosen = {} if methods is None else {"methods": methods}
    with Bars() as bars:
        found = sentence_vectors(
            opened,
            split=split,
            most=most,
            neighbours=neighbours,
            seed=seed,
            settings=_settings(eps),
            progress=bars,
            **chosen,
        )
    _tell_unstable(found.strain)
    print_data(as_json, found.record(), lambda: [_vectors_table(found)])


def _vectors_table(found: SentenceVectors) -> Table:
    rows: list[dict[str, Any]] = [
        {
            "vectors": kind.title,
            "label agreement": kind.label_agreement,
            "prediction agreement": kind.prediction_agreement,
        }
        for kind in found.maps
    ]
    rows.append(
        {
            "vectors": "Chance",
            "label agreement": found.label_chance,
            "prediction agreement": found.prediction_chance,
        }
    )
    where = f"{len(found.rows):,} sentences of the {found.split} split{_settings_line(found.settings)}"
    return table(rows, f"Share of {found.neighbours} nearest neighbours of the same class: {where}")


@app.command()
def composition(
    study: StudyName,
    method: Annotated[str, typer.Option(help="Relevance method.")] = "lrp",
    split: Where = None,
    positive: Annotated[str | None, typer.Option(help="Positive class; the last one by default.")] = None,
    negative: Annotated[str | None, typer.Option(help="Negative class; the first one by default.")] = None,
    most: Annotated[int, typer.Option(help="Most sentences.")] = 2000,
    eps: Eps = None,
    as_json: Json = False,
) -> None:
    """See how the model reads a negation or an amplifier before a polar word, as in “not bad”."""
    opened = Study.open(study)
    with Bars() as bars:
        found = measure_composition(
            opened,
            method=method,
            split=split,
            positive=positive,
            negative=negative,
            most=most,
            progress=bars,
            **({} if eps is None else {"eps": eps}),
        )
    _tell_unstable({found.method: found.strain})
    print_data(as_json, found.record(), lambda: _composition_tables(found))


def _composition_tables(found: Composition) -> Iterable[Table]:
    parts = {
        "modifier_positive": f"modifier\n{found.positive}",
        "word_positive": f"word\n{found.positive}",
        "modifier_negative": f"modifier\n{found.negative}",
        "word_negative": f"word\n{found.negative}",
    }
    where = f"{found.sentences:,} {found.split} sentences{_settings_line({found.method: found.settings})}"
    for readings, column, title in (
        (found.readings, "composition", f"Median relevance for each class, mean ± error below it; {where}"),
        (found.phrases[:MOST_PHRASES], "phrase", "The most frequent phrases"),
    ):
        rows = [
            {column: getattr(reading, column), "count": reading.count}
            | {shown: _median_line(getattr(reading, part)) for part, shown in parts.items()}
            for reading in readings
        ]
        yield table(rows, title)
    keys = {"phrase": "phrase", "label": "label", "prediction": "prediction", "excerpt": "text"}
    yield table([{shown: getattr(one, key) for key, shown in keys.items()} for one in found.examples], "Examples")


def _median_line(mean: Mean) -> str:
    """The median, and the mean with its error in a second line; empty without an occurrence."""
    if number(mean.value) is None:
        return ""
    error = "" if number(mean.error) is None else f" ± {mean.error:.2f}"
    return f"{mean.median:+.2f}\n{mean.value:+.2f}{error}"


def _settings(eps: float | None) -> dict[str, dict[str, Any]] | None:
    return None if eps is None else {"lrp": {"eps": eps}}


def _settings_line(settings: Mapping[str, Mapping[str, Any]]) -> str:
    """The settings given, to be put behind the sentences measured."""
    told = [f"{METHODS[name].title}: {key} {value:g}" for name, own in settings.items() for key, value in own.items()]
    return f", {', '.join(told)}" if told else ""


def _tell_unstable(strain: Mapping[str, tuple[float, float]]) -> None:
    """Say which methods give single words many times the logit, and what helps LRP."""
    for name, (size, logit) in strain.items():
        if METHODS[name].signed and is_unstable(size, logit):
            cure = f" A larger eps steadies it: --eps {STEADY:g}." if name == "lrp" else ""
            tell([unstable_line(METHODS[name].title, size, logit) + cure])


@app.command()
def alignments(
    study: StudyName,
    split: Where = None,
    pairs: Annotated[int, typer.Option(help="Most sentence pairs.")] = 500,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Take pairs of words and words out of sentence pairs, and see which measures tell what a prediction hangs on."""
    opened = Study.open(study)
    with Bars() as bars:
        found = measure_alignments(opened, split=split, pairs=pairs, seed=seed, progress=bars)
    print_data(as_json, found.record(), lambda: _alignment_tables(found))


def _alignment_tables(found: Alignments) -> Iterable[Table | str]:
    record = found.record()
    signed = {"measure": "signed saliency, with the sign of the effect", "rank correlation": record["signed"]}
    rows = [{"measure": name, "rank correlation": value} for name, value in record["correlation"].items()]
    where = f"{found.pairs:,} sentence pairs of the {found.split} split"
    yield table([*rows, signed], f"Effect of taking out each of {found.removed:,} pairs of words: {where}")
    flips = [{"word put first by": name, "predictions changed": value} for name, value in record["flips"].items()]
    yield table(flips, f"Deleting one word: {where}")
    if record["ratio"] is not None:
        yield f"The word with the most salient gates changes {found.ratio:.2f}× as many predictions as a random word."
    if found.left_out:
        yield f"{found.left_out:,} pairs were left out: a side has no word, or more than {MOST_WORDS} words."


def _percent(share: float) -> float | None:
    value = number(share)
    return None if value is None else 100 * value
