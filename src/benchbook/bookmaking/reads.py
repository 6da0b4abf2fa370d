"""What an executed page has read, and whether all of that is still as it was.

A page is kept while its code is the same, the installed libraries are the same, and everything that was read while it
was executed is the same: modules of the package, helpers beside the page, files of the archive, cards, and which
published files were at hand. What was read is written down by the processes that read it (``recorder``), so that
nothing has to be declared, and a module that is imported by a name computed at run time counts like any other.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchbook import files
from benchbook.bookmaking.exercise_list import listed
from benchbook.datasets import lookup, registry
from benchbook.studies import Archive
from benchbook.studies.frames import Choice
from benchbook.tasks import registry as prototasks

_RECORDER = Path(__file__).with_name("recorder")
_CHECKOUT = Path(__file__).resolve().parents[3]
_SYSTEM = (
    "/bin",
    "/dev",
    "/etc",
    "/lib",
    "/lib64",
    "/opt",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/var",
)
_MADE_HERE = ("_build", ".git", ".venv")
_LEFT_OVER = ("__pycache__", ".ipynb_checkpoints")
ABSENT = "absent"
UNSTEADY = "changed while the page was executed"


@dataclass(frozen=True)
class Record:
    """What a page was made from: its code, the conditions, and by kind and name the state of all it has read.

    ``entry`` says where its outputs are kept, for pages that are kept in a cache.
    """

    code: str
    conditions: str
    read: dict[str, dict[str, str]]
    entry: str = ""

    def write(self, path: Path) -> None:
        """Keep the record."""
        with files.atomic(path) as scratch:
            scratch.write_text(json.dumps(asdict(self)), encoding="utf8")


def recall(path: Path) -> Record | None:
    """The record that was kept there, None when there is none that can be read."""
    try:
        return Record(**json.loads(path.read_text(encoding="utf8")))
    except (OSError, ValueError, TypeError):
        return None


def recording(environment: Mapping[str, str], trace: Path) -> dict[str, str]:
    """The environment for a Python process that writes what it reads into ``trace``, as do the processes it starts."""
    trace.parent.mkdir(parents=True, exist_ok=True)
    trace.unlink(missing_ok=True)
    paths = [str(_RECORDER), *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    return {**environment, "BENCHBOOK_READS": str(trace), "PYTHONPATH": os.pathsep.join(paths)}


class Present:
    """The state that things have now, each looked up once; several threads may ask.

    Args:
        root: the checkout, from which names are counted.
        since: seconds since the epoch; what has changed after that has no state that could be relied on.
    """

    def __init__(self, root: Path, since: float = float("inf")) -> None:
        self.root = root
        self._since = since
        self._known = functools.cache(self._state)
        self.place = functools.cache(lambda kind, name: _WITH_A_PLACE[kind](name, root))

    def state(self, kind: str, name: str) -> str:
        """The state of a thing: equal texts mean that nothing has changed."""
        return (
            UNSTEADY
            if kind == "file" and self._changed(self.root / name)
            else self._known(kind, name)
        )

    def _changed(self, path: Path) -> bool:
        """Whether a file is younger than ``since``; it may have become so after it was looked up."""
        try:
            return os.stat(path).st_mtime >= self._since
        except OSError:
            return False

    def _state(self, kind: str, name: str) -> str:
        if kind == "file":
            return self._of_file(self.root / name)
        if kind == "folder":
            return self._of_folder(self.root / name)
        if kind == "archive":
            return self._of_runs(*json.loads(name))
        part = _part(kind, name)
        return part if isinstance(part, str) else _digest(repr(part))

    def _of_file(self, path: Path) -> str:
        try:
            state = hashlib.sha256(path.read_bytes()).hexdigest()
            return UNSTEADY if self._changed(path) else state
        except OSError:
            return ABSENT

    def _of_folder(self, path: Path) -> str:
        try:
            return _digest("\n".join(sorted(filter(_counts, os.listdir(path)))))
        except OSError:
            return ABSENT

    def _of_runs(self, folder: str, *asked: Any) -> str:
        """Of the files of an archive that hold the runs that were asked for."""
        location = self.root / folder
        paths = [
            path.relative_to(location) for path in Archive(location).files_meant(Choice(*asked))
        ]
        names = [f"{folder}/{path.as_posix()}" for path in paths]
        return _digest("\n".join(f"{name} {self.state('file', name)}" for name in names))

    def differs(self, record: Record | None, code: str, conditions: str) -> str:
        """What is no longer as a record says, in words; empty when the page can be kept."""
        if record is None:
            return "it is new"
        if record.code != code:
            return "its code has changed"
        if record.conditions != conditions:
            return "the installed libraries have changed"
        return next(
            (
                f"{name} has changed"
                if kind in ("file", "folder")
                else f"{kind} {name} has changed"
                for kind, names in record.read.items()
                for name, state in names.items()
                if self.state(kind, name) != state
            ),
            "",
        )


def gathered(trace: Path, present: Present) -> dict[str, dict[str, str]]:
    """The state by kind and name of all that was read by the processes that wrote into ``trace``."""
    read: dict[str, dict[str, str]] = {}
    for line in trace.read_text(encoding="utf8").splitlines():
        kind, name, *more = json.loads(line)
        kind, name, value = (name, *map(str, more)) if kind == "part" else (kind, name, "")
        index = present.place(kind, name) if kind in _WITH_A_PLACE else name
        if index is not None:
            state = value or present.state(kind, index)
            if read.setdefault(kind, {}).setdefault(index, state) != state:
                read[kind][index] = UNSTEADY
    return {kind: dict(sorted(names.items())) for kind, names in sorted(read.items())}


def _place(name: str, root: Path) -> str | None:
    """The name of a file below the checkout, or in full; None for what belongs to the system or was made here."""
    path = Path(_source(name))
    if path.is_relative_to(root):
        inner = path.relative_to(root)
        ours = inner.parts[:1] and inner.parts[0] in _MADE_HERE
        return None if ours or not all(map(_counts, inner.parts)) else inner.as_posix()
    foreign = (*_SYSTEM, *_pythons(), tempfile.gettempdir(), os.path.expanduser("~/."))
    near = path.relative_to(_CHECKOUT).parts[:1] if path.is_relative_to(_CHECKOUT) else ()
    ours = near and near[0] not in _MADE_HERE  # wherever the checkout lies
    return path.as_posix() if ours or not str(path).startswith(foreign) else None


def _archive(asked: str, root: Path) -> str | None:
    """What was asked of an archive, with the folder of the archive as ``_place`` has it."""
    folder, *choice = json.loads(asked)
    path = _place(folder, root)
    return None if path is None else json.dumps([path, *choice])


_WITH_A_PLACE = {"file": _place, "folder": _place, "archive": _archive}


@functools.cache
def _pythons() -> tuple[str, ...]:
    return tuple(
        {
            sys.prefix,
            sys.base_prefix,
            *(os.path.realpath(path) for path in (sys.prefix, sys.base_prefix)),
        }
    )


def _source(name: str) -> str:
    """The module that a compiled one was made from, any other file as it is."""
    try:
        return importlib.util.source_from_cache(name) if name.endswith(".pyc") else name
    except ValueError:
        return name


def _counts(name: str) -> bool:
    """Whether a file is more than what tools leave behind."""
    return name not in _LEFT_OVER and not name.endswith((".part", ".pyc"))


def _part(kind: str, name: str) -> Any:
    """What a reader that takes parts of a file would find now; see ``benchbook.reading``."""
    if kind == "datasets":
        return registry.published() if name == "names" else registry.partitioned()
    if kind == "card":
        return [each.get(name) for each in registry.cards()]
    if kind == "tasks":
        ours = set(
            registry.published()
        )  # a page need not be made again because somebody added data of their own
        return {
            task: part
            for task, part in prototasks.names().items()
            if task.partition("/")[0] in ours
        }
    if kind == "prototask":
        return [each.get(name) for each in prototasks.declared()]
    if kind == "exercises":
        return listed()
    if kind == "published":
        return "at hand" if lookup.place(name) else "missing"
    raise LookupError(
        f"a part of the kind {kind!r} was read, and nobody knows how to look it up again"
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
