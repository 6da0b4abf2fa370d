"""Sampling the posterior of a network under any residual model: one function, for whole data sets and for folds."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.assess.densities.chains import largest_rhat, least_pvalue, least_size
from benchbook.errors import Fault, FaultyInput
from benchbook.methods.networks.residuals.model import ResidualNetwork, outputs
from benchbook.methods.networks.residuals.runs import (
    ResidualRun,
    ResidualSettings,
    first_chain,
    run,
)
from benchbook.methods.shared.diagnostics import rounded
from benchbook.methods.shared.posterior import KINDS, DrawnComponents, Posterior
from benchbook.methods.shared.residuals import ONE_GROUP, Groups

if TYPE_CHECKING:
    from collections.abc import Sequence

_WATCHED = 10  # training cases whose outputs are watched for convergence
_LEAST_SD = 1e-150  # so that a perfect fit's density stays a number


@dataclass(frozen=True)
class ResidualDraws:
    """M draws of all that predictions need: weights [M, P], residual_sd and degrees [M, K] (None for Normal)."""

    network: ResidualNetwork
    groups: Groups
    weights: np.ndarray
    residual_sd: np.ndarray
    degrees: np.ndarray | None

    def components(self, inputs: np.ndarray) -> DrawnComponents:
        """What each draw says of the cases of inputs [J, d]."""
        pairs = [outputs(self.network, weights, inputs) for weights in self.weights]
        f = np.array([own for own, _ in pairs])
        location = f[:, :, 0] if self.network.outputs == 1 else f
        if self.network.classes:
            return DrawnComponents(location)
        group = self.groups.of(inputs)
        scale = self.residual_sd[:, group] * np.exp(0.5 * np.array([g for _, g in pairs]))
        scale = np.maximum(scale, _LEAST_SD)
        degrees = None if self.degrees is None else self.degrees[:, group]
        return DrawnComponents(
            location, scale if location.ndim == 2 else scale[:, :, None], degrees
        )


def sample_mlp(
    inputs: np.ndarray,
    targets: np.ndarray,
    kind: str,
    settings: ResidualSettings,
    rng: np.random.Generator,
) -> Posterior:
    """Draw from the posterior of a network of one hidden layer by Hamiltonian Monte Carlo and Gibbs sampling.

    The model is equations 30 to 32 of the report with the priors of ``mlp_model.Network``, made for inputs and targets
    of mean about 0 and spread about 1: encode them first. Weights move by HMC; the precisions of their
    priors, residual precisions, degrees of freedom and scales of cases are drawn from their conditional distributions.
    Chains start alike and go apart. A diagnostic that is infinite is given as a million, one that is undefined as 0.

    Args:
        inputs: [N, d].
        targets: [N], of classes 0 and 1; [N, T] for ``settings.outputs`` of T, with kind "n".
        kind: "n", "t", "in", "it" or "logistic"; see ``residuals`` for the input-dependent ones.
        settings: see ``ResidualSettings``; for its concrete, ResidualSettings(hidden=10, spread=its indicators).
        rng: all randomness.

    Raises:
        FaultyInput: a kind, shapes or numbers that cannot be used.
    """
    began = time.perf_counter()
    inputs, targets = np.asarray(inputs, dtype=float), np.asarray(targets, dtype=float)
    _refuse(inputs, targets, kind, settings)
    groups = ONE_GROUP
    if kind in ("in", "it") and settings.spread is not None:
        groups = Groups.used_or_not(inputs, settings.spread)
    by_output = kind in ("in", "it") and settings.spread is None
    network = ResidualNetwork(settings.hidden, settings.outputs, by_output, kind == "logistic")
    tails = kind in ("t", "it")
    runs = [
        run(first_chain(network, groups, tails, settings, inputs, targets), settings, own)
        for own in rng.spawn(settings.chains)
    ]
    pooled = [
        np.concatenate(column) for column in zip(*(_drawn(item) for item in runs), strict=True)
    ]
    draws = ResidualDraws(network, groups, pooled[0], pooled[1], pooled[2] if tails else None)
    diagnostics = diagnose(network, runs, inputs[:_WATCHED])
    log_likelihood = draws.components(inputs).log_density(targets)
    diagnostics["minutes"] = (time.perf_counter() - began) / 60
    return Posterior(kind, log_likelihood, draws.components, diagnostics)


def _refuse(inputs: np.ndarray, targets: np.ndarray, kind: str, settings: ResidualSettings) -> None:
    faults = []
    if kind not in KINDS:
        faults.append(Fault("kind", repr(kind), f"must be one of {', '.join(KINDS)}"))
    wanted = (
        ("[N, T]", (len(inputs), settings.outputs))
        if settings.outputs > 1
        else ("[N]", (len(inputs),))
    )
    if inputs.ndim != 2 or not inputs.size:
        faults.append(
            Fault(
                "inputs", f"shape {inputs.shape}", "must be [N, d], at least one case and one input"
            )
        )
    elif targets.shape != wanted[1]:
        faults.append(
            Fault("targets", f"shape {targets.shape}", f"must be {wanted[0]}, {wanted[1]}")
        )
    elif not (np.isfinite(inputs).all() and np.isfinite(targets).all()):
        faults.append(Fault("inputs or targets", "nan or infinite", "must be finite"))
    elif kind == "logistic" and not np.isin(targets, (0.0, 1.0)).all():
        faults.append(
            Fault("targets", "others than 0 and 1", "must be 0 or 1, the number of the class")
        )
    if settings.outputs > 1 and kind != "n":
        faults.append(
            Fault(
                "outputs",
                str(settings.outputs),
                f"must be 1 for kind {kind!r}; several go with 'n'",
            )
        )
    if faults:
        raise FaultyInput("sampling a network", faults)


def _drawn(one: ResidualRun) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return one.weights, one.residual_sd[one.drawn], one.degrees[one.drawn]


def diagnose(
    network: ResidualNetwork, runs: Sequence[ResidualRun], watched: np.ndarray
) -> dict[str, Any]:
    """Numbers that say what the chains cost and how far to trust them.

    For each of: the logarithms of the residual standard deviations, of those of the groups of weights and of the
    degrees of freedom (over all states noted), and the outputs for the inputs ``watched`` (over the draws): the largest
    R-hat of all chains together, the least effective size, and ``least_pvalue``.
    """
    factors = np.array([item.factor for item in runs])
    diagnostics: dict[str, Any] = {
        "gradient_passes": sum(item.passes for item in runs),
        "chains": len(runs),
        "draws": sum(len(item.drawn) for item in runs),
        "acceptance": rounded(float(np.mean([item.acceptance for item in runs]))),
        "diverged_share": rounded(float(np.mean([item.diverged for item in runs]))),
        "step_factor": rounded(float(factors.mean())),
    }
    if not network.classes:
        diagnostics["residual_sd"] = rounded(
            float(np.median([np.median(item.residual_sd) for item in runs]))
        )
    if runs[0].degrees.size:
        diagnostics["degrees"] = rounded(
            float(np.median([np.median(item.degrees) for item in runs]))
        )
    noted = {
        "residual": [np.log(item.residual_sd) for item in runs] if not network.classes else [],
        "degrees": [np.log(item.degrees) for item in runs] if runs[0].degrees.size else [],
        "sigma": [np.log(item.group_sigma) for item in runs],
        "prediction": [_outputs(network, item, watched) for item in runs],
    }
    for name, chains in noted.items():
        if chains:
            diagnostics |= _figures(name, chains)
    return diagnostics


def _outputs(network: ResidualNetwork, one: ResidualRun, inputs: np.ndarray) -> np.ndarray:
    """[M, cases T] outputs of the draws of a run."""
    return np.array([outputs(network, weights, inputs)[0].ravel() for weights in one.weights])


def _figures(name: str, chains: Sequence[np.ndarray]) -> dict[str, float]:
    """R-hat, effective size and p value of the traces [n, F] of each chain, those that never move left out."""
    length = min(len(chain) for chain in chains)
    together = np.array([chain[:length] for chain in chains])
    moving = np.ptp(together, axis=(0, 1)) > 0
    traces = [
        together[:, :, k] for k in np.flatnonzero(moving & np.isfinite(together).all(axis=(0, 1)))
    ]
    return {
        f"rhat_{name}": rounded(largest_rhat(traces)),
        f"ess_{name}": rounded(least_size(traces)),
        f"ks_{name}": rounded(least_pvalue(traces)),
    }
