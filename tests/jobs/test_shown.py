"""People see the names of their files and studies, not the folders of the server."""

import shlex
import time
from pathlib import Path

from seer.jobs.commands import classify_command, data_command, import_command
from seer.jobs.record import Job
from seer.jobs.shown import job_command, shown_command, shown_text
from seer.study import DEMOS
from seer.uploads import store_upload


def test_a_command_names_files_as_their_owner_does(studies: Path) -> None:
    data, test = store_upload("../my data.csv", b"1"), store_upload("b.csv", b"2")
    argv = data_command(
        "train", str(data.path), studies / "a b", {"called": "my data.csv", "test": str(test.path), "text": "x"}
    )
    names = {data.path.name: data.name, test.path.name: test.name}
    words = shlex.split(shown_command(argv, names))
    assert words[3:] == ["train", "--out=studies/a b", "--test=b.csv", "--text=x", "--", "my data.csv"]


def test_a_job_shows_no_folder_of_the_server(studies: Path) -> None:
    data, weights = store_upload("data.csv", b"1"), store_upload("w.pt", b"2", (".pt",))
    called = {"called": "data.csv"}
    commands = (
        import_command("import", str(weights.path), str(data.path), studies / "x", called),
        classify_command(studies / "x", str(data.path), {"split": "new", **called}),
        classify_command(DEMOS["demo"], str(data.path), {"out": studies / "x", **called}),
        classify_command(DEMOS["demo-pairs"], str(data.path), {"out": studies / "x", **called}),
    )
    label = f"data.csv ({data.short})"
    shown = [job_command(Job("1", "x", argv, "x", label, "Ana", "done", time.time())) for argv in commands]
    assert shown == [
        f"python -m seer import --out=studies/x --data=data.csv -- {weights.path.name}",
        "python -m seer classify --split=new -- studies/x data.csv",
        "python -m seer classify --out=studies/x -- demo data.csv",
        "python -m seer classify --out=studies/x -- demo-pairs data.csv",
    ]


def test_a_log_shows_no_folder_of_the_server(studies: Path, root: Path) -> None:
    upload = store_upload("data.csv", b"1")
    log = f"{studies}/x cannot be written; {upload.path}, line 3; File {root}/seer/build.py"
    assert shown_text(log) == f"studies/x cannot be written; {upload.path.name}, line 3; File seer/build.py"
