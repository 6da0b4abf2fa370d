"""The sparse Gaussian process against the exact one, its definition and differences, and on clusters."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from benchbook import methods
from benchbook.methods.gaussian_processes.many_cases import (
    informative_cases,
    near_together,
    nearest,
)
from benchbook.methods.gaussian_processes.model import (
    NOISE_FLOOR,
    HyperparameterPosterior,
)
from benchbook.methods.gaussian_processes.sparse import SparsePosterior
from benchbook.seeds import generator

plain_evidence = runpy.run_path(
    str(Path(__file__).parents[3] / "benchmarks" / "gaussian_process.py")
)["plain_evidence"]


@pytest.fixture
def parts(problem, rng):
    """40 cases of 3 inputs in 4 blocks, 9 inducing inputs that are no cases, hyperparameters with offsets."""
    inputs, targets, t = problem(40, 3)
    blocks = np.array_split(rng.permutation(40), 4)
    return inputs, targets, inputs[:9] + 0.2, blocks, np.append(t, 0.3 * rng.normal(size=4))


def kernel(t, left, right):
    apart = np.sum(np.exp(t[:3]) * (left[:, None] - right[None]) ** 2, axis=2)
    return np.exp(t[3]) * np.exp(-0.5 * apart) + np.exp(t[4]) * left @ right.T + 1.0


def dense(t, inputs, inducing, block_of, queries=None, query_blocks=None):
    """The prior covariance of training targets, and with queries of their noiseless values, by its definition."""
    places = inputs if queries is None else np.vstack([inputs, queries])
    owners = block_of if queries is None else np.append(block_of, query_blocks)
    cross = kernel(t, inducing, places)
    result = cross.T @ np.linalg.solve(kernel(t, inducing, inducing), cross)
    same = owners[:, None] == owners
    result[same] = kernel(t, places, places)[same]
    noise = (np.exp(t[5]) + NOISE_FLOOR) * np.exp(t[6:])
    result[np.arange(len(inputs)), np.arange(len(inputs))] += noise[block_of]
    return result, noise


def owners(blocks):
    block_of = np.empty(sum(map(len, blocks)), dtype=int)
    for index, block in enumerate(blocks):
        block_of[block] = index
    return block_of


@pytest.mark.parametrize("case", ["all cases inducing", "one block"])
def test_it_is_the_exact_process_with_all_cases_inducing_or_in_one_block(problem, rng, case):
    inputs, targets, t = problem(50, 4)
    queries, exact = rng.normal(size=(7, 4)), HyperparameterPosterior(inputs, targets)
    whole = case == "one block"
    blocks = [np.arange(50)] if whole else np.array_split(rng.permutation(50), 5)
    sparse = SparsePosterior(inputs, targets, inputs[:5] if whole else inputs, blocks)
    index = t if whole else np.append(t, np.zeros(5))
    value, slope = exact.evidence(t)
    assert sparse.evidence(index)[0] == pytest.approx(value, abs=1e-5)
    np.testing.assert_allclose(sparse.evidence(index)[1][:7], slope, rtol=1e-4, atol=1e-4)
    for first, other in zip(
        sparse.predict(index, queries, np.arange(7) % len(blocks)),
        exact.predict(t, queries),
        strict=True,
    ):
        np.testing.assert_allclose(first, other, rtol=1e-4, atol=1e-5)
    few = SparsePosterior(inputs, targets, inputs[:5], np.array_split(np.arange(50), 5))
    assert abs(few.evidence(np.append(t, np.zeros(5)))[0] - value) > 0.1, (
        "few inducing inputs must make a difference"
    )


def test_evidence_and_predictions_by_definition(parts, rng):
    inputs, targets, inducing, blocks, t = parts
    queries, query_inputs = rng.normal(size=(6, 3)), np.array([0, 1, 2, 3, 1, 0])
    sparse = SparsePosterior(inputs, targets, inducing, blocks)
    covariance, noise = dense(t, inputs, inducing, owners(blocks), queries, query_inputs)
    seen = covariance[:40, :40]
    expected = -0.5 * (
        targets @ np.linalg.solve(seen, targets) + np.linalg.slogdet(2 * np.pi * seen)[1]
    )
    assert sparse.evidence(t)[0] == pytest.approx(expected, abs=1e-4)
    pull = np.linalg.solve(seen, covariance[:40, 40:])
    mean, variance = sparse.predict(t, queries, query_inputs)
    np.testing.assert_allclose(mean, pull.T @ targets, rtol=1e-4, atol=1e-5)
    expected = (
        np.diag(covariance)[40:] - np.sum(pull * covariance[:40, 40:], axis=0) + noise[query_inputs]
    )
    np.testing.assert_allclose(variance, expected, rtol=1e-4)


def test_gradient_by_differences(parts):
    inputs, targets, inducing, blocks, t = parts
    sparse = SparsePosterior(inputs, targets, inducing, blocks)
    expected = approx_fprime(t, lambda at: sparse.evidence(at)[0], 1e-6)
    np.testing.assert_allclose(sparse.evidence(t)[1], expected, rtol=1e-4, atol=1e-4)
    expected = approx_fprime(t, lambda at: sparse.energy(at)[0], 1e-6)
    np.testing.assert_allclose(sparse.energy(t)[1], expected, rtol=1e-4, atol=1e-4)


def test_the_plain_evidence_agrees_when_there_is_one_block(problem):
    inputs, targets, t = problem(20, 2)
    value, slope = plain_evidence(t, inputs, targets)
    result = SparsePosterior(inputs, targets, inputs[:3], [np.arange(20)]).evidence(t)
    assert result[0] == pytest.approx(value)
    np.testing.assert_allclose(result[1], slope, rtol=1e-6, atol=1e-8)


def test_blocks_hold_each_case_once_and_what_is_near(rng):
    centres = 10.0 * rng.normal(size=(5, 2))
    places = np.repeat(centres, 60, axis=0) + 0.1 * rng.normal(size=(300, 2))
    blocks = near_together(places, 70, rng)
    assert sorted(np.concatenate(blocks)) == list(range(300))
    assert max(map(len, blocks)) <= 70
    assert max(np.ptp(places[block], axis=0).max() for block in blocks) < 1.0
    same = near_together(np.zeros((25, 2)), 10, rng)
    assert sorted(np.concatenate(same)) == list(range(25))
    assert max(map(len, same)) <= 10
    assert nearest(places, centres).tolist() == np.repeat(range(5), 60).tolist()


def test_inducing_inputs_are_where_least_is_known(problem):
    inputs, _, t = problem(30, 2)
    full = kernel(np.r_[t[:2], -np.inf, t[2:]], *[np.column_stack([inputs, np.zeros(30)])] * 2)
    chosen: list[int] = []
    for _ in range(6):
        known = (
            full[:, chosen] @ np.linalg.pinv(full[np.ix_(chosen, chosen)]) @ full[chosen]
            if chosen
            else 0.0 * full
        )
        chosen.append(int(np.argmax(np.diag(full - known))))
    assert informative_cases(inputs, t, 6).tolist() == chosen
    twice = np.vstack([inputs[:4], inputs[:4]])
    assert len(informative_cases(twice, t, 8)) == 4


def test_clusters_get_their_own_noise(make_instance):
    """600 cases in six clusters: stated variances follow each cluster's, and the loss is near the truth's."""
    rng = generator(3)
    cluster = rng.integers(6, size=1000)
    spread = 0.02 * 3.0 ** np.arange(6)
    places = rng.normal(size=(6, 2)) * 5
    inputs = places[cluster] + 0.5 * rng.normal(size=(1000, 2))
    clean = np.sin(2 * inputs[:, 0]) + 0.2 * inputs[:, 1]
    targets = clean + spread[cluster] * rng.normal(size=1000)
    instance = make_instance(inputs[:700], targets[:700], inputs[700:])
    prediction, diagnostics = methods.answer(methods.get("gp-sparse-1"), instance, generator(1))
    assert diagnostics["blocks"] >= 4
    scaled = ((targets - clean) / spread[cluster])[700:]
    truth = 0.5 * np.log(2 * np.pi * spread[cluster[700:]] ** 2) + 0.5 * scaled**2
    exact, _ = methods.answer(methods.get("gp-map-1"), instance, generator(1))
    loss = -prediction.log_density(targets[700:]).mean()
    assert loss < truth.mean() + 0.5
    assert loss < -exact.log_density(targets[700:]).mean() - 0.5
    assert np.corrcoef(np.log(prediction.variance()), np.log(spread[cluster[700:]]))[0, 1] > 0.8


def test_too_much_for_the_exact_methods_is_refused_with_advice(make_instance):
    inputs = np.zeros((5001, 1))
    for name in ("gp-map-1", "gp-mc-1"):
        with pytest.raises(
            methods.MethodFailed, match=rf"{name} .*5001 training cases.*gp-sparse-1"
        ):
            methods.answer(
                methods.get(name), make_instance(inputs, inputs[:, 0], inputs[:1]), generator(1)
            )
