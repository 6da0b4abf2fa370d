"""``benchbook assess bands``: between which bounds the noise and the non-linearity of one's own data lie."""

from __future__ import annotations

from dataclasses import asdict

import click

from benchbook import assess, studies, tasks
from benchbook.assess.bands import Bounds, Residual
from benchbook.assess.bands import bounds as bounds_of
from benchbook.cli.output import json_option, show, table
from benchbook.errors import BenchbookError


@click.command(short_help="Noise and non-linearity of a task, by bounds.")
@click.argument("task")
@click.option(
    "--linear", default="lin-1", show_default=True, help="The method that is a straight line."
)
@click.option(
    "--added-noise",
    "added",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="SD",
    help="Standard deviation of noise that you added to the target, in its unit: a lower bound.",
)
@json_option
def bands(task: str, linear: str, added: float, as_json: bool) -> None:
    """Place TASK in DELVE's bands of noise and of non-linearity, by bounds, from the runs that there are on it.

    Noise is the share of the variance that no function of the inputs explains: low below .25 %, moderate from 1 to
    5 %, high above 25 %. Non-linearity is what a straight line leaves of the rest: fairly linear below 5 %, highly
    non-linear above 40 %. Run lin-1 and several non-linear methods first, on the task with the largest training sets.
    """
    if tasks.get(task).prototask.kind != "real":
        raise BenchbookError(
            f"{task} has no real target; noise and linearity are shares of a variance"
        )
    left = _residuals(task)
    if linear not in left or len(left) < 2:
        raise BenchbookError(
            f"there are runs of {', '.join(left) or 'no method'} on {task}; it needs {linear} and a non-linear "
            f"method: `benchbook run -m {linear} -m gp-map-1 -m knn-cv-1 --tasks {task}`"
        )
    share = added**2 / tasks.standard(task, "S")
    others = {name: one for name, one in left.items() if name != linear}
    found = dict(
        zip(("noise", "non-linearity"), bounds_of(left[linear], others, share), strict=True)
    )
    rows = [{"what": what, **_row(one)} for what, one in found.items()]
    show(
        as_json,
        {"task": task, "bounds": {what: asdict(one) for what, one in found.items()}}
        | {"left_by": {name: asdict(one) for name, one in left.items()}},
        lambda: table(rows),
    )


def _residuals(task: str) -> dict[str, Residual]:
    """The share of the variance that each method leaves on a task, by method; those with a single run are left out."""
    losses = studies.gather(task, code="S")
    expected = assess.expected_losses(losses, standard=tasks.standard, on_common_instances=True)
    return {
        row["method"]: Residual(
            row["standardised_mean"], row["standardised_standard_error"], row["instances"] - 1
        )
        for row in expected.iter_rows(named=True)
        if row["standardised_standard_error"] is not None
    }


def _row(one: Bounds) -> dict[str, str]:
    return {
        "at least": f"{one.lower:.2%}",
        "at most": f"{one.upper:.2%}",
        "band": ("" if one.certain else "perhaps ")
        + (" or ".join(one.bands) or "between two bands"),
    }
