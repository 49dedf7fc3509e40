"""Between the library ``datasets`` and Arrow tables."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import pyarrow as pa

from seer.errors import DataError

_settings = Lock()


def arrow_table(dataset: Any) -> pa.Table:
    """The rows of a ``datasets.Dataset`` as an Arrow table; a selection or shuffle on it is honoured."""
    table: pa.Table = dataset.with_format("arrow")[:]
    return table.replace_schema_metadata(None)


def class_names(dataset: Any) -> dict[str, tuple[str, ...]]:
    """Names of each ``ClassLabel`` column of a ``datasets.Dataset``, in their own order."""
    return {name: tuple(kind.names) for name, kind in dataset.features.items() if hasattr(kind, "int2str")}


@contextmanager
def quiet_reader(path: Path) -> Iterator[tuple[Any, Path, dict[str, Any]]]:
    """``datasets`` without its progress bars and log lines, a place for a copy of the file, and a cache that goes away.

    The copy has a plain name, since ``datasets`` reads ``[`` and ``*`` in a name as a pattern. The private cache keeps
    a file from being mistaken for another one that had its name.

    Raises:
        DataError: for what ``datasets`` raises inside.
    """
    import datasets  # here, since it takes up to a second and the built-in sets do without it

    with tempfile.TemporaryDirectory(prefix="seer-") as folder, _settings:
        bars, level = datasets.utils.are_progress_bars_disabled(), datasets.utils.logging.get_verbosity()
        datasets.disable_progress_bars()
        datasets.utils.logging.set_verbosity(datasets.utils.logging.CRITICAL)
        try:
            yield datasets, Path(folder, f"data{path.suffix.lower()}"), {"cache_dir": folder, "keep_in_memory": True}
        except (OSError, ValueError, datasets.exceptions.DatasetsError) as error:
            raise DataError(f"{path.name} cannot be read as a {path.suffix[1:]} file: {first_line(error)}") from error
        finally:
            datasets.utils.logging.set_verbosity(level)
            if not bars:
                datasets.enable_progress_bars()


def first_line(error: BaseException) -> str:
    """The first line of the deepest cause, where ``datasets`` puts what happened."""
    while error.__cause__ is not None:
        error = error.__cause__
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
