"""mlp-ese-1: an early-stopping ensemble of networks with direct connections, trained by conjugate gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook import kernels
from benchbook.methods.base import method, need_cases
from benchbook.methods.networks.early_stopping import outputs
from benchbook.methods.settings import setting
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.predictive import Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance


@dataclass(frozen=True)
class ConjugateEnsemble:
    """The constants of mlp-ese-1, all ours."""

    hidden: int = setting(15, "hidden units", least=1)
    start: float = setting(0.1, "standard deviation of the starting weights", above=0)
    held: float = setting(1 / 3, "share of the cases held out from each network", above=0, below=1)
    budget: float = setting(
        20_000.0, "passes over all cases after which no network is begun", above=0
    )
    least: int = setting(3, "the fewest networks, whatever they cost", least=1)
    most: int = setting(50, "the most networks, whatever they cost", least=1)
    searches: int = setting(500, "the most line searches of a network", least=1)
    patience: int = setting(
        20, "the fewest line searches after the least validation error", least=1
    )


@dataclass(frozen=True)
class Member:
    """A network of the ensemble: its weights [P], the line search that they are from (0 for the start), its validation
    error, how many line searches there were, their cost in passes over all N cases, and whether the mean of the targets
    stands in for it."""

    weights: np.ndarray
    search: int
    error: float
    searches: int
    passes: float
    fell_back: bool = False


@method(
    name="mlp-ese-1",
    description="ensemble of tanh networks with direct connections, conjugate gradient with "
    "early stopping, as many as a fixed cost allows",
    kinds={"real"},
    settings=ConjugateEnsemble(),
    source="C. E. Rasmussen, Evaluation of Gaussian Processes and other Methods for Non-linear Regression, 1996",
    calls=[
        "benchbook.methods.networks.ese:train_ensemble",
        "benchbook.methods.networks.ese:train",
        "benchbook.kernels.conjugate:train",
    ],
)
def mlp_ese_1(
    instance: TaskInstance, rng: np.random.Generator, settings: ConjugateEnsemble
) -> tuple[Predictive, dict[str, Any]]:
    """An ensemble in the manner of Rasmussen's mlp-ese-1 (Evaluation of Gaussian Processes and other Methods for
    Non-linear Regression, thesis, Toronto, 1996), whose definition is lost to us; what Neal (1998) says of it is kept.

    Kept: a network with direct input-output connections; for each its own random division of the cases; conjugate
    gradient; training goes on past the first rise of the validation error; the size of the ensemble varies. Ours are
    the constants (``ConjugateEnsemble``) and these rules:

    1. Hold out a third of the cases, at random (at least one). Weights start normal with standard deviation 0.1.
    2. Minimise the squared error over the others by conjugate gradient (``kernels.conjugate``). The network after the
       line search with the least validation error counts. Training ends when that is as many line searches ago as came
       before it and at least 20, or after 500.
    3. Begin another network unless 20,000 passes are spent or there are 50; there are 3 at least. A gradient over n of
       the N cases costs n / N passes, an error without gradient half of that.
    4. Predict the mean of the outputs. The variance is the mean of the validation errors, the same for all cases.

    A network without a finite validation error is replaced by the mean of its targets; the record counts these under
    "fallback_to_mean". The diagnostics hold for each network the line search chosen and how many there were.
    """
    need_cases(instance, 2, "mlp-ese-1")
    ensemble = train_ensemble(instance.train_inputs, instance.train_targets, settings, rng)
    with one_thread():
        members = np.array(
            [outputs(member.weights, instance.test_inputs, settings.hidden) for member in ensemble]
        )
    estimate = float(np.mean([member.error for member in ensemble]))
    variance = stated_variance(estimate, instance.train_targets)
    diagnostics: dict[str, Any] = {
        "networks": len(ensemble),
        "selected_searches": [member.search for member in ensemble],
        "searches": [member.searches for member in ensemble],
        "gradient_passes": round(sum(member.passes for member in ensemble)),
    }
    fallen = sum(member.fell_back for member in ensemble)
    if fallen:
        diagnostics["fallback_to_mean"] = fallen
    return Gaussian(members.mean(axis=0), np.full(members.shape[1], variance)), diagnostics


def train_ensemble(
    inputs: np.ndarray, targets: np.ndarray, settings: ConjugateEnsemble, rng: np.random.Generator
) -> list[Member]:
    """Networks for random divisions of the cases, inputs [N, d] and targets [N], until the budget is spent."""
    ensemble: list[Member] = []
    spent = 0.0
    while len(ensemble) < settings.least or (
        spent < settings.budget and len(ensemble) < settings.most
    ):
        order = rng.permutation(len(targets))
        size = max(1, round(settings.held * len(targets)))
        start = settings.start * rng.normal(
            size=settings.hidden * (inputs.shape[1] + 2) + 1 + inputs.shape[1]
        )
        ensemble.append(
            train(start, inputs, targets, np.sort(order[:size]), np.sort(order[size:]), settings)
        )
        spent += ensemble[-1].passes
    return ensemble


def train(
    start: np.ndarray,
    inputs: np.ndarray,
    targets: np.ndarray,
    held: np.ndarray,
    kept: np.ndarray,
    settings: ConjugateEnsemble,
) -> Member:
    """Conjugate gradient from ``start`` [P] on the cases ``kept``, validated on the cases ``held``."""
    best, own = np.empty(len(start)), np.ascontiguousarray(inputs[kept])
    search, error, searches, gradients = kernels.conjugate.train(
        start.copy(),
        own,
        np.ascontiguousarray(own.T),
        targets[kept],
        np.ascontiguousarray(inputs[held].T),
        targets[held],
        settings.hidden,
        True,
        settings.searches,
        settings.patience,
        best,
    )
    passes = (gradients * len(kept) + 0.5 * (searches + 1) * len(held)) / len(targets)
    fell_back = not np.isfinite(error)
    if fell_back:
        best = np.zeros(len(start))
        best[settings.hidden * (inputs.shape[1] + 2)] = targets[kept].mean()
        error = float(np.mean((targets[kept].mean() - targets[held]) ** 2))
    return Member(best, int(search), float(error), int(searches), float(passes), fell_back)
