"""Datasets: cards, published data found or downloaded and checked, and simulated families."""

from __future__ import annotations

from benchbook.datasets.loading import at_hand, load, simulate
from benchbook.datasets.ranges import IntegerRange, Interval, Range, format_range, parse_range
from benchbook.datasets.registry import available, card
from benchbook.datasets.roots import registry_path, search_path
from benchbook.datasets.types import Attribute, Card, Dataset, Shape, SourceFile

__all__ = [
    "Attribute", "Card", "Dataset", "IntegerRange", "Interval", "Range", "Shape", "SourceFile", "at_hand", "available",
    "card", "format_range", "load", "parse_range", "registry_path", "search_path", "simulate",
]
