"""Models left out by weights and by folds: on the scale of the data, kept in parts, and what two chapters show."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from benchbook import datasets
from benchbook.assess import densities
from benchbook.charts.image_shares import image_chart
from benchbook.errors import BenchbookError
from benchbook.folds import random_folds
from benchbook.methods.vl.posterior import Components, Posterior
from benchbook.pages import concrete, concrete_shown, forest_scene, forest_shown, left_out
from benchbook.parquet import kept

rng = np.random.default_rng(5)
INPUTS = 100.0 + 10.0 * rng.normal(size=(40, 2))
NUMBERS = 50.0 + INPUTS[:, 0] + rng.normal(size=40)
GROUPS = np.arange(40) // 5
needs_concrete = pytest.mark.skipif(not datasets.at_hand("concrete"), reason="concrete is not at hand")


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
            return Components(location, None if classes else np.full((3, 1), 0.3))

        return Posterior("logistic" if classes else "n", components(inputs).log_density(targets), components, {"a": 1})
    return fit


def test_predictions_and_densities_come_back_on_the_scale_of_the_data():
    one = left_out.Fitted(sampler(False), INPUTS, NUMBERS, False, rng)
    z = (INPUTS[:, 0] - INPUTS[:, 0].mean()) / INPUTS[:, 0].std()
    np.testing.assert_allclose(one.draws(INPUTS)[1], NUMBERS.mean() + NUMBERS.std() * z)
    grid = np.linspace(NUMBERS.min() - 60, NUMBERS.max() + 60, 4001)
    mass = np.exp(one.log_density(np.repeat(INPUTS[:1], grid.size, axis=0), grid))
    assert np.trapezoid(mass, grid) == pytest.approx(1.0, abs=1e-3)


def test_weights_agree_with_leaving_out_by_hand():
    classes = (NUMBERS.mean() < NUMBERS).astype(float)
    one = left_out.Fitted(sampler(True), INPUTS, classes, True, rng)
    found = left_out.by_weights(one, data(classes, True))
    likelihood = np.exp(one.posterior.log_likelihood)
    np.testing.assert_allclose(np.exp(found["density_raw"]), 1 / np.mean(1 / likelihood, axis=0))
    weights = 1 / np.prod(likelihood[:, GROUPS == 3], axis=1)
    mean = (weights @ one.draws(INPUTS)[:, GROUPS == 3]) / weights.sum()
    np.testing.assert_allclose(found["mean_group"][GROUPS == 3], mean)
    np.testing.assert_allclose(found["effective_group"][GROUPS == 3], weights.sum() ** 2 / (weights**2).sum())


def test_folds_predict_all_cases_and_parts_are_kept(tmp_path):
    made, asked = data(NUMBERS, False), []
    found = left_out.by_folds(sampler(False), made, "random-4", ("x",))
    assert found["means"].shape == found["densities"].shape == (40, 4)
    table = left_out.frame(made, found)

    def make():
        asked.append(1)
        return table

    kept(tmp_path / "part.parquet", make)
    again = kept(tmp_path / "part.parquet", make)
    assert asked == [1]
    joined = left_out.joined(table.select("case", "group", "target"), again, model="m")
    assert joined.columns == ["model", "case", "group", "target", "fold", "means", "densities"]
    own = concrete_shown.own(again)
    np.testing.assert_allclose(own[3], found["means"][3, found["fold"][3]], rtol=1e-6)
    told = left_out.told(SimpleNamespace(posterior=SimpleNamespace(diagnostics={"rhat": 1.5, "x": "y"})), part="p")
    assert told.row(0) == ("p", "{'rhat': 1.5}")


def test_no_folds_no_data():
    with pytest.raises(BenchbookError, match="no tasks of folds"):
        left_out.data("kin-8nm-sim/dist")
    made = left_out.data("forest-scene-sim/cv-18")
    assert made.inputs.shape == (4800, 18)
    assert set(made.targets) == {0.0, 1.0}
    assert np.unique(made.groups[made.schemes["grouped-8"][2].test]).size == 6


def test_the_forest_by_images():
    table = forest_shown.cases("cv")
    errors = forest_shown.errors("cv")["8 folds of images"]
    means = forest_shown.by_image(table, errors)
    assert means.shape == (48,)
    assert means[7] == pytest.approx(errors[table["group"].to_numpy() == 7].mean())
    assert forest_shown.corrected("cv").cross_validated.estimate == pytest.approx(errors.mean())
    shown = forest_shown.thirteen().filter(panel="84 inputs", row="8 folds of images")
    assert shown["low"][0] < shown["truth"][0] < shown["high"][0]
    told = image_chart(pl.DataFrame({"image": [1, 2], "trees": [0.25, 0.75]})).to_dict()["description"]
    assert "2 images, from 25% to 75%; all together 50%" in told


def test_concrete_by_weights_and_folds():
    found = concrete_shown.weights_or_folds().filter(question="q90", model="network", row="IS-LOO")
    table = concrete_shown.cases("cv-215a", "mlp")
    errors = (table["mean_loo"].cast(pl.Float64) - table["target"]).abs().to_numpy()
    assert found["estimate"][0] == pytest.approx(densities.Quantile(0.9).of(errors))


@needs_concrete
def test_concrete_from_the_archive():
    kinds = concrete_shown.additives()
    assert kinds["all"].sum() == 215
    assert not (kinds["no additives"] & kinds["slag"]).any()
    table = concrete_shown.pairs("likelihood")
    assert table["t"][0] + table["Normal"][1] == pytest.approx(1.0)
    found = concrete_shown.residual_models("rmse").group_by("panel", maintain_order=True).agg("estimate")
    assert found["panel"].to_list() == ["215 casts", "215 others"]
    assert all(low < estimate < high for low, high, each in ((6.0, 7.0, 0), (7.0, 8.0, 1))
               for estimate in found["estimate"][each])


def test_the_forest_is_made_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(forest_scene, "fit", sampler(True))
    monkeypatch.setattr(forest_scene, "PARTS", ("cv-18",))
    cases, facts = forest_scene.continued(tmp_path)
    assert cases.columns == forest_shown.stored()[0].columns
    assert cases.height == 2 * 4800
    assert facts.columns == forest_shown.stored()[1].columns
    assert facts["least_error"][0] < 0.2 < facts["true_error"][0] < 0.8
    monkeypatch.setattr(forest_scene, "fit", None)
    again, _ = forest_scene.continued(tmp_path)
    assert again.equals(cases)


@needs_concrete
def test_concrete_is_made_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(concrete, "fit", lambda model, part: sampler(False))
    monkeypatch.setattr(concrete, "STUDIED", (*concrete.STUDIED[:1], ("cv", "mlp", ("grouped-10",))))
    found = concrete.continued(tmp_path)
    assert set(found.columns) == set(concrete_shown.stored().columns)
    assert found.group_by("part", maintain_order=True).len().rows() == [("cv-215a", 215), ("cv", 1030)]
    whole = found.filter(part="cv")
    assert whole.group_by("group").agg(pl.col("fold").n_unique())["fold"].max() == 1
