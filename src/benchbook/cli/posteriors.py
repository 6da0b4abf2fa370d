"""``benchbook assess loo`` and ``compare``: how good are Bayesian models, from the draws of their posteriors."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import polars as pl

from benchbook.assess import densities
from benchbook.assess.densities import QUESTIONS, GroupLoo, k_threshold
from benchbook.cli.output import PathArgument, json_option, show, table, with_error
from benchbook.errors import BenchbookError
from benchbook.files import atomic, ensure_writable
from benchbook.words import counted

if TYPE_CHECKING:
    from benchbook.assess.densities import LogLikelihood, PosteriorAssessment, PosteriorComparison

_SHOWN = 10

variable_option = click.option(
    "--variable",
    multiple=True,
    help="Which log likelihoods, where the file has several; named twice, the cases of both are taken together. In a "
    "table of draws a name of columns: y for y[1], y[2] and so on, '*' for all columns.",
)
ask_option = click.option(
    "--ask",
    type=click.Choice(list(QUESTIONS)),
    help="rmse, mae, q90 (90 % quantile of the absolute error) or error-rate, for which the file needs "
    "posterior_predictive and observed_data; likelihood (mean predictive likelihood), nlpd or nlp. Mean log density "
    "when left out.",
)
groups_option = click.option(
    "--groups",
    default="",
    help="Leave whole groups out: the name of a coordinate of the cases, or a file with a label for each case, a line "
    "each (.csv with a heading and the labels in its last column).",
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
@logarithms_option
@click.option(
    "--out",
    type=PathArgument(file_okay=False),
    help="A folder for the cases (loo.csv, loo.parquet) and three charts, each as .svg and .html: k-hat (loo), the "
    "mass of the largest weights (weights) and the effective draws (effective).",
)
@json_option
def loo(
    paths: tuple[str, ...],
    variable: tuple[str, ...],
    ask: str | None,
    groups: str,
    logarithms: bool,
    out: str | None,
    as_json: bool,
) -> None:
    """Leave each case out by importance sampling, from the posterior in PATHS, and say whether that can be trusted.

    A path is a netCDF file of ArviZ with the group log_likelihood (.nc), an array [chains, draws, cases] (.npy, .npz),
    or a table with a line for each draw and a column log_lik[1], log_lik[2], ... for each case (.parquet, .csv, also as
    CmdStan writes it). Several paths are the chains of one posterior.

    Exit code 1 when it cannot be trusted: the chains have not met (R-hat above 1.01, or below 400 effective draws, of a
    log likelihood or a parameter), or the weights of some case are bad.
    """
    posterior = densities.chains_together(
        [read(path, variable, ask, logarithms) for path in dict.fromkeys(paths)]
    )
    if out is not None:
        ensure_writable(out)
    result = densities.assess_posterior(posterior, ask or "", groups=labels_of(groups, posterior))
    if out is not None:
        _save(result, Path(out))
    show(as_json, _as_data(result), lambda: _print(result, out))
    if not result.trusted:
        raise click.exceptions.Exit(1)


@click.command(short_help="Compare the posteriors of two or more models.")
@click.argument("paths", nargs=-1, required=True, type=PathArgument(dir_okay=False))
@variable_option
@ask_option
@groups_option
@logarithms_option
@click.option(
    "--negligible",
    default=0.0,
    show_default=True,
    type=click.FloatRange(min=0.0),
    help="A difference, in the unit of what is asked, that would not matter in practice.",
)
@json_option
def compare(
    paths: tuple[str, ...],
    variable: tuple[str, ...],
    ask: str | None,
    groups: str,
    logarithms: bool,
    negligible: float,
    as_json: bool,
) -> None:
    """Compare the models of two or more posteriors of the same cases, each case left out by importance sampling.

    Every pair is compared under common weights of the cases (Bayesian bootstrap). Cases are joined by their ids; where
    a file has none, its own order is taken. Observed data must agree.

    Exit code 1 when a verdict cannot be trusted, as for `benchbook assess loo`.
    """
    if len({Path(path).resolve() for path in paths}) < max(2, len(paths)):
        raise BenchbookError("a comparison needs two files at least, each named once")
    posteriors = {path: read(path, variable, ask, logarithms) for path in paths}
    first = next(iter(posteriors.values()))
    if groups and Path(groups).is_file():
        models = {
            path: densities.assess_posterior(posterior, ask or "", groups=labels_of(groups, first))
            for path, posterior in posteriors.items()
        }
        result = densities.compare_assessed(models)
    else:
        result = densities.compare_posteriors(posteriors, ask or "", groups=groups or None)
    data = {
        "models": result.table(negligible).to_dicts(),
        "probability_better": result.pairs.table().to_dicts(),
        "question": first_question(result),
        "no_verdict": dict(result.pairs.no_verdict),
    }
    show(as_json, data, lambda: _print_comparison(result, negligible))
    if not result.trusted:
        raise click.exceptions.Exit(1)


def first_question(found: PosteriorComparison) -> str:
    """What was asked, in words."""
    return next(iter(found.models.values())).question.words


def read(
    path: str, variable: tuple[str, ...], ask: str | None, logarithms: bool = False
) -> LogLikelihood:
    """A posterior, with its predictions where the question needs them."""
    needed = not densities.question(ask or "").of_densities
    return densities.read_log_likelihood(path, variable, predictions=needed, logarithms=logarithms)


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
    rows = [line[-1].strip() for line in lines if line]
    return rows[1:] if len(rows) == len(posterior.cases) + 1 else rows


def _save(found: PosteriorAssessment, folder: Path) -> None:
    from benchbook import charts

    frame = _frame(found)
    with atomic(folder / "loo.csv") as scratch:
        frame.write_csv(scratch)
    with atomic(folder / "loo.parquet") as scratch:
        frame.write_parquet(scratch)
    estimate = found.left_out
    mass, ranks = found.weight_mass
    name = found.posterior.name or "posterior"
    by_weights = estimate.effective / np.asarray(estimate.r_eff)
    named = frame.rename({"group": "case"}) if found.member is not None else frame
    drawn = {
        "loo": charts.k_hat_chart(named, max(k_threshold(estimate.draws), 0.0)),
        "weights": charts.mass_chart(charts.mass_curves(by_weights, mass, ranks, name)),
        "effective": charts.effective_chart({name: by_weights}, estimate.draws),
    }
    for file, chart in drawn.items():
        for ending in ("svg", "html"):
            charts.save(chart, folder / f"{file}.{ending}")


def _frame(found: PosteriorAssessment) -> pl.DataFrame:
    """A line for each case, or for each group that was left out; of cases with their utility."""
    estimate = found.left_out
    if isinstance(estimate, GroupLoo):
        return estimate.frame()
    frame = estimate.frame()
    if found.question.of_densities:
        return frame
    return frame.with_columns(pl.Series(_column(found), found.utilities))


def _column(found: PosteriorAssessment) -> str:
    return {"S": "squared_error", "A": "absolute_error", "01L": "classification_error"}.get(
        found.question.code, "utility"
    )


def _as_data(found: PosteriorAssessment) -> dict[str, Any]:
    low, high = found.expected.interval(0.9)
    estimate = found.left_out
    data: dict[str, Any] = {
        "variable": found.posterior.name,
        "cases": found.utilities.size,
        "draws": estimate.draws,
        "question": found.question.words,
        "expected": found.expected.estimate,
        "interval_90": [low, high],
        "weighting": found.weighting,
        "unreliable": int((~estimate.reliable).sum()),
        "no_verdict": found.shortfall,
        "verdict": found.verdict(),
        "notes": list(found.posterior.notes),
        "by_case" if found.member is None else "by_group": _frame(found).to_dicts(),
    }
    if not isinstance(estimate, GroupLoo):
        data |= {
            "mean_log_density_nats": estimate.total / estimate.k_hat.size,
            "total_log_density_nats": estimate.total,
            "standard_error_nats": estimate.standard_error,
            "effective_parameters": estimate.effective_parameters,
        }
    return data


def _print(found: PosteriorAssessment, out: str | None) -> None:
    chains, draws, cases = found.posterior.values.shape
    low, high = found.expected.interval(0.9)
    estimate = found.left_out
    for note in found.posterior.notes:
        click.echo(f"note: {note}")
    click.echo(
        f"{found.posterior.name}: {counted(cases, 'case')}, {counted(chains, 'chain')} of {counted(draws, 'draw')}\n"
    )
    click.echo(f"{found.question.words}  {found.expected.estimate:.4g}")
    click.echo(f"90 % interval  {low:.4g} to {high:.4g} (Bayesian bootstrap: {found.weighting})")
    if not isinstance(estimate, GroupLoo):
        error = estimate.standard_error if cases > 1 else None  # one case has no spread
        click.echo(f"sum of log densities  {with_error(estimate.total, error)} nats")
        click.echo(f"effective parameters  {estimate.effective_parameters:.1f}")
    click.echo("")
    _print_bad(found)
    click.echo(found.verdict())
    if out is not None:
        click.echo(
            f"wrote loo.csv and loo.parquet, and as .svg and .html the charts loo, weights and effective, to {out}"
        )


def _print_bad(found: PosteriorAssessment) -> None:
    """The cases or groups whose weights cannot be trusted, the worst first."""
    bad = _frame(found).filter(~found.left_out.reliable).sort("k_hat", descending=True)
    if not len(bad):
        return
    unit = "case" if found.member is None else "group"
    columns = {
        unit: unit,
        "log_density_nats": "log density (nats)",
        "k_hat": "k-hat",
        "effective_draws": "effective draws",
    }
    table(bad.head(_SHOWN).to_dicts(), columns)
    click.echo(f"... and {len(bad) - _SHOWN} more\n" if len(bad) > _SHOWN else "")


def _print_comparison(found: PosteriorComparison, negligible: float) -> None:
    rows = found.table(negligible).to_dicts()
    best, question = found.ranked[0], first_question(found)
    click.echo(f"{question}; differences are {best} minus the model\n")
    shown = [
        {
            **row,
            "apart": with_error(row["difference"], row["standard_error"]),
            "interval": "" if row["low"] is None else f"{row['low']:.4g} to {row['high']:.4g}",
            "behind": "no verdict"
            if row["model"] != best and row["probability_behind"] is None
            else row["probability_behind"],
        }
        for row in rows
    ]
    columns = {
        "model": "model",
        "expected": "expected",
        "apart": "difference",
        "interval": "90 % interval",
        "behind": "probability of being behind",
        "elpd_diff": "elpd_diff",
        "root_factor": "root of the factor",
        "untrusted": "not trusted",
    }
    if negligible:
        columns["probability_negligible"] = f"probability within {negligible:g}"
    table(shown, columns)
    if len(rows) > 2:
        click.echo("\nprobability that the model of the line is better than that of the column\n")
        table(found.pairs.table().to_dicts())
    weighting = next(iter(found.models.values())).weighting
    click.echo(
        f"\n± is one standard error, by the Bayesian bootstrap under common weights ({weighting}). elpd_diff is the "
        "sum of the differences of log densities (nats), which is the logarithm of the pseudo-Bayes factor; its n-th "
        "root is the ratio of the mean predictive likelihoods."
    )
    for name, short in found.pairs.no_verdict.items():
        click.echo(f"No verdict on {name}: the chains have not met ({short}).")
    if any(row["untrusted"] for row in rows):
        click.echo(
            "Where cases are not trusted, use k-fold cross-validation: `benchbook assess loo` names them."
        )
