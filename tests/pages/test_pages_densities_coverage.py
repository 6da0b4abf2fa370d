"""The archived simulation of coverage, and a short run beside it."""

import polars as pl
import pytest

from benchbook.errors import BenchbookError
from benchbook.pages.densities_coverage import again, archived, right_choices
from benchbook.studies import simulated


def test_the_archived_simulation_is_whole():
    found = archived()
    assert set(found["datasets"]) == {2000}
    assert found["world"].n_unique() == 5
    assert found["coverage"].is_between(0, 1).all()


def test_every_procedure_has_both_intervals_and_chooses_a_model():
    found, folds = archived(), {"2-fold corrected", "10-fold corrected"}
    means = found.filter(pl.col("utility") != "90 % quantile of absolute error", pl.col("model") != "difference")
    for kind in ("bootstrap", "Gaussian"):
        assert folds | {"IS-LOO", "PSIS-LOO", "10-fold"} <= set(means.filter(interval=kind)["procedure"])
    both = means.filter(pl.col("procedure").is_in(folds)).group_by("world", "model", "utility", "procedure").agg(
        pl.len(), apart=pl.col("bias").max() - pl.col("bias").min())
    assert set(both["len"]) == {2}
    assert both["apart"].max() < 1e-12  # the same estimates, in two kinds of intervals
    assert folds <= set(right_choices()["procedure"])


def test_a_short_run_agrees_with_it():
    both = again("plain", 8, seed=1).filter(model="large", utility="log density", interval="bootstrap")
    assert both.height == 8
    assert both["z"].abs().max() < 6
    assert both.filter(procedure="training")["bias_archived"][0] > 0.15


def test_choices_are_shares():
    assert right_choices()["right"].is_between(0, 1).all()


def test_what_does_not_come_with_the_project_is_missed():
    with pytest.raises(BenchbookError, match="README"):
        simulated("nothing")
