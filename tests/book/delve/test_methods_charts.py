"""The charts of the chapter on methods: draws from priors, and what methods make of their inputs."""

import polars as pl
from refusals import refused

from benchbook.errors import FaultyInput

DRAWS = pl.DataFrame(
    {
        "prior": ["narrow"] * 2 + ["wide"] * 6,
        "draw": [1, 2, 1, 1, 1, 2, 2, 2],
        "level": ["group", "group", "group", "input", "input", "group", "input", "input"],
        "sd": [0.1, 0.2, 1.0, 0.5, 5.0, 2.0, 1.0, 30.0],
    }
)
INPUTS = ["angle", "speed", "torque", "mass"]
TRUTH = pl.DataFrame({"input": INPUTS, "share": [0.02, 0.0, 0.98, 0.001]})
MARKS = pl.DataFrame({"panel": ["one"], "passes": [30.0], "says": ["chosen"]})


def traces():
    lines = [
        (panel, float(passes), name, value * factor)
        for panel, factor in (("one", 1.0), ("two", 0.1))
        for passes in (1, 10, 100)
        for name, value in zip(INPUTS, (0.5, 0.0, 2.0, 0.01), strict=True)
    ]
    return pl.DataFrame(lines, schema=["panel", "passes", "input", "value"], orient="row")


def test_drawn(page):
    page.prior_draws(DRAWS)
    page.relevance_traces(traces(), TRUTH, named=2)
    page.relevance_traces(traces(), TRUTH, MARKS, named=2, least=0.02)


def test_what_is_refused(page):
    refused(FaultyInput, "no input 'mass'", page.relevance_traces, traces(), TRUTH.head(3))
    refused(FaultyInput, "5 inputs at most", page.relevance_traces, traces(), TRUTH, named=6)
