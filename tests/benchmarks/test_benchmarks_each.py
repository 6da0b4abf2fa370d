"""Every benchmark at its smallest sizes: all that are installed take part, and agree."""

import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.name != "run.py")
# What is no part of the development environment; any other contender that does not take part is a fault.
PEERS = {
    "autorank",
    "torch",
    "torch, float64",
    "blackjax",
    "arviz",
    "scoringrules",
    "FANN",
    "FANN, float64",
    "skore",
}


# ArviZ announces its next version once a day.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning:arviz")


@pytest.fixture
def runner(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    before = set(sys.modules)
    import run

    yield run
    for name in set(sys.modules) - before:
        if str(FOLDER) in (getattr(sys.modules[name], "__file__", None) or ""):
            del sys.modules[name]


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_at_its_smallest_sizes_and_its_contenders_agree(runner, name):
    lines = runner.measure(name, 1, False, smallest=True)
    assert lines[0].contender == "benchbook"
    assert lines[0].ratio == 1.0
    left_out = {line.contender: line.note for line in lines if line.seconds is None}
    assert set(left_out) <= PEERS
    assert all(left_out.values())
    assert sum(line.seconds is not None for line in lines) >= 2


@pytest.mark.parametrize("name", NAMES)
def test_its_check_refuses_other_results(runner, name):
    """Only ours is spoilt, so that a check that compares nothing, or each with itself, would let it pass."""
    module = runner.load(name)
    contenders, results, _ = runner._warm(module.build(**module.SMALLEST))
    assert len(contenders) >= 2
    with pytest.raises(AssertionError):
        module.check(results | {"benchbook": spoilt(results["benchbook"])})


def spoilt(result):
    import numpy as np

    return (
        tuple(1.0 + 2.0 * value for value in result)
        if isinstance(result, tuple)
        else 1.0 + 2.0 * np.asarray(result)
    )
