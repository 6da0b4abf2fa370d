"""Expected losses of a prototask as a sentence and a table."""

from __future__ import annotations

import polars as pl

from benchbook import losses, tasks
from benchbook.assess.multiplicity import share_a_letter
from benchbook.show.html import Html, paragraph
from benchbook.show.numbers import number, with_error
from benchbook.show.tables import table
from benchbook.words import first_place, listed

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


def unit(code: str) -> str:
    """The unit of a loss in words: "in units of the target"."""
    own = losses.get(code).unit
    return _UNITS.get(own, f"in {own}")


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
    tied = [row["method"] for row in others if share_a_letter(row["ties"], best["ties"])]
    untested = [row["method"] for row in others if not (row["ties"] and best["ties"])]
    parts = [f"not significantly different from it: {listed(tied)}"] if tied else []
    parts += [f"not tested: {listed(untested)}"] if untested else []
    apart = "; ".join(parts) or "it is significantly different from every other method"
    return (
        f"With {size:,} training cases {best['method']} has the smallest loss {code} of {len(standings)} methods "
        f"({value}); {apart}."
    )


def title(prototask: str, standings: pl.DataFrame) -> str:
    """The result at the largest size as a heading."""
    if standings.is_empty():
        return f"{prototask}: no runs"
    best, *others = standings.to_dicts()
    tied = sum(share_a_letter(row["ties"], best["ties"]) for row in others)
    return first_place(prototask.partition("/")[0], best["method"], tied, len(standings))


def by_size(standings: pl.DataFrame, code: str) -> Html:
    """A line for each method, best first at the largest size, and a column for each number of training cases; bold is
    the best, and what does not differ significantly from it.

    Args:
        standings: of all tasks of a prototask by one loss, as ``standings_by_design`` gives them.
        code: of the loss.
    """
    if standings.is_empty():
        return _NOTHING
    sizes = {name: tasks.get(name).size for name in standings["task"].unique()}
    scaled = standings["standardised_mean"].null_count() < standings.height
    cells: dict[str, dict[str, str]] = {}
    for task in sorted(sizes, key=lambda name: -sizes[name]):
        lines = standings.filter(task=task).to_dicts()  # the best first
        for row in lines:
            shown = number(row["standardised_mean"] if scaled else row["mean"], 3)
            near = row is lines[0] or share_a_letter(row["ties"] or "", lines[0]["ties"] or "")
            cells.setdefault(row["method"], {})[f"{sizes[task]:,}"] = (
                f"**{shown}**" if near else shown
            )
    columns = [f"{size:,}" for size in sorted(set(sizes.values()))]
    rows = [
        {"method": name, **{size: own.get(size) for size in columns}} for name, own in cells.items()
    ]
    scale = _STANDARD[losses.get(code).standard_rule] if scaled else unit(code)
    return table(
        pl.DataFrame(rows, infer_schema_length=None),
        f"Expected loss {code}, {losses.get(code).name}, by the number of training cases: {scale}. Bold: the best, and "
        "those that do not differ significantly from it (Holm, 0.05)",
        label="method",
    )
