"""The record of a run: who made it, on what, with which versions, and how it ended."""

from __future__ import annotations

import datetime
import functools
import hashlib
import importlib.metadata
import inspect
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from threadpoolctl import threadpool_info

import benchbook
from benchbook.methods import Description, is_command, settings
from benchbook.methods.base import constants
from benchbook.methods.programs import spec_parts

if TYPE_CHECKING:
    from benchbook.methods import Method

RECORD_SCHEMA: dict[str, pl.DataType] = {
    "study": pl.String(),
    "method": pl.String(),
    "task": pl.String(),
    "instance": pl.Int64(),
    "seed": pl.Int64(),
    "status": pl.String(),
    "error": pl.String(),
    "seconds": pl.Float64(),
    "cost": pl.String(),
    "asked": pl.String(),
    "digest": pl.String(),
    "identity": pl.String(),
    "settings": pl.String(),
    "benchbook": pl.String(),
    "commit": pl.String(),
    "python": pl.String(),
    "libraries": pl.String(),
    "cpu": pl.String(),
    "time": pl.String(),
}
"""Columns of the records frame, one row a run.

``status`` is "ok" or "failed", ``error`` the last line of the traceback; ``seconds`` is the wall time of the method;
``cost`` (JSON) is what the method declared, such as gradient passes, and on partition tasks what the scorer found:
``test_error`` and ``test_wrong``, the means of the losses E and W, and on challenges what ``tasks.challenge_summary``
says; ``asked`` names the losses that were asked for, in alphabetical order; ``digest`` is the task instance's;
``identity`` says which text of the method was run, ``settings`` (JSON) with which settings: empty when it has none, and
in records that were written before there was this column;
``libraries`` (JSON) has their versions; ``time`` is UTC, ISO 8601.
"""

LATER = ("settings",)
"""Columns that records of older versions lack, and that are empty then."""

_LIBRARIES = ("numpy", "scipy", "numba", "polars", "scikit-learn")
_DECISIVE = {
    "package": "src/benchbook",
    "registry": "data/registry.toml",
    "prototasks": "data/prototasks.toml",
}
"""What decides the numbers of a run, and where it is in the checkout."""


def checkout() -> Path | None:
    """The root of the source checkout this package is run from, or None when it is installed."""
    root = Path(benchbook.__file__).resolve().parents[2]
    return (
        root
        if (root / "pyproject.toml").is_file() and (root / "src" / "benchbook").is_dir()
        else None
    )


@functools.cache
def provenance() -> dict[str, str]:
    """What is the same for all runs of this process: versions, commit, processor. Gathered once."""
    versions = {name: _version(name) for name in _LIBRARIES}
    return {
        "benchbook": benchbook.__version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "libraries": json.dumps({name: version for name, version in versions.items() if version}),
        "cpu": _processor(),
    }


def now() -> str:
    """The time in UTC to the second, as "2025-03-01T12:00:00Z"."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _commit() -> str:
    """The commit of the checkout; "unknown" without git.

    "+changes:package,registry" follows when what is named there is not as in that commit (``_DECISIVE``).
    """
    root, git = checkout(), shutil.which("git")
    if root is None or git is None or not (root / ".git").exists():
        return "unknown"
    options = ("--porcelain", "--no-renames", "--untracked-files=normal")
    try:
        commit = _output(git, root, "rev-parse", "HEAD")
        lines = _output(git, root, "status", *options, "--", *_DECISIVE.values()).splitlines()
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    paths = [line.split(maxsplit=1)[1].strip('"') for line in lines]
    changed = [
        what for what, index in _DECISIVE.items() if any(path.startswith(index) for path in paths)
    ]
    return commit + (f"+changes:{','.join(changed)}" if changed else "")


def _output(git: str, root: Path, *words: str) -> str:
    process = subprocess.run(
        [git, "-C", str(root), *words], capture_output=True, text=True, check=True, timeout=20
    )
    return process.stdout.strip()


def vector_instructions() -> str:
    """The widest of AVX-512 and AVX2 that numpy uses on this processor; empty on others.

    Sums of many terms, and so a sampled chain, differ in their last bits between the two. numpy names these sets
    X86_V4 and X86_V3, in older versions AVX512F and AVX2.
    """
    names = [str(name) for name in np.show_config(mode="dicts")["SIMD Extensions"]["found"]]
    if any("512" in name or name == "X86_V4" for name in names):
        return "AVX-512"
    return "AVX2" if {"X86_V3", "AVX2"} & set(names) else ""


def _processor() -> str:
    """The model, and what numpy and OpenBLAS use of it: one model name may stand for several processors."""
    kernels = {
        f"OpenBLAS {library['architecture']}"
        for library in threadpool_info()
        if library["internal_api"] == "openblas"
    }
    return ", ".join(filter(None, [processor_model(), vector_instructions(), *sorted(kernels)]))


def processor_model() -> str:
    """The model name of the processor, as it gives it itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine() or "unknown"


def identity(method: Method | Description, spec: str) -> str:
    """Which text of a method is meant, so that an edited method is run again.

    A registered method is known by the version of the package and a digest of the file that defines it; a method
    from a user's file or module by a digest of that file; a program by its command line and encoding. Files that
    those import are not looked at. A variant is known by its method and its settings. The identity is empty, and
    equals no other, when the source is not to be had (typed into a notebook).
    """
    if is_command(spec):
        options, command = spec_parts(spec)
        encoding = f" encoding={options['encoding']}" if "encoding" in options else ""
        return f"command {_digest(f'command:{command}{encoding}'.encode())}"
    varied = getattr(method, "origin", None)
    if varied is not None:
        base = identity(varied, settings.split(spec)[0])
        return base and f"{base} {_digest(settings_text(method).encode())}"
    file = source_file(method, spec)
    if file is None:
        return ""
    try:
        text = f"{file.name} {_digest(file.read_bytes())}"
    except OSError:
        return ""
    return (
        text if ":" in spec or spec.endswith(".py") else f"benchbook {benchbook.__version__} {text}"
    )


def settings_text(method: Method | Description) -> str:
    """The settings of a method, and the encoding that it declares, as JSON; empty when it has none."""
    given = constants(method)
    return json.dumps(given, sort_keys=True, default=str) if given else ""


def source_file(method: Method | Description, spec: str) -> Path | None:
    """The file that a method is from; None when it is from none."""
    spec = settings.split(spec)[0]
    path = spec if spec.endswith(".py") else spec.rpartition(":")[0]
    if path.endswith(".py"):
        return Path(os.path.expanduser(path))
    if isinstance(method, Description):
        return Path(method.file) if method.file else None
    module = sys.modules.get(path) if path else _defining_module(method)
    file = getattr(module, "__file__", None)
    return Path(file) if file else None


def _defining_module(method: Method) -> Any:
    """The module of the methods room that holds this very object, else the one its function or class is from."""
    for name, module in list(sys.modules.items()):
        if name.startswith("benchbook.methods.") and any(
            thing is method for thing in vars(module).values()
        ):
            return module
    return inspect.getmodule(getattr(method, "procedure", type(method)))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
