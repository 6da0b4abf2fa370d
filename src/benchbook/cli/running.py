"""``benchbook run``: methods on tasks, every case loss kept, and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from benchbook import methods, studies
from benchbook import tasks as tasks_room
from benchbook.cli.output import (
    PathArgument,
    dry_run_option,
    json_option,
    loss_code,
    memory_limit_option,
    seed_range,
    show,
    tell_outlook,
    time_limit_option,
)
from benchbook.cli.told_results import Output, common_option, compared_runs, tasks_option
from benchbook.errors import BenchbookError
from benchbook.studies.task_verdicts import check_loss
from benchbook.studies.workers import Limits, parsed_size
from benchbook.tasks import encoding_text

if TYPE_CHECKING:
    from benchbook.studies import Plan


@click.command()
@click.option(
    "--method",
    "-m",
    "names",
    multiple=True,
    metavar="NAME",
    help="A registered method, path/to/mine.py:my_method, or package.module:name. May be repeated.",
)
@click.option(
    "--command",
    metavar="COMMAND",
    help="Any program as a method, for example './mine {train} {test} {guess}'.",
)
@click.option(
    "--as",
    "own_name",
    metavar="NAME",
    help="What the program of --command is called; by default after its file.",
)
@click.option(
    "--encoding",
    metavar="ENCODING",
    help="What the methods see: copy (raw values), or attribute=encoding;... Default: their own, or the task's.",
)
@tasks_option
@click.option(
    "--plan",
    type=PathArgument(dir_okay=False),
    metavar="PLAN",
    help="A TOML file, or one of the book's plans by its name, instead of --method and --tasks.",
)
@click.option(
    "--instances",
    type=click.IntRange(min=1),
    help="Run only the first so many instances of each task.",
)
@click.option("--seed", type=seed_range, help="The seed of the runs. Default: 1.")
@click.option(
    "--loss",
    metavar="CODE",
    callback=loss_code,
    help="The loss to compare by. Default: S (squared error) for numbers, Z (0-1) for classes; "
    "of folds NLPD and NLP, in challenges NLPD and NLP10.",
)
@common_option
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Processes to use. Default: one for each processor; this one alone for work of a moment.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="An existing Dask cluster, for example tcp://10.0.0.1:8786.",
)
@click.option("--retry-failed", is_flag=True, help="Run again what failed before.")
@click.option(
    "--out",
    type=PathArgument(file_okay=False),
    help="Folder of the runs. Default: your own store of runs.",
)
@click.option(
    "--keep-predictions/--no-keep-predictions",
    "keep",
    default=True,
    show_default=True,
    help="Keep what is predicted, so that a loss asked for later is computed and not run.",
)
@click.option(
    "--no-compare", is_flag=True, help="Do not print the comparison with the archived methods."
)
@time_limit_option
@memory_limit_option
@dry_run_option
@json_option
def run(
    names: tuple[str, ...],
    command: str | None,
    own_name: str | None,
    encoding: str | None,
    tasks: tuple[str, ...],
    plan: str | None,
    instances: int | None,
    seed: int | None,
    loss: str | None,
    common_instances: bool,
    workers: int | None,
    scheduler: str | None,
    retry_failed: bool,
    out: str | None,
    keep: bool,
    no_compare: bool,
    time_limit: float | None,
    memory_limit: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Run methods on task instances, keep every case loss, and compare with the archived methods.

    Runs that are there already are not run again; after Ctrl-C the same command goes on where it was.
    Exit code 1 when a run failed.
    """
    limits = _limits(time_limit, memory_limit)
    chosen = _methods(names, command, own_name, encoding)
    study = _plan(plan, chosen, tasks, instances, seed, loss)
    store = studies.Archive(out if out else studies.runs_path())
    if dry_run:
        outlook = studies.outlook(study, store, workers, retry_failed, keep)
        show(as_json, outlook.as_dict(), lambda: tell_outlook(outlook))
        return
    summary = studies.run(
        study,
        store,
        workers=workers,
        scheduler=scheduler,
        retry_failed=retry_failed,
        keep_predictions=keep,
        limits=limits,
    )
    report: dict[str, Any] = {"summary": summary.as_dict()}
    if not as_json:
        click.echo(summary)
    if not no_compare and (summary.done or summary.kept):
        own = list(dict.fromkeys(key.method for key in study.runs()))
        names_run = tuple(name for name in study.task_names() if name not in summary.missing)
        try:
            result = compared_runs(
                names_run,
                (),
                folder=store.path,
                losses=loss,
                reference=own[0] if own else None,
                missing="drop" if common_instances or instances is not None else "refuse",
            )
        except BenchbookError as error:
            if not (summary.failed or summary.kept_failed):
                raise
            click.echo(
                f"No comparison: {error}", err=True
            )  # the failed runs are what is wrong, and are told above
        else:
            report |= result.as_data()
            if not as_json:
                click.echo("")
                result.tell(Output())
    if as_json:
        show(True, report, lambda: None)
    if summary.failed or summary.kept_failed:
        raise click.exceptions.Exit(1)


def _methods(
    names: tuple[str, ...], command: str | None, own_name: str | None, encoding: str | None
) -> list[str]:
    """The methods that are asked for, as ``methods.get`` finds them."""
    if own_name is not None and command is None:
        raise BenchbookError(
            "--as names the program of --command; a method has a name of its own, and a variant gets "
            "one in its brackets: --method 'lin-1[encoding=copy, name=lin-1-raw]'"
        )
    text = encoding_text(encoding or "")
    own = [] if command is None else [methods.command_spec(command, own_name, text)]
    return [*(_recoded(name, text) for name in names), *own]


def _recoded(name: str, encoding: str) -> str:
    """A method by what ``methods.get`` takes, with an encoding among its settings when there is one."""
    if not encoding:
        return name
    return (
        f"{name[:-1]}, encoding={encoding}]"
        if name.endswith("]")
        else f"{name}[encoding={encoding}]"
    )


def _plan(
    path: str | None,
    chosen: Sequence[str],
    patterns: tuple[str, ...],
    instances: int | None,
    seed: int | None,
    loss: str | None,
) -> Plan:
    """The study that is asked for; what cannot be compared in the end is refused before anything is run."""
    if path is not None:
        if chosen or patterns or instances is not None or seed is not None:
            raise BenchbookError(
                "--plan says which methods, tasks and instances, and the seed; leave --method, "
                "--command, --tasks, --instances and --seed out"
            )
        study = studies.Plan.read(path)
        if missing := _not_computed(loss, study.task_names(), study.losses):
            raise BenchbookError(
                f"plan {path} does not compute loss {loss}: it has {', '.join(missing)}; put "
                f'losses = ["{loss}", ...] into it'
            )
        return study
    if not chosen or not patterns:
        raise BenchbookError(
            "say what to run: --method NAME (or --command) and --tasks PATTERN, or --plan PLAN. "
            "`benchbook methods list` and `benchbook tasks list` show what there is."
        )
    study = studies.Plan(
        name="command-line",
        seed=1 if seed is None else seed,
        methods=list(chosen),
        tasks=list(patterns),
        instances=instances,
    )
    missing = _not_computed(loss, study.task_names(), None)
    return replace(study, losses=(*missing, loss)) if missing and loss is not None else study


def _not_computed(
    code: str | None, names: Sequence[str], codes: Sequence[str] | None
) -> tuple[str, ...]:
    """The losses that are computed on tasks, where a loss to compare by is not among them; () when it is.

    Args:
        code: the loss to compare by, if one is named. names: the tasks.
        codes: the losses to compute; by default those of each task.

    Raises:
        BenchbookError: no task can be compared by that loss.
    """
    if code is None:
        return ()
    check_loss(code, names)
    computed = (
        set(codes)
        if codes is not None
        else {default_loss for name in names for default_loss in tasks_room.default_losses(name)}
    )
    return () if code in computed else tuple(sorted(computed))


def _limits(seconds: float | None, memory: str | None) -> Limits:
    """The limits of the options --time-limit and --memory-limit.

    Raises:
        BenchbookError: a size that is none, or a limit that this system cannot hold.
    """
    return Limits(seconds, None if memory is None else parsed_size(memory))
