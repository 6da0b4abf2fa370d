"""k refits of a model fitted elsewhere: one posterior a fold, Burman's correction, groups, comparison."""

import json

import numpy as np
import pytest
import xarray
from click.testing import CliRunner
from scipy import stats

from benchbook.assess import densities
from benchbook.cli import app

N, K = 20, 4
Y = np.linspace(-2.0, 3.0, N)
NAMES = np.array([f"case {k}" for k in range(N)])
FOLD = np.arange(N) % K
DRAWS = ("chain", "draw")


def refit(rng, held, cases, *, mark=True, shift=0.0, names=NAMES, spread=1.0):
    """A Gaussian mean with variance 1, flat prior, fitted without the cases held; its log likelihoods of some cases."""
    seen = np.setdiff1d(np.arange(N), held)
    theta = rng.normal(Y[seen].mean(), 1 / np.sqrt(len(seen)), (4, 500))
    theta[:2] += shift
    coords = {"obs": names[cases], "site": ("obs", FOLD[cases] // 2)}
    if mark:
        coords["held_out"] = ("obs", np.isin(cases, held).astype(int))
    values = stats.norm.logpdf(Y[cases], theta[..., None], spread)
    drawn = theta[..., None] + spread * rng.normal(size=values.shape)
    wide = (*DRAWS, "obs")
    return xarray.DataTree.from_dict(
        {
            "log_likelihood": xarray.Dataset({"y": (wide, values)}, coords=coords),
            "posterior_predictive": xarray.Dataset({"y": (wide, drawn)}, coords=coords),
            "observed_data": xarray.Dataset({"y": (("obs",), Y[cases])}, coords=coords),
        }
    )


def folds(rng, *, every=False, **more):
    everything = np.arange(N)
    held_out = [np.flatnonzero(k == FOLD) for k in range(K)]
    return [
        refit(rng, item, everything if every else item, mark=every, **more) for item in held_out
    ]


def exact(seen, cases):
    """log p(y_i | the cases seen)."""
    return stats.norm.logpdf(Y[cases], Y[seen].mean(), np.sqrt(1 + 1 / len(seen)))


def exact_by_fold():
    return np.array([exact(np.flatnonzero(k != FOLD), np.arange(N)) for k in range(K)])


def test_cases_are_predicted_by_the_fold_they_were_left_out_of(rng):
    result = densities.assess_folds(folds(rng))
    order = [list(result.cases).index(name) for name in NAMES]
    expected = exact_by_fold()[FOLD, np.arange(N)]
    np.testing.assert_allclose(result.utilities[order], expected, atol=0.03)
    np.testing.assert_array_equal(result.fold[order], FOLD)
    assert result.corrected is None
    assert result.trusted
    error = np.abs([Y[FOLD[i] != FOLD].mean() - Y[i] for i in range(N)])
    mae = densities.assess_folds(folds(rng), ask="mae").expected.estimate
    assert mae == pytest.approx(error.mean(), rel=0.05)


def test_with_a_posterior_of_all_cases_comes_burmans_correction(rng):
    everything = np.arange(N)
    full = refit(rng, np.array([], dtype=int), everything, mark=False)
    result = densities.assess_folds(folds(rng, every=True), full)
    by_hand = densities.bias_corrected(exact_by_fold(), exact(everything, everything), FOLD)
    assert result.corrected.corrected.estimate == pytest.approx(by_hand.corrected, abs=0.02)
    assert result.expected.estimate == pytest.approx(by_hand.cross_validated, abs=0.02)
    labelled = [refit(rng, np.flatnonzero(k == FOLD), everything, mark=False) for k in range(K)]
    reported = densities.assess_folds(labelled, full, folds=FOLD)
    assert reported.corrected.corrected.estimate == pytest.approx(by_hand.corrected, abs=0.02)


def invoke(*words):
    run = CliRunner().invoke(app, ["assess", "kfold", *map(str, words)])
    assert run.exception is None or isinstance(run.exception, SystemExit), run.exception
    return run


def test_the_command_compares_models_and_looks_at_their_chains(tmp_path, rng):
    files = {}
    for name, more in {"good": {}, "narrow": {"spread": 0.3}, "apart": {"shift": 3.0}}.items():
        files[name] = [tmp_path / f"{name}-{k}.nc" for k in range(K)]
        for path, data in zip(files[name], folds(rng, every=True, **more), strict=True):
            data.to_netcdf(path)
    full = tmp_path / "full.nc"
    refit(rng, np.array([], dtype=int), np.arange(N), mark=False).to_netcdf(full)
    run = invoke(*files["good"], full, "--against", tmp_path / "narrow-*.nc", "--json")
    assert run.exit_code == 0, run.output
    first, second = json.loads(run.output)["models"]
    assert first["model"].startswith(str(files["good"][0]))
    assert (first["folds"], first["cases"]) == (K, N)
    low, high = first["corrected_interval_90"]
    assert low < first["corrected"] < high
    assert second["corrected"] is second["corrected_interval_90"] is None
    assert second["difference"] == pytest.approx(first["expected"] - second["expected"])
    assert [model["interval_90"][0] < model["expected"] for model in (first, second)] == [True] * 2
    assert second["probability_behind"] > 0.9
    assert second["difference_interval_90"][0] < second["difference"]
    shown = invoke(*files["good"], "--against", tmp_path / "apart-*.nc", "--ask", "rmse")
    assert shown.exit_code == 1
    assert "no verdict" in shown.output
    assert "No verdict: the chains have not met (R-hat" in shown.output
    assert invoke(*files["good"], "--against", "nothing-*.nc").exit_code == 2
