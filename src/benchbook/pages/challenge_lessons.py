"""What the archived entries say on the challenge's lessons: each a small table, from the same runs as the results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from benchbook.challenge.groups import told_apart
from benchbook.pages.challenge_results import BASELINE, CODES, POINT, all_entries, results

HONEST = ("entry", "before")
_CONFORMAL = ("conformal-1", "conformal-cpd-1")


def before_after(names: Sequence[str]) -> pl.DataFrame:
    """What the validation targets were worth: task, method, before, after, gain and its standard_error, paired by case,
    of every method that has both entries."""
    rows = []
    for name in names:
        one, code = results(name), CODES[results(name).kind][0]
        for entry in one.losses:
            if entry.startswith("< ") and entry[2:] in one.losses:
                early, late = one.losses[entry][code], one.losses[entry[2:]][code]
                rows.append({"task": name, "method": entry[2:], "before": float(early.mean()),
                             "after": float(late.mean()), "gain": float((early - late).mean()),
                             "standard_error": float((early - late).std(ddof=1) / np.sqrt(early.size))})
    schema = {"task": pl.String, "method": pl.String, "before": pl.Float64, "after": pl.Float64, "gain": pl.Float64,
              "standard_error": pl.Float64}
    return pl.DataFrame(rows, schema=schema).sort("task", "method")


def summary(names: Sequence[str]) -> pl.DataFrame:
    """The best honest entry of each task: task, loss, baseline, best, ranked, tied (honest entries that cannot be told
    from it, as ``Results.tied`` has them) and ties (their number)."""
    rows = []
    for name in names:
        one = results(name)
        best, base = one.honest.row(0, named=True), one.entries.filter(kind="baseline").row(0, named=True)
        rows.append({"task": name, "loss": CODES[one.kind][0], "baseline": base["ranked"], "best": best["entry"],
                     "ranked": best["ranked"], "tied": ", ".join(one.tied) or "none", "ties": len(one.tied)})
    return pl.DataFrame(rows)


def agreement(names: Sequence[str]) -> pl.DataFrame:
    """How the losses order honest entries: task, entries, point (Spearman's correlation of the ranking loss with nMSE
    or 01L; None when all are equal in it) and other (with CRPS or the Brier score), and the best by each."""
    from scipy import stats

    rows = []
    for name in names:
        full = all_entries([name]).filter(kind="entry")
        with np.errstate(invalid="ignore"):
            rho = {column: float(stats.spearmanr(full["ranked"], full[column]).statistic)
                   if full[column].n_unique() > 1 else None for column in ("point", "other")}
        rows.append({"task": name, "entries": full.height} | rho | {
            "best": full["entry"][0], "best_by_point": full.sort("point")["entry"][0],
            "best_by_other": full.sort("other")["entry"][0]})
    return pl.DataFrame(rows)


def beaten(names: Sequence[str]) -> pl.DataFrame:
    """How many honest entries are told apart from the baseline, and better, by each loss: task, loss, entries, better.

    The rule is the leaderboard's (``challenge.groups``), with Holm's correction over all pairs of honest entries.
    """
    rows = []
    for name in names:
        one = results(name)
        kept = one.entries.filter(pl.col("kind").is_in(["entry", "baseline"]))["entry"].to_list()
        for code in one.codes:
            each = np.array([one.losses[entry][code] for entry in kept])
            base = kept.index(BASELINE)
            better = told_apart(each)[base] & (each.mean(axis=1) < each[base].mean())
            rows.append({"task": name, "loss": code, "entries": len(kept) - 1, "better": int(better.sum())})
    return pl.DataFrame(rows)


def top(names: Sequence[str], count: int = 3) -> pl.DataFrame:
    """How many of the best honest entries are averages: task, best (the methods), averages, of, and rest, the share of
    averages among the other entries."""
    rows = []
    for name in names:
        full = all_entries([name]).filter(kind="entry")
        flag = full["averaged"] != ""
        rest = float(np.mean(flag[count:].to_numpy())) if full.height > count else 0.0
        rows.append({"task": name, "best": ", ".join(full["entry"][:count]), "averages": int(flag[:count].sum()),
                     "of": min(count, full.height), "rest": rest})
    return pl.DataFrame(rows)


def coverage(names: Sequence[str], promised: float = 0.9) -> pl.DataFrame:
    """How far from the promise the 90 % intervals are: method, tasks, miss (mean distance, over tasks), least and most
    coverage, conformal; the methods with entries on most tasks, best first."""
    rows = []
    for name in names:
        if results(name).kind == "real":
            rows += [{"method": row["method"], "held": row["extra"]}
                     for row in results(name).entries.filter(kind="entry").iter_rows(named=True)]
    if not rows:
        return pl.DataFrame(schema={"method": pl.String, "tasks": pl.UInt32, "miss": pl.Float64, "least": pl.Float64,
                                    "most": pl.Float64, "conformal": pl.Boolean})
    found = pl.DataFrame(rows).group_by("method").agg(
        tasks=pl.len(), miss=(pl.col("held") - promised).abs().mean(), least=pl.col("held").min(),
        most=pl.col("held").max()).with_columns(conformal=pl.col("method").is_in(_CONFORMAL))
    return found.filter(pl.col("tasks") == pl.col("tasks").max()).sort("miss", "method")


def point_name(name: str) -> str:
    """What the loss of the guesses is called for a task: nMSE or 01L."""
    return POINT[results(name).kind]
