"""The challenge's entries on fresh cases of the same laws: which ranks stay, and whose losses had been flattered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from benchbook.pages.challenge_results import Results, results, there
from benchbook.pages.numbers import number

IN_VIEW = (
    "mlp-committee-1", "mlp-committee-class-1", "mdn-1", "can2-1", "gated-experts-1", "gp-sparse-1",
    "kernel-variance-1", "loohkrr-1", "forest-quantiles-1", "boosting-quantiles-1", "conformal-1", "conformal-cpd-1",
)
"""The methods whose constants were chosen with test losses on the challenge's tasks in view."""


def again(name: str) -> Results:
    """The results of a re-created task on its fresh cases."""
    return results(f"{name}-again")


def drawn_twice(names: Sequence[str]) -> list[str]:
    """Those of the tasks that have entries on the fresh cases too."""
    return [name for name in names if there([name, f"{name}-again"]) == [name, f"{name}-again"]]


def pairs(names: Sequence[str]) -> pl.DataFrame:
    """The honest entries to both draws of a task, baseline apart: task, method, in_view, share and share_again.

    A share is (baseline - loss) / (baseline - law), of the ranking loss on the cases of a draw: the part of what can be
    known that the entry found there, 0 at the baseline and 1 at the law.
    """
    rows = []
    for name in names:
        first, fresh = _shares(results(name)), _shares(again(name))
        rows += [{"task": name, "method": method, "in_view": method in IN_VIEW, "share": share,
                  "share_again": fresh[method]} for method, share in first.items() if method in fresh]
    return pl.DataFrame(rows, schema=_PAIRS)


def firsts(names: Sequence[str]) -> pl.DataFrame:
    """What became of the first honest entry of each task: task, first, again (the first on the fresh cases), place (of
    the old first there, from 1), entries, stays and agreement.

    ``stays`` is "first", "tied" (not told apart from the first, by the rule of the leaderboard: ``challenge.groups``,
    with all entries of its board) or "no". ``agreement`` is Spearman's correlation of the honest entries' ranking
    losses on the two draws.
    """
    from scipy import stats

    rows = []
    for name in names:
        first = results(name).entries.filter(kind="entry")["entry"][0]
        board = again(name).entries.filter(kind="entry")
        place = board["entry"].to_list().index(first)
        tied = set(board["groups"][place]) & set(board["groups"][0])
        both = pairs([name])
        rows.append({"task": name, "first": first, "again": board["entry"][0], "place": place + 1,
                     "entries": board.height, "stays": "first" if place == 0 else "tied" if tied else "no",
                     "agreement": float(stats.spearmanr(both["share"], both["share_again"]).statistic)})
    return pl.DataFrame(rows, schema=_FIRSTS)


def changes(names: Sequence[str]) -> pl.DataFrame:
    """By how much the shares of ``pairs`` changed from the old cases to the fresh ones, on average over methods: task,
    in_view (of methods whose constants were chosen in view of the task), others, and difference, the one less the
    other. Flattery of the former would make it negative."""
    change = pl.col("share_again") - pl.col("share")
    return pairs(names).group_by("task", maintain_order=True).agg(
        in_view=change.filter("in_view").mean(), others=change.filter(~pl.col("in_view")).mean(),
    ).with_columns(difference=pl.col("in_view") - pl.col("others"))


def numbers(names: Sequence[str]) -> dict[str, str]:
    """What prose says of ``firsts`` and ``changes``, by the keys it is glued under; question marks without tasks.

    first-again: how many old firsts are first again; agree-low and agree-high: the least and the greatest agreement;
    luck: the greatest change of the methods not in view, in percentage points; gap and gap-error: the mean difference
    over the tasks and its standard error, in percentage points.
    """
    if not names:
        return dict.fromkeys(("first-again", "agree-low", "agree-high", "luck", "gap", "gap-error"), "?")
    stays, changed = firsts(names), changes(names)
    gap, error = mean_and_error(changed["difference"])
    agreement = stays["agreement"].to_numpy()
    return {"first-again": f"{(stays['stays'] == 'first').sum()} of the {stays.height}",
            "agree-low": f"{agreement.min():.2f}", "agree-high": f"{agreement.max():.2f}",
            "luck": number(100 * float(changed["others"].to_numpy().max()), 2),
            "gap": number(100 * gap, 2), "gap-error": number(100 * error, 2)}


def mean_and_error(values: pl.Series) -> tuple[float, float]:
    """The mean of some numbers, and its standard error as if they were independent."""
    numbers = values.to_numpy()
    return float(numbers.mean()), float(numbers.std(ddof=1) / np.sqrt(len(numbers)))


def _shares(one: Results) -> dict[str, float]:
    """By method the share of the knowable that an honest entry found."""
    assert one.law is not None
    base = one.entries.filter(kind="baseline")["ranked"][0]
    found = one.entries.filter(kind="entry")
    return {row["method"]: (base - row["ranked"]) / (base - one.law["ranked"]) for row in found.iter_rows(named=True)}


_PAIRS = {"task": pl.String, "method": pl.String, "in_view": pl.Boolean, "share": pl.Float64,
          "share_again": pl.Float64}
_FIRSTS = {"task": pl.String, "first": pl.String, "again": pl.String, "place": pl.Int64, "entries": pl.Int64,
           "stays": pl.String, "agreement": pl.Float64}
