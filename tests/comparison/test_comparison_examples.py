"""The acceptance examples of the one call, as far as they are about fits and losses: numbers as they are expected."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_diabetes, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from benchbook.comparison.call import prepare
from benchbook.comparison.fits import run

DIABETES = load_diabetes(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)


def fitted(methods, X, y=None, *, n_jobs=None, **asked):
    asked = {"effort": "quick"} | asked
    request = prepare(methods, X, y, **asked)
    return run(
        request.data, request.plan, request.contenders, request.measures, cache=False, n_jobs=n_jobs
    )


def means(fits, loss):
    frame = fits.fold_losses.filter(pl.col("loss") == loss)
    return dict(frame.group_by("method").agg(pl.col("value").mean()).iter_rows())


def test_1_losses_equal_those_of_cross_validate():
    folds = KFold(10, shuffle=True, random_state=0)
    fits = fitted({"ridge": Ridge()}, *DIABETES, design=folds)
    theirs = cross_validate(Ridge(), *DIABETES, cv=folds, scoring="neg_mean_absolute_error")
    value = means(fits, "absolute")["ridge"]
    assert value == pytest.approx(-theirs["test_score"].mean(), rel=1e-14)
    assert value == pytest.approx(48.40845553238934, rel=1e-14)
    mine = fits.losses.filter(method="ridge", loss="absolute")
    assert mine.height == 442
    assert mine["role"].unique().to_list() == ["held_out"]
    assert sorted(mine["row"]) == list(range(442))


def test_2_two_straight_lines_differ_by_little():
    fits = fitted({"ols": LinearRegression(), "ridge": Ridge(0.01)}, *DIABETES)
    value = means(fits, "absolute")
    assert value["ridge"] == pytest.approx(44.39, abs=0.005)
    assert value["ols"] == pytest.approx(44.45, abs=0.005)


def test_3_a_forest_with_a_seed_of_its_own_keeps_it():
    forest = RandomForestRegressor(50, random_state=0)
    fits = fitted({"ridge": Ridge(), "forest": forest}, *DIABETES, losses="squared")
    value = means(fits, "squared")
    assert value["forest"] - value["ridge"] == pytest.approx(106, abs=0.5)


def test_4_log_loss_of_neighbours_is_that_of_smoothed_shares():
    scaled = make_pipeline(StandardScaler(), LogisticRegression())
    fits = fitted({"logistic": scaled, "knn": KNeighborsClassifier(3)}, *CANCER)
    value = means(fits, "log")
    assert value["logistic"] == pytest.approx(0.078, abs=0.0005)
    assert value["knn"] - value["logistic"] == pytest.approx(0.186, abs=0.0008)


def rents():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"area": rng.uniform(20, 120, 600), "state": rng.choice(["poor", "fair", "good"], 600)}
    )
    worth = frame.state.map({"poor": -80, "fair": 0, "good": 90})
    frame["rent"] = 200 + 8 * frame.area + worth + rng.normal(0, 60, 600)
    return frame


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_5_frames_reach_column_transformers_by_name(library):
    frame = rents()
    if library == "polars":
        frame = pl.from_dict(frame.to_dict("list"))
    coded = ColumnTransformer([("s", OneHotEncoder(), ["state"])], remainder="passthrough")
    area = ColumnTransformer([("a", "passthrough", ["area"])])
    methods = {
        "all": make_pipeline(coded, LinearRegression()),
        "area": make_pipeline(area, LinearRegression()),
    }
    value = means(fitted(methods, frame, target="rent"), "absolute")
    assert value["all"] == pytest.approx(48.66, abs=0.005)
    assert value["area"] == pytest.approx(75.85, abs=0.005)


def persons():
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(60), 10)
    X = rng.normal(size=(60, 5))[person] + 0.05 * rng.normal(size=(600, 5))
    return X, rng.normal(size=60)[person] + 0.1 * rng.normal(size=600), person


def test_6_by_groups_neighbours_lose_to_the_constant_guess():
    X, y, person = persons()
    methods = {"knn": KNeighborsRegressor(3), "ridge": Ridge()}
    value = means(fitted(methods, X, y, losses="squared"), "squared")
    assert value["knn"] == pytest.approx(0.012, abs=0.0005)
    assert value["ridge"] == pytest.approx(1.20, abs=0.005)
    fits = fitted(methods, X, y, groups=person, losses="squared")
    value = means(fits, "squared")
    assert value["knn"] == pytest.approx(2.71, abs=0.005)
    assert min(value, key=value.get) == "constant guess"
    assert value["constant guess"] == pytest.approx(1.28, abs=0.005)
    assert fits.plan.design.kind == "groups"


def test_7_a_planted_leak_is_a_loss_of_zero():
    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.1).astype(int)
    X = np.column_stack([rng.normal(size=(2000, 4)), np.where(y, 5.0, -1.0)])
    fits = fitted({"logistic": LogisticRegression()}, X, y, losses="zero_one")
    assert means(fits, "zero_one")["logistic"] == 0.0


def test_8_a_rare_class_puts_ranking_second():
    X, y = make_classification(
        6000,
        10,
        n_informative=4,
        weights=[0.993],
        flip_y=0.002,
        class_sep=0.7,
        random_state=1,
    )
    methods = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "hgb": HistGradientBoostingClassifier(max_iter=40, random_state=0),
    }
    fits = fitted(methods, X, y)
    assert y.sum() == 47
    assert list(fits.orientation) == ["log", "auc", "zero_one"]
    assert set(np.round(list(means(fits, "zero_one").values()), 4)) == {0.0078}
    assert np.round(sorted(means(fits, "auc").values()), 2).tolist() == [0.19, 0.31, 0.50]


class Fragile(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        if X[0, 0] > 0:
            raise ValueError("singular matrix")
        self.mean_ = y.mean()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def test_9_what_fails_on_some_folds_is_not_averaged_over_the_others():
    fits = fitted({"ridge": Ridge(), "bad": Fragile()}, *DIABETES)
    assert len(fits.errors["bad"]) == 9
    assert fits.errors["bad"][0][1] == "ValueError: singular matrix"
    assert "in fit" in fits.errors["bad"][0][2]
    assert "bad" not in means(fits, "absolute")
    assert means(fits, "absolute")["ridge"] == pytest.approx(48.60, abs=0.005)


def test_10_lambdas_and_classes_without_a_module_give_the_same_in_two_processes():
    class Mine(Fragile):
        def fit(self, X, y):
            self.mean_ = y.mean() + np.random.rand()  # noqa: NPY002 - as people write it
            return self

    methods = {
        "mine": make_pipeline(FunctionTransformer(lambda Z: Z * 2), Ridge()),
        "local": Mine(),
    }
    one, two = (fitted(methods, *DIABETES, n_jobs=n) for n in (1, 2))
    assert one.losses.equals(two.losses)
    assert one.losses.height == 3 * 2 * 442
