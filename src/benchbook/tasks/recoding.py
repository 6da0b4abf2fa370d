"""A task instance in the encoding that a method asks for: the same cases and targets, in other numbers.

In DELVE a method declares its encoding. A method that declares none gets that of the task, DELVE's defaults with the
prototask's exceptions. Losses are on the scale of the data, so that methods with different encodings are compared pair
by pair, and an instance has one digest whatever its encoding.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from benchbook import datasets
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.tasks.cases import Cases, target_faults
from benchbook.tasks.encodings import LEGAL, Coding, coding
from benchbook.tasks.task import Task
from benchbook.tasks.task_instance import TaskInstance, build

RAW = "copy"
_FORM = (
    "write copy, or attribute=encoding with ; between them, for example theta1=copy;theta2=nm-sqr"
)


def encoding_text(encoding: str | Mapping[str, str]) -> str:
    """An encoding as one text: "copy", "attribute=encoding;attribute=encoding", or "" for that of the task.

    Args:
        encoding: such a text, or encodings by attribute; a pattern such as ``theta*`` stands for all that match it.

    Raises:
        BenchbookError: a part of it is no attribute=encoding.
    """
    if not isinstance(encoding, str):
        encoding = ";".join(f"{name}={text}" for name, text in encoding.items())
    parts = [part.strip() for part in encoding.split(";") if part.strip()]
    for part in parts:
        name, sign, text = part.partition("=")
        if parts != [RAW] and not (sign and name.strip() and text.strip()):
            raise BenchbookError(
                f"encoding {encoding!r}: {part!r} is no attribute=encoding; {_FORM}"
            )
    return ";".join(parts)


def recoded(task: Task, number: int, encoding: str) -> TaskInstance:
    """Instance ``number`` of a task in an encoding of a method's own; its digest is that of the task's instance.

    Args:
        task: the task.
        number: of the instance, from 0.
        encoding: as ``encoding_text`` gives it. "copy" leaves all numbers as they are in the data, the target among
            them; attributes whose values are words keep the encoding of the task.

    Raises:
        FaultyInput: attributes that the task does not have, encodings that they cannot have; all of them.
        BenchbookError: no such instance, or a partition of PROBEN1, whose files hold encoded values only.
    """
    own = task.instance(number)
    if not encoding:
        return own
    if task.prototask.kind == "outputs":
        raise BenchbookError(
            f"{task.name} cannot be encoded as {encoding}: PROBEN1's files hold encoded values only"
        )
    cases = replace(task.cases, codings=_codings(task.cases, encoding_text(encoding)))
    return replace(build(cases, task.name, task.split(), number), digest=own.digest)


def _codings(cases: Cases, encoding: str) -> Mapping[str, Coding]:
    """The codings of the attributes of a task with those that are asked for in place of its own."""
    prototask = cases.prototask
    names = [*prototask.inputs, *([prototask.target] if prototask.kind == "real" else [])]
    attributes = {one.name: one for one in datasets.card(prototask.dataset).attributes}
    chosen, faults = dict(cases.codings), []
    for pattern, text in _asked(encoding, cases, names):
        meant = [pattern] if pattern in names else fnmatch.filter(names, pattern)
        if not meant:
            rule = f"one of {', '.join(names)}"
            faults.append(Fault("encoding", f"no attribute {pattern!r} to encode", rule))
        for name in meant:
            chosen[name], wrong = coding(attributes[name], text)
            faults += wrong
    if prototask.kind == "real":
        faults += target_faults(prototask, chosen[prototask.target])
    if faults:
        raise FaultyInput(f"encoding {encoding!r} on {prototask.path}", faults)
    return MappingProxyType(chosen)


def _asked(encoding: str, cases: Cases, names: list[str]) -> list[tuple[str, str]]:
    """Pairs of attribute, or pattern, and encoding."""
    if encoding != RAW:
        return [
            (name.strip(), text.strip())
            for name, _, text in (part.partition("=") for part in encoding.split(";"))
        ]
    numeric = [name for name in names if not _words(cases.codings[name])]
    return [(name, RAW) for name in numeric if RAW in LEGAL[cases.codings[name].nature]]


def _words(chosen: Coding) -> bool:
    """Whether an attribute has values that are no numbers."""
    try:
        list(map(float, chosen.values))
    except ValueError:
        return True
    return False
