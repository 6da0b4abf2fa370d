"""The report's tables of runs cell by cell, the printed number and ours."""

from __future__ import annotations

import polars as pl

from benchbook.assess.proben1.reproduction import HEADINGS, METHODS
from benchbook.show.html import Html, fold, stack
from benchbook.show.tables import table

_TITLES = {
    3: "linear networks, classification",
    4: "linear networks, approximation",
    8: "pivot architectures, classification",
    9: "pivot architectures, approximation",
    10: "without shortcuts, classification",
    11: "without shortcuts, approximation",
}


def complete(lines: pl.DataFrame) -> Html:
    """Every printed number with ours, a fold for each table and in it one for each column."""
    pieces = []
    for number in METHODS:
        part = lines.filter(table=number)
        if not part.height:
            continue
        columns = [
            fold(HEADINGS[name], _column(part.filter(quantity=name)))
            for name in HEADINGS
            if part.filter(quantity=name).height
        ]
        pieces.append(fold(f"Table {number}: {_TITLES[number]}", *columns))
    return stack(*pieces)


def _column(part: pl.DataFrame) -> Html:
    shown = part.select(
        "dataset",
        printed=_with_sd("printed", "printed_sd"),
        ours=_with_sd("ours", "sd"),
        apart=pl.col("apart"),
        verdict=pl.col("verdict"),
    )
    return table(shown, "", headings={"apart": "z"}, formats={"apart": "+.1f"})


def _with_sd(mean: str, sd: str) -> pl.Expr:
    return pl.struct(mean, sd, "digits").map_elements(
        lambda line: (
            f"{line[mean]:.{line['digits']}f}"
            + (f" ± {line[sd]:.{line['digits']}f}" if line[sd] is not None else "")
        ),
        return_dtype=pl.String,
    )
