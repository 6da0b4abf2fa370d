"""``benchbook delve``: DELVE's own files, written for any program and read back."""

from __future__ import annotations

from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook import datasets, methods, studies, tasks
from benchbook.cli.output import PathArgument, json_option, show, table
from benchbook.errors import BenchbookError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

_instances = click.option(
    "--instances", type=click.IntRange(min=1), help="Only the first so many instances."
)
_encoding = click.option(
    "--encoding",
    default="",
    metavar="ENCODING",
    help="Encoding of the files: copy (raw values), or attribute=encoding;... Default: the task's.",
)


@click.group()
def delve() -> None:
    """Exchange task instances, guesses and losses as DELVE's own files."""


@delve.command()
@click.argument("prototask")
@click.argument("folder", type=PathArgument(file_okay=False))
@click.option(
    "--size",
    "sizes",
    type=int,
    multiple=True,
    help="A training-set size; may be repeated. Default: all.",
)
@_instances
@_encoding
@click.option(
    "--method",
    "-m",
    "method",
    metavar="NAME",
    help="Write the guesses and losses of this method too; what was not run yet is run.",
)
def export(
    prototask: str,
    folder: str,
    sizes: tuple[int, ...],
    instances: int | None,
    encoding: str,
    method: str | None,
) -> None:
    """Write the tasks of PROTOTASK (for example kin-8nm-sim/dist) into FOLDER, in DELVE's layout.

    A program reads train.i and test.i, and writes its guesses as cguess.S.i, a line for each test case.
    """
    chosen = range(instances) if instances else None
    written = tasks.delve.export(prototask, folder, sizes or None, chosen, encoding)
    for path in written:
        click.echo(path)
    if method is not None:
        names = ["/".join(path.parts[-3:]) for path in written]
        for path in _results(written[0].parents[3] / "methods", names, method, instances, encoding):
            click.echo(path)


def _results(
    root: Path, names: list[str], spec: str, instances: int | None, encoding: str
) -> Iterator[Path]:
    """Run a method where it has no runs yet, and write the guesses and losses of each task; yields the folders."""
    plan = studies.Plan("delve-export", 1, [spec], [escape(name) for name in names], instances)
    store = studies.Archive(studies.runs_path())
    summary = studies.run(plan, store, workers=1, keep_predictions=True)
    if summary.failed or summary.kept_failed:
        raise BenchbookError(str(summary))
    name = methods.declared(spec).name
    for task in names:
        records = store.records(methods=[escape(name)], tasks=[escape(task)])
        losses = store.losses(methods=[escape(name)], tasks=[escape(task)])
        for record in records.iter_rows(named=True):
            if instances is None or record["instance"] < instances:
                _write_results(root / name / task, store, record, losses, encoding)
        yield root / name / task


def _write_results(
    folder: Path,
    store: studies.Archive,
    record: dict[str, Any],
    losses: pl.DataFrame,
    encoding: str,
) -> None:
    instance = tasks.instance(record["task"], record["instance"], encoding)
    prediction = store.prediction(record)
    if prediction is None:
        click.echo(f"No guesses of {instance.name}: the run did not keep its prediction", err=True)
    else:
        tasks.delve.write_guesses(folder, instance, prediction)
    own = losses.filter(instance=record["instance"]).partition_by("loss", as_dict=True)
    values = {str(code): part["value"].to_numpy() for (code,), part in own.items()}
    tasks.delve.write_losses(folder, instance, values)


@delve.command(name="show")
@click.argument("folder", type=PathArgument(exists=True, file_okay=False))
@json_option
def show_folder(folder: str, as_json: bool) -> None:
    """Show a dataset in DELVE's layout: what it is, its prototasks and their priors.

    FOLDER has Dataset.spec and Dataset.data; folders below it with a Prototask.spec are its prototasks. A prior
    says of every attribute how relevant it is thought to be (0: nothing is said) and how it is encoded.
    """
    data = datasets.read_delve(folder)
    group = data.card.layout.get("group", "")
    about = {
        "dataset": data.name,
        "origin": data.card.origin,
        "usage": data.card.usage,
        "cases": len(data),
        "attributes": len(data.attributes) - bool(group),
        "groups by commonality (@)": data.cases[group].n_unique() if group else "none",
    }
    places = sorted(path.parent for path in Path(folder).glob("*/Prototask.spec*"))
    specs = {place.name: datasets.read_prototask(place)[0] for place in places}
    tasks_of = [
        {
            "prototask": name,
            "inputs": len(spec.inputs),
            "targets": ", ".join(data.attributes[number - 1].name for number in spec.targets),
            "training sets": ", ".join(map(str, spec.training_set_sizes)),
            "instances": f"at most {spec.maximum_instances}",
            "test cases": f"{spec.test_set_size}, {spec.test_set_selection}",
        }
        for name, spec in specs.items()
    ]
    priors = [
        {
            "prototask": place.name,
            "prior": prior,
            "attribute": line.attribute,
            "relevance level": line.level,
            "encoding": str(line.coding),
        }
        for place in places
        for prior, several in tasks.delve.read_priors(place).items()
        for line in several
    ]
    show(
        as_json,
        {**about, "prototasks": tasks_of, "priors": priors},
        lambda: _tables([about], tasks_of, priors),
    )


def _tables(*several: list[dict[str, Any]]) -> None:
    for number, rows in enumerate(rows for rows in several if rows):
        if number:
            click.echo()
        table(rows)


@delve.command(name="import")
@click.argument("folder", type=PathArgument(exists=True, file_okay=False))
@click.option(
    "--task",
    required=True,
    metavar="PATTERN",
    help="A task, such as kin-8nm-sim/dist/std.128, or a pattern: those of which FOLDER has files are read.",
)
@click.option(
    "--as",
    "name",
    required=True,
    metavar="NAME",
    help="The name of the method that made the files.",
)
@click.option(
    "--kind",
    type=click.Choice(["guesses", "losses"]),
    default="guesses",
    show_default=True,
    help="Read cguess.<loss>.<i>, or closs.<loss>.<i> of an old DELVE directory.",
)
@click.option(
    "--scale",
    type=click.Choice(["coded", "original"]),
    help="Needed with --kind losses: of encoded targets, or on the scale of the data.",
)
@_encoding
@_instances
@click.option(
    "--out",
    type=PathArgument(file_okay=False),
    help="Folder of the runs. Default: your own store of runs.",
)
@json_option
def import_(
    folder: str,
    task: str,
    name: str,
    kind: str,
    scale: tasks.delve.Scale | None,
    encoding: str,
    instances: int | None,
    out: str | None,
    as_json: bool,
) -> None:
    """Read the guesses or losses of a method from FOLDER and keep them as its runs.

    FOLDER is the one with the files cguess.S.0, ... of the task, below the folder of `benchbook delve export`: for
    example data/kin-8nm-sim/dist/std.128; for a pattern the one above, from which the tasks' names lead to them.

    Afterwards `benchbook results --tasks TASK` shows the method beside the archived ones.
    """
    if name in methods.available():
        raise BenchbookError(
            f"{name} is a method of this book; give the imported one another name with --as"
        )
    if (kind == "losses") != (scale is not None):
        raise BenchbookError(
            "--scale goes with --kind losses, and is needed there: coded if they are losses of encoded "
            "targets, as the other files in DELVE's layout are, original if on the scale of the data"
        )
    chosen = range(instances) if instances else None
    store = studies.Archive(out if out else studies.runs_path())
    names = _with_files(folder, task, "cguess" if scale is None else "closs")
    frames = {
        one: tasks.delve.guess_losses(folder, one, None, chosen, encoding)
        if scale is None
        else tasks.delve.import_losses(folder, one, None, chosen, scale=scale, encoding=encoding)
        for one in names
    }
    rows: list[dict[str, Any]] = []
    for one, frame in frames.items():
        for result in studies.imported(frame, one, name, f"{kind} in {folder}"):
            store.write(result)
            rows += [
                {
                    "task": one,
                    "instance": result.record["instance"],
                    "loss": code,
                    "cases": len(values),
                    "mean": float(values.mean()),
                }
                for code, values in result.losses.items()
            ]
    show(
        as_json,
        {"method": name, "tasks": names, "archive": str(store.path), "instances": rows},
        lambda: table(rows),
    )


def _with_files(folder: str, pattern: str, stem: str) -> list[str]:
    """The tasks that a pattern stands for; of several, those that have files in folders of their own."""
    names = list(tasks.available(pattern))
    if len(names) == 1:
        return names
    found = [name for name in names if next(Path(folder, name).glob(f"{stem}.*"), None)]
    if not found:
        raise BenchbookError(
            f"{pattern} stands for {len(names)} tasks, and {folder} has files {stem}.<loss>.<i> for "
            f"none of them; they are looked for in {Path(folder, names[0])} and so on"
        )
    return found
