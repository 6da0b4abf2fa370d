"""Six factors for a doubtful slope, and their chart, for the chapter on other predictive densities."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from scipy import special

from benchbook.assess import densities
from benchbook.assess.densities import LinearModel, PowerMarginal, log_likelihoods
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import INK
from benchbook.predictive.checks import FloatArray
from benchbook.seeds import generator
from benchbook.words import number
from benchbook_book.pages.charts import live_legend

_LEVEL = 0.01  # precision of the constant: 10 times the noise
CONSTANT = LinearModel(np.zeros(1), np.array([[_LEVEL]]), 1.0, 1.0)
"""The model without a slope."""
FACTORS = ("prior", "partial", "intrinsic", "fractional", "pseudo", "posterior")
TRAINED = 3
"""Cases that a model with a slope needs where nothing is known beforehand: two weights and a variance."""


def line(width: float) -> LinearModel:
    """The model with a slope, whose prior has the standard deviation ``width``, in units of the noise."""
    return LinearModel(np.zeros(2), np.diag([_LEVEL, width**-2]), 1.0, 1.0)


def doubtful_slope(
    cases: int = 20, statistic: float = 2.5, seed: int = 1
) -> tuple[FloatArray, FloatArray]:
    """Inputs [n, 2], a constant and x from -1 to 1, and targets [n] whose least-squares slope has the t ``statistic``.

    The noise is drawn, freed of its own line, and scaled to the estimated standard deviation 1.
    """
    x = np.column_stack([np.ones(cases), np.linspace(-1.0, 1.0, cases)])
    noise = generator(seed, "doubtful slope").normal(size=cases)
    noise -= x @ np.linalg.lstsq(x, noise, rcond=None)[0]
    noise /= np.sqrt(noise @ noise / (cases - 2))
    return x, statistic / np.sqrt(x[:, 1] @ x[:, 1]) * x[:, 1] + noise


def log_factors(
    width: float, inputs: FloatArray, targets: FloatArray, intrinsic: bool = True
) -> dict[str, float]:
    """Natural logarithms of the factors for the line against the constant.

    The partial factor predicts every other case from the rest. The fraction is 3 / n, as many cases as a minimal
    training set has. The intrinsic factor is the arithmetic mean over all training sets of two cases, enough with a
    proper prior of the variance.

    Args:
        width: of the slope's prior.
        inputs, targets: as of ``doubtful_slope``.
        intrinsic: compute that one too; it takes longest.
    """
    models = ((line(width), inputs), (CONSTANT, inputs[:, :1]))
    held, fraction = np.arange(1, targets.size, 2), TRAINED / targets.size
    both = [
        {
            "prior": densities.log_prior_likelihood(model, x, targets),
            "partial": densities.log_partial_likelihood(model, x, targets, held),
            "fractional": densities.log_fractional_likelihood(model, x, targets, fraction),
            "pseudo": float(densities.log_pseudo_likelihood(model, x, targets).sum()),
            "posterior": float(densities.log_posterior_densities(model, x, targets).sum()),
        }
        for model, x in models
    ]
    found = {name: both[0][name] - both[1][name] for name in both[0]}
    if intrinsic:
        found["intrinsic"] = densities.log_intrinsic_factor(
            line(width), CONSTANT, (inputs, inputs[:, :1]), targets, TRAINED - 1
        )
    return {name: found[name] for name in FACTORS if name in found}


def widened(exponents: Sequence[float], inputs: FloatArray, targets: FloatArray) -> pl.DataFrame:
    """The six factors while the slope's prior widens.

    Args:
        exponents: decimal logarithms of the widths.
        inputs, targets: as of ``doubtful_slope``.

    Returns:
        ``factor``, ``exponent``, ``width``, ``log_factor``.
    """
    return pl.DataFrame(
        [
            {
                "factor": name,
                "exponent": float(exponent),
                "width": float(10.0**exponent),
                "log_factor": value,
            }
            for exponent in exponents
            for name, value in log_factors(10.0**exponent, inputs, targets).items()
        ]
    )


def preferred(
    width: float, worlds: int, slope: float, seed: int = 1, cases: int = 20
) -> dict[str, float]:
    """In which share of data sets each factor (but the intrinsic one) is for the line.

    Args:
        width: of the slope's prior.
        worlds: data sets, of noise 1.
        slope: the true one.
        seed, cases: of each data set.
    """
    inputs, _ = doubtful_slope(cases)
    rng = generator(seed, "worlds", f"{slope:g}")
    targets = slope * inputs[:, 1] + rng.normal(size=(worlds, cases))
    found = [log_factors(width, inputs, one, intrinsic=False) for one in targets]
    return {name: float(np.mean([one[name] > 0.0 for one in found])) for name in found[0]}


def power_draws(
    model: LinearModel,
    inputs: FloatArray,
    targets: FloatArray,
    powers: Sequence[float] | FloatArray,
    draws: int,
    rng: np.random.Generator,
) -> list[FloatArray]:
    """Log likelihoods [draws] of all targets under draws from each power posterior: what a sampler would hand over."""
    return [
        log_likelihoods(
            (model.given(inputs, targets, power) if power else model).draws(draws, rng),
            inputs,
            targets,
        ).sum(axis=1)
        for power in powers
    ]


def sampled_factors(
    width: float, inputs: FloatArray, targets: FloatArray, draws: int, rng: np.random.Generator
) -> pl.DataFrame:
    """Four factors for the line by draws from power posteriors, beside the exact ones.

    Args:
        width: of the slope's prior.
        inputs, targets: as of ``doubtful_slope``.
        draws: from each power posterior, independent.
        rng: of the draws.

    Returns:
        ``factor``, ``path``, ``exact``, ``stepping_stone``, ``error`` (its standard error), ``thermodynamic``: log
        factors.
    """
    held, fraction = np.arange(1, targets.size, 2), TRAINED / targets.size
    kept = np.setdiff1d(np.arange(targets.size), held)
    ladders = {
        "prior": densities.power_ladder(20),
        "partial": densities.power_ladder(8, exponent=2.0),
        "fractional": densities.power_ladder(8, fraction, 1.0, 1.0),
        "posterior, jointly": densities.power_ladder(8, 1.0, 2.0, 1.0),
    }
    rows = []
    for name, powers in ladders.items():
        both = []
        for model, x in ((line(width), inputs), (CONSTANT, inputs[:, :1])):
            start, some = (
                (model.given(x[kept], targets[kept]), held)
                if name == "partial"
                else (model, slice(None))
            )
            both.append(_by_powers(start, x[some], targets[some], powers, draws, rng))
        (exact, first), (other, second) = both
        rows.append(
            {
                "factor": name,
                "path": f"{powers[0]:.2g} to {powers[-1]:.2g}",
                "exact": exact - other,
                "stepping_stone": first.log_marginal - second.log_marginal,
                "error": float(np.hypot(first.standard_error, second.standard_error)),
                "thermodynamic": first.thermodynamic - second.thermodynamic,
            }
        )
    return pl.DataFrame(rows)


def _by_powers(
    start: LinearModel,
    inputs: FloatArray,
    targets: FloatArray,
    powers: FloatArray,
    draws: int,
    rng: np.random.Generator,
) -> tuple[float, PowerMarginal]:
    """The log ratio of the normalising constants at the ends of the path: exactly, and by draws."""
    ends = [
        start.log_marginal(inputs, targets, power) if power else 0.0
        for power in (powers[0], powers[-1])
    ]
    given = power_draws(start, inputs, targets, powers, draws, rng)
    return ends[1] - ends[0], densities.log_marginal_by_powers(powers, given)


def power_walks(
    width: float,
    freedom: float,
    inputs: FloatArray,
    targets: FloatArray,
    powers: FloatArray,
    steps: int,
    rng: np.random.Generator,
) -> list[FloatArray]:
    """Random walks of Metropolis, one a power, in the line's weights (over the noise) and the log of its variance.

    Args:
        width: of the slope's prior; all priors are those of ``line``.
        freedom: degrees of freedom of Student's t for the noise; infinite is Normal.
        inputs, targets: as of ``doubtful_slope``.
        powers: [K + 1].
        steps: of each walk; the first fifth is left out.
        rng: of the walks.

    Returns:
        log likelihoods of all targets, [4 steps / 5] for each power.
    """
    prior = line(width)
    precision = np.diag(prior.precision)
    size = 1.4 / np.sqrt(
        np.column_stack(
            [
                precision + powers[:, None] * (inputs**2).sum(axis=0),
                0.6 + 0.5 * powers * targets.size,
            ]
        )
    )

    def densities_at(state: FloatArray) -> tuple[FloatArray, FloatArray]:
        log_variance = state[:, 2]
        z = targets * np.exp(-0.5 * log_variance)[:, None] - state[:, :2] @ inputs.T
        likelihood = (_log_noise(z, freedom) - 0.5 * log_variance[:, None]).sum(axis=1)
        before = (
            -0.5 * (precision * state[:, :2] ** 2).sum(axis=1)
            - prior.shape * log_variance
            - prior.rate * np.exp(-log_variance)
        )
        return likelihood, before + powers * likelihood

    state = np.zeros((powers.size, 3))
    likelihood, density = densities_at(state)
    kept = np.empty((steps, powers.size))
    for step in range(steps):
        moved = state + size * rng.standard_normal(state.shape)
        new_likelihood, new_density = densities_at(moved)
        taken = np.log(rng.random(powers.size)) < new_density - density
        state[taken], likelihood = moved[taken], np.where(taken, new_likelihood, likelihood)
        density = np.where(taken, new_density, density)
        kept[step] = likelihood
    return list(kept[steps // 5 :].T)


def _log_noise(z: FloatArray, freedom: float) -> FloatArray:
    """Log density of standard noise: Student's t, or Normal where its degrees of freedom are infinite."""
    if np.isinf(freedom):
        return np.asarray(-0.5 * (np.log(2.0 * np.pi) + z**2))
    scale = (
        special.gammaln(0.5 * (freedom + 1.0))
        - special.gammaln(0.5 * freedom)
        - 0.5 * np.log(freedom * np.pi)
    )
    return np.asarray(scale - 0.5 * (freedom + 1.0) * np.log1p(z**2 / freedom))


_NOW = "abs(datum.exponent - exponent) < 1e-6"


def widening_prior(factors: pl.DataFrame, first: str, second: str, exponent: float) -> Any:
    """Log factors against the width of the prior, a line for each; a slider reads them off as odds.

    Args:
        factors: ``factor`` (at most 6), ``exponent`` (decimal logarithm of the width, equally spaced), ``width``,
            ``log_factor`` (nats; above 0 for ``first``).
        first, second: names of the models.
        exponent: where the slider stands at first.

    Raises:
        FaultyInput: an exponent that is not in it.
    """
    places = factors["exponent"].unique().sort().to_list()
    names = parts.names(factors, "factor")
    base = alt.Chart(parts.data(parts.rows(factors)))
    now = base.transform_filter(_NOW)
    least, most = parts.ends(factors["log_factor"])
    x = alt.X(
        "width:Q",
        title="width of the prior (log scale)",
        axis=alt.Axis(
            format="~g",
            grid=False,
            values=[10.0**k for k in range(-9, 10) if places[0] <= k <= places[-1]],
        ),
        scale=alt.Scale(type="log", domain=[10.0 ** places[0], 10.0 ** places[-1]], nice=False),
    )
    y = alt.Y(
        "log_factor:Q",
        title="log factor (nats)",
        axis=alt.Axis(tickCount=6, grid=False),
        scale=alt.Scale(domain=[least - 0.5, most + 0.5], nice=False, zero=False),
    )
    even = alt.Chart().mark_rule(color=INK, opacity=0.5).encode(y=alt.datum(0))
    lines = base.mark_line(strokeWidth=2.4).encode(x=x, y=y, **live_legend.looks(names, "factor"))
    here = now.mark_rule(color=INK, opacity=0.3).encode(x=x)
    dots = now.mark_point(filled=True, size=70, opacity=1).encode(
        x=x,
        y=y,
        shape=live_legend.shape(names, "factor"),
        color=live_legend.looks(names, "factor")["color"],
        tooltip=[
            alt.Tooltip("factor:N"),
            alt.Tooltip("width:Q", format=".3~g"),
            alt.Tooltip("log_factor:Q", format=".2f"),
        ],
    )
    text = (
        "datum.factor + ': ' + format(exp(abs(datum.log_factor)), '.3~r') + ' to 1 for the ' + "
        f"(datum.log_factor >= 0 ? '{first}' : '{second}')"
    )
    return parts.finish(
        alt.layer(
            alt.layer(even, lines, here, dots), *live_legend.legend(now, names, "factor", text)
        )
        .resolve_scale(y="independent")
        .add_params(parts.slider("exponent", exponent, places, "width, a power of ten:")),
        _words(factors, names, first, second),
        "factors and prior",
        height=260,
    )


def _words(factors: pl.DataFrame, names: list[str], first: str, second: str) -> str:
    said = []
    for name in names:
        each = factors.filter(factor=name).sort("exponent")["log_factor"]
        said.append(f"{name} from {number(each[0])} to {number(each[-1])}")
    widths = factors["width"].sort()
    return (
        f"Log factors in nats, above 0 for the {first} and below for the {second}, while the prior widens from "
        f"{widths[0]:g} to {widths[-1]:g}: {'; '.join(said)}."
    )
