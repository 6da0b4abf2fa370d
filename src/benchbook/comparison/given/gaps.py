"""Scores without gaps: every method on the same units, each once; refused, left out, or the worst in their place."""

from __future__ import annotations

import polars as pl

from benchbook.comparison.given.source import PAIRING, REPEATING, Wishes, counted
from benchbook.errors import Fault
from benchbook.words import listed


def complete(
    data: pl.DataFrame,
    shape: str,
    higher: bool,
    wishes: Wishes,
    faults: list[Fault],
    notes: list[str],
) -> pl.DataFrame:
    """The scores without gaps: refused, left out, or the worst in their place."""
    pairing = [name for name in PAIRING if name in data.columns]
    if _aligned(data, pairing):
        return data
    keys = [*pairing, *(name for name in REPEATING if name in data.columns)]
    for name in keys:
        if data[name].null_count():
            faults.append(
                Fault(name, f"{data[name].null_count()} rows without one", "one for every row")
            )
            return data
    if shape in ("published", "seeds"):
        faults += _twice(data, keys)
        if shape == "published" and "se" not in data.columns:
            data = _with_errors(data, faults, notes)
        return _empty(data, wishes, faults, notes)
    faults += _twice(data, keys)
    for name in ("cluster", "weight", "segment"):
        if name in data.columns and pairing:
            faults += _one_each(data, name, pairing)
    return _paired(data, pairing, higher, wishes, faults, notes)


def _aligned(data: pl.DataFrame, pairing: list[str]) -> bool:
    """Whether every method has one score of each unit, in one order: then nothing lacks, and nothing is there twice."""
    if (
        not pairing
        or {"seed", "sample"} & set(data.columns)
        or not data["value"].is_finite().fill_null(False).all()
    ):
        return False
    parts = data.drop("value").partition_by("method", include_key=False)
    first = parts[0]
    keys = first.select(pairing)
    whole = all(part.equals(first) for part in parts[1:])
    return whole and not keys.null_count().sum_horizontal()[0] and keys.n_unique() == keys.height


def _with_errors(data: pl.DataFrame, faults: list[Fault], notes: list[str]) -> pl.DataFrame:
    """Rates with the standard errors that follow from how many items they are of."""
    if not bool(data["value"].is_between(0.0, 1.0).all()):
        rule = "se= their standard errors: they follow from n for rates between 0 and 1 alone"
        faults.append(Fault("n", "means that are no rates", rule))
        return data
    notes.append("taken for rates of n items each")
    value, n = pl.col("value"), pl.col("n").cast(pl.Float64)
    return data.with_columns(se=(value * (1.0 - value) / n).sqrt())


def _twice(data: pl.DataFrame, keys: list[str]) -> list[Fault]:
    count = data.height - data.select("method", *keys).n_unique()
    if not count:
        return []
    rule = (
        "one row each: what tells them apart? sample= where each is another answer, seed= another training; else "
        "keep one (of lm-eval's filters, say)"
    )
    return [Fault("rows", f"{count} more with the same {', '.join(['method', *keys])}", rule)]


def _one_each(data: pl.DataFrame, name: str, pairing: list[str]) -> list[Fault]:
    several = data.select(*pairing, name).n_unique() - data.select(pairing).n_unique()
    if not several:
        return []
    unit = pairing[-1] if "item" not in pairing else "item"
    word = {"cluster": "clusters", "weight": "weights", "segment": "segments"}[name]
    return [
        Fault(
            "by" if name == "segment" else name,
            f"{unit}s in two {word}",
            f"one {name} for each {unit}",
        )
    ]


def _empty(
    data: pl.DataFrame, wishes: Wishes, faults: list[Fault], notes: list[str]
) -> pl.DataFrame:
    """Scores that pair nothing, without the empty ones."""
    valid = data["value"].is_not_null() & data["value"].is_not_nan()
    if (count := int((~valid).sum())) and wishes.missing == "refuse":
        rule = "a number in every row; missing='drop' leaves them out"
        faults.append(Fault("scores", f"{count} empty of {data.height}", rule))
    elif count:
        notes.append(f"left out: {counted(count, 'empty score')}")
    return data.filter(valid)


def _paired(
    data: pl.DataFrame,
    pairing: list[str],
    higher: bool,
    wishes: Wishes,
    faults: list[Fault],
    notes: list[str],
) -> pl.DataFrame:
    """The scores of units that every method has, in all of its trainings."""
    runs = ["method", *(["seed"] if "seed" in data.columns else [])]
    units = data.select(pairing).unique(maintain_order=True)
    valid = data.filter(pl.col("value").is_not_null() & pl.col("value").is_not_nan())
    by_unit = valid.select(*pairing, *runs).unique().group_by(pairing).len()
    whole = by_unit.filter(pl.col("len") == data.select(runs).n_unique()).select(pairing)
    if whole.height == units.height:
        return valid
    what = pairing[-1] if "item" not in pairing else "item"
    lacking = _lacking(data, valid, units, pairing)
    lacks = listed([f"{name} {text}" for name, text in lacking.items()])
    if wishes.missing == "worst" and valid.height:
        known = data["value"].drop_nans().drop_nulls().to_list()
        worst = min(known) if higher else max(known)
        notes.append(
            f"missing scores count as the worst one seen, {worst:.4g}: {lacks} of {units.height} {what}s"
        )
        grid = valid.select(runs).unique(maintain_order=True).join(units, how="cross")
        rest = [name for name in data.columns if name not in (*runs, *pairing, "value", "sample")]
        gaps = grid.join(valid, on=[*runs, *pairing], how="anti")
        rows = data.select(*pairing, *rest).unique(pairing, keep="first")
        filled = gaps.join(rows, on=pairing, how="left").with_columns(
            value=pl.lit(worst).cast(pl.Float64)
        )
        if "sample" in data.columns:
            filled = filled.with_columns(
                pl.lit(data["sample"][0]).cast(data["sample"].dtype).alias("sample")
            )
        return pl.concat([valid, filled.select(valid.columns)])
    if wishes.missing == "drop" and whole.height:
        notes.append(
            f"left out: {units.height - whole.height} of {units.height} {what}s, which are missing for {lacks}"
        )
        return valid.join(whole, on=pairing, how="semi", maintain_order="left")
    for name, text in lacking.items():
        rule = (
            "all methods on the same ones; missing='drop' compares on the common ones, missing='worst' counts "
            "them as the worst score seen"
        )
        if not whole.height:
            rule = f"the same {what}s for all methods, by the same names: no {what} has all of them"
        faults.append(
            Fault(f"method {name}", f"{text} of {units.height} {what}s missing or empty", rule)
        )
    return valid


def _lacking(
    data: pl.DataFrame, valid: pl.DataFrame, units: pl.DataFrame, pairing: list[str]
) -> dict[str, str]:
    """By method, how many units it lacks in some training, and the first of them."""
    runs = ["method", *(["seed"] if "seed" in data.columns else [])]
    found: dict[str, str] = {}
    for run in data.select(runs).unique(maintain_order=True).iter_rows(named=True):
        own = valid.filter(*(pl.col(name) == value for name, value in run.items()))
        gaps = units.join(own, on=pairing, how="anti", maintain_order="left")
        if gaps.height:
            first = ["/".join(map(str, row)) for row in gaps.head(3).iter_rows()]
            more = ", ..." if gaps.height > 3 else ""
            found.setdefault(str(run["method"]), f"{gaps.height} ({', '.join(first)}{more})")
    return found
