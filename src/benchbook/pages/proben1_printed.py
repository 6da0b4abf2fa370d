"""The printed tables of PROBEN1, for the notebooks of the book."""

from benchbook.datasets.printed import appendix_d, decimals, pivots, table

__all__ = ["appendix_d", "decimals", "pivots", "table"]
