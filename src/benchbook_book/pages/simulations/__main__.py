"""``python -m benchbook_book.pages.simulations``: make anew what chapters show of simulations and of long examples.

data/simulated/README.md says which command made which file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click
import polars as pl

from benchbook.cli.output import (
    FriendlyGroup,
    PathArgument,
    json_option,
    named,
    seed_range,
    show,
    table,
    with_error,
)
from benchbook.errors import BenchbookError
from benchbook.files import atomic, ensure_writable
from benchbook_book.pages.simulations import concrete as concrete_example
from benchbook_book.pages.simulations import coverage as coverages
from benchbook_book.pages.simulations import forest as forest_example
from benchbook_book.pages.simulations import method_or_model as two_truths
from benchbook_book.pages.simulations import robot_arm as arm_example
from benchbook_book.pages.simulations.worlds import WORLDS, world

_times = click.option(
    "--times",
    multiple=True,
    type=click.IntRange(min=1),
    help="Only fit the networks to all cases, with so many times the passes, to see whether their "
    "chains meet. May be repeated.",
)


@click.group(cls=FriendlyGroup)
def simulations() -> None:
    """Make anew what chapters show of simulations and of long examples."""


@simulations.command(short_help="Simulate the coverage of every procedure.")
@click.option(
    "--worlds",
    default="",
    help="Some of plain, outliers, flexible, many cases and groups, with commas "
    "between them; all when left out.",
)
@click.option(
    "--datasets", default=200, show_default=True, type=click.IntRange(min=1), help="In each world."
)
@click.option(
    "--seed", default=1, type=seed_range, show_default=True, help="The data sets follow from it."
)
@click.option(
    "--out",
    required=True,
    type=PathArgument(file_okay=False),
    help="A folder for the trials and coverage.parquet; name it again to go on with what was interrupted.",
)
@json_option
def coverage(worlds: str, datasets: int, seed: int, out: str, as_json: bool) -> None:
    """Simulate how often the 90 % intervals of every procedure contain the true expected utility.

    Two thousand data sets in each world take about ten minutes.
    """
    names = named(worlds, "--worlds") or [each.name for each in WORLDS]
    for name in names:
        world(name)
    ensure_writable(out)
    frame = coverages.continued(Path(out), names, datasets, seed=seed)
    _write(out, {"coverage": frame})
    drawn = frame.filter(model="large", interval="bootstrap")
    show(as_json, frame.to_dicts(), lambda: _tell_coverage(drawn, "world utility procedure"))


@simulations.command("method-or-model", short_help="Simulate which of two truths intervals hold.")
@click.option(
    "--datasets", default=200, show_default=True, type=click.IntRange(min=1), help="In each world."
)
@click.option(
    "--seed", default=1, type=seed_range, show_default=True, help="The data sets follow from it."
)
@click.option(
    "--out",
    required=True,
    type=PathArgument(file_okay=False),
    help="A folder for the trials and the table; name it again to go on with what was interrupted.",
)
@json_option
def method_or_model(datasets: int, seed: int, out: str, as_json: bool) -> None:
    """Simulate how often the 90 % intervals of four works contain two truths: the model's and the method's.

    Two thousand data sets in each world take about two minutes.
    """
    ensure_writable(out)
    frame = two_truths.continued(Path(out), datasets, seed=seed)
    _write(out, {"method-or-model": frame})
    show(as_json, frame.to_dicts(), lambda: _tell_coverage(frame, "world procedure truth"))


@simulations.command("robot-arm", short_help="Make the robot arm's example anew.")
@click.option(
    "--sets",
    default="",
    help="Some of mackay-1, mackay-2, mackay-3, fresh-1 and fresh-2, with commas "
    "between them; all when left out.",
)
@click.option(
    "--out",
    required=True,
    type=PathArgument(file_okay=False),
    help="A folder for the parts and robot-arm*.parquet; name it again to go on with what was interrupted.",
)
@_times
def robot_arm(sets: str, out: str, times: tuple[int, ...]) -> None:
    """Put MacKay's robot arm through the toolbox: two models, ten folds, weights, and the true future utility.

    Every data set takes about three minutes.
    """
    names = named(sets, "--sets") or list(arm_example.SETS)
    if unknown := [name for name in names if name not in arm_example.SETS]:
        raise BenchbookError(
            f"there is no robot arm {unknown[0]!r}; there are {', '.join(arm_example.SETS)}"
        )
    ensure_writable(out)
    if times:
        _tell_longer(out, "robot-arm", arm_example.longer(Path(out), names, times))
        return
    cases, facts = arm_example.continued(Path(out), names)
    single = {
        pl.Float64: pl.Float32,
        pl.List(pl.Float64): pl.List(pl.Float32),
    }  # half the size, seven digits
    cases = cases.cast(single)  # type: ignore[arg-type]
    _write(out, {"robot-arm": cases, "robot-arm-facts": facts}, compression_level=19)
    table(facts.drop("diagnostics").to_dicts())


@simulations.command("concrete", short_help="Make the example of concrete anew.")
@click.option(
    "--out",
    required=True,
    type=PathArgument(file_okay=False),
    help="A folder for the parts and concrete.parquet; name it again to go on with what was interrupted.",
)
@_times
def concrete(out: str, times: tuple[int, ...]) -> None:
    """Put the strength of concrete through weights and folds: networks and a Gaussian process with Normal residuals.

    It takes about three minutes of one core.
    """
    ensure_writable(out)
    if times:
        parts = list(
            dict.fromkeys(part for part, model, _ in concrete_example.STUDIED if model == "mlp")
        )
        _tell_longer(out, "concrete", concrete_example.longer(Path(out), parts, times))
        return
    frame = concrete_example.continued(Path(out))
    _write(out, {"concrete": frame})
    table(frame.group_by("part", "model", "scheme", maintain_order=True).len("cases").to_dicts())


@simulations.command("forest", short_help="Make the forest scene's example anew.")
@click.option(
    "--out",
    required=True,
    type=PathArgument(file_okay=False),
    help="A folder for the parts and forest*.parquet; name it again to go on with what was interrupted.",
)
@_times
def forest(out: str, times: tuple[int, ...]) -> None:
    """Put the re-created forest scene through weights and folds: two networks, and the true error on new images.

    It takes about three minutes of one core.
    """
    ensure_writable(out)
    if times:
        _tell_longer(out, "forest", forest_example.longer(Path(out), forest_example.PARTS, times))
        return
    cases, facts = forest_example.continued(Path(out))
    _write(out, {"forest": cases, "forest-facts": facts}, compression_level=19)
    table(facts.drop("diagnostics").to_dicts())


def _write(
    out: str, frames: Mapping[str, pl.DataFrame], compression_level: int | None = None
) -> None:
    """Write tables to files of these names in a folder."""
    for name, frame in frames.items():
        with atomic(Path(out) / f"{name}.parquet") as scratch:
            frame.write_parquet(scratch, compression_level=compression_level)


def _tell_coverage(frame: pl.DataFrame, columns: str) -> None:
    """Print how often intervals of 90 % contain the truth, and the bias, after some other columns."""
    rows = [
        {
            **row,
            "shown": with_error(row["coverage"], row["standard_error"]),
            "error": with_error(row["bias"], row["bias_error"]),
        }
        for row in frame.to_dicts()
    ]
    named = {name: name for name in columns.split()}
    table(rows, named | {"shown": "coverage of 90 %", "error": "bias"})


def _tell_longer(out: str, name: str, fits: pl.DataFrame) -> None:
    _write(out, {f"{name}-longer": fits})
    table(fits.drop("diagnostics").to_dicts())


if __name__ == "__main__":
    simulations(prog_name="python -m benchbook_book.pages.simulations")
