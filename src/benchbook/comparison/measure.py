"""What a loss of a comparison is: its name, what it needs of a prediction, and how it is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.comparison.data import ComparisonData
from benchbook.comparison.predicted import Prediction
from benchbook.errors import Fault, FaultyInput

Values = NDArray[np.float64]


Compute = Callable[[Prediction, NDArray[Any], "NDArray[np.float64] | None"], Any]


_TRIED = 500


@dataclass(frozen=True)
class LossInfo:
    """What a loss is called.

    Attributes:
        code: its name in frames. title: in words. unit: of its values; empty when it has none.
        case_wise: whether each case has a loss, and not a whole test set alone.
        higher: whether it is minus a metric of which higher values are better, such as r2: its values are losses, and
            words and tables say the metric.
        scorer: its name in scikit-learn, or empty. words: what a reader has to know of it, or empty.
    """

    code: str
    title: str
    unit: str = ""
    case_wise: bool = True
    higher: bool = False
    scorer: str = ""
    words: str = field(default="", repr=False)


@dataclass(frozen=True, eq=False)
class Measure:
    """A loss that can be computed: what it is called, what it needs of a prediction, and how it is computed.

    ``needs`` holds some of "label", "probability", "score", "distribution" and "scorer". ``compute`` takes a
    prediction, targets [J] (numbers, or codes of classes) and weights, and gives the losses [J], or one number.
    A loss of quantiles has a level, and a key under which a prediction may hold a guess for it.
    """

    info: LossInfo
    needs: frozenset[str]
    compute: Compute
    scorer: Any = None
    key: str = ""
    level: float = 0.0


def loss_fault(found: str, rule: str) -> FaultyInput:
    return FaultyInput("the losses of the comparison", [Fault("losses", found, rule)])


def kind_word(data: ComparisonData) -> str:
    return "numbers" if data.kind == "number" else "classes"


def tried_rows(data: ComparisonData) -> NDArray[np.int64]:
    """Up to 500 rows on which a loss is tried, with two of every class among them."""
    step = max(1, len(data) // _TRIED)
    rows = np.arange(0, len(data), step)
    if data.kind == "class":
        each = [np.flatnonzero(data.y == code)[:2] for code in range(len(data.classes))]
        rows = np.unique(np.concatenate([rows, *each]))
    return rows
