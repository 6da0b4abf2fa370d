"""``benchbook assess loo`` and ``compare``: how good are Bayesian models, from the draws of their posteriors."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import polars as pl

from benchbook.assess import densities
from benchbook.assess.densities.checks import numbered
from benchbook.cli import posterior_printing as printing
from benchbook.cli import refit_plans
from benchbook.cli.output import PathArgument, json_option, show
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.files import ensure_writable
from benchbook.words import some

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchbook.assess.densities import LogLikelihood, PosteriorComparison

variable_option = click.option(
    "--variable",
    multiple=True,
    help="Which log likelihoods, where the file has several; named twice, the cases of both are taken together. In a "
    "table of draws a name of columns: y for y[1], y[2] and so on, '*' for all columns.",
)
ask_option = click.option(
    "--ask",
    help="rmse, mae, q90 (90 % quantile of the absolute error), r2, error-rate, balanced-accuracy, interval-90 "
    "(interval score), any loss of benchbook by its code (CRPS, BRIER, PB10) or one of your own (mine.py:my_loss), for "
    "which the file needs posterior_predictive and observed_data; likelihood (mean predictive likelihood), nlpd, nlp. "
    "Mean log density when left out.",
)
weights_option = click.option(
    "--case-weights",
    default="",
    help="How often cases like each will come, where the future differs from the data: the name of a coordinate of the "
    "cases, or a file as for --groups.",
)
by_option = click.option(
    "--by",
    default="",
    help="Also the expected utility within each level: the name of a coordinate of the cases, or a file as for "
    "--groups.",
)
groups_option = click.option(
    "--groups",
    default="",
    help="Leave whole groups out: the name of a coordinate of the cases, or a file with a label for each case, a line "
    "each (.csv with a heading and the labels in its last column; with their ids in another, labels go with ids).",
)
logarithms_option = click.option(
    "--logarithms",
    is_flag=True,
    help="The values are logarithms although none is below 0, as of densities in small units.",
)


@click.command(short_help="Leave each case out of a posterior.")
@click.argument("paths", nargs=-1, required=True, type=PathArgument(dir_okay=False))
@variable_option
@ask_option
@groups_option
@weights_option
@by_option
@click.option(
    "--refits",
    type=PathArgument(file_okay=False),
    help="A folder with posteriors that were fitted without some of the cases or groups, which take the place of "
    "weights: files of the cases left out, with their ids, or as its plan.csv says.",
)
@click.option(
    "--write-plan",
    type=PathArgument(file_okay=False),
    help="A folder for plan.csv: which cases to refit without, since their weights cannot be trusted.",
)
@logarithms_option
@click.option(
    "--out",
    type=PathArgument(file_okay=False),
    help="A folder for the cases (loo.csv, loo.parquet) and charts, each as .svg and .html: k-hat (loo), the mass of "
    "the largest weights (weights), the effective draws (effective), and with predictions calibration (pit).",
)
@json_option
def loo(
    paths: tuple[str, ...],
    variable: tuple[str, ...],
    ask: str | None,
    groups: str,
    case_weights: str,
    by: str,
    refits: str | None,
    write_plan: str | None,
    logarithms: bool,
    out: str | None,
    as_json: bool,
) -> None:
    """Leave each case out by importance sampling, from the posterior in PATHS, and say whether that can be trusted.

    A path is a netCDF file of ArviZ with the group log_likelihood (.nc), an array [chains, draws, cases] (.npy, .npz),
    or a table with a line for each draw and a column log_lik[1], log_lik[2], ... for each case (.parquet, .csv, also as
    CmdStan writes it). Several paths are the chains of one posterior.

    Exit code 1 when it cannot be trusted: the chains have not met (R-hat above 1.01, or below 400 effective draws, of a
    log likelihood or a parameter), or the weights of some case are bad and it was not refitted.
    """
    ask, predicted = ask or "", bool(out)
    posterior = densities.chains_together(
        [read(path, variable, ask, logarithms, predicted) for path in dict.fromkeys(paths)]
    )
    for folder in (out, write_plan):
        if folder is not None:
            ensure_writable(folder)
    known: list[LogLikelihood] = []
    absent: list[str] = []
    if refits is not None:
        known, absent = refit_plans.read_refits(
            Path(refits), lambda path: read(path, (), ask, logarithms, predicted)
        )
    result = densities.assess_posterior(
        posterior,
        ask,
        groups=labels_of(groups, posterior),
        refits=known,
        case_weights=weights_of(case_weights, posterior),
    )
    levels = result.by(labels_of(by, posterior)) if by else None
    if out is not None:
        printing.save(result, Path(out))
    data = printing.as_data(result) | ({} if levels is None else {"by": levels.to_dicts()})
    show(as_json, data, lambda: printing.print_assessment(result, out))
    if levels is not None and not as_json:
        printing.print_levels(levels, by)
    if absent:
        click.echo(f"not there yet of the plan: {some(absent)}", err=True)
    if write_plan is not None:
        click.echo(refit_plans.write_plan(result, Path(write_plan)), err=as_json)
    if not result.trusted:
        raise click.exceptions.Exit(1)


@click.command(short_help="Compare the posteriors of two or more models.")
@click.argument("paths", nargs=-1, required=True, type=PathArgument(dir_okay=False))
@variable_option
@ask_option
@groups_option
@weights_option
@by_option
@click.option(
    "--refits",
    multiple=True,
    help="MODEL=FOLDER: refits of a model, by the name that its file has without the ending. May be repeated.",
)
@logarithms_option
@click.option(
    "--negligible",
    default=0.0,
    show_default=True,
    type=click.FloatRange(min=0.0),
    help="A difference, in the unit of what is asked, that would not matter in practice.",
)
@click.option(
    "--out",
    type=PathArgument(file_okay=False),
    help="A folder for the table (compare.csv) and, of each model behind the best, the differences case by case: "
    "difference-1.csv, .svg and .html, and so on.",
)
@json_option
def compare(
    paths: tuple[str, ...],
    variable: tuple[str, ...],
    ask: str | None,
    groups: str,
    case_weights: str,
    by: str,
    refits: tuple[str, ...],
    logarithms: bool,
    negligible: float,
    out: str | None,
    as_json: bool,
) -> None:
    """Compare the models of two or more posteriors of the same cases, each case left out by importance sampling.

    Every pair is compared under common weights of the cases (Bayesian bootstrap). Cases are joined by their ids; where
    a file has none, its own order is taken. Observed data must agree.

    Exit code 1 when a verdict cannot be trusted, as for `benchbook assess loo`.
    """
    if len({Path(path).resolve() for path in paths}) < max(2, len(paths)):
        raise BenchbookError("a comparison needs two files at least, each named once")
    ask = ask or ""
    posteriors = {
        name: read(path, variable, ask, logarithms)
        for name, path in zip(names_of(paths), paths, strict=True)
    }
    if out is not None:
        ensure_writable(out)
    first = next(iter(posteriors.values()))
    result = densities.compare_posteriors(
        posteriors,
        ask,
        groups=labels_of(groups, first),
        refits=_refits_of(refits, list(posteriors), ask, logarithms),
        case_weights=weights_of(case_weights, first),
    )
    levels = _levels(result, by) if by else None
    if out is not None:
        printing.save_comparison(result, Path(out))
    weights = result.weights
    data = {
        "notes": list(result.notes),
        "models": result.table(negligible).to_dicts(),
        "probability_better": result.pairs.table().to_dicts(),
        "weights": None if weights is None else weights.to_dicts(),
        "question": printing.first_question(result),
        "no_verdict": dict(result.pairs.no_verdict),
        **({} if levels is None else {"by": levels.to_dicts()}),
    }
    show(as_json, data, lambda: printing.print_comparison(result, negligible))
    if levels is not None and not as_json:
        printing.print_levels(levels, by)
    if out is not None and not as_json:
        click.echo(f"wrote compare.csv and the differences case by case to {out}")
    if not result.trusted:
        raise click.exceptions.Exit(1)


def _refits_of(
    given: tuple[str, ...], names: Sequence[str], ask: str, logarithms: bool
) -> dict[str, list[LogLikelihood]]:
    """The refits of each model.

    Raises:
        BenchbookError: no such model, or not MODEL=FOLDER.
    """
    result = {}
    for text in given:
        name, _, folder = text.partition("=")
        if name not in names or not folder:
            raise BenchbookError(
                f"--refits {text!r} must be MODEL=FOLDER, with one of the models {', '.join(names)}"
            )
        result[name], absent = refit_plans.read_refits(
            Path(folder), lambda path: read(path, (), ask, logarithms)
        )
        if absent:
            click.echo(f"{name}: not there yet of the plan: {some(absent)}", err=True)
    return result


def _levels(found: PosteriorComparison, by: str) -> pl.DataFrame:
    """The expected utility of every model within each level."""
    labels = labels_of(by, next(iter(found.models.values())).posterior)
    first, frames = next(iter(found.models)), []
    for name, model in found.models.items():
        own = labels
        if not isinstance(labels, str):
            own = np.empty(len(labels), dtype=object)
            own[found.order(first, name)] = labels
        frames.append(model.by(own).insert_column(0, pl.lit(name).alias("model")))
    return pl.concat(frames)


def names_of(paths: Sequence[str]) -> list[str]:
    """The names of the files without their endings; whole paths of those that share a name."""
    stems = [Path(path).stem for path in paths]
    return [
        stem if stems.count(stem) == 1 else path for stem, path in zip(stems, paths, strict=True)
    ]


def read(
    path: str,
    variable: tuple[str, ...],
    ask: str | None,
    logarithms: bool = False,
    predicted: bool = False,
) -> LogLikelihood:
    """A posterior, with its predictions where the question needs them, or where they are wanted besides."""
    needed = predicted or not densities.posterior_question(ask or "").of_densities
    return densities.read_log_likelihood(path, variable, predictions=needed, logarithms=logarithms)


def weights_of(text: str, posterior: LogLikelihood) -> NDArray[np.float64] | None:
    """A weight for each case: from a file, or a coordinate; None where none are given.

    Raises:
        FaultyInput: weights that are not numbers.
    """
    labels = labels_of(text, posterior)
    if labels is None:
        return None
    values = posterior.labels(labels) if isinstance(labels, str) else np.asarray(labels)
    try:
        return values.astype(np.float64)
    except ValueError as error:
        rule = "a number for each case"
        raise FaultyInput("weights of cases", [Fault(text, str(error), rule)]) from None


def labels_of(groups: str, posterior: LogLikelihood) -> Any:
    """A label for each case: from a file, or the name of a coordinate; None where no groups are left out.

    Raises:
        BenchbookError: the file cannot be read as text.
    """
    file = Path(groups)
    if not groups or not file.is_file():
        return groups or None
    try:
        lines = list(csv.reader(file.read_text(encoding="utf-8").splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BenchbookError(f"the groups in {file} cannot be read: {error}") from error
    rows = [[cell.strip() for cell in line] for line in lines if line]
    cases = set(posterior.cases)
    for column in range(min(map(len, rows), default=0) - 1):
        ids = {row[column]: row[-1] for row in rows}
        if len(ids) == len(rows) and cases <= set(ids):
            return [ids[case] for case in posterior.cases]
    labels = [row[-1] for row in rows]
    if not numbered(posterior.cases):
        order = f"from {posterior.cases[0]} to {posterior.cases[-1]}"
        click.echo(
            f"note: labels in {file} are taken in the order of the cases, {order}: with the ids in a column before "
            "them they would go with these",
            err=True,
        )
    return labels[1:] if len(labels) == len(cases) + 1 else labels
