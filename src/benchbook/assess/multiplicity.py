"""p values of many tests at once, Holm's and Benjamini and Hochberg's, and a compact letter display."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import combinations_with_replacement, groupby
from string import ascii_lowercase

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.anova.squares import Array
from benchbook.errors import Fault, FaultyInput

_LETTERS = re.compile(r"[a-z]\d*")


def holm(p_values: ArrayLike | Sequence[float | None]) -> Array:
    """Adjusted p values [m] of Holm (1979): those at most alpha are found with a chance of at most alpha that any of
    the true null hypotheses is among them.

        p~_(i) = max_{j <= i} min(1, (m - j + 1) p_(j)),   p_(1) <= ... <= p_(m)

    Example:
        >>> from benchbook import assess
        >>> assess.holm([0.01, 0.04, 0.03])
        array([0.03, 0.06, 0.06])
    """
    values = _checked(p_values)
    order = np.argsort(values)
    steps = np.minimum(1.0, values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> Array:
    """Adjusted p values [m] of Benjamini and Hochberg (1995): among those at most q, at most a share q is false on
    average, when the tests are independent.

        p~_(i) = min_{j >= i} min(1, m p_(j) / j)

    Example:
        >>> from benchbook import assess
        >>> assess.benjamini_hochberg([0.01, 0.04, 0.03]).round(3)
        array([0.03, 0.04, 0.04])
    """
    values = _checked(p_values)
    order = np.argsort(values)
    steps = np.minimum(1.0, values[order] * len(values) / np.arange(1, len(values) + 1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum.accumulate(steps[::-1])[::-1]
    return adjusted


def corrected(comparisons: pl.DataFrame) -> pl.DataFrame:
    """Comparisons with the columns ``holm`` and ``benjamini_hochberg``: p, adjusted over all pairs of a task and loss.

    Args:
        comparisons: ordered pairs as ``assess.comparisons`` gives them. A pair is one test, whichever method is first;
            a pair whose p is null is none, and stays null.
    """
    pair = ["task", "loss", "method", "other"]
    tests = comparisons.filter(pl.col("p").is_not_null(), pl.col("method") < pl.col("other"))
    parts = [
        part.select(pair).with_columns(
            holm=pl.Series(holm(part["p"].to_numpy()), dtype=pl.Float64),
            benjamini_hochberg=pl.Series(
                benjamini_hochberg(part["p"].to_numpy()), dtype=pl.Float64
            ),
        )
        for _, part in tests.group_by("task", "loss", maintain_order=True)
    ]
    if not parts:
        nothing = pl.lit(None, dtype=pl.Float64)
        return comparisons.with_columns(holm=nothing, benjamini_hochberg=nothing)
    one_way = pl.concat(parts)
    other_way = one_way.rename({"method": "other", "other": "method"}).select(one_way.columns)
    return comparisons.join(
        pl.concat([one_way, other_way]), on=pair, how="left", maintain_order="left"
    )


def letters(apart: NDArray[np.bool_], untested: NDArray[np.bool_] | None = None) -> list[str]:
    """A compact letter display: two entries share a letter just when they do not differ significantly.

    Groups are gathered greedily, best entry first: each pair that shares none yet opens a group, to which every entry
    is added that differs significantly from none in it. There are at most as many groups as pairs and entries.

    Example:
        >>> from benchbook import assess
        >>> apart = np.array([[False, False, True], [False, False, False], [True, False, False]])
        >>> assess.letters(apart)
        ['a', 'ab', 'b']

    Args:
        apart: [M, M], symmetric, with the entries in the order in which letters are to be given.
        untested: [M, M], symmetric, pairs without a test, of which nothing is known. Entries have no letter, those
            with most such pairs first, until none is left among the others.
    """
    if untested is not None and untested.any():
        named = np.ones(len(apart), dtype=np.bool_)
        while (missing := (untested & named & named[:, None]).sum(axis=1)).any():
            named[len(named) - 1 - missing[::-1].argmax()] = False
        kept = np.flatnonzero(named)
        of_kept: dict[int, str] = (
            dict(zip(kept.tolist(), letters(apart[np.ix_(kept, kept)]), strict=True))
            if len(kept) > 1
            else {}
        )
        return [of_kept.get(entry, "") for entry in range(len(apart))]
    entries = len(apart)
    shared = np.zeros((entries, entries), dtype=np.bool_)
    groups: list[list[int]] = []
    for i, j in combinations_with_replacement(range(entries), 2):
        if apart[i, j] or shared[i, j] or (i == j and shared[i].any()):
            continue
        group = sorted({i, j})
        for other in range(entries):
            if other not in group and not apart[other, group].any():
                group.append(other)
        shared[np.ix_(group, group)] = True
        groups.append(sorted(group))
    groups.sort()
    return [
        "".join(_letter(number) for number, group in enumerate(groups) if entry in group)
        for entry in range(entries)
    ]


def share_a_letter(first: str, second: str) -> bool:
    """Whether two entries stand in one group, by their letters: "a" and "ab" do, "a" and "a2" do not."""
    return not set(_LETTERS.findall(first)).isdisjoint(_LETTERS.findall(second))


def ranks_that_share(ties: Sequence[str | None]) -> list[str]:
    """For each line of a table, the best first, the ranks from which it does not differ significantly, such as
    "1, 3 to 5"; empty without letters.

    Example:
        >>> from benchbook.assess.multiplicity import ranks_that_share
        >>> ranks_that_share(["a", "ab", "b"])
        ['1 to 2', '1 to 3', '2 to 3']

    Args:
        ties: of each line its letters, as ``letters`` gives them.
    """
    every = range(1, len(ties) + 1)
    return [
        rank_ranges(
            {
                rank
                for rank, other in zip(every, ties, strict=True)
                if share_a_letter(own or "", other or "")
            },
            every,
        )
        for own in ties
    ]


def rank_ranges(ranks: Collection[int], every: Collection[int]) -> str:
    """Ranks in words, such as "1, 3 to 5".

    Args:
        ranks: those to be told. every: all that there are; some are missing where entries share one.
    """
    present = groupby(sorted(set(every) - {0}), key=ranks.__contains__)
    runs = [list(run) for told, run in present if told]
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _letter(number: int) -> str:
    """a to z, then a2 to z2, and so on."""
    again, index = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[index] + (str(again + 1) if again else "")


def _checked(p_values: ArrayLike | Sequence[float | None]) -> Array:
    values = np.asarray(p_values, dtype=float)
    if values.ndim != 1 or not ((values >= 0.0) & (values <= 1.0)).all():
        actual = f"shape {values.shape}" if values.ndim != 1 else "a value outside 0 to 1"
        raise FaultyInput(
            "p values", [Fault("p values", actual, "a vector of numbers from 0 to 1")]
        )
    return values
