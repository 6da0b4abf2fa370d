"""``benchbook assess``: how good is a Bayesian model, from the log likelihoods of its posterior draws."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
import polars as pl

from benchbook import datasets
from benchbook.assess.densities import coverage as coverages
from benchbook.assess.densities.worlds import WORLDS, world
from benchbook.assess.simulations import method_or_model as two_truths
from benchbook.cli.bands import bands
from benchbook.cli.comparison_tables import tell_folds
from benchbook.cli.output import PathArgument, json_option, seed_range, show, table, with_error
from benchbook.cli.posterior_folds import kfold
from benchbook.cli.posteriors import compare, loo
from benchbook.errors import BenchbookError
from benchbook.files import atomic, ensure_writable
from benchbook.studies import cross_validation
from benchbook.studies.densities import concrete as concrete_example
from benchbook.studies.densities import forest as forest_example
from benchbook.studies.densities import robot_arm as arm_example

_times = click.option(
    "--times",
    multiple=True,
    type=click.IntRange(min=1),
    help="Only fit the networks to all cases, with so many times the passes, to see whether their "
    "chains meet. May be repeated.",
)


class AssessCommands(click.Group):
    """The commands of ``assess``; a file or dataset in the place of one is referred to ``compare``."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0] if args else ""
        if word not in self.commands and (
            word.partition("/")[0] in datasets.available() or Path(word).is_file()
        ):
            raise BenchbookError(
                f"methods are compared on {word} by `benchbook compare {word}`; commands of assess are "
                f"{', '.join(sorted(self.commands))}"
            )
        return super().resolve_command(ctx, args)


@click.group(cls=AssessCommands)
def assess() -> None:
    """Assess Bayesian models by their posterior draws, and methods by their runs on folds.

    Methods are compared on a dataset or file by `benchbook compare`.

    loo, compare and kfold read ArviZ's files or arrays of log likelihoods, cv and bands the runs of
    `benchbook run`. The others regenerate what the chapters on predictive densities show.
    """


@assess.command(short_help="Expected utilities from runs on folds.")
@click.argument("task")
@click.option(
    "--ask",
    default="nlpd",
    show_default=True,
    help="rmse, mae, q90 (90 % quantile of the absolute error), nlpd (mean negative log density, nats) or "
    "likelihood (mean predictive likelihood); of classes error-rate or nlp (mean negative log "
    "probability, nats).",
)
@click.option(
    "--methods",
    default="",
    help="Names with commas between them; all whose folds were run when left out.",
)
@json_option
def cv(task: str, ask: str, methods: str, as_json: bool) -> None:
    """Expected utilities from the runs on the folds of TASK, such as concrete/cv/random-10, with their uncertainty.

    Intervals hold 90 % of a Bayesian bootstrap, and the methods are compared under its common weights, as the folds
    have them: weights per group where whole groups are left out, per block where blocks of time are, else per case. A
    probability is given only where the chains of both methods have met (R-hat at most 1.01 and 400
    effective draws for every scalar that was watched). Beside each stands what a correction for the bias of smaller
    training sets makes of it; where that turns an order, you are told.
    """
    estimate = cross_validation.expected(task, ask, _named(methods, "--methods") or None)
    show(
        as_json,
        {
            "task": task,
            "question": estimate.question.words,
            "cases": estimate.cases,
            "weighting": estimate.weighting,
            "expected": estimate.table().to_dicts(),
            "probability_better": estimate.pairs().to_dicts(),
            "probability_better_corrected": estimate.pairs(corrected=True).to_dicts(),
            "no_verdict": estimate.shortfalls(),
            "largely_corrected": estimate.largely_corrected,
            "turned": [asdict(item) for item in estimate.turned],
            "warnings": estimate.warnings,
        },
        lambda: tell_folds(estimate),
    )


@assess.command(short_help="Simulate the coverage of every procedure.")
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
    names = _named(worlds, "--worlds") or [each.name for each in WORLDS]
    for name in names:
        world(name)
    ensure_writable(out)
    frame = coverages.continued(Path(out), names, datasets, seed=seed)
    with atomic(Path(out) / "coverage.parquet") as scratch:
        frame.write_parquet(scratch)
    drawn = frame.filter(model="large", interval="bootstrap").to_dicts()
    rows = [
        {
            **row,
            "shown": with_error(row["coverage"], row["standard_error"]),
            "error": with_error(row["bias"], row["bias_error"]),
        }
        for row in drawn
    ]
    show(
        as_json,
        frame.to_dicts(),
        lambda: table(
            rows,
            {
                "world": "world",
                "utility": "utility",
                "procedure": "procedure",
                "shown": "coverage of 90 %",
                "error": "bias",
            },
        ),
    )


@assess.command("method-or-model", short_help="Simulate which of two truths intervals hold.")
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
    with atomic(Path(out) / "method-or-model.parquet") as scratch:
        frame.write_parquet(scratch)
    rows = [
        {
            **row,
            "shown": with_error(row["coverage"], row["standard_error"]),
            "error": with_error(row["bias"], row["bias_error"]),
        }
        for row in frame.to_dicts()
    ]
    show(
        as_json,
        frame.to_dicts(),
        lambda: table(
            rows,
            {
                "world": "world",
                "procedure": "procedure",
                "truth": "truth",
                "shown": "coverage of 90 %",
                "error": "bias",
            },
        ),
    )


@assess.command("robot-arm", short_help="Make the robot arm's example anew.")
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
    names = _named(sets, "--sets") or list(arm_example.SETS)
    if unknown := [name for name in names if name not in arm_example.SETS]:
        raise BenchbookError(
            f"there is no robot arm {unknown[0]!r}; there are {', '.join(arm_example.SETS)}"
        )
    ensure_writable(out)
    if times:
        _tell_longer(Path(out), "robot-arm", arm_example.longer(Path(out), names, times))
        return
    cases, facts = arm_example.continued(Path(out), names)
    single = {
        pl.Float64: pl.Float32,
        pl.List(pl.Float64): pl.List(pl.Float32),
    }  # half the size, seven digits
    cases = cases.cast(single)  # type: ignore[arg-type]
    for name, frame in {"robot-arm": cases, "robot-arm-facts": facts}.items():
        with atomic(Path(out) / f"{name}.parquet") as scratch:
            frame.write_parquet(scratch, compression="zstd", compression_level=19)
    table(facts.drop("diagnostics").to_dicts())


@assess.command("concrete", short_help="Make the example of concrete anew.")
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
        _tell_longer(Path(out), "concrete", concrete_example.longer(Path(out), parts, times))
        return
    frame = concrete_example.continued(Path(out))
    with atomic(Path(out) / "concrete.parquet") as scratch:
        frame.write_parquet(scratch)
    table(frame.group_by("part", "model", "scheme", maintain_order=True).len("cases").to_dicts())


@assess.command("forest", short_help="Make the forest scene's example anew.")
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
        _tell_longer(
            Path(out), "forest", forest_example.longer(Path(out), forest_example.PARTS, times)
        )
        return
    cases, facts = forest_example.continued(Path(out))
    for name, frame in {"forest": cases, "forest-facts": facts}.items():
        with atomic(Path(out) / f"{name}.parquet") as scratch:
            frame.write_parquet(scratch, compression="zstd", compression_level=19)
    table(facts.drop("diagnostics").to_dicts())


def _tell_longer(out: Path, name: str, fits: pl.DataFrame) -> None:
    with atomic(out / f"{name}-longer.parquet") as scratch:
        fits.write_parquet(scratch)
    table(fits.drop("diagnostics").to_dicts())


def _named(text: str, option: str) -> list[str]:
    """The names with commas between them, each once; none when the option was left out.

    Raises:
        BenchbookError: there are commas, and no names.
    """
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if text and not names:
        raise BenchbookError(
            f"{option} has no name in {text!r}; leave it out, or write names with commas between them"
        )
    return names


for _command in (bands, loo, compare, kfold):
    assess.add_command(_command)
