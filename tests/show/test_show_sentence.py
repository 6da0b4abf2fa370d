"""The sentence for a paper: how it says which methods were told apart, and by what p."""

import polars as pl
import pytest

from benchbook import studies
from benchbook.show.assessment.asked import ComparisonRequest
from benchbook.show.assessment.ranked import sentence


def said(p: float, holm: float, ties: tuple[str, str, str]) -> str:
    """The sentence on three methods, of which the second is the reader's."""
    methods = ("best", "mine", "third")
    plan = studies.Plan("made", 1, ["base-1"], ["kin-8nm-sim/dist/std.64"])
    asked = ComparisonRequest("kin-8nm-sim/dist", plan, methods, ("mine",), "S", ())
    rows = [
        {
            "task": "kin-8nm-sim/dist/std.64",
            "size": 64,
            "method": name,
            "ties": letters,
            "against": "mine",
            "mean": mean,
            "standard_error": 0.01,
            "p": None if name == "mine" else p,
            "holm": None if name == "mine" else holm,
        }
        for name, letters, mean in zip(methods, ties, (0.5, 0.6, 0.7), strict=True)
    ]
    return sentence(asked, pl.DataFrame(rows))


@pytest.mark.parametrize(
    ("p", "holm", "expected"),
    [
        (0.0000004, 0.0000012, "p < 0.001, corrected < 0.001."),
        (0.0004, 0.0014, "p < 0.001, corrected 0.001."),
        (0.031, 0.093, "p = 0.031, corrected 0.093."),
        (0.6, 1.0, "p = 0.60, corrected 1.00."),
    ],
)
def test_a_small_p_is_said_with_one_sign(p, holm, expected):
    text = said(p, holm, ("a", "b", "b"))
    assert text.endswith(f"mine was number 2 of 3, with 0.600 ± 0.010; best against it: {expected}")
    assert "= <" not in text


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        (("a", "b", "c"), "it was told apart from every other method"),
        (("a", "a", "b"), "not told apart from it was mine"),
        (("a", "ab", "a"), "not told apart from it were mine and third"),
    ],
)
def test_who_shares_a_letter_with_the_best_is_named(ties, expected):
    assert (
        f"; {expected} (a paired t test over training sets, Holm's correction over 3 pairs"
        in said(0.1, 0.2, ties)
    )
