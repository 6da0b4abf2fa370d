"""Cross-validation predictive densities: expected utilities with their uncertainty, checked where truth is known.

Source: Vehtari and Lampinen, Bayesian model assessment and comparison using cross-validation predictive densities,
report B27, Helsinki University of Technology (2001). Each function names the equation it computes.
"""

from benchbook.assess.densities.summaries import (
    GEOMETRIC_MEAN,
    MEAN,
    ROOT_MEAN,
    FunctionOf,
    Mean,
    Quantile,
    Summary,
    normalised_root_mean,
)
from benchbook.assess.densities.utilities import UTILITIES, Utility, utility

__all__ = [
    "GEOMETRIC_MEAN", "MEAN", "ROOT_MEAN", "UTILITIES", "FunctionOf", "Mean", "Quantile", "Summary", "Utility",
    "normalised_root_mean", "utility",
]
