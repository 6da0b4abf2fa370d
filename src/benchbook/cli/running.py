"""``benchbook run`` and ``benchbook compare``: methods on tasks, and what the case losses say."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.cli.assess import tell_folds
from benchbook.cli.output import Place, json_option, loss_code, seed_range, show, table, with_doubt
from benchbook.errors import BenchbookError

if TYPE_CHECKING:
    import polars as pl

    from benchbook.studies import Plan
    from benchbook.studies.cross_validation import Expected
    from benchbook.studies.overlay import Overlay

_tasks = click.option("--tasks", "-t", multiple=True, metavar="PATTERN",
                      help="Names or patterns of tasks, for example 'kin-8nm-sim/dist/std.*'. May be repeated.")
_loss = click.option("--loss", default=None, metavar="CODE", callback=loss_code,
                     help="The loss to compare by. Default: S (squared error) for numbers, Z (0-1) for classes; in "
                          "challenges NLPD and NLP10.")
_common = click.option("--common-instances", is_flag=True,
                       help="Compare on the instances that all the methods have, instead of refusing.")


@click.command()
@click.option("--method", "-m", "names", multiple=True, metavar="NAME",
              help="A registered method, path/to/mine.py:my_method, or package.module:name. May be repeated.")
@click.option("--command", metavar="COMMAND",
              help="Any program as a method, for example './mine {train} {test} {guess}'.")
@_tasks
@click.option("--plan", type=Place(dir_okay=False), metavar="PLAN",
              help="A TOML file, or one of the book's plans by its name, instead of --method and --tasks.")
@click.option("--instances", type=click.IntRange(min=1), help="Run only the first so many instances of each task.")
@click.option("--seed", type=seed_range, help="The seed of the runs. Default: 1.")
@_loss
@_common
@click.option("--workers", type=click.IntRange(min=1),
              help="Processes to use. Default: one for each processor; this one alone for work of a moment.")
@click.option("--scheduler", metavar="ADDRESS", help="An existing Dask cluster, for example tcp://10.0.0.1:8786.")
@click.option("--retry-failed", is_flag=True, help="Run again what failed before.")
@click.option("--out", type=Place(file_okay=False), help="Folder of the runs. Default: your own store of runs.")
@click.option("--no-compare", is_flag=True, help="Do not print the comparison with the archived methods.")
@json_option
def run(names: tuple[str, ...], command: str | None, tasks: tuple[str, ...], plan: str | None, instances: int | None,
        seed: int | None, loss: str | None, common_instances: bool, workers: int | None, scheduler: str | None,
        retry_failed: bool, out: str | None, no_compare: bool, as_json: bool) -> None:
    """Run methods on task instances, keep every case loss, and compare with the archived methods.

    Runs that are there already are not run again; after Ctrl-C the same command goes on where it was.
    Exit code 1 when a run failed.
    """
    from benchbook import studies

    study = _plan(plan, names, command, tasks, instances, seed, loss)
    store = studies.Archive(out if out else studies.runs_path())
    summary = studies.run(study, store, workers=workers, scheduler=scheduler, retry_failed=retry_failed)
    report: dict[str, Any] = {"summary": summary.as_dict()}
    if not as_json:
        click.echo(summary)
    if not no_compare and (summary.done or summary.kept):
        own = list(dict.fromkeys(key.method for key in study.runs()))
        names_run = tuple(name for name in study.task_names() if name not in summary.missing)
        found = _assessed(names_run, None, loss, common_instances or instances is not None, store.path)
        report |= found.as_data()
        if not as_json:
            found.show(own[0] if own else None)
    if as_json:
        show(True, report, lambda: None)
    if summary.failed or summary.kept_failed:
        raise click.exceptions.Exit(1)


def _plan(path: str | None, names: tuple[str, ...], command: str | None, patterns: tuple[str, ...],
          instances: int | None, seed: int | None, loss: str | None) -> Plan:
    """The study that is asked for; what cannot be compared in the end is refused before anything is run."""
    from benchbook import studies

    if path is not None:
        if names or command or patterns or instances is not None or seed is not None:
            raise BenchbookError("--plan says which methods, tasks and instances, and the seed; leave --method, "
                                 "--command, --tasks, --instances and --seed out")
        study = studies.Plan.read(path)
        if missing := _not_computed(loss, study.task_names(), study.losses):
            raise BenchbookError(f"plan {path} does not compute loss {loss}: it has {', '.join(missing)}; put "
                                 f"losses = [\"{loss}\", ...] into it")
        return study
    chosen = [*names, *([f"command:{command}"] if command else [])]
    if not chosen or not patterns:
        raise BenchbookError("say what to run: --method NAME (or --command) and --tasks PATTERN, or --plan PLAN. "
                             "`benchbook methods list` and `benchbook tasks list` show what there is.")
    study = studies.Plan(name="command-line", seed=1 if seed is None else seed, methods=chosen, tasks=list(patterns),
                         instances=instances)
    missing = _not_computed(loss, study.task_names(), None)
    return replace(study, losses=(*missing, loss)) if missing and loss is not None else study


def _not_computed(code: str | None, names: Sequence[str], codes: Sequence[str] | None) -> tuple[str, ...]:
    """The losses that are computed on tasks, where a loss to compare by is not among them; () when it is.

    Args:
        code: the loss to compare by, if one is named. names: the tasks.
        codes: the losses to compute; by default those of each task.

    Raises:
        BenchbookError: no task can be compared by that loss.
    """
    from benchbook import tasks

    if code is None:
        return ()
    _check_loss(code, names)
    computed = set(codes) if codes is not None else {one for name in names for one in tasks.default_losses(name)}
    return () if code in computed else tuple(sorted(computed))


def _check_loss(code: str | None, names: Sequence[str]) -> None:
    """Refuse a loss by which none of the tasks can be compared.

    Raises:
        UnknownName: there is no such loss. BenchbookError: it is no loss of single cases, or not for these targets.
    """
    from benchbook import losses, tasks

    if code is None:
        return
    loss = losses.get(code)
    if loss.is_set:
        raise BenchbookError(f"loss {code} is one number for a whole test set; runs are compared by losses of single "
                             "cases. `benchbook losses list` shows them.")
    prototasks = {name: tasks.get(name).prototask for name in names}
    kinds = {name: one.kind for name, one in prototasks.items() if not one.folds and one.kind != "outputs"}
    if not kinds:
        raise BenchbookError("--loss is not for partitions, which are compared by their error percentages, nor for "
                             "folds, of which `benchbook assess cv` answers other questions; leave it out")
    if not any(map(loss.suits, kinds.values())):
        name, kind = next(iter(kinds.items()))
        raise BenchbookError(f"loss {code} is for {loss.suited} targets, and {name} has a {kind} target; it has "
                             f"{', '.join(tasks.default_losses(name))}")


@click.command()
@_tasks
@click.option("--method", "-m", "names", multiple=True, metavar="NAME",
              help="Methods to compare. Default: all that have been run on these tasks. May be repeated.")
@click.option("--against", metavar="NAME", help="The method that the p-values are against. Default: the best.")
@_loss
@_common
@click.option("--out", type=Place(exists=True, file_okay=False), help="A folder of runs besides the archive.")
@json_option
def compare(tasks: tuple[str, ...], names: tuple[str, ...], against: str | None, loss: str | None,
            common_instances: bool, out: str | None, as_json: bool) -> None:
    """Compare methods on tasks: expected losses with their standard errors, and p-values.

    Of PROBEN1's partitions, whose runs are on the same cases, it prints the statistics of the runs and no p-value.

    The case losses are those of your own runs and of the archive that comes with the book.
    """
    from benchbook import tasks as tasks_room

    if not tasks:
        raise BenchbookError("say which tasks: --tasks PATTERN. `benchbook tasks list` shows them.")
    wanted = tuple(dict.fromkeys(name for pattern in tasks for name in tasks_room.available(pattern)))
    _check_loss(loss, wanted)
    found = _assessed(wanted, names or None, loss, common_instances, Path(out) if out else None)
    if absent := [name for name in names if not fnmatch.filter(found.methods, name)]:
        raise BenchbookError(f"no runs of {', '.join(absent)} on these tasks; there are runs of "
                             f"{', '.join(sorted(found.methods))}")
    if against is not None and against not in found.methods:
        raise BenchbookError(f"{against!r} has no runs here; there are {', '.join(sorted(found.methods))}")
    show(as_json, found.as_data(), lambda: found.show(against))


@dataclass(frozen=True)
class _Assessed:
    """Expected losses and comparisons of DELVE's tasks, means on splits that overlap, the statistics of runs on
    PROBEN1's partitions, and expected utilities by the folds of one data set."""

    frames: tuple[pl.DataFrame, pl.DataFrame] | None
    runs: list[dict[str, Any]]
    folds: tuple[Expected, ...] = ()
    splits: pl.DataFrame | None = None
    """Mean losses as ``assess.split_means`` gives them."""

    @property
    def methods(self) -> set[str]:
        expected = [] if self.frames is None else self.frames[0]["method"].to_list()
        taken_apart = (name for found in self.folds for name in found.distributions)
        split = [] if self.splits is None else self.splits["method"].to_list()
        return {*expected, *split, *(row["method"] for row in self.runs), *taken_apart}

    def as_data(self) -> dict[str, Any]:
        expected = {} if self.frames is None else _as_data(*self.frames)
        apart = {found.task: found.table().to_dicts() for found in self.folds}
        if self.splits is not None:
            expected |= {"splits": _compared_on_splits(self.splits, None).to_dicts()}
        return expected | ({"runs_on_partitions": self.runs} if self.runs else {}) | ({"folds": apart} if apart else {})

    def show(self, against: str | None) -> None:
        if self.frames is not None:
            _print_comparison(*self.frames, against=against)
        if self.splits is not None:
            _print_splits(_compared_on_splits(self.splits, against))
        if self.runs:
            click.echo("\nruns on partitions, squared error percentage of the test cases")
            table(self.runs, _RUNS)
        for found in self.folds:
            click.echo("")
            tell_folds(found)


_RUNS = {"dataset": "partition", "method": "method", "runs": "runs", "mean": "mean", "sd": "sd", "least": "least",
         "median": "median", "largest": "largest", "wrong": "wrong, %", "epochs": "epochs"}


def _assessed(names: tuple[str, ...], methods: tuple[str, ...] | None, loss: str | None, common: bool,
              folder: Path | None) -> _Assessed:
    """What there is to say of the runs of tasks: they are compared, or, on partitions, counted and averaged."""
    from benchbook import studies
    from benchbook import tasks as tasks_room

    apart = tuple(name for name in names if tasks_room.get(name).prototask.folds)
    folds = _by_folds(apart, methods, folder)
    split = tuple(name for name in names if tasks_room.get(name).prototask.splits)
    splits = _by_splits(split, methods, loss, folder)
    names = tuple(name for name in names if name not in (*apart, *split))
    if not names:
        return _Assessed(None, [], folds, splits)
    parts = tuple(name for name in names if tasks_room.get(name).prototask.kind == "outputs")
    others = tuple(name for name in names if name not in parts)
    frames = _compared(others, methods, loss, common, folder) if others else None
    if not parts:
        return _Assessed(frames, [], folds, splits)
    from benchbook.assess import proben1

    found = studies.partition_runs(methods, parts, studies.overlay(runs=folder))
    if found.is_empty() and frames is None and splits is None:
        raise BenchbookError("there are no runs of these tasks yet; make some with `benchbook run`")
    return _Assessed(frames, proben1.mean_test_errors(found).to_dicts(), folds, splits)


def _by_folds(names: tuple[str, ...], methods: tuple[str, ...] | None, folder: Path | None) -> tuple[Expected, ...]:
    """The expected utilities on tasks that take one data set apart into folds."""
    from benchbook import studies
    from benchbook import tasks as tasks_room

    if not names:
        return ()
    from benchbook.studies.cross_validation import expected

    return tuple(expected(name, "nlpd" if tasks_room.get(name).prototask.kind == "real" else "nlp", methods,
                          source=studies.overlay(runs=folder)) for name in names)


def _by_splits(names: tuple[str, ...], methods: tuple[str, ...] | None, loss: str | None,
               folder: Path | None) -> pl.DataFrame | None:
    """Mean losses on tasks that split one data set at random; None when there is no such task.

    Methods that were run on some of the splits only are named and left out.
    """
    import polars as pl

    from benchbook import assess, studies
    from benchbook import tasks as tasks_room

    if not names:
        return None
    both = studies.overlay(runs=folder)
    frame = pl.concat([both.losses(tasks=name, methods=methods, code=loss or tasks_room.ranking_loss(name))
                       for name in names])
    if frame.is_empty():
        raise BenchbookError("there are no runs of these tasks yet; make some with `benchbook run`")
    means = assess.split_means(frame)
    counts = {name: tasks_room.get(name).instances for name in names}
    whole = pl.len().over("task", "loss", "method") == pl.col("task").replace_strict(counts, return_dtype=pl.Int64)
    for task, method in means.filter(~whole).select("task", "method").unique(maintain_order=True).rows():
        click.echo(f"note: {method} was run on some splits only and is left out: {task}", err=True)
    return means.filter(whole)


def _compared_on_splits(means: pl.DataFrame, against: str | None) -> pl.DataFrame:
    from benchbook import assess
    from benchbook import tasks as tasks_room

    asked = [tasks_room.get(name) for name in set(means["task"])]
    shares = {task.name: task.test_to_train for task in asked if isinstance(task, tasks_room.SplitsTask)}
    return assess.compare_on_splits(means, shares, against)


def _print_splits(compared: pl.DataFrame) -> None:
    for (task, loss), rows in compared.group_by("task", "loss", maintain_order=True):
        reference = rows["against"][0]
        click.echo(f"\n{task}, loss {loss}, {rows['splits'][0]} random splits that overlap")
        table([_split_row(row) for row in rows.to_dicts()],
              {"method": "method", "mean": "mean loss", "difference": f"less {reference}",
               "p": "p, corrected", "usual_p": "p, as if independent"})
    click.echo("\n± is one standard error: of a difference by the corrected resampled t test, of a mean as if the "
               "splits were independent, which they are not.")


def _split_row(row: dict[str, Any]) -> dict[str, Any]:
    itself = row["method"] == row["against"]
    tests = {name: "" if itself else row["reason"] if row[name] is None else f"{row[name]:.2g}"
             for name in ("p", "usual_p")}
    return {"method": row["method"], "mean": with_doubt(row["mean"], row["usual_standard_error"]),
            "difference": "" if itself else with_doubt(row["difference"], row["standard_error"]), **tests}


def _compared(names: tuple[str, ...], methods: tuple[str, ...] | None, loss: str | None, common: bool,
              folder: Path | None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The assessment of every task of which there are runs."""
    import polars as pl

    from benchbook import assess, studies
    from benchbook import tasks as tasks_room

    codes = {name: loss or tasks_room.ranking_loss(name) for name in names}
    both = studies.overlay(runs=folder)
    for note in both.notes(tasks=names, methods=methods):
        click.echo(f"note: {note}", err=True)
    frame = pl.concat([both.losses(tasks=[name for name in names if codes[name] == code], methods=methods, code=code)
                       for code in sorted(set(codes.values()))])
    if not common and methods is None:
        frame = _whole(frame, both)
    if frame.is_empty():
        raise BenchbookError("there are no runs of these tasks yet; make some with `benchbook run`")
    schemes = {name: tasks_room.get(name).prototask.test_set_selection for name in names}
    counts = None if common else {name: tasks_room.get(name).instances for name in set(frame["task"])}
    return assess.assessment(frame, schemes, tasks_room.standard, on_common_instances=common, instances=counts)


def _whole(frame: pl.DataFrame, both: Overlay) -> pl.DataFrame:
    """The losses without those of methods that the book's archive has on some of a task's instances only.

    Nobody asked for these by name, and they must not keep the others from being compared.
    """
    import polars as pl

    from benchbook import studies
    from benchbook import tasks as tasks_room

    ours = str(studies.archive_path())
    for task, method, found in sorted(frame.group_by("task", "method").agg(pl.col("instance").n_unique()).rows()):
        whole = found == tasks_room.get(task).instances
        if not whole and set(both.records(tasks=task, methods=method)["archive"]) == {ours}:
            click.echo(f"note: {method} was run on some instances only and is left out: {task}", err=True)
            frame = frame.filter((pl.col("task") != task) | (pl.col("method") != method))
    return frame


def _as_data(estimates: pl.DataFrame, pairs: pl.DataFrame) -> dict[str, Any]:
    return {"expected_losses": estimates.to_dicts(), "comparisons": pairs.to_dicts()}


def _print_comparison(estimates: pl.DataFrame, pairs: pl.DataFrame, against: str | None) -> None:
    for task in estimates["task"].unique(maintain_order=True):
        rows = estimates.filter(task=task).sort("mean", nulls_last=True)
        reference = str(against if against in set(rows["method"]) else rows["method"][0])
        tests = {row["method"]: row for row in pairs.filter(task=task, other=reference).to_dicts()}
        first = rows.row(0, named=True)
        click.echo(f"\n{task}, loss {first['loss']}, {first['instances']} instances of {first['cases']} test cases"
                   + (f" (left out: {first['left_out']})" if first["left_out"] else ""))
        table([_comparison_row(row, tests.get(row["method"]), reference) for row in rows.to_dicts()],
              {"method": "method", "loss": "expected loss", "standardised": "standardised",
               "p": f"p against {reference}"})
    click.echo("\n± is one standard error.")


def _comparison_row(row: dict[str, Any], test: dict[str, Any] | None, reference: str) -> dict[str, Any]:
    if row["method"] == reference or test is None:
        verdict = ""
    elif test["p"] is None:
        verdict = f"undefined: {test['reason']}"
    else:
        verdict = f"{test['p']:.2g} ({'better' if test['difference'] < 0 else 'worse'})"
    return {"method": row["method"], "p": verdict, "loss": with_doubt(row["mean"], row["standard_error"]),
            "standardised": with_doubt(row["standardised_mean"], row["standardised_standard_error"])}
