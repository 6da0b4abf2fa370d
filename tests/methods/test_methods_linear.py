"""base-1 and lin-1 against hand computation, normal theory, brute force, and their own promises."""

import numpy as np
import pytest
from scipy import stats

from benchbook import methods
from benchbook.methods.linear import _PENALTIES, CentredDesign, _ridge
from benchbook.methods.shared.variance_floor import stated_variance


def ask(name, instance, rng):
    return methods.answer(methods.get(name), instance, rng)[0]


def test_base_by_hand(make_instance, rng):
    prediction = ask("base-1", make_instance(np.zeros((4, 1)), [1, 2, 3, 6], np.zeros((2, 1))), rng)
    assert prediction.mean().tolist() == [3.0, 3.0]
    np.testing.assert_allclose(prediction.variance(), 14 / 3, rtol=1e-15)


def test_base_for_classes_by_hand(make_instance, rng):
    instance = make_instance(np.zeros((4, 1)), [0, 0, 1, 0], np.zeros((2, 1)), ("a", "b", "c"))
    np.testing.assert_allclose(
        ask("base-1", instance, rng).parameters["probability"], [[4 / 7, 2 / 7, 1 / 7]] * 2
    )


def test_least_variance_by_hand():
    assert stated_variance(0.0, np.array([1.0, 3.0])) == pytest.approx(2e-6)
    assert stated_variance(0.5, np.array([1.0, 3.0])) == 0.5
    assert stated_variance(0.0, np.array([7.0, 7.0])) == 1.0
    assert stated_variance(0.0, np.array([7.0])) == 1.0


def test_least_squares_by_hand(make_instance, rng):
    """Fitted line 1.4 + 0.8 x, residual sum of squares 3.6 on 3 degrees of freedom, leverage 1/5 at x = 2."""
    instance = make_instance(np.arange(5.0)[:, None], [1, 3, 2, 5, 4], [[2.0], [4.0]])
    prediction = ask("lin-1", instance, rng)
    np.testing.assert_allclose(prediction.parameters["location"], [3.0, 4.6], rtol=1e-14)
    np.testing.assert_allclose(
        prediction.parameters["scale"], [1.2, np.sqrt(1.2 * (1 + 0.2 + 0.4))], rtol=1e-14
    )
    assert prediction.parameters["df"].tolist() == [3.0, 3.0]


def test_least_squares_against_the_normal_equations(smooth, rng):
    design = np.column_stack([np.ones(40), smooth.train_inputs])
    queries = np.column_stack([np.ones(10), smooth.test_inputs])
    inverse = np.linalg.inv(design.T @ design)
    weights = inverse @ design.T @ smooth.train_targets
    noise = np.sum((smooth.train_targets - design @ weights) ** 2) / 36
    scale = np.sqrt(noise * (1 + np.einsum("ji,ik,jk->j", queries, inverse, queries)))
    prediction = ask("lin-1", smooth, rng)
    np.testing.assert_allclose(prediction.mean(), queries @ weights, rtol=1e-11)
    y = rng.normal(size=10)
    np.testing.assert_allclose(
        prediction.log_density(y), stats.t.logpdf(y, 36, queries @ weights, scale), rtol=1e-10
    )


@pytest.mark.parametrize(("shift", "scale"), [(0.0, 1e6), (1e3, 1e-6), (-5.0, 3.0)])
def test_scale_and_origin_of_the_inputs_do_not_matter(make_instance, smooth, rng, shift, scale):
    scales = scale ** np.array([1.0, -1.0, 0.5])
    inputs, queries = (
        shift + scales * array for array in (smooth.train_inputs, smooth.test_inputs)
    )
    other = make_instance(inputs, smooth.train_targets, queries)
    first, two = ask("lin-1", smooth, rng), ask("lin-1", other, rng)
    for name, value in first.parameters.items():
        np.testing.assert_allclose(two.parameters[name], value, rtol=1e-5)


def test_a_repeated_and_a_constant_column_change_nothing(make_instance, smooth, rng):
    def widen(inputs):
        return np.column_stack([inputs, inputs[:, 0] - 2 * inputs[:, 1], np.full(len(inputs), 4.0)])

    other = make_instance(
        widen(smooth.train_inputs), smooth.train_targets, widen(smooth.test_inputs)
    )
    first, two = ask("lin-1", smooth, rng), ask("lin-1", other, rng)
    for name, value in first.parameters.items():
        np.testing.assert_allclose(two.parameters[name], value, rtol=1e-9)


def test_intervals_hold_what_they_say_with_few_cases(make_instance, rng):
    """Coverage of 80 % intervals from 8 cases with 3 inputs: exact by theory; 4000 draws, standard error 0.0063."""
    inside = []
    for _ in range(400):
        inputs = rng.normal(size=(18, 3))
        targets = inputs @ [1.0, 2.0, -1.0] + rng.normal(size=18)
        lower, upper = ask(
            "lin-1", make_instance(inputs[:8], targets[:8], inputs[8:]), rng
        ).interval(0.8)
        inside.append((lower < targets[8:]) & (targets[8:] < upper))
    assert abs(np.mean(inside) - 0.8) < 0.04
    naive = stats.norm.ppf(0.9) / stats.t.ppf(0.9, 4)
    assert naive < 0.9, (
        "a Gaussian with the same scale would be narrower by a margin this test could see"
    )


def test_ridge_of_wide_instances_uses_the_true_leave_one_out_error(make_instance, rng):
    """The closed form of the left-out errors agrees with refitting without each case, its centre and scale kept."""
    inputs, targets = rng.normal(size=(9, 12)), rng.normal(size=9)
    design = CentredDesign.of(inputs, targets)
    assert design.residual_df < 3
    scaled = (inputs - design.centre) / design.unit
    penalties = _PENALTIES * design.singular.max() ** 2
    errors = []
    for penalty in penalties:
        left_out = []
        for i in range(9):
            mask = np.arange(9) != i
            x = np.column_stack([np.ones(8), scaled[mask]])
            shrink = penalty * np.diag(np.r_[0.0, np.ones(12)])
            weights = np.linalg.solve(x.T @ x + shrink, x.T @ targets[mask])
            left_out.append(targets[i] - np.r_[1.0, scaled[i]] @ weights)
        errors.append(np.mean(np.square(left_out)))
    best = int(np.argmin(errors))
    whole = np.column_stack([np.ones(9), scaled])
    weights = np.linalg.solve(
        whole.T @ whole + penalties[best] * np.diag(np.r_[0.0, np.ones(12)]), whole.T @ targets
    )
    location, scale, df = _ridge(design, inputs[:2])
    np.testing.assert_allclose(location, whole[:2] @ weights, rtol=1e-6)
    np.testing.assert_allclose(scale, np.sqrt(errors[best]), rtol=1e-6)
    assert df == 8


def test_the_ridge_is_the_one_of_wide_instances_and_least_squares_where_no_penalty_helps(
    make_instance, rng
):
    inputs, queries = rng.normal(size=(9, 12)), rng.normal(size=(4, 12))
    wide = make_instance(inputs, rng.normal(size=9), queries)
    first, other = ask("ridge-1", wide, rng), ask("lin-1", wide, rng)
    for name, value in first.parameters.items():
        np.testing.assert_array_equal(value, other.parameters[name])
    exact = make_instance(inputs[:, :2], inputs[:, :2] @ [1.0, -2.0], queries[:, :2])
    line, least = ask("ridge-1", exact, rng), ask("lin-1", exact, rng)
    np.testing.assert_allclose(line.mean(), least.mean(), atol=1e-4)


def test_the_ridge_shrinks_what_is_noise(make_instance, rng):
    """Twenty useless inputs and thirty cases: least squares doubles the variance, the ridge hardly adds to it."""
    inputs, targets = rng.normal(size=(230, 20)), rng.normal(size=230)
    noise = make_instance(inputs[:30], targets[:30], inputs[30:])
    losses = {
        name: np.mean((ask(name, noise, rng).mean() - targets[30:]) ** 2)
        for name in ("ridge-1", "lin-1")
    }
    assert losses["ridge-1"] < 1.4 < losses["lin-1"]


def test_ridge_finds_a_strong_direction_among_many_inputs(make_instance, rng):
    inputs = rng.normal(size=(30, 1)) * np.ones(60) + 0.1 * rng.normal(size=(30, 60))
    targets = inputs.mean(axis=1)
    prediction = ask("lin-1", make_instance(inputs[:20], targets[:20], inputs[20:]), rng)
    assert np.mean((prediction.mean() - targets[20:]) ** 2) < 0.02 * np.var(targets)


def test_an_exact_fit_still_states_a_variance(make_instance, rng):
    inputs = rng.normal(size=(20, 2))
    prediction = ask("lin-1", make_instance(inputs, inputs @ [1.0, 2.0], inputs[:3]), rng)
    assert np.all(prediction.variance() > 0)
    np.testing.assert_allclose(prediction.mean(), inputs[:3] @ [1.0, 2.0], rtol=1e-10)


def test_one_training_case_is_too_few(make_instance, rng):
    with pytest.raises(
        methods.MethodFailed, match="lin-1 needs at least 2 training cases, there is 1"
    ):
        ask("lin-1", make_instance([[1.0]], [1.0], [[1.0]]), rng)
