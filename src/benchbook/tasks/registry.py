"""Prototasks and tasks by name.

DELVE's and the challenges are declared in ``data/prototasks.toml``, beside the registry of datasets; every dataset that
has a partition gives six partition tasks more.
"""

from __future__ import annotations

import fnmatch
import logging
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from benchbook import datasets
from benchbook.datasets.user import places
from benchbook.errors import BenchbookError, Fault, FaultyInput, UnknownName
from benchbook.tasks.challenge_task import STAGES, ChallengeTask
from benchbook.tasks.declaration import PHASES, Prototask
from benchbook.tasks.folds_task import FoldsTask
from benchbook.tasks.partition_task import partition_task, partition_tasks
from benchbook.tasks.recoding import recoded
from benchbook.tasks.splits_task import SplitsTask, part_of_name
from benchbook.tasks.splitting import instance_count
from benchbook.tasks.tables import SIZES, table_faults
from benchbook.tasks.task import Task
from benchbook.tasks.task_instance import TaskInstance
from benchbook.toml_files import NotToml, read_toml

_logger = logging.getLogger(__name__)


def prototasks_path() -> Path:
    """Where the prototasks are declared."""
    return datasets.registry_path().with_name("prototasks.toml")


def read(path: str | Path) -> dict[str, dict[str, Any]]:
    """Declarations by path (``dataset/name``) from a TOML file with one ``[[prototask]]`` table for each.

    ``dataset`` may be a list of datasets that share the declaration.

    Raises:
        FaultyInput: unknown, missing or wrongly typed keys, a path declared twice.
        BenchbookError: the file cannot be read as TOML.
    """
    declared, faulty = _read(path)
    if faulty:
        every = dict.fromkeys(
            fault for faults in faulty.values() for fault in faults
        )  # a table may have many datasets
        raise FaultyInput(f"prototasks in {path}", list(every))
    return declared


def _read(path: str | Path) -> tuple[dict[str, dict[str, Any]], dict[str, list[Fault]]]:
    """The declarations of a file by path, and the faults of the others, by path as far as it can be told.

    Raises:
        FaultyInput: the file holds something else. BenchbookError: it cannot be read as TOML.
    """
    content = read_toml(path, "file of prototasks")
    if faults := [
        Fault("file", f"[{key}]", "only [[prototask]] tables")
        for key, value in content.items()
        if key != "prototask" or not isinstance(value, list)
    ]:
        raise FaultyInput(f"prototasks in {path}", faults)
    declared: dict[str, dict[str, Any]] = {}
    faulty: dict[str, list[Fault]] = {}
    for number, table in enumerate(content.get("prototask", []), 1):
        named = table.get("name", "no name") if isinstance(table, dict) else "no table"
        wrong = table_faults(f"prototask table {number} ({named})", table)
        for name in _paths(table, number):
            if wrong:
                faulty.setdefault(name, []).extend(wrong)
            elif name in declared:
                faulty.setdefault(name, []).append(
                    Fault(f"prototask table {number}", f"{name} again", "each prototask once")
                )
            else:
                declared[name] = {**table, "dataset": name.rpartition("/")[0]}
    return {name: table for name, table in declared.items() if name not in faulty}, faulty


def _paths(table: Any, number: int) -> list[str]:
    """The paths that a table declares; its number, when it does not say."""
    names = table.get("dataset") if isinstance(table, dict) else None
    names = [names] if isinstance(names, str) else names
    if isinstance(names, list) and names and all(isinstance(name, str) for name in names):
        return [f"{name}/{table.get('name', '')}" for name in names]
    return [f"table {number}"]


def prototasks() -> tuple[str, ...]:
    """The paths of all prototasks, for example ``kin-8nm-sim/dist``."""
    return tuple(declared().tables)


@lru_cache(maxsize=256)
def prototask(path: str) -> Prototask:
    """The prototask of that path. Target and inputs that are not declared come from the dataset's card: its first
    target, and all attributes that are no target.

    Raises:
        UnknownName: with the nearest paths.
        FaultyInput: its declaration is faulty, or the card of its dataset.
    """
    if path not in declared().tables:
        raise declared().faulty.get(path) or UnknownName("task", path, prototasks())
    return _prototask(declared().tables[path])


def _prototask(table: Mapping[str, Any]) -> Prototask:
    card = datasets.card(table["dataset"])
    target = table.get("target", card.targets[0])
    away = (*card.targets, target)
    others = [attribute.name for attribute in card.attributes if attribute.name not in away]
    inputs = (
        [name for wanted in table["inputs"] for name in _meant(wanted, others)]
        if "inputs" in table
        else others
    )
    return Prototask(
        dataset=table["dataset"],
        name=table["name"],
        target=target,
        inputs=tuple(inputs),
        kind=table["kind"],
        **_sizes(table),
        order=table.get("order", "retain"),
        cases=table.get("cases", "all"),
        encodings=_encodings(
            table.get("encodings", {}), [attribute.name for attribute in card.attributes]
        ),
        ours=tuple(table.get("ours", ())),
        note=table.get("note", ""),
    )


def _sizes(table: Mapping[str, Any]) -> dict[str, Any]:
    """How many cases are used for what: as DELVE declares it, by the phases of a challenge, whose three tasks have one
    instance each, by folds, of which every instance is asked for all cases, or by splits."""
    if "folds" in table:
        return {
            "folds": table["folds"],
            "group": table.get("group", ()),
            "part": table.get("part", ()),
            "test_set_size": 1,
            "test_set_selection": "folds",
            "training_set_sizes": (1,),
            "maximum_instances": 1,
        }
    if "splits" in table:
        return {
            "splits": table["splits"],
            "test_set_size": 1,
            "test_set_selection": "splits",
            "training_set_sizes": (1,),
            "maximum_instances": 1,
        }
    if "phases" not in table:
        return {key.replace("-", "_"): table[key] for key in SIZES} | {
            "group": table.get("group", ())
        }
    training, validation, test = (int(table["phases"].get(part, 0)) for part in PHASES)
    return {
        "phases": table["phases"],
        "test_set_size": test,
        "test_set_selection": "common",
        "training_set_sizes": (training, training + validation),
        "maximum_instances": 1,
    }


def _encodings(written: Mapping[str, str], names: list[str]) -> dict[str, str]:
    """Encodings by attribute; a pattern such as ``flag*`` stands for all attributes that match it."""
    return {name: text for pattern, text in written.items() for name in _meant(pattern, names)}


def _meant(pattern: str, names: list[str]) -> list[str]:
    """The names that a pattern stands for; itself when it is one of them or fits none."""
    return [pattern] if pattern in names else fnmatch.filter(names, pattern) or [pattern]


def available(pattern: str = "*") -> tuple[str, ...]:
    """Task names that match a shell pattern; the path of a prototask or the name of a dataset stands for all its tasks.

    Example:
        >>> from benchbook import tasks
        >>> tasks.available("kin-8nm-sim/dist/std.1*")
        ('kin-8nm-sim/dist/std.128', 'kin-8nm-sim/dist/std.1024')

    Raises:
        UnknownName: nothing matches; with the nearest names.
    """
    matches = re.compile(fnmatch.translate(pattern)).match
    chosen = tuple(
        name
        for name in _tasks()
        if matches(name) or matches(name.rpartition("/")[0]) or matches(name.partition("/")[0])
    )
    if not chosen:
        raise UnknownName("task", pattern, _tasks())
    return chosen


def get(name: str) -> Task:
    """The task of that name, for example ``kin-8nm-sim/dist/std.128`` or ``proben1-cancer1/partition/a``.

    Example:
        >>> from benchbook import tasks
        >>> task = tasks.get("kin-8nm-sim/dist/std.128")
        >>> task.name, task.size
        ('kin-8nm-sim/dist/std.128', 128)

    Raises:
        UnknownName: with the nearest names.
        FaultyInput: the declaration of its prototask is faulty, or the card of its dataset.
    """
    if name not in _tasks():
        raise declared().faulty.get(name.rpartition("/")[0]) or UnknownName("task", name, _tasks())
    return _task(name)


def instance(task_name: str, number: int, encoding: str = "") -> TaskInstance:
    """Instance ``number`` (from 0) of the task of that name, in the task's encoding or another (``recoded``).

    Example:
        >>> from benchbook import tasks
        >>> instance = tasks.instance("kin-8nm-sim/dist/std.128", 0)
        >>> instance.train_inputs.shape, instance.test_inputs.shape
        ((128, 8), (512, 8))

    Raises:
        UnknownName: no such task.
        MissingData: its dataset is not available.
        BenchbookError: no such instance.
        FaultyInput: the encoding does not suit the attributes.
    """
    return recoded(get(task_name), number, encoding)


def instances(task_name: str) -> list[TaskInstance]:
    """All instances of the task of that name."""
    task = get(task_name)
    return [task.instance(number) for number in range(task.split().instances)]


class Declared(NamedTuple):
    """The declarations by path, and what is wrong with those that are left out."""

    tables: dict[str, dict[str, Any]]
    faulty: dict[str, FaultyInput]


@lru_cache(maxsize=1)
def declared() -> Declared:
    """The declarations of which tasks can be made; what is wrong with the others is said once.

    For who looks at every one: a page that asks for one prototask with ``prototask`` is not made from the others.
    """
    file = prototasks_path()
    without_card: dict[str, FaultyInput] = {}
    tables, wrong = _read(file)
    files = dict.fromkeys((*tables, *wrong), file)
    for dataset, folder in places.folders().items():
        theirs, faults = _of_user(dataset, folder / places.PROTOTASKS)
        tables, wrong = tables | theirs, wrong | faults
        files |= dict.fromkeys((*theirs, *faults), folder / places.PROTOTASKS)
    for path, table in tables.items():
        try:
            wrong |= {path: unusable} if (unusable := _unusable(table)) else {}
        except FaultyInput as error:  # it was said when the registry was read
            without_card[path] = error
    faulty = {
        path: FaultyInput(f"prototask {path} in {files[path]}", faults)
        for path, faults in wrong.items()
    }
    for fault in faulty.values():
        _logger.warning("warning: %s\nIts tasks are left out until it is mended.", fault)
    faulty |= without_card
    return Declared({path: table for path, table in tables.items() if path not in faulty}, faulty)


def _of_user(dataset: str, file: Path) -> tuple[dict[str, dict[str, Any]], dict[str, list[Fault]]]:
    """The declarations of a dataset of the user's, and the faults of the others; none when its card is no card."""
    if dataset not in datasets.available():
        return {}, {}
    try:
        tables, wrong = _read(file) if file.is_file() else ({}, {})
    except FaultyInput as error:
        return {}, {dataset: list(error.faults)}
    except BenchbookError as error:
        found = error.reason if isinstance(error, NotToml) else str(error)
        return {}, {dataset: [Fault("file", found, "prototasks in TOML")]}
    strange = [path for path in tables if path.rpartition("/")[0] != dataset]
    rule = f"the prototasks of {dataset} and of no other"
    return (
        {path: table for path, table in tables.items() if path not in strange},
        {
            f"{dataset}: {path}": faults
            for path, faults in wrong.items()
            if not path.startswith(dataset)
        }
        | {path: faults for path, faults in wrong.items() if path.startswith(dataset)}
        | ({f"{dataset}/": [Fault("dataset", path, rule) for path in strange]} if strange else {}),
    )


def forget() -> None:
    """Look at all declarations anew from now on."""
    for retained in (declared, names, prototask, _task):
        retained.cache_clear()


def _unusable(table: Mapping[str, Any]) -> list[Fault]:
    """What keeps the tasks of a declaration from being listed.

    Raises:
        FaultyInput: the card of its dataset is faulty.
    """
    try:
        card = datasets.card(table["dataset"])
    except UnknownName as error:
        return [Fault("dataset", repr(table["dataset"]), str(error))]
    try:
        requested = _prototask(table)
        for size in requested.training_set_sizes if "training-set-sizes" in table else ():
            instance_count(requested, size, card.shape.cases)
    except FaultyInput as error:
        return list(error.faults)
    except BenchbookError as error:
        return [Fault("training-set-sizes", repr(table["training-set-sizes"]), str(error))]
    cases = card.shape.cases
    faults = [
        Fault(
            "folds",
            repr(scheme),
            f"2 folds at least, and no more than the {cases} cases of {card.name}",
        )
        for scheme in requested.folds
        if not 2 < FoldsTask(requested, 0, scheme=scheme).instances <= cases + 1
    ]
    return faults + [
        Fault("part", repr(index), f"at most {cases}, the number of cases of {card.name}")
        for index in requested.part
        if index > cases
    ]


def _tasks() -> Mapping[str, tuple[str, int] | tuple[str, str]]:
    return names()


@lru_cache(maxsize=1)
def names() -> Mapping[str, tuple[str, int] | tuple[str, str]]:
    """By the name of a task: prototask and size, stage of a challenge, scheme of folds or of splits, or dataset
    and order of a partition."""
    tasks: dict[str, tuple[str, int] | tuple[str, str]] = {}
    for path, table in declared().tables.items():
        if "phases" in table:
            tasks |= {f"{path}/{stage}": (path, stage) for stage in STAGES}
        elif "folds" in table:
            tasks |= {f"{path}/{scheme}": (path, scheme) for scheme in table["folds"]}
        elif "splits" in table:
            part = part_of_name(prototask(path))
            tasks |= {f"{path}/{part}": (path, part)}
        else:
            tasks |= {f"{path}/std.{size}": (path, size) for size in table["training-set-sizes"]}
    return tasks | partition_tasks()


@lru_cache(maxsize=512)
def _task(name: str) -> Task:
    path, part = _tasks()[name]
    if isinstance(part, int):
        return Task(prototask(path), part)
    if path not in declared().tables:
        return partition_task(path, part)
    requested = prototask(path)
    if requested.splits:
        return SplitsTask(requested, 0)
    return (
        FoldsTask(requested, 0, scheme=part)
        if requested.folds
        else ChallengeTask.at(requested, part)
    )
