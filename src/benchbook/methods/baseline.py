"""base-1: the prediction that looks at no input. A method that does not beat it has learnt nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchbook.methods.base import method
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.predictive import Categorical, Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance


@method(
    name="base-1",
    description="mean and variance of the training targets, or the class frequencies",
    kinds={"real", "class"},
    source="DELVE's archive, whose definition is lost; Laplace's rule ours",
    calls=["benchbook.methods.shared.variance_floor:stated_variance"],
)
def base_1(instance: TaskInstance, rng: np.random.Generator) -> Predictive:
    """The marginal distribution of the training targets, for every test case.

    Real targets: Gaussian with the mean of the N training targets and their (n-1) variance, which is 1 on the encoded
    scale when they are all equal. Class targets: p_c = (n_c + 1) / (N + C), Laplace's rule, so that a class that is
    absent from the training cases is not ruled out.
    """
    targets, cases = instance.train_targets, len(instance.test_inputs)
    if instance.kind == "class":
        return Categorical(np.tile(class_frequencies(targets, len(instance.classes)), (cases, 1)))
    variance = stated_variance(np.var(targets, ddof=1) if len(targets) > 1 else 0.0, targets)
    return Gaussian(np.full(cases, np.mean(targets)), np.full(cases, variance))


def class_frequencies(targets: np.ndarray, classes: int) -> np.ndarray:
    """Laplace's estimate of the class probabilities.

    p_c = (n_c + 1) / (N + C)

    Args:
        targets: [N] class indices from 0 to C - 1.
        classes: C.

    Returns:
        [C] probabilities, all positive.
    """
    counts = np.bincount(np.asarray(targets, dtype=np.intp), minlength=classes)
    return (counts + 1.0) / (len(targets) + classes)
