"""Is a predictive distribution honest? PIT values, coverage, sharpness, and reliability of class probabilities.

Each diagnostic is a function from predictions and targets, or from PIT values, to a tidy frame in which every share has
the band it would lie in if the predictions were calibrated. Bands are pointwise (each at its own) or simultaneous (all
together); the simultaneous ones come from simulation with the generator given.
"""

from typing import TYPE_CHECKING

from benchbook.rooms import import_on_demand

if TYPE_CHECKING:
    from benchbook.assess.calibration.bands import Band, simultaneous_band
    from benchbook.assess.calibration.coverage import coverage_curve, sharpness
    from benchbook.assess.calibration.pit import pit, pit_ecdf, pit_histogram
    from benchbook.assess.calibration.reliability import (
        Decomposition,
        calibrated,
        decompose,
        reliability,
    )

__all__ = [
    "Band",
    "Decomposition",
    "calibrated",
    "coverage_curve",
    "decompose",
    "pit",
    "pit_ecdf",
    "pit_histogram",
    "reliability",
    "sharpness",
    "simultaneous_band",
]

import_on_demand(__name__, __file__)
