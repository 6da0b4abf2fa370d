"""Neal's Bayesian neural network sampled by the No-U-Turn sampler of NumPyro, an optional extra: a second opinion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.assess.densities.chains import effective_size, largest_rhat, least_size
from benchbook.methods.base import FunctionMethod, method, need_cases
from benchbook.methods.extras import MissingExtra
from benchbook.methods.networks.bayesian import constants
from benchbook.methods.networks.bayesian.constants import NutsSettings
from benchbook.methods.networks.bayesian.model import Model
from benchbook.methods.networks.early_stopping import outputs
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.works import NEAL
from benchbook.predictive import Mixture

if TYPE_CHECKING:
    from benchbook.methods.networks.bayesian.nuts import States
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

_DRAWS, _WATCHED, _LONGEST = 100, 5, 100


@dataclass(frozen=True)
class NutsNetwork:
    """The settings of mlp-nuts-1: the network with its priors, and the sampler."""

    model: Model
    nuts: NutsSettings = NutsSettings()


def nuts_mixture(
    instance: TaskInstance, rng: np.random.Generator, settings: NutsNetwork, *, name: str
) -> tuple[Predictive, dict[str, Any]]:
    """Sample the posterior of a network by NUTS and predict with the mixture over the draws.

    The posterior is that of ``sampled.posterior_mixture`` with the same model. The prediction is an equal mixture of
    N(f(x; w), noise variance) over 100 states spread evenly over all chains. The diagnostics are those of
    ``bayesian.predict.diagnose``; R-hat and effective sizes compare the halves of all chains, and the first ones with
    one another too.

    Raises:
        MissingExtra: when it predicts, and NumPyro is not installed.
    """
    need_cases(instance, 2, name)
    states = _sampler(name)(
        settings.model, settings.nuts, instance.train_inputs, instance.train_targets, rng
    )
    return _answer(states, instance, settings.model.hidden)


def nuts(
    name: str, description: str, model: Model, settings: NutsSettings | None = None
) -> FunctionMethod:
    """A method of that procedure."""
    return method(
        name=name,
        description=description,
        kinds={"real"},
        extra="nuts",
        settings=NutsNetwork(model, settings or NutsSettings()),
        source=f"the network of {NEAL}; M. D. Hoffman and A. Gelman, The No-U-Turn sampler, 2014",
        calls=["benchbook.methods.networks.bayesian.nuts:sample"],
    )(partial(nuts_mixture, name=name))


def _sampler(name: str) -> Any:
    try:
        from benchbook.methods.networks.bayesian.nuts import sample
    except ImportError as error:
        raise MissingExtra(
            f"{name} needs NumPyro, which is not installed here (no {error.name!r}); "
            "get it with `pip install 'benchbook[nuts]'`"
        ) from error
    return sample


def _answer(
    states: States, instance: TaskInstance, hidden: int
) -> tuple[Predictive, dict[str, Any]]:
    weights, noise = states.weights.reshape(-1, states.weights.shape[-1]), states.noise.ravel()
    drawn = np.linspace(0, len(weights) - 1, min(_DRAWS, len(weights))).round().astype(int)
    with one_thread():
        centres = np.array([outputs(w, instance.test_inputs, hidden) for w in weights[drawn]]).T
        watched = np.array([outputs(w, instance.test_inputs[:_WATCHED], hidden) for w in weights])
    spread = np.tile(noise[drawn] ** 2, (len(centres), 1))
    mixture = Mixture(np.full(len(drawn), 1.0 / len(drawn)), centres, spread)
    return mixture, diagnose(states, watched.reshape(*states.noise.shape, -1), len(drawn))


def diagnose(states: States, watched: np.ndarray, draws: int) -> dict[str, Any]:
    """What the chains cost and how far to trust them; ``watched`` [C, n, J] are outputs for the first test cases."""
    moving = np.ptp(states.sigma, axis=(0, 1)) > 0
    sets = np.log(states.sigma[:, :, moving])
    figures: dict[str, Any] = {
        "gradient_passes": states.gradients,
        "draws": draws,
        "acceptance": round(states.acceptance, 4),
        "diverged": states.diverged,
        "noise_sd": float(np.median(states.noise)),
        "noise_sd_error": float(np.std(states.noise) / np.sqrt(effective_size(states.noise))),
    }
    for name, traces in (
        ("noise", np.log(states.noise)[..., None]),
        ("sigma", sets),
        ("prediction", watched),
    ):
        columns = [traces[..., k] for k in range(traces.shape[-1])]
        figures[f"rhat_{name}"] = _plain(largest_rhat(columns))
        figures[f"ess_{name}"] = _plain(least_size(columns))
    if states.sigma.shape[-1] <= _LONGEST:
        figures["sigma"] = [float(value) for value in np.median(states.sigma, axis=(0, 1))]
    return figures


def _plain(value: float) -> float:
    return round(value, 3) if np.isfinite(value) else 0.0


mlp_nuts_1 = nuts(
    "mlp-nuts-1",
    "the network of mlp-mc-3 sampled by NUTS (NumPyro, an optional extra)",
    constants.model(relevance=True, direct=False),
)
