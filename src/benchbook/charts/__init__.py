"""Charts: frames in, Altair charts out, each with an alternative text made from its data."""

from typing import TYPE_CHECKING

from benchbook.rooms import import_on_demand

if TYPE_CHECKING:
    from benchbook.charts.curves import learning_curve
    from benchbook.charts.differences import paired_differences, paired_instances
    from benchbook.charts.expected_utilities import k_hat_chart
    from benchbook.charts.kit.output import data_csv, enable, save, specification
    from benchbook.charts.kit.theme import theme
    from benchbook.charts.left_out import pit_chart, pointwise_chart
    from benchbook.charts.rasmussen import digit, rasmussen
    from benchbook.charts.weight_plots import effective_chart, mass_chart, mass_curves

__all__ = [
    "data_csv",
    "digit",
    "effective_chart",
    "enable",
    "k_hat_chart",
    "learning_curve",
    "mass_chart",
    "mass_curves",
    "paired_differences",
    "paired_instances",
    "pit_chart",
    "pointwise_chart",
    "rasmussen",
    "save",
    "specification",
    "theme",
]

import_on_demand(__name__, __file__)
