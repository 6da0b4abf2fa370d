"""Posteriors of other programs: read, judged and written."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import xarray
from click.testing import CliRunner

from benchbook.assess.densities import (
    LogLikelihood,
    from_inference_data,
    loo,
    read_log_likelihood,
    relative_efficiency,
    write_log_likelihood,
)
from benchbook.cli import app
from benchbook.errors import FaultyInput


@pytest.fixture
def likelihood():
    """A Gaussian mean with known variance: draws from its exact posterior, 4 chains of 250, and one outlier."""
    rng = np.random.default_rng(3)
    y = np.append(rng.normal(size=19), 9.0)
    theta = rng.normal(y.mean(), 1 / np.sqrt(20), (4, 250))
    values = -0.5 * (y - theta[..., None]) ** 2 - 0.5 * np.log(2 * np.pi)
    return LogLikelihood(values, tuple(f"case {k}" for k in range(20)), "y")


def test_other_axes_become_cases_in_any_order(tmp_path):
    values = np.random.default_rng(1).normal(size=(3, 2, 5, 2))  # place, chain, draw, time
    group = xarray.Dataset(
        {
            "y": (("place", "chain", "draw", "time"), values),
            "z": (("chain", "draw"), values[0, :, :, 0]),
        },
        coords={"time": [1990, 2001]},
    )
    xarray.DataTree.from_dict({"log_likelihood": group}).to_netcdf(tmp_path / "p.nc")
    read = read_log_likelihood(tmp_path / "p.nc", "y")
    np.testing.assert_array_equal(read.values[1, 3], values[:, 1, 3].ravel())
    assert read.cases == ("0, 1990", "0, 2001", "1, 1990", "1, 2001", "2, 1990", "2, 2001")
    assert read_log_likelihood(tmp_path / "p.nc", "z").values.shape == (2, 5, 1)
    with pytest.raises(FaultyInput, match="name one of y, z"):
        read_log_likelihood(tmp_path / "p.nc")


def test_arrays_and_tables_say_the_same(likelihood, tmp_path):
    import polars as pl

    np.save(tmp_path / "p.npy", likelihood.values)
    np.savez(tmp_path / "p.npz", y=likelihood.values)
    flat = likelihood.values.reshape(1000, 20)
    frame = pl.DataFrame(flat, schema=list(likelihood.cases)).with_columns(
        chain=pl.Series(np.repeat(range(4), 250))
    )
    frame.write_parquet(tmp_path / "p.parquet")
    frame.write_csv(tmp_path / "p.csv")
    for ending in ("npy", "npz", "parquet", "csv"):
        np.testing.assert_allclose(
            read_log_likelihood(tmp_path / f"p.{ending}").values, likelihood.values, rtol=1e-15
        )
    assert isinstance(read_log_likelihood(tmp_path / "p.npy").values, np.memmap)
    frame.head(999).write_csv(tmp_path / "uneven.csv")
    with pytest.raises(FaultyInput, match="as many draws in every chain"):
        read_log_likelihood(tmp_path / "uneven.csv")


def test_objects_in_memory_are_taken_as_they_are(likelihood):
    class Array:
        dims, coords, values = (
            ("chain", "draw", "case"),
            {"case": likelihood.cases},
            likelihood.values,
        )

    data = SimpleNamespace(log_likelihood={"y": Array})
    assert from_inference_data(data).cases == likelihood.cases
    assert (
        from_inference_data({"log_likelihood": {"y": likelihood.values}}).values
        is likelihood.values
    )
    with pytest.raises(FaultyInput, match="there must be a group log_likelihood"):
        from_inference_data(object())


def test_independent_draws_are_worth_themselves_and_slow_chains_less():
    rng = np.random.default_rng(5)
    independent = rng.normal(size=(4, 500, 3))
    slow = independent.copy()
    for t in range(1, 500):
        slow[:, t] = 0.8 * slow[:, t - 1] + 0.6 * slow[:, t]
    assert np.all(np.abs(relative_efficiency(independent * 0.1) - 1.0) < 0.25)
    assert np.all(relative_efficiency(slow * 0.1) < 0.25)  # (1 - 0.8) / (1 + 0.8) = 0.11
    np.testing.assert_array_equal(relative_efficiency(np.zeros((2, 3, 4))), 1.0)


def test_one_call_judges_a_posterior(likelihood, tmp_path):
    write_log_likelihood(tmp_path / "p.nc", likelihood)
    run = CliRunner().invoke(
        app, ["assess", "loo", str(tmp_path / "p.nc"), "--out", str(tmp_path / "out")]
    )
    assert run.exit_code == 1, "the outlier is not to be trusted"
    assert "cannot be trusted in 1 of 20 cases" in run.output
    assert "case 19" in run.output
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "loo.csv",
        "loo.parquet",
        *(f"{name}.{kind}" for name in ("loo", "weights", "effective") for kind in ("svg", "html")),
    }
    reply = json.loads(
        CliRunner().invoke(app, ["assess", "loo", str(tmp_path / "p.nc"), "--json"]).output
    )
    exact = loo(likelihood.values, relative_efficiency(likelihood.values))
    assert reply["total_log_density_nats"] == pytest.approx(exact.total, rel=1e-12)
    assert [line["case"] for line in reply["by_case"] if not line["reliable"]] == ["case 19"]


def test_models_are_compared_on_the_same_cases_only(likelihood, tmp_path):
    worse = LogLikelihood(likelihood.values - 0.5, likelihood.cases, "y")
    other = LogLikelihood(likelihood.values, tuple(f"day {k}" for k in range(20)), "y")
    paths = {name: str(tmp_path / f"{name}.nc") for name in ("good", "worse", "other")}
    for name, each in {"good": likelihood, "worse": worse, "other": other}.items():
        write_log_likelihood(paths[name], each)
    run = CliRunner().invoke(
        app, ["assess", "compare", paths["worse"], paths["good"], "--negligible", "1", "--json"]
    )
    assert run.exit_code == 1, "the outlier is not to be trusted"
    first, second = json.loads(run.output)["models"]
    assert (first["model"], second["model"]) == ("good", "worse")
    assert second["difference"] == pytest.approx(0.5)
    assert second["low"] <= 0.5 <= second["high"]
    assert second["elpd_diff"] == pytest.approx(20 * 0.5)
    assert second["root_factor"] == pytest.approx(np.exp(0.5))
    assert second["probability_behind"] is None, "the outlier could turn it"
    assert second["least_probability"] < 0.5 < 0.99 < second["largest_probability"]
    assert second["probability_negligible"] is None
    refused = CliRunner().invoke(app, ["assess", "compare", paths["good"], paths["other"]])
    assert refused.exit_code == 2
    assert "same cases" in refused.output
