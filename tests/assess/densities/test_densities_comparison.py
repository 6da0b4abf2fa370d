"""Comparison of models under common weights: identities, calibration, and what is refused."""

import numpy as np
import pytest
from refusals import refused
from scipy import stats

from benchbook.assess.densities import (
    ROOT_MEAN,
    Quantile,
    bayesian_bootstrap,
    compare_models,
    gaussian,
    loo,
)
from benchbook.errors import FaultyInput


@pytest.fixture
def errors(rng):
    common = rng.normal(size=80)
    return {"good": (0.8 * common) ** 2, "middling": common**2, "odd": rng.normal(size=80) ** 2}


def test_equations_26_and_27(errors):
    """The difference of two bootstraps under the same weights is the bootstrap of the differences."""
    result = compare_models(errors, "smaller is better", replicates=500).difference("good", "odd")
    direct = bayesian_bootstrap(errors["good"] - errors["odd"], replicates=500)
    np.testing.assert_allclose(result.difference.replicates, direct.replicates, atol=1e-13)
    assert result.difference.estimate == pytest.approx((errors["good"] - errors["odd"]).mean())


def test_pairing_takes_out_what_the_models_share(errors):
    result = compare_models(errors, "smaller is better", replicates=2000)
    alone = [result.expected[name].sd for name in ("good", "middling")]
    assert result.difference("good", "middling").difference.sd < 0.5 * np.hypot(*alone)
    assert (
        result.difference("good", "middling").probability_better == 1.0
    )  # better in every case, so in every replicate


def test_matrix_is_antisymmetric_and_knows_the_direction(errors):
    smaller = compare_models(errors, "smaller is better", replicates=400)
    larger = compare_models(errors, "larger is better", replicates=400)
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose((smaller.probability + smaller.probability.T)[off], 1.0)
    np.testing.assert_allclose(larger.probability[off], smaller.probability.T[off], atol=1e-12)
    assert np.isnan(np.diag(smaller.probability)).all()
    table = smaller.table()
    assert table.columns == ["model", "good", "middling", "odd"]
    assert table["good"].to_list()[0] is None
    assert table["middling"].to_list()[0] == smaller.probability[0, 1] == 1.0


def test_a_model_against_itself_is_a_toss_up(errors):
    twins = compare_models(
        {"a": errors["odd"], "b": errors["odd"]}, "smaller is better", Quantile(0.9), replicates=100
    )
    assert twins.probability[0, 1] == 0.5
    assert twins.difference("a", "b").probability_negligible(0.0) == 1.0


def test_negligible_differences(errors):
    result = compare_models(errors, "smaller is better", ROOT_MEAN, replicates=1000).difference(
        "good", "middling"
    )
    width = abs(result.difference.estimate)
    assert 0.3 < result.probability_negligible(width) < 0.7
    assert result.probability_negligible(10 * width) == 1.0


def test_any_monotone_transform_of_the_summary_gives_the_same_probability(errors):
    mean = compare_models(errors, "smaller is better", replicates=600).probability
    root = compare_models(errors, "smaller is better", ROOT_MEAN, replicates=600).probability
    np.testing.assert_array_equal(mean, root)


def test_monte_carlo_errors_of_two_models_do_not_cancel(rng):
    noisy = rng.normal(size=40) + 0.5 * rng.normal(size=(300, 1))
    result = compare_models({"a": noisy, "b": noisy}, "larger is better", replicates=3000)
    assert result.difference("a", "b").difference.sd == pytest.approx(0.5 * np.sqrt(2), rel=0.15)


def test_probability_is_close_to_the_paired_t_test(rng):
    difference = rng.normal(0.2, 1.0, size=100)
    p = stats.ttest_1samp(difference, 0.0, alternative="less").pvalue
    assert bayesian_bootstrap(difference).probability_above() == pytest.approx(p, abs=0.02)
    assert gaussian(difference).probability_above() == pytest.approx(p, abs=0.01)


def test_probability_is_uniform_where_models_are_equal(rng):
    results = [
        bayesian_bootstrap(row, replicates=400, seed=k).probability_above()
        for k, row in enumerate(rng.normal(size=(300, 60)))
    ]
    assert stats.kstest(results, "uniform").pvalue > 0.01
    assert 0.05 < np.mean((np.array(results) < 0.05) | (np.array(results) > 0.95)) < 0.18


def test_what_was_left_out_carries_its_cases_and_targets(rng):
    matrix, targets = rng.normal(size=(200, 6)), np.arange(6.0)

    def left_out(values=matrix, cases="abcdef", y=targets):
        return loo(values, cases=cases, targets=y)

    first, other = left_out(), left_out(matrix - 1.0, y=[0, 1, 2, 3, 4, 5])
    result = compare_models({"one": first, "other": other}, "larger is better", replicates=50)
    bare = compare_models(
        {"one": first.log_density, "other": other.log_density}, "larger is better", replicates=50
    )
    assert result.difference("one", "other").difference.estimate == pytest.approx(1.0)
    assert result.probability[0, 1] == bare.probability[0, 1] == 1.0
    unknown = loo(matrix)
    compare_models({"one": first, "unknown": unknown}, "larger is better", replicates=10)
    with pytest.raises(FaultyInput, match="other: found case id x"):
        compare_models({"one": first, "other": left_out(cases="abcdex")}, "larger is better")
    logs = left_out(y=np.log1p(targets))
    with pytest.raises(
        FaultyInput, match=r"other: found target 0\.69\d* at place 1 \(5 differ\); one has 1"
    ):
        compare_models({"one": first, "unknown": unknown, "other": logs}, "larger is better")
    losses = {"one": first.log_density, "other": logs.log_density}
    with pytest.raises(FaultyInput, match="other: found target"):
        compare_models(
            losses, "larger is better", targets={"one": targets, "other": np.log1p(targets)}
        )
    with pytest.raises(FaultyInput, match="other: found none; every model needs its targets"):
        compare_models(losses, "larger is better", targets={"one": targets})
    for faulty, rule in (
        ({"cases": "abc"}, "there are 6 cases, an id each"),
        ({"targets": targets[:4]}, "there are 6 cases, a target each"),
    ):
        refused(FaultyInput, rule, loo, matrix, **faulty)


def test_cases_are_joined_by_their_ids(rng):
    matrix, targets, order = rng.normal(size=(200, 6)), np.arange(6.0), rng.permutation(6)
    cases = np.array(list("abcdef"))
    item = loo(matrix, cases=cases, targets=targets)
    other = loo(matrix[:, order] - 1.0, cases=cases[order], targets=targets[order].astype("f4"))
    result = compare_models({"one": item, "other": other}, "larger is better", replicates=50)
    np.testing.assert_allclose(result.difference("one", "other").difference.replicates, 1.0)


def test_targets_in_another_order_are_refused_where_ids_do_not_tell(rng):
    matrix, targets, order = rng.normal(size=(200, 6)), np.arange(6.0), [1, 0, 2, 3, 4, 5]
    first, other = loo(matrix, targets=targets), loo(matrix[:, order], targets=targets[order])
    with pytest.raises(FaultyInput, match=r"target 1\.0 at place 0 \(2 differ\)"):
        compare_models({"one": first, "other": other}, "larger is better")
    names = loo(matrix, cases="abcdef", targets=targets)  # ids of one model only: by place
    numbers = loo(matrix, cases=range(6), targets=np.float32(targets))
    result = compare_models({"one": names, "other": numbers}, "larger is better", replicates=10)
    assert result.difference("one", "other").difference.estimate == 0.0


def test_differences_of_rounding_are_none(errors):
    stored = errors["odd"].astype(np.float32).astype(float)
    result = compare_models({"a": errors["odd"], "b": stored}, "smaller is better", replicates=200)
    assert result.probability[0, 1] == 0.5
    assert result.difference("a", "b").difference.estimate == 0.0
    real = compare_models(
        {"a": errors["odd"], "b": errors["odd"] * (1 + 1e-5)}, "smaller is better", replicates=200
    )
    assert real.probability[0, 1] == 1.0


@pytest.mark.parametrize("labels", ["abcabc", None])
def test_labels_are_targets_too(rng, labels):
    matrix = rng.normal(size=(100, 6))
    classes = list(labels or "aabbcc")
    other = [*classes[:5], "z"]
    first, two = (loo(matrix, targets=y) for y in (classes, other))
    with pytest.raises(FaultyInput, match="found target z at place 5"):
        compare_models({"one": first, "two": two}, "larger is better")
