"""Where the cards of a user's own data are: the user's home of benchbook, or a folder beside the data."""

from __future__ import annotations

import os
import re
from pathlib import Path

import platformdirs

from benchbook.files import put_back

HOME_VARIABLE = "BENCHBOOK_HOME"
BESIDE = "benchbook-data"
"""The folder that ``--here`` makes beside the data."""
CARD, PROTOTASKS, CASES = "card.toml", "prototasks.toml", "cases.parquet"
"""The files of a user's dataset."""


def home() -> Path:
    """``$BENCHBOOK_HOME``, or the folder that the system gives an application's settings."""
    if name := os.environ.get(HOME_VARIABLE, "").strip():
        return Path(os.path.abspath(Path(name).expanduser()))
    return Path(platformdirs.user_config_path("benchbook"))


def kept() -> Path:
    """Where ``benchbook datasets add`` keeps datasets."""
    return home() / "datasets"


def shelves() -> tuple[Path, ...]:
    """The folders in which a user's datasets are looked for, in order.

    ``benchbook-data`` of the current folder and of those above it, then ``datasets`` of the user's home.
    """
    try:
        here = [Path.cwd(), *Path.cwd().parents]
    except OSError:  # the current folder is gone
        here = []
    beside = [folder / BESIDE for folder in here if os.path.isdir(folder / BESIDE)]
    return (*beside, kept())


def folders() -> dict[str, Path]:
    """The folder of every dataset of the user's, by its name; the first of a name counts."""
    by_name: dict[str, Path] = {}
    for shelf in shelves():
        try:
            inner = sorted(shelf.iterdir())
        except OSError:  # not there, or not for us to read
            continue
        for folder in inner:
            if name := re.fullmatch(r"\.(.+)\.before", folder.name):
                folder = folder.with_name(name[1])
                put_back(folder)
            if not folder.name.startswith(".") and os.path.exists(folder / CARD):
                by_name.setdefault(folder.name, folder)
    return by_name
