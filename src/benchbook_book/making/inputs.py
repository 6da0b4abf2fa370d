"""What a page is made from: the checkout, its digests, and which data is at hand."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import importlib.util
import itertools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from benchbook import datasets
from benchbook.archive.lock import locked
from benchbook.errors import BenchbookError
from benchbook.words import listed

_TOOLS = (
    "ipykernel",
    "jupyter_book",
    "jupyter_cache",
    "jupytext",
    "myst_nb",
    "nbclient",
    "nbformat",
    "papermill",
)
_PINNED = re.compile(r"^([\w.-]+)==", re.MULTILINE)
_MOST_WORKERS = 8
_LEFT_OUT = {"__pycache__", ".ipynb_checkpoints"}
_Page = TypeVar("_Page")


def checkout() -> Path:
    """The folder that holds ``_config.yml`` and ``book/``: around this package, or around the current folder.

    Raises:
        BenchbookError: there is none; the book is made from its sources, which the installed package lacks.
    """
    here = Path.cwd()
    for folder in (Path(__file__).resolve().parents[3], here, *here.parents):
        if (folder / "_config.yml").is_file() and (
            folder / "book" / "runs" / "runs.toml"
        ).is_file():
            return folder
    raise BenchbookError(
        f"the sources of the book are neither around this package nor around {here}. "
        "Run this inside a checkout of the repository."
    )


def check_tools(root: Path) -> None:
    """Refuse to make pages of the book of ``root`` without the tools for it.

    Raises:
        BenchbookError: naming what is not installed beside this package.
    """
    if missing := [name for name in _TOOLS if importlib.util.find_spec(name) is None]:
        raise BenchbookError(
            f"pages are made with {listed(missing)}, not installed here ({sys.prefix}). "
            f"In {root}, `make book` (without make: `python3 src/bootstrap.py book`) installs them."
        )


def digest(root: Path, paths: Iterable[Path], *texts: str) -> str:
    """sha256 of the files' contents and names below ``root``, and of the texts, in the order given."""
    total = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        total.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        total.update(content)
    for text in texts:
        total.update(f"\0{text}".encode())
    return total.hexdigest()


def tree(*roots: Path, pattern: str = "*") -> Iterator[Path]:
    """The files below the roots (a root may be a file), sorted, without what tools leave behind."""
    for root in roots:
        if root.is_file():
            yield root
        for path in sorted(root.rglob(pattern)) if root.is_dir() else ():
            if (
                path.is_file()
                and not _LEFT_OUT.intersection(path.parts)
                and not path.name.endswith(".part")
            ):
                yield path


def shown_by_directives(root: Path) -> set[str]:
    """The files that pages show by directives of our own: the package, the cards of the data, and run pages."""
    folders = (
        root / "src" / "benchbook",
        root / "src" / "benchbook_book",
        root / "data" / "registry.toml",
        root / "book" / "runs",
    )
    return {str(path) for path in tree(*folders) if path.suffix != ".pyc"}


def conditions(root: Path) -> str:
    """Digest of what all pages depend on: Python, the libraries of the lock, and the archive."""
    lock = root / "requirements.txt"
    names = _PINNED.findall(lock.read_text(encoding="utf8")) if lock.is_file() else []
    libraries = [f"{name} {_version(name)}" for name in names]
    archive = os.environ.get("BENCHBOOK_ARCHIVE", "")
    return digest(root, [], sys.version, *libraries, archive)


@functools.cache
def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def execution_cache(root: Path) -> Path:
    """Where executed chapters are kept, by their code; whether one is still good is for ``reads`` to say."""
    return root / "_build" / ".jupyter_cache"


def records(root: Path) -> Path:
    """Where it is kept what executed pages have read."""
    return root / "_build" / "reads"


def workers() -> int:
    """How many pages are worked on at a time: the cores that this process may use, eight at most."""
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return min(_MOST_WORKERS, cores)


def kernels() -> int:
    """How many pages are executed at a time: one more than are worked on, for each waits where it begins and ends."""
    return workers() + 1


def by_turns(pages: Iterable[_Page], group: Callable[[_Page], object]) -> list[_Page]:
    """One page of each group after the other: those of one need the same code compiled, and would wait for it."""
    groups: dict[object, list[_Page]] = {}
    for page in pages:
        groups.setdefault(group(page), []).append(page)
    return [
        page
        for turn in itertools.zip_longest(*groups.values())
        for page in turn
        if page is not None
    ]


def chapter_runs(root: Path) -> Path:
    """Where runs go that a chapter makes: never among the reader's own, and never shown by another."""
    return root / "_build" / "chapter-runs"


@contextlib.contextmanager
def alone(folder: Path, purpose: str) -> Iterator[None]:
    """Make a folder and hold it against other processes for the length of a ``with`` block.

    Raises:
        BenchbookError: nothing can be written there, or another process is at work there.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder, purpose):
            yield
    except OSError as error:
        raise BenchbookError(
            f"cannot write below {folder}: {error.strerror or error}. Free space or change its "
            "permissions, and run the same command again."
        ) from error


@functools.cache
def at_hand() -> tuple[str, ...]:
    """The data sets that can be read on this machine without a download."""
    return tuple(name for name in datasets.published() if datasets.at_hand(name))


def kernel_environment(root: Path) -> dict[str, str]:
    """Environment variables for kernels and builds: our package first, one thread each, nothing of the user's Jupyter.

    Pages download nothing: the build has brought what there is to be had before, once, and no host can hold them up.

    The compiled kernels are kept per state of the sources: numba does not see that a function called from another file
    has changed. Memory that arrays have left (below the 32 MB that glibc admits) is used for the next ones: given back
    to the system each time, it has to be cleared each time.
    """
    build = root / "_build"
    sources = digest(root, tree(root / "src" / "benchbook", pattern="*.py"))
    threads = (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMBA_NUM_THREADS",
        "POLARS_MAX_THREADS",
    )
    others = [
        path
        for path in os.environ.get("PYTHONPATH", "").split(os.pathsep)
        if path and path != str(root / "src")
    ]
    return {
        **{name: os.environ.get(name, "1") for name in threads},
        "PYTHONPATH": os.pathsep.join([str(root / "src"), *others]),
        "MALLOC_MMAP_THRESHOLD_": str(1 << 25),
        "MALLOC_TRIM_THRESHOLD_": str(1 << 30),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "",  # or the package is compiled again for every page
        "BENCHBOOK_OFFLINE": "1",
        "BENCHBOOK_RUNS": os.environ.get("BENCHBOOK_RUNS") or str(build / "runs"),
        "NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", str(build / f"numba-{sources[:12]}")),
        "IPYTHONDIR": str(build / "ipython"),
        "JUPYTER_CONFIG_DIR": str(build / "jupyter"),
        "JUPYTER_DATA_DIR": str(build / "jupyter"),
        "JUPYTER_RUNTIME_DIR": str(build / "jupyter" / "runtime"),
        "JUPYTER_PLATFORM_DIRS": "1",
        "JUPYTER_PREFER_ENV_PATH": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }


@contextlib.contextmanager
def environment(root: Path) -> Iterator[None]:
    """The variables of kernels, and of the process they are forked from; then the user's again."""
    before = dict(os.environ)
    os.environ.update(kernel_environment(root))
    (root / "_build").mkdir(exist_ok=True)  # IPython makes its folder in one that is there
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
