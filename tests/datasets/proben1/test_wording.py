"""How an encoder codes, in words."""

import pytest

from benchbook.datasets import proben1


@pytest.mark.parametrize(
    ("encoder", "words"),
    [
        (proben1.Linear(1, 5, -1, 1), "linear, 1 to 5 onto [-1, 1]"),
        (proben1.Logarithm(11.5), "log(1 + x) / 11.5"),
        (proben1.Flagged(proben1.one_of("abc")), "1 of 3; an indicator when missing"),
        (
            proben1.Filled(proben1.Linear(0, 10), (0.35,)),
            "linear, 0 to 10 onto [0, 1]; 0.35 when missing",
        ),
        (proben1.scale(("lo", "hi")), "lo as 0, hi as 1"),
    ],
)
def test_codes_in_words(encoder, words):
    assert proben1.coding(encoder) == words
