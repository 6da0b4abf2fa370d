"""Draws that are kept on disk: some laws take seconds to draw from, and every page and every test asks again.

What is kept is known by the dataset, by what was drawn, by the constants of its law, and by a digest of all the code
that drew it, so that it is drawn anew when the law changes. The name of the file ends with a digest of its bytes, which
is checked when it is read.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from pathlib import Path

import numpy as np

from benchbook.datasets.families.base import Array, Family
from benchbook.datasets.roots import cache_folder, repository_root
from benchbook.errors import BenchbookError
from benchbook.files import atomic
from benchbook.seeds import generator

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


_LIBRARIES = ("numpy", "numba", "scipy")
_OF_THE_TRUTH = ("benchbook.predictive",)
"""What a family says of its law in terms of predictions takes no part in drawing."""


def cases(family: Family, name: str, count: int) -> tuple[Array, Array]:
    """The canonical inputs [n, d] and recorded targets [n] of a simulated dataset, from the family's own seed."""
    table = kept(
        family,
        name,
        f"cases-{count}",
        lambda: np.column_stack(family.cases(name, count, generator(family.seed, name))),
    )
    return table[:, :-1], table[:, -1]


def kept(family: Family, name: str, what: str, draw: Callable[[], Array]) -> Array:
    """The numbers that ``draw`` gives: read where they were kept, else drawn and kept.

    Args:
        family: whose law it is.
        name: the dataset.
        what: what is drawn, for example "cases-8192"; with the dataset and the code it decides the numbers.
        draw: draws them, from a generator of its own.
    """
    stem = f"{name}.{what}."
    now = f"{stem}{_key(family, name, draw)}."
    for path in _folder().glob(f"{now}*.npy"):
        if (values := _intact(path)) is not None:
            return values
    values = draw()
    _keep(stem, now, values)
    return values


def _folder() -> Path:
    """Below ``_build`` of the checkout, or in the user's cache."""
    root = repository_root()
    return (root / "_build" if root else cache_folder()) / "simulated"


def _key(family: Family, name: str, draw: Callable[[], Array]) -> str:
    """Digest of all that decides the numbers besides their name; the constants as they are now, not as written."""
    code = digest((family.draw.__module__, draw.__module__), _OF_THE_TRUTH)
    return hashlib.sha256(
        "\0".join([code, repr(family.laws.get(name)), *_versions()]).encode()
    ).hexdigest()[:16]


@functools.cache
def _versions() -> tuple[str, ...]:
    return tuple(metadata.version(library) for library in _LIBRARIES)


def _intact(path: Path) -> Array | None:
    """What a file holds, None when it is not what was written."""
    try:
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest()[:16] != path.stem.rpartition(".")[2]:
            return None
        return np.asarray(np.load(io.BytesIO(content), allow_pickle=False), dtype=np.float64)
    except (OSError, ValueError):
        return None


def _keep(stem: str, now: str, values: Array) -> None:
    """Write the numbers in place of older ones; where nothing can be written, the next process draws them again."""
    buffer, folder = io.BytesIO(), _folder()
    np.save(buffer, values, allow_pickle=False)
    content = buffer.getvalue()
    path = folder / f"{now}{hashlib.sha256(content).hexdigest()[:16]}.npy"
    with contextlib.suppress(BenchbookError, OSError):
        with atomic(path) as scratch:
            scratch.write_bytes(content)
        for old in set(folder.glob(f"{stem}*.npy")) - {path}:
            old.unlink(missing_ok=True)
