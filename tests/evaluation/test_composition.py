import json
import math
from collections import Counter
from pathlib import Path
from statistics import mean, median, stdev

import numpy as np
import pytest

from seer.analysis import AnalysisSettings
from seer.build import train_study
from seer.corpus import Corpus
from seer.errors import DataError, SettingError
from seer.evaluation.composition import EXAMPLES, _excerpt, composition
from seer.evaluation.means import grouped_means
from seer.evaluation.polar import AMPLIFIERS, COMPOSITIONS, NEGATIONS, NEGATIVE, POSITIVE, word_kinds
from seer.models.training import TrainingSettings
from seer.relevance.methods import attribute_rows
from seer.study import Study
from tests.conftest import BAD, FILLER, GOOD, make_corpus

QUICK = {
    "architecture": {"cell": "lstm", "embedding": 6, "hidden": 8, "dropout": 0.1},
    "training": TrainingSettings(epochs=4, batch=16, learning_rate=1e-2),
    "analysis": AnalysisSettings(states=4, components=3),
}


def composed(count: int = 600, seed: int = 0) -> Corpus:
    """Opinions in which a negation turns the polar word over; some without a label, one without a word."""
    random = np.random.default_rng(seed)
    rows = []
    for place in range(count):
        side, modifier = int(random.integers(2)), str(random.choice(["", "", "", "very", "very", "so", "not", "Never"]))
        label = 1 - side if modifier in ("not", "Never") else side
        filler = [str(word) for word in random.choice(FILLER, random.integers(2, 7))]
        words = [*filler, *([modifier] if modifier else []), str(random.choice((BAD, GOOD)[side]))]
        shown = -1 if place % 20 == 3 else label
        rows.append((" ".join(words), shown, ("train", "train", "validation", "test")[place % 4]))
    return make_corpus([*rows, ("", 1, "test"), ("good", 1, "test"), ("not good very bad", 0, "test")])


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return train_study(composed(), tmp_path_factory.mktemp("composed") / "study", **QUICK)  # type: ignore[arg-type]


def polarities(study: Study, positive: int, negative: int) -> dict[str, int]:
    """Word → 1 or −1, by Monroe's formula word by word."""
    counts: dict[int, Counter[str]] = {positive: Counter(), negative: Counter()}
    for row in study.rows("train"):
        if study.corpus.labels[row] in counts:
            counts[int(study.corpus.labels[row])].update(words_of(study, row))
    here, there = counts[positive], counts[negative]
    total = here + there
    everything = sum(total.values())
    prior = {word: 500 * count / everything for word, count in total.items()}
    first, second = sum(here.values()) + 500, sum(there.values()) + 500
    out = {}
    for word, weight in prior.items():
        y, other = here[word] + weight, there[word] + weight
        delta = math.log(y / (first - y)) - math.log(other / (second - other))
        z = delta / math.sqrt(1 / y + 1 / other)
        if abs(z) > 1.959964 and word not in NEGATIONS | AMPLIFIERS:
            out[word] = 1 if z > 0 else -1
    for stop in study.stop_words:
        out.pop(study.words[stop], None)
    return out


def words_of(study: Study, row: int) -> list[str]:
    return [study.words[token] for token in study.traces.token[study.traces.steps_of(row)]]


def gathered(
    study: Study, rows: list[int], method: str, **settings: object
) -> dict[str, list[tuple[int, str, list[float]]]]:
    """Composition → (row, phrase, four values) of each occurrence, sentence by sentence and word by word."""
    polar = polarities(study, 1, 0)
    out: dict[str, list[tuple[int, str, list[float]]]] = {name: [] for name in COMPOSITIONS}
    for row in rows:
        words = words_of(study, row)
        pos, neg = (
            attribute_rows(
                study.model, study.traces.offsets, study.traces.token, np.array([row]), method, side, **settings
            ).relevance
            for side in (1, 0)
        )
        for place, word in enumerate(words):
            if word not in polar:
                continue
            before = words[place - 1] if place else ""
            kind = "negated" if before in NEGATIONS else "amplified" if before in AMPLIFIERS else "plain"
            sign = "positive" if polar[word] > 0 else "negative"
            values = [pos[place - 1], pos[place], neg[place - 1], neg[place]]
            out[f"{kind} {sign}"].append((row, f"{before} {word}", [float(value) for value in values]))
    return out


def explained(study: Study, split: str) -> list[int]:
    polar = polarities(study, 1, 0)
    return [int(row) for row in study.rows(split) if polar.keys() & set(words_of(study, row))]


@pytest.mark.parametrize(("method", "settings"), [("lrp", {"eps": 1e-6}), ("cd", {}), ("gradient_input", {})])
def test_it_equals_a_count_by_hand(study: Study, method: str, settings: dict[str, float]) -> None:
    found = composition(study, method=method, **settings)
    rows = explained(study, "test")
    right = gathered(study, rows, method, **settings)
    assert found.split == "test"
    assert found.sentences == len(rows)
    assert [reading.composition for reading in found.readings] == list(COMPOSITIONS)
    for reading in found.readings:
        here = right[reading.composition]
        assert reading.phrase is None
        assert reading.count == len(here) > 2
        assert reading.sentences == len({row for row, _, _ in here})
        means = (reading.modifier_positive, reading.word_positive, reading.modifier_negative, reading.word_negative)
        for place, value in enumerate(means):
            column = [values[place] for _, _, values in here]
            if reading.composition.startswith("plain") and place in (0, 2):
                assert all(math.isnan(each) for each in (value.value, value.error, value.median))
            else:
                assert value.value == pytest.approx(mean(column), abs=1e-5)
                assert value.error == pytest.approx(stdev(column) / math.sqrt(len(column)), abs=1e-5)
                assert value.median == pytest.approx(median(column), abs=1e-5)


def test_phrases_are_counted_one_by_one(study: Study) -> None:
    found = composition(study, split="train", method="gradient_input")
    right: dict[tuple[str, str], list[list[float]]] = {}
    for name, here in gathered(study, explained(study, "train"), "gradient_input").items():
        for _, phrase, values in here if not name.startswith("plain") else ():
            right.setdefault((name, phrase), []).append(values)
    assert {(each.composition, each.phrase): each.count for each in found.phrases} == {
        phrase: len(values) for phrase, values in right.items()
    }
    counts = [each.count for each in found.phrases]
    assert counts == sorted(counts, reverse=True)
    for each in found.phrases:
        values = right[each.composition, str(each.phrase)]
        assert each.word_positive.value == pytest.approx(mean(four[1] for four in values), abs=1e-5)
        assert each.modifier_negative.value == pytest.approx(mean(four[2] for four in values), abs=1e-5)


def test_polar_words_come_from_the_training_labels(study: Study) -> None:
    right = polarities(study, 1, 0)
    kinds = word_kinds(study, 1, 0)
    found = {
        study.words[word]: 1 if kinds.polarity[word] == POSITIVE else -1 for word in np.flatnonzero(kinds.polarity)
    }
    assert found == right
    assert set(GOOD) & {word for word, sign in right.items() if sign > 0}
    result = composition(study, method="random")
    assert set(result.positive_words) == {word for word, sign in right.items() if sign > 0}
    assert set(result.negative_words) == {word for word, sign in right.items() if sign < 0}
    scores = [abs(kinds.score[study.words.index(word)]) for word in result.positive_words]
    assert scores == sorted(scores, reverse=True)


def test_the_classes_can_be_turned_over(study: Study) -> None:
    ours = composition(study, method="lrp")
    theirs = composition(study, method="lrp", positive="neg", negative="pos")
    assert (theirs.positive, theirs.negative) == ("neg", "pos")
    assert set(theirs.positive_words) == set(ours.negative_words)
    mine, other = ours.readings[1], theirs.readings[4]
    assert (mine.composition, other.composition) == ("negated positive", "negated negative")
    assert mine.count == other.count
    assert mine.modifier_positive == other.modifier_negative
    assert mine.word_negative == other.word_positive


def test_examples_lead_back_to_their_sentence(study: Study) -> None:
    found = composition(study, split="train")
    by_name: dict[str, list[bool]] = {}
    for example in found.examples:
        words = words_of(study, example.row)
        assert f"{words[example.place]} {words[example.place + 1]}" == example.phrase
        assert study.corpus.position(example.id) == example.row
        assert study.corpus.text(example.row) == example.text
        assert example.prediction == study.classes[study.traces.prediction[example.row]]
        label = study.corpus.labels[example.row]
        assert example.label == (None if label < 0 else study.classes[label])
        assert example.wrong == (label >= 0 and label != study.traces.prediction[example.row])
        told = attribute_rows(
            study.model, study.traces.offsets, study.traces.token, np.array([example.row]), "lrp", 1
        ).relevance
        assert example.modifier_positive == pytest.approx(told[example.place], abs=1e-5)
        assert example.word_positive == pytest.approx(told[example.place + 1], abs=1e-5)
        by_name.setdefault(example.composition, []).append(example.wrong)
    assert set(by_name) == {name for name in COMPOSITIONS if not name.startswith("plain")}
    for wrong in by_name.values():
        assert len(wrong) <= EXAMPLES
        assert sum(wrong) <= EXAMPLES // 2
        assert wrong == sorted(wrong, reverse=True)
    assert len({(example.composition, example.row) for example in found.examples}) == len(found.examples)


def test_sentences_with_a_bigram_come_first(study: Study) -> None:
    whole = composition(study, split="train")
    with_bigram = {
        row
        for name, here in gathered(study, explained(study, "train"), "random").items()
        for row, _, _ in here
        if not name.startswith("plain")
    }
    few, fewer = (composition(study, split="train", most=most) for most in (len(with_bigram), 10))
    assert few.sentences == len(with_bigram) < whole.sentences
    assert [reading.count for reading in few.readings if "plain" not in reading.composition] == [
        reading.count for reading in whole.readings if "plain" not in reading.composition
    ]
    assert fewer.sentences == 10
    assert sum(each.sentences for each in fewer.readings if "plain" not in each.composition) >= 10
    assert fewer.record() == composition(study, split="train", most=10).record()


def test_it_is_json_and_tells_how_far_it_is(study: Study) -> None:
    steps: list[tuple[int, int]] = []
    found = composition(study, eps=1e-6, progress=lambda stage, done, total: steps.append((done, total)))
    record = json.loads(json.dumps(found.record(), allow_nan=False))
    assert record["settings"] == {"eps": 1e-6}
    assert record["readings"][0]["modifier_positive"] is None
    assert record["readings"][1]["count"] == found.readings[1].count
    assert record["examples"][0]["wrong"] in (True, False)
    assert steps == sorted(steps)
    assert steps[-1] == (2 * found.sentences, 2 * found.sentences)


def test_a_text_may_begin_with_a_polar_word_or_hold_two_bigrams(study: Study) -> None:
    kinds = word_kinds(study, 1, 0)
    good, bad = (study.words[kinds.surest(side, 1)[0]] for side in (POSITIVE, NEGATIVE))
    offsets, token = study.tokenizer.encode(["film not", good, f"not {good} very {bad}", ""])
    found = kinds.occurrences(offsets, token)
    assert [COMPOSITIONS[place] for place in found.composition] == [
        "plain positive",  # the "not" before it ends another sentence
        "negated positive",
        "amplified negative",
    ]
    assert found.sentence.tolist() == [1, 2, 2]
    assert found.word.tolist() == [2, 4, 6]


def test_no_polar_words_are_no_occurrences(tmp_path: Path) -> None:
    texts = [("the film is a story", place % 2, ("train", "test")[place // 2 % 2]) for place in range(40)]
    plain = train_study(make_corpus(texts), tmp_path / "plain", **QUICK)  # type: ignore[arg-type]
    found = composition(plain)
    assert found.sentences == 0
    assert found.positive_words == found.negative_words == found.phrases == found.examples == ()
    assert all(reading.count == reading.sentences == 0 for reading in found.readings)
    assert json.loads(json.dumps(found.record(), allow_nan=False))["readings"][1]["word_positive_median"] is None


def test_a_class_between_has_no_say(tmp_path: Path) -> None:
    rows = [
        (f"the film is {word}", label, ("train", "train", "test")[place % 3])
        for place in range(40)
        for label, word in enumerate(("awful", "medium", "superb"))
    ]
    three = train_study(make_corpus(rows, ("low", "middle", "high")), tmp_path / "three", **QUICK)  # type: ignore[arg-type]
    found = composition(three)
    assert (found.negative, found.positive) == ("low", "high")
    assert (found.negative_words, found.positive_words) == (("awful",), ("superb",))
    middle = composition(three, positive="middle")
    assert (middle.negative_words, middle.positive_words) == (("awful",), ("medium",))


def test_an_excerpt_is_cut_around_the_pair(study: Study) -> None:
    before, after = "plot " * 11, " story" * 11
    assert _excerpt(study, f"{before}not good{after}", 11) == f"… {'plot ' * 8}not good{' story' * 8} …"
    assert _excerpt(study, " Not good, film!", 0) == " Not good, film!"
    assert _excerpt(study, f"not good{after}", 0) == f"not good{' story' * 8} …"
    for example in composition(study).examples:
        assert example.excerpt.strip("… ") in example.text


def test_what_cannot_be_asked_is_said(study: Study, small_study: Study, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="must be one of neg, pos; got 'good'"):
        composition(study, positive="good")
    with pytest.raises(SettingError, match="must differ; both are 'neg'"):
        composition(study, positive="neg")
    with pytest.raises(SettingError, match="At least one sentence"):
        composition(study, most=0)
    with pytest.raises(SettingError, match="The method must be one of"):
        composition(study, method="nothing")
    with pytest.raises(SettingError, match="this model is a GRU"):
        composition(small_study, method="cd")
    with pytest.raises(DataError, match="has no split 'dev'"):
        composition(study, split="dev")
    with pytest.raises(SettingError, match="Occlusion has no settings; got eps"):
        composition(study, method="occlusion", eps=0.1)
    rows = [(f"good film {place}", place % 2, ("train", "test")[place // 2 % 2]) for place in range(20)]
    corpus = make_corpus(rows, ("low", "middle", "high"))
    two = train_study(corpus, tmp_path / "two", **QUICK)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="none is labelled 'high'"):
        composition(two)


def test_means_by_hand() -> None:
    group, values = np.array([2, 0, 2, 2]), np.array([[1.0, 5.0], [4.0, 6.0], [3.0, 7.0], [8.0, 9.0]])
    counts, sentences, means = grouped_means(group, 4, np.array([0, 0, 0, 1]), values)
    assert counts == [1, 0, 3, 0]
    assert sentences == [1, 0, 2, 0]
    assert (means[2][0].value, means[2][0].median) == (4.0, 3.0)
    assert means[2][0].error == pytest.approx(math.sqrt(13 / 3))
    assert (means[0][1].value, means[0][1].median) == (6.0, 6.0)
    assert math.isnan(means[0][1].error)
    assert math.isnan(means[1][0].value)
    assert math.isnan(means[3][1].median)
