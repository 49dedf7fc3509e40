from hypothesis import given
from hypothesis import strategies as st

from seer.charts.names import apart, legend_columns, listed, short_names
from tests.many import CLASSES, LONG


@given(
    st.lists(st.text(min_size=1, max_size=80).map(lambda name: " ".join(name.split())), unique=True), st.integers(8, 40)
)
def test_short_names_fit_and_those_that_fit_stay(names: list[str], most: int) -> None:
    short = short_names(names, most)
    assert all(len(name) <= most for name in short)
    alone = [name for name in names if sum(other.startswith(name[: most - 1]) for other in names) == 1]
    assert all(short[names.index(name)] == name for name in alone if len(name) <= most)


def test_names_that_differ_at_the_end_are_cut_in_the_middle() -> None:
    assert short_names([f"{LONG} A", f"{LONG} B", "class 2", "class 10"], 20) == [
        "card paym…n branch A",
        "card paym…n branch B",
        "class 2",
        "class 10",
    ]
    assert len(set(short_names([f"{'a' * 30}{place}{'b' * 30}" for place in range(12)], 10))) == 12


def test_short_names_of_forty_classes_differ() -> None:
    for most in (12, 17, 18, 30, 40):
        assert len(set(short_names(CLASSES, most))) == len(CLASSES)


def test_a_list_ends() -> None:
    assert listed(("neg", "pos")) == "neg, pos"
    assert listed(CLASSES).endswith(" and 28 more")
    assert len(listed(CLASSES)) < 400


def test_a_name_from_the_right_is_isolated() -> None:
    assert apart("R&D's") == "R&D's"
    assert apart("الدفع") == "\u2068الدفع\u2069"


def test_a_legend_fits_a_phone() -> None:
    assert legend_columns(("neg", "pos")) == 4
    assert legend_columns(("very negative", "neutral")) == 2
    assert legend_columns((LONG,)) == 1
