"""``benchbook.compare``: which of several methods predicts best on one's own data, and how sure that is."""

from benchbook.comparison.call import compare
from benchbook.comparison.given.call import compare_results
from benchbook.comparison.result import Comparison

__all__ = ["Comparison", "compare", "compare_results"]
