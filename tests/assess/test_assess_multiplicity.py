"""p values corrected over the pairs of a task, and letters for what no test tells apart."""

import numpy as np
import polars as pl
import pytest

from benchbook import assess
from benchbook.assess.multiplicity import ranks_that_share


def pairs(task: str, p_of: dict[tuple[str, str], float | None]) -> pl.DataFrame:
    rows = [
        {"task": task, "loss": "S", "method": item, "other": two, "p": p}
        for (first, second), p in p_of.items()
        for item, two in ((first, second), (second, first))
    ]
    return pl.DataFrame(rows, schema_overrides={"p": pl.Float64})


def test_corrections_are_over_the_pairs_of_each_task_and_the_same_both_ways():
    frame = pl.concat(
        [
            pairs("t", {("a", "b"): 0.01, ("a", "c"): 0.02, ("c", "b"): 0.04, ("a", "d"): None}),
            pairs("u", {("a", "b"): 0.01}),
        ]
    )
    results = {
        (row["task"], row["method"], row["other"]): (row["holm"], row["benjamini_hochberg"])
        for row in assess.corrected(frame).to_dicts()
    }
    assert results["t", "a", "b"] == pytest.approx((0.03, 0.03))
    assert results["t", "a", "c"] == pytest.approx((0.04, 0.03))
    assert results["t", "b", "c"] == pytest.approx((0.04, 0.04))
    assert results["t", "a", "d"] == (None, None)
    assert results["u", "a", "b"] == pytest.approx((0.01, 0.01))
    assert all(
        results[task, first, two] == results[task, two, first] for task, first, two in results
    )
    assert assess.corrected(frame).select(frame.columns).equals(frame)


def test_pairs_without_a_p_have_no_correction():
    result = assess.corrected(pairs("t", {("a", "b"): None}))
    assert result["holm"].null_count() == result["benjamini_hochberg"].null_count() == 2


def test_letters_are_shared_just_when_methods_are_not_told_apart():
    apart = np.array([[False, False, True], [False, False, False], [True, False, False]])
    assert assess.letters(apart) == ["a", "ab", "b"]


@pytest.mark.parametrize("seed", range(20))
def test_without_a_test_no_letter_is_shared(seed):
    rng = np.random.default_rng(seed)
    apart, untested = (
        np.triu(rng.random((6, 6)) < share, 1) for share in (0.4, 0.15 * (1 + seed % 3))
    )
    apart, untested = apart | apart.T, untested | untested.T
    apart &= ~untested
    found = [set(text) for text in assess.letters(apart, untested)]
    named = [entry for entry in range(6) if found[entry]]
    for one in range(6):
        for other in range(one):
            if {one, other} <= set(named):
                assert not untested[one, other]
                assert bool(found[one] & found[other]) is not bool(apart[one, other])
            else:
                assert not found[one] & found[other]
    without = ~untested.any(axis=1)
    assert set(np.flatnonzero(without)) <= set(named) or not len(named)


def test_the_ranks_from_which_a_method_does_not_differ(rng):
    for _ in range(50):
        apart = np.triu(rng.random((9, 9)) < rng.random(), 1)
        apart |= apart.T
        found = ranks_that_share(assess.letters(apart))
        for own, text in enumerate(found):
            said = [
                range(int(low), int(high or low) + 1)
                for low, _, high in (part.partition(" to ") for part in text.split(", "))
            ]
            assert [rank - 1 for part in said for rank in part] == list(np.flatnonzero(~apart[own]))
    assert ranks_that_share(["a", None, ""]) == ["1", "", ""]
