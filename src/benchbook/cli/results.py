"""``benchbook results FILE...``: results that there are already, compared from a shell."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.cli.output import PathArgument
from benchbook.cli.told_results import Output, Told, compared_runs, output_options
from benchbook.comparison import compare_results
from benchbook.errors import Fault, FaultyInput

if TYPE_CHECKING:
    import polars as pl

_COLUMNS = {
    "item": "what each score is of: a document, a case",
    "cluster": "items that belong together",
    "dataset": "the dataset or task",
    "fold": "the fold or split",
    "repeat": "the repeat of the folds",
    "seed": "the training",
    "sample": "one of several answers to an item",
    "time": "when, of a series",
    "weight": "the weight of an item",
    "se": "the standard error of a published mean",
    "n": "how many items a published rate is of",
}
_ANSWERS: dict[str, tuple[tuple[str, ...], str]] = {
    "each": (
        ("item", "fold", "dataset", "seed", "time"),
        "What a row is, or of series over times what the sample is.",
    ),
    "seeds": (
        ("own", "shared", "splits"),
        "A training of its own each, shared, or splits of the cases.",
    ),
    "samples": (
        ("fixed", "first"),
        "Their number was fixed beforehand, or take the first of each item.",
    ),
    "datasets": (("sample", "these"), "A sample of such datasets, or these alone."),
    "average": (("macro", "micro"), "Over tasks of several sizes: each task alike, or each item."),
    "scale": (("raw", "ratio"), "Over datasets: differences, or mean log ratios."),
    "missing": (("refuse", "drop", "worst"), "Scores that a method lacks."),
}

_WORDS = {
    "higher_is_better=True or False": "--higher or --lower",
    "method=[...]": "--method, once for each,",
    "reference=": "--against ",
    "y=": "target=",
    "tasks=": "--tasks",
}
"""What the arguments of ``compare_results`` are called here, where that is not their name."""


def _answers(command: Callable[..., None]) -> Callable[..., None]:
    """The options that name columns, and those that answer what results leave open."""
    for name, (known, text) in reversed(_ANSWERS.items()):
        default = "refuse" if name == "missing" else None
        command = click.option(f"--{name}", type=click.Choice(known), default=default, help=text)(
            command
        )
    for name, text in reversed(_COLUMNS.items()):
        command = click.option(f"--{name}", metavar="COLUMN", help=f"Column: {text}.")(command)
    return command


@click.command()
@click.argument("files", nargs=-1, type=PathArgument(), metavar="FILE...")
@click.option(
    "--tasks",
    "-t",
    multiple=True,
    metavar="PATTERN",
    help="In place of files, the runs of declared tasks, task by task; -m names methods. May be repeated.",
)
@click.option(
    "--target", metavar="COLUMN", help="Column of the target: the others are predictions."
)
@click.option(
    "--method",
    "-m",
    "methods",
    multiple=True,
    metavar="COLUMN",
    help="The column of the method; several are the methods.",
)
@click.option("--metric", help="What the values are called, or which of several scores.")
@click.option(
    "--higher/--lower",
    "higher_is_better",
    default=None,
    help="Whether higher is better, where the name does not tell.",
)
@_answers
@click.option(
    "--by", multiple=True, metavar="COLUMN", help="The difference in each segment. May be repeated."
)
@click.option(
    "--drop", multiple=True, metavar="COLUMN", help="A column to ignore. May be repeated."
)
@click.option("--folds", type=click.IntRange(min=2), help="Folds of the cross-validation.")
@click.option(
    "--test-to-train",
    type=click.FloatRange(min=0, min_open=True),
    help="Of random splits, test cases over training cases.",
)
@click.option("--independent", is_flag=True, help="Published means are of separate runs.")
@click.option(
    "--loss", "losses", multiple=True, help="Of predictions, as in compare. May be repeated."
)
@click.option("--positive", help="Of predictions, the positive one of two classes.")
@click.option(
    "--against", "reference", metavar="NAME", help="The method that the others are compared with."
)
@click.option("--rope", type=click.FloatRange(min=0), help="The smallest difference that matters.")
@click.option("--unit", default="", help="Of the values.")
@click.option("--page", type=PathArgument(dir_okay=False), help="Also write a page.")
@output_options
def results(
    files: tuple[str, ...],
    tasks: tuple[str, ...],
    target: str | None,
    methods: tuple[str, ...],
    page: str | None,
    form: str,
    ranks: bool,
    figure: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare results that there are already: scores by item, fold or dataset, or predictions.

    Nothing is fitted. FILE: csv, parquet, jsonl or json, several, or a folder: what lm-eval --log_samples, HELM, AMLB,
    MLflow and others write, or a table of your own, long or with a column a method. What was read is said in the first
    line; what the results leave open, and would change the test, is asked, with the option that answers it.

    --tasks: the runs of declared tasks, your own and those of the archive that comes with the book, each task by the
    test that is valid for its design; FILE is then nothing, or a folder of runs in the place of your own.
    """
    output = Output("json" if as_json else form, ranks, page, figure)
    output.refuse()
    if not files and not tasks:
        rule = "files or a folder of results, or --tasks PATTERN"
        raise FaultyInput("results", [Fault("FILE", "none", rule)])
    for name in ("by", "drop", "losses"):
        options[name] = list(options[name]) or (None if name != "drop" else ())
    try:
        if tasks:
            told = _runs(files, tasks, target, methods, options)
        else:
            options["method"] = methods[0] if len(methods) == 1 else list(methods) or None
            told = Told(compare_results(_source(files, target), target, **options))
    except FaultyInput as error:
        faults = [
            Fault(fault.where, fault.found, _as_options(fault.rule)) for fault in error.faults
        ]
        raise FaultyInput(error.what, faults, error.advice) from None
    told.tell(output)


def _runs(
    files: tuple[str, ...],
    tasks: tuple[str, ...],
    target: str | None,
    methods: tuple[str, ...],
    options: dict[str, Any],
) -> Told:
    """The runs of declared tasks, compared."""
    faults = []
    if len(files) > 1 or (files and not Path(files[0]).is_dir()):
        rule = "beside --tasks nothing, or the folder of runs that are in the place of your own"
        faults.append(Fault("FILE", ", ".join(files), rule))
    if target is not None:
        faults.append(Fault("target", target, "not with --tasks, whose targets are declared"))
    if options["losses"] is not None and len(options["losses"]) > 1:
        faults.append(Fault("loss", ", ".join(options["losses"]), "with --tasks one loss"))
    if faults:
        raise FaultyInput("results", faults, "Nothing was compared.")
    options["losses"] = options["losses"][0] if options["losses"] else None
    return compared_runs(tasks, methods, folder=files[0] if files else None, **options)


def _source(files: tuple[str, ...], target: str | None) -> list[str] | pl.DataFrame:
    if target is None:
        return list(files)
    from benchbook.comparison.given.exports import source_of

    return source_of(list(files)).frame


def _as_options(rule: str) -> str:
    """The answers of a message as options of the command: ``each='item'`` is ``--each item``."""
    for word, option in _WORDS.items():
        rule = rule.replace(word, option)
    return re.sub(
        r"\b([a-z]+(?:_[a-z]+)*)=('[^']*'|(?=\s|$)|(?=\d))",
        lambda match: f"--{match[1].replace('_', '-')} {match[2].strip(chr(39))}",
        rule,
    ).replace("  ", " ")
