"""Which studies are listed, whatever else lies beside them."""

import os
import shutil
from pathlib import Path

from seer.listing import reads_pairs, study_folders
from seer.study import DEMO, DEMOS, Study


def test_what_no_page_can_name_is_left_out_and_takes_no_demo_s_place(small_study: Study, studies: Path) -> None:
    shutil.copytree(small_study.folder, studies / "good")
    shutil.copytree(small_study.folder, studies / "demo")
    shutil.copytree(small_study.folder, os.fsdecode(os.fsencode(studies) + b"/bad\xff"))
    (studies / "pipe").mkdir()
    os.mkfifo(studies / "pipe" / "manifest.json")
    assert list(study_folders()) == [*DEMOS, "good"]
    assert study_folders()["demo"] == DEMO


def test_a_damaged_study_reads_no_pairs(small_study: Study, studies: Path) -> None:
    for name, file in (("deep", "manifest.json"), ("model", f"{small_study.version.name}/model.json")):
        shutil.copytree(small_study.folder, studies / name)
        (studies / name / file).write_text("[" * 200_000)
        assert not reads_pairs(studies / name)
    assert reads_pairs(DEMOS["demo-pairs"])
