"""What the chapter on model and method shows is what was simulated, and one data set is put through both."""

import numpy as np
import polars as pl
import pytest

from benchbook import assess, tasks
from benchbook.assess.method_or_model import PROCEDURES, TRUTHS
from benchbook.charts.two_truths import intervals_and_truths
from benchbook.errors import FaultyInput
from benchbook.pages.synthesis_losses import SIMULATED
from benchbook.pages.synthesis_models import SETS, TRAIN, again, archived, both_ways, first_sets, what_varies


@pytest.fixture(scope="module")
def both() -> pl.DataFrame:
    return both_ways(SIMULATED, "base-1")


def test_the_archived_simulation_is_whole():
    found = archived()
    assert set(found["datasets"]) == {2000}
    assert found.height == 2 * len(PROCEDURES) * len(TRUTHS)


def test_a_short_run_agrees_with_it():
    assert again(20)["z"].abs().max() < 6


def test_delves_answer_is_that_of_the_eight_models_together(both):
    order = SIMULATED.cases.order
    test = order[SETS * TRAIN:]
    losses = np.stack([SIMULATED.losses("base-1", train, test)[0] for train in np.split(order[:SETS * TRAIN], SETS)])
    delve = assess.expected_loss(losses, "common")
    assert both["method"][0] == pytest.approx(delve.mean)
    assert both["method_high"][0] - both["method"][0] == pytest.approx(delve.standard_error)
    np.testing.assert_allclose(both["model"], losses.mean(axis=1))


def test_losses_are_those_of_the_task():
    task = tasks.get("kin-8nm-sim/dist/std.64")
    split = task.split()
    ours = SIMULATED.losses("lin-1", split.train[0], split.test[0])[0]
    decoded = task.instance(0)
    assert ours.size == split.test[0].size == decoded.test_inputs.shape[0]
    assert 0 < ours.mean() < 2 * np.var(task.test_targets(0))


def test_runs_differ_only_in_their_random_numbers():
    order = SIMULATED.cases.order
    first, again_, other = (SIMULATED.losses("mlp-bgd-2b", order[:40], order[40:60], run=run)[0] for run in (0, 0, 1))
    np.testing.assert_array_equal(first, again_)
    assert (first != other).any()


def test_the_chart_counts_who_holds_what(both):
    chart = intervals_and_truths(both, "m²")
    held = int(both["model"].is_between(both["low"], both["high"]).sum())
    assert f"{held} hold the truth of their own model" in chart.to_dict()["description"]
    with pytest.raises(FaultyInput, match="model"):
        intervals_and_truths(both.drop("model"), "m²")


def test_the_first_sets_are_in_the_order_asked_for():
    wanted = (PROCEDURES[4], PROCEDURES[0])
    found = first_sets(2, wanted)
    assert tuple(dict.fromkeys(found["panel"])) == wanted
    assert what_varies().height == 5
