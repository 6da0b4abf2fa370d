"""Methods in tiers: who is in colour, and labels of costs that do not cover each other."""

import polars as pl

from benchbook.charts.tiers import cost_of_loss, tier_curves

FOUND = pl.DataFrame(
    [
        {
            "method": f"m-{m}",
            "training_cases": n,
            "mean": 0.1 * m + 8.0 / n,
            "standard_error": 0.01,
            "tier": m + 1,
            "seconds": 10.0 ** (m - 3),
        }
        for m in range(8)
        for n in (64, 256)
    ]
)


def test_drawn():
    tier_curves(FOUND, most=3)
    tier_curves(FOUND, most=3, shown=["m-6"])
    crossing = {
        "method": ["a", "b", "c"] * 2,
        "training_cases": [64] * 3 + [256] * 3,
        "mean": [0.1, 0.2, 0.3, 0.3, 0.1, 0.2],
        "standard_error": 0.01,
    }
    tier_curves(pl.DataFrame(crossing), most=2)
    alike = pl.Series([0.2, 0.2, 0.201, 0.6, 0.6, 0.6, 0.9, 0.4])
    cost_of_loss(FOUND.filter(training_cases=64).with_columns(mean=alike))
