"""Which methods there are: those that a file of this package defines, those registered by hand, and a user's own."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from benchbook.errors import BenchbookError, Fault, FaultyInput, UnknownName
from benchbook.methods import settings
from benchbook.methods.base import Method, refuse_faulty
from benchbook.methods.loading import load
from benchbook.methods.programs import from_spec, is_command
from benchbook.tasks.recoding import encoding_text
from benchbook.user_code import objects_of

if TYPE_CHECKING:
    from benchbook.methods.described import Description

_by_hand: dict[str, Method] = {}


@functools.cache
def _discovered() -> dict[str, Method]:
    """The methods that are names of the modules beside this one; a module that defines one needs no other entry."""
    known: dict[str, Method] = {}
    for module in _sources():
        for thing in _defined(module):
            refuse_faulty(thing)
            if known.setdefault(thing.name, thing) is not thing:
                raise BenchbookError(
                    f"two methods are called {thing.name!r}, one of them in {module}; rename one"
                )
    return known


@functools.cache
def _named(name: str) -> Method:
    """The method that a module beside this one defines by that name; a module that has it in quotes is asked first.

    Raises:
        UnknownName: none does.
    """
    for thing in _quoted(name):
        if thing.name == name:
            return thing
    if name not in _discovered():
        raise UnknownName("method", name, _discovered() | _by_hand)
    return _discovered()[name]


def _quoted(name: str) -> Iterator[Method]:
    """The methods of the modules that have a name in quotes, in whatever letters: so few need to be imported."""
    for module, text in _sources().items():
        if f'"{name}"'.casefold() in text:
            yield from _defined(module)


def _defined(module: str) -> Iterable[Method]:
    return objects_of(importlib.import_module(module), Method).values()


@functools.cache
def _sources() -> dict[str, str]:
    """The modules beside this one by their full names, and their texts in small letters."""
    package = importlib.import_module("benchbook.methods")
    return {
        name: path.read_text(encoding="utf8").casefold()
        for name, path in _modules(package.__path__, package.__name__)
    }


def _modules(folders: Iterable[str], package: str, depth: int = 2) -> Iterator[tuple[str, Path]]:
    """The full names of the modules in folders and in the folders of these, and their files.

    What lies deeper is what methods are made of. It may need packages that are not installed, and is not searched.
    """
    for folder in folders:
        for info in pkgutil.iter_modules([folder], f"{package}."):
            path = Path(folder, info.name.rpartition(".")[2])
            yield info.name, path / "__init__.py" if info.ispkg else path.with_suffix(".py")
            if info.ispkg and depth > 1:
                yield from _modules([str(path)], info.name, depth - 1)


def register(method: Method) -> Method:
    """Make a method known by its name in this process, and return it.

    Raises:
        BenchbookError: another method has that name.
        FaultyInput: a name or a kind that cannot be used.
    """
    refuse_faulty(method)
    if (_discovered() | _by_hand).get(method.name, method) is not method:
        raise BenchbookError(f"there is a method {method.name!r} already; give yours another name")
    _by_hand[method.name] = method
    return method


def available() -> tuple[str, ...]:
    """The names of all methods known in this process, in alphabetical order.

    Example:
        >>> from benchbook import methods
        >>> {"lin-1", "gp-map-1"} <= set(methods.available())
        True
    """
    return tuple(sorted(_discovered() | _by_hand))


def get(spec: str) -> Method:
    """The method of that name, or a user's own.

    Example:
        >>> from benchbook import methods
        >>> methods.get("lin-1").name
        'lin-1'
        >>> methods.get("knn-cv-1").description
        'k nearest neighbours, k chosen by leave-one-out'

    Args:
        spec: a registered name ("lin-1"), a file and a name in it ("path/to/mine.py:my_method"; the file alone when it
            holds one method), a module and a name in it ("pkg.module:name"), or a program
            ("command: ./mine {train} {test} {guess}", see ``programs.from_spec``). Settings in brackets make a
            variant, "mlp-bgd-1[hidden=30]" or, with a name of its own, "mlp-bgd-1[hidden=30, name=mlp-bgd-1-h30]".

    Raises:
        UnknownName: no registered method has that name; the message gives the nearest.
        BenchbookError: the file, the module or the name in it cannot be had, or the method has the name of one of this
            book; the message says why.
        FaultyInput: a setting that the method does not have, or a value that it cannot have.
    """
    made = loaded(spec)
    if made.name != spec:
        refuse_taken(made, spec)
    return made


def source_of(spec: str) -> str | None:
    """The user's file or module that a method comes from, which is to be imported where it runs and nowhere else; None
    for a method of the package and for a program."""
    if is_command(spec):
        return None
    base, _ = settings.split(spec)
    if base.endswith(".py"):
        return base
    return base.rpartition(":")[0] if ":" in base else None


def from_outside(spec: str) -> bool:
    """Whether a method comes from a user's file or module; see ``source_of``."""
    return source_of(spec) is not None


def loaded(spec: str) -> Method:
    """A method as ``get`` finds it, but no method of this book is imported to see whether another has its name.

    Raises:
        UnknownName, BenchbookError, FaultyInput: as ``get``.
    """
    if is_command(spec):
        return from_spec(spec)
    base, changes = (spec, {}) if spec in _by_hand else settings.split(spec)
    made = _by_hand.get(base) or (load(base) if from_outside(base) else _named(base))
    return variant(made, **changes) if changes else made


def refuse_taken(made: Method | Description, spec: str) -> None:
    """Refuse a user's method with the name of another one, whose archived runs would be taken for its own.

    Small and large letters count as the same: readers and some file systems do not tell them apart.

    Raises:
        BenchbookError: it has such a name.
    """
    known = [*_by_hand.values(), *_quoted(made.name)]
    alike = next((item for item in known if item.name.casefold() == made.name.casefold()), made)
    if alike is not made:
        which = "" if alike.name == made.name else f" ({alike.name!r})"
        raise BenchbookError(
            f"{spec} is called {made.name!r}, and so is a method of this book{which}; give it another "
            "name"
        )


def variant(method: str | Method, *, name: object = None, **changes: object) -> Method:
    """A method that differs from another in some of its settings: ``variant("mlp-bgd-1", hidden=30)``.

    Example:
        >>> from benchbook import methods
        >>> methods.variant("mlp-bgd-1", hidden=30).name
        'mlp-bgd-1[hidden=30]'

    Args:
        method: the method, or what ``get`` finds it by. It is not changed, and the variant is not registered.
        name: of the variant; made from what is changed when left out, "mlp-bgd-1[hidden=30]", which ``get`` reads.
        changes: settings by name; ``benchbook methods show`` lists those of a method. ``encoding`` is a setting of
            each: what it is to see in place of the task's encoding (``tasks.encoding_text``).

    Raises:
        FaultyInput: settings that the method does not have or values that they cannot have, all of them; the message
            lists the settings with what they can be.
        UnknownName, BenchbookError: as ``get``.
    """
    chosen = get(method) if isinstance(method, str) else method
    if "encoding" in changes and hasattr(chosen, "encoding"):
        text = encoding_text(str(changes.pop("encoding")))
        origin = getattr(chosen, "origin", None) or chosen
        chosen = replace(cast(Any, chosen), encoding=text, origin=origin)
    varied = getattr(chosen, "varied", None)
    if varied is None:
        raise FaultyInput(
            f"settings of {chosen.name}",
            [Fault(", ".join(changes), "a change", "it has no settings")],
            "A method has settings when it is made with @method(settings=...), a frozen dataclass.",
        )
    made: Method = varied(changes, name)
    return made
