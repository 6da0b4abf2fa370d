"""DELVE's estimators on one task: oracles, identities, invariances, golden values, and what must be undefined."""

import math

import numpy as np
import pytest
from refusals import refused
from scipy import integrate, stats

from benchbook.assess import compare, expected_loss, simulate_losses
from benchbook.errors import FaultyInput

SCHEMES = ("hierarchical", "common")


def losses_of(rng, instances=5, cases=7, offset=3.0):
    return offset + simulate_losses(rng, instances, cases, 1.0, 0.7, 0.5, "common")


def by_definition(y, scheme):
    """The printed formulas, term by term in Python, in no hurry."""
    count_i, count_j = len(y), len(y[0])
    total = sum(sum(row) for row in y) / (count_i * count_j)
    rows = [sum(row) / count_j for row in y]
    columns = [sum(y[i][j] for i in range(count_i)) / count_i for j in range(count_j)]
    ms_a = count_j / (count_i - 1) * sum((total - row) ** 2 for row in rows)
    cells = [(i, j) for i in range(count_i) for j in range(count_j)]
    if scheme == "hierarchical":
        ms_e = sum((y[i][j] - rows[i]) ** 2 for i, j in cells) / (count_i * (count_j - 1))
        variance_b = 0.0
    else:
        ms_b = count_i / (count_j - 1) * sum((total - column) ** 2 for column in columns)
        ms_e = sum((y[i][j] - rows[i] - columns[j] + total) ** 2 for i, j in cells) / (
            (count_i - 1) * (count_j - 1)
        )
        variance_b = max(ms_b - ms_e, 0.0) / count_i
    variance_a = max(ms_a - ms_e, 0.0) / count_j
    error = math.sqrt(variance_a / count_i + variance_b / count_j + ms_e / (count_i * count_j))
    return total, error, math.sqrt(variance_a), math.sqrt(variance_b), math.sqrt(ms_e)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_expected_loss_is_the_printed_formula(rng, scheme):
    for shape in ((2, 2), (5, 7), (4, 30)):
        y = losses_of(rng, *shape)
        result, wanted = expected_loss(y, scheme), by_definition(y.tolist(), scheme)
        got = (
            result.mean,
            result.standard_error,
            result.sd_instances,
            result.sd_cases or 0.0,
            result.sd_residual,
        )
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-13)
        assert (result.sd_cases is None) == (scheme == "hierarchical")
        assert (result.instances, result.cases, result.reason) == (*shape, "")


def test_paired_t_is_scipys_on_the_instance_means(rng):
    for instances in (2, 3, 8):
        x, y = losses_of(rng, instances, 20), losses_of(rng, instances, 20, 3.4)
        ours, theirs = compare(x, y), stats.ttest_1samp((x - y).mean(axis=1), 0.0)
        assert ours.p == pytest.approx(theirs.pvalue, rel=1e-12)
        assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-12)
        assert ours.df == (instances - 1,)


def test_paired_t_is_neals_formula(rng):
    x, y = losses_of(rng, 8, 16), losses_of(rng, 8, 16)
    means = (x - y).mean(axis=1)
    wanted = means.mean() / math.sqrt(((means - means.mean()) ** 2).sum() / (8 * 7))
    assert compare(x, y).statistic == pytest.approx(wanted, rel=1e-12)


def test_quasi_f_worked_by_hand():
    # x - y = [[1, 2, 6], [3, 4, 8]]: grand mean 4, instance means 3 and 5, case means 2, 3 and 7, residuals all zero.
    # MS_A = 3/1 * 2 = 6, MS_B = 2/2 * (4 + 1 + 9) = 14, MS_E = 0, SS = 6 * 16 = 96.
    # F = 96/20 = 4.8; nu_1 = 96^2/96^2 = 1; nu_2 = 400/(36/1 + 196/2) = 400/134.
    x, y = (
        np.array([[2.0, 3.0, 9.0], [4.0, 6.0, 9.0]]),
        np.array([[1.0, 1.0, 3.0], [1.0, 2.0, 1.0]]),
    )
    result = compare(x, y, "common")
    assert result.statistic == pytest.approx(4.8, rel=1e-14)
    assert result.df == pytest.approx((1.0, 400 / 134), rel=1e-14)
    # With one degree of freedom above, F is the square of t.
    assert result.p == pytest.approx(2 * stats.t.sf(math.sqrt(4.8), 400 / 134), rel=1e-12)
    assert (result.sd_instances, result.sd_cases, result.sd_residual) == pytest.approx(
        (math.sqrt(2), math.sqrt(7), 0.0)
    )
    assert result.standard_error == pytest.approx(math.sqrt(2 / 2 + 7 / 3))


def test_quasi_f_from_dense_projections_and_an_integral(rng):
    """An independent route: sums of squares as quadratic forms, the tail by numerical integration of the F density."""
    x, y = losses_of(rng, 4, 6), losses_of(rng, 4, 6, 3.9)
    d = (x - y).ravel()
    average_i, average_j = np.full((4, 4), 1 / 4), np.full((6, 6), 1 / 6)
    spread_i, spread_j = np.eye(4) - average_i, np.eye(6) - average_j
    square, ms_a, ms_b, ms_e = (
        d @ np.kron(a, b) @ d / df
        for a, b, df in (
            (average_i, average_j, 1),
            (spread_i, average_j, 3),
            (average_i, spread_j, 5),
            (spread_i, spread_j, 15),
        )
    )
    f = (square + ms_e) / (ms_a + ms_b)
    nu = (
        (square + ms_e) ** 2 / (square**2 + ms_e**2 / 15),
        (ms_a + ms_b) ** 2 / (ms_a**2 / 3 + ms_b**2 / 5),
    )
    tail = integrate.quad(stats.f(*nu).pdf, f, np.inf, epsabs=1e-12)[0]
    result = compare(x, y, "common")
    assert result.statistic == pytest.approx(f, rel=1e-11)
    assert result.df == pytest.approx(nu, rel=1e-11)
    assert result.p == pytest.approx(tail, rel=1e-8)


def test_golden_values():
    # Losses are s/2^31 in reading order, s <- (1103515245 s + 12345) mod 2^31 from s = 1; the mean squares were worked
    # out in exact fractions, the tails with scipy.
    state, numbers = 1, []
    for _ in range(48):
        state = (1103515245 * state + 12345) % 2**31
        numbers.append(state / 2**31)
    x, y = np.array(numbers).reshape(2, 4, 6)
    result = expected_loss(x, "common")
    assert (result.mean, result.standard_error) == pytest.approx(
        (0.4880237611165891, 0.061366950124326004), rel=1e-12
    )
    assert compare(x, y).p == pytest.approx(0.45601223718621153, rel=1e-10)
    assert compare(x, y, "common").p == pytest.approx(0.502196092129451, rel=1e-10)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_order_shift_and_scale(rng, scheme):
    x, y = losses_of(rng), losses_of(rng)
    item, pair = expected_loss(x, scheme), compare(x, y, scheme)
    i, j = rng.permutation(5), rng.permutation(7)
    moved = compare(x[i][:, j], y[i][:, j], scheme)
    assert (moved.p, moved.standard_error) == pytest.approx(
        (pair.p, pair.standard_error), rel=1e-12
    )
    shifted = expected_loss(x + 1e6, scheme)
    assert shifted.mean == pytest.approx(item.mean + 1e6, rel=1e-14)
    assert shifted.standard_error == pytest.approx(item.standard_error, rel=1e-8)
    assert compare(x + 1e6, y + 1e6, scheme).p == pytest.approx(pair.p, rel=1e-8)
    for factor in (1e-300, 1e-9, 7.0, 1e300):
        scaled = compare(x * factor, y * factor, scheme)
        assert scaled.p == pytest.approx(pair.p, rel=1e-10)
        assert scaled.standard_error == pytest.approx(pair.standard_error * factor, rel=1e-12)
        assert expected_loss(x * factor, scheme).sd_residual == pytest.approx(
            item.sd_residual * factor, rel=1e-12
        )


@pytest.mark.parametrize("scheme", SCHEMES)
def test_exchanging_the_methods_changes_the_sign_alone(rng, scheme):
    x, y = losses_of(rng), losses_of(rng)
    first, other = compare(x, y, scheme), compare(y, x, scheme)
    assert first.difference == pytest.approx(-other.difference)
    assert (first.p, first.standard_error) == pytest.approx((other.p, other.standard_error))


def test_standardised_forms(rng):
    x, y = losses_of(rng), losses_of(rng)
    plain, divided = expected_loss(x, "common"), expected_loss(x, "common").standardised(4.0)
    assert divided == expected_loss(x / 4.0, "common")
    shifted = plain.standardised(1.5, "subtract")
    assert shifted.mean == pytest.approx(plain.mean - 1.5)
    assert (shifted.standard_error, shifted.sd_cases) == (plain.standard_error, plain.sd_cases)
    pair = compare(x, y, "common")
    assert pair.standardised(4.0).difference == pytest.approx(pair.difference / 4.0)
    assert pair.standardised(1.5, "subtract").difference == pair.difference
    assert pair.standardised(4.0).p == pair.p
    assert plain.standardised(9.0, "none") == plain
    refused(FaultyInput, "all test targets the same", plain.standardised, 0.0)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_undefined_is_said(rng, scheme):
    x = losses_of(rng)
    same = compare(x, x, scheme)
    assert (same.p, same.statistic, same.df) == (None, None, ())
    assert same.reason == "both methods have the same loss in every case"
    constant = compare(x, x + 0.1, scheme)
    assert constant.p is None
    assert "divide by zero" in constant.reason
    assert constant.difference == pytest.approx(-0.1)
    single = compare(x[:1], x[:1] + rng.normal(size=7), scheme)
    assert single.p is None
    assert "one task instance" in single.reason
    alone = expected_loss(x[:1], scheme)
    assert alone.mean == pytest.approx(x[0].mean())
    assert alone.standard_error is None
    assert "one task instance" in alone.reason


def test_one_case_an_instance(rng):
    x, y = losses_of(rng, 6, 1), losses_of(rng, 6, 1)
    estimate = expected_loss(x)
    assert estimate.standard_error == pytest.approx(x.std(ddof=1) / math.sqrt(6))
    assert estimate.sd_instances is None
    assert "separated" in estimate.reason
    assert compare(x, y).p == pytest.approx(stats.ttest_rel(x[:, 0], y[:, 0]).pvalue)
    assert "one test case" in compare(x, y, "common").reason
    assert expected_loss(x, "common").standard_error is None


def test_quasi_f_without_a_numerator():
    d = np.add.outer([-1.0, 1.0], [-2.0, 2.0])
    result = compare(d, np.zeros((2, 2)), "common")
    assert result.p is None
    assert "degrees of freedom" in result.reason


@pytest.mark.parametrize("scheme", SCHEMES)
def test_infinite_losses(rng, scheme):
    x = losses_of(rng)
    y = x.copy()
    y[2, 4] = y[3, 0] = math.inf
    estimate = expected_loss(y, scheme)
    assert estimate.mean == math.inf
    assert estimate.standard_error is None
    assert (
        estimate.reason
        == "the loss is infinite in 2 of 35 cases: case 4 of instance 2, case 0 of instance 3"
    )
    pair = compare(x, y, scheme)
    assert (pair.p, pair.difference, pair.mean_y) == (None, -math.inf, math.inf)
    assert pair.reason.startswith("the loss of y is infinite in 2 of 35 cases")
    assert compare(y, y, scheme).difference is None
    y[0, 0] = -math.inf
    assert expected_loss(y, scheme).mean is None


def test_all_faults_of_the_input_together():
    with pytest.raises(FaultyInput) as caught:
        expected_loss([[1.0, 2.0, 3.0], [1.0, 2.0], [1.0, math.nan, 3.0], []])
    assert [fault.where for fault in caught.value.faults] == [
        "instance 1",
        "instance 2",
        "instance 3",
    ]
    assert "3 test cases that instance 0 has" in str(caught.value)
    refused(FaultyInput, "'hierarchical'", expected_loss, [[1.0, 2.0]], "nested")
    refused(FaultyInput, "2 instances and 2 cases", compare, [[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0]])


def test_blocks_may_come_as_a_list(rng):
    x = losses_of(rng)
    assert expected_loss(list(x)) == expected_loss(x)
