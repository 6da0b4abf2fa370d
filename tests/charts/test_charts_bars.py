"""Error bars are as long as the words beside them say: the numbers that are drawn, by hand."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts import reproduced, tiers
from benchbook.charts.worlds import coverage_chart


def rows(chart):
    """All lines of data of a chart that have a bar, as (middle, lower end, upper end)."""
    results = []

    def search(node):
        if isinstance(node, dict):
            for line in node.get("values", []) if isinstance(node.get("values"), list) else []:
                if isinstance(line, dict):
                    results.append(line)
            for child in node.values():
                search(child)
        elif isinstance(node, list):
            for child in node:
                search(child)

    search(charts.specification(chart))
    return [
        {
            **line,
            "low": line.get("_low", line.get("low")),
            "high": line.get("_high", line.get("high")),
        }
        for line in results
        if ("_low" in line or "low" in line)
    ]


TIERS = pl.DataFrame(
    {
        "method": ["a", "b"],
        "training_cases": [64, 64],
        "seconds": [1.0, 10.0],
        "mean": [0.5, 0.25],
        "standard_error": [0.125, 0.0625],
        "tier": [2, 1],
    }
)


@pytest.mark.parametrize("draw", [tiers.tier_curves, tiers.cost_of_loss])
def test_tiers_have_two_standard_errors(draw):
    ends = {line["method"]: (line["low"], line["high"]) for line in rows(draw(TIERS))}
    assert ends == {"a": (0.25, 0.75), "b": (0.125, 0.375)}


def test_coverages_of_worlds_have_two_standard_errors():
    table = pl.DataFrame(
        {
            "world": ["a", "a"],
            "procedure": ["p", "q"],
            "interval": ["i", "i"],
            "coverage": [0.75, 0.875],
            "standard_error": [0.0625, 0.03125],
        }
    )
    ends = {
        line["procedure"]: (line["low"], line["high"]) for line in rows(coverage_chart(table, 0.9))
    }
    assert ends == {"p": (0.625, 0.875), "q": (0.8125, 0.9375)}


def test_printed_means_have_two_standard_errors_and_a_ring_beyond_two():
    table = pl.DataFrame(
        {
            "kind": ["k"] * 3,
            "choice": ["c"] * 3,
            "dataset": ["x", "y", "z"],
            "printed": [2.0, 4.0, 1.0],
            "ours": [2.25, 4.0, 1.0625],
            "standard_error": [0.0625, 0.125, 0.0625],
            "apart": [-2.1, 2.0, -2.0],
        }
    )
    lines = {line["dataset"]: line for line in rows(reproduced.ours_against_theirs(table))}
    assert {name: (line["low"], line["high"]) for name, line in lines.items()} == {
        "x": (0.125 - 0.0625, 0.125 + 0.0625),
        "y": (-0.0625, 0.0625),
        "z": (0.0625 - 0.125, 0.0625 + 0.125),
    }
    assert {name: line["far"] for name, line in lines.items()} == {
        "x": True,
        "y": False,
        "z": False,
    }
