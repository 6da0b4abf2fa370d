"""The tables of one PROBEN1 problem: its attributes, what its cases show, its outputs, departures from its README."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import polars as pl

from benchbook import datasets, show, studies
from benchbook.datasets import printed
from benchbook.datasets.proben1 import coding, original, summaries
from benchbook.datasets.proben1.representation import EncodedAttribute
from benchbook.show import proben1_problem
from benchbook.show.html import fold, paragraph, stack

NETWORKS = ("proben1-linear", "proben1-pivot", "proben1-noshort")
_COMPUTED = {
    "weekday": "day of the week, from the date; Friday first",
    "midnight": "distance of the hour from noon",
    "clock": "hour of the day",
    "half": "half of the day",
}


def problem_tables(problem: str) -> show.Html:
    """The folds of a problem: attributes, cases and first errors, outputs by portion, departures from the README.

    Folds that need the data are left out where it is missing.

    Args:
        problem: such as ``building``.
    """
    files = [f"proben1-{problem}{number}" for number in (1, 2, 3)]
    thanks = datasets.card(files[0]).acknowledgement
    known = all(map(datasets.at_hand, files))
    shown = (
        (
            fold("Cases and first errors", case_facts(files), first_errors(files)),
            fold("Outputs by portion", portion_means(files)),
        )
        if known
        else ()
    )
    departures = [{"departure": text} for text in original(problem).deviations]
    return stack(
        paragraph(f"Data collected by {thanks}." if thanks else ""),
        fold("Attributes and inputs", attributes(problem)),
        *shown,
        archived_runs(problem),
        fold("Departures from the README", show.table(departures))
        if departures
        else paragraph("The files follow their README in everything."),
    )


def archived_runs(problem: str) -> show.Html:
    """Means over the archived runs of PROBEN1's three networks, beside the printed means."""
    tasks = [f"proben1-{problem}{number}/partition/a" for number in (1, 2, 3)]
    records = studies.partition_runs(list(NETWORKS), tasks, studies.archive_path())
    means = proben1_problem.means_over_runs(records)
    table = proben1_problem.means_table(means) if means.height else paragraph("")
    return fold("Archived runs of three networks", table)


def case_facts(files: list[str]) -> show.Html:
    """What the cases of each permutation show: repeated and contradicting ones, duplicates, constant inputs."""
    facts = {name: summaries.facts(name) for name in files}
    rows = [
        {
            "file": name.removeprefix("proben1-"),
            "cases": one.cases,
            "class entropy (bits)": one.entropy,
            "equal to an earlier case": one.repeated,
            "same inputs, other outputs": one.contradicted,
            "test cases with a duplicate in training": one.seen,
            "inputs with two values": one.binary,
            "constant inputs": ", ".join(one.constant) or "none",
        }
        for name, one in facts.items()
    ]
    if not rows[0]["class entropy (bits)"]:
        rows = [{key: row[key] for key in row if not key.startswith("class")} for row in rows]
    return show.table(rows, "What the cases show")


def first_errors(files: list[str]) -> show.Html:
    """Squared error percentages of least squares beside those that Prechelt prints for linear networks."""
    classes = summaries.is_classification(datasets.card(files[0]))
    columns = {"test_error_mean": "test, printed"} | (
        {"test_wrong_mean": "wrong, printed"} if classes else {}
    )
    fits = pl.DataFrame(
        [
            {"dataset": name.removeprefix("proben1-"), **summaries.least_squares(name)}
            for name in files
        ]
    )
    table = fits.join(
        printed.table(3 if classes else 4).select("dataset", *columns), on="dataset", how="left"
    ).rename({"constant": "test, training mean"} | columns)
    if not classes:
        table = table.drop("wrong", strict=False)
    return show.table(
        table,
        "Squared error percentages: least squares, and Prechelt's linear networks",
        formats=dict.fromkeys(table.columns[1:], ".2f"),
    )


def portion_means(files: list[str]) -> show.Html:
    """The mean of every output, which is the share of a class, by permutation and portion."""
    means = pl.concat(
        summaries.portions(name).with_columns(
            where=pl.concat_str(pl.lit(name[-1] + ", "), pl.col("portion"))
        )
        for name in files
    )
    table = means.pivot("where", index="output", values="mean")
    return show.table(
        table,
        "Means of the outputs, by permutation and portion; of a class, its share",
        formats=dict.fromkeys(table.columns[1:], ".3f"),
    )


def attributes(problem: str) -> show.Html:
    """Every attribute of a problem with its meaning, its inputs and its code; needs no data.

    Args:
        problem: such as ``building``.
    """
    rules = original(problem)
    cards = [datasets.card(name) for name in rules.sources]
    meanings = {
        attribute.name: attribute.comment
        for card in reversed(cards)
        for attribute in card.attributes
    }
    missing = {name: sum(card.missing.get(name, 0) for card in cards) for name in meanings}
    rows = []
    for side, every in (("in", rules.representation.inputs), ("out", rules.representation.outputs)):
        for name, part in _neighbours(every):
            meaning = _COMPUTED.get(part.attribute, meanings.get(part.attribute, ""))
            if name != part.attribute:
                meaning = re.sub(r"\b\d+ ", "", meaning, count=1)
            rows.append(
                {
                    "attribute": name,
                    "meaning": meaning,
                    "": side,
                    "inputs": part.encoder.width,
                    "code": coding(part.encoder),
                    "missing": missing.get(part.attribute, 0),
                }
            )
    caption = f"The attributes of `{problem}` and how they are encoded; each line is one attribute"
    if not any(row["missing"] for row in rows):
        return show.table(
            [{name: row[name] for name in row if name != "missing"} for row in rows],
            f"{caption}; no value is missing",
        )
    return show.table(
        rows, caption, formats={"missing": lambda count: f"{count:,}" if count else ""}
    )


def _neighbours(every: tuple[EncodedAttribute, ...]) -> Iterator[tuple[str, EncodedAttribute]]:
    """Attributes, with neighbours that differ in their number alone taken together: base1 to base60."""
    for _, group in itertools.groupby(
        every, key=lambda part: re.sub(r"^base\d+$", "base", part.attribute)
    ):
        same = list(group)
        name = (
            same[0].attribute if len(same) == 1 else f"{same[0].attribute} to {same[-1].attribute}"
        )
        yield name, same[0]
