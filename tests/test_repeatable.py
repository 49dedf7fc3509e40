"""The same data and seed give the same study, in whatever order its rows stand, and the seeds are told."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from seer.abstraction import StateAbstraction
from seer.analysis import AnalysisSettings
from seer.build import model_study
from seer.cli import app
from seer.corpus import Corpus
from seer.study import Study
from tests.conftest import opinions


def shuffled(corpus: Corpus, seed: int) -> Corpus:
    """The same rows in another order."""
    order = np.random.default_rng(seed).permutation(len(corpus))
    return replace(corpus, table=corpus.table.take(pa.array(order)))


@pytest.mark.hard_inputs(28)
@pytest.mark.parametrize("method", ["kmeans", "gmm"])
def test_rows_in_another_order_are_grouped_alike(small_study: Study, tmp_path: Path, method: str) -> None:
    made = []
    for place, corpus in enumerate((opinions(), shuffled(opinions(), 1), shuffled(opinions(), 2))):
        study = model_study(
            small_study.model,
            small_study.tokenizer,
            corpus,
            tmp_path / f"{method}-{place}",
            origin={},
            seed=0,
            analysis=AnalysisSettings(method, states=6, components=4, seed=5),
        )
        made.append({row_id: study.sentence(row).path for row, row_id in enumerate(study.corpus.ids)})
        assert study.states == 6
    assert made[0] == made[1] == made[2]


@pytest.mark.hard_inputs(28)
@pytest.mark.parametrize("seed", range(4))
def test_axes_have_one_sign_whatever_the_rows(seed: int) -> None:
    random = np.random.default_rng(seed)
    hidden = random.normal(size=(400, 8)) * np.linspace(4, 0.5, 8)
    fitted = [
        StateAbstraction(states=3, components=5).fit(rows)
        for rows in (hidden, hidden[::-1], hidden[random.permutation(400)])
    ]
    for one in fitted:
        largest = np.abs(one.components_).argmax(axis=1)
        assert (one.components_[np.arange(5), largest] > 0).all()
        np.testing.assert_array_equal(one.components_, fitted[0].components_)


@pytest.mark.hard_inputs(28)
def test_seeds_are_stored_and_shown(
    small_study: Study, tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = model_study(
        small_study.model,
        small_study.tokenizer,
        opinions(),
        tmp_path / "studies" / "seeded",
        origin={"training": {"seed": 31}},
        seed=31,
        analysis=AnalysisSettings(states=4, components=2, seed=77),
    )
    manifest = json.loads((study.folder / "manifest.json").read_text())
    assert (manifest["seed"], manifest["analysis"]["seed"], manifest["abstraction"]["random_state"]) == (31, 77, 77)
    assert study.summary()["seed"] == 31
    told = CliRunner().invoke(app, ["show", str(study.folder)], env={"COLUMNS": "200"})
    assert told.exit_code == 0
    assert re.search(r"seed\W+31\b", told.output)
    monkeypatch.setenv("SEER_STUDIES", str(tmp_path / "studies"))
    page = AppTest.from_file(str(root / "app.py"), default_timeout=60)
    page.query_params["study"] = "seeded"
    page.run()
    facts = next(frame.value for frame in page.dataframe if "part" in frame.value)
    seeds = facts[facts["what"] == "seed"].set_index("part")["value"].to_dict()
    assert seeds == {"training": "31", "states": "77"}
