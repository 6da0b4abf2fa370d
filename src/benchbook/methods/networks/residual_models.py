"""The networks of Vehtari and Lampinen's report: Normal, t and input-dependent residuals, and two classes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import FunctionMethod, method, need_cases, need_two_classes
from benchbook.methods.networks.residuals.runs import ResidualSettings
from benchbook.methods.networks.residuals.sampling import sample_mlp
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.methods.works import DENSITIES
from benchbook.predictive import Categorical, Gaussian

if TYPE_CHECKING:
    from benchbook.methods.shared.posterior import Posterior
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance


def residual_mixture(
    instance: TaskInstance,
    rng: np.random.Generator,
    settings: ResidualSettings,
    *,
    name: str,
    kind: str,
) -> tuple[Predictive, dict[str, Any]]:
    """Sample the posterior of a network under a residual model and predict with the mixture of draws.

    The model is that of A. Vehtari and J. Lampinen, Bayesian model assessment and comparison using cross-validation
    predictive densities, 2001, section 3.1, with 8 hidden units as for their robot arm and 100 draws; the values of the
    priors and the schedule are those of ``residuals.model.ResidualNetwork`` and ``residuals.runs.ResidualSettings``. Of
    input-dependent residuals the logarithm of the variance is an output of the network, which is ours. The budget is
    400,000 passes over the training cases in four chains, or as many as come to 1e11 products of case, hidden unit and
    input, 4e11 for classes: about 10,600 for 29,000 cases of 37 inputs; 8,800, of classes, for 5,176 of 1,092.

    Where an answer is not finite, it is N(m, v) with the mean and variance of the training targets, or the shares of
    the classes, and the record has "fallback".
    """
    classes = kind == "logistic"
    need_cases(instance, 2, name)
    if classes:
        need_two_classes(instance, name)
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        posterior = sample_mlp(instance.train_inputs, instance.train_targets, kind, settings, rng)
        diagnostics = {
            key: value for key, value in posterior.diagnostics.items() if key != "minutes"
        }
        prediction = _answer(posterior, instance.test_inputs)
    if prediction is None:
        return _fallback(instance, classes), diagnostics | {"fallback": 1}
    return prediction, diagnostics


def sampled(name: str, description: str, kind: str, settings: ResidualSettings) -> FunctionMethod:
    """A method of that procedure."""
    classes = kind == "logistic"
    return method(
        name=name,
        description=description,
        kinds={"class" if classes else "real"},
        most_classes=2 * classes,
        settings=settings,
        source=f"{DENSITIES}, section 3.1",
        calls=[
            "benchbook.methods.networks.residuals.sampling:sample_mlp",
            "benchbook.methods.networks.residuals.runs:run",
            "benchbook.methods.networks.residuals.runs:ResidualChain.cycle",
            "benchbook.kernels.residual_sampling:cycles",
            "benchbook.kernels.residual_sampling:trajectory",
            "benchbook.kernels.residual_sampling:leap",
        ],
    )(partial(residual_mixture, name=name, kind=kind))


def _answer(posterior: Posterior, inputs: np.ndarray) -> Predictive | None:
    """The prediction, or None where a draw gives no number."""
    parts = posterior.components(inputs)
    given = [array for array in (parts.location, parts.scale) if array is not None]
    return posterior.predict(inputs) if all(np.isfinite(array).all() for array in given) else None


def _fallback(instance: TaskInstance, classes: bool) -> Predictive:
    targets, cases = instance.train_targets, len(instance.test_inputs)
    if classes:
        share = np.bincount(targets.astype(int), minlength=2) + 1.0
        return Categorical(np.tile(share / share.sum(), (cases, 1)))
    return Gaussian(
        np.full(cases, targets.mean()),
        np.full(cases, stated_variance(float(targets.var()), targets)),
    )


_SETTINGS = ResidualSettings()
_MODEL = (
    "Bayesian neural network of Vehtari and Lampinen's report, 8 hidden units, relevance, sampled"
)
_CLASSES = ResidualSettings(work=4e11)  # with 1e11 the chains of gatineau have not left their start


def _limit(settings: ResidualSettings) -> str:
    many = settings.work / (settings.hidden * settings.passes)
    return f"chains are cut short where cases x (inputs + 4) exceed {many:,.0f}"


_LIMIT = _limit(_SETTINGS)

vl_mlp_n = sampled("vl-mlp-n", f"{_MODEL}: Normal residuals; {_LIMIT}", "n", _SETTINGS)
vl_mlp_t = sampled(
    "vl-mlp-t",
    f"the network of vl-mlp-n with Student's t residuals of unknown degrees of freedom; {_LIMIT}",
    "t",
    _SETTINGS,
)
vl_mlp_in = sampled(
    "vl-mlp-in",
    f"the network of vl-mlp-n with Normal residuals whose variance is an output (ours); {_LIMIT}",
    "in",
    _SETTINGS,
)
vl_mlp_it = sampled(
    "vl-mlp-it",
    "the network of vl-mlp-n with Student's t residuals whose variance is an output "
    f"(ours); {_LIMIT}",
    "it",
    _SETTINGS,
)
vl_mlp_logistic = sampled(
    "vl-mlp-logistic",
    f"{_MODEL}: the logistic model of two classes; {_limit(_CLASSES)}",
    "logistic",
    _CLASSES,
)
