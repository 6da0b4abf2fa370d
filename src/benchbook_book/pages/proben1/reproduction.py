"""PROBEN1's printed results beside ours: every column of Tables 3, 4 and 8 to 12, and how far apart they are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchbook.assess.proben1 import QUANTITIES, standard_errors_apart
from benchbook.datasets import printed
from benchbook.errors import BenchbookError
from benchbook.seeds import generator

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

METHODS = {
    3: "proben1-linear",
    4: "proben1-linear",
    8: "proben1-pivot",
    9: "proben1-pivot",
    10: "proben1-noshort",
    11: "proben1-noshort",
}
NETWORKS = {"proben1-linear": "linear", "proben1-pivot": "pivot", "proben1-noshort": "no shortcuts"}
CORRELATION = "correlation"
CLOSE = 0.1
HEADINGS = {
    "training_error": "training error",
    "validation_error": "validation error",
    "test_error": "test error",
    "test_wrong": "test cases wrong",
    "overfit": "overfit",
    "total_epochs": "total epochs",
    "relevant_epochs": "relevant epochs",
    CORRELATION: "correlation",
}
_SCHEMA = {
    "table": pl.Int64,
    "method": pl.String,
    "dataset": pl.String,
    "quantity": pl.String,
    "unit": pl.String,
    "digits": pl.Int64,
    "printed_runs": pl.Int64,
    "printed": pl.Float64,
    "printed_sd": pl.Float64,
    "runs": pl.Int64,
    "ours": pl.Float64,
    "sd": pl.Float64,
    "difference": pl.Float64,
    "standard_error": pl.Float64,
    "apart": pl.Float64,
    "verdict": pl.String,
    "spread": pl.Float64,
}


def beside(
    runs: pl.DataFrame, tables: Sequence[int] = tuple(METHODS), method: str | None = None
) -> pl.DataFrame:
    """Every printed mean that we have runs for, with ours and how many standard errors they are apart.

    Means are compared by ``standard_errors_apart``, which allows for the rounding of the print. Correlations are
    compared as Fisher's z = artanh(rho): its standard error is that of a bootstrap of our runs, since validation and
    test errors are not normal together, and is taken for theirs as well; within its rounding the printed value counts
    as the one nearest to ours. A printed row of one run has no standard deviation; there is no standard error either.

    Args:
        runs: a line a run: dataset, method and the quantities of ``methods.proben1.Run``.
        tables: of 3, 4 and 8 to 11.
        method: runs of this method instead of the one that each table is about, to try a variant.

    Returns:
        table, method, dataset, quantity, unit, digits (printed after the point), printed_runs, printed, printed_sd,
        runs, ours, sd, difference (ours minus printed), standard_error, apart (difference / standard_error), verdict
        (``verdict``), spread (printed over our standard deviation); a line for each dataset and column.

    Raises:
        BenchbookError: another table.
    """
    if unknown := [number for number in tables if number not in METHODS]:
        raise BenchbookError(
            f"Table {unknown[0]} has no means of runs; those that do are "
            f"{', '.join(map(str, METHODS))}"
        )
    lines = [
        line for number in tables for line in _of_table(runs, number, method or METHODS[number])
    ]
    return pl.DataFrame([dict.fromkeys(_SCHEMA) | line for line in lines], schema=_SCHEMA)


def verdict(apart: float | None, difference: float, standard_error: float | None) -> str:
    """``agrees`` up to 2 standard errors, ``near`` up to 3, ``differs`` beyond; ``same digits`` where there is no
    standard error and the numbers are equal as printed."""
    if apart is None or standard_error is None:
        return "same digits" if not difference else "one run"
    return "agrees" if abs(apart) <= 2.0 else "near" if abs(apart) <= 3.0 else "differs"


def _of_table(runs: pl.DataFrame, number: int, method: str) -> Iterator[dict[str, Any]]:
    digits = printed.decimals(number)
    own = runs.filter(pl.col("method") == method)
    for index, row in enumerate(printed.table(number).iter_rows(named=True)):
        part = own.filter(pl.col("dataset") == row["dataset"])
        if not part.height:
            continue
        for quantity in HEADINGS:
            mean = quantity if quantity == CORRELATION else f"{quantity}_mean"
            if mean not in row:
                continue
            count = digits[mean][index]
            head = {
                "table": number,
                "method": method,
                "dataset": row["dataset"],
                "quantity": quantity,
                "unit": QUANTITIES.get(quantity, ""),
                "digits": count,
                "printed_runs": row["runs"],
                "printed": row[mean],
                "printed_sd": row.get(f"{quantity}_sd"),
                "runs": part.height,
            }
            yield head | (
                _correlation(part, row)
                if quantity == CORRELATION
                else _mean(
                    part[quantity].to_numpy().astype(float),
                    row[mean],
                    row[f"{quantity}_sd"],
                    row["runs"],
                    10.0**-count,
                )
            )


def _mean(
    values: np.ndarray, mean: float, sd: float | None, count: int, unit: float
) -> dict[str, Any]:
    ours, difference = float(values.mean()), float(values.mean()) - mean
    if sd is None or len(values) < 2:
        rounded = round(difference / unit) * unit if abs(difference) >= unit / 2 else 0.0
        return {"ours": ours, "difference": rounded, "verdict": verdict(None, rounded, None)}
    own = float(values.std(ddof=1))
    apart = standard_errors_apart(ours, own, len(values), mean, sd, count, unit)
    error = difference / apart if apart else math.nan
    return {
        "ours": ours,
        "sd": own,
        "difference": difference,
        "standard_error": error,
        "apart": apart,
        "verdict": verdict(apart, difference, error),
        "spread": sd / own if own else None,
    }


def _correlation(part: pl.DataFrame, row: dict[str, Any], draws: int = 400) -> dict[str, Any]:
    pair = part.select("validation_error", "test_error").to_numpy().astype(float)
    ours, theirs = float(np.corrcoef(pair.T)[0, 1]), row[CORRELATION]
    nearest = min(max(ours, theirs - 0.005), theirs + 0.005)
    rng = generator(1, "correlation", row["dataset"])
    error = math.sqrt(2.0) * float(_z(_resampled(pair, draws, rng)).std(ddof=1))
    apart = float(_z(ours) - _z(nearest)) / error
    return {
        "ours": ours,
        "difference": ours - theirs,
        "standard_error": error,
        "apart": apart,
        "verdict": verdict(apart, ours - theirs, error),
    }


def _z(correlation: ArrayLike) -> NDArray[Any]:
    return np.arctanh(np.clip(correlation, -1.0 + 1e-6, 1.0 - 1e-6))


def _resampled(pair: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Correlations [draws] of pairs [n, 2] drawn again with replacement."""
    chosen = pair[rng.integers(0, len(pair), (draws, len(pair)))]
    apart = chosen - chosen.mean(axis=1, keepdims=True)
    squares = (apart**2).sum(axis=1)
    return (apart[:, :, 0] * apart[:, :, 1]).sum(axis=1) / np.sqrt(
        np.maximum(squares[:, 0] * squares[:, 1], 1e-300)
    )


def verdicts_beside_print(compared: pl.DataFrame) -> pl.DataFrame:
    """Table 12 cell by cell, in the report's form: our verdict, a stroke, and the printed one.

    Args:
        compared: what ``assess.proben1.comparisons`` gives for the networks with and without shortcuts.

    Returns:
        problem, 1, 2, 3 (the permutations): cells such as ``P 2.9 / N 0.1``; null where there are no runs,
        or nothing is printed.
    """
    better = pl.col("better")
    entry = (
        pl.when(better.is_null())
        .then(pl.lit("–"))
        .otherwise(pl.format("{} {}", better, "p_percent"))
    )
    theirs = printed.table(12).select(
        "dataset", printed=pl.when("reliable").then(entry).otherwise(pl.format("({})", entry))
    )
    both = compared.join(theirs, on="dataset", how="left").select(
        problem=pl.col("dataset").str.head(-1),
        permutation=pl.col("dataset").str.tail(1),
        cell=pl.format("{} / {}", "entry", "printed"),
    )
    wide = (
        both.sort("permutation")
        .pivot("permutation", index="problem", values="cell")
        .sort("problem")
    )
    missing = [
        pl.lit(None, dtype=pl.String).alias(name)
        for name in ("1", "2", "3")
        if name not in wide.columns
    ]
    return wide.with_columns(missing).select("problem", "1", "2", "3")


def shares(table: pl.DataFrame, by: Sequence[str] = ("table", "quantity")) -> pl.DataFrame:
    """What share of the printed numbers is within 2 and 3 standard errors of ours, and within 2 or 0.1.

    Args:
        table: what ``beside`` gives; lines without a standard error count as within where the digits are the same.

    Returns:
        the columns of ``by``, compared, within_2, within_3, close (within 2 standard errors or 0.1), mean_apart.
    """
    same = pl.col("verdict") == "same digits"
    two, three = (pl.col("apart").abs() <= limit for limit in (2.0, 3.0))
    near = pl.col("difference").abs() <= CLOSE
    return table.group_by(list(by), maintain_order=True).agg(
        compared=pl.len(),
        within_2=(two.fill_null(False) | same).mean(),
        within_3=(three.fill_null(False) | same).mean(),
        close=(two.fill_null(False) | same | near).mean(),
        mean_apart=pl.col("apart").mean(),
    )


def expected(
    runs: pl.DataFrame, table: pl.DataFrame, quantity: str = "test_error", draws: int = 200
) -> dict[str, float]:
    """The shares within 2 and 3 standard errors that would be found if the report's runs came from our law.

    For every line both samples of runs are drawn, with replacement, from ours, the second is rounded as printed, and
    they are compared as ``beside`` does. What keeps the shares below those of a normal law is how errors are
    distributed: a few divergent runs move a mean further than its standard error admits.

    Returns:
        ``within_2`` and ``within_3``, averaged over the draws, and ``within_2_low``, the 5 % quantile of the share.
    """
    inside = []
    for line in (
        table.filter(quantity=quantity).filter(pl.col("apart").is_not_null()).iter_rows(named=True)
    ):
        own = (
            runs.filter(method=line["method"], dataset=line["dataset"])[quantity]
            .to_numpy()
            .astype(float)
        )
        rng = generator(1, "expected", line["dataset"], line["method"], quantity)
        inside.append(_apart_of_draws(own, line, rng, draws))
    if not inside:
        return {"within_2": math.nan, "within_3": math.nan, "within_2_low": math.nan}
    apart = np.abs(np.array(inside))
    each = (apart <= 2.0).mean(axis=0)
    return {
        "within_2": float(each.mean()),
        "within_3": float((apart <= 3.0).mean()),
        "within_2_low": float(np.quantile(each, 0.05)),
    }


def _apart_of_draws(
    own: np.ndarray, line: dict[str, Any], rng: np.random.Generator, draws: int
) -> list[float]:
    unit, counts = 10.0 ** -line["digits"], (line["runs"], line["printed_runs"])
    drawn = [own[rng.integers(0, len(own), (draws, count))] for count in counts]
    ours, theirs = (
        zip(each.mean(axis=1).tolist(), each.std(axis=1, ddof=1).tolist(), strict=True)
        for each in drawn
    )
    distances = [
        standard_errors_apart(
            mean,
            sd,
            counts[0],
            round(other / unit) * unit,
            round(other_sd / unit) * unit,
            counts[1],
            unit,
        )
        for (mean, sd), (other, other_sd) in zip(ours, theirs, strict=True)
    ]
    return [0.0 if math.isnan(value) else value for value in distances]
