"""Methods on random splits of one data set: means that share their cases, compared by the corrected resampled t test.

Training sets that overlap leave no sound test between methods (``false_alarms`` counts how often which one is fooled).
The corrected test is the least that is asked for; the usual "mean and standard error over the splits" is given beside
it, so that what it would have said can be seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import polars as pl

from benchbook.assess.resampling import corrected_resampled_t, resampled_t
from benchbook.assess.standings import standings
from benchbook.errors import Fault, FaultyInput
from benchbook.statistics import column_error, difference

_PAIRS = {
    "task": pl.String,
    "loss": pl.String,
    "method": pl.String,
    "other": pl.String,
    "splits": pl.Int64,
    "difference": pl.Float64,
    "standard_error": pl.Float64,
    "p": pl.Float64,
    "usual_p": pl.Float64,
    "reason": pl.String,
}
_MEAN = ["task", "loss", "method", "splits", "mean", "usual_standard_error"]


def compare_on_splits(
    means: pl.DataFrame, test_to_train: float | Mapping[str, float], against: str | None = None
) -> pl.DataFrame:
    """Every method against one, on the same splits, by every loss. Smaller is better.

    Args:
        means: the columns of ``assess.split_means``; results of others on the same splits may be among them.
        test_to_train: n_test / n_train of a split, or by the name of the task.
        against: the method that the others are compared with; None for the best by each loss.

    Returns:
        ``standings`` of the methods, a line for every (task, loss, method), best first: ties, against, splits, mean,
        usual_standard_error (s/sqrt(R) of the method's own means, as most papers print), difference (method minus
        ``against``), standard_error, p, holm and benjamini_hochberg by the corrected resampled t test, usual_p by the
        uncorrected one, and the reason where there is none.

    Raises:
        FaultyInput: methods that do not have the same splits, a number that is not finite; all of them.
        UnknownName: no method ``against``.

    Source: Nadeau and Bengio (2003), section 3.
    """
    pairs = pairs_on_splits(means, test_to_train)
    own = means.group_by("task", "loss", "method", maintain_order=True).agg(
        splits=pl.len().cast(pl.Int64),
        mean=pl.col("mean").mean(),
        usual_standard_error=column_error(pl.col("mean")),
    )
    table = standings(own.select(_MEAN).sort("task", "loss", "method"), pairs, against)
    usual = pairs.select("task", "loss", "method", "usual_p", against="other")
    return (
        table.join(
            usual, on=["task", "loss", "method", "against"], how="left", maintain_order="left"
        )
        .with_columns(difference=pl.col("difference").fill_null(0.0))
        .rename({"difference_error": "standard_error", "why_no_p": "reason"})
    )


def pairs_on_splits(
    means: pl.DataFrame, test_to_train: float | Mapping[str, float]
) -> pl.DataFrame:
    """All ordered pairs of methods on the same splits, by the corrected resampled t test.

    The arguments and the errors are those of ``compare_on_splits``.

    Returns:
        A line for every (task, loss, method, other): splits, difference (method minus other), standard_error, p,
        usual_p (of the uncorrected test), reason.
    """
    _refuse_faulty(means)
    rows = []
    for (task, loss), group in means.sort("split").group_by("task", "loss", maintain_order=True):
        values = {
            name: part["mean"].to_numpy()
            for (name,), part in group.group_by("method", maintain_order=True)
        }
        share = test_to_train if isinstance(test_to_train, int | float) else test_to_train[task]
        for item, other in combinations(sorted(values), 2):
            gaps = difference(values[item], values[other])
            test, usual = corrected_resampled_t(gaps, float(share)), resampled_t(gaps).p
            for pair, sign in (((item, other), 1.0), ((other, item), -1.0)):
                rows.append(
                    (
                        task,
                        loss,
                        *pair,
                        len(gaps),
                        sign * test.difference,
                        test.standard_error,
                        test.p,
                        usual,
                        test.reason,
                    )
                )
    return pl.DataFrame(rows, schema=_PAIRS, orient="row").sort("task", "loss", maintain_order=True)


def _refuse_faulty(means: pl.DataFrame) -> None:
    faults = []
    for (task, loss), group in means.group_by("task", "loss", maintain_order=True):
        splits = {
            name: part["split"].to_list()
            for (name,), part in group.group_by("method", maintain_order=True)
        }
        whole = sorted(set(group["split"]))
        faults += [
            Fault(
                f"{task}, loss {loss}, method {name}",
                f"splits {split}",
                f"each of {whole} once, as the others",
            )
            for name, split in splits.items()
            if sorted(split) != whole
        ]
        faults += [
            Fault(
                f"{task}, loss {loss}, method {name}", "a mean that is not finite", "finite numbers"
            )
            for (name,), part in group.group_by("method", maintain_order=True)
            if not part["mean"].is_finite().all()
        ]
    if faults:
        raise FaultyInput("comparison on splits", faults)
