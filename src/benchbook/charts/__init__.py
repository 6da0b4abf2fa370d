"""Charts: frames in, Altair charts out, each with an alternative text made from its data."""

from benchbook.charts.curves import learning_curve
from benchbook.charts.differences import paired_differences, paired_instances
from benchbook.charts.kit.output import data_csv, enable, save, specification
from benchbook.charts.kit.theme import theme
from benchbook.charts.leave_one_out import k_hat_chart
from benchbook.charts.rasmussen import digit, rasmussen

__all__ = [
    "data_csv",
    "digit",
    "enable",
    "k_hat_chart",
    "learning_curve",
    "paired_differences",
    "paired_instances",
    "rasmussen",
    "save",
    "specification",
    "theme",
]
