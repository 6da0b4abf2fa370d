"""Do the re-created datasets order the methods as DELVE's own do?"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from benchbook.charts.words import training_cases
from benchbook.pages.neal import METHODS, PUBLISHED, Study, of, short

LEVEL = 0.05
_AGREED = {"dataset": pl.String, "training_cases": pl.Int64, "methods": pl.Int64, "correlation": pl.Float64,
           "both": pl.Int64, "same": pl.Int64}
_POINT = {"dataset": pl.String, "training_cases": pl.Int64, "method": pl.String, "recreated": pl.Float64,
          "original": pl.Float64}


def losses_side_by_side(study: Study, methods: Sequence[str] = METHODS, unit: str = "lin-1") -> pl.DataFrame:
    """Expected losses on the re-created and the original tasks, as multiples of one method's on the same task.

    Returns:
        dataset (the original's), training_cases, method, recreated, original; methods that both have.
    """
    lines = []
    for ours, theirs in PUBLISHED.items():
        first, second = (_by_size(of(study.expected, name), methods) for name in (ours, theirs))
        for size in sorted(set(first) & set(second)):
            one, other = first[size], second[size]
            if unit in one and unit in other:
                lines += [{"dataset": short(theirs), "training_cases": size, "method": name,
                           "recreated": one[name] / one[unit], "original": other[name] / other[unit]}
                          for name in methods if name in one and name in other and name != unit]
    return pl.DataFrame(lines, schema=_POINT)


def agreement(study: Study, methods: Sequence[str] = METHODS) -> pl.DataFrame:
    """How alike the two order the methods, a line a dataset and number of training cases.

    Returns:
        dataset (the original's), training_cases, methods (that both have), correlation (Spearman's, of their expected
        losses; null with fewer than three), both (pairs of methods that differ significantly on both), same (those of
        them in which the same method is better).
    """
    from scipy import stats

    lines = []
    for ours, theirs in PUBLISHED.items():
        expected = [_by_size(of(study.expected, name), methods) for name in (ours, theirs)]
        signs = [_signs(of(study.compared, name), methods) for name in (ours, theirs)]
        for size in sorted(set(expected[0]) & set(expected[1])):
            names = [name for name in methods if name in expected[0][size] and name in expected[1][size]]
            pairs = [(signs[0][key], signs[1][key]) for key in signs[0].keys() & signs[1].keys() if key[0] == size]
            correlation = None
            if len(names) > 2:
                values = ([one[size][name] for name in names] for one in expected)
                correlation = float(stats.spearmanr(*values).statistic)
            lines.append({"dataset": short(theirs), "training_cases": size, "methods": len(names),
                          "correlation": correlation, "both": len(pairs),
                          "same": sum(first == second for first, second in pairs)})
    return pl.DataFrame(lines, schema=_AGREED)


def agreement_by_dataset(agreed: pl.DataFrame) -> pl.DataFrame:
    """The lines of ``agreement`` by dataset: methods, median and least correlation, both, same."""
    return agreed.group_by("dataset", maintain_order=True).agg(
        pl.col("methods").max(), pl.col("correlation").median().alias("median"),
        pl.col("correlation").min().alias("least"), pl.col("both").sum(), pl.col("same").sum())


def words(agreed: pl.DataFrame) -> str:
    """What the comparison comes to, in two sentences."""
    both, same = int(agreed["both"].sum()), int(agreed["same"].sum())
    known = agreed["correlation"].drop_nulls()
    if known.is_empty():
        return "The archive has no methods that were run both on re-created data and on DELVE's own."
    low, high = float(str(known.min())), float(str(known.max()))
    said = (f"The rank correlation of the expected losses, task by task, lies between {low:.2f} and {high:.2f}; its "
            f"median is {float(str(known.median())):.2f}.")
    if not both:
        return f"{said} No pair of methods differs significantly on both."
    share = "all of them" if same == both else f"{same} of them ({100 * same / both:.0f} %)"
    return (f"{said} {both} comparisons are significant at the 5 % level on both the re-created and the original task; "
            f"in {share} the same method is the better one.")


def _by_size(expected: pl.DataFrame, methods: Sequence[str]) -> dict[int, dict[str, float]]:
    found: dict[int, dict[str, float]] = {}
    for task, method, mean in expected.select("task", "method", "mean").iter_rows():
        if method in methods and mean is not None:
            found.setdefault(training_cases(task) or 0, {})[method] = mean
    return found


def _signs(compared: pl.DataFrame, methods: Sequence[str]) -> dict[tuple[int, str, str], bool]:
    """Whether the first of a pair is the better one, for pairs that differ significantly, by size and pair."""
    wanted = pl.col("method").is_in(list(methods)) & pl.col("other").is_in(list(methods))
    clear = compared.filter(wanted & (pl.col("method") < pl.col("other")) & (pl.col("p") <= LEVEL))
    return {(training_cases(task) or 0, method, other): difference < 0.0 for task, method, other, difference
            in clear.select("task", "method", "other", "difference").iter_rows()}
