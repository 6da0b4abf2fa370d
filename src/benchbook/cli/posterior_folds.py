"""``benchbook assess kfold``: k-fold cross-validation of Bayesian models, from the posteriors of their folds."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchbook.assess import densities
from benchbook.assess.densities import FoldAssessment
from benchbook.cli.output import PathArgument, json_option, show, table, with_error
from benchbook.cli.posteriors import (
    ask_option,
    groups_option,
    labels_of,
    logarithms_option,
    read,
    variable_option,
)
from benchbook.errors import BenchbookError


@click.command(short_help="Expected utilities from the posteriors of k folds.")
@click.argument("paths", nargs=-1, required=True, type=PathArgument(dir_okay=False))
@click.option(
    "--against",
    multiple=True,
    help="The folds of another model, as a pattern in quotes: 'other/*.nc'. May be repeated.",
)
@click.option(
    "--full",
    type=PathArgument(dir_okay=False),
    help="The posterior of all cases, where PATHS do not tell it.",
)
@click.option(
    "--folds",
    type=PathArgument(dir_okay=False, exists=True),
    help="A file with the fold of each case, a line each (.csv with a heading and the labels in its last column), in "
    "the order of the first file: the first file was fitted without the first fold, and so on.",
)
@variable_option
@ask_option
@groups_option
@logarithms_option
@json_option
def kfold(
    paths: tuple[str, ...],
    against: tuple[str, ...],
    full: str | None,
    folds: str | None,
    variable: tuple[str, ...],
    ask: str | None,
    groups: str,
    logarithms: bool,
    as_json: bool,
) -> None:
    """k-fold cross-validation from k posteriors, each fitted without the cases of its fold.

    Each of PATHS has the log likelihoods of the cases that were left out of its fit, under their ids; or of all cases,
    with a coordinate held_out that is 1 for those left out. With one more file, of the model fitted to all cases, and
    all cases in every file, the estimate is also corrected for the smaller training sets (Burman's correction).

    Exit code 1 where the chains of some fold have not met.
    """
    sets = {_name(paths): list(paths)} | {pattern: _matching(pattern) for pattern in against}
    if len(sets) < 1 + len(against):
        raise BenchbookError("every model needs files of its own")
    models = {
        name: _assess(files, full if index == 0 else None, folds, variable, ask, groups, logarithms)
        for index, (name, files) in enumerate(sets.items())
    }
    rows = _rows(models)
    data = {
        "question": next(iter(models.values())).question.words,
        "models": rows,
        "no_verdict": {name: model.shortfall for name, model in models.items() if model.shortfall},
    }
    show(as_json, data, lambda: _print(models, rows))
    if not all(model.trusted for model in models.values()):
        raise click.exceptions.Exit(1)


def _name(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


def _matching(pattern: str) -> list[str]:
    files = sorted(glob.glob(pattern))
    if len(files) < 2:
        raise BenchbookError(
            f"--against {pattern!r} matches {len(files)} files; folds need two at least"
        )
    return files


def _assess(
    files: list[str],
    full: str | None,
    folds: str | None,
    variable: tuple[str, ...],
    ask: str | None,
    groups: str,
    logarithms: bool,
) -> FoldAssessment:
    posteriors = [read(file, variable, ask, logarithms) for file in files]
    whole = read(full, variable, ask, logarithms) if full else None
    labels = labels_of(folds, posteriors[0]) if folds else None
    if whole is None:
        last = len(files) - 1 if labels is not None and len(set(labels)) == len(files) - 1 else None
        reference = densities.full_posterior(posteriors) if labels is None else last
        whole = None if reference is None else posteriors.pop(reference)
    given: object = groups or None
    if groups and Path(groups).is_file():
        given = labels_of(groups, whole or posteriors[0])
    return densities.assess_folds(posteriors, whole, ask or "", folds=labels, groups=given)


def _rows(models: Mapping[str, FoldAssessment]) -> list[dict[str, Any]]:
    """A line for each model, the best first, with its difference to the best."""
    sign = -1.0 if next(iter(models.values())).question.orientation == "larger is better" else 1.0
    ranked = sorted(models, key=lambda name: sign * models[name].expected.estimate)
    pairs = densities.compare_folds(models) if len(models) > 1 else None
    rows = []
    for name in ranked:
        item = models[name]
        low, high = item.expected.interval()
        row: dict[str, Any] = {
            "model": name,
            "cases": len(item.cases),
            "folds": int(item.fold.max()) + 1,
            "expected": item.expected.estimate,
            "interval_90": [low, high],
            "corrected": item.corrected.corrected.estimate if item.corrected else None,
            "corrected_interval_90": list(item.corrected.corrected.interval())
            if item.corrected
            else None,
            "weighting": item.weighting,
            "verdict": item.verdict(),
            "difference": None,
            "standard_error": None,
            "difference_interval_90": None,
            "probability_behind": None,
        }
        if pairs is not None and name != ranked[0]:
            result = pairs.difference(ranked[0], name)
            allowed = not {name, ranked[0]} & set(pairs.no_verdict)
            row |= {
                "difference": result.difference.estimate,
                "standard_error": result.difference.sd,
                "difference_interval_90": list(result.difference.interval()),
                "probability_behind": result.probability_better if allowed else None,
            }
        rows.append(row)
    return rows


def _print(models: Mapping[str, FoldAssessment], rows: list[dict[str, Any]]) -> None:
    first = rows[0]
    click.echo(
        f"{next(iter(models.values())).question.words}: {first['cases']} cases, {first['folds']} folds\n"
    )
    shown = [
        {
            **row,
            "interval": _interval(row["interval_90"]),
            "apart": with_error(row["difference"], row["standard_error"]),
            "difference_interval": _interval(row["difference_interval_90"]),
            "behind": "no verdict"
            if row["difference"] is not None and row["probability_behind"] is None
            else row["probability_behind"],
        }
        for row in rows
    ]
    columns = {
        "model": "model",
        "expected": "expected",
        "interval": "90 % interval",
        "corrected": "corrected",
    }
    if len(rows) > 1:
        columns |= {
            "apart": f"{first['model']} minus it",
            "difference_interval": "90 % interval of it",
            "behind": "probability of being behind",
        }
    table(shown, columns)
    click.echo(
        f"\nBayesian bootstrap: {first['weighting']}. Models are compared without the correction."
    )
    if any(row["corrected"] is None for row in rows):
        click.echo(
            "No correction for the smaller training sets: it needs the log likelihoods of all cases in the file of "
            "every fold, and the posterior of all cases."
        )
    for row in rows:
        click.echo(f"{row['model']}: {row['verdict']}" if len(rows) > 1 else row["verdict"])


def _interval(ends: Sequence[float] | None) -> str:
    return "" if ends is None else f"{ends[0]:.4g} to {ends[1]:.4g}"
