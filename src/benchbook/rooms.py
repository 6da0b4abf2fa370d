"""Packages whose names are imported when they are first asked for, so that a program loads what it uses and no more."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    """A package with the modules that its names are imported from, by name.

    A module that is imported does not take the place of a function of its name.
    """

    _homes: dict[str, str]

    def __getattr__(self, name: str) -> Any:
        if name not in self._homes:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        home = self._homes[name]
        if home == self.__name__:
            return importlib.import_module(f"{home}.{name}")
        self.__dict__[name] = thing = getattr(importlib.import_module(home), name)
        return thing

    def __setattr__(self, name: str, value: Any) -> None:
        is_own = isinstance(value, ModuleType) and value.__name__ == f"{self.__name__}.{name}"
        if not (is_own and self._homes.get(name, self.__name__) != self.__name__):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._homes})


def import_on_demand(package: str, file: str) -> None:
    """Have the names that a package imports for type checkers imported when they are first asked for.

    Args:
        package: its name. file: its ``__init__``, with ``from module import names`` under ``if TYPE_CHECKING``.
    """
    room = sys.modules[package]
    tree = ast.parse(Path(file).read_bytes())
    blocks = [node for node in tree.body if isinstance(node, ast.If)]
    room.__dict__["_homes"] = {
        alias.name: str(node.module)
        for block in blocks
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    room.__class__ = _Room
