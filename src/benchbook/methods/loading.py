"""A user's own method, from a file or from a module on the path."""

from __future__ import annotations

import difflib
from types import ModuleType
from typing import Any

from benchbook.errors import BenchbookError
from benchbook.methods.base import Method, refuse_faulty
from benchbook.methods.estimators import from_estimator
from benchbook.methods.quantile_estimators import from_quantiles
from benchbook.stopping import guarded
from benchbook.user_code import cannot_import, named_in, objects_of


def load(spec: str) -> Method:
    """The method that "path/to/mine.py:name", "path/to/mine.py" or "pkg.module:name" stands for.

    A scikit-learn estimator object is taken as a method of its name (see ``from_estimator``), and so is a dict of such
    by the levels of quantiles (``from_quantiles``).

    Raises:
        BenchbookError: no such file, module or name, an error while importing it, or not a method.
    """
    thing, name = load_object(spec)
    with guarded(
        lambda error: error if isinstance(error, BenchbookError) else cannot_import(spec, error)
    ):
        return _as_method(thing, name, spec)


def load_object(spec: str) -> tuple[Any, str]:
    """What a spec as of ``load`` stands for, whatever it is, and its name in its module.

    Raises:
        BenchbookError: no such file, module or name, or an error while importing it.
    """
    place = spec if spec.endswith(".py") else spec.rpartition(":")[0]
    with guarded(
        lambda error: error if isinstance(error, BenchbookError) else cannot_import(spec, error)
    ):
        module, name = named_in(spec)
        return (_pick(module, name, place) if name else _the_only_one(module, place)), name


def _pick(module: ModuleType, name: str, place: str) -> Any:
    if hasattr(module, name):
        return getattr(module, name)
    names = [own for own in vars(module) if not own.startswith("_")]
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.4) or sorted(
        objects_of(module, Method)
    )
    hint = f"nearest names in it: {', '.join(near)}" if near else "it defines no method"
    raise BenchbookError(f"no name {name!r} in {place}; {hint}")


def _the_only_one(module: ModuleType, place: str) -> Method:
    methods: dict[str, Method] = objects_of(module, Method)
    if len(methods) != 1:
        which = (
            f"methods in it: {', '.join(sorted(methods))}" if methods else "it defines no method"
        )
        raise BenchbookError(f"say which method of {place} is meant, as {place}:name; {which}")
    return next(iter(methods.values()))


def _as_method(thing: object, name: str, spec: str) -> Method:
    if isinstance(thing, type):
        raise BenchbookError(
            f"{spec} is a class; make an object of it, `mine = {thing.__name__}()`, and name that"
        )
    if isinstance(thing, Method):
        refuse_faulty(thing)
        return thing
    if hasattr(thing, "fit") and hasattr(thing, "get_params"):
        return from_estimator(name.replace("_", "-"), thing)
    if isinstance(thing, dict) and thing and all(isinstance(level, float) for level in thing):
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
