"""The Gaussian processes of Vehtari and Lampinen's report as methods: four residual models, and two classes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import FunctionMethod, method, need_cases
from benchbook.methods.gaussian_processes.residuals.sampling import sample_gp, worst
from benchbook.methods.gaussian_processes.residuals.settings import GPSettings
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.methods.works import DENSITIES
from benchbook.predictive import Categorical, Mixture, StudentTMixture

if TYPE_CHECKING:
    from benchbook.methods.gaussian_processes.residuals.sampling import GPPosterior
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance


_SOURCE = f"{DENSITIES}, section 3.1; schedule ours"
_SAMPLING = "benchbook.methods.gaussian_processes.residuals.sampling:sample_gp"


def gp_mixture(
    instance: TaskInstance, rng: np.random.Generator, settings: GPSettings, *, name: str, kind: str
) -> tuple[Predictive, dict[str, Any]]:
    """Sample the posterior of a Gaussian process with one residual model and predict by its draws.

    1. Bring inputs and target to mean 0 and standard deviation 1; leave constant inputs out.
    2. The covariance is eta^2 exp(-sum_u rho_u^2 (x_u - x'_u)^2) plus jitter and residual variance, with the priors of
       ``residuals.priors`` (A. Vehtari and J. Lampinen, Bayesian model assessment and comparison using cross-validation
       predictive densities, 2001, section 3.1; the numbers are those of their later demonstrations, or ours).
    3. Draw 100 states from the posterior (``residuals.sampling.sample_gp``).
    4. Predict their equal mixture: Normal distributions, or t ones for t residuals; no variance of a component, and no
       squared scale, is below that of ``stated_variance``.

    More than 1,200 cases are refused. The diagnostics hold the largest split R-hat, the least effective sample size
    and the least p value of the report's Kolmogorov-Smirnov test of parameters and of some latent values.
    """
    need_cases(instance, 2, name)
    posterior = sample_gp(instance.train_inputs, instance.train_targets, kind, settings, rng)
    return _floored(posterior, instance), worst([posterior])


def gaussian_process(
    name: str, kind: str, description: str, settings: GPSettings | None = None
) -> FunctionMethod:
    """A method of that procedure."""
    return method(
        name=name,
        description=description,
        kinds={"real"},
        settings=settings or GPSettings(),
        source=_SOURCE,
        calls=[
            _SAMPLING,
            "benchbook.methods.gaussian_processes.residuals.regression:Regression.sweep",
        ],
    )(partial(gp_mixture, name=name, kind=kind))


def _floored(posterior: GPPosterior, instance: TaskInstance) -> Predictive:
    """The predictive distributions with no component narrower than ``stated_variance`` allows."""
    floor = stated_variance(0.0, instance.train_targets)
    prediction = posterior.predict(instance.test_inputs)
    if isinstance(prediction, StudentTMixture):
        scale = np.maximum(prediction.scale, np.sqrt(floor))
        return StudentTMixture(prediction.weight, prediction.location, scale, prediction.df)
    assert isinstance(prediction, Mixture)
    variance = np.maximum(prediction.component_variance, floor)
    return Mixture(prediction.weight, prediction.component_mean, variance)


@method(
    name="vl-gp-logistic",
    description="Gaussian process with a length scale for each input and a logistic link, "
    "by Markov chain Monte Carlo",
    kinds={"class"},
    settings=GPSettings(),
    source=_SOURCE,
    calls=[_SAMPLING, "benchbook.methods.gaussian_processes.residuals.draws:Classes.sweep"],
)
def vl_gp_logistic(
    instance: TaskInstance, rng: np.random.Generator, settings: GPSettings
) -> tuple[Predictive, dict[str, Any]]:
    """Logistic classification by a latent Gaussian process, averaged over draws from its posterior.

    The model is that of ``residuals.classes``, with the covariance of ``gp_mixture``; the probability of a class
    is the mean over 100 draws, latent values integrated out. The report has two classes. Of more, each is set against
    all others and the probabilities are divided by their sum, which is ours. More than 1,200 cases are refused.
    """
    need_cases(instance, 2, "vl-gp-logistic")
    classes = len(instance.classes)
    queries = [1] if classes == 2 else list(range(classes))
    posteriors = [
        sample_gp(instance.train_inputs, instance.train_targets == label, "logistic", settings, rng)
        for label in queries
    ]
    chances = np.column_stack(
        [
            np.exp(posterior.log_density(instance.test_inputs, np.ones(len(instance.test_inputs))))
            for posterior in posteriors
        ]
    )
    whole = (
        np.column_stack([1.0 - chances, chances])
        if classes == 2
        else chances / chances.sum(axis=1, keepdims=True)
    )
    return Categorical(whole), worst(posteriors)


vl_gp_n = gaussian_process(
    "vl-gp-n",
    "n",
    "Gaussian process with a length scale for each input and Normal residuals, "
    "by Markov chain Monte Carlo",
)
vl_gp_t = gaussian_process(
    "vl-gp-t",
    "t",
    "the Gaussian process of vl-gp-n with Student's t residuals of unknown degrees of freedom",
)
vl_gp_nb = gaussian_process(
    "vl-gp-nb", "n", "vl-gp-n with eighteen times the sweeps", GPSettings(thin=54)
)
vl_gp_tb = gaussian_process(
    "vl-gp-tb", "t", "vl-gp-t with thirty times the sweeps", GPSettings(thin=120)
)
vl_gp_in = gaussian_process(
    "vl-gp-in",
    "in",
    "the Gaussian process of vl-gp-n with Normal residuals whose variance depends on the inputs",
)
vl_gp_it = gaussian_process(
    "vl-gp-it",
    "it",
    "the Gaussian process of vl-gp-n with Student's t residuals whose scale depends on the inputs",
)
