"""What methods are worth in the unit of the target, and what a comparison held and what it varied."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt

import polars as pl

from benchbook import datasets, tasks
from benchbook.show.assessment.asked import ComparisonRequest
from benchbook.show.html import Html, facts, paragraph, stack
from benchbook.show.prototask import Assessed
from benchbook.show.tables import table


def worth(page: Assessed, against: str) -> pl.DataFrame:
    """Expected utilities of the largest task, turned into losses in the target's unit.

    Args:
        page: the losses. against: the method that differences are to.

    Returns:
        Of numbers: method, absolute (the expected absolute error), root (the root of the expected squared error; its
        standard error by the delta method) and difference (of absolute errors, method less ``against``). Of classes:
        method, wrong (of 100 cases), true_class (the geometric mean of the probability of the class that it was) and
        difference (in wrong of 100). Each with ``..._error``, its standard error. The best first.
    """
    prototask, name = tasks.prototask(page.path), next(reversed(page.sizes))
    rows = {
        code: {row["method"]: row for row in page.expected.filter(task=name, loss=code).to_dicts()}
        for code in (("A", "S") if prototask.kind == "real" else ("Z", "L"))
    }
    code = "A" if prototask.kind == "real" else "Z"
    scale = 1.0 if prototask.kind == "real" else 100.0
    apart = {
        row["method"]: row
        for row in page.compared.filter(task=name, loss=code, other=against).to_dicts()
    }
    lines = []
    for method, row in sorted(rows[code].items(), key=lambda pair: pair[1]["mean"]):
        second = rows["S" if code == "A" else "L"].get(method)
        other = apart.get(method, {"difference": None, "standard_error": None})
        lines.append(
            {
                "method": method,
                **_first(row, code, scale),
                **_second(second, code),
                "difference": _times(other["difference"], scale),
                "difference_error": _times(other["standard_error"], scale),
            }
        )
    return pl.DataFrame(lines, infer_schema_length=None)


def _first(row: dict[str, float], code: str, scale: float) -> dict[str, float | None]:
    title = "absolute" if code == "A" else "wrong"
    return {title: row["mean"] * scale, f"{title}_error": _times(row["standard_error"], scale)}


def _second(row: dict[str, float] | None, code: str) -> dict[str, float | None]:
    title = "root" if code == "A" else "true_class"
    if row is None:
        return {title: None, f"{title}_error": None}
    value = sqrt(row["mean"]) if code == "A" else exp(-row["mean"])
    slope = value if code == "Z" else 0.5 / value if value else 0.0
    return {title: value, f"{title}_error": _times(row["standard_error"], slope)}


def _times(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale


def worth_table(page: Assessed, against: str) -> Html:
    """``worth`` as a table, with what its columns are."""
    prototask, rows = tasks.prototask(page.path), worth(page, against)
    attribute = next(
        one for one in datasets.card(prototask.dataset).attributes if one.name == prototask.target
    )
    unit = attribute.unit or f"the unit of {prototask.target}"
    columns = [name for name in rows.columns if not name.endswith("_error")]
    shown = rows.select(name for name in rows.columns if rows[name].null_count() < rows.height)
    headings = {
        "absolute": "expected absolute error",
        "root": "root of the expected squared error",
        "wrong": "wrong of 100 cases",
        "true_class": "probability of the true class, geometric mean",
        "difference": f"difference to {against}",
    }
    doubt = {
        name: f"{name}_error"
        for name in columns
        if name in shown.columns and f"{name}_error" in shown.columns
    }
    seen = table(
        shown,
        f"What to expect after {page.sizes[next(reversed(page.sizes))]} training cases"
        + (f", in {unit}" if prototask.kind == "real" else ""),
        label="method",
        doubt=doubt,
        headings={name: text for name, text in headings.items() if name in shown.columns},
    )
    words = (
        "An absolute error of 5 is a utility of −5, in the same unit; the difference is that of absolute errors."
        if prototask.kind == "real"
        else "5 wrong of 100 are 95 right; the difference is that of the wrong ones."
    )
    return stack(seen, paragraph(f"A utility is a loss with its sign turned. {words}"))


def held_and_varied(asked: ComparisonRequest) -> Html:
    """What was the same for all methods, what differed from run to run, and what was never changed."""
    prototask = tasks.prototask(asked.path)
    named: Sequence[object] = [one.instances for one in map(tasks.get, tasks.available(asked.path))]
    common = prototask.test_set_selection == "common"
    return facts(
        {
            "held": f"table, training sets, test cases of all methods, encoding, seed {asked.plan.seed}",
            "varied": f"the training set: {', '.join(map(str, named))} without a common case by size; the test cases, "
            + ("the same for all training sets" if common else "others for each training set"),
            "in the ±": "the luck of the training sets and that of the test cases, "
            + ("each with a part of its own" if common else "which differ together"),
            "not varied": "table, settings, random numbers: one run a set, so their luck is in the ±",
        }
    )
