"""What there is to know of a method: where its code is, what it is called with, where it comes from."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from benchbook.errors import BenchbookError
from benchbook.methods import settings
from benchbook.methods.base import Method


@dataclass(frozen=True)
class CodePlace:
    """A piece of code: its name, "module:function", its file and the line on which it begins; line 0 is unknown."""

    name: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.name}  {self.file}:{self.line}" if self.line else f"{self.name}  {self.file}"


@dataclass(frozen=True)
class Description:
    """A method as ``benchbook methods show`` shows it.

    ``text`` is the docstring of its procedure, ``source`` the work and section it comes from, both empty where there
    are none; ``settings`` what can be varied; ``calls`` the way down to the kernels, the procedure first; ``origin``
    the method that a variant was made from; ``file`` the user's file or module that it
    is from; ``encoding`` what it declares.
    """

    name: str
    kinds: frozenset[str]
    description: str
    source: str
    text: str
    settings: tuple[settings.Setting, ...]
    calls: tuple[CodePlace, ...]
    origin: Description | None = None
    file: str = ""
    encoding: str = ""


def describe(method: Method) -> Description:
    """What there is to know of a method, registered or a user's own."""
    procedure = getattr(method, "procedure", type(method))
    given: object = getattr(method, "settings", None)
    origin: Method | None = getattr(method, "origin", None)
    return Description(
        method.name,
        frozenset(method.kinds),
        method.description,
        getattr(method, "source", ""),
        inspect.getdoc(procedure) or "",
        tuple(settings.listed(given)),
        (
            _place(f"{procedure.__module__}:{procedure.__qualname__}", procedure),
            *(_place(name, find(name)) for name in getattr(method, "calls", ())),
        ),
        None if origin is None else describe(origin),
        encoding=getattr(method, "encoding", ""),
    )


def find(name: str) -> Any:
    """The function that "module:function" or "module:Class.function" names.

    Raises:
        BenchbookError: there is none.
    """
    module, _, path = name.partition(":")
    try:
        return reduce(getattr, path.split("."), importlib.import_module(module))
    except (ImportError, AttributeError) as error:
        raise BenchbookError(
            f"no code is called {name!r} ({error}); write module:function"
        ) from None


def _place(name: str, code: Any) -> CodePlace:
    code = inspect.unwrap(getattr(code, "py_func", code))
    try:
        return CodePlace(
            name, _shown(inspect.getsourcefile(code) or "?"), inspect.getsourcelines(code)[1]
        )
    except (OSError, TypeError):
        return CodePlace(name, getattr(code, "__module__", "?"), 0)


def _shown(file: str) -> str:
    """A file of the package as it stands in a checkout, one of the user's as it is seen from here."""
    for folder, start in (
        (Path(__file__).parents[1], Path("src", "benchbook")),
        (Path.cwd(), Path()),
    ):
        if Path(file).is_relative_to(folder):
            return (start / Path(file).relative_to(folder)).as_posix()
    return file
