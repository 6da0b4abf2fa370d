"""Losses: what a prediction costs, case by case or for a whole set; smaller is better.

Each is a function of predictions and targets, by its code in small letters or by its name, without a task:
``losses.crps(predictive.Gaussian(mean, variance), y)``, ``losses.squared_error(guesses, y)``.

Adding a loss is adding one file to this folder: a class derived from PointLoss, DistributionLoss or SetLoss, and one
instance of it at the end. The file is not named after a code, which is the function's name here.
"""

from importlib.util import find_spec

from benchbook.losses.base import DistributionLoss, Loss, PointLoss, SetLoss
from benchbook.losses.registry import available, functions, get, register, standardise

__all__ = [
    "DistributionLoss",
    "Loss",
    "PointLoss",
    "SetLoss",
    "available",
    "functions",
    "get",
    "register",
    "standardise",
]


def __getattr__(name: str) -> Loss:
    """A loss as a function, by its code in small letters or its name."""
    # An import of one of the package's files asks here first, and must not start the search among half of them.
    if name.startswith("__") or find_spec(f"{__name__}.{name}"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    known = functions()
    if name not in known:
        raise AttributeError(f"benchbook.losses has no {name!r}; its losses are {', '.join(known)}")
    return known[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *functions()})
