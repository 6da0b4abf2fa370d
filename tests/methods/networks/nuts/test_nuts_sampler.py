"""What NUTS finds: the exact posterior where it is known, what our own sampler finds where it is not."""

from dataclasses import replace

import numpy as np
import pytest

from benchbook import methods
from benchbook.assess.densities.chains import effective_size, split_rhat
from benchbook.methods.networks.bayesian.exactness import draw
from benchbook.methods.networks.bayesian.model import Model
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.methods.networks.bayesian.runs import Schedule, run
from benchbook.methods.networks.early_stopping import outputs
from benchbook.seeds import generator


def states_of(nuts, model, inputs, targets, rng):
    return nuts.sample(
        model, nuts.NutsSettings(chains=2, warmup=250, kept=750), inputs, targets, rng
    )


def error(traces):
    """Monte Carlo standard error of the mean of [C, n]."""
    return np.std(traces) / np.sqrt(effective_size(traces))


def test_a_network_that_is_only_a_bias_has_the_posterior_of_a_mean_and_a_precision(nuts):
    """Output weights of width 1e-6 leave f = b, with b standard normal and a Gamma precision: two integrals by a grid.

    p(b, tau) ~ exp(-b^2 / 2) tau^((a + N) / 2 - 1) exp(-tau (a / w + sum (t - b)^2) / 2); the integral over tau is
    (a / w + sum (t - b)^2)^(-(a + N) / 2) up to a constant, and E[log tau | b] = digamma((a + N) / 2) - log(rate).
    """
    from scipy.special import digamma

    item = Prior.parse("1")
    model = Model(1, item, item, Prior.parse("1e-6"), item, Prior.parse("0.5:6"))
    targets = 0.8 + 0.5 * generator(3, "bias").normal(size=12)
    states = states_of(nuts, model, np.zeros((12, 1)), targets, generator(4, "bias"))
    b = np.linspace(-1, 3, 4001)
    rate = (6 / 4 + np.sum((targets - b[:, None]) ** 2, axis=1)) / 2
    density = np.exp(-(b**2) / 2) * rate**-9.0
    density /= density.sum()
    mean = density @ b
    exact = {
        "b": mean,
        "b^2": density @ (b - mean) ** 2,
        "log tau": density @ (digamma(9) - np.log(rate)),
    }
    bias = states.weights[..., 3]
    predicted = {"b": bias, "b^2": (bias - mean) ** 2, "log tau": -2 * np.log(states.noise)}
    for name, traces in predicted.items():
        assert abs(traces.mean() - exact[name]) < 4 * error(traces)
        assert error(traces) < 0.05
    assert states.diverged == 0
    assert states.acceptance == pytest.approx(0.9, abs=0.07)


LONG = Schedule(
    passes=120_000,
    parts=1,
    part_size=2,
    length=20,
    window=3,
    factor=0.5,
    decay=0.9,
    repeat=2,
    start=1 / 30,
    start_sd=0.5,
    start_length=20,
    start_factor=0.3,
    discard=0.1,
    draws=3000,
)


def figures(noise, sigma, weights, queries):
    """Traces [F, C, n] of what does not change when hidden units change place or sign."""
    f = np.array([[outputs(w, queries, 2) for w in chain] for chain in weights])
    varying = np.ptp(sigma, axis=(0, 1)) > 0
    return [np.log(noise), *np.moveaxis(np.log(sigma[..., varying]), -1, 0), *np.moveaxis(f, -1, 0)]


def hmc(model, inputs, targets, queries):
    made = run(model, LONG, inputs, targets, generator(6, "ours"))
    return figures(made.noise_sd[None], made.sigma[None, made.drawn], made.weights[None], queries)


def apart(first, second):
    """Differences of means in units of their Monte Carlo errors."""
    return np.array(
        [
            (a.mean() - b.mean()) / np.hypot(error(a), error(b))
            for a, b in zip(first, second, strict=True)
        ]
    )


def test_it_finds_what_our_sampler_finds(nuts, relevance, few):
    """10 figures; |z| > 4 in any by chance: 6 in ten thousand. The same with another prior for ours is found."""
    queries = np.array([[0.5, -1.0], [1.5, 0.3]])
    targets = draw(relevance, few, 1, generator(5, "truth")).cases.targets.copy()
    states = states_of(nuts, relevance, few, targets, generator(7, "theirs"))
    theirs = figures(states.noise, states.sigma, states.weights, queries)
    assert max(map(split_rhat, theirs)) < 1.05
    assert np.max(np.abs(apart(theirs, hmc(relevance, few, targets, queries)))) < 4
    other = replace(relevance, noise=Prior.parse("0.8:6"))
    assert np.max(np.abs(apart(theirs, hmc(other, few, targets, queries)))) > 6
    assert states.gradients > 1000


@pytest.mark.slow  # compiled anew for each of the suite's shapes
def test_short_form_passes_the_conformance_suite(nuts):
    from benchbook.methods.networks.nuts import nuts as method

    read = Prior.parse
    model = Model(
        2, read("x0.2:0.5:1"), read("0.05:0.5"), read("x0.05:0.5"), read("1"), read("0.05:0.5")
    )
    short = method(
        "short", "a short run", model, nuts.NutsSettings(chains=1, warmup=20, kept=20, depth=4)
    )
    assert [result for result in methods.check(short) if not result.passed] == []
