"""Statistics of many runs, from ``assess.proben1``, beside the runs they are about."""

from benchbook.assess.proben1.summaries import QUANTITIES, correlation, standard_errors_apart, summarise

__all__ = ["QUANTITIES", "correlation", "standard_errors_apart", "summarise"]
