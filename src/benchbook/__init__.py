"""benchbook: how to tell whether a learning method is any good.

Four classic bodies of work on assessing learning methods, as one pipeline: dataset, task, method, predictive
distribution, loss, assessment. Its packages are imported when they are first asked for: ``benchbook.tasks``,
``benchbook.methods``, ``benchbook.losses``, ``benchbook.studies``, ``benchbook.assess`` and others.
"""

import importlib
from types import ModuleType

__version__ = "0.1.0"
_ROOMS = (
    "assess",
    "challenge",
    "charts",
    "datasets",
    "errors",
    "losses",
    "methods",
    "predictive",
    "seeds",
    "studies",
    "tasks",
)


def __getattr__(name: str) -> ModuleType:
    """A package of benchbook, imported when it is first asked for."""
    if name not in _ROOMS:
        raise AttributeError(
            f"module 'benchbook' has no attribute {name!r}; it has {', '.join(_ROOMS)}"
        )
    return importlib.import_module(f"benchbook.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS})
