"""Simulated coverage: the truth is the truth, all procedures see the same data, and a run goes on where it stopped."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from printed import held

from benchbook_book.pages.simulations import coverage as simulated
from benchbook_book.pages.simulations.coverage import continued, coverage, summarise
from benchbook_book.pages.simulations.worlds import World, world


@pytest.fixture(scope="module")
def trials():
    return coverage(world("plain"), 12)


@pytest.mark.parametrize("name", ["plain", "outliers", "groups"])
def test_the_truth_is_that_of_many_future_cases(name):
    where = world(name)
    rng = np.random.default_rng(1)
    inputs, targets = where.draw(rng)
    fitted = simulated._Fitted(where, inputs, targets, simulated._folds(where, rng), rng)
    plain = World(name, 40_000, where.inputs, where.noise, 40_000 if where.groups else 0)
    new, seen = plain.draw(rng)
    error = seen - fitted.posterior.predictive(new).location
    assert fitted.truth["squared error"] == pytest.approx(np.mean(error**2), rel=0.05)
    assert fitted.truth["90 % quantile of absolute error"] == pytest.approx(
        np.quantile(np.abs(error), 0.9), rel=0.03
    )
    density = fitted.posterior.predictive(new).log_density(seen)
    assert fitted.truth["log density"] == pytest.approx(density.mean(), abs=0.03)


def test_weights_stand_in_for_refits_and_training_cases_flatter(trials):
    wide = trials.filter(model="large", utility="log density", interval="bootstrap").pivot(
        "procedure", index="dataset", values="estimate"
    )
    np.testing.assert_allclose(wide["PSIS-LOO"], wide["exact LOO"], atol=0.06)
    assert (wide["training"] > wide["exact LOO"] + 0.1).all()
    assert (wide["2-fold corrected"] > wide["2-fold"]).all()


def test_every_procedure_gives_what_it_gave(trials):
    """Of two data sets; three digits are left after the rounding of any processor."""
    first = trials.filter(pl.col("dataset") < 2).with_columns(pl.col(pl.Float64).round_sig_figs(4))
    held(Path(__file__).with_name("coverage.txt"), "plain", first.write_csv())


def test_a_data_set_depends_on_its_number_alone(trials):
    again = coverage(world("plain"), 2, first=5)
    assert again.equals(trials.filter(pl.col("dataset").is_in([5, 6])))


@pytest.mark.parametrize("models", [["difference"], ["large"], ["small", "large"]])
def test_lines_of_some_models_are_those_that_all_would_have(trials, models):
    some = coverage(world("plain"), 2, first=5, models=models)
    assert some.equals(
        trials.filter(pl.col("dataset").is_in([5, 6]), pl.col("model").is_in(models))
    )


def test_folds_of_whole_groups_do_not_flatter():
    result = summarise(coverage(world("groups"), 12)).filter(
        model="large", utility="squared error", interval="bootstrap"
    )
    bias = dict(zip(result["procedure"], result["bias"], strict=True))
    assert bias["10-fold"] < -0.5 < bias["grouped 8-fold"] < 1.0


def test_summaries_count_what_is_inside():
    lines = pl.DataFrame(
        {
            "world": "w",
            "model": "difference",
            "utility": "u",
            "procedure": "p",
            "interval": "i",
            "estimate": [1.0, 2.0, -1.0, 4.0],
            "low": [0.0, 1.0, -2.0, 3.0],
            "high": [2.0, 3.0, 0.0, 5.0],
            "truth": [1.0, 0.5, 0.5, 5.0],
        }
    )
    result = summarise(lines).row(0, named=True)
    assert (result["coverage"], result["right"], result["width"], result["datasets"]) == (
        0.5,
        0.75,
        2.0,
        4,
    )
    assert result["bias"] == pytest.approx(-0.25)
    assert result["standard_error"] == pytest.approx(0.25)


def test_a_run_goes_on_where_it_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(simulated, "_PART", 2)
    whole = continued(tmp_path, ["plain"], 4)
    (tmp_path / "trials-plain-1-2-2.parquet").unlink()
    selected = (tmp_path / "trials-plain-1-0-2.parquet").stat().st_mtime_ns
    assert continued(tmp_path, ["plain"], 4).equals(whole)
    assert (tmp_path / "trials-plain-1-0-2.parquet").stat().st_mtime_ns == selected
    assert continued(tmp_path, ["plain"], 3)["datasets"].unique().to_list() == [3]
