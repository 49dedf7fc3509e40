import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seer.suspects.labels
from seer.corpus import Corpus
from seer.errors import DataError, SettingError
from seer.models.training import Sentences
from seer.study import Study
from seer.suspects import (
    Conflicts,
    conflicting_texts,
    cross_validated_probability,
    find_suspects,
    plain_words,
    training_suspects,
    unseen_suspects,
)
from seer.suspects.labels import FEWEST_ROWS
from seer.traces import IntArray
from tests.conftest import GOOD, make_corpus


def plain_confident_learning(labels: IntArray, probability: np.ndarray) -> set[int]:
    """Section 3.1 of the paper, row by row; a class without a row has no threshold."""
    classes = probability.shape[1]
    threshold = [probability[labels == k, k].mean() if (labels == k).any() else 2 for k in range(classes)]
    found = set()
    for row, (label, chances) in enumerate(zip(labels, probability, strict=True)):
        reached = [k for k in range(classes) if chances[k] >= threshold[k] - 1e-6]
        best = reached[0] if len(reached) == 1 else int(chances.argmax())
        if reached and best != label and chances.argmax() != label:
            found.add(row)
    return found


@pytest.mark.parametrize("classes", [2, 3, 7, 40])
@pytest.mark.parametrize("absent", [False, True])
def test_suspects_are_those_of_the_paper(classes: int, absent: bool) -> None:
    random = np.random.default_rng(classes)
    labels = random.integers(0, classes - absent if classes > 2 else 2, 400)
    probability = random.dirichlet(np.full(classes, 0.5), 400)
    probability[np.arange(400), labels] += 0.4
    labels[:40] = random.permutation(labels[:40])
    probability = (probability / probability.sum(1, keepdims=True)).astype(np.float32)
    found = find_suspects(labels, probability)
    assert set(found.row.tolist()) == plain_confident_learning(labels, probability.astype(np.float64))
    assert len(found)
    assert found.note is None
    assert found.judged == 400
    assert (found.given == labels[found.row]).all()
    assert (found.suggested == probability[found.row].argmax(1)).all()
    assert (found.suggested != found.given).all()
    assert found.confidence == pytest.approx(probability[found.row].max(1))
    assert found.self_confidence == pytest.approx(probability[found.row, found.given])
    assert (np.diff(found.self_confidence) >= 0).all()


def test_rows_without_label_or_prediction_are_not_judged() -> None:
    labels = np.array([0, 1] * 10 + [-1, 0])
    probability = np.where(labels[:, None] == [0, 1], 0.9, 0.1)
    probability[3] = [0.95, 0.05]
    probability[-1] = np.nan
    found = find_suspects(labels, probability)
    assert (found.row.tolist(), found.given.tolist(), found.suggested.tolist()) == ([3], [1], [0])
    assert found.judged == 20


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ([], "too few"),
        ([0], "too few"),
        ([0, 1], "too few"),
        ([-1] * 50, "too few"),
        ([1] * FEWEST_ROWS, "same label"),
        ([0] * 9 + [1] * 9, "None of 18 labels"),
    ],
)
def test_nothing_found_says_why(labels: list[int], why: str) -> None:
    given = np.array(labels, dtype=np.int32)
    found = find_suspects(given, np.where(given[:, None] == [0, 1], 0.8, 0.2))
    assert len(found) == 0
    assert why in (found.note or "")
    assert found.within(np.arange(3)).note == found.note


def test_unseen_rows_are_those_that_were_not_trained_on(small_study: Study) -> None:
    found, corpus = unseen_suspects(small_study), small_study.corpus
    held_out = np.concatenate([corpus.rows("validation"), corpus.rows("test")])
    assert found.judged == len(held_out)
    assert len(found)
    assert np.isin(found.row, held_out).all()
    within = found.within(corpus.rows("test"))
    records = within.records(corpus, top=2)
    assert len(records) == 2
    assert {record["split"] for record in records} == {"test"}
    assert records[0] == {
        "row": int(within.row[0]),
        "id": corpus.ids[within.row[0]],
        "split": "test",
        "text": corpus.text(int(within.row[0])),
        "given": corpus.classes[within.given[0]],
        "suggested": corpus.classes[within.suggested[0]],
        "confidence": float(within.confidence[0]),
        "self_confidence": float(within.self_confidence[0]),
    }
    assert "None of these" in (found.within(corpus.rows("train")).note or "")


def other_corpus(study: Study, corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> Study:
    """The study as if it had been made of another corpus, without stored traces."""
    other = Study.open(study.folder)
    other.__dict__["corpus"] = corpus
    monkeypatch.setattr("seer.study.TRACES", "none")
    return other


def test_a_corpus_of_one_split_has_no_unseen_row(small_study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"a good film {place}", place % 2, "everything") for place in range(20)]
    study = other_corpus(small_study, make_corpus(rows), monkeypatch)
    found = unseen_suspects(study)
    assert len(found) == 0
    assert found.judged == 0
    assert "cross-validation" in (found.note or "")


def test_cross_validation_judges_each_training_row_by_a_model_that_has_not_seen_it(small_study: Study) -> None:
    told: list[tuple[int, int]] = []
    study, corpus = small_study, small_study.corpus
    probability = cross_validated_probability(
        study, folds=3, progress=lambda _, done, total: told.append((done, total))
    )
    judged = ~np.isnan(probability).any(axis=1)
    assert np.flatnonzero(judged).tolist() == corpus.rows("train").tolist()
    assert probability[judged].sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert told == sorted(told)
    assert told[-1] == (3000, 3000)
    again = cross_validated_probability(study, folds=3)
    assert np.array_equal(again, probability, equal_nan=True)
    found = training_suspects(study, folds=3)
    assert found.judged == judged.sum()
    assert np.isin(found.row, corpus.rows("train")).all()
    polar = np.array([any(word in text.split() for word in GOOD) for text in corpus.texts()])
    turned = corpus.labels != polar
    assert turned[found.row].mean() > 4 * turned[corpus.rows("train")].mean()
    assert turned[found.row].sum() > 0.6 * turned[corpus.rows("train")].sum()


def test_no_fold_trains_on_the_rows_it_judges(small_study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, seen = small_study.corpus, []

    def spy(
        architecture: object, training: Sentences, validation: Sentences, *_: object
    ) -> tuple[object, list[object]]:
        seen.append(training.usable)
        assert validation.usable.tolist() == corpus.rows("validation").tolist()
        assert architecture == small_study.architecture
        return small_study.model, []

    monkeypatch.setattr("seer.suspects.labels.train", spy)
    probability = cross_validated_probability(small_study, folds=4)
    rows = corpus.rows("train")
    assert np.array_equal(np.bincount(np.concatenate(seen))[rows], np.full(len(rows), 3))
    assert len(np.concatenate(seen)) == 3 * len(rows)
    np.testing.assert_allclose(probability[rows], small_study.traces.final_probability[rows], atol=1e-5)


def test_folds_are_stratified_and_seeded() -> None:
    labels = np.repeat([-1, 0, 1, 2], [5, 40, 11, 2])
    fold = seer.suspects.labels._stratified_folds(labels, 5, 0)
    assert (fold[labels < 0] == -1).all()
    assert set(fold[labels >= 0]) == set(range(5))
    for label in range(3):
        counts = np.bincount(fold[labels == label], minlength=5)
        assert counts.max() - counts.min() <= 1
    assert (fold == seer.suspects.labels._stratified_folds(labels, 5, 0)).all()
    assert (fold != seer.suspects.labels._stratified_folds(labels, 5, 1)).any()


def test_cross_validation_says_what_it_cannot_do(small_study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingError, match="two folds"):
        cross_validated_probability(small_study, folds=1)
    rows = [("a good film", 1, "train")] * 8 + [("a bad film", 0, "train"), ("", 0, "train"), ("dull", 0, "test")]
    study = other_corpus(small_study, make_corpus(rows), monkeypatch)
    found = training_suspects(study)
    assert len(found) == 0
    assert "two classes" in (found.note or "")
    with pytest.raises(DataError, match="two classes"):
        cross_validated_probability(study)


def test_turned_labels_of_the_demo_are_found(demo: Study) -> None:
    """5 % of the labels of unseen reviews turned over; the classifier itself is wrong in 26 % of them."""
    corpus, traces = demo.corpus, demo.traces
    rows = np.concatenate([corpus.rows("validation"), corpus.rows("test")])
    probability = traces.final_probability[rows]
    shares = []
    for seed in range(3):
        labels = corpus.labels[rows].copy()
        turned = np.zeros(len(rows), dtype=bool)
        turned[np.random.default_rng(seed).choice(len(rows), len(rows) // 20, replace=False)] = True
        labels[turned] = 1 - labels[turned]
        found = find_suspects(labels, probability)
        hits = turned[found.row]
        plain = np.argsort(probability[np.arange(len(rows)), labels], kind="stable")
        precision, recall, top = hits.mean(), hits.sum() / turned.sum(), hits[: turned.sum()].mean()
        shares.append((precision, recall, top))
        assert precision >= turned[plain[: len(found)]].mean() - 0.01  # never worse than without the method
        assert (corpus.labels[rows][found.row] == found.suggested)[hits].all()
    precision, recall, top = np.mean(shares, axis=0)
    assert precision > 0.05 * 2.5
    assert recall > 0.6
    assert top > 0.05 * 4


PLANTED = [
    ("A gripping film about two brothers and the sea they fear.", 0),
    ("a  gripping film, about two brothers and the sea they fear", 1),  # the same but for case, space, punctuation
    ("a gripping film about two brothers and the lake they fear", 1),  # one word other: 10 of 12
    ("the sea they fear and two brothers about a gripping film", 1),  # the same words in another order
    ("a gripping film about two brothers and the sea they fear", 0),  # the same label as the first
    ("something else entirely that nobody ever wrote before now", 1),
    ("", 0),
    ("", 1),
    (":)", 0),
    (":(", 1),
    (": )", 1),
    ("a gripping film about two brothers and the sea they fear", -1),
]


def pairs_of(found: Conflicts) -> set[tuple[int, int]]:
    return set(zip(found.first.tolist(), found.second.tolist(), strict=True))


def test_planted_conflicts_are_found_once_each() -> None:
    texts, labels = zip(*PLANTED, strict=True)
    found = conflicting_texts(texts, np.array(labels))
    assert pairs_of(found) == {(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)}
    assert len(found) == found.total == 6
    assert found.note is None
    places = zip(found.first.tolist(), found.second.tolist(), strict=True)
    facts = dict(zip(places, zip(found.similarity.tolist(), found.exact.tolist(), strict=True), strict=True))
    assert facts[0, 1] == (1, True)
    assert facts[0, 3] == (1, False)
    assert facts[0, 2] == (pytest.approx(10 / 12), False)
    assert (np.diff(found.similarity) <= 0).all()


def test_conflicts_know_their_splits() -> None:
    splits = ("train", "test", "validation", "train") * 3
    corpus = make_corpus([(text, label, split) for (text, label), split in zip(PLANTED, splits, strict=True)])
    first, *rest = conflicting_texts(corpus.texts(), corpus.labels).records(corpus)
    assert len(rest) == 5
    assert first == {
        "similarity": 1.0,
        "exact": True,
        "first": {"row": 0, "id": "r0", "split": "train", "text": PLANTED[0][0], "label": "neg"},
        "second": {"row": 1, "id": "r1", "split": "test", "text": PLANTED[1][0], "label": "pos"},
    }
    assert json.loads(json.dumps(rest)) == rest


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from("abcdefg"), max_size=7).map(" ".join), st.integers(-1, 3)), max_size=25
    ),
    st.sampled_from([0.5, 0.6, 2 / 3, 0.75, 0.8, 1.0]),
)
def test_conflicts_equal_a_plain_comparison_of_all_pairs(rows: list[tuple[str, int]], threshold: float) -> None:
    labels = np.array([label for _, label in rows], dtype=np.int32)
    expected = {}
    for (one, (text, label)), (other, (text2, label2)) in combinations(enumerate(rows), 2):
        words, words2 = set(text.split()), set(text2.split())
        if min(label, label2) >= 0 and label != label2 and words and words2:
            share = len(words & words2) / len(words | words2)
            if share >= threshold - 1e-9:
                expected[one, other] = (pytest.approx(share), text == text2)
    found = conflicting_texts([text for text, _ in rows], labels, threshold=threshold)
    places = zip(found.first.tolist(), found.second.tolist(), strict=True)
    assert dict(zip(places, zip(found.similarity.tolist(), found.exact.tolist(), strict=True), strict=True)) == expected
    assert found.total == len(expected) == len(found)
    assert (found.note is None) == bool(expected)


def test_only_the_most_similar_pairs_are_kept_and_the_rest_counted() -> None:
    texts = ["the very same words here"] * 2000 + ["the very same words there"] * 10
    labels = np.array([0, 1] * 1000 + [0] * 10)
    found = conflicting_texts(texts, labels, threshold=0.6, most=500)
    assert len(found) == len(pairs_of(found)) == 500
    assert found.exact.all()
    assert found.total == 1000 * 1000 + 1000 * 10
    assert "1,010,000 pairs" in (found.note or "")
    assert (labels[found.first] != labels[found.second]).all()
    assert (found.first < found.second).all()


def test_work_is_bounded_but_the_same_texts_are_always_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seer.suspects.conflicts._WORK", 10_000)
    texts = [f"order {number} has arrived today" for number in range(500)] + ["order 7 has arrived today"]
    found = conflicting_texts(texts, np.array([0] * 500 + [1]))
    assert pairs_of(found) == {(7, 500)}
    assert "rarest words" in (found.note or "")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("It's  GOOD,\n really—good!", "its good really good"),
        ("It’s good; really good", "its good really good"),
        ("Straße ﬁlm", "strasse film"),
        ("great 😀", "great 😀"),
        ("snake_case", "snake case"),
        ("好看的 film", "好 看 的 film"),
        (" ?! ", "?!"),
        ("", ""),
    ],
)
def test_plain_words(text: str, plain: str) -> None:
    assert plain_words(text) == plain


def test_settings_out_of_range_say_so() -> None:
    with pytest.raises(SettingError, match="between"):
        conflicting_texts(["a"], np.array([0]), threshold=0.1)
    with pytest.raises(SettingError, match="1 or more"):
        conflicting_texts(["a"], np.array([0]), most=0)


def test_twins_among_many_sentences_are_found() -> None:
    """Words spread as in reviews: few common ones, very many rare ones; 200 planted twins."""
    random = np.random.default_rng(0)
    lengths = random.integers(5, 35, 12_000)
    words = np.char.add("w", np.minimum(random.zipf(1.2, lengths.sum()), 200_000).astype(str))
    texts = [" ".join(part) for part in np.split(words, np.cumsum(lengths)[:-1])]
    source = np.flatnonzero(lengths >= 20)[:200]
    texts += [texts[row].upper() + (" indeed!" if row % 2 else "!") for row in source.tolist()]
    labels = random.integers(0, 2, len(lengths))
    found = conflicting_texts(texts, np.concatenate([labels, 1 - labels[source]]))
    assert set(zip(source.tolist(), range(12_000, 12_200), strict=True)) <= pairs_of(found)
    assert found.note is None
