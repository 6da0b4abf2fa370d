"""A user's own method, from a file or from a module on the path."""

from __future__ import annotations

import difflib
import hashlib
import importlib
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from benchbook.errors import BenchbookError, shortened
from benchbook.methods.base import Method, refuse_faulty
from benchbook.stopping import guarded

_files: dict[Path, tuple[tuple[int, int], ModuleType]] = {}


def load(spec: str) -> Method:
    """The method that "path/to/mine.py:name", "path/to/mine.py" or "pkg.module:name" stands for.

    A scikit-learn estimator object is taken as a method of its name (see ``from_estimator``), and so is a dict of such
    by the levels of quantiles (``from_quantiles``).

    Raises:
        BenchbookError: no such file, module or name, an error while importing it, or not a method.
    """
    place, name = (spec, "") if spec.endswith(".py") else spec.rpartition(":")[::2]
    with guarded(lambda error: error if isinstance(error, BenchbookError) else _cannot_import(spec, error)):
        module = _from_file(Path(os.path.expanduser(place))) if place.endswith(".py") else _from_path(place)
        thing = _pick(module, name, place) if name else _the_only_one(module, place)
        return _as_method(thing, name, spec)


def _from_file(path: Path) -> ModuleType:
    """Import a file, again when it has changed since; its folder is on the path, last once it is imported."""
    try:
        there = path.is_file()
    except OSError as error:
        raise BenchbookError(f"no such file: {shortened(str(path))} ({error.strerror})") from error
    if not there:
        raise BenchbookError(f"no such file: {path} (looked from {Path.cwd()})")
    path = path.resolve()
    state = (path.stat().st_mtime_ns, path.stat().st_size)
    if path in _files and _files[path][0] == state:
        return _files[path][1]
    module = ModuleType(f"benchbook_method_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    folder = str(path.parent)
    sys.path.insert(0, folder)
    try:
        with guarded(lambda error: _cannot_import(str(path), error)):
            exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)
    except BaseException:
        del sys.modules[module.__name__]
        raise
    finally:
        sys.path.remove(folder)
    if folder not in sys.path:
        sys.path.append(folder)  # for what the method imports while it runs
    _files[path] = (state, module)
    return module


def _from_path(name: str) -> ModuleType:
    if not name or name.startswith("."):
        raise BenchbookError(f"{name!r} is no name of a module; write package.module:name, or path/to/file.py:name")
    with guarded(lambda error: _cannot_import(name, error)):
        return importlib.import_module(name)


def _cannot_import(place: str, error: BaseException) -> BenchbookError:
    if isinstance(error, ModuleNotFoundError) and error.name and f"{place}.".startswith(f"{error.name}."):
        return BenchbookError(f"no module {place!r} on the path (no {error.name!r}); for a file write "
                              "path/to/file.py:name")
    last = shortened(traceback.format_exception_only(error)[-1].strip(), 1000)
    if isinstance(error, SyntaxError):
        return BenchbookError(f"cannot import {place}: {last} (line {error.lineno})")
    line = next((f.lineno for f in reversed(traceback.extract_tb(error.__traceback__)) if f.filename == place), None)
    return BenchbookError(f"cannot import {place}: {last}" + (f" (line {line})" if line else ""))


def _pick(module: ModuleType, name: str, place: str) -> Any:
    if hasattr(module, name):
        return getattr(module, name)
    names = [own for own in vars(module) if not own.startswith("_")]
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.4) or sorted(_methods_of(module))
    hint = f"nearest names in it: {', '.join(near)}" if near else "it defines no method"
    raise BenchbookError(f"no name {name!r} in {place}; {hint}")


def _the_only_one(module: ModuleType, place: str) -> Any:
    found = _methods_of(module)
    if len(found) != 1:
        which = f"methods in it: {', '.join(sorted(found))}" if found else "it defines no method"
        raise BenchbookError(f"say which method of {place} is meant, as {place}:name; {which}")
    return next(iter(found.values()))


def _methods_of(module: ModuleType) -> dict[str, Method]:
    return {name: thing for name, thing in vars(module).items()
            if isinstance(thing, Method) and not isinstance(thing, type)}


def _as_method(thing: Any, name: str, spec: str) -> Method:
    if isinstance(thing, type):
        raise BenchbookError(f"{spec} is a class; make an object of it, `mine = {thing.__name__}()`, and name that")
    if isinstance(thing, Method):
        refuse_faulty(thing)
        return thing
    if hasattr(thing, "fit") and hasattr(thing, "get_params"):
        from benchbook.methods.estimators import from_estimator

        return from_estimator(name.replace("_", "-"), thing)
    if isinstance(thing, dict) and thing and all(isinstance(level, float) for level in thing):
        from benchbook.methods.quantile_estimators import from_quantiles

        return from_quantiles(name.replace("_", "-"), thing)
    if callable(thing):
        raise BenchbookError(
            f"{spec} is a plain function; put `@methods.method(name={name.replace('_', '-')!r}, kinds={{'real'}})` "
            "above it"
        )
    raise BenchbookError(
        f"{spec} is not a method but {type(thing).__name__}; a method has name, description, kinds and "
        "predict(instance, rng): see `benchbook.methods.method`"
    )
