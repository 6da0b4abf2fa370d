"""How ``benchbook assess`` prints and draws what it found of posteriors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import polars as pl

from benchbook.assess.densities import GroupLoo, k_threshold, pit_verdict
from benchbook.assess.densities.posterior_comparison import FEW, TINY
from benchbook.cli.output import table, with_error
from benchbook.files import atomic
from benchbook.words import counted

if TYPE_CHECKING:
    from benchbook.assess.densities import PosteriorAssessment, PosteriorComparison

_SHOWN = 10


def first_question(found: PosteriorComparison) -> str:
    """What was asked, in words."""
    return next(iter(found.models.values())).question.words


def save(found: PosteriorAssessment, folder: Path) -> None:
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
    drawn: dict[str, Any] = {
        "loo": charts.k_hat_chart(named, max(k_threshold(estimate.draws), 0.0)),
        "weights": charts.mass_chart(charts.mass_curves(by_weights, mass, ranks, name)),
        "effective": charts.effective_chart({name: by_weights}, estimate.draws),
    }
    if found.pit is not None:
        drawn["pit"] = charts.pit_chart(pit_verdict(found.pit)[0])
    _draw(drawn, folder)


def _draw(drawn: dict[str, Any], folder: Path) -> None:
    from benchbook import charts

    for file, chart in drawn.items():
        for ending in ("svg", "html"):
            charts.save(chart, folder / f"{file}.{ending}")


def save_comparison(found: PosteriorComparison, folder: Path) -> None:
    """Write the table of the models, and for each behind the best the differences case by case, with their chart."""
    from benchbook import charts

    with atomic(folder / "compare.csv") as scratch:
        found.table().write_csv(scratch)
    best, *others = found.ranked
    for number, other in enumerate(others, 1):
        frame, name = found.pointwise(best, other), f"difference-{number}"
        with atomic(folder / f"{name}.csv") as scratch:
            frame.write_csv(scratch)
        title = f"utility of {best} minus that of {other}"
        _draw({name: charts.pointwise_chart(frame, title)}, folder)


def _frame(found: PosteriorAssessment) -> pl.DataFrame:
    """A line for each case, or for each group that was left out; of cases with their utility."""
    estimate = found.left_out
    if isinstance(estimate, GroupLoo):
        return estimate.frame()
    frame = estimate.frame()
    if estimate.refits:
        frame = frame.with_columns(refitted=pl.Series(estimate.exact))
    if found.pit is not None:
        frame = frame.with_columns(loo_pit=pl.Series(found.pit))
    if found.question.of_densities:
        return frame
    return frame.with_columns(pl.Series(_column(found), found.utilities))


def _column(found: PosteriorAssessment) -> str:
    return {"S": "squared_error", "A": "absolute_error", "01L": "classification_error"}.get(
        found.question.code, "utility"
    )


def as_data(found: PosteriorAssessment) -> dict[str, Any]:
    low, high = found.expected.interval(0.9)
    estimate = found.left_out
    data: dict[str, Any] = {
        "variable": found.posterior.name,
        "cases": found.utilities.size,
        "draws": estimate.draws,
        "question": found.question.words,
        "expected": found.expected.estimate,
        "interval_90": [low, high],
        "monte_carlo_error": found.monte_carlo_error,
        "span": found.span(),
        "weighting": found.weighting,
        "unreliable": int((~estimate.reliable).sum()),
        "no_verdict": found.shortfall,
        "verdict": found.verdict(),
        "notes": list(found.notes),
        "by_case" if found.member is None else "by_group": _frame(found).to_dicts(),
    }
    if isinstance(estimate, GroupLoo):
        data |= {
            "joint_log_density_nats": float(estimate.joint_log_density.sum()),
            "total_log_density_nats": float(estimate.log_density.sum()),
        }
    else:
        data |= {
            "reading_of_effective_parameters": found.complexity,
            "mean_log_density_nats": estimate.total / estimate.k_hat.size,
            "total_log_density_nats": estimate.total,
            "standard_error_nats": estimate.standard_error,
            "effective_parameters": estimate.effective_parameters,
        }
    if found.pit is not None:
        data["loo_pit"] = pit_verdict(found.pit)[1]
    return data


def print_assessment(found: PosteriorAssessment, out: str | None) -> None:
    chains, draws, cases = found.posterior.values.shape
    low, high = found.expected.interval(0.9)
    estimate = found.left_out
    for note in found.notes:
        click.echo(f"note: {note}")
    click.echo(
        f"{found.posterior.name}: {counted(cases, 'case')}, {counted(chains, 'chain')} of {counted(draws, 'draw')}\n"
    )
    click.echo(f"{found.question.words}  {found.expected.estimate:.4g}")
    click.echo(f"90 % interval  {low:.4g} to {high:.4g} (Bayesian bootstrap: {found.weighting})")
    noise = found.monte_carlo_error
    if noise is not None and noise > 0.1 * found.expected.sd:
        click.echo(
            f"Monte Carlo standard error  {noise:.2g}, above a tenth of the standard error, {found.expected.sd:.2g}: "
            "more draws would lessen it"
        )
    span = found.span()
    if span is not None:
        click.echo(
            f"with the cases that are not trusted at their worst and best  {span[0]:.4g} to {span[1]:.4g}"
        )
    if isinstance(estimate, GroupLoo):
        click.echo(
            f"sum of log densities of groups, joint  {estimate.joint_log_density.sum():.4g} nats"
        )
        click.echo(f"sum of log densities of single cases  {estimate.log_density.sum():.4g} nats")
    else:
        error = estimate.standard_error if cases > 1 else None  # one case has no spread
        click.echo(f"sum of log densities  {with_error(estimate.total, error)} nats")
        reading = f", {found.complexity}" if found.complexity else ""
        click.echo(f"effective parameters  {estimate.effective_parameters:.1f}{reading}")
    if found.pit is not None:
        click.echo(f"LOO-PIT  {pit_verdict(found.pit)[1]}")
    click.echo("")
    _print_bad(found)
    click.echo(found.verdict())
    if out is not None:
        charts = (
            "loo, weights and effective" if found.pit is None else "loo, weights, effective and pit"
        )
        click.echo(
            f"wrote loo.csv and loo.parquet, and as .svg and .html the charts {charts}, to {out}"
        )


def _print_bad(found: PosteriorAssessment) -> None:
    """The cases or groups whose weights cannot be trusted, the worst first."""
    bad = _frame(found).filter(~found.left_out.reliable).sort("k_hat", descending=True)
    if not len(bad):
        return
    unit = "case" if found.member is None else "group"
    columns: dict[str, str] = {
        unit: unit,
        "log_density_nats": "log density (nats)",
        "k_hat": "k-hat",
        "effective_draws": "effective draws",
    }
    table(bad.head(_SHOWN).to_dicts(), columns)
    click.echo(f"... and {len(bad) - _SHOWN} more\n" if len(bad) > _SHOWN else "")


def print_comparison(found: PosteriorComparison, negligible: float) -> None:
    for note in found.notes:
        click.echo(f"note: {note}")
    rows = found.table(negligible).to_dicts()
    best, question = found.ranked[0], first_question(found)
    grouped = found.models[best].member is not None
    click.echo(f"{question}; differences are {best} minus the model\n")
    shown = [
        {
            **row,
            "apart": with_error(row["difference"], row["standard_error"]),
            "interval": "" if row["low"] is None else f"{row['low']:.4g} to {row['high']:.4g}",
            "behind": "" if row["model"] == best else _behind(row),
        }
        for row in rows
    ]
    columns = {
        "model": "model",
        "expected": "expected",
        "apart": "difference",
        "interval": "90 % interval",
        "behind": "probability of being behind",
        "elpd_diff": "elpd_diff of groups" if grouped else "elpd_diff",
        **({"elpd_diff_of_cases": "elpd_diff of cases"} if grouped else {}),
        "root_factor": "root of the factor",
        "untrusted": "not trusted",
    }
    if negligible:
        columns["probability_negligible"] = f"probability within {negligible:g}"
    table(shown, columns)
    _print_weights(found)
    if len(rows) > 2:
        click.echo("\nprobability that the model of the line is better than that of the column\n")
        table(found.pairs.table().to_dicts())
    weighting = next(iter(found.models.values())).weighting
    click.echo(
        f"\n± is one standard error, by the Bayesian bootstrap under common weights ({weighting}). elpd_diff is the "
        "sum of the differences of log densities (nats), which is the logarithm of the pseudo-Bayes factor; its n-th "
        "root is the ratio of the mean predictive likelihoods."
    )
    if grouped:
        click.echo(
            "elpd_diff of groups is of the joint density of each left-out group, that of cases the sum over its single "
            "cases: two quantities."
        )
    _print_flags(rows)
    for name, short in found.pairs.no_verdict.items():
        click.echo(f"No verdict on {name}: the chains have not met ({short}).")
    if any(row["untrusted"] for row in rows):
        click.echo(
            "Where cases are not trusted, the probability is given from these cases at the worst to these at the best "
            "that they can be; it is a verdict where both ends say the same: at least .95, at most .05, or neither. "
            "Else use k-fold cross-validation: `benchbook assess loo` names the cases."
        )


def _behind(row: dict[str, Any]) -> str:
    """The probability of being behind, with its span where some cases are not trusted."""
    value, low, high = (
        row[key] for key in ("probability_behind", "least_probability", "largest_probability")
    )
    text = "no verdict" if value is None else f"{value:.4g}"
    return text if low is None else f"{text} ({low:.4g} to {high:.4g})"


def _print_weights(found: PosteriorComparison) -> None:
    """Weights for one joint prediction, with their standard errors."""
    weights = found.weights
    if weights is None:
        return
    click.echo("\nweights of the models in one joint prediction\n")
    rows = [
        {
            "model": row["model"],
            "stacking": f"{row['stacking']:.2f} ± {row['stacking_error']:.2f}",
            "pseudo_bma": f"{row['pseudo_bma']:.2f} ± {row['pseudo_bma_error']:.2f}",
        }
        for row in weights.to_dicts()
    ]
    table(rows, {"model": "model", "stacking": "stacking", "pseudo_bma": "pseudo-BMA+"})


def _print_flags(rows: list[dict[str, Any]]) -> None:
    """Where standard errors mislead, and where other draws would give another answer."""
    reasons = {
        f"n < {FEW}": "with so few cases or groups the standard error of elpd_diff tends to be too small",
        f"|elpd_diff| < {TINY:g}": "these models predict much alike, and the standard error of elpd_diff says little",
    }
    for flag, reason in reasons.items():
        models = [row["model"] for row in rows if flag in row["flags"]]
        if models:
            click.echo(f"{flag} ({', '.join(models)}): {reason}.")
    for row in rows:
        noise = row["monte_carlo_error"]
        if noise is not None and noise > 0.1 * row["standard_error"]:
            click.echo(
                f"Monte Carlo standard error of the difference to {row['model']}  {noise:.2g}, above a tenth of the "
                f"standard error, {row['standard_error']:.2g}: more draws would lessen it"
            )


def print_levels(levels: pl.DataFrame, column: str) -> None:
    """The expected utility by the levels of a column."""
    rows = [
        {
            **row,
            "interval": "" if row["low"] is None else f"{row['low']:.4g} to {row['high']:.4g}",
        }
        for row in levels.to_dicts()
    ]
    click.echo("")
    model = {"model": "model"} if "model" in levels.columns else {}
    table(
        rows,
        {
            **model,
            "level": column,
            "cases": "cases",
            "expected": "expected",
            "interval": "90 % interval",
            "untrusted": "not trusted",
        },
    )
