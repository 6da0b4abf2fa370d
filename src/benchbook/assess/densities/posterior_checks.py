"""What a posterior's left-out cases say of its model: calibration by PIT values, and effective parameters.

Sources: Vehtari, Gelman and Gabry (2017); the glossary of the R package loo; for bands ``calibration.bands``.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from benchbook.assess.calibration import pit_ecdf
from benchbook.assess.densities.checks import Array
from benchbook.assess.densities.groups import GroupLoo
from benchbook.assess.densities.importance import Loo
from benchbook.assess.densities.posterior import LogLikelihood
from benchbook.assess.densities.posterior_losses import predictions_of, units
from benchbook.assess.densities.utilities import QUESTIONS
from benchbook.errors import Fault, FaultyInput
from benchbook.seeds import generator


def left_out_pit(posterior: LogLikelihood, left_out: Loo | GroupLoo, seed: int = 1) -> Array:
    r"""LOO-PIT, [N]: u_i = P(ỹ_i < y_i) + V_i P(ỹ_i = y_i) by the distribution that predicts the case without itself.

    V_i ~ U(0, 1) randomises where draws equal the target, as of counts. Uniform when predictions are calibrated; nearly
    so also because each case is predicted by a model of all the others, which makes the values slightly dependent.

    Args:
        posterior: with targets and draws from the posterior predictive.
        left_out: the weights.
        seed: of V.

    Raises:
        FaultyInput: no targets or predictions, or no numbers.
    """
    _, targets = predictions_of(QUESTIONS["mae"], posterior)
    share = generator(seed, "LOO-PIT").random(len(targets))
    values = np.empty(len(targets))
    for unit in units(posterior, left_out):
        if unit.drawn is None:
            rule = "a refit needs draws from the posterior predictive of the cases that it left out"
            raise FaultyInput("LOO-PIT", [Fault(f"case {unit.cases[0]}", "no predictions", rule)])
        goal = targets[unit.cases]
        below, at = unit.weights @ (unit.drawn < goal), unit.weights @ (unit.drawn == goal)
        values[unit.cases] = below + share[unit.cases] * at
    return np.clip(values, 0.0, 1.0)


def pit_verdict(values: Array, seed: int = 1) -> tuple[pl.DataFrame, str]:
    """The ECDF of PIT values with its simultaneous 95 % band (``calibration.pit_ecdf``), and what it says in words.

    Args:
        values: [N].
    """
    frame = pit_ecdf(values, generator(seed, "LOO-PIT band"))
    out = frame.filter(
        (pl.col("share") > pl.col("simultaneous_high"))
        | (pl.col("share") < pl.col("simultaneous_low"))
    )
    if out.is_empty():
        return frame, "within the simultaneous 95 % band: no sign of miscalibration"
    difference, half = frame["difference"].to_numpy(), frame["value"].to_numpy() <= 0.5
    low, high = float(difference[half].mean()), float(difference[~half].mean())
    shapes = {
        (True, False): "too many at both ends: predictions are too narrow",
        (False, True): "too many in the middle: predictions are too wide",
        (True, True): "too many low: predictions are too high",
        (False, False): "too many high: predictions are too low",
    }
    return frame, f"outside of the simultaneous 95 % band; {shapes[low > 0.0, high > 0.0]}"


def complexity(posterior: LogLikelihood, left_out: Loo) -> str:
    """What p_loo, the effective number of parameters, says beside the number of scalars and of cases; the rules are
    those of the glossary of the R package loo. Far below is below a half, which is ours.

    Scalars are all that the posterior holds, derived ones too. Empty where nothing is to be said, or they are unknown.
    """
    value, cases = left_out.effective_parameters, left_out.k_hat.size
    count = sum(
        1
        for trace in posterior.parameters or ()
        for number in range(trace.values[0, 0].size)
        if trace.label(number) != "lp__"
    )
    if not count:
        return "above the number of cases: the model predicts weakly" if value > cases else ""
    if value > min(count, cases):
        what = "parameters" if count <= cases else "cases"
        return f"above the number of {what}: the model is badly misspecified; look at posterior predictive checks"
    if left_out.reliable.all():
        return ""
    if count > cases / 5:
        return (
            "with more than a fifth as many parameters as cases: the model is so flexible or its prior so weak that "
            "left-out cases are hard to predict, even if it is the true one"
        )
    if value < count / 2:
        return "far below the number of parameters: the model is likely to be misspecified, as by outliers"
    return ""
