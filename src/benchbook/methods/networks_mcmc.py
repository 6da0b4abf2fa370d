"""Bayesian networks by Markov chain Monte Carlo: Neal's methods of the mlp-mc family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchbook.methods.base import FunctionMethod, method, need_cases
from benchbook.methods.bayes import constants
from benchbook.methods.bayes.predict import answer

if TYPE_CHECKING:
    import numpy as np

    from benchbook.methods.bayes.model import Model
    from benchbook.methods.bayes.runs import Schedule
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance


def bayesian(name: str, description: str, model: Model, schedule: Schedule) -> FunctionMethod:
    """A method that samples the posterior of a network and predicts with the mixture over the draws.

    Its form is that of R. M. Neal, Assessing Relevance Determination Methods Using DELVE, 1998; the constants are in
    ``bayes.constants``. The prediction is a mixture of at most 100 Gaussians, one for each network drawn, with the
    noise variance drawn with it. The diagnostics are those of ``bayes.predict.diagnose``.
    """

    @method(name=name, description=description, kinds={"real"})
    def predict(instance: TaskInstance, rng: np.random.Generator) -> tuple[Predictive, dict[str, Any]]:
        need_cases(instance, 2, name)
        return answer(model, schedule, instance, rng)

    return predict


_LINEAR_TOO = constants.model(relevance=True, direct=True)
_RELEVANCE = constants.model(relevance=True, direct=False)
_PLAIN = constants.model(relevance=False, direct=False)

mlp_mc_1 = bayesian("mlp-mc-1", "Bayesian network, relevance hyperparameters, direct connections, long run",
                    _LINEAR_TOO, constants.schedule(long=True))
mlp_mc_2 = bayesian("mlp-mc-2", "Bayesian network, relevance hyperparameters, direct connections",
                    _LINEAR_TOO, constants.schedule())
mlp_mc_3 = bayesian("mlp-mc-3", "Bayesian network, relevance hyperparameters", _RELEVANCE, constants.schedule())
mlp_mc_4 = bayesian("mlp-mc-4", "Bayesian network, no relevance hyperparameters", _PLAIN, constants.schedule())
mlp_mc_2b = bayesian("mlp-mc-2b", "mlp-mc-2 with three times the passes", _LINEAR_TOO, constants.schedule_b())
mlp_mc_3b = bayesian("mlp-mc-3b", "mlp-mc-3 with three times the passes", _RELEVANCE, constants.schedule_b())
mlp_mc_4b = bayesian("mlp-mc-4b", "mlp-mc-4 with three times the passes", _PLAIN, constants.schedule_b())
