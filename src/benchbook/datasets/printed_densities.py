"""What the report on cross-validation predictive densities (Vehtari and Lampinen 2001) prints, as a frame."""

from __future__ import annotations

from benchbook.datasets.roots import registry_path
from benchbook.later import pl


def concrete_pairs() -> pl.DataFrame:
    """Tables 1 to 3: ``question`` (rmse, q90 or likelihood), ``model`` of the residuals, and for each model a column.

    In it is the probability that the model of the line is better than that of the column; null on the diagonal.
    """
    return pl.read_csv(registry_path().parent / "printed" / "densities" / "concrete-pairs.csv")
