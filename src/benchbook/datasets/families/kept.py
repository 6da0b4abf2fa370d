"""Draws that are kept on disk: some laws take seconds to draw from, and every page and every test asks again.

What is kept is known by the dataset, by what was drawn, by the constants of its law, and by a digest of all the code
that drew it, so that it is drawn anew when the law changes. The name of the file ends with a digest of its bytes, which
is checked when it is read.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import numpy as np

from benchbook.datasets.families import cache_key
from benchbook.datasets.families.base import Array, Family
from benchbook.datasets.roots import cache_folder, repository_root
from benchbook.errors import BenchbookError
from benchbook.files import atomic
from benchbook.seeds import generator

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
    code = cache_key.digest((family.draw.__module__, draw.__module__), _OF_THE_TRUTH)
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
