"""``benchbook assess``: how good is a Bayesian model, from the log likelihoods of its posterior draws."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from benchbook import datasets
from benchbook.cli.bands import bands
from benchbook.cli.output import json_option, named, sentence, show, table
from benchbook.cli.posterior_folds import kfold
from benchbook.cli.posterior_futures import lfo
from benchbook.cli.posteriors import compare, loo
from benchbook.errors import BenchbookError
from benchbook.studies import cross_validation
from benchbook.studies.cross_validation import Expected


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

    loo, compare, kfold and lfo read ArviZ's files or arrays of log likelihoods, cv and bands the runs of
    `benchbook run`.
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
    estimate = cross_validation.expected(task, ask, named(methods, "--methods") or None)
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
        lambda: _tell_folds(estimate),
    )


def _tell_folds(estimate: Expected) -> None:
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


for _command in (bands, loo, compare, kfold, lfo):
    assess.add_command(_command)
