"""Models that each left out a fold: their predictions of what they left out, and of other cases by their mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from benchbook.folds import Fold


class Fitted(Protocol):
    """What is left of a model here: it predicts cases [n, d] by numbers [n]."""

    def predict(self, inputs: np.ndarray, /) -> np.ndarray: ...


def predicted_left_out(
    models: Sequence[Fitted], inputs: np.ndarray, folds: Sequence[Fold]
) -> np.ndarray:
    """Predictions [N] of the cases, each by the model that left out its fold."""
    predicted = np.empty(len(inputs))
    for model, fold in zip(models, folds, strict=True):
        predicted[fold.test] = model.predict(inputs[fold.test])
    return predicted


def mean_prediction(models: Sequence[Fitted], queries: np.ndarray) -> np.ndarray:
    """The mean [n] of what the models predict of n cases."""
    return np.mean([model.predict(queries) for model in models], axis=0)
