"""Residual models: each update of precisions, degrees of freedom and scales against its density by itself."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

from benchbook.errors import FaultyInput
from benchbook.kernels import residuals as kernels
from benchbook.methods.shared import residuals
from benchbook.methods.shared.residuals import Groups

DRAWS = 4000


@pytest.fixture
def four(rng: np.random.Generator):
    """Two indicators, a prior of t residuals and a state, for 30 cases; and squares [30]."""
    inputs = rng.integers(0, 2, size=(30, 3)).astype(float)
    groups = Groups.used_or_not(inputs, (0, 2))
    prior = residuals.prior_arrays(groups, inputs, tails=True)
    return groups, prior, residuals.draw(prior, groups.count, rng), rng.chisquare(1, 30)


def test_groups_are_the_combinations_of_what_is_used(rng):
    inputs = np.array([[0.0, 5.0, -1.0], [0.0, 5.0, 2.0], [0.3, 6.0, -1.0], [0.1, 4.0, 7.0]])
    groups = Groups.used_or_not(inputs, (0, 2))
    assert groups.count == 4
    assert groups.of(inputs).tolist() == [0, 2, 1, 3]
    assert groups.of(np.array([[9.0, 0.0, -5.0]])).tolist() == [1]
    assert residuals.ONE_GROUP.of(inputs).tolist() == [0, 0, 0, 0]
    with pytest.raises(FaultyInput, match="column of the inputs"):
        Groups.used_or_not(inputs, (0, 3))


def test_precisions_have_their_conditional_density(four, rng):
    """Gamma with the shape and rate of conjugacy, and the common one by the ratio of ``log_joint`` on a grid."""
    groups, prior, state, squares = four
    common, scales = float(state.common[0]), state.scales.copy()
    seen = []
    for _ in range(DRAWS):
        state.common[0] = common
        kernels.update_precisions(squares, 1, state, prior, rng)
        seen.append(state.precisions.copy())
    for k in range(groups.count):
        own = prior.group_of == k
        shape, rate = 0.5 * (2 + own.sum()), 0.5 * (2 / common + scales[own] @ squares[own])
        assert (
            stats.kstest(np.array(seen)[:, k], stats.gamma(shape, scale=1 / rate).cdf).pvalue > 1e-3
        )


def test_common_precision_leaves_its_density_as_it_is(four, rng):
    """Prior draws of the common precision and of K about it, then the update without data: still the prior's mean."""
    groups, prior, _, _ = four
    logs = []
    for _ in range(DRAWS):
        state = residuals.draw(prior, groups.count, rng)
        before = np.log(state.common[0])
        kernels.update_precisions(
            np.zeros(0), 1, state, prior._replace(group_of=np.zeros(0, dtype=np.int64)), rng
        )
        logs.append(np.log(state.common[0]) - before)
    assert abs(np.mean(logs)) < 4 * np.std(logs) / np.sqrt(DRAWS)
    assert np.std(logs) > 0.1


def test_degrees_have_the_probabilities_of_student_t(four, rng):
    _, prior, state, squares = four
    seen = []
    for _ in range(DRAWS):
        kernels.update_degrees(squares, state, prior, rng)
        seen.append(state.degrees[1])
    own = prior.group_of == 1
    z = np.sqrt(state.precisions[1] * squares[own])
    logs = stats.t.logpdf(z[:, None], prior.grid).sum(axis=0)
    expected = DRAWS * np.exp(logs - logsumexp(logs))
    counts = np.bincount(seen, minlength=len(prior.grid))
    merged = expected > 5
    chi = stats.chisquare(
        np.append(counts[merged], counts[~merged].sum() + 1e-9),
        np.append(expected[merged], expected[~merged].sum() + 1e-9),
    )
    assert chi.pvalue > 1e-3


def test_scales_have_their_gamma_density_and_make_students_t(four, rng):
    groups, prior, state, squares = four
    seen = np.empty((DRAWS, 30))
    for k in range(DRAWS):
        kernels.update_scales(squares, state, prior, rng)
        seen[k] = state.scales
    n, t = prior.grid[state.degrees[prior.group_of]], state.precisions[prior.group_of]
    for i in (0, 7):
        law = stats.gamma(0.5 * (n[i] + 1), scale=2 / (n[i] + t[i] * squares[i]))
        assert stats.kstest(seen[:, i], law.cdf).pvalue > 1e-3
    drawn = [residuals.draw(prior, groups.count, rng) for _ in range(300)]
    z = np.concatenate([rng.normal(size=30) / np.sqrt(d.scales) for d in drawn])
    df = np.concatenate([prior.grid[d.degrees[prior.group_of]] for d in drawn])
    assert stats.kstest(stats.t.cdf(z, df), "uniform").pvalue > 1e-3


def test_normal_residuals_have_no_scales(rng):
    inputs = rng.normal(size=(12, 2))
    prior = residuals.prior_arrays(residuals.ONE_GROUP, inputs, tails=False)
    state = residuals.start(residuals.ONE_GROUP, 12, tails=False, sd=0.5)
    kernels.update_residuals(np.full(12, 0.01), 2, state, prior, rng)
    assert state.scales.tolist() == [1.0] * 12
    assert 20 < state.precisions[0] < 500  # 24 squares of 0.005 each


def test_log_joint_moves_as_the_conditionals_do(four):
    """The ratio of the joint density at two values of one unknown is that of its conditional density."""
    _, prior, state, squares = four
    own = prior.group_of == 1
    shape, rate = (
        0.5 * (2 + own.sum()),
        0.5 * (2 / state.common[0] + state.scales[own] @ squares[own]),
    )
    joint = []
    for value in (0.7, 1.9):
        state.precisions[1] = value
        joint.append(residuals.log_joint(squares, 1, state, prior))
    law = stats.gamma(shape, scale=1 / rate)
    assert joint[1] - joint[0] == pytest.approx(law.logpdf(1.9) - law.logpdf(0.7), rel=1e-10)
