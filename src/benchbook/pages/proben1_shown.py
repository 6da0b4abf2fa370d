"""The tables of the chapter that lays PROBEN1's printed numbers beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from benchbook.charts.words import listed
from benchbook.datasets import printed
from benchbook.pages.html import Html, admonition, fold, paragraph, stack
from benchbook.pages.proben1_misses import TEXT
from benchbook.pages.proben1_reproduction import HEADINGS, METHODS, NETWORKS, shares
from benchbook.pages.tables import Format, table

_PLANS = {"proben1-linear": "proben1-linear", "proben1-pivot": "proben1-pivot", "proben1-noshort": "proben1-pivot",
          TEXT: "proben1-variants"}
_TITLES = {3: "linear networks, classification", 4: "linear networks, approximation",
           8: "pivot architectures, classification", 9: "pivot architectures, approximation",
           10: "without shortcuts, classification", 11: "without shortcuts, approximation"}


def absent(runs: pl.DataFrame) -> Html:
    """Which runs this page stands on, and a box that names those the archive lacks and the plans that make them."""
    wanted = {method: 42 for method in _PLANS}
    have = {method: runs.filter(method=method)["dataset"].n_unique() for method in wanted}
    lacking = [method for method, count in have.items() if count < wanted[method]]
    stands = paragraph(f"This page stands on {runs.height:,} archived runs." if runs.height else "")
    if not lacking:
        return stands
    text = "; ".join(f"`{name}` has runs on {have[name]} of 42 datasets, `benchbook run {_PLANS[name]}` makes them all"
                     for name in lacking)
    return stack(stands, admonition("Runs that are not in the archive", [f"What needs them is left out: {text}."],
                                    "warning"))


def missed(lines: pl.DataFrame, column: str) -> Html:
    """What ``proben1_misses.misses`` found, as a table; a sentence when there is nothing."""
    if not lines.height:
        return paragraph(f"No {column} is more than 2 standard errors off.")
    text = ["text"] if lines["text"].count() else []
    names = {number: NETWORKS[method] for number, method in METHODS.items()}
    shown = lines.with_columns(networks=pl.col("table").replace_strict(names, return_dtype=pl.String)).select(
        "dataset", "networks", "printed", "ours", "apart", "chance", "spread", *text, "reason")
    formats: dict[str, Format] = {"printed": ".2f", "ours": ".2f", "apart": _signed, "chance": ".1%", "spread": _short}
    return table(shown, f"Every {column} more than 2 standard errors off, and what was found about it",
                 formats=formats | dict.fromkeys(text, _signed),
                 headings={"apart": "z", "reason": "finding", **dict.fromkeys(text, "z (text)")})


def overview(kinds: Mapping[str, pl.DataFrame]) -> Html:
    """The shares of printed numbers within 2 and, in parentheses, 3 standard errors of ours: a line a column.

    Args:
        kinds: the heading of each group of networks, and what ``proben1_reproduction.beside`` gave for it.
    """
    cells = {kind: {line["quantity"]: f"{line['within_2']:.0%} ({line['within_3']:.0%})"
                    for line in shares(frame.filter(pl.col("apart").is_not_null()), ["quantity"]).iter_rows(named=True)}
             for kind, frame in kinds.items() if frame.height}
    lines = [{"column": words, **{kind: found.get(name, "–") for kind, found in cells.items()}}
             for name, words in HEADINGS.items()]
    return table(lines, "Share of the printed numbers within 2 (in parentheses: 3) standard errors of ours")


def trained_again(lines: pl.DataFrame) -> Html:
    """What ``proben1_misses.again`` found, as a table; nothing where no data is at hand."""
    if not lines.height:
        return Html("", "")
    return table(lines, "Misses trained again, linear ones with three forms of Rprop; `rprop-` is the one of all runs",
                 formats={**dict.fromkeys(("printed", "mean", "median", "sd"), ".2f"), "apart": _signed},
                 headings={"apart": "z"})


def searched(found: pl.DataFrame) -> Html:
    """Tables 5 and 6 beside ours: some sentences, and all lines behind a fold; a sentence when there are no runs."""
    if not found.height:
        return paragraph("The archive has no complete search; `benchbook run proben1-search` makes the 36 runs of "
                         "every dataset.")
    above = (found["ratio"] > 1.0).sum()
    ranks = [float(str(found.select(pl.corr(name, f"printed_{name}", method="spearman")).item()))
             for name in ("others_within_5", "others_within_10")]
    ours, theirs = (float(str(found[f"{side}others_within_10"].mean())) for side in ("", "printed_"))
    higher = float(str(found["ratio"].median())) > 1.0 and ours < theirs
    text = (f"On {found.height} of 42 datasets our least validation error is {_of(found['ratio'])} times the printed "
            f"one in the median, and larger on {above}. The printed winner is among our runs within 5 % on "
            f"{found['candidate'].sum()}, and the same architecture wins on "
            f"{(found['topology'] == found['printed_topology']).sum()}. The test error of our best run lies within the "
            f"printed range, give or take 5 %, on {found['in_range'].sum()}; the ranges overlap on "
            f"{found['overlap'].sum()}. Within 10 % of the best we have {ours:.0f} other runs on average, the report "
            f"{theirs:.0f}; over the datasets these counts have a rank correlation of {ranks[1]:.2f}, and those within "
            f"5 % one of {ranks[0]:.2f}."
            + (" Minima that are a little higher, and fewer runs near them, both speak for starting weights smaller "
               "than the ±0.5 of the text; the search was run with the text's, and not tuned." if higher else ""))
    shown = found.with_columns(
        winner=pl.format("{} ({})", "topology", "printed_topology"),
        least=_pair("validation_error", 3), test=_pair("test_error", 3), within_5=_pair("others_within_5", 0),
        within_10=_pair("others_within_10", 0),
    ).select("dataset", "winner", "least", "test", "within_5", "within_10")
    lines = table(shown, "The best run of the search: ours, and in parentheses the report's", headings={
        "winner": "architecture", "least": "validation error", "test": "test error", "within_5": "others within 5 %",
        "within_10": "within 10 %"})
    return stack(paragraph(text), fold("All lines of Tables 5 and 6", lines))


def complete(lines: pl.DataFrame) -> Html:
    """Every printed number with ours, a fold for each table and in it one for each column."""
    pieces = []
    for number in METHODS:
        part = lines.filter(table=number)
        if not part.height:
            continue
        missing = sorted(set(printed.table(number)["dataset"]) - set(part["dataset"]))
        note = paragraph(f"No runs are archived for {listed(missing)}." if missing else "")
        columns = [fold(HEADINGS[name], _column(part.filter(quantity=name)))
                   for name in HEADINGS if part.filter(quantity=name).height]
        pieces.append(fold(f"Table {number}: {_TITLES[number]}", note, *columns))
    return stack(*pieces)


def _column(part: pl.DataFrame) -> Html:
    shown = part.select(
        "dataset", printed=_with_sd("printed", "printed_sd"), ours=_with_sd("ours", "sd"), apart=pl.col("apart"),
        verdict=pl.col("verdict"))
    return table(shown, "", headings={"apart": "z"}, formats={"apart": _signed})


def _with_sd(mean: str, sd: str) -> pl.Expr:
    return pl.struct(mean, sd, "digits").map_elements(
        lambda line: f"{line[mean]:.{line['digits']}f}" + (
            f" ± {line[sd]:.{line['digits']}f}" if line[sd] is not None else ""), return_dtype=pl.String)


def _pair(name: str, digits: int) -> pl.Expr:
    def text(line: dict[str, Any]) -> str:
        both = (line[name], line[f"printed_{name}"])
        return "{} ({})".format(*(f"{value:.{digits}f}" if digits else f"{value:.0f}" for value in both))
    return pl.struct(name, f"printed_{name}").map_elements(text, return_dtype=pl.String)


def _of(values: pl.Series) -> str:
    return f"{float(str(values.median())):.3f}"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.1f}".replace("-", "−")


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.2g}"
