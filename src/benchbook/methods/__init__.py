"""Methods: procedures that go from training cases and test inputs to predictive distributions.

One file a method, or a few that are alike; a family of many files has a folder. A file here or in a folder here
that defines a method (with the decorator ``method``, or by ``from_estimator``) is found by itself.
``get`` finds a method by name, in a user's own file, or in a module; ``declared`` finds out what it says of itself and
imports no user's file here.
"""

from typing import TYPE_CHECKING

from benchbook.rooms import import_on_demand

if TYPE_CHECKING:
    from benchbook.methods.answers import MethodFailed, answer
    from benchbook.methods.base import FunctionMethod, Method, method, settings_text
    from benchbook.methods.conformance import CheckResult, check
    from benchbook.methods.described import Description, describe
    from benchbook.methods.estimators import from_estimator, from_maker
    from benchbook.methods.outside import checked, declared, identity, source_file
    from benchbook.methods.programs import command_spec, from_command, is_command
    from benchbook.methods.quantile_estimators import from_quantiles
    from benchbook.methods.registry import available, from_outside, get, loaded, register, variant
    from benchbook.methods.settings import setting

__all__ = [
    "CheckResult",
    "Description",
    "FunctionMethod",
    "Method",
    "MethodFailed",
    "answer",
    "available",
    "check",
    "checked",
    "command_spec",
    "declared",
    "describe",
    "from_command",
    "from_estimator",
    "from_maker",
    "from_outside",
    "from_quantiles",
    "get",
    "identity",
    "is_command",
    "loaded",
    "method",
    "register",
    "setting",
    "settings_text",
    "source_file",
    "variant",
]

import_on_demand(__name__, __file__)
