"""Options that several commands take: declared once in a dataclass, one field an option."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import MISSING, Field, dataclass, fields
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from seer.analysis import AnalysisSettings

Command = Callable[..., None]


def takes(
    kind: type, *, without: Collection[str] = (), optional: bool = False, **changed: Any
) -> Callable[[Command], Command]:
    """Give a command the options of a dataclass in the place of its parameter of that type.

    Args:
        kind: the dataclass; each field is annotated as an option of typer.
        without: fields that make no sense for the command; they keep their default.
        optional: fields without a default may be left out; they are then empty.
        changed: other declarations for some fields.
    """

    def give(command: Command) -> Command:
        hints = get_type_hints(command, include_extras=True)
        declared = get_type_hints(kind, include_extras=True) | changed
        options = [
            _parameter(field, declared[field.name], "" if optional else inspect.Parameter.empty)
            for field in fields(kind)
            if field.name not in without
        ]
        names = {option.name for option in options}
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
            for parameter in inspect.signature(command).parameters.values()
        ]
        taker = next(place for place, parameter in enumerate(own) if parameter.annotation is kind)

        @wraps(command)
        def run(**given: Any) -> None:
            asked = kind(**{name: given.pop(name) for name in names})
            command(**given, **{own[taker].name: asked})

        offered = [*own[:taker], *options, *own[taker + 1 :]]
        vars(run)["__signature__"] = inspect.Signature(offered)
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in offered}
        return run

    return give


def _parameter(field: Field[Any], annotation: Any, missing: Any) -> inspect.Parameter:
    default = missing if field.default is MISSING else field.default
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


@dataclass(frozen=True)
class AnalysisOptions:
    """What a person said about the states; see ``AnalysisSettings``."""

    method: Annotated[str | None, typer.Option(help="kmeans or gmm (diagonal mixture).")] = None
    states: Annotated[int | None, typer.Option(help="Number of states.")] = None
    components: Annotated[int | None, typer.Option(help="Principal components kept.")] = None
    preset: Annotated[str, typer.Option(help="default (kmeans, 20 states) or paper (mixture, 39 states).")] = "default"
    sweep: Annotated[bool, typer.Option("--sweep", help="Measure the quality for other numbers of states too.")] = False

    def settings(self, seed: int) -> AnalysisSettings:
        """The settings of the analysis; its errors are those of ``AnalysisSettings.preset``."""
        return AnalysisSettings.preset(
            self.preset, method=self.method, states=self.states, components=self.components, seed=seed
        )
