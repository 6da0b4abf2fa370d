"""What the chapter on methods watches: relevance while it is learned, trajectories accepted, draws from priors."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from benchbook import datasets
from benchbook.assess import total_effects
from benchbook.datasets import families
from benchbook.kernels.network_force import in_parts
from benchbook.kernels.sampling import Chain, Tally
from benchbook.methods.networks.bayesian import constants
from benchbook.methods.networks.bayesian.exactness import Position, perform
from benchbook.methods.networks.bayesian.model import Model
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.methods.networks.bayesian.runs import NetworkRun, Update, run
from benchbook.methods.networks.early_stopping import BatchDescent, outputs
from benchbook.methods.networks.relevance import Relevant, train_dynamic, train_members
from benchbook.tasks import TaskInstance

_MOST_NOTES = 60


def truth(dataset: str, rng: np.random.Generator, cases: int = 8000) -> pl.DataFrame:
    """``total_effects`` of the noise-free function behind a simulated dataset: columns input and share.

    Raises:
        UnknownName: no family simulates a dataset of that name.
    """
    family = families.find(dataset)
    shares = total_effects(
        lambda n, rng: family.draw(dataset, n, rng), lambda x: family.clean(dataset, x), rng, cases
    )
    names = [attribute.name for attribute in datasets.card(dataset).attributes]
    return pl.DataFrame({"input": names[: len(shares)], "share": shares})


def chain(instance: TaskInstance, passes: int, rng: np.random.Generator) -> NetworkRun:
    """A chain of mlp-mc-3 on an instance: relevance hyperparameters, no direct connections, so many passes."""
    model = constants.model(relevance=True, direct=False)
    return run(
        model,
        replace(constants.schedule(), passes=passes),
        instance.train_inputs,
        instance.train_targets,
        rng,
    )


def shortened(iterations: int) -> BatchDescent:
    """The constants of the mlp-bgd methods, training ended after so many iterations."""
    return replace(
        BatchDescent(), saves=tuple(save for save in BatchDescent().saves if save <= iterations)
    )


def networks(
    instance: TaskInstance, settings: BatchDescent, rng: np.random.Generator
) -> list[Relevant]:
    """The networks of mlp-bgd-2 on an instance, with their factors."""
    inputs, targets = instance.train_inputs, instance.train_targets
    return list(train_members(inputs, targets, settings, rng, train_dynamic))


def sigma_trace(instance: TaskInstance, chain: NetworkRun, panel: str) -> pl.DataFrame:
    """The standard deviation of the weights out of each input, at notes of the chain about equally far apart in the
    logarithm of the passes: panel, passes, input, value."""
    wanted = np.geomspace(chain.passes[0], chain.passes[-1], _MOST_NOTES)
    notes = np.unique(np.minimum(np.searchsorted(chain.passes, wanted), len(chain.passes) - 1))
    return _long(panel, chain.passes[notes], names(instance), chain.sigma[notes])


def factor_trace(
    instance: TaskInstance, network: Relevant, settings: BatchDescent, panel: str
) -> pl.DataFrame:
    """The step-size factor of each input at the iterations saved: panel, passes, input, value."""
    saves = np.array(settings.saves)
    reached = saves <= network.network.iterations
    return _long(panel, saves[reached], names(instance), network.factors[reached])


def names(instance: TaskInstance) -> list[str]:
    """The name of each column of the encoded inputs [d]: its attribute's."""
    return [
        name for name, columns in instance.input_groups for _ in range(columns.start, columns.stop)
    ]


def _long(panel: str, passes: np.ndarray, inputs: list[str], values: np.ndarray) -> pl.DataFrame:
    """Values [T, d or more] as a line for each pass noted and input."""
    kept = values[:, : len(inputs)]
    return pl.DataFrame(
        {
            "panel": panel,
            "passes": np.repeat(passes.astype(float), len(inputs)),
            "input": inputs * len(passes),
            "value": kept.ravel(),
        }
    )


def acceptance(
    model: Model,
    after: NetworkRun,
    inputs: np.ndarray,
    targets: np.ndarray,
    factors: Sequence[float],
    windows: Sequence[int],
    rng: np.random.Generator,
    *,
    steps: int = 20,
    trajectories: int = 200,
) -> pl.DataFrame:
    """The share of trajectories accepted with the hyperparameters of a run's last draw held fixed.

    Every trajectory goes on from where the last one ended, with fresh momentum and whole gradients; only the weights
    move, so that all settings are tried on the same density.

    Args:
        model: the network and its prior.
        after: a run on the same cases.
        inputs, targets: [N, d] and [N].
        factors: step sizes, as multiples of the heuristic ones.
        windows: numbers of states in a window; 1 compares one state with one.
        rng: where momenta come from.
        steps, trajectories: leapfrog steps of a trajectory, and how many trajectories.

    Returns:
        factor, window, accepted (share p), standard_error: sqrt(q (1 - q) / trajectories), as if they were independent,
        q being p with half a trajectory more accepted and half a one more rejected, so that none is not certainty.
    """
    lines = []
    for factor in factors:
        for window in windows:
            at = _position(model, after, inputs, targets, rng)
            step = perform(
                Update("refresh"), Update("trajectory", steps=steps, window=window, factor=factor)
            )
            for _ in range(trajectories):
                step(at)
            accepted, trials = float(at.tally.accepted[0]), float(at.tally.trials[0])
            near = (accepted + 0.5) / (trials + 1.0)
            lines.append((factor, window, accepted / trials, (near * (1.0 - near) / trials) ** 0.5))
    return pl.DataFrame(
        lines, schema=["factor", "window", "accepted", "standard_error"], orient="row"
    )


def _position(
    model: Model,
    after: NetworkRun,
    inputs: np.ndarray,
    targets: np.ndarray,
    rng: np.random.Generator,
) -> Position:
    """The state of the last draw of a run."""
    last, weights = int(after.drawn[-1]), after.weights[-1].copy()
    error = 0.5 * float(np.sum((outputs(weights, inputs, model.hidden) - targets) ** 2))
    chain = Chain(
        weights,
        np.zeros(len(weights)),
        after.sigma[last] ** -2.0,
        after.group_sigma[last] ** -2.0,
        np.array([after.noise[last] ** -2.0]),
        np.array([error]),
    )
    tally = Tally(*(np.zeros(1) for _ in Tally._fields))
    return Position(model, chain, in_parts(inputs, targets, 1), tally, rng)


def sd_draws(
    text: str, sources: int, count: int, rng: np.random.Generator, label: str = ""
) -> pl.DataFrame:
    """Standard deviations of a group of weights from so many source units, in networks drawn from its prior.

    The group's precision is drawn about its mean, one network from each of ``count`` equally probable ranges, so that
    few networks show all of the prior; where the prior has a source level, the precision of each source unit is drawn
    about the group's (``methods.networks.bayesian.priors.Prior``). What is returned is precision^(-1/2).

    Args:
        text: the prior, such as "x0.2:0.5:1".
        sources: source units N.
        count: networks; they are numbered by the group's standard deviation.
        rng: where the draws come from.
        label: what to call it; the text by default.

    Returns:
        prior, draw (from 1), level ("group" or "input"), sd.

    Raises:
        FaultyInput: the text is not a prior.
    """
    prior = Prior.parse(text)
    places = (np.arange(count) + rng.random(count)) / count
    group = np.array(sd_quantiles(text, sources, places)) ** -2.0
    levels = [(draw, "group", value) for draw, value in enumerate(group, start=1)]
    if math.isfinite(prior.source):
        each = (
            rng.gamma(prior.source / 2, size=(count, sources))
            * (2.0 * group / prior.source)[:, None]
        )
        levels += [
            (draw, "input", value) for draw, values in enumerate(each, start=1) for value in values
        ]
    frame = pl.DataFrame(levels, schema=["draw", "level", "precision"], orient="row")
    return frame.select(
        pl.lit(label or text).alias("prior"), "draw", "level", sd=pl.col("precision") ** -0.5
    )


def sd_quantiles(text: str, sources: int, levels: ArrayLike = (0.05, 0.5, 0.95)) -> list[float]:
    """Quantiles of the group's standard deviation, exactly: precision = Gamma(a/2) 2 w / a.

    Raises:
        FaultyInput: the text is not a prior.
    """
    from scipy import stats

    prior = Prior.parse(text)
    mean = prior.mean_precision(sources)
    if math.isinf(prior.group):
        return [mean**-0.5] * np.size(levels)
    precision = stats.gamma.isf(np.asarray(levels), prior.group / 2) * 2.0 * mean / prior.group
    return [float(value) for value in precision**-0.5]
