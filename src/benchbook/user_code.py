"""Files and modules of a user's: importing them, and seeing to it that they leave this package as it is."""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from benchbook.errors import BenchbookError, shortened
from benchbook.stopping import guarded

_files: dict[Path, tuple[tuple[int, int], ModuleType]] = {}
_OWN, _WATCHED = ("benchbook", "benchbook_book"), ("numpy", "scipy.special", "scipy.stats")
_SHOWN = 3


class Tampering(BenchbookError):
    """Code of a user's has changed a function or a class of this package, or one that its losses stand on."""


def named_in(spec: str) -> tuple[ModuleType, str]:
    """The module that "path/to/mine.py:name" or "pkg.module:name" is in, and the name; "" for a file alone."""
    path, name = (spec, "") if spec.endswith(".py") else spec.rpartition(":")[::2]
    if path.endswith(".py"):
        return from_file(Path(os.path.expanduser(path))), name
    return from_path(path), name


def objects_of(module: ModuleType, kind: Any) -> dict[str, Any]:
    """The objects of a class that a module has, by their names in it."""
    return {
        name: thing
        for name, thing in vars(module).items()
        if isinstance(thing, kind) and not isinstance(thing, type | ModuleType)
    }


def from_file(path: Path) -> ModuleType:
    """Import a file, again when it has changed since; its folder is on the path, last once it is imported."""
    try:
        present = path.is_file()
    except OSError as error:
        raise BenchbookError(f"no such file: {shortened(str(path))} ({error.strerror})") from error
    if not present:
        raise BenchbookError(f"no such file: {path} (looked from {Path.cwd()})")
    path = path.resolve()
    state = (path.stat().st_mtime_ns, path.stat().st_size)
    if path in _files and _files[path][0] == state:
        return _files[path][1]
    module = ModuleType(f"benchbook_user_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}")
    module.__file__ = str(path)
    source = path.read_bytes()
    if b"\0" in source:
        line = source[: source.index(b"\0")].count(b"\n") + 1
        raise BenchbookError(f"cannot import {path}: a zero byte (line {line}); a module is text")
    sys.modules[module.__name__] = module
    folder = str(path.parent)
    sys.path.insert(0, folder)
    try:
        with guarded(lambda error: cannot_import(str(path), error)), untouched(str(path)):
            exec(compile(source, str(path), "exec"), module.__dict__)
    except BaseException:
        del sys.modules[module.__name__]
        raise
    finally:
        sys.path.remove(folder)
    if folder not in sys.path:
        sys.path.append(folder)  # for what the method imports while it runs
    _files[path] = (state, module)
    return module


def from_path(name: str) -> ModuleType:
    if not name or name.startswith("."):
        raise BenchbookError(
            f"{name!r} is no name of a module; write package.module:name, or path/to/file.py:name"
        )
    with guarded(lambda error: cannot_import(name, error)), untouched(name):
        return importlib.import_module(name)


def cannot_import(place: str, error: BaseException) -> BenchbookError:
    if isinstance(error, Tampering):
        return error
    if (
        isinstance(error, ModuleNotFoundError)
        and error.name
        and f"{place}.".startswith(f"{error.name}.")
    ):
        return BenchbookError(
            f"no module {place!r} on the path (no {error.name!r}); for a file write "
            "path/to/file.py:name"
        )
    last = shortened(traceback.format_exception_only(error)[-1].strip(), 1000)
    if isinstance(error, SyntaxError):
        return BenchbookError(f"cannot import {place}: {last} (line {error.lineno})")
    line = next(
        (
            f.lineno
            for f in reversed(traceback.extract_tb(error.__traceback__))
            if f.filename == place
        ),
        None,
    )
    return BenchbookError(f"cannot import {place}: {last}" + (f" (line {line})" if line else ""))


@contextmanager
def untouched(place: str) -> Iterator[None]:
    """Refuse code that replaces a function or a class of this package, or of NumPy, while it is imported.

    What would change how predictions are scored would change it for every method; it need not be meant so. The change
    is taken back.

    Args:
        place: the code, for the message.

    Raises:
        Tampering: it did; the message says what.
    """
    before = _state()
    try:
        yield
    finally:
        changed = [
            name
            for name, (holder, key, thing, code) in before.items()
            if vars(holder).get(key) is not thing or _code(thing) is not code
        ]
        for name in changed:
            _take_back(*before[name])
    if changed:
        more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
        raise Tampering(
            f"{place} replaces {', '.join(changed[:_SHOWN])}{more}; a method or a loss is added by its "
            "decorator, and changes nothing that is there"
        )


def _state() -> dict[str, tuple[Any, str, Any, Any]]:
    """Functions and classes, and those of classes, by name: what holds each, under which key, itself, its code."""
    state: dict[str, tuple[Any, str, Any, Any]] = {}
    for name, module in list(sys.modules.items()):
        if not isinstance(module, ModuleType) or not (
            name in _WATCHED or name.partition(".")[0] in _OWN
        ):
            continue
        for key, thing in list(vars(module).items()):
            if not callable(thing):
                continue
            state[f"{name}.{key}"] = module, key, thing, _code(thing)
            if isinstance(thing, type) and thing.__module__ == name and name not in _WATCHED:
                state |= {
                    f"{name}.{key}.{inner}": (thing, inner, value, _code(value))
                    for inner, value in list(vars(thing).items())
                    if callable(value) or isinstance(value, property | classmethod | staticmethod)
                }
    return state


def _code(thing: object) -> CodeType | None:
    return thing.__code__ if isinstance(thing, FunctionType) else None


def _take_back(holder: object, key: str, thing: object, code: Any) -> None:
    if isinstance(thing, FunctionType):
        thing.__code__ = code
    setattr(holder, key, thing)
