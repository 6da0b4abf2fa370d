"""The charts of convergence: the data drawn is that given, the words say it, and what cannot be drawn is refused."""

import polars as pl
import pytest

from benchbook import charts
from benchbook.charts.convergence import diagnosed_losses, longer_runs, noise_traces
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

TRACES = pl.DataFrame(
    {
        "chain": ["one"] * 3 + ["two"] * 3,
        "passes": [10.0, 20.0, 30.0] * 2,
        "value": [1.2, 1.3, 1.25, 1.1, 0.4, 0.3],
    }
)
RUNS = pl.DataFrame(
    {
        "method": ["a", "a", "b", "b"],
        "panel": ["the methods"] * 3 + ["longer"],
        "task": ["t/std.64"] * 4,
        "instance": [0, 1, 0, 0],
        "rhat": [1.0, 1.5, 1.05, 0.99],
        "loss": [1.0, 0.1, 0.9, 0.2],
        "noise": [1.2, 0.3, 1.1, 0.3],
    }
)
PAIRS = pl.DataFrame(
    {
        "method": ["a", "a", "b"],
        "dataset": ["kin", "bank", "kin"],
        "size": [64, 1024, 64],
        "more": [-0.5, 0.25, 0.0],
        "p": [0.05, 0.051, None],
    }
)


def lines(chart):
    return pl.DataFrame(charts.specification(chart)["data"]["values"])


def test_longer_runs_are_filled_where_significant():
    table = lines(longer_runs(PAIRS))
    assert table["sure"].to_list() == [True, False, False]
    words = longer_runs(PAIRS).description
    assert "kin: a with 64 cases -50% (significant) and b with 64 cases +0%" in words
    assert "bank: a with 1,024 cases +25%." in words
    svg = picture(charts.specification(longer_runs(PAIRS)))
    assert svg.index(">kin<") < svg.index(">bank<")


@pytest.mark.parametrize(
    "draw",
    [
        lambda: noise_traces(TRACES.clear(), 1.0),
        lambda: noise_traces(TRACES.drop("value"), 1.0),
        lambda: diagnosed_losses(RUNS.clear()),
        lambda: longer_runs(PAIRS.drop("p")),
    ],
)
def test_what_is_refused(draw):
    with pytest.raises(FaultyInput):
        draw()
