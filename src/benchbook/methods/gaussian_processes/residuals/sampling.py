"""Draws from the posterior of the report's Gaussian processes, on any arrays: ``sample_gp``."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import scipy

from benchbook.assess.densities.chains import largest_rhat, least_pvalue, least_size
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.methods.gaussian_processes.residuals.covariance import Marginal
from benchbook.methods.gaussian_processes.residuals.draws import (
    ClassDraws,
    Classes,
    ProcessDraw,
    RegressionDraws,
    Scaling,
)
from benchbook.methods.gaussian_processes.residuals.moves import Mover
from benchbook.methods.gaussian_processes.residuals.regression import ProcessModel, Regression
from benchbook.methods.gaussian_processes.residuals.settings import GPSettings
from benchbook.methods.gaussian_processes.search import curvature, descend
from benchbook.methods.mcmc.hmc import stretch
from benchbook.methods.mcmc.steps import Leaps
from benchbook.methods.shared.diagnostics import rounded
from benchbook.methods.shared.posterior import KINDS, DrawnComponents, Posterior
from benchbook.methods.shared.residuals import ONE_GROUP, Groups
from benchbook.methods.shared.threads import one_thread

if TYPE_CHECKING:
    from benchbook.assess.densities.gaussian_process import GaussianTerms

_THIN = {"n": 3, "t": 4, "in": 4, "it": 4, "logistic": 2}
_FEW = 300  # cases; with more, sweeps between draws are in proportion fewer
_STARTS = (0.5, 3.0)  # sums of the relevances that the search begins with
_WATCHED = 5  # cases whose latent values and residual variances are watched
Figures: TypeAlias = "Mapping[str, np.ndarray]"


@dataclass(frozen=True)
class GPPosterior(Posterior):
    """Draws from the posterior of a Gaussian process, with its exact leave-one-out terms.

    ``log_likelihood`` [M, N] is log p(y_i | x_i, draw, D without i), what the weights of importance sampling are made
    of (equation 16); latent value and scale of the case are integrated out, also where the report conditions on the
    scale. ``leave_one_out``, for each output: equations 37 to 39 as the report has them, given the scales of all cases;
    none for classes. ``given_values`` [M, N]: log p(y_i | latent value drawn), what other software takes for the log
    likelihood. ``components`` has two equally likely components for each draw of kinds "t", "it" and a process as
    spread, which stand for latent values that are uncertain given the draw.
    """

    leave_one_out: tuple[GaussianTerms, ...]
    given_values: np.ndarray
    density: Callable[[np.ndarray, np.ndarray], np.ndarray]

    def log_density_draws(self, inputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """log p(y_j | x_j, draw, D) [M, J] for inputs [J, d] and targets [J] or [J, O] on the encoded scale."""
        return self.density(np.asarray(inputs, dtype=float), np.asarray(targets, dtype=float))


def sample_gp(
    inputs: np.ndarray,
    targets: np.ndarray,
    kind: str,
    settings: GPSettings | None,
    rng: np.random.Generator,
) -> GPPosterior:
    """Draws from the posterior of a Gaussian process with the residual model ``kind``.

    The covariance is equation 36. Covariance parameters are drawn by HMC with latent values integrated
    out, given a residual variance of each case; those variances by Gibbs given latent values drawn from their Normal
    distribution (``gp_regression``, ``gp_classes``). The chain begins where a search for the most probable parameters
    ends, that of Normal residuals. Inputs and targets are brought to mean 0 and standard deviation 1 within.

    Args:
        inputs: [N, d]; targets: [N] or [N, O] numbers, or 0 and 1 for kind "logistic".
        kind: one of ``posterior.KINDS``.
        settings: the defaults where None.

    Raises:
        BenchbookError: more cases than ``settings.most``.
        FaultyInput: such a kind, such columns, arrays that do not go together or are not finite, targets of a
            classification that are not 0 or 1, and several outputs for residuals other than Normal that share
            parameters.
    """
    settings = settings or GPSettings()
    x, y = _checked(inputs, targets, kind, settings)
    began = time.perf_counter()
    with one_thread(), np.errstate(over="ignore", invalid="ignore", under="ignore"):
        if kind == "logistic":
            draws = _classes(x, y[:, 0], settings, rng)
        elif settings.shared or y.shape[1] == 1:
            draws = _regression(x, y, kind, settings, rng)
        else:
            draws = _joined(
                [_regression(x, y[:, [o]], kind, settings, rng) for o in range(y.shape[1])]
            )
    diagnostics = {**draws.diagnostics, "minutes": rounded((time.perf_counter() - began) / 60.0)}
    return GPPosterior(
        draws.kind,
        draws.log_likelihood,
        draws.components,
        diagnostics,
        draws.leave_one_out,
        draws.given_values,
        draws.density,
    )


def _checked(
    inputs: Any, targets: Any, kind: str, settings: GPSettings
) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.asarray(inputs, dtype=float), np.asarray(targets, dtype=float)
    y, faults = y[:, None] if y.ndim == 1 else y, []
    if kind not in KINDS:
        faults.append(Fault("kind", repr(kind), f"must be one of {', '.join(KINDS)}"))
    if x.ndim != 2 or y.ndim != 2 or len(x) != len(y) or 0 in x.shape or 0 in y.shape:
        faults.append(
            Fault(
                "arrays", f"inputs {x.shape}, targets {y.shape}", "must be [N, d] and [N] or [N, O]"
            )
        )
    elif not (np.isfinite(x).all() and np.isfinite(y).all()):
        faults.append(Fault("arrays", "numbers that are not finite", "all must be finite"))
    elif kind == "logistic" and (y.shape[1] > 1 or not np.isin(y, (0.0, 1.0)).all()):
        faults.append(
            Fault(
                "targets", "others than 0 and 1", "a logistic model is of two classes, 0 and 1, [N]"
            )
        )
    elif kind in KINDS[:4] and kind != "n" and y.shape[1] > 1 and settings.shared:
        faults.append(
            Fault("targets", f"{y.shape[1]} outputs", "set shared=False, or use kind 'n'")
        )
    if faults:
        raise FaultyInput("Gaussian process", faults)
    if len(x) > settings.most:
        raise BenchbookError(
            f"a Gaussian process of {len(x)} cases would take too long, {settings.most} is the most; "
            "take a random subset of the cases, or a network (vl-mlp-...)"
        )
    return x, y


def _start(marginal: Marginal, t: np.ndarray, steps: int) -> np.ndarray:
    """The most probable parameters [p], from two beginnings: smooth and wiggly."""
    d, starts = marginal.covariances.inputs.shape[1], []
    for total in _STARTS:
        first = t.copy()
        first[: d + 1] = np.log(total / max(d, 1))
        starts.append(descend(marginal, first, steps, 8.0))
    best = min(starts, key=lambda end: end[1])
    return best[0] if np.isfinite(best[1]) else t


def diagnose(rows: list[Figures], mover: Mover, evaluations: int) -> dict[str, Any]:
    """What the chain cost and how far to trust it.

    For each name of the figures of its sweeps: the largest split R-hat, the least effective size, and ``least_pvalue``.
    Figures that never moved, as degrees of freedom that stay at one place of their grid, say nothing: 0, 0, 1.
    """
    diagnostics: dict[str, Any] = {
        "sweeps": len(rows),
        "evaluations": evaluations,
        "acceptance": rounded(mover.acceptance),
    }
    for name in rows[0]:
        traces = [trace for trace in np.array([row[name] for row in rows]).T if np.ptp(trace) > 0.0]
        diagnostics[f"rhat_{name}"] = rounded(largest_rhat(traces))
        diagnostics[f"ess_{name}"] = rounded(least_size(traces))
        diagnostics[f"ks_{name}"] = rounded(least_pvalue(traces))
    return diagnostics


def _regression(
    inputs: np.ndarray,
    targets: np.ndarray,
    kind: str,
    settings: GPSettings,
    rng: np.random.Generator,
) -> GPPosterior:
    scaling = Scaling.of(inputs, targets)
    columns = settings.spread if kind in ("in", "it") else None
    groups = Groups.used_or_not(inputs, columns) if columns else ONE_GROUP
    chain = Regression(
        ProcessModel(kind, groups, settings.priors),
        scaling.inputs(inputs),
        scaling.targets(targets),
    )
    chain.group(groups.of(inputs))
    marginal, prior = chain.marginal, settings.priors
    chain.begin(_start(marginal, chain.t, settings.search))
    mover = Mover(stretch(curvature(marginal, chain.t), marginal.sd), settings.tuning)
    spread = Mover(
        np.eye(prior.spread.size(inputs.shape[1])), Leaps(length=0.6 * settings.tuning.length)
    )

    def sweep() -> Figures:
        chain.sweep(mover, spread, settings.slices, rng)
        residual = [chain.logs[:_WATCHED] + chain.t[-1], -np.log(chain.found.precisions)]
        traced = {"covariance": chain.t[:-1], "residual": np.concatenate(residual)}
        degrees = {"degrees": np.log(chain.degrees())} if chain.model.tails else {}
        return traced | degrees | {"value": chain.residuals[:_WATCHED, 0].copy()}

    rows, states = _run(
        sweep, lambda: ProcessDraw.of(chain), (mover, spread), settings, kind, len(inputs)
    )
    draws = RegressionDraws(chain, states, scaling, _nodes(len(states), rng))
    terms, own = draws.leave_one_out()
    diagnostics = diagnose(rows, mover, marginal.evaluations)
    return GPPosterior(
        kind, own, draws.components, diagnostics, terms, draws.given_values(), draws.log_density
    )


def _classes(
    inputs: np.ndarray, targets: np.ndarray, settings: GPSettings, rng: np.random.Generator
) -> GPPosterior:
    scaling = Scaling.of(inputs, targets[:, None])
    chain = Classes(scaling.inputs(inputs), targets, settings.classes)
    marginal = chain.marginal
    chain.t = _start(marginal, chain.t, settings.search)
    mover = Mover(stretch(curvature(marginal, chain.t), marginal.sd), settings.tuning)

    def sweep() -> Figures:
        chain.sweep(mover, 2, rng)
        return {"covariance": chain.t, "value": chain.values[:_WATCHED].copy()}

    def state() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return chain.t.copy(), chain.weights.copy(), chain.values.copy()

    rows, states = _run(sweep, state, (mover,), settings, "logistic", len(inputs))
    draws = ClassDraws(chain, states, scaling)
    return GPPosterior(
        "logistic",
        draws.leave_one_out(),
        draws.components,
        diagnose(rows, mover, marginal.evaluations),
        (),
        draws.given_values(),
        draws.log_density,
    )


def _run(
    sweep: Callable[[], Figures],
    state: Callable[[], Any],
    movers: tuple[Mover, ...],
    settings: GPSettings,
    kind: str,
    cases: int,
) -> tuple[list[Figures], list[Any]]:
    """Warm up, then keep a state every ``thin`` sweeps."""
    thin = settings.thin or max(1, round(_THIN[kind] * min(1.0, _FEW / cases)))
    for index in range(settings.warm):
        sweep()
        if index == settings.warm // 2:
            for mover in movers:
                mover.turn()
    for mover in movers:
        mover.settle()
    rows: list[Figures] = []
    states: list[Any] = []
    for _ in range(settings.draws):
        for _ in range(thin):
            rows.append(sweep())
        states.append(state())
    return rows, states


def _nodes(draws: int, rng: np.random.Generator) -> np.ndarray:
    """Half-normal scores of mean square 1 in two random orders, of random signs: [M, 2]."""
    scores = scipy.special.ndtri(0.5 + 0.5 * (np.arange(draws) + 0.5) / draws)
    scores /= np.sqrt(np.mean(scores**2))
    pairs = np.column_stack([rng.permutation(scores), rng.permutation(scores)])
    return pairs * np.column_stack([np.ones(draws), rng.choice([-1.0, 1.0], draws)])


class _Several:
    """Outputs with parameters of their own, as one."""

    def __init__(self, found: list[GPPosterior]) -> None:
        self.found = found

    def components(self, inputs: np.ndarray) -> DrawnComponents:
        """Those of each output, side by side."""
        each = [item.components(inputs) for item in self.found]
        location, scale, degrees = (
            [getattr(part, name) for part in each] for name in ("location", "scale", "degrees")
        )
        wide = [np.broadcast_to(part, location[0].shape) for part in scale]
        tails = (
            None
            if degrees[0] is None
            else np.stack([np.broadcast_to(part, location[0].shape) for part in degrees], axis=2)
        )
        return DrawnComponents(np.stack(location, axis=2), np.stack(wide, axis=2), tails)

    def density(self, inputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """The sum of those of the outputs: they are independent."""
        return np.sum(
            [item.density(inputs, targets[:, o]) for o, item in enumerate(self.found)], axis=0
        )


def worst(posteriors: Sequence[GPPosterior]) -> dict[str, Any]:
    """The worst diagnostics of several chains, and what they cost together; without the minutes."""
    diagnostics = {}
    for name in (name for name in posteriors[0].diagnostics if name != "minutes"):
        values = [posterior.diagnostics[name] for posterior in posteriors]
        if name.startswith("rhat"):  # 0 stands for one that is undefined
            diagnostics[name] = max(values, key=lambda value: value or np.inf)
        else:
            diagnostics[name] = sum(values) if name in ("sweeps", "evaluations") else min(values)
    return diagnostics


def _joined(posteriors: list[GPPosterior]) -> GPPosterior:
    both = _Several(posteriors)
    diagnostics = worst(posteriors)
    likelihood, given = (
        np.sum(part, axis=0)
        for part in (
            [posterior.log_likelihood for posterior in posteriors],
            [posterior.given_values for posterior in posteriors],
        )
    )
    return GPPosterior(
        posteriors[0].kind,
        likelihood,
        both.components,
        diagnostics,
        tuple(term for posterior in posteriors for term in posterior.leave_one_out),
        given,
        both.density,
    )
