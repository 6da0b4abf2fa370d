"""A plan: which methods on which task instances, with which seed and losses. Read from TOML or made in a notebook."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from benchbook import losses, methods, tasks
from benchbook.archive.records import RunKey
from benchbook.datasets import registry_path
from benchbook.errors import BenchbookError, Fault, FaultyInput, shortened
from benchbook.studies.plan_faults import faults_of
from benchbook.studies.runs import Job
from benchbook.toml_files import read_toml


class Resolved(NamedTuple):
    """What a plan comes to: its tasks, its jobs, and the pairs of method and task that are left out because the method
    predicts no such target."""

    tasks: tuple[str, ...]
    jobs: list[Job]
    not_applicable: list[tuple[str, str]]


@dataclass(frozen=True)
class Plan:
    """A planned set of runs; all faults of a plan are reported together.

    Example:
        >>> from benchbook import studies
        >>> plan = studies.Plan("try", 1, ["lin-1"], ["kin-8nm-sim/dist/std.64"], instances=2)
        >>> plan.methods, plan.tasks
        (('lin-1',), ('kin-8nm-sim/dist/std.64',))

    Args:
        name: of the study, for the records.
        seed: of the study, from 0 to 2^63 - 1; every run derives its generator from it and from its own names.
        methods: names of registered methods, or specs such as "path/to/mine.py:my_method".
        tasks: names or shell patterns; the path of a prototask or the name of a dataset stands for all its tasks.
        instances: how many of the instances of each task (the first ones), or a list of their numbers from 0; all of
            them when left out. A task with fewer gives what it has.
        losses: codes of per-case losses; those that do not apply to the target of a task are left out there. By
            default the task's own.
        title: one line on what the study is.
        question: what it is to answer.
        budget_seconds: no run is begun after so many seconds; what is left is for the next time.

    Raises:
        FaultyInput: with every fault of the plan.
    """

    name: str
    seed: int
    methods: Sequence[str]
    tasks: Sequence[str]
    instances: int | Sequence[int] | None = None
    losses: Sequence[str] | None = None
    title: str = ""
    question: str = ""
    budget_seconds: float | None = None

    def __post_init__(self) -> None:
        faults = faults_of({field.name: getattr(self, field.name) for field in fields(self)})
        if faults:
            raise FaultyInput(f"plan {self.name!r}", faults)
        for name in ("methods", "tasks", "instances", "losses"):
            given = getattr(self, name)
            if given is not None and not isinstance(given, int):
                object.__setattr__(
                    self, name, tuple(_code(item) if name == "losses" else item for item in given)
                )

    @classmethod
    def read(cls, path: str | Path) -> Plan:
        """Read a plan from a TOML file. The paths of methods in it are taken from the folder of the file.

        Args:
            path: the file; a bare name such as "quick" that is no file here means the book's plan of that name.

        Raises:
            FaultyInput: with every fault, unknown keys included, and the name of the file.
            BenchbookError: the file is not there or is not TOML.
        """
        path = _place(Path(path))
        given, faults = _fields_of(read_toml(path, "plan"))
        if isinstance(given.get("methods"), list):
            given["methods"] = [_from_folder(spec, path.parent) for spec in given["methods"]]
        missing = [name for name in ("name", "seed", "methods", "tasks") if name not in given]
        faults += [Fault(name, "nothing", f"a plan must have {name!r}") for name in missing]
        faults += faults_of(given)
        if faults:
            raise FaultyInput(f"plan {path}", faults, f"See {plans_folder()} for plans that work.")
        return cls(**given)

    def resolved(self) -> Resolved:
        """What the plan comes to: its jobs come task by task, instance by instance, method by method in the order of
        the plan."""
        chosen: dict[str, tuple[str, frozenset[str], str]] = {}
        for spec in self.methods:
            method, identity = methods.declared(spec), methods.identity(spec)
            source = "" if spec == method.name else _located(spec)
            chosen[method.name] = source, method.kinds, identity
        work = Resolved(self.task_names(), [], [])
        for task in work.tasks:
            kind, codes = tasks.get(task).prototask.kind, tasks.loss_codes(task, self.losses)
            work.not_applicable.extend(
                (name, task) for name, (_, kinds, _) in chosen.items() if kind not in kinds
            )
            work.jobs.extend(
                Job(RunKey(name, task, number, source), self.seed, self.name, codes, identity)
                for number in self._numbers(task)
                for name, (source, kinds, identity) in chosen.items()
                if kind in kinds
            )
        return work

    def runs(self) -> list[RunKey]:
        """The runs of the plan; see ``resolved``."""
        return [job.key for job in self.resolved().jobs]

    def not_applicable(self) -> list[tuple[str, str]]:
        """The pairs of method and task that are left out because the method predicts no such target."""
        return self.resolved().not_applicable

    def task_names(self) -> tuple[str, ...]:
        """The tasks of the plan, each once, in the order of its patterns."""
        return tuple(
            dict.fromkeys(
                name for pattern in dict.fromkeys(self.tasks) for name in tasks.available(pattern)
            )
        )

    def _numbers(self, task: str) -> range | list[int]:
        count = tasks.get(task).instances
        if self.instances is None or isinstance(self.instances, int):
            return range(count if self.instances is None else min(count, self.instances))
        return [number for number in self.instances if number < count]


def _code(loss: str) -> str:
    """A loss by its code as it is registered; people write it with small letters too."""
    return losses.get(loss).code


def _place(path: Path) -> Path:
    """The file of a plan: the path itself, or that of the book's plan when it is a bare name and no file."""
    if path.suffix or len(path.parts) != 1 or path.is_file():
        return path
    known = {file.stem: file for file in sorted(plans_folder().glob("*.toml"))}
    if path.name not in known:
        raise BenchbookError(
            f"no plan {shortened(repr(path.name))}: no such file (looked from {Path.cwd()}), and none "
            f"of the book's, which are {', '.join(known)}"
        )
    return known[path.name]


def _fields_of(table: dict[str, Any]) -> tuple[dict[str, Any], list[Fault]]:
    """The fields of a plan from its TOML, and a fault for every key that means nothing."""
    known = [field.name for field in fields(Plan) if field.name != "budget_seconds"]
    given = {key: value for key, value in table.items() if key in known}
    faults = [
        Fault(key, "a key that means nothing here", f"known are {', '.join([*known, 'budget'])}")
        for key in table
        if key not in [*known, "budget"]
    ]
    budget = table.get("budget", {})
    if not isinstance(budget, dict):
        return given, [
            *faults,
            Fault("budget", repr(budget), "must be a table: [budget], and below it seconds = 600"),
        ]
    faults += [
        Fault(f"budget.{key}", "a key that means nothing here", "known is seconds")
        for key in budget
        if key != "seconds"
    ]
    if "seconds" in budget:
        given["budget_seconds"] = budget["seconds"]
    return given, faults


def _from_folder(spec: Any, folder: Path) -> Any:
    """A method's file as seen from the folder of the plan."""
    path, colon, name = spec.partition(".py") if isinstance(spec, str) else ("", "", "")
    if not colon or methods.is_command(spec) or Path(path).is_absolute() or path.startswith("~"):
        return spec
    return f"{folder / path}.py{name}"


def _located(spec: str) -> str:
    """A spec that means the same in a process with another working folder."""
    path, dot, name = spec.partition(".py")
    if not dot or methods.is_command(spec):
        return spec
    return os.path.abspath(os.path.expanduser(path)) + ".py" + name


def plans_folder() -> Path:
    """Where the plans are that come with the book: ``data/studies``, of the checkout or of the installed package."""
    return registry_path().with_name("studies")


def simulated(name: str) -> pl.DataFrame:
    """A table of ``data/simulated``, which comes with the book: what its README describes.

    Args:
        name: of the table, for example ``coverage``.

    Raises:
        BenchbookError: it is not there, so that the installation is incomplete.
    """
    path = registry_path().with_name("simulated") / f"{name}.parquet"
    if not path.is_file():
        raise BenchbookError(
            f"{path} is missing; it comes with the project, and its README says how it was made"
        )
    return pl.read_parquet(path)
