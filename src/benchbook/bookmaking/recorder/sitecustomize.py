"""Write down what a Python process reads, so that a page is executed again when any of it has changed.

Python runs a module of this name when it starts and finds one on its path. The kernel of a page has this folder on its
path, and so has every Python process that the kernel starts. Each thing that is read is a line, once a process, in the
file that ``BENCHBOOK_READS`` names: a list in JSON with the kind of thing and its name. The kinds are

* ``file``: opened for reading, code included, or named in the command line of another program;
* ``folder``: its contents were listed;
* ``part``: what a reader of this package took from files that others take other parts of, with the kind of part and
  what was found; see ``benchbook.reading``, which says it. Data that such a reader reads itself does not count.

Files that are read by compiled code do not show here. Of the libraries in use that is polars, whose readers are told
apart below; what a program in another language reads shows only when its command line names it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

_WRITES = os.O_WRONLY | os.O_RDWR
_READERS = ("read_", "scan_")
_IMPORTERS = ("importlib._bootstrap_external", "importlib.metadata")


class _Recorder:
    """An audit hook that appends to a file."""

    def __init__(self, path: str) -> None:
        self.file = _appending(path)
        self.seen: set[tuple[str, ...]] = set()
        self.in_parts: Counter[int] = Counter()
        self.actions: dict[str, Callable[..., None]] = {
            "open": self.opened,
            "os.listdir": self.listed,
            "os.scandir": self.listed,
            "sqlite3.connect": self.connected,
            "subprocess.Popen": self.started,
            "os.posix_spawn": self.started,
            "benchbook.part": self.part,
            "benchbook.in_parts": self.turned,
        }

    def move(self, path: str) -> None:
        """Write into another file, first what was seen so far."""
        os.close(self.file)
        self.file = _appending(path)
        os.write(self.file, b"".join(map(_as_line, self.seen)))

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if (action := self.actions.get(event)) is not None:
            action(*arguments)

    def write(self, *line: str) -> None:
        if self.in_parts[threading.get_ident()] and not line[-1].endswith((".py", ".pyc")):
            return
        if line not in self.seen:
            self.seen.add(line)
            os.write(self.file, _as_line(line))

    def opened(self, path: Any, mode: str | None, flags: int) -> None:
        if isinstance(path, int) or not (_reads(mode) if mode else not flags & os.O_WRONLY):
            return
        self.write("file", _absolute(path))

    def listed(self, path: Any = None, *_: Any) -> None:
        # The import system lists the folders that it looks into; what it finds there it opens.
        if (
            not isinstance(path, int)
            and sys._getframe(2).f_globals.get("__name__") not in _IMPORTERS
        ):
            self.write("folder", _absolute(path or "."))

    def connected(self, database: Any, *_: Any) -> None:
        if not isinstance(database, int):
            self.opened(database, "r", 0)

    def started(self, program: Any, words: Iterable[Any], folder: Any = None, *_: Any) -> None:
        for word in [words] if isinstance(words, str | bytes | os.PathLike) else words:
            for name in {os.fsdecode(word), *os.fsdecode(word).split()}:
                path = os.path.join(folder if isinstance(folder, str | os.PathLike) else "", name)
                if os.path.isfile(path):
                    self.write("file", _absolute(path))

    def part(self, kind: str, name: str, value: str) -> None:
        self.write("part", kind, name, value)

    def turned(self, begun: bool) -> None:
        self.in_parts[threading.get_ident()] += 1 if begun else -1


def _appending(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)


def _as_line(thing: tuple[str, ...]) -> bytes:
    return json.dumps(thing).encode() + b"\n"


def _reads(mode: str) -> bool:
    return "r" in mode or "+" in mode


def _absolute(path: Any) -> str:
    return os.path.abspath(os.fsdecode(path))


class _TellingPolars:
    """Finds polars for the import system, and makes its readers say which file they open."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "polars":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_wrap(module: Any) -> None:
                execute(module)
                for reader in [reader for reader in vars(module) if reader.startswith(_READERS)]:
                    setattr(module, reader, _telling(getattr(module, reader)))

            spec.loader.exec_module = execute_and_wrap  # type: ignore[method-assign]
        return spec


def _telling(reader: Any) -> Any:
    import functools

    @functools.wraps(reader)
    def tell(source: Any, *arguments: Any, **options: Any) -> Any:
        for item in source if isinstance(source, list | tuple) else [source]:
            if isinstance(item, str | os.PathLike):
                _tell(os.fspath(item))
        return reader(source, *arguments, **options)

    return tell


def _tell(path: Any) -> None:
    import glob

    for name in (
        [path] if os.path.isfile(path) else glob.glob(path, recursive=True)
    ):  # to glob is to list folders
        if os.path.isdir(name):
            os.listdir(name)
        sys.audit("open", name, "rb", 0)


def record(path: str) -> _Recorder:
    """Write into a file, from now on, what this process reads."""
    recorder = _Recorder(path)
    sys.addaudithook(recorder)
    sys.meta_path.insert(0, _TellingPolars())
    return recorder


if _path := os.environ.get("BENCHBOOK_READS"):
    record(_path)
