"""A split that was added to a study: one more on every page, and its rarest paths first where one asks for them."""

import shutil
from pathlib import Path

import pytest

from seer.apply import add_split
from seer.rare import rare_paths
from seer.study import Study
from tests.conftest import make_corpus
from tests.pages.test_every_page import PAGES, open_page

ROWS = [
    ("a good story with some parts", 1, "x"),
    ("weak weak lovely film the the", -1, "x"),
    ("superb awful superb awful", -1, "x"),
    ("zzqx vvkw", -1, "x"),
    ("", -1, "x"),
]


@pytest.fixture(scope="module")
def study(small_study: Study, tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("more") / "small"
    shutil.copytree(small_study.folder, folder)
    return add_split(Study.open(folder), make_corpus(ROWS), "monday").study


@pytest.fixture(autouse=True)
def studies_folder(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_STUDIES", str(study.folder.parent))


@pytest.mark.parametrize("page", PAGES)
def test_every_page_shows_the_new_split(root: Path, page: str) -> None:
    app = open_page(root, page, study="small", split="monday")
    assert not app.exception
    assert not app.error
    assert not app.warning
    field = app.sidebar.selectbox(key="frame-split")
    assert (field.value, field.options[-2:]) == ("monday", ["monday", "all splits"])


def test_triage_lists_its_rarest_paths_first(root: Path, study: Study) -> None:
    app = open_page(root, "triage", study="small", split="monday", **{"v.sort": "rare", "v.all": "1"})
    assert not app.exception
    found = rare_paths(study, "monday")
    texts = [ROWS[row - len(study.corpus) + len(ROWS)][0] for row in found.row.tolist()]
    listed = app.dataframe[0].value
    assert listed["text"].tolist() == [*texts, ""]
    first = found.records(study, 1)[0]
    said = " ".join(caption.value for caption in app.caption).replace("\\", "")
    assert f"at word {first['step']} “{first['word']}”, {first['count']} of the {first['of']} steps" in said


def test_without_labels_nothing_is_right_or_wrong(root: Path, study: Study) -> None:
    assert study.accuracy("monday").labelled == 1
    app = open_page(root, "overview", study="small", split="monday")
    assert "5" in [metric.value for metric in app.metric]
