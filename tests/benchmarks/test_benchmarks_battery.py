"""The battery in small: it finds the default test right, and a test without its correction wrong."""

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchbook.assess import corrected_resampled_t, folds_design, spread

ROOT = Path(__file__).parents[2]
SETS = 300


@pytest.fixture
def battery(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    from benchmarks.battery import measure, rivals, scenarios, simulation, stability

    yield {
        "measure": measure, "rivals": rivals, "scenarios": scenarios, "simulation": simulation, "stability": stability,
    }  # fmt: skip
    for name in [name for name in sys.modules if name.partition(".")[0] == "benchmarks"]:
        del sys.modules[name]


@pytest.fixture
def twins(battery):
    """One nearest neighbour on exchangeable inputs, the learner that needs the correction most."""
    room = battery["scenarios"]
    return room.Scenario(
        "twins", "equal", room.worlds.waves([1] * 4), 100, room._twins("neighbours", 1, 4), repeats=3, tests=50
    )  # fmt: skip


def size(frame, procedure):
    row = frame.filter(pl.col("procedure") == procedure, loss="squared", kind="difference")
    return row["rejects"].item()


def too_large(share):
    """Whether so many false positives are more than a size of .06 gives by chance (5 %)."""
    return stats.binom.sf(round(share * SETS) - 1, SETS, 0.06) < 0.05


def test_the_default_test_of_equal_learners_has_its_size_and_its_interval_covers(battery, twins):
    frame = battery["measure"].measure(twins, SETS)
    ours = battery["measure"].PROCEDURES["default"]
    assert not too_large(size(frame, ours))
    row = frame.filter(pl.col("procedure") == ours, loss="squared", kind="difference")
    assert row["coverage_methods"].item() > 0.9
    assert too_large(size(frame, "paired t over 10 folds"))


def test_without_the_correction_the_battery_finds_the_default_test_wrong(
    battery, twins, monkeypatch
):
    monkeypatch.setattr(
        spread,
        "corrected_error",
        lambda means, share, _: np.std(means, ddof=1) / np.sqrt(len(means)),
    )
    frame = battery["measure"].measure(twins, SETS)
    assert too_large(size(frame, battery["measure"].PROCEDURES["default"]))


def test_the_battery_concludes_what_by_design_concludes(battery, twins):
    """The quick test of one dataset is the corrected t of its fold means, unless the case-wise error is larger."""
    result = battery["simulation"].simulate(twins, 5)
    gaps = result.folds["squared", 0][0] - result.folds["squared", 1][0]
    test = corrected_resampled_t(gaps, 1 / 9)
    ours = result.conclusions["squared", (0, 1), "quick"]
    assert ours.estimate == pytest.approx(gaps.mean())
    if ours.ratio > 1.0:
        assert ours.rejects == (test.p <= 0.05)
        half = stats.t.ppf(0.975, 9) * test.standard_error
        assert ours.high - ours.low == pytest.approx(2 * half)
    assert battery["simulation"].design_of(twins, "default", None) == folds_design(100, 10, 3)


def test_a_dataset_is_the_same_whatever_else_is_simulated(battery, twins):
    simulate = battery["simulation"].simulate
    assert simulate(twins, 3).conclusions == simulate(twins, 3).conclusions
    assert simulate(twins, 3).conclusions != simulate(twins, 4).conclusions


def test_calls_on_other_shufflings_are_counted(battery, twins):
    """Four calls of each dataset and loss; what is seen of a call are thirds of its three others."""
    frame = battery["stability"].measure(twins, 3)
    counts = frame.group_by("loss", "question").agg(pl.col("calls").sum())
    assert counts.height == 4
    assert counts["calls"].unique().to_list() == [12]
    thirds = (3 * frame["seen"] * frame["calls"]).to_numpy()
    assert thirds == pytest.approx(np.round(thirds))
    assert frame.select((pl.col("said") >= pl.col("band")).all()).item()


def test_rivals_are_the_tests_that_they_are_named_for(battery):
    rng = np.random.default_rng(0)
    item, other = rng.normal(size=(40, 10, 10)), rng.normal(0.35, size=(40, 10, 10))
    rivals = battery["rivals"].RIVALS
    for name, first, second in (
        ("paired t over 10 folds", item[:, 0], other[:, 0]),
        ("paired t over 10 x 10 folds", item.reshape(40, -1), other.reshape(40, -1)),
    ):
        expected = stats.ttest_rel(first, second, axis=1).pvalue < 0.05
        assert 0 < expected.sum() < 40 or "x" in name
        assert (rivals[name](item, other) == expected).all()
    corrected = [
        corrected_resampled_t((a - b).ravel(), 1 / 9).p < 0.05
        for a, b in zip(item, other, strict=True)
    ]
    assert (rivals["corrected t over 10 x 10 folds"](item, other) == corrected).all()


@pytest.mark.parametrize("learner", ["ridge", "neighbours", "tree", "boosting"])
def test_learners_do_what_scikit_learns_do(battery, learner):
    from sklearn import ensemble, linear_model, neighbors, tree

    fit = battery["simulation"].LEARNERS[learner]
    rng = np.random.default_rng(3)
    x, x_test = rng.normal(size=(80, 3)), rng.normal(size=(40, 3))
    y = x @ [1.0, -1.0, 0.5] + rng.normal(size=80)
    mask = np.arange(80) >= 16
    theirs, parameter = {
        "ridge": (linear_model.Ridge(5.0), 5.0),
        "neighbours": (neighbors.KNeighborsRegressor(4), 4.0),
        "tree": (tree.DecisionTreeRegressor(max_depth=2, min_samples_leaf=3), 2.0),
        "boosting": (
            ensemble.GradientBoostingRegressor(
                n_estimators=5, max_depth=2, min_samples_leaf=3, learning_rate=0.2
            ),
            5.0,
        ),
    }[learner]  # fmt: skip
    inside, outside = fit(x, y, mask[None], x_test, 1, parameter)
    theirs.fit(x[mask], y[mask])
    assert inside[0, ~mask] == pytest.approx(theirs.predict(x[~mask]), rel=1e-6)
    assert outside[0] == pytest.approx(theirs.predict(x_test), rel=1e-6)
