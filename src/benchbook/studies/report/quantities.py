"""What a report may give statistics of, and which values each of them can have."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Quantity:
    """A quantity of one run; none can be below zero.

    Args:
        says: what it is, for the comment in the template.
        law: the rule that asks for it, by name.
        most: what no run can exceed.
        whole: whether every run has a whole number.
    """

    says: str
    law: str = "statistics"
    most: float = math.inf
    whole: bool = False


QUANTITIES = {
    "test_error": Quantity("the error on the test cases, as [error] has it"),
    "test_wrong": Quantity("test cases classified wrongly, in per cent", "class errors", 100.0),
    "training_error": Quantity("the least error on the training cases"),
    "validation_error": Quantity("the least error on the validation cases"),
    "validation_wrong": Quantity("validation cases classified wrongly, in per cent", most=100.0),
    "overfit": Quantity("generalisation loss at the end, in per cent"),
    "total_epochs": Quantity("epochs trained", "times", whole=True),
    "relevant_epochs": Quantity("epochs until the state that was taken", "times", whole=True),
    "traversals": Quantity("connection traversals, all computation counted", "times", whole=True),
    "cpu_seconds": Quantity("CPU seconds, all computation counted", "times"),
}
STATISTICS = ("mean", "sd", "minimum", "median", "maximum")
EPOCHS = ("total_epochs", "relevant_epochs")
