"""The problems: Tables 1 and 2 counted again, what a line leaves over, and the tables of each problem."""

import itertools
import re
from collections.abc import Iterator
from typing import Any

import altair as alt
import polars as pl

from benchbook import datasets, studies
from benchbook.charts.kit import parts
from benchbook.datasets import printed
from benchbook.datasets.proben1 import coding
from benchbook.datasets.proben1.representation import EncodedAttribute
from benchbook.show.html import fold, paragraph, stack
from benchbook.words import listed, number
from benchbook_book.pages import show
from benchbook_book.pages.proben1 import PROBLEMS, original, summaries
from benchbook_book.pages.show import proben1_problem

STAND_INS = ("cancer", "diabetes", "digits", "iris", "wine")


def linear_unexplained(
    table: pl.DataFrame, *, most: float = 1.2
) -> alt.LayerChart | alt.FacetChart:
    """A line for each problem, a mark for each permutation: test error of a linear fit over that of the mean.

    Problems stand in the order of their means, the hardest for a linear function on top.

    Args:
        table: problem, permutation, unexplained: 0 for a perfect fit, 1 for one as good as the training mean.
        most: the right end of the axis; marks beyond stand at it as arrows.
    """
    means = table.group_by("problem", maintain_order=True).agg(
        mean=pl.col("unexplained").mean(),
        low=pl.col("unexplained").min(),
        high=pl.col("unexplained").max(),
    )
    order = means.sort("mean", descending=True)["problem"].to_list()
    drawn = table.with_columns(
        _at=pl.col("unexplained").clip(0, most), _beyond=pl.col("unexplained") > most
    )
    permutations = list(dict.fromkeys(str(value) for value in table["permutation"]))
    drawn = drawn.with_columns(pl.col("permutation").cast(pl.String))
    x = alt.X(
        "_at:Q",
        title="unexplained by a linear function, test cases",
        scale=alt.Scale(domain=[0, most]),
        axis=alt.Axis(format=".0%", tickCount=6),
    )
    base = alt.Chart().encode(
        y=alt.Y(
            "problem:N",
            title=None,
            sort=order,
            axis=alt.Axis(grid=True, domain=False, ticks=False, offset=8),
        )
    )
    spans = base.mark_rule(opacity=0.4).encode(x=alt.X("min(_at):Q"), x2="max(_at):Q")
    marks = base.mark_point(filled=True, size=90, opacity=0.9).encode(
        x=x,
        tooltip=[
            alt.Tooltip("problem:N"),
            alt.Tooltip("permutation:N"),
            alt.Tooltip("unexplained:Q", format=".0%"),
        ],
        **parts.looks("permutation", permutations),
    )
    beyond = (
        base.transform_filter("datum._beyond")
        .mark_text(text="▸", align="left", dx=8, fontSize=14)
        .encode(x=x)
    )
    even = (
        alt.Chart(parts.data([{}]))
        .mark_rule(strokeDash=[4, 3], opacity=0.7)
        .encode(x=alt.datum(1.0))
    )
    return parts.finish(
        alt.layer(spans, marks, beyond, even, data=parts.data(parts.rows(drawn))),
        _words(means, order),
        "unexplained by a linear function",
        height=24 * len(order),
    )


def _words(means: pl.DataFrame, order: list[str]) -> str:
    at = {line["problem"]: line for line in means.iter_rows(named=True)}
    said = [
        f"{name} {number(at[name]['mean'])} ({number(at[name]['low'])} to {number(at[name]['high'])})"
        for name in order
    ]
    return (
        "Test error of a linear function over that of the mean of the training cases, mean and range over the "
        f"permutations: {listed(said)}. At 1 the function is worth nothing."
    )


def at_hand(problem: str) -> bool:
    """Whether the three files of a problem can be read without the network."""
    return all(datasets.at_hand(f"proben1-{problem}{permutation}") for permutation in (1, 2, 3))


def shown_problems() -> dict[str, str]:
    """Problem -> the stem of its datasets: those of PROBEN1 that are at hand, or the stand-ins when none is."""
    published = {problem: f"proben1-{problem}" for problem in PROBLEMS if at_hand(problem)}
    return published or {f"{problem} (stand-in)": f"sklearn-{problem}" for problem in STAND_INS}


def recounted(which: int) -> pl.DataFrame:
    """Table 1 or 2 beside our counts.

    Columns: problem; attributes and inputs printed and counted, as binary/continuous/nominal and
    binary/continuous/indicators; cases printed and on the card; for Table 1 the class entropy printed and computed
    (null without the data); agrees.
    """
    rows = []
    for line in printed.table(which).iter_rows(named=True):
        problem, card = line["problem"], datasets.card(f"proben1-{line['problem']}1")
        ours = summaries.counted(problem)
        row: dict[str, Any] = {
            "problem": problem,
            "attributes printed": _slashed(line, "attributes", ("binary", "continuous", "nominal")),
            "attributes counted": "/".join(map(str, ours.attributes)),
            "inputs printed": _slashed(line, "inputs", ("binary", "continuous", "missing")),
            "inputs counted": "/".join(map(str, ours.inputs)),
            "cases printed": line["cases"],
            "cases counted": card.shape.cases,
        }
        if which == 1:
            row["entropy printed"] = line["class_entropy_bits"]
            known = at_hand(problem)
            row["entropy computed"] = (
                summaries.facts(f"proben1-{problem}1").entropy if known else None
            )
        rows.append({**row, "agrees": _agrees(row)})
    return pl.DataFrame(
        rows, schema_overrides={"entropy computed": pl.Float64} if which == 1 else None
    )


def _slashed(line: dict[str, Any], what: str, kinds: tuple[str, ...]) -> str:
    return "/".join(str(line[f"{what}_{kind}"]) for kind in kinds)


def _agrees(row: dict[str, Any]) -> bool:
    same = all(
        row[f"{what} printed"] == row[f"{what} counted"]
        for what in ("attributes", "inputs", "cases")
    )
    computed = row.get("entropy computed")
    return same and (computed is None or _rounds(computed, row["entropy printed"]))


def recount(which: int) -> show.Html:
    """Table 1 or 2 as printed, with our count beside every entry that it differs from."""
    frame, columns = recounted(which), ("attributes", "inputs", "cases")
    rows = []
    for line in frame.iter_rows(named=True):
        row = {
            "problem": line["problem"],
            **{
                what: _beside(*(line[f"{what} {kind}"] for kind in ("printed", "counted")))
                for what in columns
            },
        }
        if which == 1:
            bits, ours = line["entropy printed"], line["entropy computed"]
            differs = ours is not None and not _rounds(ours, bits)
            row["entropy (bits)"] = f"{bits:.2f}, is {ours:.3f}" if differs else f"{bits:.2f}"
        rows.append(row)
    kinds = "attributes are binary/continuous/nominal, inputs binary/continuous/indicators"
    return show.table(
        rows, f"Table {which} of the report, and what we count where it differs: {kinds}"
    )


def _beside(theirs: str | int, ours: str | int) -> str:
    return str(theirs) if theirs == ours else f"{theirs}, counted {ours}"


def _rounds(ours: float, theirs: float) -> bool:
    """Whether a number rounds to the two digits printed."""
    return abs(ours - theirs) <= 0.005 + 1e-9


NETWORKS = ("proben1-linear", "proben1-pivot", "proben1-noshort")
_ATTRIBUTES = 8
"""How many attributes of a problem are shown; the file under the table has all."""
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
    for side, every in (("out", rules.representation.outputs), ("in", rules.representation.inputs)):
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
            limit=_ATTRIBUTES,
        )
    return show.table(
        rows,
        caption,
        formats={"missing": lambda count: f"{count:,}" if count else ""},
        limit=_ATTRIBUTES,
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
