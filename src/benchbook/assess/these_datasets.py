r"""Methods on these datasets: the mean of their differences, each by its own design, and nothing about other datasets.

d̄ = Σ_t d_t/T,   SE² = Σ_t SE_t²/T²,   degrees of freedom by Satterthwaite
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from benchbook.assess import remarks
from benchbook.assess.case_losses import Compared
from benchbook.assess.decisions import MethodMean, PairTest
from benchbook.assess.remarks import Note
from benchbook.assess.spread import Spread
from benchbook.assess.two_means import mean_over_tasks

_WITHOUT_VARIATION = (remarks.ALIKE, remarks.NO_VARIATION)


def compare_these(
    loss: str, found: Mapping[str, Compared], statistic: str, level: float
) -> Compared:
    """Means, pairs and notes of one loss over all datasets.

    Args:
        loss: its name. found: by dataset, what was found there; the same methods in all.
        statistic: its name. level: of intervals.
    """
    means = []
    for parts in zip(*(one[0] for one in found.values()), strict=True):
        notes = {name: part.note for name, part in zip(found, parts, strict=True)}
        spread = _mean_of([part.spread for part in parts], statistic)
        note = _first(notes, lambda text: text.startswith(remarks.NO_INTERVAL))
        low, high = (float("nan"),) * 2 if note else spread.interval(level)
        means.append(MethodMean(parts[0].method, spread, low, high, note))
    pairs = []
    for tests in zip(*(one[1] for one in found.values()), strict=True):
        reasons = {name: test.reason for name, test in zip(found, tests, strict=True)}
        reason = _first(reasons, lambda text: bool(text) and text not in _WITHOUT_VARIATION)
        spread = _mean_of([test.spread for test in tests], statistic)
        if not reason and not spread.error > 0.0:
            reason = remarks.NO_VARIATION
        pairs.append(PairTest(tests[0].method, tests[0].other, spread, reason, shown=not reason))
    text = f"The mean of {len(found)} datasets with equal weight: it is about these datasets, no others."
    return means, pairs, [Note("these_datasets", loss, text)]


def _first(texts: Mapping[str, str], forbids: Callable[[str], bool]) -> str:
    return next((f"{text} ({name})" for name, text in texts.items() if forbids(text)), "")


def _mean_of(spreads: Sequence[Spread], statistic: str) -> Spread:
    errors = np.array([spread.error for spread in spreads])
    df = np.array([max(spread.df, 1.0) for spread in spreads])
    mean, error, freedom, _ = mean_over_tasks([spread.mean for spread in spreads], errors, df)
    return Spread(float(mean), float(error), float(freedom), statistic)
