"""Models left out by weights and by folds: on the scale of the data, and kept in parts."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from benchbook import datasets
from benchbook.errors import BenchbookError
from benchbook.folds import random_folds
from benchbook.methods.shared.posterior import DrawnComponents, Posterior
from benchbook.parquet import kept
from benchbook.studies import simulated
from benchbook_book.pages.simulations import concrete, forest, left_out

rng = np.random.default_rng(5)
INPUTS = 100.0 + 10.0 * rng.normal(size=(40, 2))
NUMBERS = 50.0 + INPUTS[:, 0] + rng.normal(size=40)
GROUPS = np.arange(40) // 5
needs_concrete = pytest.mark.skipif(
    not datasets.at_hand("concrete"), reason="concrete is not at hand"
)


def data(targets, classes):
    folds = {"random-4": random_folds(40, 4, np.random.default_rng(1))}
    return left_out.Data(INPUTS, targets, GROUPS, np.arange(40), folds, classes)


def sampler(classes):
    """A posterior of three draws that are near the first input, on the standardised scale."""

    def fit(inputs, targets, rng):
        assert abs(inputs.mean()) < 1e-9
        assert inputs.std() == pytest.approx(1.0)

        def components(new):
            location = np.stack([slope * new[:, 0] for slope in (0.8, 1.0, 1.1)])
            return DrawnComponents(location, None if classes else np.full((3, 1), 0.3))

        return Posterior(
            "logistic" if classes else "n",
            components(inputs).log_density(targets),
            components,
            {"a": 1},
        )

    return fit


def test_predictions_and_densities_come_back_on_the_scale_of_the_data():
    item = left_out.OnData(sampler(False), INPUTS, NUMBERS, False, rng)
    z = (INPUTS[:, 0] - INPUTS[:, 0].mean()) / INPUTS[:, 0].std()
    np.testing.assert_allclose(item.draws(INPUTS)[1], NUMBERS.mean() + NUMBERS.std() * z)
    grid = np.linspace(NUMBERS.min() - 60, NUMBERS.max() + 60, 4001)
    mass = np.exp(item.log_density(np.repeat(INPUTS[:1], grid.size, axis=0), grid))
    assert np.trapezoid(mass, grid) == pytest.approx(1.0, abs=1e-3)


def test_weights_agree_with_leaving_out_by_hand():
    classes = (NUMBERS.mean() < NUMBERS).astype(float)
    item = left_out.OnData(sampler(True), INPUTS, classes, True, rng)
    result = left_out.by_weights(item, data(classes, True))
    likelihood = np.exp(item.posterior.log_likelihood)
    np.testing.assert_allclose(np.exp(result["density_raw"]), 1 / np.mean(1 / likelihood, axis=0))
    weights = 1 / np.prod(likelihood[:, GROUPS == 3], axis=1)
    mean = (weights @ item.draws(INPUTS)[:, GROUPS == 3]) / weights.sum()
    np.testing.assert_allclose(result["mean_group"][GROUPS == 3], mean)
    np.testing.assert_allclose(
        result["effective_group"][GROUPS == 3], weights.sum() ** 2 / (weights**2).sum()
    )


def test_folds_predict_all_cases_and_parts_are_kept(tmp_path):
    made, requested = data(NUMBERS, False), []
    result = left_out.by_folds(sampler(False), made, "random-4", ("x",))
    assert result["means"].shape == result["densities"].shape == (40, 4)
    table = left_out.frame(made, result)

    def make():
        requested.append(1)
        return table

    kept(tmp_path / "part.parquet", make)
    again = kept(tmp_path / "part.parquet", make)
    assert requested == [1]
    joined = left_out.joined(table.select("case", "group", "target"), again, model="m")
    assert joined.columns == ["model", "case", "group", "target", "fold", "means", "densities"]
    own = left_out.cross_validated(again)
    np.testing.assert_allclose(own[3], result["means"][3, result["fold"][3]], rtol=1e-6)
    reported = left_out.fact_line(
        SimpleNamespace(posterior=SimpleNamespace(diagnostics={"rhat": 1.5, "x": "y"})), part="p"
    )
    assert reported.row(0) == ("p", "{'rhat': 1.5}")
    assert left_out.chains(reported).rhat == {"": 1.5}


def test_no_folds_no_data():
    with pytest.raises(BenchbookError, match="no tasks of folds"):
        left_out.data("kin-8nm-sim/dist")
    made = left_out.data("forest-scene-sim/cv-18")
    assert made.inputs.shape == (4800, 18)
    assert set(made.targets) == {0.0, 1.0}
    assert np.unique(made.groups[made.schemes["grouped-8"][2].test]).size == 6


def test_the_forest_is_made_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(
        forest, "fit", lambda inputs, targets, rng, times=1: sampler(True)(inputs, targets, rng)
    )
    monkeypatch.setattr(forest, "PARTS", ("cv-18",))
    cases, facts = forest.continued(tmp_path)
    assert cases.columns == simulated("forest").columns
    assert cases.height == 2 * 4800
    assert facts.columns == simulated("forest-facts").columns
    assert facts["least_error"][0] < 0.2 < facts["true_error"][0] < 0.8
    longer = forest.longer(tmp_path, ["cv-18"], [1]).row(0, named=True)
    assert {key: longer[key] for key in facts.columns} == facts.row(0, named=True)
    wrong = [
        ((cases[f"mean_{key}"][:4800] > 0.5) != cases["target"][:4800].cast(bool)).mean()
        for key in ("training", "loo", "group")
    ]
    assert [longer[f"{key}_error"] for key in ("training", "loo", "group")] == wrong
    monkeypatch.setattr(forest, "fit", None)
    again, _ = forest.continued(tmp_path)
    assert again.equals(cases)


@needs_concrete
def test_concrete_is_made_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(concrete, "fit", lambda model, part, times=1: sampler(False))
    monkeypatch.setattr(
        concrete, "STUDIED", (*concrete.STUDIED[:1], ("cv", "mlp", ("grouped-10",)))
    )
    result = concrete.continued(tmp_path)
    assert set(result.columns) == set(simulated("concrete").columns)
    assert result.group_by("part", maintain_order=True).len().rows() == [
        ("cv-215a", 215),
        ("cv", 1030),
    ]
    whole = result.filter(part="cv")
    assert whole.group_by("group").agg(pl.col("fold").n_unique())["fold"].max() == 1
    longer = concrete.longer(tmp_path, ["cv-215a", "cv"], [1])
    every, part = left_out.data("concrete/cv"), left_out.data("concrete/cv-215a")
    item = left_out.OnData(sampler(False), part.inputs, part.targets, False, rng)
    errors = np.abs(item.draws(every.inputs).mean(axis=0) - every.targets)
    seen = np.isin(every.cases, part.cases)
    assert longer["training"][0] == pytest.approx(np.quantile(errors[seen], 0.9))
    assert longer["others"].to_list() == [pytest.approx(np.quantile(errors[~seen], 0.9)), None]
    assert seen.sum() == 215
