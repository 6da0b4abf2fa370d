"""The most probable hyperparameters of a Gaussian process: quasi-Newton steps from several starting points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy

from benchbook.methods.gaussian_processes.model import HyperparameterPosterior, HyperPrior
from benchbook.methods.settings import setting

_SAME = 1e-4  # ends whose energies are this close are the same; the first counts


@dataclass(frozen=True)
class Search:
    """The constants of the search, all ours.

    A start of its own has short length scales, as a target that goes up and down looks like noise to long ones.
    """

    starts: int = setting(
        5,
        "starts: the prior's mean, the same with all relevances `wiggly` standard deviations "
        "higher, and draws from the prior",
        least=1,
    )
    wiggly: float = setting(
        2.0, "how many standard deviations the second start has its relevances above the mean"
    )
    coarse: int = setting(
        256, "with more cases the starts are tried on so many of them, drawn at random", least=2
    )
    steps: int = setting(200, "the most iterations from a start", least=1)
    polish: int = setting(100, "the most iterations of the last stage with all cases", least=1)
    reach: float = setting(
        6.0,
        "hyperparameters stay within so many of the prior's standard deviations of its mean",
        above=0,
    )


@dataclass(frozen=True)
class BestHyperparameters:
    """The best hyperparameters t [d + 3], their energy, and the posterior that it is of; which start led there (0 is
    the prior's mean, 1 the wiggly one); and what the search took, in evaluations of the energy with all cases."""

    t: np.ndarray
    energy: float
    posterior: HyperparameterPosterior
    start: int
    evaluations: float


def search(
    inputs: np.ndarray,
    targets: np.ndarray,
    rng: np.random.Generator,
    settings: Search | None = None,
    prior: HyperPrior | None = None,
) -> BestHyperparameters:
    """Minimise the energy of ``HyperparameterPosterior`` over the hyperparameters by L-BFGS-B.

    With up to ``coarse`` cases, from every starting point, and the best end counts. With more, the same on a random
    subset of the cases, and the best end is the start of a search with all of them. (An evaluation takes time in
    proportion to the cube of the number of cases.)
    """
    settings = settings or Search()
    posterior = HyperparameterPosterior(inputs, targets, prior)
    trial = posterior
    if len(targets) > settings.coarse:
        retained = np.sort(rng.permutation(len(targets))[: settings.coarse])
        trial = HyperparameterPosterior(inputs[retained], targets[retained], prior)
    mean, sd = posterior.mean, posterior.sd
    wiggly = mean + settings.wiggly * sd * np.append(np.ones(len(mean) - 3), np.zeros(3))
    starts = [
        mean,
        wiggly,
        *(mean + sd * rng.normal(size=len(mean)) for _ in range(settings.starts - 2)),
    ]
    ends = [
        descend(trial, start, settings.steps, settings.reach) for start in starts[: settings.starts]
    ]
    least = min(energy for _, energy in ends)
    best = next(index for index, (_, energy) in enumerate(ends) if energy <= least + _SAME)
    t, energy = ends[best]
    spent = trial.evaluations * (len(trial.targets) / len(targets)) ** 3
    if trial is not posterior:
        t, energy = descend(posterior, t, settings.polish, settings.reach)
        spent += posterior.evaluations
    return BestHyperparameters(t, energy, posterior, best, spent)


class Density(Protocol):
    """A posterior density: the prior's mean and standard deviation [p], and the energy with its gradient [p]."""

    @property
    def mean(self) -> np.ndarray: ...

    @property
    def sd(self) -> np.ndarray: ...

    def energy(self, t: np.ndarray) -> tuple[float, np.ndarray]: ...


def descend(
    posterior: Density, start: np.ndarray, steps: int, reach: float
) -> tuple[np.ndarray, float]:
    """Hyperparameters [p] of least energy near ``start`` [p], and that energy, by at most ``steps`` iterations of
    L-BFGS-B within ``reach`` of the prior's standard deviations of its mean."""
    low, high = posterior.mean - reach * posterior.sd, posterior.mean + reach * posterior.sd
    options = {"maxiter": steps, "maxfun": 2 * steps, "ftol": 1e-10, "gtol": 1e-4}
    optimum = scipy.optimize.minimize(
        posterior.energy,
        np.clip(start, low, high),
        jac=True,
        method="L-BFGS-B",
        bounds=list(zip(low, high, strict=True)),
        options=options,
    )
    return optimum.x, float(optimum.fun)


def curvature(posterior: Density, t: np.ndarray, width: float = 0.02) -> np.ndarray:
    """The matrix of second derivatives of the energy at t [p], [p, p], by differences of gradients ``width`` apart."""
    centre = posterior.energy(t)[1]
    rows = [(posterior.energy(t + width * unit)[1] - centre) / width for unit in np.eye(len(t))]
    return 0.5 * (np.array(rows) + np.array(rows).T)
