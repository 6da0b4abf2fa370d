"""Which files of the package a simulated family is made of; their digest is part of the key of its stored draws."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

_PACKAGE = Path(__file__).parents[2]


@functools.cache
def digest(modules: tuple[str, ...], without: tuple[str, ...] = ()) -> str:
    """sha256 of the text of modules and of all modules of this package that they import, directly or not.

    Args:
        modules: full names.
        without: names of modules or packages that count for nothing, nor what they import.
    """
    total = hashlib.sha256()
    for path in closure(modules, without):
        total.update(
            path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0"
        )
    return total.hexdigest()


def closure(modules: Iterable[str], without: tuple[str, ...] = ()) -> list[Path]:
    """The files of modules and of all modules of this package that they import, at any depth, also inside functions.

    Imports that are worked out while the program runs are not seen. The ``__init__`` of a package counts where
    something is imported from it that is no module, not where a module below it is imported.
    """
    known: dict[Path, None] = {}
    waiting = [path for name in modules if (path := _file(name)) is not None]
    while waiting:
        path = waiting.pop()
        if path not in known:
            known[path] = None
            names = (
                name for name in _imported(path) if not any(_below(name, out) for out in without)
            )
            waiting += [result for name in names if (result := _file(name)) is not None]
    return sorted(known)


def _imported(path: Path) -> Iterator[str]:
    """The names that a file imports from this package, as modules where they are modules."""
    for node in _run(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Attribute):
            yield from _of_room(node)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if _file(name) else str(node.module) for name in inner)


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """The parts of a program, without what only type checkers read."""
    for node in ast.iter_child_nodes(tree):
        if not (
            isinstance(node, ast.If)
            and isinstance(node.test, ast.Name)
            and node.test.id == "TYPE_CHECKING"
        ):
            yield node
            yield from _run(node)


def _of_room(node: ast.Attribute) -> Iterator[str]:
    """The module that ``kernels.sampling`` imports when it is first asked for."""
    if isinstance(node.value, ast.Name) and node.value.id == "kernels":
        name = f"{_PACKAGE.name}.kernels"
        yield f"{name}.{node.attr}" if _file(f"{name}.{node.attr}") else name


def _file(name: str) -> Path | None:
    """The file of a module of this package, None for anything else."""
    package, _, rest = name.partition(".")
    if package != _PACKAGE.name:
        return None
    location = _PACKAGE.joinpath(*rest.split(".")) if rest else _PACKAGE
    paths = (location / "__init__.py", location.with_suffix(".py") if rest else location)
    return next((path for path in paths if path.is_file()), None)


def _below(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")
