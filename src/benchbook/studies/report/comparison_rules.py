"""Rules about comparing a report's mean with another one."""

from __future__ import annotations

from typing import Any

from benchbook.studies.report.form import Form, shown


def comparisons(form: Form) -> None:
    """Every comparison is of like with like, and claims what its test bears out."""
    for number, given in enumerate(form.comparisons):
        place = f"comparison[{number}]"
        _like_with_like(form, place, given)
        _direction(form, place, given)
        if given.get("claim") in ("smaller", "larger"):
            _tested(form, place, given)
        _left_out(form, place, given)


def _like_with_like(form: Form, place: str, given: dict[str, Any]) -> None:
    name, other = form.get("partition.name"), given.get("partition")
    if None not in (name, other) and name != other:
        form.refuse(
            f"{place}.partition",
            shown(other),
            f"a result on {name}; what one partition gives says nothing of "
            "another, not even of the same problem",
            "same partition",
        )
    used, others = form.get("results.runs"), given.get("runs")
    if None not in (used, others) and used != others:
        form.refuse(
            f"{place}.runs",
            str(others),
            f"{used} runs on both sides; make more of them, or compare the first "
            f"{min(used, others)}",
            "equal runs",
        )


def _direction(form: Form, place: str, given: dict[str, Any]) -> None:
    quantity, claim, other = (given.get(key) for key in ("quantity", "claim", "mean"))
    if quantity is None:
        return
    own = form.get(f"results.{quantity}.mean")
    if own is None:
        form.need(
            f"results.{quantity}.mean",
            f"{place} compares it",
            "the mean over the runs",
            "statistics",
        )
    elif other is not None and (
        (claim == "smaller" and own >= other) or (claim == "larger" and own <= other)
    ):
        form.refuse(
            f"{place}.claim",
            shown(claim),
            f"what the means say: {own:g} here, {other:g} there",
            "arithmetic",
        )


def _tested(form: Form, place: str, given: dict[str, Any]) -> None:
    for key, write in (
        ("test", "the test of significance"),
        ("values", "raw or log"),
        ("level", "its level in per cent"),
        ("p", "its p value"),
    ):
        if key not in given:
            form.need(f"{place}.{key}", "a difference is claimed", write, "significance")
    p, level, tests = given.get("p"), given.get("level"), given.get("tests_made", 1)
    if p is None or level is None:
        return
    if 100.0 * p > level:
        form.refuse(
            f"{place}.claim",
            shown(given["claim"]),
            f"'no difference shown': p = {p:g} is above the level of {level:g} %",
            "significance",
        )
    elif tests > 1 and 100.0 * p * tests > level:
        form.doubt(
            f"{place}.p",
            f"{p:g}, one of {tests} tests",
            f"with so many tests at this level about "
            f"{tests * level / 100:.2g} find a difference where there is none; say so, or ask for "
            f"p <= {level / 100 / tests:.2g}",
            "several tests",
        )
    if given.get("values") == "raw" and "t test" in given.get("test", "").lower():
        form.doubt(
            f"{place}.values",
            '"raw"',
            "log, unless the errors were looked at and are about normal: errors of "
            "many runs are skewed",
            "significance",
        )


def _left_out(form: Form, place: str, given: dict[str, Any]) -> None:
    out, used, others = given.get("outliers_removed"), form.get("results.runs"), given.get("runs")
    if None not in (out, used, others) and out > (used + others) / 10:
        form.refuse(
            f"{place}.outliers_removed",
            str(out),
            f"at most {(used + others) // 10} of {used + others} values",
            "outliers",
        )


RULES = (comparisons,)
