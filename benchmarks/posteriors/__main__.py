"""Eight posteriors whose leave-one-out densities are known: how far weights are off, and what they are trusted for.

    python benchmarks/posteriors --datasets 200
    python benchmarks/posteriors --datasets 200 --coverage

The second asks how often the 90 % interval of an expected utility holds what the fitted model is worth on 10,000 new
cases. Where arviz-stats is installed, its sums stand beside ours.

Draws are of the exact posterior, so that errors are those of the weights. Exact values follow from conjugacy (linear
models with unknown variance, gamma-Poisson) or from sums over a grid that the draws come from too.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable

import numpy as np
from scipy import special, stats

try:
    import arviz_base
    import arviz_stats
except ImportError:  # pragma: no cover
    arviz_stats = None

from benchbook.assess import densities

SCHOOLS = np.array([28.0, 8, -3, 7, -1, 1, 18, 12]), np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
World = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]


def conjugate(
    rng: np.random.Generator, inputs: np.ndarray, y: np.ndarray, draws: int, variance: float = 25.0
) -> tuple[np.ndarray, np.ndarray]:
    """Log likelihoods [4, draws / 4, N] and exact values [N] of a linear model, weights ~ N(0, variance s²), 1 / s² ~
    Gamma(1, 1)."""

    def fitted(x: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
        precision = x.T @ x + np.eye(x.shape[1]) / variance
        mean = np.linalg.solve(precision, x.T @ t)
        rate = 1.0 + 0.5 * (t @ t - mean @ precision @ mean)
        return mean, np.linalg.inv(precision), 1.0 + t.size / 2, rate

    exact = np.empty(y.size)
    for case in range(y.size):
        mean, cover, shape, rate = fitted(np.delete(inputs, case, 0), np.delete(y, case))
        x = inputs[case]
        scale = np.sqrt(rate / shape * (1.0 + x @ cover @ x))
        exact[case] = stats.t.logpdf(y[case], 2.0 * shape, x @ mean, scale)
    mean, cover, shape, rate = fitted(inputs, y)
    noise = np.sqrt(rate / rng.gamma(shape, size=(4, draws // 4)))[..., None]
    weights = rng.normal(size=(4, draws // 4, mean.size)) @ np.linalg.cholesky(cover).T
    return stats.norm.logpdf(y, (mean + noise * weights) @ inputs.T, noise), exact


def linear(
    rng: np.random.Generator, draws: int, outlier: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Three inputs, thirty cases."""
    inputs = np.column_stack([np.ones(30), rng.normal(size=(30, 3))])
    y = inputs @ rng.normal(size=4) + rng.normal(size=30)
    y[0] += outlier
    return conjugate(rng, inputs, y, draws)


def autoregression(rng: np.random.Generator, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """Fifty steps of an AR(1), each case given the one before it."""
    y = np.zeros(51)
    for step in range(1, 51):
        y[step] = 0.8 * y[step - 1] + rng.normal()
    return conjugate(rng, y[:-1, None], y[1:], draws)


def grouped(
    rng: np.random.Generator, draws: int, groups: int, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """A level for each group."""
    inputs = np.repeat(np.eye(groups), size, axis=0)
    y = inputs @ rng.normal(size=groups) + rng.normal(size=groups * size)
    return conjugate(rng, inputs, y, draws, variance=1.0)


def count(rng: np.random.Generator, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """A Poisson model of counts that spread wider than it allows."""
    y = rng.poisson(rng.gamma(1.0, 5.0, size=25))
    shape, rate = 1.0 + y.sum(), 0.1 + y.size
    exact = stats.nbinom.logpmf(y, shape - y, (rate - 1.0) / rate)
    return stats.poisson.logpmf(y, rng.gamma(shape, 1.0 / rate, size=(4, draws // 4, 1))), exact


def _on_grid(
    rng: np.random.Generator, log_prior: np.ndarray, log_lik: np.ndarray, draws: int
) -> tuple[np.ndarray, np.ndarray]:
    """Places of the draws on a grid [G], and exact values [N], of log likelihoods [G, N]."""
    log_post = log_prior + log_lik.sum(axis=1)
    exact = special.logsumexp(log_post) - special.logsumexp(log_post[:, None] - log_lik, axis=0)
    chosen = rng.choice(log_post.size, size=(4, draws // 4), p=special.softmax(log_post))
    return chosen, exact


def logistic(rng: np.random.Generator, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """Twenty cases, a level and a slope on a grid."""
    x = rng.standard_t(3, size=20)
    y = rng.random(20) < special.expit(2.0 * x)
    level, slope = (part.ravel() for part in np.meshgrid(*[np.linspace(-8.0, 8.0, 161)] * 2))
    log_lik = -np.logaddexp(0.0, np.where(y, -1.0, 1.0) * (level[:, None] + slope[:, None] * x))
    chosen, exact = _on_grid(rng, -(level**2 + slope**2) / 12.5, log_lik, draws)
    return log_lik[chosen], exact


def schools(rng: np.random.Generator, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """The eight schools, given the level of each; tau ~ half-Cauchy(5), mu ~ N(0, 5²)."""
    y, error = SCHOOLS
    mu, tau = (
        part.ravel()
        for part in np.meshgrid(np.linspace(-20.0, 30.0, 201), np.linspace(0.05, 60.0, 400))
    )
    prior = stats.norm.logpdf(mu, 0.0, 5.0) + stats.halfcauchy.logpdf(tau, scale=5.0)
    spread = np.hypot(tau[:, None], error)
    chosen, exact = _on_grid(rng, prior, stats.norm.logpdf(y, mu[:, None], spread), draws)
    share = tau[chosen][..., None] ** 2 / spread[chosen] ** 2
    centre = mu[chosen][..., None]
    level = centre + share * (y - centre) + np.sqrt(share) * error * rng.normal(size=share.shape)
    return stats.norm.logpdf(y, level, error), exact


WORLDS: dict[str, World] = {
    "linear": linear,
    "logistic": logistic,
    "hierarchical": lambda rng, draws: grouped(rng, draws, 10, 3),
    "count": count,
    "outliers": lambda rng, draws: linear(rng, draws, outlier=8.0),
    "few groups": lambda rng, draws: grouped(rng, draws, 3, 8),
    "AR(1)": autoregression,
    "eight schools": schools,
}
OFF = 0.1  # nats, of one case


def arviz(values: np.ndarray) -> float:
    """The sum by ArviZ; nan where it is not installed."""
    if arviz_stats is None:
        return float("nan")
    groups = {"posterior": {"m": values[..., 0]}, "log_likelihood": {"y": values}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(arviz_stats.loo(arviz_base.from_dict(groups)).elpd)


def worth(rng: np.random.Generator, cases: int, draws: int, outliers: bool) -> tuple[dict, dict]:
    """Expected utilities of a linear model with three inputs by one posterior, and what they are on new cases.

    Errors have Student's t distribution with 3 degrees of freedom if there are outliers; else they are Gaussian.
    """

    def drawn(count: int) -> tuple[np.ndarray, np.ndarray]:
        inputs = np.column_stack([np.ones(count), rng.normal(size=(count, 3))])
        noise = rng.standard_t(3, size=count) if outliers else rng.normal(size=count)
        return inputs, inputs @ slopes + noise

    slopes = rng.normal(size=4)
    inputs, y = drawn(cases)
    precision = inputs.T @ inputs + np.eye(4) / 25.0
    mean, cover = np.linalg.solve(precision, inputs.T @ y), np.linalg.inv(precision)
    shape, rate = 1.0 + cases / 2, 1.0 + 0.5 * (y @ y - mean @ precision @ mean)
    scale = np.sqrt(rate / rng.gamma(shape, size=(4, draws // 4)))[..., None]
    weights = rng.normal(size=(4, draws // 4, 4)) @ np.linalg.cholesky(cover).T
    centre = (mean + scale * weights) @ inputs.T
    names = tuple(map(str, range(cases)))
    item = densities.LogLikelihood(
        stats.norm.logpdf(y, centre, scale),
        names,
        "y",
        y,
        centre + scale * rng.normal(size=centre.shape),
    )
    found = {ask: densities.assess_posterior(item, ask, replicates=2000) for ask in UTILITIES}
    future, targets = drawn(10_000)
    spread = np.sqrt(rate / shape * (1.0 + np.einsum("ij,jk,ik->i", future, cover, future)))
    z = (targets - future @ mean) / spread
    error = np.abs(targets - future @ mean)
    truth = {
        "": float(stats.t.logpdf(targets, 2 * shape, future @ mean, spread).mean()),
        "mae": float(error.mean()),
        "rmse": float(np.sqrt(np.mean(error**2))),
        "q90": float(np.quantile(error, 0.9)),
        "r2": 1.0 - float(np.mean(error**2) / targets.var()),
        "crps": float((spread * _crps_of_t(z, 2 * shape)).mean()),
    }
    return found, truth


def _crps_of_t(z: np.ndarray, degrees: float) -> np.ndarray:
    """CRPS of the standard t distribution (Jordan, Krueger and Lerch 2019, appendix A.1)."""
    density, share = stats.t.pdf(z, degrees), stats.t.cdf(z, degrees)
    tail = 2.0 * np.sqrt(degrees) / (degrees - 1.0)
    ratio = special.beta(0.5, degrees - 0.5) / special.beta(0.5, degrees / 2.0) ** 2
    return z * (2 * share - 1) + 2 * density * (degrees + z**2) / (degrees - 1) - tail * ratio


UTILITIES = ("", "mae", "rmse", "q90", "r2", "crps")


def coverage(datasets: int, draws: int) -> None:
    """Print how often intervals hold the truth, and of which posteriors no verdict is given."""
    print(
        "errors    cases  trusted  " + "  ".join(f"{ask or 'log density':>11}" for ask in UTILITIES)
    )
    for outliers in (False, True):
        for cases in (30, 100):
            hits, trusted = [], []
            for seed in range(datasets):
                found, truth = worth(np.random.default_rng(seed), cases, draws, outliers)
                ends = {ask: item.expected.interval(0.9) for ask, item in found.items()}
                hits.append([low <= truth[ask] <= high for ask, (low, high) in ends.items()])
                trusted.append(found[""].left_out.reliable.all())
            shares = "  ".join(f"{share:11.3f}" for share in np.mean(hits, axis=0))
            kind = "t(3)" if outliers else "Gaussian"
            print(f"{kind:8} {cases:6} {np.mean(trusted):8.3f}  {shares}", flush=True)


def measure(world: World, datasets: int, draws: int) -> dict[str, float]:
    """Errors of the sum, and of single cases by whether they are trusted."""
    sums, errors, trusted, whole, others = [], [], [], [], []
    for seed in range(datasets):
        values, exact = world(np.random.default_rng(seed), draws)
        found = densities.loo(values, check_chains=False)
        sums.append(found.total - exact.sum())
        others.append(arviz(values) - exact.sum())
        errors.append(np.abs(found.log_density - exact))
        trusted.append(found.reliable)
        whole.append(found.trusted)
    error, good = np.concatenate(errors), np.concatenate(trusted)
    return {
        "bias": float(np.mean(sums)),
        "error": float(np.sqrt(np.mean(np.square(sums)))),
        "arviz": float(np.sqrt(np.mean(np.square(others)))),
        "whole": float(np.mean(whole)),
        "trusted": float(good.mean()),
        "false": float((error[good] > OFF).mean()),
        "others": float((error[~good] > OFF).mean()) if (~good).any() else float("nan"),
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, default=200)
    parser.add_argument("--draws", type=int, default=4000)
    parser.add_argument("--coverage", action="store_true")
    options = parser.parse_args()
    if options.coverage:
        coverage(options.datasets, options.draws)
        return
    print(
        "world          sum: bias  error  ArviZ's  posteriors trusted  cases trusted  off by 0.1: trusted  others"
    )
    for name, world in WORLDS.items():
        row = measure(world, options.datasets, options.draws)
        print(
            f"{name:14} {row['bias']:10.4f} {row['error']:6.3f} {row['arviz']:8.3f} {row['whole']:19.3f} "
            f"{row['trusted']:14.4f} {row['false']:20.5f} {row['others']:7.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
