"""Charts of calibration: bars told from their band, the numbers above them, coverage and reliability in words."""

import polars as pl

BARS = pl.DataFrame(
    [
        {
            "forecaster": name,
            "factor": factor,
            "low": low,
            "high": low + 0.5,
            "cases": cases,
            "density": cases / 50,
            "simultaneous_low": 40,
            "simultaneous_high": 60,
        }
        for name, tilt in (("fair", 0), ("bent", 30))
        for factor in (0.5, 1.0)
        for low, cases in ((0.0, 50 + tilt), (0.5, 50 - tilt))
    ]
)
FACTS = pl.DataFrame(
    [
        {
            "forecaster": name,
            "factor": factor,
            "coverage": 0.6 + 0.3 * factor,
            "width": factor,
            "NLPD": 1.5,
            "CRPS": 0.25,
        }
        for name in ("fair", "bent")
        for factor in (0.5, 1.0)
    ]
)
CURVES = pl.DataFrame(
    [
        {
            "method": name,
            "level": level,
            "share": level + off,
            "difference": off,
            "simultaneous_low": level - 0.05,
            "simultaneous_high": level + 0.05,
        }
        for name, off in (("a", 0.01), ("b", -0.08))
        for level in (0.5, 0.9)
    ]
)
DIAGRAMS = pl.DataFrame(
    [
        {
            "forecaster": name,
            "probability": p,
            "calibrated": c,
            "band_low": p - 0.1,
            "band_high": p + 0.1,
            "cases": 5,
        }
        for name, p, c in (
            ("many", 0.2, 0.1),
            ("many", 0.5, 0.6),
            ("many", 0.9, 0.95),
            ("one", 0.4, 0.4),
        )
    ]
)


def test_drawn(page):
    page.pit_panels(BARS, FACTS, 0.5)
    more = CURVES.filter(level=0.9).with_columns(level=pl.lit(0.99))
    page.coverage_curves(pl.concat([CURVES, more]))
    page.reliability_panels(DIAGRAMS)
