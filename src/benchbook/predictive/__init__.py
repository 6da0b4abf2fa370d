"""The predictive distributions a method may return, and the files they are kept in."""

from typing import TYPE_CHECKING

from benchbook.rooms import import_on_demand

if TYPE_CHECKING:
    from benchbook.predictive.base import Predictive
    from benchbook.predictive.categorical import Categorical
    from benchbook.predictive.draws import Draws
    from benchbook.predictive.files import load, load_with_cases, save
    from benchbook.predictive.gaussian import Gaussian, StudentT
    from benchbook.predictive.mixture import Mixture
    from benchbook.predictive.outputs import Outputs
    from benchbook.predictive.point import Point
    from benchbook.predictive.quantiles import Quantiles
    from benchbook.predictive.t_mixture import StudentTMixture

__all__ = [
    "Categorical",
    "Draws",
    "Gaussian",
    "Mixture",
    "Outputs",
    "Point",
    "Predictive",
    "Quantiles",
    "StudentT",
    "StudentTMixture",
    "load",
    "load_with_cases",
    "save",
]

import_on_demand(__name__, __file__)
