"""Losses of methods on cases that are dealt out by hand."""

import numpy as np

from benchbook import tasks
from benchbook.studies.by_hand import ByHand

SIMULATED = ByHand("kin-8nm-sim/dist", "m²")


def test_losses_are_those_of_the_task():
    task = tasks.get("kin-8nm-sim/dist/std.64")
    split = task.split()
    ours = SIMULATED.losses("lin-1", split.train[0], split.test[0])[0]
    assert ours.size == split.test[0].size == task.instance(0).test_inputs.shape[0]
    assert 0 < ours.mean() < 2 * np.var(task.test_targets(0))


def test_runs_differ_only_in_their_random_numbers():
    order = SIMULATED.cases.order
    first, again, other = (
        SIMULATED.losses("mlp-bgd-2b", order[:40], order[40:60], run=run)[0] for run in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    named, same = (
        SIMULATED.losses("mlp-bgd-2b", cases[:40], cases[40:60], stream="mine")[0]
        for cases in (order, order)
    )
    np.testing.assert_array_equal(named, same)
    assert (first != named).any()
    seeded = SIMULATED.losses("mlp-bgd-2b", order[:40], order[40:60], seed=2)[0]
    assert (first != seeded).any()


def test_every_loss_is_of_the_same_cases():
    order = SIMULATED.cases.order
    both = SIMULATED.losses("lin-1", order[:40], order[40:60], ("S", "CRPS"))
    alone = SIMULATED.losses("lin-1", order[:40], order[40:60], ("CRPS",))
    assert len(both) == 2
    np.testing.assert_array_equal(both[1], alone[0])
