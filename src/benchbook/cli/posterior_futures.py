"""``benchbook assess lfo``: leave-future-out cross-validation of models of time series."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from benchbook.assess import densities
from benchbook.cli.output import PathArgument, json_option, show, table, with_error
from benchbook.cli.posteriors import logarithms_option, read, variable_option
from benchbook.errors import Fault, FaultyInput
from benchbook.words import counted

_NUMBER = re.compile(r"(\d+)$")


@click.command(short_help="Predict later cases from earlier ones.")
@click.argument("paths", nargs=-1, required=True, type=PathArgument(dir_okay=False))
@click.option(
    "--ahead",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many cases are predicted together.",
)
@variable_option
@logarithms_option
@json_option
def lfo(
    paths: tuple[str, ...],
    ahead: int,
    variable: tuple[str, ...],
    logarithms: bool,
    as_json: bool,
) -> None:
    """Predict each case of a time series from those before it, and say where the model has to be fitted again.

    A path is the posterior of the first cases, and its name ends with how many: first-40.nc. It has the log likelihoods
    of all cases in their order, those it has not seen too, given the cases before them. The least number is where
    predictions begin. Between two fits, weights add the cases; where their k-hat is too large you are told to how many
    cases the model has to be fitted next.

    Exit code 1 where a fit is missing, or the chains of one have not met.
    """
    numbers = {path: _NUMBER.search(Path(path).stem) for path in paths}
    known = [int(found[1]) for found in numbers.values() if found]
    faults = [
        Fault(
            path, "no number", "the name must end with how many cases it was fitted to: first-40.nc"
        )
        for path, found in numbers.items()
        if not found
    ]
    faults += [
        Fault("fits", f"{number} twice", "one posterior for each number of cases")
        for number in sorted({number for number in known if known.count(number) > 1})
    ]
    if faults:
        raise FaultyInput("leave-future-out", faults)
    posteriors = dict(
        zip(known, (read(path, variable, "", logarithms) for path in paths), strict=True)
    )
    found = densities.leave_future_out(posteriors, min(known), ahead=ahead)
    expected = found.expected if found.log_density.size > 1 else None
    data: dict[str, Any] = {
        "predictions": found.log_density.size,
        "ahead": ahead,
        "mean_log_density_nats": float(found.log_density.mean()),
        "standard_error_nats": None if expected is None else expected.sd,
        "total_log_density_nats": found.total,
        "fits": list(found.refits),
        "next_fit": found.needed or None,
        "no_verdict": found.shortfall,
        "by_case": found.frame().to_dicts(),
    }
    show(as_json, data, lambda: _print(found, data))
    if not found.trusted:
        raise click.exceptions.Exit(1)


def _print(found: densities.FutureLoo, data: dict[str, Any]) -> None:
    what = "the next case" if found.ahead == 1 else f"the next {found.ahead} cases"
    mean = with_error(data["mean_log_density_nats"], data["standard_error_nats"])
    click.echo(
        f"log density of {what}, mean of {counted(data['predictions'], 'prediction')}  {mean} nats"
    )
    click.echo(f"sum  {found.total:.4g} nats\n")
    frame = found.frame()
    rows = [
        {
            "fitted": fitted,
            "predictions": len(part),
            "log_density": float(part["log_density_nats"].sum()),
            "k_hat": float(str(part["k_hat"].max())),
        }
        for (fitted,), part in frame.group_by("fitted", maintain_order=True)
    ]
    columns = {
        "fitted": "fitted to the first",
        "predictions": "predictions",
        "log_density": "log density (nats)",
        "k_hat": "largest k-hat",
    }
    table(rows, columns)
    click.echo("")
    if found.needed:
        click.echo(
            f"Fit the model to the first {found.needed} cases, and name the file by that number "
            f"(first-{found.needed}.nc): k-hat goes above {found.threshold:.2f} there."
        )
    if found.shortfall:
        click.echo(f"No verdict: the chains have not met ({found.shortfall}).")
