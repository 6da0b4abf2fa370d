"""Gaussian processes: gp-map-1, the most probable hyperparameters, and gp-mc-1, the average over their posterior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.assess.densities.chains import largest_rhat
from benchbook.errors import BenchbookError
from benchbook.methods.base import method, need_cases
from benchbook.methods.gaussian_processes.model import HyperPrior
from benchbook.methods.gaussian_processes.search import Search, curvature, search
from benchbook.methods.mcmc.hmc import Energy, State, move, stretch
from benchbook.methods.mcmc.steps import Leaps
from benchbook.methods.settings import setting
from benchbook.methods.shared.diagnostics import listed, rounded
from benchbook.methods.shared.scaling import Scale
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.predictive import Gaussian, Mixture

if TYPE_CHECKING:
    from benchbook.methods.gaussian_processes.model import HyperparameterPosterior
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

_FEWEST = 4


@dataclass(frozen=True)
class Sampling:
    """The constants of the sampler, all ours.

    The chain may take ``evaluations`` of energy and gradient with ``cases`` training cases, and with other numbers of
    cases in inverse proportion more or fewer, up to ``stretch`` times.
    """

    evaluations: int = setting(
        200, "evaluations of energy and gradient with so many cases as `cases` says", least=1
    )
    cases: int = setting(
        1024, "training cases that the evaluations are for; with fewer there are more", least=1
    )
    stretch: float = setting(15.0, "how many times more or fewer evaluations there can be", least=1)
    discarded: float = setting(
        1 / 3,
        "share of the evaluations whose states are discarded while the step size is adapted",
        least=0,
        below=1,
    )
    leaps: Leaps = Leaps(first=0.4, target=0.7, length=2.0)
    kept: int = setting(
        50, "the most states that predict, equally spaced among those not discarded", least=1
    )

    def budget(self, cases: int) -> int:
        """Evaluations for that many training cases."""
        return round(
            self.evaluations * min(max(self.cases / cases, 1.0 / self.stretch), self.stretch)
        )


@dataclass(frozen=True)
class ProcessChain:
    """The states after the discarded part [S, p], the step size and acceptance rate of their trajectories, how many of
    these had no chance of acceptance, and the evaluations of the whole chain."""

    draws: np.ndarray
    step: float
    acceptance: float
    diverged: int
    evaluations: int


def sample(
    energy: Energy,
    start: np.ndarray,
    shape: np.ndarray,
    budget: int,
    settings: Sampling,
    rng: np.random.Generator,
) -> ProcessChain:
    """A chain from t = ``start`` [p] with the fixed matrix ``shape`` [p, p], over ``budget`` evaluations.

    In the discarded part the step size is adapted; from then on it is fixed, so that what is kept is from a Markov
    chain with the right invariant distribution. It ends with the trajectory that spends the last evaluation.
    """
    state, sizes, spent = State.at(energy, start), settings.leaps.rule(), 1
    draws: list[np.ndarray] = []
    accepted, diverged = 0, 0
    while spent < budget or len(draws) < _FEWEST:
        warm = spent < settings.discarded * budget
        step, steps = settings.leaps.trajectory(sizes, warm, rng)
        state, probability, taken = move(energy, state, shape, step, steps, rng)
        spent += steps
        if warm:
            sizes.learn(probability)
        else:
            draws.append(state.t)
            accepted += taken
            diverged += probability == 0.0
    return ProcessChain(np.array(draws), sizes.settled, accepted / len(draws), diverged, spent)


_WATCHED = 5  # test cases whose means are watched for convergence
_MOST = 5000  # training cases: three matrices of their covariances take 600 MB, and an evaluation several seconds


_SOURCE = (
    "C. K. I. Williams and C. E. Rasmussen, Gaussian Processes for Regression, 1996; constants ours"
)
_SEARCH = "benchbook.methods.gaussian_processes.search:search"


@dataclass(frozen=True)
class Mode:
    """The settings of gp-map-1: the prior of the hyperparameters, and the search for the most probable ones."""

    prior: HyperPrior = HyperPrior()
    search: Search = Search()


@dataclass(frozen=True)
class Process:
    """The settings of gp-mc-1: the prior of the hyperparameters, the search that the chain starts from, the chain."""

    prior: HyperPrior = HyperPrior()
    search: Search = Search()
    sampling: Sampling = Sampling()


@method(
    name="gp-map-1",
    description="Gaussian process with a length scale for each input, most probable "
    "hyperparameters",
    kinds={"real"},
    settings=Mode(),
    source=_SOURCE,
    calls=[
        _SEARCH,
        "benchbook.methods.gaussian_processes.model:HyperparameterPosterior.energy",
        "benchbook.kernels.gaussian_process:covariances",
    ],
)
def gp_map_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Mode
) -> tuple[Predictive, dict[str, Any]]:
    """Gaussian process regression with the hyperparameters of greatest posterior density.

    1. Bring inputs and targets to mean 0 and standard deviation 1 over the training cases; leave constant inputs out.
    2. The covariance is a squared exponential with a relevance of each input, plus a linear part, a constant and noise
       (``model.HyperparameterPosterior``), after Williams and Rasmussen (Gaussian Processes for Regression, 1996).
    3. Maximise the marginal likelihood times the prior of the logarithms of the hyperparameters
       (``model.HyperPrior``) by L-BFGS-B from several starts (``search``).
    4. Predict the Gaussian of a new target, noise included.

    The definition of the method of this name in DELVE's archive is lost; all constants are ours. The variance is never
    below that of ``stated_variance``.
    """
    need_cases(instance, 2, "gp-map-1")
    _refuse_many(instance, "gp-map-1")
    scale = Scale.of(instance.train_inputs, instance.train_targets)
    with one_thread():
        mode = search(
            scale.inputs(instance.train_inputs),
            scale.targets(instance.train_targets),
            rng,
            settings.search,
            settings.prior,
        )
        mean, variance = mode.posterior.predict(mode.t, scale.inputs(instance.test_inputs))
    mean, variance = _on_target_scale(mean, variance, scale, instance.train_targets)
    return Gaussian(mean, variance), _diagnostics(mode.t, mode.posterior) | {
        "log_posterior": rounded(-mode.energy),
        "start": mode.start,
        "evaluations": round(mode.evaluations),
    }


@method(
    name="gp-mc-1",
    description="Gaussian process with a length scale for each input, hyperparameters averaged "
    "by Hamiltonian Monte Carlo",
    kinds={"real"},
    settings=Process(),
    source=_SOURCE,
    calls=[
        "benchbook.methods.gaussian_processes.methods:sample",
        "benchbook.methods.mcmc.hmc:move",
        "benchbook.methods.mcmc.hmc:leapfrog",
        "benchbook.methods.gaussian_processes.model:HyperparameterPosterior.energy",
        "benchbook.kernels.gaussian_process:covariances",
    ],
)
def gp_mc_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Process
) -> tuple[Predictive, dict[str, Any]]:
    """Gaussian process regression averaged over the posterior distribution of the hyperparameters.

    Model and prior are those of gp-map-1, and so is the search, whose end is where the chain starts.

    1. Take the second derivatives of the energy there, and stretch the space so that they become the identity, or
       nearly (``mcmc.hmc.stretch``).
    2. Hamiltonian Monte Carlo with trajectories of random length, the step size adapted in the first third, which is
       discarded; 200 evaluations of the marginal likelihood and its gradient for 1024 cases, in inverse proportion
       more for fewer, up to 3000 (``sampler.Sampling``).
    3. Predict the equal mixture of the Gaussians of 50 states, equally spaced over the last two thirds.

    A chain that accepts nothing after the part discarded predicts from the one state it is in, and the record says
    "fallback_to_one_state". This can happen where the posterior has a wide mode, which the step size was adapted to,
    and a narrow one, which the chain is in. The diagnostics hold the acceptance rate, the number of diverged
    trajectories, and the largest split R-hat of a hyperparameter and of the means of the first five test cases. Both
    are over all states after the part discarded: what was run, not what was saved of it. The definition of the method
    of this name in DELVE's archive is lost; all constants are ours.
    """
    need_cases(instance, 2, "gp-mc-1")
    _refuse_many(instance, "gp-mc-1")
    scale = Scale.of(instance.train_inputs, instance.train_targets)
    with one_thread():
        mode = search(
            scale.inputs(instance.train_inputs),
            scale.targets(instance.train_targets),
            rng,
            settings.search,
            settings.prior,
        )
        posterior = mode.posterior
        shape = stretch(curvature(posterior, mode.t), posterior.sd)
        sampling = settings.sampling
        budget = sampling.budget(len(instance.train_targets))
        chain = sample(posterior.energy, mode.t, shape, budget, sampling, rng)
        places = np.unique(np.linspace(0, len(chain.draws) - 1, sampling.kept).round().astype(int))
        queries = scale.inputs(instance.test_inputs)
        each = np.array([posterior.predict(t, queries) for t in chain.draws[places]])
        watched = np.array([posterior.predict(t, queries[:_WATCHED])[0] for t in chain.draws])
    mean, variance = _on_target_scale(each[:, 0].T, each[:, 1].T, scale, instance.train_targets)
    diagnostics = {
        "acceptance": rounded(chain.acceptance),
        "diverged": chain.diverged,
        "trajectories": len(chain.draws),
        "draws": len(places),
        "evaluations": round(mode.evaluations) + chain.evaluations,
        "rhat": rounded(largest_rhat(chain.draws.T)),
        "rhat_prediction": rounded(largest_rhat(watched.T)),
    }
    if chain.acceptance == 0.0:
        diagnostics["fallback_to_one_state"] = 1
    diagnostics = _diagnostics(chain.draws.mean(axis=0), posterior) | diagnostics
    return Mixture(np.full(len(places), 1.0 / len(places)), mean, variance), diagnostics


def _refuse_many(instance: TaskInstance, name: str) -> None:
    cases = len(instance.train_targets)
    if cases > _MOST:
        raise BenchbookError(
            f"{name} holds the covariances of all pairs of cases and takes at most {_MOST} training "
            f"cases, there are {cases} training cases; use gp-sparse-1"
        )


def _on_target_scale(
    mean: np.ndarray, variance: np.ndarray, scale: Scale, targets: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    floor = stated_variance(0.0, targets)
    return scale.target_centre + scale.target_unit * mean, np.maximum(
        scale.target_unit**2 * variance, floor
    )


def _diagnostics(t: np.ndarray, posterior: HyperparameterPosterior) -> dict[str, Any]:
    """Hyperparameters t [d + 3] as diagnostics, for inputs and target of standard deviation 1: the noise variance and
    the length scales; and what was last added to the diagonal of the covariances, if it was needed."""
    diagnostics: dict[str, Any] = {"noise": rounded(np.exp(t[-1]))}
    scales = listed(np.exp(-0.5 * t[:-3]))
    if scales:
        diagnostics["length_scales"] = scales
    if posterior.jitter > 0.0:
        diagnostics["fallback_jitter"] = posterior.jitter
    return diagnostics
