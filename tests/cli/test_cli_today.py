"""``benchbook today``: a method of one's own in tiers, on a standard set and data sets made small for the test."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchbook.cli import app
from benchbook.show import today

PLAN = """
name = "today-arrays"
seed = 1
methods = ["lin-1", "base-1", "mlp-bgd-1"]
tasks = ["kin-8fm-sim/dist/std.64", "kin-8nm-sim/dist/std.64", "kin-8nm-sim/dist/std.128"]
"""
MINE = '''
import numpy as np
from benchbook import methods
from benchbook.predictive import Gaussian


@methods.method(name="median", kinds={"real"})
def median(instance, rng):
    """The median of the training targets."""
    middle = np.full(len(instance.test_inputs), np.median(instance.train_targets))
    return Gaussian(middle, np.full(len(middle), instance.train_targets.var() + 1e-9))
'''


def run(*words, code=0):
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def place(home, tmp_path, monkeypatch):
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "today-arrays.toml").write_text(PLAN)
    monkeypatch.setattr(today, "plans_folder", lambda: tmp_path / "plans")
    Path("mine.py").write_text(MINE)
    return tmp_path


def test_a_method_of_ones_own_gets_its_tier_and_a_page(place):
    asked = ["today", "--method", "mine.py:median", "--size", "64", "--workers", "1"]
    said = run(*asked)
    assert "64 training cases, loss S over 2 data sets" in said
    tiers = {name: int(tier) for tier, name in re.findall(r"^ *(\d+)  +([\w-]+) ", said, re.M)}
    assert set(tiers) == {"median", "base-1", "lin-1", "mlp-bgd-1"}
    assert tiers["lin-1"] < tiers["base-1"] == tiers["median"]
    page = Path("today.html").read_text(encoding="utf8")
    assert "median among today" in page
    assert "<script" not in page


def test_runs_that_failed_are_counted(place):
    Path("mine.py").write_text(
        MINE.replace("    middle", "    assert instance.number != 1\n    middle")
    )
    said = run("today", "--method", "mine.py:median", "--size", "64", "--workers", "1", code=1)
    assert "left out, since runs of it are missing or failed: median (2 failed)" in said
    assert "median (2 failed)" in Path("today.html").read_text(encoding="utf8")


@pytest.mark.parametrize("size", [64, 1024])
def test_every_method_of_the_standard_set_has_all_its_runs(home, size):
    asked = today.ask(sizes=[size])
    found, left_out = today.tiers_found(asked)
    assert left_out == {}
    assert set(found["method"]) == set(asked.names)
    assert {
        "deep-ensemble-1",
        "mc-dropout-1",
        "laplace-last-1",
        "swag-1",
        "xgboost-quantiles-1",
    } < set(asked.names)
    assert found["seconds"].min() > 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--size", "65"], "choose among 64, 128"),
        (["--loss", "NLPD"], "no standard scale"),
        (["--loss", "S", "--loss", "L"], "tiers are by one loss"),
        (["--dry-run"], "nothing to run"),
        (["--method", "mine.py:nothing"], "nothing"),
        (["--out", "mine.py"], "must end in .html"),
    ],
)
def test_what_cannot_be_answered_is_refused_before_anything_is_run(place, given, message):
    assert message in run("today", "--size", "64", *given, code=2)
    assert not Path("today.html").exists()
