"""Links: what is gone is named on every page, and no link writes anything."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from seer.study import DEMO, Study
from seer.ui.codec import CODECS
from tests.pages.test_every_page import PAGES
from tests.pages.test_notes import APP, said

GONE = {
    "study": ("nowhere", "There is no study 'nowhere' here"),
    "split": ("dev", "This study has no split 'dev'."),
    "state": ("99", "This study has no state S99."),
    "edge": ("3-99", "This study has no transition S3 → S99."),
    "path": ("1-99", "This study has no pattern S1 → S99."),
    "word": ("zzqx", "This study has no word 'zzqx'."),
    "true": ("x", "This study has no class 'x'."),
    "pred": ("y", "This study has no class 'y'."),
    "row": ("zz", "This study has no sentence 'zz'."),
    "job": ("1", "The link's “job” is not known here and was left out."),
    "len": ("many", "The link's len “many” was left out"),
}
"""A value that is gone, by its key in the link, and what is said of it."""

WISHES = {
    "text": "<script>fetch('/x')</script>",
    "edited": "a bad film",
    "q": "x'; DROP TABLE note; --",
    "study": "../mine",
    "v.delete": "mine",
    "v.page": "-1",
    "z" + "q": "////",
}
"""Values of keys that are known, as somebody would choose them who wants more than to look."""

ACTIONS = ("new-start", "shelf-delete-yes", "delete", "upload", "out", "note", "cause", "note-undo", "job-stop", "run")


def changing(test: AppTest, **query: str) -> AppTest:
    """Another link in the same session."""
    for key in list(test.query_params):
        del test.query_params[key]
    for key, value in query.items():
        test.query_params[key] = value
    return test.run()


@pytest.fixture
def studies(small_study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "studies"
    shutil.copytree(small_study.folder, folder / "mine")
    monkeypatch.setenv("SEER_STUDIES", str(folder))
    return folder


def everything(*folders: Path) -> dict[str, tuple[int, int]]:
    """Size and time of all that lies there."""
    paths = [path for folder in folders if folder.exists() for path in (folder, *folder.rglob("*"))]
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in paths}


@pytest.mark.parametrize("page", [*PAGES, "studies"])
def test_no_link_writes_and_what_is_gone_is_named(studies: Path, notes_folder: Path, page: str) -> None:
    """On a server where everything may be changed."""
    assert {codec[0] for codec in CODECS.values()} - GONE.keys() == {"outcome", "q", "regex", "conf", "text", "edited"}
    before = everything(studies, notes_folder, DEMO)
    test = AppTest.from_file(APP, default_timeout=60)
    test.query_params["study"] = "mine"
    test.run().switch_page(f"pages/{page}.py").run()
    gone = {key: value for key, (value, _) in GONE.items() if key != "study"}
    changing(test, study="mine", **gone)
    for key, (_, sentence) in GONE.items():
        assert key == "study" or sentence in said(test), key
    changing(test, **{key: value for key, (value, _) in GONE.items()})
    assert GONE["study"][1] in said(test)
    changing(test, **{**WISHES, **dict.fromkeys(ACTIONS, "mine")})
    assert "There is no study '../mine' here" in said(test)
    changing(test, study="mine", outcome="wrong", conf="0..1", regex="1", q="(", **dict.fromkeys(ACTIONS, "1"))
    assert not test.exception
    assert everything(studies, notes_folder, DEMO) == before
