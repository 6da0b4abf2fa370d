"""Expected losses, comparisons and run times as tables, from the frames that ``assess`` and an archive give."""

from __future__ import annotations

from typing import Any

import polars as pl

from benchbook import losses, tasks
from benchbook.show.html import Html, fold, paragraph, stack
from benchbook.show.numbers import number, p_value, with_error
from benchbook.show.tables import table
from benchbook.words import listed

_NOTHING = paragraph("There are no losses to show here.")
_UNITS = {
    "target unit": "in units of the target",
    "target unit squared": "in squared units of the target",
    "fraction": "as a fraction",
}
_STANDARD = {
    "divide": "the best constant guess has 1",
    "subtract": "the best constant prediction has 0",
    "none": "this loss has no standard scale",
}
_SPREAD = {
    "sd_instances": "sd, training sets",
    "sd_cases": "sd, test cases",
    "sd_residual": "sd, the rest",
}
_CASES = "training_cases"


def unit(code: str) -> str:
    """The unit of a loss in words: "in units of the target"."""
    own = losses.get(code).unit
    return _UNITS.get(own, f"in {own}")


def side_by_side(expected: pl.DataFrame, code: str) -> Html:
    """Expected losses by one loss: standardised, and behind a fold on the scale of the target.

    Args:
        expected: what ``assess.expected_losses`` gives for the tasks of one prototask.
        code: of the loss.
    """
    if expected.is_empty():
        return _NOTHING
    scaled, raw = standard_table(expected, code), losses_table(expected, code)
    return (
        stack(
            scaled,
            fold(f"Loss {code} on the scale of the target, and where the uncertainty is from", raw),
        )
        if scaled
        else raw
    )


def losses_table(expected: pl.DataFrame, code: str) -> Html:
    """A line for every task and method, with standard errors and where uncertainty comes from."""
    chosen = _of(expected, code).select(
        _CASES, "method", "mean", "standard_error", *_SPREAD, "instances", "reason"
    )
    retained = [name for name in chosen.columns if name != "sd_cases" or chosen[name].count()]
    return table(
        chosen.select(retained),
        f"Expected loss {code}: {losses.get(code).name}, {unit(code)}, ± standard error",
        se={"mean": "standard_error"},
        reasons={"mean": "reason"},
        label="method",
        headings={
            "mean": "expected loss",
            **{name: words for name, words in _SPREAD.items() if name in retained},
        },
    )


def standard_table(expected: pl.DataFrame, code: str) -> Html:
    """A line for each method and a column for each number of training cases, on the standard scale of each task.

    Empty when the data is not available, as the scale is that of its cases.
    """
    chosen = _of(expected, code)
    if chosen["standard"].null_count() == chosen.height:
        return Html("", "")
    cells = {
        (row["method"], row[_CASES]): with_error(
            row["standardised_mean"], row["standardised_standard_error"], places=3
        )
        for row in chosen.to_dicts()
    }
    names, sizes = (chosen[key].unique(maintain_order=True).to_list() for key in ("method", _CASES))
    shown = pl.DataFrame(
        [
            {"method": name} | {str(size): cells.get((name, size)) for size in sizes}
            for name in names
        ],
        infer_schema_length=None,
    )
    return table(
        shown,
        f"Standardised expected loss {code} ± standard error, by the number of training cases: "
        f"{_STANDARD[losses.get(code).standard_rule]}",
        formats=dict.fromkeys(shown.columns[1:], _or_dash),
    )


def standings_table(standings: pl.DataFrame, code: str) -> Html:
    """Methods of one task, best first: expected loss ± standard error, letters of groups, and p values.

    Args:
        standings: method, ties, mean, standard_error, p and holm, as ``assess.standings`` gives them for one task.
        code: of the loss.
    """
    return table(
        standings,
        f"Expected loss {code}, {unit(code)}, ± standard error",
        label="method",
        se={"mean": "standard_error"},
        headings={"mean": "expected loss", "holm": "p, Holm"},
        formats={name: _p for name in ("p", "holm")},
    )


def best_in_words(standings: pl.DataFrame, code: str) -> str:
    """The best method of a task in one sentence, and which do not differ significantly; empty without methods."""
    if standings.is_empty():
        return ""
    best, *others = standings.to_dicts()
    size = tasks.get(best["task"]).size
    scaled = best["standardised_mean"] is not None and losses.get(code).standard_rule == "divide"
    value = (
        f"{with_error(best['standardised_mean'], best['standardised_standard_error'])} of the best constant "
        "guess's"
        if scaled
        else f"{with_error(best['mean'], best['standard_error'])}, {unit(code)}"
    )
    tied = [row["method"] for row in others if set(row["ties"]) & set(best["ties"])]
    apart = (
        f"not significantly different from it: {listed(tied)}"
        if tied
        else "it is significantly different from every other method"
    )
    return (
        f"With {size:,} training cases {best['method']} has the smallest loss {code} of {len(standings)} methods "
        f"({value}); {apart}."
    )


def pairs(compared: pl.DataFrame, code: str) -> Html:
    """All comparisons by one loss, behind a fold: they are many."""
    return (
        fold(f"Every pair of methods, by loss {code}", pairs_table(compared, code))
        if len(compared)
        else _NOTHING
    )


def pairs_table(compared: pl.DataFrame, code: str) -> Html:
    """Every pair of methods once: difference ± standard error, and the p value or why there is none.

    Args:
        compared: what ``assess.comparisons`` gives; of each pair the order that comes first is shown.
        code: of the loss.
    """
    rank = {name: index for index, name in enumerate(dict.fromkeys(compared["method"]))}
    places = {
        name: pl.col(name).replace_strict(rank, return_dtype=pl.Int64)
        for name in ("method", "other")
    }
    chosen = (
        _of(compared, code)
        .filter(places["method"] < places["other"])
        .select(
            _CASES,
            pl.concat_str("method", pl.lit(" − "), "other").alias("pair"),
            "difference",
            "standard_error",
            "statistic",
            "p",
            "reason",
        )
    )
    test = {"hierarchical": "t", "common": "F"}[compared["scheme"][0]]
    return table(
        chosen,
        f"Differences of expected loss {code}, {unit(code)}; below 0 the first is better",
        se={"difference": "standard_error"},
        reasons={"p": "reason"},
        formats={"p": p_value},
        headings={"statistic": test},
        label="pair",
    )


def effort_table(records: pl.DataFrame) -> Html:
    """Mean seconds a run took: a line for each method, a column for each number of training cases.

    Args:
        records: of runs, as ``Archive.records`` gives them.
    """
    finished = records.filter(status="ok")
    if finished.is_empty():
        return _NOTHING
    means = finished.group_by("method", "task", maintain_order=True).agg(pl.col("seconds").mean())
    wide = _sized(means).sort(_CASES).pivot(_CASES, index="method", values="seconds")
    order = {name: index for index, name in enumerate(dict.fromkeys(finished["method"]))}
    return table(
        wide.sort(pl.col("method").replace_strict(order, return_dtype=pl.Int64)),
        f"Mean seconds a run, by the number of training cases, on {_processors(records)}",
        formats={column: _seconds for column in wide.columns[1:]},
    )


def _of(frame: pl.DataFrame, code: str) -> pl.DataFrame:
    return _sized(frame.filter(loss=code))


def _sized(frame: pl.DataFrame) -> pl.DataFrame:
    sizes = {name: tasks.get(name).size for name in frame["task"].unique()}
    return frame.with_columns(
        pl.col("task").replace_strict(sizes, return_dtype=pl.Int64).alias(_CASES)
    )


def _processors(records: pl.DataFrame) -> str:
    names = records["cpu"].unique().drop_nulls().sort().to_list()
    return (
        " and ".join(name or "a processor that was not recorded" for name in names)
        or "an unknown processor"
    )


def _p(value: float | None) -> str:
    return "–" if value is None else p_value(value)


def _seconds(value: Any) -> str:
    return "–" if value is None else "< 0.001" if value < 0.001 else number(value, 2)


def _or_dash(text: str | None) -> str:
    return text or "–"
