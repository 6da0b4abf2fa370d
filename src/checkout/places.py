"""Where things are in the checkout, and the variables that everything in it runs with."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
BUILD = ROOT / "_build"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")

_ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
)
_FOREIGN = (
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONWARNINGS",
    "__PYVENV_LAUNCHER__",
    "PIP_TARGET",
    "PIP_PREFIX",
    "PIP_ROOT",
    "JUPYTER_PATH",
    "JUPYTER_CONFIG_PATH",
)
_FOLDER_LISTS = ("BENCHBOOK_DATA", "BENCHBOOK_RUNS")
_KERNEL_CACHES_KEPT = 3


def compiled_source_digest(source: Path) -> str:
    """A hash of every file under ``source`` that holds or may feed compiled code.

    numba notices a change of the function it compiled, not of the functions that one calls; its cache is therefore kept
    in a folder named by this hash.
    """
    digest = hashlib.sha256()
    for path in sorted(source.rglob("*.py")):
        content = path.read_bytes()
        if "kernels" in path.parts or b"numba" in content:
            digest.update(path.relative_to(source).as_posix().encode() + b"\0" + content + b"\0")
    return digest.hexdigest()[:12]


def variables(outside: Mapping[str, str]) -> dict[str, str]:
    """The environment of every command, made from the user's own.

    One thread a process (two pools of threads on two cores are fifty times slower than one), nothing of the user's
    Python, Jupyter or pip settings that could leak in, and nothing written to the home folder.
    """
    inside = {name: value for name, value in outside.items() if name not in _FOREIGN}
    inside.update(dict.fromkeys(_ONE_THREAD, "1"))
    for name in _FOLDER_LISTS:
        if inside.get(name):
            folders = [folder for folder in inside[name].split(os.pathsep) if folder]
            inside[name] = os.pathsep.join(
                os.path.abspath(os.path.expanduser(folder)) for folder in folders
            )
    if inside.get("PIP_FIND_LINKS"):
        inside["PIP_FIND_LINKS"] = _addresses(inside["PIP_FIND_LINKS"])
    inside.update(
        VIRTUAL_ENV=str(VENV),
        PATH=os.pathsep.join([str(BIN), inside.get("PATH", os.defpath)]),
        PYTHONHASHSEED="0",
        PYTHONDONTWRITEBYTECODE="",
        PYTHONNOUSERSITE="1",
        PYTHONUTF8="1",
        PIP_USER="0",
        PIP_REQUIRE_VIRTUALENV="0",
        PIP_REQUIRE_HASHES="0",
        PIP_DISABLE_PIP_VERSION_CHECK="1",
        NUMBA_CACHE_DIR=str(BUILD / f"numba-{compiled_source_digest(ROOT / 'src' / 'benchbook')}"),
        IPYTHONDIR=str(BUILD / "ipython"),
        JUPYTER_CONFIG_DIR=str(BUILD / "jupyter"),
        JUPYTER_DATA_DIR=str(BUILD / "jupyter"),
        JUPYTER_RUNTIME_DIR=str(BUILD / "jupyter" / "runtime"),
        JUPYTER_PLATFORM_DIRS="1",
        JUPYTER_PREFER_ENV_PATH="1",
        PYDEVD_DISABLE_FILE_VALIDATION="1",
    )
    return inside


def _addresses(places: str) -> str:
    """The places in which pip looks for packages, with those that are here as addresses.

    pip takes a relative place from the folder it runs in, which is the checkout, and a space as the end of a place.
    """
    names = [places] if os.path.exists(os.path.expanduser(places)) else places.split()
    paths = {name: Path(os.path.abspath(os.path.expanduser(name))) for name in names}
    return " ".join(path.as_uri() if path.exists() else name for name, path in paths.items())


def prune_kernel_caches(build: Path = BUILD) -> None:
    """Remove the compiled kernels of all but the latest versions of the source."""
    caches = sorted(
        build.glob("numba-" + "[0-9a-f]" * 12), key=lambda path: path.stat().st_mtime, reverse=True
    )
    for cache in caches[_KERNEL_CACHES_KEPT:]:
        shutil.rmtree(cache, ignore_errors=True)
