"""Every chart of the room on two lines of data."""

import polars as pl
import pytest

from benchbook import assess, charts
from benchbook.charts import curves, differences, expected_utilities, tiers, weight_plots
from benchbook_book.course.challenge import leaderboard
from benchbook_book.pages.charts import (
    convergence,
    explained,
    false_alarms,
    reproduced,
    run_strips,
    worlds,
)


def table(text, **columns):
    """Two lines of text columns, and of others: the number given and one half as much again, true and false."""
    numbers = {
        name: [value, not value if isinstance(value, bool) else type(value)(1.5 * value)]
        for name, value in columns.items()
    }
    return pl.DataFrame({**{name: ["a", "b"] for name in text.split()}, **numbers})


RATES = pl.DataFrame(
    {
        "test": ["a", "a", "b"],
        "rate": [0.1, 0.2, 0.4],
        "standard_error": [0.01, 0.03, 0.05],
        "resamples": [2, 4, 2],
        "advantage": 0.5,
    }
)
TIERS = pl.DataFrame(
    {
        "method": ["a", "b"],
        "training_cases": 64,
        "seconds": [1.0, 10.0],
        "mean": [0.5, 0.25],
        "standard_error": [0.1, 0.03],
        "tier": [2, 1],
    }
)
REPRODUCED = table("kind dataset column", printed=1.0, ours=1.0, standard_error=0.1, apart=1.0)
FAR = pl.DataFrame(
    {
        "kind": "k",
        "choice": "c",
        "column": "x",
        "dataset": list("abcdefghijk"),
        "printed": 2.0,
        "ours": [2.0 + 0.1 * k for k in range(-5, 6)],
        "standard_error": 0.02,
        "apart": [-5.0, -6.0, 2.0, -2.0, 2.1, 6.1, 3.0, 4.0, -3.5, 2.5, -8.0],
    }
)
DRAWN = {
    "tier_curves": lambda: tiers.tier_curves(TIERS, most=1),
    "cost_of_loss": lambda: tiers.cost_of_loss(TIERS),
    "noise_traces": lambda: convergence.noise_traces(table("chain", passes=2.0, value=1.0), 15.0),
    "diagnosed_losses": lambda: convergence.diagnosed_losses(
        table("method panel task", instance=0, rhat=1.2, loss=1.0, noise=1.0), reached=1.25
    ),
    "longer_runs": lambda: convergence.longer_runs(
        table("method dataset", size=64, more=0.1, p=0.1)
    ),
    "losses_against": lambda: leaderboard.losses_against(
        pl.DataFrame({"entry": ["a", "b"], "kind": "entry", "x": [1.0, 2.0], "y": 1.0}),
        "x",
        "y",
    ),
    "k_hat_chart": lambda: expected_utilities.k_hat_chart(
        table("case", k_hat=0.1, effective_draws=9.0, reliable=True), 0.75
    ),
    "utilities_chart": lambda: expected_utilities.utilities_chart(
        table("panel row model", estimate=1.0, low=0.5, high=2.0, truth=1.0),
        "t",
        "n",
        reference=0.25,
    ),
    "coverage_chart": lambda: worlds.coverage_chart(
        table("world procedure interval", coverage=0.8, standard_error=0.01), 0.875
    ),
    "mass_chart": lambda: weight_plots.mass_chart(table("model", line=0, rank=1, mass=0.5)),
    "effective_chart": lambda: weight_plots.effective_chart({"m": [1.0, 2.0]}, 100),
    "ours_against_theirs": lambda: reproduced.ours_against_theirs(
        pl.concat([REPRODUCED.with_columns(choice=pl.lit(name)) for name in "ab"])
    ),
    "ours_against_theirs far off": lambda: reproduced.ours_against_theirs(FAR),
    "columns_apart": lambda: reproduced.columns_apart(REPRODUCED),
    "columns_apart far off": lambda: reproduced.columns_apart(FAR),
    "alarm_rates": lambda: false_alarms.alarm_rates(RATES),
    "power_curves": lambda: false_alarms.power_curves(RATES),
    "believed_variance": lambda: false_alarms.believed_variance(
        table("quantity", resamples=2, simulated=1.0, formula=1.0)
    ),
    "explained": lambda: explained.explained(
        pl.DataFrame({"panel": "a", "clean": [1.0, 2.0], "recorded": [1.0, 3.0]})
    ),
    "run_strips": lambda: run_strips.run_strips(
        pl.concat([table("dataset method", test_error=value) for value in (1.0, 4.0)]),
        table("dataset method", printed=0.0),
    ),
}
ASSESSED = {
    "learning_curve": lambda means, expected, pairs: curves.learning_curve(expected),
    "learning_curve log": lambda means, expected, pairs: curves.learning_curve(
        expected, logarithmic=True
    ),
    "paired_differences": lambda means, expected, pairs: differences.paired_differences(
        means, pairs, "lin-1", "knn-cv-1"
    ),
    "paired_instances": lambda means, expected, pairs: differences.paired_instances(
        means.filter(task="toy/t/std.64"), "lin-1", "knn-cv-1"
    ),
    "rasmussen": lambda means, expected, pairs: charts.rasmussen(expected, pairs, means=means),
}


@pytest.mark.parametrize("name", DRAWN)
def test_drawn(name):
    DRAWN[name]()


@pytest.mark.parametrize("name", ASSESSED)
def test_drawn_of_an_assessment(toy, name):
    frame = toy.losses(2)
    means, (expected, pairs) = assess.instance_means(frame), assess.assessment(frame)
    ASSESSED[name](means, expected, pairs)
