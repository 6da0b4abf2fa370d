"""One problem of PROBEN1, or a stand-in, and the runs of some methods on its three permutations: for a run page."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from benchbook import datasets, studies, tasks
from benchbook.datasets import Card
from benchbook.datasets.printed import mean_test_errors
from benchbook.errors import BenchbookError, UnknownName
from benchbook.show.html import Html, paragraph, stack
from benchbook.show.numbers import number
from benchbook.show.origins import missing
from benchbook.show.tables import table
from benchbook.tasks.partitions import dataset_of, partition_names
from benchbook.words import counted, listed

_SOURCES = ("archive", "fresh")
_MOST = 60


def names_of(problem: str) -> tuple[str, ...]:
    """The three partitions of a problem: ``cancer`` has cancer1, cancer2 and cancer3.

    Raises:
        UnknownName: there is no such problem.
    """
    names = tuple(name for name in partition_names() if name.rstrip("0123456789") == problem)
    if not names:
        raise UnknownName(
            "task", problem, {name.rstrip("0123456789") for name in partition_names()}
        )
    return names


def runs(
    problem: str, methods: Sequence[str], count: int = 10, seed: int = 1, source: str = "archive"
) -> pl.DataFrame:
    """The runs of methods on the three permutations of a problem, a line each.

    Args:
        problem: ``cancer``, or ``sklearn-iris`` for a stand-in.
        methods: their names.
        count: so many of each, the first ones; 0 for all sixty.
        seed: of runs that are made now.
        source: ``archive`` takes runs from the archive and the user's own store and makes what is missing; ``fresh``
            makes every run.

    Returns:
        The columns of ``studies.partition_runs``, and ``made``: whether the run was made now.

    Raises:
        UnknownName: there is no such problem.
        BenchbookError: another source.
    """
    names = names_of(problem)
    if source not in _SOURCES:
        raise BenchbookError(f"source is {source!r}; it is {' or '.join(_SOURCES)}")
    count = count or _MOST
    wanted = [f"{dataset_of(name)[0]}/partition/a" for name in names]
    retained = (
        studies.partition_runs(list(methods), wanted)
        .filter(pl.col("run") < count)
        .with_columns(made=False)
    )
    parts = [retained] if source == "archive" else []
    for item in names:
        for method in methods:
            have = source == "archive" and retained.filter(dataset=item, method=method).height
            if not have and datasets.at_hand(dataset_of(item)[0]):
                parts.append(
                    studies.run_partitions([method], [item], count, seed).with_columns(made=True)
                )
    order = {method: index for index, method in enumerate(methods)}
    return pl.concat([retained.clear(), *parts]).sort(
        "dataset",
        pl.col("method").replace_strict(order, default=len(order), return_dtype=pl.Int64),
        "run",
    )


def about(problem: str, records: pl.DataFrame) -> Html:
    """Where runs are from; and a box when the data is not available."""
    made = records.filter("made").height
    retained = records.height - made
    lines = [f"{counted(retained, 'run')} from the archive or your own store"] if retained else []
    lines += [f"{counted(made, 'run')} made while this page was executed"] if made else []
    return stack(
        missing(*(dataset_of(name)[0] for name in names_of(problem))),
        paragraph(f"This page shows {listed(lines)}." if lines else "There are no runs to show."),
    )


def partitions(names: Sequence[str]) -> Html:
    """The permutations: cases of each part, inputs and outputs, and classes that nobody trains on."""
    lines = []
    for name in names:
        card = datasets.card(dataset_of(name)[0])
        training, validation, test = card.partition
        lines.append(
            {
                "partition": name,
                "training": training,
                "validation": validation,
                "test": test,
                "inputs": len(card.attributes) - len(card.targets),
                "outputs": len(card.targets),
                "order of the cases": card.row_order,
            }
        )
    remarks = [text for name in names for text in _absent(name)]
    remarks += [acknowledgement(datasets.card(dataset_of(names[0])[0]))] if names else []
    return stack(
        table(lines, "The partitions: cases of each part, inputs and outputs"),
        *(paragraph(text) for text in remarks if text),
    )


def acknowledgement(card: Card) -> str:
    """Whom the donors of the data ask to be named in publications; nothing where they do not ask."""
    return (
        f"Whoever publishes results on these data names {card.acknowledgement}."
        if card.acknowledgement
        else ""
    )


def means_over_runs(records: pl.DataFrame) -> pl.DataFrame:
    """A line for each partition and method of ``runs``: means, spread and range of errors, beside the printed mean."""
    error = pl.col("test_error")
    means = records.group_by("dataset", "method", maintain_order=True).agg(
        pl.len().alias("runs"),
        pl.col("training_error", "validation_error").mean(),
        error.mean().alias("test_error"),
        error.std().alias("sd"),
        error.min().alias("least"),
        error.max().alias("largest"),
        pl.col("test_wrong").mean().alias("wrong"),
        pl.col("total_epochs").mean().alias("epochs"),
    )
    names, methods = records["dataset"].unique().to_list(), records["method"].unique().to_list()
    return means.join(mean_test_errors(names, methods), on=["dataset", "method"], how="left")


def means_table(means: pl.DataFrame) -> Html:
    """Means over runs, a line for each partition and method: the test error with the standard deviation over runs and
    the ends of its range; columns that are empty are left out.

    Args:
        means: dataset, method, runs, training_error, validation_error, test_error, sd, least, largest and printed
            (squared error percentages), wrong (percent) and epochs.
    """
    empty = [name for name in ("wrong", "printed") if means[name].null_count() == means.height]
    texts = {
        name: pl.col(name).map_elements(_dashed, return_dtype=pl.String, skip_nulls=False)
        for name in ("test_error", "sd", "least", "largest")
    }
    retained = (
        means.drop(empty)
        .with_columns(
            test_error=pl.format("{} ± {}", texts["test_error"], texts["sd"]),
            least=pl.format("{} to {}", texts["least"], texts["largest"]),
        )
        .drop("sd", "largest")
    )
    headings = {
        "dataset": "partition",
        "training_error": "training",
        "validation_error": "validation",
        "test_error": "test",
        "least": "from, to",
        "wrong": "wrong (%)",
        "printed": "test, printed",
    }
    return table(
        retained,
        "Means over the runs, errors in percent",
        headings={name: words for name, words in headings.items() if name in retained.columns},
        formats={
            name: _rounded if name == "epochs" else _dashed
            for name in retained.columns[3:]
            if name not in ("test_error", "least")
        },
        label="dataset",
    )


def title(problem: str, means: pl.DataFrame) -> str:
    """The result as a heading: who has the least mean test error on how many permutations."""
    best = means.sort("test_error").group_by("dataset", maintain_order=True).first()
    if best.is_empty():
        return f"{problem}: no runs"
    often = best["method"].value_counts(sort=True).sort("count", "method", descending=[True, False])
    return f"{problem}: {often['method'][0]} first on {often['count'][0]} of {best.height} permutations"


def best_in_words(means: pl.DataFrame) -> str:
    """The method with the least mean test error on each permutation, in one sentence."""
    best = means.sort("test_error").group_by("dataset", maintain_order=True).first().sort("dataset")
    if best["method"].n_unique() == 1 and best.height > 1:
        errors = listed([number(value, 3) for value in best["test_error"]])
        return f"Least mean test error on {listed(best['dataset'].to_list())}: {best['method'][0]} ({errors} %)."
    each = [
        f"{row['method']} on {row['dataset']} ({number(row['test_error'], 3)} %)"
        for row in best.to_dicts()
    ]
    return f"Least mean test error: {listed(each)}." if each else ""


def digests(records: pl.DataFrame) -> pl.DataFrame:
    """Task, instance and digest of runs whose data is at hand, for the provenance block."""
    shown = records.select("task", instance="run").unique().sort("task", "instance")
    available = {
        task: tasks.instance(task, 0).digest
        for task in shown["task"].unique()
        if datasets.at_hand(task.split("/")[0])
    }
    return shown.filter(pl.col("task").is_in(list(available))).with_columns(
        digest=pl.col("task").replace_strict(available, default="", return_dtype=pl.String)
    )


def _absent(name: str) -> list[str]:
    """A sentence when some class has no training case, as far as the cases are at hand."""
    dataset = dataset_of(name)[0]
    if not datasets.at_hand(dataset):
        return []
    absent = tasks.partition(name).absent_classes
    classes = [datasets.card(dataset).targets[index] for index in absent]
    return (
        [
            f"No training case of {name} is of {listed(classes)}: a network can only learn never to answer so."
        ]
        if absent
        else []
    )


def _dashed(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _rounded(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}"
