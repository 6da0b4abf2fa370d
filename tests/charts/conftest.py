"""Assessments to draw: losses of any number of methods with known order, their figure, and the data a chart carries."""

import math
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from benchbook import assess, charts

NAMES = [
    "lin-1",
    "knn-cv-1",
    "mlp-bgd-1",
    "base-1",
    "forest-1",
    "boosting-1",
    "mlp-ese-1",
    "mlp-mc-1",
    "mlp-mc-2",
    "mlp-bgd-2",
    "mlp-bgd-3",
    "gp-map-1",
]


def losses(methods, sizes=(64, 128), family="toy/t/std", loss="S", instances=4, cases=10, seed=1):
    rng = np.random.default_rng(seed)
    parts = []
    for size in sizes:
        shared = rng.normal(size=(instances, cases))
        for k in range(methods):
            values = (
                (1.0 + 0.2 * k) * 8.0 / math.sqrt(size)
                + 0.1 * shared
                + 0.1 * rng.normal(size=(instances, cases))
            )
            parts.append(
                pl.DataFrame(
                    {
                        "method": NAMES[k],
                        "task": f"{family}.{size}",
                        "instance": np.repeat(np.arange(instances), cases),
                        "case": np.arange(instances * cases),
                        "loss": loss,
                        "value": values.ravel(),
                        "digest": np.repeat(
                            [f"{size}#{number}" for number in range(instances)], cases
                        ),
                    }
                )
            )
    return pl.concat(parts)


def figure(frame, **options):
    return charts.rasmussen(*assess.assessment(frame, standard=lambda task, code: 2.0), **options)


def table(chart):
    text = charts.data_csv(chart)
    return pl.read_csv(text.encode(), infer_schema_length=None)


@pytest.fixture
def toy():
    """The names of twelve methods, and the functions of this module."""
    return SimpleNamespace(names=NAMES, losses=losses, figure=figure, table=table)
