"""Datasets: cards, published data found or downloaded and checked, and simulated families."""

from typing import TYPE_CHECKING

from benchbook.rooms import import_on_demand

if TYPE_CHECKING:
    from benchbook.datasets.delve import read_delve, read_prototask
    from benchbook.datasets.families import MemberReport
    from benchbook.datasets.families.bands import Bands, bands
    from benchbook.datasets.loading import at_hand, load, simulate, simulation_report
    from benchbook.datasets.ranges import IntegerRange, Interval, Range, format_range, parse_range
    from benchbook.datasets.readers.proben1 import DtFile, read_dt
    from benchbook.datasets.readers.spec import (
        DatasetSpec,
        PrototaskSpec,
        format_dataset_spec,
        format_prototask_spec,
        read_dataset_spec,
        read_prototask_spec,
    )
    from benchbook.datasets.registry import available, card, partitioned, published
    from benchbook.datasets.roots import registry_path, search_path
    from benchbook.datasets.types import Attribute, Card, Dataset, Shape, SourceFile

__all__ = [
    "Attribute",
    "Bands",
    "Card",
    "Dataset",
    "DatasetSpec",
    "DtFile",
    "IntegerRange",
    "Interval",
    "MemberReport",
    "PrototaskSpec",
    "Range",
    "Shape",
    "SourceFile",
    "at_hand",
    "available",
    "bands",
    "card",
    "format_dataset_spec",
    "format_prototask_spec",
    "format_range",
    "load",
    "parse_range",
    "partitioned",
    "published",
    "read_dataset_spec",
    "read_delve",
    "read_dt",
    "read_prototask",
    "read_prototask_spec",
    "registry_path",
    "search_path",
    "simulate",
    "simulation_report",
]

import_on_demand(__name__, __file__)
