"""Where things are: the repository, the registry, and the folders in which data is looked for."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from benchbook.errors import BenchbookError

DATA_VARIABLE = "BENCHBOOK_DATA"
CACHE_VARIABLE = "BENCHBOOK_CACHE"
OFFLINE_VARIABLE = "BENCHBOOK_OFFLINE"
_NO = frozenset({"", "0", "false", "no", "off"})


def repository_root() -> Path | None:
    """The source checkout this package runs from, or else the one around the current folder, or None."""
    here = Path(__file__).resolve()
    for folder in (*here.parents[3:4], Path.cwd(), *Path.cwd().parents):
        if (folder / "data" / "registry.toml").is_file() and (
            folder / "src" / "benchbook"
        ).is_dir():
            return folder
    return None


def registry_path() -> Path:
    """The file with the cards of all datasets: ``data/registry.toml`` of the checkout, or the installed copy.

    Raises:
        BenchbookError: neither exists, so the installation is incomplete.
    """
    package = Path(__file__).resolve().parents[1]
    installed = package / "data" / "registry.toml"
    checkout = package.parents[1] / "data" / "registry.toml"
    for path in (checkout, installed):
        if path.is_file():
            return path
    raise BenchbookError(
        f"the registry of datasets is missing: neither {checkout} nor {installed} exists; "
        "install benchbook again"
    )


def data_folders() -> tuple[Path, ...]:
    """The folders named in ``$BENCHBOOK_DATA``, in order.

    A relative one is taken from the current folder when it exists there, and from the repository otherwise, because
    pages of the book run in folders of their own.
    """
    folders = []
    for name in os.environ.get(DATA_VARIABLE, "").split(os.pathsep):
        if not name.strip():
            continue
        folder = Path(name.strip()).expanduser()
        root = repository_root()
        if not folder.is_absolute() and not folder.exists() and root is not None:
            folder = root / folder
        folders.append(Path(os.path.abspath(folder)))
    return tuple(folders)


def cache_folder() -> Path:
    """Where downloads are kept: ``$BENCHBOOK_CACHE``, or the place the system gives an application's cache."""
    if name := os.environ.get(CACHE_VARIABLE, "").strip():
        return Path(os.path.abspath(Path(name).expanduser()))
    return user_cache()


def user_cache() -> Path:
    """The place the system gives the cache of this application."""
    return Path(platformdirs.user_cache_dir("benchbook"))


def search_path() -> tuple[Path, ...]:
    """All folders in which data is looked for, in order: those of ``$BENCHBOOK_DATA``, then the cache."""
    return (*data_folders(), cache_folder())


def offline() -> bool:
    """Whether ``$BENCHBOOK_OFFLINE`` forbids downloads."""
    return os.environ.get(OFFLINE_VARIABLE, "").strip().lower() not in _NO
