"""Prototasks and tasks by name.

DELVE's and the challenges are declared in ``data/prototasks.toml``, beside the registry of datasets; every dataset that
has a partition gives six partition tasks more.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchbook import datasets
from benchbook.errors import Fault, FaultyInput, UnknownName
from benchbook.tasks.challenge_task import STAGES, ChallengeTask
from benchbook.tasks.declaration import PHASES, Prototask
from benchbook.tasks.folds_task import FoldsTask, is_scheme
from benchbook.tasks.partition_task import partition_task, partition_tasks
from benchbook.tasks.task import Task
from benchbook.tasks.task_instance import TaskInstance
from benchbook.toml_files import read_toml

_Types = type | tuple[type, ...]
_REQUIRED: dict[str, _Types] = {"dataset": (str, list), "name": str, "kind": str}
_SIZES: dict[str, _Types] = {
    "test-set-size": int, "test-set-selection": str, "training-set-sizes": list, "maximum-instances": (int, dict)}
_PHASES: dict[str, _Types] = {"phases": dict}
_FOLDS: dict[str, _Types] = {"folds": list}
_OPTIONAL: dict[str, _Types] = {
    "target": str, "inputs": list, "order": str, "cases": str, "encodings": dict, "ours": list, "note": str}
_OF_FOLDS: dict[str, _Types] = {"group": list, "part": list}


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
    content = read_toml(path, "file of prototasks")
    faults = [Fault("file", f"[{key}]", "only [[prototask]] tables") for key, value in content.items()
              if key != "prototask" or not isinstance(value, list)]
    tables = [] if faults else content.get("prototask", [])
    declared: dict[str, dict[str, Any]] = {}
    for number, table in enumerate(tables, 1):
        wrong = _table_faults(f"prototask table {number} ({table.get('name', 'no name')})", table)
        faults += wrong
        names = table.get("dataset", [])
        for dataset in [] if wrong else [names] if isinstance(names, str) else names:
            name = f"{dataset}/{table['name']}"
            if name in declared:
                faults.append(Fault(f"prototask table {number}", f"{name} again", "each prototask once"))
            declared[name] = {**table, "dataset": dataset}
    if faults:
        raise FaultyInput(f"prototasks in {path}", faults)
    return declared


def prototasks() -> tuple[str, ...]:
    """The paths of all prototasks, for example ``kin-8nm-sim/dist``."""
    return tuple(_declared())


@lru_cache(maxsize=256)
def prototask(path: str) -> Prototask:
    """The prototask of that path. Target and inputs that are not declared come from the dataset's card: its first
    target, and all attributes that are no target.

    Raises:
        UnknownName: with the nearest paths.
    """
    if path not in _declared():
        raise UnknownName("task", path, _declared())
    table = _declared()[path]
    card = datasets.card(table["dataset"])
    target = table.get("target", card.targets[0])
    away = (*card.targets, target)
    others = [attribute.name for attribute in card.attributes if attribute.name not in away]
    inputs = [name for wanted in table["inputs"] for name in _meant(wanted, others)] if "inputs" in table else others
    return Prototask(
        dataset=table["dataset"], name=table["name"], target=target,
        inputs=tuple(inputs), kind=table["kind"], **_sizes(table),
        order=table.get("order", "retain"), cases=table.get("cases", "all"),
        encodings=_encodings(table.get("encodings", {}), [attribute.name for attribute in card.attributes]),
        ours=tuple(table.get("ours", ())), note=table.get("note", ""))


def _sizes(table: Mapping[str, Any]) -> dict[str, Any]:
    """How many cases are used for what: as DELVE declares it, by the phases of a challenge, whose three tasks have one
    instance each, or by folds, of which every instance is asked for all cases."""
    if "folds" in table:
        return {"folds": table["folds"], "group": table.get("group", ()), "part": table.get("part", ()),
                "test_set_size": 1, "test_set_selection": "folds", "training_set_sizes": (1,), "maximum_instances": 1}
    if "phases" not in table:
        return {key.replace("-", "_"): table[key] for key in _SIZES}
    training, validation, test = (int(table["phases"].get(part, 0)) for part in PHASES)
    return {"phases": table["phases"], "test_set_size": test, "test_set_selection": "common",
            "training_set_sizes": (training, training + validation), "maximum_instances": 1}


def _encodings(written: Mapping[str, str], names: list[str]) -> dict[str, str]:
    """Encodings by attribute; a pattern such as ``flag*`` stands for all attributes that match it."""
    return {name: text for pattern, text in written.items() for name in _meant(pattern, names)}


def _meant(pattern: str, names: list[str]) -> list[str]:
    """The names that a pattern stands for; itself when it is one of them or fits none."""
    return [pattern] if pattern in names else fnmatch.filter(names, pattern) or [pattern]


def available(pattern: str = "*") -> tuple[str, ...]:
    """Task names that match a shell pattern; the path of a prototask or the name of a dataset stands for all its tasks.

    Raises:
        UnknownName: nothing matches; with the nearest names.
    """
    chosen = tuple(name for name in _tasks() if fnmatch.filter(
        (name, name.rpartition("/")[0], name.split("/")[0]), pattern))
    if not chosen:
        raise UnknownName("task", pattern, _tasks())
    return chosen


def get(name: str) -> Task:
    """The task of that name, for example ``kin-8nm-sim/dist/std.128`` or ``proben1-cancer1/partition/a``.

    Raises:
        UnknownName: with the nearest names.
    """
    if name not in _tasks():
        raise UnknownName("task", name, _tasks())
    return _task(name)


def instance(task_name: str, number: int) -> TaskInstance:
    """Instance ``number`` (from 0) of the task of that name.

    Raises:
        UnknownName: no such task.
        MissingData: its dataset is not at hand.
        BenchbookError: no such instance.
    """
    return get(task_name).instance(number)


def instances(task_name: str) -> list[TaskInstance]:
    """All instances of the task of that name."""
    task = get(task_name)
    return [task.instance(number) for number in range(task.split().instances)]


@lru_cache(maxsize=1)
def _declared() -> Mapping[str, dict[str, Any]]:
    return read(prototasks_path())


@lru_cache(maxsize=1)
def _tasks() -> Mapping[str, tuple[str, int] | tuple[str, str]]:
    """By the name of a task: prototask and size, stage of a challenge or scheme of folds, or dataset and order of a
    partition."""
    tasks: dict[str, tuple[str, int] | tuple[str, str]] = {}
    for path, table in _declared().items():
        if "phases" in table:
            tasks |= {f"{path}/{stage}": (path, stage) for stage in STAGES}
        elif "folds" in table:
            tasks |= {f"{path}/{scheme}": (path, scheme) for scheme in table["folds"]}
        else:
            tasks |= {f"{path}/std.{size}": (path, size) for size in table["training-set-sizes"]}
    return tasks | partition_tasks()


@lru_cache(maxsize=512)
def _task(name: str) -> Task:
    path, part = _tasks()[name]
    if isinstance(part, int):
        return Task(prototask(path), part)
    if path not in _declared():
        return partition_task(path, part)
    declared = prototask(path)
    return FoldsTask(declared, 0, scheme=part) if declared.folds else ChallengeTask.at(declared, part)


def _table_faults(where: str, table: Mapping[str, Any]) -> list[Fault]:
    required = _REQUIRED | (_PHASES if "phases" in table else _FOLDS if "folds" in table else _SIZES)
    known = required | _OPTIONAL | (_OF_FOLDS if "folds" in table else {})
    faults = [Fault(where, f"no {key}", "required") for key in required if key not in table]
    faults += [Fault(where, f"key {key!r}", f"one of {', '.join(known)}") for key in table if key not in known]
    wrong = [key for key, kind in known.items() if key in table and not isinstance(table[key], kind)]
    faults += [Fault(f"{where}, {key}", repr(table[key]), "another type of value") for key in wrong]
    if wrong:
        return faults
    faults += [Fault(f"{where}, training-set-sizes", repr(size), "a whole number")
               for size in table.get("training-set-sizes", ()) if not isinstance(size, int)]
    faults += [Fault(f"{where}, phases", f"{part} = {size!r}", f"{', '.join(PHASES)}, each a whole number")
               for part, size in table.get("phases", {}).items() if part not in PHASES or not isinstance(size, int)]
    faults += [Fault(f"{where}, folds", repr(scheme), "random-10, stratified-10, grouped-8, blocks-10-5 or alone")
               for scheme in table.get("folds", ()) if not isinstance(scheme, str) or not is_scheme(scheme)]
    choices = set(known) - {"dataset", "name", "ours", "note", "kind"}
    faults += [Fault(f"{where}, ours", repr(key), f"one of {', '.join(sorted(choices))}")
               for key in table.get("ours", ()) if key not in choices]
    return faults
