"""Leave-one-out by importance sampling: kernel against plain numpy, the reference's numbers, invariances and limits."""

import math

import numpy as np
import pytest
from refusals import refused
from scipy import special

from benchbook.assess.densities import (
    k_threshold,
    likelihoods,
    loo,
    plain,
    tail_length,
)
from benchbook.errors import FaultyInput
from benchbook.kernels.importance import FEWEST

# az.loo(..., pointwise=True, reff=r) of ArviZ 0.23.4 on reference_matrix(draws, 6): loo_i and pareto_k.
REFERENCE = {
    (100, 1.0): (
        [
            -1.13232388134936,
            -1.4614756049228,
            -2.78728291706352,
            -6.22423437606861,
            -15.4981750706532,
            -22.169425385709,
        ],
        [
            -0.0115284479643287,
            0.360552362709927,
            0.654014551602997,
            1.63810200002943,
            3.57657156142406,
            4.48814479898013,
        ],
    ),
    (2000, 1.0): (
        [
            -1.13131966956778,
            -1.50997859044187,
            -4.77985260216899,
            -14.0001947704186,
            -25.9762828873214,
            -41.0216628150827,
        ],
        [
            -0.0657025195533866,
            0.437820813038898,
            1.37286078680886,
            2.60379780235539,
            4.53300014491202,
            6.26175000019389,
        ],
    ),
    (2000, 0.4): (
        [
            -1.13132005837159,
            -1.51001873832723,
            -4.81567298075119,
            -14.0445016892832,
            -26.062374332616,
            -41.0202361619291,
        ],
        [
            -0.080442428856493,
            0.437990788734378,
            1.42565503366406,
            2.72540792222238,
            4.66185604355075,
            6.41144337095728,
        ],
    ),
}


def reference_matrix(draws, cases):
    """Log likelihoods made without a generator: multiples of the golden ratio through the normal quantile."""
    t = np.arange(1, draws * cases + 1).reshape(draws, cases)
    z = special.ndtri((t * 0.6180339887498949) % 1.0 * 0.999 + 0.0005)
    return -0.5 * (np.linspace(0.1, 3.0, cases) * z + 0.5) ** 2 - 1.0


@pytest.mark.parametrize(("draws", "r_eff"), REFERENCE)
def test_reference_numbers(draws, r_eff):
    density, shape = REFERENCE[draws, r_eff]
    matrix = reference_matrix(draws, 6)
    result = loo(matrix, r_eff)
    np.testing.assert_allclose(result.log_density, density, rtol=2e-14)
    np.testing.assert_allclose(result.k_hat, shape, rtol=1e-11)
    np.testing.assert_allclose(
        plain.leave_one_out(matrix, tail_length(draws, r_eff))[0], density, rtol=1e-12
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("example", ["normal", "centered_eight", "non_centered_eight"])
def test_reference_implementation_where_it_is_installed(rng, example):
    """On numbers of ours, and on the two posteriors that ArviZ's own tests use."""
    arviz = pytest.importorskip("arviz")
    if example == "normal":
        matrix = rng.normal(size=(4, 250, 30)) * rng.uniform(0.1, 2.0, size=30)
        selected = arviz.from_dict(
            posterior={"m": np.zeros((4, 250))}, log_likelihood={"y": matrix}
        )
    else:
        selected = arviz.load_arviz_data(example)
        matrix = selected.log_likelihood["obs"].values
    theirs = arviz.loo(selected, pointwise=True, reff=1.0)
    ours = loo(matrix)
    np.testing.assert_allclose(ours.log_density, theirs.loo_i, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(ours.k_hat, theirs.pareto_k, rtol=1e-10)
    np.testing.assert_allclose(
        [ours.total, ours.effective_parameters], [theirs.elpd_loo, theirs.p_loo], rtol=1e-12
    )


@pytest.mark.parametrize("draws", [1, 2, 3, 24, 25, 26, 100, 1000, 6000])
def test_kernel_and_plain_numpy_agree(rng, draws):
    matrix = rng.normal(size=(draws, 12)) * np.linspace(0.01, 4.0, 12) + rng.normal(size=12)
    result = loo(matrix)
    density, effective, k_hat = plain.leave_one_out(matrix, tail_length(draws))
    np.testing.assert_allclose(result.log_density, density, rtol=1e-11)
    np.testing.assert_allclose(result.effective, effective, rtol=1e-11)
    np.testing.assert_allclose(result.k_hat, k_hat, rtol=1e-11)
    raw, raw_effective, _ = plain.leave_one_out(matrix, 0)
    np.testing.assert_allclose(result.raw_log_density, raw, rtol=1e-11)
    np.testing.assert_allclose(result.raw_effective, raw_effective, rtol=1e-11)
    np.testing.assert_allclose(
        result.posterior_log_density, special.logsumexp(matrix, axis=0) - np.log(draws), rtol=1e-11
    )


@pytest.mark.parametrize("spread", [1e-3, 30.0, 300.0, 3000.0])
@pytest.mark.parametrize("draws", [30, 400])
def test_kernel_and_plain_numpy_agree_from_hardly_any_spread_to_underflow(rng, draws, spread):
    matrix = -spread * rng.exponential(size=(draws, 40))
    density, effective, k_hat = plain.leave_one_out(matrix, tail_length(draws))
    result = loo(matrix)
    np.testing.assert_allclose(result.log_density, density, rtol=1e-11)
    np.testing.assert_allclose(result.effective, effective, rtol=1e-11)
    np.testing.assert_allclose(result.k_hat, k_hat, rtol=1e-9)


def test_raw_density_is_the_harmonic_mean(rng):
    likelihood = rng.uniform(0.1, 1.0, size=(50, 3))
    np.testing.assert_allclose(
        np.exp(loo(np.log(likelihood)).raw_log_density), 1.0 / (1.0 / likelihood).mean(axis=0)
    )


def test_invariances(rng):
    matrix = rng.normal(size=(400, 40))
    result = loo(matrix)
    shifted = loo(matrix + 300.0)
    np.testing.assert_allclose(shifted.log_density, result.log_density + 300.0, rtol=1e-13)
    np.testing.assert_allclose(shifted.k_hat, result.k_hat, rtol=1e-8)
    mixed = loo(matrix[rng.permutation(400)])
    np.testing.assert_allclose(mixed.log_density, result.log_density, rtol=1e-13)
    order = rng.permutation(40)
    assert loo(matrix[:, order]).log_density.tolist() == result.log_density[order].tolist()
    assert loo(matrix.reshape(4, 100, 40)).log_density.tolist() == result.log_density.tolist()


def test_repeated_draws_of_a_chain_that_stood_still(rng):
    """Equal weights in the tail and at its edge, as Metropolis chains give."""
    matrix = np.repeat(rng.normal(size=(60, 4)), rng.integers(1, 40, size=60), axis=0)
    density, _, k_hat = plain.leave_one_out(matrix, tail_length(len(matrix)))
    np.testing.assert_allclose(loo(matrix).log_density, density, rtol=1e-12)
    np.testing.assert_allclose(loo(matrix).k_hat, k_hat, rtol=1e-10)


def test_every_layout_gives_the_same(rng, tmp_path, monkeypatch):
    monkeypatch.setattr(likelihoods, "BUDGET", 2 * 8 * 60 * 50)
    matrix = rng.normal(size=(60, 130)).astype(np.float32)
    expected = loo(matrix.astype(np.float64)).log_density.tolist()
    made = np.memmap(tmp_path / "matrix", dtype=np.float32, mode="w+", shape=matrix.shape)
    made[:] = matrix
    made.flush()
    locked = matrix.astype(np.float64)
    locked.flags.writeable = False
    mapped = np.memmap(tmp_path / "matrix", dtype=np.float32, mode="r", shape=matrix.shape)
    for layout in (
        matrix,
        np.asfortranarray(matrix),
        locked,
        mapped,
        matrix.astype(np.float64)[::-1][::-1],
        matrix.tolist(),
    ):
        assert loo(layout).log_density.tolist() == expected


def test_the_shape_of_a_pareto_tail_is_found(rng):
    """Ratios with P(r > t) = t^(-1/k): k-hat is near k, also where m_eff looks well."""
    for shape in (0.2, 0.5, 0.9):
        ratios = shape * rng.exponential(size=(4000, 20))
        assert loo(-ratios).k_hat.mean() == pytest.approx(shape, abs=0.08)


def test_reliable_says_where_smoothed_weights_will_do(rng):
    matrix = np.column_stack(
        [-0.1 * rng.exponential(size=2000), -1.5 * rng.exponential(size=2000), np.ones(2000)]
    )
    result = loo(matrix)
    assert result.reliable.tolist() == [True, False, True]
    assert "cannot be trusted in 1 of 3 cases (the worst is case 1, k-hat 1." in result.verdict()
    assert "(the worst is case b, k-hat" in loo(matrix, cases=["a", "b", "c"]).verdict()
    assert "can be trusted in all 2 cases" in loo(matrix[:, ::2]).verdict()
    assert "can be trusted in 1 case;" in loo(matrix[:, :1]).verdict()
    assert (
        loo(matrix[:20, :1])
        .verdict()
        .startswith("20 draws are too few to judge importance sampling by")
    )
    assert k_threshold(2000) == pytest.approx(1 - 1 / math.log10(2000))
    assert (k_threshold(10_000), k_threshold(10)) == (0.7, -math.inf)


def test_limits():
    one_draw = loo([[-1.5, -2.0]])
    assert one_draw.log_density.tolist() == one_draw.posterior_log_density.tolist() == [-1.5, -2.0]
    assert one_draw.effective.tolist() == [1.0, 1.0]
    assert one_draw.k_hat.tolist() == [math.inf, math.inf]
    assert not one_draw.reliable.any()

    constant = loo(np.full((500, 1), -0.7))
    np.testing.assert_allclose(constant.log_density, [-0.7], rtol=1e-14)
    assert constant.effective.tolist() == [500.0]
    assert constant.k_hat.tolist() == [math.inf]
    assert math.isnan(constant.standard_error)  # one case has no spread

    matrix = np.zeros((500, 1))
    matrix[17] = -1e5
    dominated = loo(matrix)
    assert dominated.effective.tolist() == [1.0]
    assert dominated.k_hat.tolist() == [math.inf]
    np.testing.assert_allclose(dominated.log_density, [-1e5 + np.log(500)], rtol=1e-12)
    assert not dominated.reliable.any()


def test_a_fault_in_a_file_names_the_case_of_the_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(likelihoods, "BUDGET", 2 * 8 * 6 * 40)
    made = np.memmap(tmp_path / "matrix", dtype=np.float64, mode="w+", shape=(6, 200))
    made[:] = -1.0
    made[5, 123] = np.inf
    refused(FaultyInput, "draw 5, case 123: found inf", loo, made)


def test_the_shortest_tail_that_is_fitted(rng):
    assert tail_length(21) == FEWEST
    assert np.isinf(loo(rng.normal(size=(20, 1))).k_hat).all()
    assert np.isfinite(loo(rng.normal(size=(21, 1))).k_hat).all()


def test_the_standard_error_of_a_total_is_that_of_its_terms():
    result = loo(np.random.default_rng(4).normal(-1.0, 0.1, size=(400, 9)))
    assert result.standard_error == pytest.approx(3.0 * result.log_density.std(ddof=1))
    assert result.total == pytest.approx(result.log_density.sum())


@pytest.mark.parametrize("seed", range(40))
def test_few_different_likelihoods_are_weighted_as_they_are(seed):
    """Two, three or five values, in shares down to a draw or two: the harmonic mean of the draws is what is right."""
    rng = np.random.default_rng(seed)
    values = -rng.uniform(0.05, 3.0 if seed % 2 else 0.6, size=int(rng.choice([2, 3, 5])))
    share = rng.dirichlet(np.full(values.size, 0.5))
    drawn = values[rng.choice(values.size, 4 * int(rng.choice([50, 100, 1000])), p=share)]
    found = loo(drawn[:, None])
    assert found.log_density[0] == pytest.approx(-np.log(np.mean(np.exp(-drawn))), abs=1e-12)
    assert found.reliable[0], "ratios are bounded, and their spread is small"
    np.testing.assert_allclose(
        plain.leave_one_out(drawn[:, None], tail_length(drawn.size))[0],
        found.log_density,
        atol=1e-12,
    )


@pytest.mark.parametrize(
    ("ratio", "times", "trusted"), [(1.2, 2, True), (1e3, 1, False), (1e4, 4, False)]
)
def test_a_rare_large_weight_is_trusted_by_what_it_does_to_the_density(ratio, times, trusted):
    drawn = np.zeros(4000)
    drawn[np.arange(times) * 7] = -np.log(ratio)
    assert bool(loo(drawn[:, None]).reliable[0]) == trusted


def test_a_chain_that_stands_still_is_no_discrete_likelihood(rng):
    """Each of 80 values stays for fifty draws: a tail is fitted."""
    drawn = np.repeat(-0.5 * (2.5 - 2.0 * rng.normal(size=80)) ** 2, 50)
    assert np.isfinite(loo(drawn[:, None]).k_hat[0])
    shuffled = rng.permutation(drawn[:, None])
    assert np.isinf(loo(shuffled).k_hat[0]), "the same values, which come back"
