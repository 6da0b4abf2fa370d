"""benchbook: how to tell whether a learning method is any good.

    import benchbook
    benchbook.compare({"ridge": Ridge(), "forest": RandomForestRegressor()}, X, y)

One call fits the methods on the same training sets, tests them on the same held-out cases, and says which is best, by
how much, and how sure that is. Behind it stand four classic bodies of work on assessing learning methods, as one
pipeline: dataset, task, method, predictive distribution, loss, assessment. Its packages are imported when they are
first used: ``benchbook.tasks``, ``benchbook.methods``, ``benchbook.losses``, ``benchbook.studies``,
``benchbook.assess`` and others.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from benchbook.version import __version__ as __version__

if TYPE_CHECKING:
    from benchbook.comparison import Comparison, compare, compare_results

_ROOMS = (
    "assess",
    "charts",
    "comparison",
    "datasets",
    "errors",
    "losses",
    "methods",
    "predictive",
    "seeds",
    "studies",
    "tasks",
)


_CALLS = ("Comparison", "compare", "compare_results")


def __getattr__(name: str) -> Any:
    """A package of benchbook, or its one call, imported when it is first used."""
    if name in _CALLS:
        return getattr(importlib.import_module("benchbook.comparison"), name)
    if name not in _ROOMS:
        known = ", ".join((*_CALLS, *_ROOMS))
        raise AttributeError(f"module 'benchbook' has no attribute {name!r}; it has {known}")
    return importlib.import_module(f"benchbook.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_CALLS, *_ROOMS})


__all__ = ["Comparison", "compare", "compare_results"]
