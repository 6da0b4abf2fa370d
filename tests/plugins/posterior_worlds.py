"""Posteriors whose leave-one-out densities are known, as draws and as files."""

import numpy as np
from scipy import stats

from benchbook.assess import densities

TAU2, SHAPE, RATE = 25.0, 1.0, 1.0


def fitted(inputs, y):
    """Posterior of a linear model with unknown variance and a conjugate prior: mean, covariance, shape and rate."""
    precision = inputs.T @ inputs + np.eye(inputs.shape[1]) / TAU2
    mean = np.linalg.solve(precision, inputs.T @ y)
    rate = RATE + 0.5 * (y @ y - mean @ precision @ mean)
    return mean, np.linalg.inv(precision), SHAPE + len(y) / 2, rate


def exact(inputs, y):
    """[n], log p(y_i | the others)."""
    result = []
    for case in range(len(y)):
        others = np.arange(len(y)) != case
        mean, cover, shape, rate = fitted(inputs[others], y[others])
        x = inputs[case]
        scale = np.sqrt(rate / shape * (1.0 + x @ cover @ x))
        result.append(stats.t.logpdf(y[case], 2.0 * shape, x @ mean, scale))
    return np.array(result)


def posterior(rng, inputs, y, draws=1000):
    """Draws of the exact posterior, in four chains."""
    mean, cover, shape, rate = fitted(inputs, y)
    variance = rate / rng.gamma(shape, size=(4, draws // 4))
    noise = rng.normal(size=(4, draws // 4, len(mean))) @ np.linalg.cholesky(cover).T
    centre = (mean + np.sqrt(variance)[..., None] * noise) @ inputs.T
    scale = np.sqrt(variance)[..., None]
    names = tuple(f"case {k}" for k in range(len(y)))
    drawn = centre + scale * rng.normal(size=centre.shape)
    return densities.LogLikelihood(stats.norm.logpdf(y, centre, scale), names, "y", y, drawn)


def data(rng, cases=12, width=4, outlier=0.0):
    inputs = np.column_stack([np.ones(cases), rng.standard_t(3, size=(cases, width - 1))])
    y = inputs @ rng.normal(size=width) + rng.normal(size=cases)
    y[0] += outlier
    return inputs, y


def files(tmp_path, posteriors):
    for name, item in posteriors.items():
        densities.write_log_likelihood(tmp_path / f"{name}.nc", item)
    return [str(tmp_path / f"{name}.nc") for name in posteriors]


def mean_of(rng, y, draws):
    """The Gaussian mean with variance 1 and a flat prior, from its exact posterior."""
    mean = rng.normal(y.mean(), 1.0 / np.sqrt(y.size), (4, draws // 4, 1))
    drawn = mean + rng.normal(size=(4, draws // 4, y.size))
    names = tuple(map(str, range(y.size)))
    return densities.LogLikelihood(stats.norm.logpdf(y, mean), names, "y", y, drawn)
