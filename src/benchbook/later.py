"""Libraries that take long to load, and rooms that bring them along: each is imported when it is first used.

    from benchbook.later import kernels, pl, scipy

Then ``pl.DataFrame`` is polars', and ``scipy.special.ndtr`` or ``kernels.sampling.run`` import the module that they are
in. So imports stand at the top of a file, and ``import benchbook`` and ``benchbook --help`` load none of these.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
    import requests

    from benchbook import charts, show, studies

__all__ = [
    "assess",
    "charts",
    "kernels",
    "metadata",
    "pl",
    "requests",
    "scipy",
    "show",
    "sklearn",
    "studies",
    "vl_convert",
]


class _Later(ModuleType):
    """Stands for a module until something is asked of it, and for the modules below it too."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(importlib.import_module(self.__name__), name, None)
        if found is None:
            below = f"{self.__name__}.{name}"
            try:
                found = importlib.import_module(below)
            except ModuleNotFoundError as error:
                if error.name != below:
                    raise
                raise AttributeError(
                    f"module {self.__name__!r} has no attribute {name!r}"
                ) from None
        if isinstance(found, ModuleType):
            setattr(self, name, found)  # the next time it is there without this function
        return found


assess: Any = _Later("benchbook.assess")
kernels: Any = _Later("benchbook.kernels")
metadata: Any = _Later("importlib.metadata")
scipy: Any = _Later("scipy")
sklearn: Any = _Later("sklearn")
vl_convert: Any = _Later("vl_convert")
if not TYPE_CHECKING:
    pl, requests = _Later("polars"), _Later("requests")
    charts, show, studies = map(_Later, ("benchbook.charts", "benchbook.show", "benchbook.studies"))
