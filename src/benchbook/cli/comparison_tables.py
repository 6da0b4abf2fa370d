"""What ``benchbook compare --tasks`` and ``benchbook run`` print: tables to read, to publish or to compute with, and a
figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import polars as pl

from benchbook.assess import ASSUMES
from benchbook.assess.independent import SCHEMES
from benchbook.cli.compared import Compared
from benchbook.cli.output import grid, sentence, table, two_digits, with_error
from benchbook.errors import BenchbookError

if TYPE_CHECKING:
    from benchbook.studies.cross_validation import Expected

_RUNS = {
    "dataset": "partition",
    "method": "method",
    "runs": "runs",
    "mean": "mean",
    "sd": "sd",
    "least": "least",
    "median": "median",
    "largest": "largest",
    "wrong": "wrong, %",
    "epochs": "epochs",
}
_ERRORS = "± is one standard error; its two parts, due to the training sets and to the test cases, add up in squares."
_OVERLAP = (
    "± is one standard error, by the corrected resampled t test for training sets that overlap, and never below that "
    "of the test cases where these are known. The correction is a heuristic, checked by simulation."
)
_HOLDOUT = (
    "± is one standard error, due to the test cases. There is one training set: p-values are about these fitted models "
    "only, not about the methods."
)
_NEGATIVE = (
    "Loss {loss} is below zero here. The smallest is taken for the best: if larger is better, as of a score, let the "
    "function return its negative; if it already does, all is well."
)
_LETTERS = (
    "Methods that share a letter do not differ significantly at 0.05 after Holm's correction over all pairs of the "
    "task. Holm's p limits the chance of a single false positive, Benjamini and Hochberg's the share of false ones "
    "among the significant differences; p itself is not corrected."
)
_RANKS = (
    "Ranks answer another question than expected losses: a method that is a little better mostly and far worse "
    "at times has the better rank and the larger loss. Nemenyi's p allows for the number of pairs, Holm's is of "
    "Wilcoxon's."
)
_SETS = {
    "splits": "{} random splits that overlap",
    "folds": "{} folds that overlap",
    "groups": "{} folds of whole groups that overlap",
    "time": "{} blocks of time that overlap",
    "partitions": "{} partitions that overlap",
    "holdout": "one test set",
}


@dataclass(frozen=True)
class TitledTable:
    """A table with its title, headings by key, rows of text, and what must be said below."""

    title: str
    headings: dict[str, str]
    rows: list[dict[str, Any]]
    notes: tuple[str, ...] = ()


def tell(comparison: Compared, form: str = "table", ranks: bool = False) -> None:
    """Print a comparison, by ``form`` as a table, in LaTeX or in Markdown."""
    sections = [
        _section(rows, comparison)
        for _, rows in comparison.standings.group_by("task", "loss", maintain_order=True)
    ]
    if comparison.runs.partitions:
        sections.append(_section_of_partitions(comparison.runs.partitions))
    if ranks:
        sections += [_rank_section(*tested) for tested in comparison.ranks]
    _echo(sections, form)
    if form == "table":
        for fold in comparison.folds:
            click.echo("")
            tell_folds(fold)


def _section_of_partitions(runs: list[dict[str, Any]]) -> TitledTable:
    wrong = [] if any(row["wrong"] is None for row in runs) else ["wrong"]
    names = [name for name in _RUNS if name != "wrong"] + wrong
    title = "runs on partitions, squared error percentage of the test cases"
    return TitledTable(title, _RUNS, [{name: row[name] for name in names} for row in runs])


def _section(rows: pl.DataFrame, comparison: Compared) -> TitledTable:
    first = rows.row(0, named=True)
    reference = first["against"]
    found = comparison.runs.verdicts[first["task"]]
    kind = "" if found.design is None else found.design.kind
    independent = kind in SCHEMES
    title = f"{first['task']}, loss {first['loss']}, "
    if independent:
        left_out = f" (left out: {first['left_out']})" if first["left_out"] else ""
        title += f"{first['instances']} instances of {first['cases']} test cases{left_out}; "
    else:
        title += f"{_SETS[kind].format(first['instances'])}; "
    headings = {
        "method": "method",
        "ties": "letters",
        "mean": "expected loss" if independent else "mean loss",
        **(
            {
                "from_training_sets": "± training sets",
                "from_test_cases": "± test cases",
                "standardised": "standardised",
            }
            if independent
            else {"difference": f"less {reference}"}
        ),
        "p": f"p against {reference}",
        "holm": "Holm",
        "benjamini_hochberg": "Benjamini-Hochberg",
    }
    errors = _ERRORS if independent else _HOLDOUT if kind == "holdout" else _OVERLAP
    remarks = [note.text for note in found.notes if note.loss == first["loss"]]
    notes = (*_negative(rows), errors, *remarks, *_missing(rows, " ".join(remarks)), _LETTERS)
    return TitledTable(
        f"{title}{first['test']} test", headings, [_cells(row) for row in rows.to_dicts()], notes
    )


def _missing(rows: pl.DataFrame, remarks: str) -> list[str]:
    """Why there are no p-values, a sentence for each reason that is not in the remarks."""
    others = rows.filter(pl.col("method") != pl.col("against"), pl.col("p").is_null())
    return [
        f"No p-value of {', '.join(part['method'])}: {reason}."
        for (reason,), part in others.group_by("why_no_p", maintain_order=True)
        if str(reason) not in remarks
    ]


def _negative(rows: pl.DataFrame) -> tuple[str, ...]:
    """A remark on a loss of the user's own that is below zero, as a score with its sign turned is, or a score."""
    name, own, _ = str(rows["loss"][0]).partition("@")
    if not own or not (rows["mean"].fill_null(0.0) < 0.0).any():
        return ()
    return (_NEGATIVE.format(loss=name),)


def _cells(row: dict[str, Any]) -> dict[str, Any]:
    """The text of a line of the standings."""
    itself = row["method"] == row["against"]
    p = {
        name: "" if itself or row.get(name) is None else f"{row[name]:.2g}"
        for name in ("p", "holm", "benjamini_hochberg")
    }
    if not itself and row["p"] is None:
        p["p"] = "undefined"
    elif not itself:
        p["p"] += " (better)" if row["difference"] < 0 else " (worse)"
    parts = {
        name: "-" if row.get(name) is None else two_digits(row[name])
        for name in ("from_training_sets", "from_test_cases")
    }
    return {
        "method": row["method"],
        "ties": row["ties"],
        "mean": with_error(row["mean"], row["standard_error"]),
        "standardised": with_error(
            row.get("standardised_mean"), row.get("standardised_standard_error")
        ),
        "difference": "" if itself else with_error(row["difference"], row["difference_error"]),
        **parts,
        **p,
    }


def _rank_section(where: str, kind: str, ranked: pl.DataFrame) -> TitledTable:
    first = ranked.row(0, named=True)
    overall = "undefined" if first["friedman"] is None else f"{first['friedman']:.2g}"
    rows = [
        {
            "method": row["method"],
            "mean_rank": f"{row['mean_rank']:.2f}",
            **{
                name: "" if row[name] is None else f"{row[name]:.2g}"
                for name in ("nemenyi", "wilcoxon", "holm")
            },
        }
        for row in ranked.to_dicts()
    ]
    title = (
        f"ranks over {first['blocks']} blocks: {where}; Friedman's p {overall}, Nemenyi's critical difference "
        f"{first['critical_difference']:.2f}"
    )
    headings = {
        "method": "method",
        "mean_rank": "mean rank",
        "nemenyi": f"Nemenyi, against {first['against']}",
        "wilcoxon": "Wilcoxon",
        "holm": "Holm",
    }
    return TitledTable(title, headings, rows, (ASSUMES[kind], _RANKS))


def _echo(parts: Sequence[TitledTable], form: str) -> None:
    """Print sections as text, LaTeX or Markdown; what is to be said is said once, after the last table it is about."""
    last = {note: index for index, part in enumerate(parts) for note in part.notes}
    for position, item in enumerate(parts):
        heading = {"latex": "% ", "markdown": "**", "table": ""}[form]
        click.echo(
            f"\n{heading}{item.title}{'**' if form == 'markdown' else ''}"
            + "\n" * (form == "markdown")
        )
        click.echo(grid(item.rows, item.headings, form))
        for note in (note for note in item.notes if last[note] == position):
            click.echo("\n" + sentence(note, "% " if form == "latex" else ""))


def as_csv(comparison: Compared, ranks: bool) -> str:
    """One table with all digits: rank tests when they are asked for, else the standings, else the runs."""
    if ranks:
        parts = [
            ranked.with_columns(where=pl.lit(where), blocks_are=pl.lit(kind))
            for where, kind, ranked in comparison.ranks
        ]
        return pl.concat(parts).write_csv() if parts else ""
    if comparison.standings.height:
        return comparison.standings.write_csv()
    return pl.DataFrame(comparison.runs.partitions, infer_schema_length=None).write_csv()


def ranks_as_data(comparison: Compared) -> dict[str, Any]:
    """The rank tests as plain values, for JSON."""
    return {
        "ranks": [
            {"where": where, "blocks_are": kind, "methods": ranked.to_dicts()}
            for where, kind, ranked in comparison.ranks
        ]
    }


def draw(comparison: Compared, path: Path) -> None:
    """Learning curves of one prototask; of a single task the differences of two methods, training set by set."""
    from benchbook import charts

    tasks = list(comparison.runs.verdicts)
    if not tasks:
        raise BenchbookError("there is nothing to draw: these runs have no losses by training set")
    independent = all(found.analysis is not None for found in comparison.runs.verdicts.values())
    if len(tasks) > 1 and independent and len({name.rpartition("/")[0] for name in tasks}) == 1:
        charts.save(charts.learning_curve(comparison.tables[0]), path)
        return
    if len(tasks) > 1:
        raise BenchbookError(
            "a figure is of the tasks of one prototask, or of one task; these are of "
            f"{', '.join(tasks[:5])}"
        )
    standings = comparison.standings
    reference, others = (
        standings["against"][0],
        [name for name in standings["method"] if name != standings["against"][0]],
    )
    if not others:
        raise BenchbookError("differences need two methods")
    pairs = standings.filter(method=others[0]).rename(
        {"standard_error": "_error", "difference_error": "standard_error"}
    )
    charts.save(
        charts.paired_differences(
            comparison.runs.split_means.rename({"split": "instance"}),
            pairs.with_columns(other=pairs["against"]),
            others[0],
            reference,
        ),
        path,
    )


def tell_folds(estimate: Expected) -> None:
    """Print expected utilities by folds, and who is better."""
    rows = estimate.table().to_dicts()
    click.echo(
        f"{estimate.task}, {estimate.cases} cases: {estimate.question.words}, {estimate.question.orientation}\n"
    )
    table(
        [{**row, "interval": f"{row['low']:.4g} to {row['high']:.4g}"} for row in rows],
        {
            "method": "method",
            "expected": "expected",
            "interval": "90 % interval",
            "corrected": "corrected",
            "training": "on training cases",
        },
    )
    click.echo(f"\nBayesian bootstrap: {estimate.weighting}")
    if pairs := estimate.verdicts().to_dicts():
        click.echo("\nprobability that the first method is better than the second, not corrected\n")
        table(
            [{**pair, "shown": f"{pair['probability']:.2f}"} for pair in pairs],
            {"method": "method", "than": "than", "shown": "probability"},
        )
    for warning in estimate.warnings:
        click.echo("\n" + sentence(warning))
