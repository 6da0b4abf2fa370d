"""What the tests of studies share: methods of a newcomer's file, and runs that were never run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchbook.archive.records import RunKey, RunResult, blank_record
from benchbook.seeds import generator

TASK = "kin-8nm-sim/dist/std.64"

METHODS = '''
import os
import signal
import time

import numpy as np

from benchbook.methods import method
from benchbook.predictive import Gaussian, Point


@method(name="noisy")
def noisy(instance, rng):
    """A guess that shows which random numbers it was given."""
    count = len(instance.test_inputs)
    return Gaussian(rng.standard_normal(count), np.full(count, 2.0)), {"gradient_passes": 7}


@method(name="guesser")
def guesser(instance, rng):
    return Point(np.zeros(len(instance.test_inputs)))


@method(name="raises")
def raises(instance, rng):
    if instance.number % 2:
        raise ValueError("no luck with odd instances")
    return noisy(instance, rng)


@method(name="dies")
def dies(instance, rng):
    if instance.number == 1:
        os._exit(3)
    if instance.number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return noisy(instance, rng)


@method(name="slow")
def slow(instance, rng):
    time.sleep(0.15)
    return noisy(instance, rng)
'''


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A newcomer's file of methods."""
    path = tmp_path / "mine.py"
    path.write_text(METHODS)
    return path


@pytest.fixture
def made() -> Callable[..., RunResult]:
    """A run that looks like one of ``lin-1``: losses of a Gaussian prediction whose variances differ."""

    def make(
        method: str = "invented",
        task: str = TASK,
        instance: int = 0,
        seed: int = 1,
        cases: int = 64,
        digest: str = "d0",
    ) -> RunResult:
        rng = generator(seed, method, task, instance)
        variance = 0.04 * np.exp(0.3 * rng.standard_normal(cases))
        error = np.sqrt(variance) * rng.standard_normal(cases)
        record = blank_record(RunKey(method, task, instance), seed, "invented")
        record |= {
            "status": "ok",
            "asked": "A L S",
            "seconds": 0.5,
            "digest": digest,
            "identity": "none",
        }
        squared = error**2
        losses = {
            "A": np.abs(error),
            "L": 0.5 * np.log(2 * np.pi * variance) + squared / (2 * variance),
            "S": squared,
        }
        return RunResult(record, losses, np.arange(instance * cases, (instance + 1) * cases))

    return make


@pytest.fixture
def environment() -> dict[str, str]:
    """The environment of a process that imports the package under test."""
    source = Path(__file__).parents[2] / "src"
    return os.environ | {
        "PYTHONPATH": str(source),
        "OPENBLAS_NUM_THREADS": "1",
        "POLARS_MAX_THREADS": "1",
    }
