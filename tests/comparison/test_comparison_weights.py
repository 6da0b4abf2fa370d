"""What a comparison says of weighted cases: a weight of 2 is two equal cases, one of 0 is none."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

import benchbook
from benchbook.assess.calibration import reliability
from benchbook.comparison import Comparison
from benchbook.comparison.losses import empirical_crps
from benchbook.seeds import generator

N = 60


def drawn(number, kind):
    """Methods, inputs, targets and weights: some 0, some large where errors are."""
    rng = generator(number, "weighted cases")
    X = rng.normal(size=(N, 2))
    y = X[:, 0] + rng.normal(size=N)
    weights = rng.integers(0, 4, N) * np.where(np.abs(y) > 1, 9.0, 1.0)
    if kind == "class":
        return {"a": LogisticRegression()}, X, np.where(y > 0, "yes", "no"), weights
    return {"a": Ridge()}, X, y, weights


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize(
    "settings",
    [
        {"design": 4, "losses": "squared"},
        {"design": "3x2", "losses": "brier"},
        {"design": "holdout-0.4", "losses": "absolute"},
        {"design": 3, "losses": "absolute", "groups": np.arange(N) // 4},
    ],
    ids=["folds", "repeats", "one split", "groups"],
)
def test_utilities_have_the_means_of_the_table(number, settings, tmp_path):
    kind = "class" if settings["losses"] == "brier" else "number"
    methods, X, y, weights = drawn(number, kind)
    made = benchbook.compare(methods, X, y, weights=weights, effort="quick", **settings)
    means = dict(made.table.select("method", "mean").iter_rows())
    for one in (made, Comparison.load(made.save(tmp_path / "kept"))):
        table = one.utilities()
        assert dict(table.select("method", "expected").iter_rows()) == pytest.approx(means)
        assert (table["low"] < table["expected"]).all()
        assert (table["expected"] < table["high"]).all()


@pytest.mark.parametrize("kind", ["number", "class"])
def test_calibration_counts_a_case_as_often_as_its_weight_says(kind, tmp_path):
    methods, X, y, weights = drawn(4, kind)
    losses = "brier" if kind == "class" else "crps"
    made = benchbook.compare(methods, X, y, weights=weights, design=3, losses=losses, cache=False)
    drawing = made.calibration()
    assert "observed" in str(drawing.chart.to_dict())
    assert ", weighted" in str(drawing.chart.to_dict())
    if kind == "number":
        level = drawing.table.filter(drawing.table["stated"].is_close(0.5))["observed"][0]
        inside, counted = 0.0, 0.0
        for split, distribution in zip(made.plan.splits, made.fits.distributions["a"], strict=True):
            low, high = distribution.interval(0.5)
            hit = (low <= y[split.test]) & (y[split.test] <= high)
            inside += weights[split.test] @ hit
            counted += weights[split.test].sum()
        assert level == pytest.approx(inside / counted)
        return
    first = made.predictions.filter(
        (made.predictions["method"] == "a") & (made.predictions["split"] < 3)
    )
    rows = first["row"].to_numpy()
    counts = weights[rows].astype(int)
    copies = reliability(first["p_1"].to_numpy().repeat(counts), (y[rows] == "yes").repeat(counts))
    assert drawing.table["observed"].to_list() == pytest.approx(copies["calibrated"].to_list())
    loaded = Comparison.load(made.save(tmp_path / "kept")).calibration()
    assert loaded.table.equals(drawing.table)


def test_the_crps_of_weighted_values_is_half_their_mean_difference_on_themselves():
    _, _, y, weights = drawn(5, "number")
    losses = empirical_crps(np.column_stack([y, weights]), y)
    share = weights / weights.sum()
    assert share @ losses == pytest.approx(share @ np.abs(y[:, None] - y) @ share / 2)


@pytest.mark.parametrize("kind", ["number", "class"])
@pytest.mark.parametrize("groups", [None, np.arange(N) // 4])
def test_a_case_of_weight_0_is_absent_from_all_that_is_said(kind, groups):
    """Whatever is predicted of it, by means, differences, p-values, counts and alarms."""
    _, X, y, _ = drawn(6, kind)
    off = generator(7, "weighted cases").permutation(N)[:12]
    weights = np.ones(N)
    weights[off] = 0.0

    def compared(wild):
        def guess(train, targets, test):
            if kind == "class":
                p = 1 / (1 + np.exp(-np.clip(test[:, 0], -3, 3)))
                p = np.where(np.isin(test[:, 1], X[off, 1]), wild, p)
                return np.column_stack([1 - p, p])
            return test[:, 0] + np.isin(test[:, 1], X[off, 1]) * 1e6 * wild

        losses = ["log", "auc"] if kind == "class" else ["squared", "absolute"]
        settings = {"design": 4, "effort": "quick", "losses": losses, "smooth": False}
        return benchbook.compare({"f": guess}, X, y, weights=weights, groups=groups, **settings)

    tame, wild = compared(0.0), compared(1.0)
    assert wild.table.equals(tame.table)
    assert wild.sentence.partition(", seed")[0] == tame.sentence.partition(", seed")[0]
    assert wild.cases == tame.cases == N - len(off)
    assert [alarm.text for alarm in wild.alarms] == [alarm.text for alarm in tame.alarms]
    means = dict(tame.table.filter(loss=tame.codes[0]).select("method", "mean").iter_rows())
    pair = tame.pair("f", "constant guess")
    assert pair["difference"] == pytest.approx(means["f"] - means["constant guess"])
    assert not np.isin(tame.losses["row"], off).any()
