import json
from typing import Any

import numpy as np
import pytest

from seer.errors import DataError, ModelError, SettingError
from seer.explain import class_number, explain, explain_many, methods_for
from seer.models.batches import make_batch
from seer.relevance.methods import METHODS
from seer.study import Study


def test_a_sentence_is_its_words_and_their_relevance(small_study: Study) -> None:
    text = "A GOOD film — zzqx"
    found = explain(small_study, text)
    assert found.words == ("A", "GOOD", "film", "—", "zzqx")
    assert found.known.tolist() == [True, True, True, False, False]
    assert len(found) == len(found.relevance) == 5
    offsets, ids = small_study.tokenizer.encode([text])
    direct = METHODS["lrp"].attribute(small_study.model, make_batch(offsets, ids, np.array([0])))
    assert np.array_equal(found.relevance, direct.of(0))
    assert (found.logit, found.rest) == (direct.logit[0], direct.rest[0])
    assert found.gap == pytest.approx(direct.gap[0], abs=1e-5)
    assert found.target == found.prediction == small_study.trace(text).prediction
    assert found.settings == {"eps": 1e-3, "bias_factor": 0.0}


def test_the_record_is_for_scripts(small_study: Study) -> None:
    record = explain(small_study, "not bad", "occlusion", "pos").record()
    assert list(record) == [
        "text",
        "method",
        "target",
        "prediction",
        "logit",
        "gap",
        "rest",
        "settings",
        "tokens",
    ]
    assert (record["text"], record["method"], record["target"]) == ("not bad", "occlusion", "pos")
    assert list(record["tokens"][1]) == ["text", "start", "end", "relevance", "known"]
    assert (record["tokens"][1]["start"], record["tokens"][1]["end"]) == (4, 7)
    total = sum(token["relevance"] for token in record["tokens"])
    assert record["logit"] == pytest.approx(total + record["rest"] + record["gap"], abs=1e-6)
    json.dumps(record, allow_nan=False)


def test_a_row_reads_like_its_text(small_study: Study) -> None:
    assert explain(small_study, 7).record() == explain(small_study, small_study.corpus.text(7)).record()
    with pytest.raises(DataError, match="a row from 0 to"):
        explain(small_study, -1)


@pytest.mark.parametrize("target", ["neg", "pos"])
def test_a_class_goes_by_name_or_number(small_study: Study, target: str) -> None:
    number = small_study.classes.index(target)
    found = explain(small_study, "a good film", target=target)
    assert found.target == target
    assert found.record() == explain(small_study, "a good film", target=number).record()


def test_with_all_of_lrp_the_logit_is_shared_out(small_study: Study) -> None:
    found = explain(small_study, "a good film with bad parts", bias_factor=1.0)
    assert abs(found.gap) < 1e-4
    assert found.settings == {"eps": 1e-3, "bias_factor": 1.0}


def test_many_methods_side_by_side(small_study: Study) -> None:
    everything = explain_many(small_study, "a good film")
    assert tuple(each.method for each in everything) == methods_for(small_study)
    assert "cd" not in methods_for(small_study)  # a GRU
    assert len({(each.target, each.prediction, round(each.logit, 4)) for each in everything}) == 1
    chosen = explain_many(small_study, "a good film", ("occlusion", "lrp"), "neg", eps=1e-6)
    assert [each.method for each in chosen] == ["occlusion", "lrp"]
    assert chosen[0].settings == {}
    assert chosen[1].record() == explain(small_study, "a good film", "lrp", "neg", eps=1e-6).record()


@pytest.mark.parametrize("text", ["", "  \n", "\u200b"])
def test_a_text_without_a_word_is_told(small_study: Study, text: str) -> None:
    with pytest.raises(DataError, match="no word to read"):
        explain(small_study, text)
    with pytest.raises(DataError, match="no word to read"):
        explain_many(small_study, text)


def test_odd_texts(small_study: Study) -> None:
    once, unknown, long = "good", "zzqx", "good film " * 1000
    assert len(explain(small_study, once)) == len(explain(small_study, unknown)) == 1
    found = explain(small_study, long)
    assert len(found) == 2000
    assert np.isfinite(found.relevance).all()


def test_what_cannot_be_is_said(small_study: Study) -> None:
    for call, said in (
        (lambda: explain(small_study, "good", "magic"), "The method must be one of lrp, .*; got 'magic'"),
        (lambda: explain(small_study, "good", "cd"), "defined for LSTM; this model is a GRU"),
        (lambda: explain(small_study, "good", target="odd"), "The class must be one of neg, pos; got 'odd'"),
        (lambda: explain(small_study, "good", target=2), "must lie from 0 to 1; got 2"),
        (lambda: explain(small_study, "good", nodes=3), "LRP has the settings eps, bias_factor; got nodes"),
        (lambda: explain(small_study, "good", "occlusion", eps=1.0), "Occlusion has no settings; got eps"),
        (lambda: explain(small_study, "good", eps=-1.0), "eps must be"),
        (lambda: explain(small_study, "good", eps=float("nan")), "eps must be"),
        (lambda: explain(small_study, "good", eps=1e9), "eps must be"),
        (lambda: explain_many(small_study, "good", ("occlusion", "random"), eps=1.0), "belongs to none of the methods"),
    ):
        with pytest.raises(SettingError, match=said):
            call()


@pytest.mark.parametrize("row", [1.5, True, None, np.float64(1), -1, 10**9])
def test_what_is_neither_a_text_nor_a_row_is_refused(small_study: Study, row: Any) -> None:
    with pytest.raises(DataError, match="Expected a text, or a row from 0 to"):
        explain(small_study, row)


def test_integrated_gradients_tells_its_nodes(small_study: Study) -> None:
    found = explain(small_study, np.int64(3), "integrated_gradients")
    assert found.settings["nodes"] in (50, 100, 200, 400, 800)
    again = explain(small_study, 3, "integrated_gradients", **found.settings)
    np.testing.assert_allclose(again.relevance, found.relevance, atol=1e-6)
    assert json.loads(json.dumps(found.record()))["settings"] == found.settings


def test_classes_that_look_like_numbers_go_by_name() -> None:
    assert class_number(("1", "0"), "0") == 1
    assert class_number(("1", "0"), 0) == 0


def test_pairs_have_no_word_relevance(small_study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Study) -> None:
        raise ModelError("This needs a classifier of single sentences.")

    monkeypatch.setattr(Study, "paired", property(lambda self: True))
    monkeypatch.setattr(Study, "sentence_model", property(refuse))
    assert methods_for(small_study) == ()
    for call in (explain, explain_many):
        with pytest.raises(ModelError, match="single sentences"):
            call(small_study, "a good film")
