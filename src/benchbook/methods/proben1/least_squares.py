"""Least squares on PROBEN1's partitions: where its linear networks end when nothing stops them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from benchbook.methods.base import Returned, method
from benchbook.methods.proben1 import squared_error_percentage, wrong_percentage
from benchbook.methods.proben1.networks import partition_of
from benchbook.methods.works import PROBEN1
from benchbook.predictive import Outputs

if TYPE_CHECKING:
    from benchbook.tasks import TaskInstance


@method(
    name="proben1-least-squares",
    kinds={"outputs"},
    source=f"{PROBEN1}, section 3.3; the exact solution ours",
    calls=["benchbook.methods.proben1:squared_error_percentage"],
    description="least squares from the training cases alone: where PROBEN1's linear networks end when nothing "
    "stops them",
)
def least_squares(instance: TaskInstance, rng: np.random.Generator) -> Returned:
    r"""The exact linear network.

    .. math:: \min_W \sum_{p=1}^{N} \sum_{i=1}^{O} (o_{pi} - t_{pi})^2, \qquad o_p = W^\top (1, x_p)

    with the weights W [1 + I, O] of least norm where several do equally well. Nothing is random, and the validation
    cases are only measured: the costs are ``training_error`` and ``validation_error`` (squared error percentages),
    ``validation_wrong`` (per cent, for classes), ``rank`` of the design (1 + I when no input is a sum of others) and
    ``cpu_seconds``.
    """
    given = partition_of(instance)
    begin = time.process_time()
    weights, _, rank, _ = np.linalg.lstsq(
        _with_bias(given.train_inputs), given.train_targets, rcond=None
    )
    seconds = time.process_time() - begin
    validation = _with_bias(given.validation_inputs) @ weights
    cost = {
        "training_error": squared_error_percentage(
            _with_bias(given.train_inputs) @ weights, given.train_targets
        ),
        "validation_error": squared_error_percentage(validation, given.validation_targets),
        "rank": int(rank),
        "cpu_seconds": seconds,
    }
    if given.classes:
        cost["validation_wrong"] = wrong_percentage(validation, given.validation_targets)
    return Outputs(_with_bias(given.test_inputs) @ weights), cost


def _with_bias(inputs: np.ndarray) -> np.ndarray:
    return np.column_stack([np.ones(len(inputs)), inputs])
