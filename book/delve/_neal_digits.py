"""The p digits of Neal's figures beside ours: how many, and pair by pair where his method and size can be told."""

from __future__ import annotations

import polars as pl

from benchbook import datasets
from benchbook.charts.rasmussen import digit
from benchbook_book.pages.show import neal
from benchbook_book.pages.verdicts import LEVEL, verdict

SAME, OPPOSITE, HIS, OURS, NEITHER = "same", "opposite", "only his", "only ours", "neither"
"""What the digits of a pair say: both the same method is better, both another, only one has a digit, none has."""

_FAMILY = pl.col("dataset").str.extract(r"^([a-z]+)")
_SIZE = pl.col("task").str.extract(r"(\d+)$").cast(pl.Int64)


def printed() -> pl.DataFrame:
    """The columns of his grids: dataset, training_cases and better (null where they cannot be told), digits.

    Source: Neal (1998), figures of section 5; ``data/printed/neal/README.md`` says how they were read.
    """
    return pl.read_csv(datasets.registry_path().parent / "printed" / "neal" / "digits.csv")


def axes() -> pl.DataFrame:
    """The last number on the axis of each of his figures: dataset, axis_end (standardised squared error).

    Source: Neal (1998), figures of section 5.
    """
    return pl.read_csv(datasets.registry_path().parent / "printed" / "neal" / "axes.csv")


def ours(compared: pl.DataFrame) -> pl.DataFrame:
    """The digits of the archived runs: dataset, training_cases, method (the better one), other, digit, p.

    Args:
        compared: as ``assess.comparisons`` gives it, on the re-created data.
    """
    rows = [
        (
            neal.short(line["task"]).removesuffix("-sim"),
            size,
            line["method"],
            line["other"],
            mark,
            line["p"],
        )
        for line, size in zip(
            compared.iter_rows(named=True), compared.select(_SIZE).to_series(), strict=True
        )
        if line["task"].startswith(neal.PROTOTASKS)
        and {line["method"], line["other"]} <= set(neal.FIGURES[_family(line["task"])])
        and (mark := digit(line["p"], line["difference"] < 0.0)).isdigit()
    ]
    names = {
        "dataset": pl.String,
        "training_cases": pl.Int64,
        "method": pl.String,
        "other": pl.String,
    }
    return pl.DataFrame(rows, {**names, "digit": pl.String, "p": pl.Float64}, orient="row")


def _family(name: str) -> str:
    return name.partition("-")[0]


def counts(compared: pl.DataFrame) -> pl.DataFrame:
    """By family: pairs, and how many of them have a digit and a 1 in his figures and in ours."""
    marks = (
        printed()
        .select(family=_FAMILY, digit=pl.col("digits").str.extract_all(r"\d"))
        .explode("digit", empty_as_null=False)
    )
    sides = [
        frame.group_by("family").agg(
            pl.len().alias(f"digits, {side}"), (pl.col("digit") == "1").sum().alias(f"ones, {side}")
        )
        for side, frame in (("his", marks), ("ours", ours(compared).with_columns(family=_FAMILY)))
    ]
    pairs = [
        {"family": family, "pairs": 10 * len(names) * (len(names) - 1) // 2}
        for family, names in neal.FIGURES.items()
    ]
    table = pl.DataFrame(pairs)
    for side in sides:
        table = table.join(side, on="family", how="left", maintain_order="left")
    return table.select("family", "pairs", "digits, his", "digits, ours", "ones, his", "ones, ours")


def cells(compared: pl.DataFrame) -> pl.DataFrame:
    """A line for each pair of methods of a grid that can be told.

    Returns:
        family, dataset, training_cases, method, other, his and our (a digit with the sign of the direction: positive
        where ``method`` is the better one, 0 without a digit), p (of ours, null without a digit), said (see ``SAME``).
    """
    told = printed().filter(pl.col("better").is_not_null())
    own = {
        (line["dataset"], line["training_cases"], line["method"], line["other"]): line
        for line in ours(compared).iter_rows(named=True)
    }
    rows = []
    for (dataset, size), grid in told.group_by("dataset", "training_cases", maintain_order=True):
        family = _family(str(dataset))
        names = neal.FIGURES[family]
        his = dict(grid.select("better", "digits").iter_rows())
        for place, method in enumerate(names):
            for other in names[place + 1 :]:
                ahead, behind = his[method][names.index(other)], his[other][place]
                won, lost = (
                    own.get((dataset, size, *pair)) for pair in ((method, other), (other, method))
                )
                theirs, line = _signed(ahead, behind), won or lost
                mine = _signed(*(one["digit"] if one else "." for one in (won, lost)))
                rows.append(
                    (
                        family,
                        dataset,
                        size,
                        method,
                        other,
                        theirs,
                        mine,
                        line and line["p"],
                        _said(theirs, mine),
                    )
                )
    columns = ["family", "dataset", "training_cases", "method", "other", "his", "our", "p", "said"]
    return pl.DataFrame(rows, columns, orient="row", infer_schema_length=None)


def _signed(ahead: str, behind: str) -> int:
    return int(ahead) if ahead != "." else -int(behind) if behind != "." else 0


def _said(his: int, our: int) -> str:
    if his and our:
        return SAME if his * our > 0 else OPPOSITE
    return HIS if his else OURS if our else NEITHER


def agreement(pairs: pl.DataFrame) -> pl.DataFrame:
    """By family: how many pairs say what, and the verdict on "where he has a digit, the same method is better here".

    A pair with his digit is for it when our difference is significant at the 5 % level in his direction, against it
    when it is in the other. The rule is that of ``verdicts.verdict``, asked of half of the pairs ("generally").

    Args:
        pairs: as ``cells`` gives it.
    """
    lines = []
    for (family,), part in pairs.group_by("family", maintain_order=True):
        sure = pl.col("p").fill_null(1.0) <= LEVEL
        evidence = part.filter(pl.col("his") != 0).select(
            mark=pl.when(sure & (pl.col("said") == SAME)).then(pl.lit("for"))
            .when(sure & (pl.col("said") == OPPOSITE)).then(pl.lit("against"))
            .otherwise(pl.lit("open")),
            leans=pl.col("said") == SAME,
        )  # fmt: skip
        each = {
            name: part.filter(said=name).height for name in (SAME, OPPOSITE, HIS, OURS, NEITHER)
        }
        lines.append(
            {"family": family, "pairs": part.height, **each, "verdict": verdict(evidence, 0.5)}
        )
    return pl.DataFrame(lines)
