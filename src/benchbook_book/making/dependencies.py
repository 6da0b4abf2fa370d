"""What an executed page depends on, and whether all of that is still as it was.

A page is kept while its code, the installed libraries, the modules that it had loaded at its end, the files of the
checkout that it opened, the published files that it looked for and found or did not, and the runs that it asked
archives for are the same. A page in which other Python processes took part, or whose kernel was not forked, depends on
the whole package, all data and the helpers beside it.
"""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from benchbook import files
from benchbook.datasets import lookup
from benchbook.studies import Archive, Choice
from benchbook_book.making import inputs

_MADE_HERE = ("_build", ".git", ".venv")
_ANY = "*"
_EVERYTHING = ("src/benchbook", "src/benchbook_book", "data")


@dataclass(frozen=True)
class Record:
    """What a page was made from: its code, the conditions, and by kind and name the state of all it depends on.

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


class Present:
    """The state that things have now, each looked up once.

    Args:
        root: the checkout, from which names are counted.
        since: seconds since the epoch; a file that has changed after that has no state that could be relied on.
    """

    def __init__(self, root: Path, since: float = float("inf")) -> None:
        self.root, self._since = root, since
        self.state = functools.cache(self._state)

    def _state(self, kind: str, name: str) -> str:
        """Equal texts mean that nothing has changed."""
        if kind == "data":
            if name == _ANY:
                return "\n".join(inputs.at_hand())
            return "absent" if lookup.place(name) is None else "at hand"
        if kind == "archive":
            folder, *asked = json.loads(name)
            paths = Archive(self.root / folder).files_meant(Choice(*asked))
            names = [path.relative_to(self.root).as_posix() for path in paths]
        elif kind == "folder":
            paths = [path for path in inputs.tree(self.root / name) if path.suffix != ".pyc"]
            names = [path.relative_to(self.root).as_posix() for path in paths]
        else:
            return self._of_file(self.root / name)
        states = "\n".join(f"{name} {self.state('file', name)}" for name in names)
        return hashlib.sha256(states.encode()).hexdigest()

    def _of_file(self, path: Path) -> str:
        try:
            changed = path.stat().st_mtime >= self._since
            return "changed" if changed else hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError:
            return "absent"

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
                f"{kind} {name} has changed"
                for kind, names in record.read.items()
                for name, state in names.items()
                if self.state(kind, name) != state
            ),
            "",
        )


def gathered(trace: Path, page: Path, present: Present) -> dict[str, dict[str, str]]:
    """The state by kind and name of all that a page depends on, as its kernel has written it into ``trace``."""
    root = present.root
    try:
        noted = json.loads(trace.read_text(encoding="utf8"))
    except OSError:  # the kernel was not forked
        noted = {"file": [], "archive": [], "data": [], "processes": [""]}
    archives = {}
    for asked in noted["archive"]:
        folder, *choice = json.loads(asked)
        if name := _below(root, folder):
            archives[json.dumps([name, *choice])] = f"{name}/"
    inside = tuple(set(archives.values()))
    names = {name for file in noted["file"] if (name := _below(root, file))}
    read = {
        "file": {name for name in names if not name.startswith(inside)},
        "archive": set(archives),
        "data": set(noted["data"]),
    }
    if "processes" in noted:
        read["folder"] = set(_EVERYTHING)
        read["data"] = {_ANY}
        read["file"].update(
            helper.relative_to(root).as_posix() for helper in page.parent.glob("*.py")
        )
    return {
        kind: {name: present.state(kind, name) for name in sorted(names)}
        for kind, names in read.items()
        if names
    }


def _below(root: Path, name: str) -> str:
    """The name of a file counted from the checkout; empty for what is elsewhere, was compiled or was made here."""
    path = Path(name)
    if not path.is_relative_to(root) or path.suffix == ".pyc":
        return ""
    inner = path.relative_to(root)
    made_here = inner.parts[:1] and inner.parts[0] in _MADE_HERE
    return "" if made_here or ".ipynb_checkpoints" in inner.parts else inner.as_posix()
