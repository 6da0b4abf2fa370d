"""The three sound reports, and reports made from them by a change."""

import copy
import tomllib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from benchbook.cli import app
from benchbook.datasets import proben1

FOLDER = Path(__file__).parent


def tables(name="sound-1994.toml"):
    return tomllib.loads((FOLDER / name).read_text(encoding="utf8"))


def changed(put=None, drop=(), base="1994"):
    """A sound report's tables with other values; ``comparison.x`` means its one comparison."""
    given = copy.deepcopy(tables(f"sound-{base}.toml"))
    for name in drop:
        table, last = _table(given, name)
        del table[last]
    for name, value in (put or {}).items():
        table, last = _table(given, name)
        table[last] = value
    return given


def _table(given, name):
    *path, last = name.split(".")
    for part in path:
        given = given.setdefault(part, {})
        given = given[0] if isinstance(given, list) else given
    return given, last


def records(dataset, method, topology, runs=60, **columns):
    """Invented records of runs, as good as any for what a form has to state."""
    rising = [float(run) for run in range(runs)]
    return pl.DataFrame(
        {
            "dataset": dataset,
            "method": method,
            "run": range(runs),
            "topology": topology,
            "training_error": [2.0 + 0.01 * x for x in rising],
            "validation_error": [3.0 + 0.01 * x for x in rising],
            "test_error": [4.0 + 0.02 * x for x in rising],
            "validation_wrong": 0.0,
            "test_wrong": 0.0,
            "overfit": [5.0 + x % 3 for x in rising],
            "total_epochs": [100 + 5 * (run % 7) for run in range(runs)],
            "relevant_epochs": [80 + 5 * (run % 5) for run in range(runs)],
            "traversals": [10**7 + run for run in range(runs)],
            "cpu_seconds": [0.5] * runs,
            "stopped_by": "GL_5",
            **columns,
        }
    )


@pytest.fixture(scope="session")
def made():
    """``tables``, ``changed``, ``records`` and the folder of the report files."""
    return SimpleNamespace(tables=tables, changed=changed, records=records, folder=FOLDER)


@pytest.fixture
def own_partition(home, tmp_path):
    """``risk1``, a table of the user's own that was added as a dataset."""
    rng = np.random.default_rng(1)
    inputs, classes = rng.uniform(size=(40, 3)), rng.integers(0, 2, 40)
    path = proben1.write_dt(tmp_path / "own.dt", inputs, np.eye(2)[classes], (20, 10, 10))
    result = CliRunner().invoke(app, ["datasets", "add", str(path), "--name", "risk1"])
    assert result.exit_code == 0, result.output
