"""PROBEN1's statistics of many runs: the report's rules, and what one would do today.

``comparisons`` takes a table of runs (dataset, method, test_error) and compares two methods on every dataset in the
report's form, with today's tests beside it; ``repeated`` says how often two experiments of the same law reach the same
verdict; ``compare_as_report`` and ``compare_today`` do so for two samples.
``rejections`` simulates what the tests are worth; ``summaries`` gives the numbers that a report should.
``searches`` are Tables 5 and 6 made of runs, and ``pivots_by_rule`` is Table 7's rule.
``variation``, ``ranks`` and ``reversals`` look at permutations.
"""

from typing import TYPE_CHECKING

from benchbook.rooms import import_on_demand

if TYPE_CHECKING:
    from benchbook.assess.multiplicity import benjamini_hochberg, holm
    from benchbook.assess.proben1.comparison import (
        SIGNIFICANT,
        ReportComparison,
        TodaysComparison,
        compare_as_report,
        compare_today,
        comparisons,
        repeated,
    )
    from benchbook.assess.proben1.components import (
        LogErrorComponents,
        components,
        ranks,
        reversals,
        variation,
    )
    from benchbook.assess.proben1.lognormal import (
        Cleaned,
        Normality,
        removal_order,
        shapiro,
        without_outliers,
    )
    from benchbook.assess.proben1.searches import (
        SEARCH_RUNS,
        pivots_by_rule,
        searches,
        searches_beside_print,
    )
    from benchbook.assess.proben1.summaries import (
        QUANTITIES,
        correlation,
        correlations,
        mean_test_errors,
        ratios,
        standard_errors_apart,
        summaries,
        summarise,
    )
    from benchbook.assess.proben1.trials import TESTS, WORLDS, ErrorLaw, rejections
    from benchbook.assess.proben1.two_samples import (
        EstimatedInterval,
        bootstrap_interval,
        cochran_cox,
        mann_whitney,
        welch,
    )

__all__ = [
    "QUANTITIES",
    "SEARCH_RUNS",
    "SIGNIFICANT",
    "TESTS",
    "WORLDS",
    "Cleaned",
    "ErrorLaw",
    "EstimatedInterval",
    "LogErrorComponents",
    "Normality",
    "ReportComparison",
    "TodaysComparison",
    "benjamini_hochberg",
    "bootstrap_interval",
    "cochran_cox",
    "compare_as_report",
    "compare_today",
    "comparisons",
    "components",
    "correlation",
    "correlations",
    "holm",
    "mann_whitney",
    "mean_test_errors",
    "pivots_by_rule",
    "ranks",
    "ratios",
    "rejections",
    "removal_order",
    "repeated",
    "reversals",
    "searches",
    "searches_beside_print",
    "shapiro",
    "standard_errors_apart",
    "summaries",
    "summarise",
    "variation",
    "welch",
    "without_outliers",
]

import_on_demand(__name__, __file__)
