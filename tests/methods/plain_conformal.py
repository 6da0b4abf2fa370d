"""Conformal steps by crepes and MAPIE: what the chapter *Calibration of today’s methods* holds ours against.

    python tests/methods/plain_conformal.py data/simulated/plain-conformal.parquet

Needs crepes 0.9 and MAPIE 1.6, polars, and nothing of this package. The learner is a fixed function, so that both sides
conformalise the same thing.
"""

import sys

import numpy as np
import polars as pl
from crepes import ConformalPredictiveSystem, ConformalRegressor
from mapie.regression import ConformalizedQuantileRegressor, CrossConformalRegressor
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import PredefinedSplit

COVERAGES = (0.5, 0.8, 0.9)
SLOPES = (1.0, 0.9, 1.1, 1.05)  # of the learners without each fold


class Line(RegressorMixin, BaseEstimator):
    """y = slope x for what was fitted; the slope says which fold was left out, and is no one's best."""

    def fit(self, inputs, targets):
        self.slope_ = SLOPES[
            int(np.setdiff1d(np.arange(4), np.unique(inputs[:, 1]), assume_unique=True).sum()) % 4
        ]
        return self

    def predict(self, inputs):
        return self.slope_ * inputs[:, 0]


class Shifted(RegressorMixin, BaseEstimator):
    """A stand-in for a fitted quantile regression."""

    def __init__(self, shift=0.0):
        self.shift = shift

    def fit(self, inputs, targets):
        self.fitted_ = True
        return self

    def predict(self, inputs):
        return inputs[:, 0] + self.shift * (1 + 0.2 * inputs[:, 0])


def lines(check, coverage, low, high):
    return [
        {"check": check, "coverage": coverage, "case": case, "low": float(a), "high": float(b)}
        for case, (a, b) in enumerate(zip(low, high, strict=True))
    ]


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    x, asked = rng.uniform(0, 2, 103), rng.uniform(0, 2, 20)
    scale, scale_asked = 0.5 + x, 0.5 + asked
    y = x + 0.3 * scale * rng.normal(size=103)
    fold = np.arange(103) % 4
    rows = [
        {"check": kind, "coverage": None, "case": case, "low": float(a), "high": float(b)}
        for kind, first, other in (("calibration", x, y), ("asked", asked, asked))
        for case, (a, b) in enumerate(zip(first, other, strict=True))
    ]
    split = ConformalRegressor().fit(residuals=y - x, sigmas=scale)
    system = ConformalPredictiveSystem().fit(residuals=y - x, sigmas=scale)
    cases = np.column_stack([x, fold])
    wanted = np.column_stack([asked, np.zeros(20)])
    for coverage in COVERAGES:
        found = split.predict_int(asked, sigmas=scale_asked, confidence=coverage)
        rows += lines("crepes split", coverage, found[:, 0], found[:, 1])
        found = system.predict_int(asked, sigmas=scale_asked, confidence=coverage)
        rows += lines("crepes system", coverage, found[:, 0], found[:, 1])
        crossed = CrossConformalRegressor(
            Line(), confidence_level=coverage, method="plus", cv=PredefinedSplit(fold)
        )
        found = crossed.fit_conformalize(cases, y).predict_interval(wanted)[1][:, :, 0]
        rows += lines("MAPIE plus", coverage, found[:, 0], found[:, 1])
        ends = [Shifted(-0.3).fit(cases, y), Shifted(0.3).fit(cases, y), Shifted(0.0).fit(cases, y)]
        moved = ConformalizedQuantileRegressor(ends, confidence_level=coverage, prefit=True)
        found = moved.conformalize(cases, y).predict_interval(wanted, symmetric_correction=True)[1][
            :, :, 0
        ]
        rows += lines("MAPIE quantiles", coverage, found[:, 0], found[:, 1])
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(sys.argv[1])
