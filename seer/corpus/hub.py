"""Data sets of the Hugging Face hub, with the splits they bring."""

from __future__ import annotations

import os
import re
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock, Thread
from typing import Any, cast

from seer.corpus.asked import Asked
from seer.corpus.assemble import Part
from seer.corpus.bridge import arrow_table, class_names, first_line, repaired
from seer.corpus.columns import Columns
from seer.corpus.reading import HEAD, Reading, table_read, table_sample
from seer.errors import DataError

HUB_NAME = re.compile(r"[\w-][\w.-]{0,95}(/[\w-][\w.-]{0,95})?")
"""What the name of a hub data set looks like: ``owner/name`` or ``name``, of up to 96 characters each."""

_PROBE_SECONDS = 3.0
_offline_switch = Lock()


def read_hub(
    name: str, asked: Asked, config: str | None, revision: str | None, reading: Reading
) -> tuple[list[Part], Columns, str | None]:
    """Load a data set from the hub, or from the cache of ``datasets`` when the hub cannot be reached.

    Args:
        name: ``owner/name`` on the hub.
        asked: what is known of the columns.
        config: the set's configuration, where it has several.
        revision: branch, tag or commit.
        reading: told what is understood.

    Returns:
        a part a split, the columns, the commit that was loaded when it is known.

    Raises:
        DataError: no network and not in the cache, no such set, a set that needs a script, or a missing configuration.
    """
    import datasets  # here, since it takes up to a second and the built-in sets do without it
    from huggingface_hub.errors import HfHubHTTPError

    # The root of the errors of the hub's HTTP client, whichever client it uses.
    http_error = cast("type[Exception]", HfHubHTTPError.__bases__[0])
    online = _reachable(datasets.config.HF_ENDPOINT)
    try:
        with _offline(datasets, not online):
            found = datasets.load_dataset(name, config, revision=revision)
    except (OSError, ValueError, RuntimeError, http_error, datasets.exceptions.DatasetsError) as error:
        raise DataError(_explain(error, name, config, online)) from error
    if not online:
        reading.notices.append(f"The hub cannot be reached; the copy of {name} in the cache was used.")
        if revision:
            reading.notices.append(f"Whether that copy is the revision {revision} could not be checked.")
    for split, dataset in found.items():
        head, _ = repaired(arrow_table(dataset.select(range(min(HEAD, len(dataset))))), name)
        count = len(dataset)
        reading.note(replace(table_read(str(split), name, head), records=count, read=count))
    first = next(iter(found.values()))
    columns = asked.choose(first.column_names, name, lambda: table_sample(repaired(arrow_table(first), name)[0]))
    parts, commit = [], revision
    for split, dataset in found.items():
        commit = _commit(dataset) or commit
        kept = [column for column in dataset.column_names if column in columns.names or column.strip().lower() == "id"]
        narrow = dataset.select_columns(kept)
        table, said = repaired(arrow_table(narrow), f"{name}, {split},")
        reading.notices += said
        parts.append(Part(str(split), table, class_names=class_names(narrow)))
    return parts, columns, commit


def _reachable(endpoint: str) -> bool:
    """Whether the hub answers within seconds; its own client would retry for half a minute."""
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "ON", "YES", "TRUE"}:
        return False
    answers: list[bool] = []

    def ask() -> None:
        try:
            urllib.request.urlopen(urllib.request.Request(endpoint, method="HEAD"), timeout=_PROBE_SECONDS).close()
            answers.append(True)
        except urllib.error.HTTPError:
            answers.append(True)
        except OSError as error:
            # A certificate that Python alone does not trust is still an answer.
            answers.append(isinstance(getattr(error, "reason", error), ssl.SSLError))

    # A thread, since no timeout covers the search for the hub's address.
    thread = Thread(target=ask, daemon=True)
    thread.start()
    thread.join(_PROBE_SECONDS + 1)
    return bool(answers and answers[0])


@contextmanager
def _offline(datasets: Any, switch: bool) -> Iterator[None]:
    """Let ``datasets`` look only into its cache, when ``switch`` says so."""
    if not switch:
        yield
        return
    from huggingface_hub import constants

    with _offline_switch:
        before = datasets.config.HF_HUB_OFFLINE, constants.HF_HUB_OFFLINE
        datasets.config.HF_HUB_OFFLINE = constants.HF_HUB_OFFLINE = True
        try:
            yield
        finally:
            datasets.config.HF_HUB_OFFLINE, constants.HF_HUB_OFFLINE = before


def _explain(error: BaseException, name: str, config: str | None, online: bool) -> str:
    said = first_line(error)
    if not online or isinstance(error, ConnectionError):
        return (
            f"The Hugging Face hub cannot be reached, and {name} is not in the cache. Check the network, or load the "
            "set from a file. Names of files end in .csv, .tsv, .json, .jsonl or .parquet."
        )
    if "scripts are no longer supported" in str(error):
        return (
            f"{name} is made by a script of its own, which is not run for safety. Take a copy of the set in Parquet "
            "(revision refs/convert/parquet, where the hub has one) or download its files and load those."
        )
    if "gated" in said:
        return f"{name} asks for a permission on the hub: {said} Log in with `hf auth login`, then try again."
    if isinstance(error, FileNotFoundError):
        return f"The hub has no data set {name} that can be read here: {said} Check the name and the revision."
    if "config" in said.lower():
        asked = f"no configuration {config}" if config else "several configurations"
        return f"{name} has {asked}; name one with config=…: {' '.join(str(error).split())[:300]}"
    return f"{name} cannot be loaded from the hub: {said}"


def _commit(dataset: Any) -> str | None:
    """The commit that the files came from, out of the addresses that ``datasets`` noted."""
    for address in dataset.info.download_checksums or ():
        found = re.search(r"@([0-9a-f]{40})/", str(address))
        if found:
            return found[1]
    return None
