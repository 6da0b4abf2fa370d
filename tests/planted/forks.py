"""Runs of tests in a copy of the checkout, each in a fork of a process that has the libraries loaded."""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import signal
import sys
import time
import traceback
import types
from pathlib import Path

import pytest

LIBRARIES = """altair hypothesis jinja2 joblib numba numba.core.event numpy numpy.testing pandas polars pydantic pytest
scipy.interpolate scipy.linalg scipy.optimize scipy.signal scipy.special scipy.stats sklearn.ensemble
sklearn.linear_model tomlkit typer.testing xarray"""
PATIENCE = 90
"""CPU seconds after which a run of tests is taken for endless, which finds the fault."""
STUCK = 600
"""The same in seconds, for tests that wait for what does not come."""
_COPIED = ("src", "tests", "book", "benchmarks", ".ci", ".github")


def copied(root: Path, place: Path) -> Path:
    """A copy of the checkout in which files may be spoilt; its data is not copied."""
    for name in _COPIED:
        shutil.copytree(
            root / name, place / name, ignore=shutil.ignore_patterns("__pycache__", "_build")
        )
    for path in root.iterdir():
        if path.is_file() and path.name != ".git":
            shutil.copy2(path, place)
    (place / "data").symlink_to(root / "data")
    return place


def load() -> None:
    """Import what most tests need, but nothing of the project."""
    for name in LIBRARIES.split():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


class Reporter:
    """Notes the first test, or file, that fails."""

    def __init__(self) -> None:
        self.failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid


def failed(
    copy: Path,
    tests: list[str],
    marks: str,
    kernels: Path,
    plugins: tuple[object, ...] = (),
    limited: bool = True,
) -> str:
    """The first test that fails, or its file; ``endless``; nothing when all pass."""
    here, there = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.close(here)
            os.write(there, _run(copy, tests, marks, kernels, plugins, limited).encode()[:4000])
            code = 0
        except BaseException:
            os.write(there, traceback.format_exc().encode()[-4000:])
        finally:
            os._exit(code)
    os.close(there)
    began = time.monotonic()
    ended, code = 0, 0
    while not ended and (not limited or time.monotonic() - began < STUCK):
        time.sleep(0.02)
        ended, code = os.waitpid(child, os.WNOHANG)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # with what it has started
    if not ended:
        os.waitpid(child, 0)
    with os.fdopen(here) as pipe:
        output = pipe.read()
    if ended and os.WIFEXITED(code) and os.WEXITSTATUS(code):
        raise RuntimeError(f"the run of tests ended:\n{output}")
    return output if ended and not code else "endless"


def _run(
    copy: Path,
    tests: list[str],
    marks: str,
    kernels: Path,
    plugins: tuple[object, ...],
    limited: bool,
) -> str:
    os.setsid()
    if limited:
        import resource  # not on Windows, where this module may be read

        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE + 5))
    os.chdir(copy)
    os.environ |= {"PYTHONPATH": str(copy / "src"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    os.environ["NUMBA_CACHE_DIR"] = str(kernels)
    sys.path[:] = [str(copy / "src"), *(item for item in sys.path if "tests/planted" not in item)]
    for name in [
        module
        for module in sys.modules
        if module in ("mutants", "forks", "traced") or "benchbook" in module
    ]:
        del sys.modules[name]
    sys.modules["__main__"] = types.ModuleType("__main__")  # which spawned processes would import
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(silent, stream)
    reporter = Reporter()
    words = ["-x", "-p", "no:cacheprovider", "-p", "pytest_timeout", "-m", marks]
    code = pytest.main([*words, *tests], [reporter, *plugins])
    if code == pytest.ExitCode.USAGE_ERROR and any("::" in test for test in tests):
        # the fault changes names of tests
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        return _run_again(files, words, reporter)
    return "" if code in (0, 5) else reporter.failed or tests[0]


def _run_again(files: list[str], words: list[str], reporter: Reporter) -> str:
    code = pytest.main([*words, *files], [reporter])
    return "" if code in (0, 5) else reporter.failed or files[0]
