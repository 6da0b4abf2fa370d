"""What can be wrong with a plan, every fault of it at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from glob import escape
from typing import Any

from benchbook import losses, methods, tasks
from benchbook.archive.archive import Archive
from benchbook.archive.merged import archive_path
from benchbook.errors import BenchbookError, Fault
from benchbook.losses.own import OwnLoss
from benchbook.rules import is_positive, is_whole

_NAMES = "a list of names in quotes, not empty"


def faults_of(given: Mapping[str, Any]) -> list[Fault]:
    """Every fault of the fields that are given."""
    checks: dict[str, Callable[[Any], list[Fault]]] = {
        "name": lambda value: _wrong(
            "name",
            value,
            isinstance(value, str) and value.isprintable() and value != "",
            "a printable text, not empty",
        ),
        "seed": lambda value: _wrong(
            "seed", value, is_whole(value) and value < 2**63, "a whole number from 0 on"
        ),
        "methods": _method_faults,
        "tasks": _task_faults,
        "losses": lambda value: [] if value is None else _loss_faults(value),
        "instances": _instance_faults,
        "title": lambda value: _wrong("title", value, isinstance(value, str), "a text"),
        "question": lambda value: _wrong("question", value, isinstance(value, str), "a text"),
        "budget_seconds": lambda value: _wrong(
            "budget.seconds",
            value,
            value is None or (_number(value) and value > 0),
            "a number above 0",
        ),
    }
    faults = [
        fault for name, check in checks.items() if name in given for fault in check(given[name])
    ]
    return faults or [
        *_absent_instances(given),
        *_useless_losses(given),
        *_losses_of_methods(given),
    ]


def _wrong(where: str, value: object, fine: bool, rule: str) -> list[Fault]:
    return [] if fine else [Fault(where, repr(value), f"must be {rule}")]


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _names(where: str, value: object, check: Callable[[str], Any]) -> list[Fault]:
    """A fault for every name that is no text or that ``check`` refuses."""
    if not isinstance(value, list | tuple) or not value:
        return [Fault(where, repr(value), f"must be {_NAMES}")]
    faults = []
    checked = set()
    for number, name in enumerate(value):
        if not isinstance(name, str):
            faults.append(Fault(f"{where}[{number}]", repr(name), "must be a name in quotes"))
            continue
        if name in checked:
            continue
        checked.add(name)
        try:
            check(name)
        except BenchbookError as error:
            faults.append(Fault(f"{where}[{number}]", repr(name), str(error)))
    return faults


def _method_faults(value: object) -> list[Fault]:
    named: dict[str, str] = {}

    def check(spec: str) -> None:
        name = methods.declared(spec).name
        if spec != name:
            _refuse_archived(name, spec)
        if named.setdefault(name, spec) != spec:
            raise BenchbookError(
                f"a method called {name!r} is there already, from {named[name]!r}; rename one of them"
            )

    return _names("methods", value, check)


def _refuse_archived(name: str, spec: str) -> None:
    """Refuse a method of one's own with the name of a method of the book's archive that comes from elsewhere.

    Raises:
        BenchbookError: its runs would be taken for those.
    """
    own = _origin(methods.identity(spec))
    if any(_origin(text) != own for text in _archived(str(archive_path()), name)):
        raise BenchbookError(
            f"{spec} is called {name!r}, and so is a method in the book's archive; give it another "
            "name"
        )


@lru_cache(maxsize=256)
def _archived(archive: str, name: str) -> frozenset[str]:
    """The identities of the archived runs of a method of that name."""
    return frozenset(Archive(archive).records(methods=[escape(name)])["identity"])


def _origin(text: str) -> str:
    """An identity without its digests: where a method is from, however its text has changed."""
    return " ".join(word for word in text.split() if not re.fullmatch(r"[0-9a-f]{16}", word))


def _task_faults(value: object) -> list[Fault]:
    return _names("tasks", value, tasks.available)


def _loss_faults(value: object) -> list[Fault]:
    def check(code: str) -> None:
        if losses.get(code).is_set:
            raise BenchbookError(
                "this loss is one number for a whole test set; a plan needs losses of single cases"
            )

    return _names("losses", value, check)


def _instance_faults(value: Any) -> list[Fault]:
    rule = "a whole number from 1 on, or a list of different whole numbers from 0 on"
    if value is None or is_positive(value):
        return []
    fine = (
        isinstance(value, list | tuple | range)
        and len(value) > 0
        and all(is_whole(item) for item in value)
    )
    return _wrong("instances", value, fine and len(set(value)) == len(value), rule)


def _absent_instances(given: Mapping[str, Any]) -> list[Fault]:
    """A fault for every instance number that no task of the plan has."""
    numbers: Iterable[int] = given.get("instances") or ()
    if isinstance(numbers, int) or "tasks" not in given:
        return []
    count = max(
        tasks.get(name).instances
        for pattern in set(given["tasks"])
        for name in tasks.available(pattern)
    )
    return [
        Fault(
            f"instances[{index}]",
            str(number),
            f"no task of this plan has it; they have at most {count}",
        )
        for index, number in enumerate(numbers)
        if number >= count
    ]


def _losses_of_methods(given: Mapping[str, Any]) -> list[Fault]:
    """A fault for every loss from a file that a method is from: losses are the judge's, and no method's."""
    specs = [spec for spec in given.get("methods") or () if methods.from_outside(spec)]
    files = {
        file.resolve()
        for spec in specs
        if (file := methods.source_file(methods.declared(spec))) is not None
    }
    named = {code: losses.get(code) for code in given.get("losses") or ()}
    return [
        Fault(
            "losses",
            code,
            f"{loss.file.name} has a method of this plan too; scores are made where losses are, "
            "and no method's file may be there: put the loss into a file of its own",
        )
        for code, loss in named.items()
        if isinstance(loss, OwnLoss) and loss.file.resolve() in files
    ]


def _useless_losses(given: Mapping[str, Any]) -> list[Fault]:
    """A fault for every task that is left without a loss, as none is for its target."""
    codes: Iterable[str] = given.get("losses") or ()
    if not codes or "tasks" not in given:
        return []
    names = {name for pattern in set(given["tasks"]) for name in tasks.available(pattern)}
    kinds = {name: tasks.get(name).prototask.kind for name in sorted(names)}
    suited = {
        kind: any(losses.get(code).suits(kind) for code in codes) for kind in set(kinds.values())
    }
    return [
        Fault("losses", ", ".join(codes), f"one at least for the {kind} target of {name}")
        for name, kind in kinds.items()
        if not suited[kind]
    ]
