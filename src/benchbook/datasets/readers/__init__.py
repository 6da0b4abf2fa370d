"""Readers of published files: each turns bytes into words, and one function turns words into columns."""

from typing import TYPE_CHECKING

from benchbook.rooms import import_on_demand

if TYPE_CHECKING:
    from benchbook.datasets.readers.arff import read_arff
    from benchbook.datasets.readers.proben1 import read_dt, read_dt_file
    from benchbook.datasets.readers.stacked import read
    from benchbook.datasets.readers.table import columns, read_cases, read_delimited

__all__ = [
    "columns",
    "read",
    "read_arff",
    "read_cases",
    "read_delimited",
    "read_dt",
    "read_dt_file",
]

import_on_demand(__name__, __file__)
