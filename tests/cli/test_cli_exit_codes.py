"""Exit codes: what failed is still a failure the second time, and what is right again is a success."""

import json

import pytest
from click.testing import CliRunner

from benchbook.cli import app

TASK = "kin-8nm-sim/dist/std.64"
FICKLE = '''\
import numpy as np
from benchbook.methods import method
from benchbook.predictive import Point

@method(name="fickle", kinds={"real"}, source="ours")
def fickle(instance, rng):
    """The same number for every case."""
    if instance.number == 1:
        raise ValueError("one is too many")
    return Point(np.full(len(instance.test_inputs), SHIFT))
'''


@pytest.fixture
def call(tmp_path, monkeypatch, forked):
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "archive"))

    def run(*words, code=0):
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exit_code == code, f"{words}: {result.output}"
        return result.output

    return run


@pytest.fixture
def mine(tmp_path):
    def write(shift=0.0, sound=False):
        path = tmp_path / "mine.py"
        text = FICKLE.replace("SHIFT", repr(shift))
        path.write_text(text.replace("== 1", "== -1") if sound else text)
        return f"{path}:fickle"

    return write


def test_runs_that_failed_before_fail_the_same_command_again(call, mine):
    words = ("run", "-m", mine(), "-t", TASK, "--instances", "2", "--workers", "1", "--no-compare")
    assert "1 done, 1 failed" in call(*words, code=1)
    assert "1 there already, 1 failed before" in call(*words, code=1)
    assert json.loads(call(*words, "--json", code=1))["summary"]["kept_failed"][0]["instance"] == 1
    assert "1 failed, 1 there already" in call(*words, "--retry-failed", code=1)
    mine(sound=True)
    assert "2 done" in call(*words)
    assert "2 there already" in call(*words)


def test_checks_of_a_method_say_by_the_code_whether_it_passes(call, mine):
    assert "FAIL" in call("method", "check", mine(), code=1)
    assert "FAIL" not in call("method", "check", mine(sound=True))


def test_two_sets_of_runs_are_the_same_or_not(call, mine, tmp_path, monkeypatch):
    for name, shift in (("a", 0.0), ("b", 0.0), ("c", 0.5)):
        monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / name))
        words = ("-t", TASK, "--instances", "1", "--workers", "1", "--no-compare")
        call("run", "-m", mine(shift, sound=True), *words)
    a, b, c = (tmp_path / name for name in "abc")
    call("runs", "diff", a, b)
    call("runs", "diff", a, c, code=1)
    call("runs", "diff", a, tmp_path / "none", code=2)
