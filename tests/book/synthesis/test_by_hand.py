"""Losses of methods on cases that are dealt out by hand."""

import numpy as np

from benchbook import tasks


def test_losses_are_those_of_the_task(page):
    simulated = page.ByHand("kin-8nm-sim/dist", "m²")
    task = tasks.get("kin-8nm-sim/dist/std.64")
    split = task.split()
    ours = simulated.losses("lin-1", split.train[0], split.test[0])[0]
    assert ours.size == split.test[0].size == task.instance(0).test_inputs.shape[0]
    assert 0 < ours.mean() < 2 * np.var(task.test_targets(0))


def test_runs_differ_only_in_their_random_numbers(page):
    simulated = page.ByHand("kin-8nm-sim/dist", "m²")
    order = simulated.cases.order
    first, again, other = (
        simulated.losses("mlp-bgd-2b", order[:40], order[40:60], run=run)[0] for run in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    named, same = (
        simulated.losses("mlp-bgd-2b", cases[:40], cases[40:60], stream="mine")[0]
        for cases in (order, order)
    )
    np.testing.assert_array_equal(named, same)
    assert (first != named).any()
    seeded = simulated.losses("mlp-bgd-2b", order[:40], order[40:60], seed=2)[0]
    assert (first != seeded).any()


def test_every_loss_is_of_the_same_cases(page):
    simulated = page.ByHand("kin-8nm-sim/dist", "m²")
    order = simulated.cases.order
    both = simulated.losses("lin-1", order[:40], order[40:60], ("S", "CRPS"))
    alone = simulated.losses("lin-1", order[:40], order[40:60], ("CRPS",))
    assert len(both) == 2
    np.testing.assert_array_equal(both[1], alone[0])
