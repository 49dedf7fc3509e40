"""Colours: distinct, stable, readable."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seer.charts.palette import (
    COLOURED,
    DIVERGING,
    DIVERGING_DARK,
    NO_VALUE,
    OKABE_ITO,
    OTHER,
    SEQUENTIAL,
    class_colours,
    contrast,
    diverging,
    sequential,
    text_on,
    tint,
    vega_classes,
    vega_diverging,
)

rgb = st.integers(0, 0xFFFFFF).map(lambda value: f"#{value:06X}")


@given(rgb)
def test_text_reads_on_any_colour(colour: str) -> None:
    assert contrast(text_on(colour), colour) >= 4.5


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.01)


def test_classes_keep_their_colour() -> None:
    two, twelve = class_colours(["neg", "pos"]), class_colours([str(i) for i in range(12)])
    assert list(two.values()) == list(twelve.values())[:2] == list(OKABE_ITO[:2])
    assert (
        list(class_colours("abcdefgh").values()) == list(class_colours("abcdefgh", [7, 6]).values()) == list(OKABE_ITO)
    )


forty = tuple(f"class {number}" for number in range(40))


@given(st.lists(st.integers(0, 39)))
def test_of_many_classes_the_leading_ones_have_a_colour_each(leading: list[int]) -> None:
    colours = class_colours(forty, leading)
    own = {name: colour for name, colour in colours.items() if colour != OTHER}
    assert list(colours) == list(forty)
    assert len(own) == len(set(own.values())) == COLOURED
    first = list(dict.fromkeys(leading))[:COLOURED]
    assert {forty[place] for place in first} <= set(own)
    assert not first or colours[forty[first[0]]] == OKABE_ITO[first[0] % COLOURED]


@pytest.mark.parametrize("page", ["#FFFFFF", "#12161C"])
def test_class_colours_stand_out_from_the_page(page: str) -> None:
    assert min(contrast(colour, page) for colour in class_colours(forty).values()) > 2


def test_the_diverging_scale_is_centred() -> None:
    assert diverging(0) == DIVERGING[3] == "#FFFFFF"
    assert diverging(0, dark=True) == DIVERGING_DARK[3]
    assert diverging(-5, limit=2) == DIVERGING[0]
    assert diverging(5, limit=2) == DIVERGING[-1]
    assert diverging(1, limit=0) == DIVERGING[3]
    assert diverging(math.nan) == NO_VALUE
    assert vega_diverging(2.0)["domain"] == [-2.0, 0, 2.0]


def test_the_error_scale_darkens() -> None:
    shades = [contrast(sequential(rate / 20), "#FFFFFF") for rate in range(21)]
    assert shades == sorted(shades)
    assert (sequential(-1), sequential(2), sequential(math.nan)) == (SEQUENTIAL[0], SEQUENTIAL[-1], NO_VALUE)


def test_tint_and_vega() -> None:
    assert tint("#0072B2", 0) == "#FFFFFF"
    assert tint("#0072B2", 1) == "#0072B2"
    assert tint("#000000", 9) == "#000000"
    assert vega_classes(class_colours(["<b>", "R&D's"])) == {"domain": ["<b>", "R&D's"], "range": list(OKABE_ITO[:2])}
