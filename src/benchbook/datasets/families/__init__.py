"""Simulated families, one file each; a new family is one more file with a ``FAMILY`` in it."""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache
from types import ModuleType

from benchbook.datasets.families.base import Family, MemberReport, report
from benchbook.errors import UnknownName

__all__ = ["Family", "MemberReport", "available", "find", "report"]


def __getattr__(name: str) -> ModuleType:
    """``families.kin`` and the like are loaded when first asked for."""
    if any(module.name == name for module in pkgutil.iter_modules(__path__)):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"there is no family {name!r}")


@lru_cache(maxsize=1)
def _families() -> dict[str, Family]:
    families: dict[str, Family] = {}
    for module in pkgutil.iter_modules(__path__):
        family = getattr(importlib.import_module(f"{__name__}.{module.name}"), "FAMILY", None)
        if family is not None:
            families.update(dict.fromkeys(family.members, family))
    return families


def available(work: str = "") -> tuple[str, ...]:
    """The names of all simulated datasets, sorted; or of those that re-create one work, ``DELVE`` or ``challenge``."""
    return tuple(sorted(name for name, family in _families().items() if work in ("", family.work)))


def find(name: str) -> Family:
    """The family that a simulated dataset belongs to.

    Raises:
        UnknownName: no family simulates a dataset of that name.
    """
    first = name.partition("-")[0]  # where it is by custom; elsewhere it is found, too
    if any(module.name == first for module in pkgutil.iter_modules(__path__)):
        family = getattr(importlib.import_module(f"{__name__}.{first}"), "FAMILY", None)
        if family is not None and name in family.members:
            return family
    families = _families()
    if name not in families:
        raise UnknownName("dataset", name, families)
    return families[name]
