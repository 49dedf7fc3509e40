"""Every page on a study of forty classes."""

from itertools import cycle
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from seer.confusions import most_confused
from seer.slices import confusion_matrix
from seer.study import Study
from tests.many import CLASSES
from tests.pages.test_every_page import PAGES, open_page


@pytest.fixture
def opened(forty_study: Study, root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SEER_STUDIES", str(forty_study.folder.parent))

    def page(name: str, **query: str) -> AppTest:
        app = open_page(root, name, study="forty", **query)
        assert not app.exception
        assert not app.error
        return app

    return page


@pytest.mark.parametrize("page", PAGES)
def test_opens(opened, page: str) -> None:
    assert opened(page).title[0].value


@pytest.mark.parametrize(
    ("page", "name"), [*zip(PAGES, cycle(["<b>bold</b>", CLASSES[4], "الدفع بالبطاقة", "topic 20"]), strict=False)]
)
def test_opens_with_any_class_chosen(opened, page: str, name: str) -> None:
    opened(page, true=name, pred="class 2", state="3", split="all", **{"v.also": name, "v.target": name})


def test_the_overview_names_a_dozen_classes_and_lists_what_is_confused(opened, forty_study: Study) -> None:
    app = opened("overview")
    assert " and 28 more" in app.caption[0].value
    pairs = app.dataframe[0].value
    matrix = confusion_matrix(forty_study, forty_study.rows("test"))
    found = most_confused(matrix)
    assert pairs["times"].tolist() == [pair.count for pair in found[: len(pairs)]]
    classes = app.dataframe[1].value
    assert classes["class"].tolist() == list(CLASSES)
    assert classes["sentences"].tolist() == matrix.sum(axis=1).tolist()
    assert classes["recall"].isna().tolist() == [not row.sum() for row in matrix]


def test_the_matrix_takes_all_classes_in_the_order_chosen(opened) -> None:
    app = opened("overview", **{"v.matrix": "all 40", "v.sorted": "largest"})
    assert app.selectbox(key="matrix-order").value == "largest"
    assert app.segmented_control(key="matrix-classes").value == "all 40"


def test_the_steps_show_the_likely_classes_and_one_that_is_asked_for(opened, forty_study: Study) -> None:
    row = str(forty_study.corpus.ids[forty_study.rows("test")[0]])
    usual, more = (opened("trace", row=row, **query).dataframe[-1].value for query in ({}, {"v.also": "topic 20"}))
    shares = [name for name in usual.columns if name.startswith("p(")]
    assert len(shares) <= 7
    assert "p(topic 20)" in more.columns
    assert f"p({forty_study.sentence(int(forty_study.rows('test')[0])).prediction})" in shares
