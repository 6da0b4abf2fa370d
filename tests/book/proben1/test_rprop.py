"""Rprop from close by: walks agree with the compiled training, turns are told right, races count epochs."""

import math

import numpy as np
import polars as pl
import pytest

from benchbook import tasks
from benchbook.methods.proben1 import PIVOT_RUNS, VARIANTS, Rprop, Topology


@pytest.fixture(scope="module")
def partition():
    """A small stand-in."""
    return tasks.partition("sklearn-iris1")


@pytest.fixture(scope="module")
def topology(partition):
    """A network with two layers."""
    return Topology.parse("3+2l", partition.inputs, partition.outputs)


def begin(topology, seed=3):
    return PIVOT_RUNS.rprop.begin(topology.connections, np.random.default_rng(seed))


def test_a_walk_is_the_training_of_the_compiled_network(page, partition, topology):
    trained = page.train_variants(partition, topology, [np.random.default_rng(3)], 20)
    for variant in VARIANTS:
        path = page.follow(
            page.of_network(partition, topology), *begin(topology), Rprop(variant=variant), 20
        )
        percentage = 100.0 * path.errors / partition.training.targets.size
        np.testing.assert_allclose(percentage, trained[variant][0], rtol=1e-8)


def test_every_variant_starts_from_the_same_weights_and_the_generators_are_left_alone(
    page, partition, topology
):
    rngs = [np.random.default_rng(k) for k in range(2)]
    result = page.train_variants(partition, topology, rngs, 5)
    assert len({item[0, 0] for item in result.values()}) == 1
    assert rngs[0].random() == np.random.default_rng(0).random()


@pytest.mark.parametrize(
    "outer", [(lambda e: 1000.0 * e, lambda e: 1000.0), (math.log, lambda e: 1.0 / e)]
)
def test_a_rising_function_of_the_error_changes_no_bit_of_the_path(
    page, partition, topology, outer
):
    plainly = page.of_network(partition, topology)
    for variant in VARIANTS:
        paths = [
            page.follow(item, *begin(topology), Rprop(variant=variant), 15)
            for item in (plainly, page.transformed(plainly, *outer))
        ]
        assert np.array_equal(paths[0].weights, paths[1].weights)


def test_a_falling_function_does_change_it(page, partition, topology):
    plainly = page.of_network(partition, topology)
    upside_down = page.transformed(plainly, lambda e: -e, lambda e: -1.0)
    paths = [
        page.follow(item, *begin(topology), Rprop(), 5).weights for item in (plainly, upside_down)
    ]
    assert not np.array_equal(*paths)


def test_a_walk_leaves_what_it_is_given(page, partition, topology):
    weights, steps = begin(topology)
    selected = weights.copy(), steps.copy()
    page.follow(page.of_network(partition, topology), weights, steps, Rprop(), 3)
    assert np.array_equal(weights, selected[0])
    assert np.array_equal(steps, selected[1])


def test_steps_of_some_weights_are_named_after_the_layer_they_lead_into(page, partition, topology):
    path = page.follow(page.of_network(partition, topology), *begin(topology), Rprop(), 4)
    table = page.step_sizes(path, topology, 5)
    assert table.height == 20
    assert table["into"].unique(maintain_order=True).to_list() == [
        "hidden layer 1",
        "hidden layer 2",
        "outputs",
    ]
    first = table.filter(weight=0)["step"].to_list()
    assert first == path.steps[:, 0].tolist()
    everything = page.step_sizes(path, topology, topology.connections).filter(epoch=1)
    counts = dict(everything.group_by("into").len().iter_rows())
    assert counts == {"hidden layer 1": 15, "hidden layer 2": 16, "outputs": 30}


def test_each_variant_does_at_a_turn_what_it_is_defined_to_do(page):
    table = page.turns()
    seen = {
        variant: set(table.filter(variant=variant)["event"]) - {"start", "goes on"}
        for variant in VARIANTS
    }
    assert seen == {
        "rprop+": {"goes back"},
        "rprop-": {"turns round"},
        "irprop+": {"goes back", "stays"},
        "irprop-": {"stays"},
    }
    walk = table.filter(variant="rprop+")
    at = walk["event"].to_list().index("goes back")
    assert walk["weight"][at] == pytest.approx(walk["weight"][at - 2])
    assert table.filter(pl.col("event") == "start")["weight"].to_list() == [0.0] * 4


def test_descent_falls_with_a_small_step_and_is_infinite_once_it_has_left_all_bounds(
    page, partition, topology
):
    rngs = [np.random.default_rng(k) for k in range(2)]
    small = page.descend(partition, topology, rngs, 0.05, 30)
    assert small.shape == (2, 30)
    assert (np.diff(small, axis=1) < 0).all()
    wild = page.descend(partition, topology, rngs, 50.0, 30)
    assert np.isinf(wild[:, -1]).all()
    assert np.isfinite(wild[:, 0]).all()


def test_descent_takes_the_gradient_of_the_mean_squared_error(page, partition, topology):
    weights, _ = PIVOT_RUNS.rprop.begin(topology.connections, np.random.default_rng(0))
    error, half = page.of_network(partition, topology)(weights)
    after, _ = page.of_network(partition, topology)(
        weights - 0.1 * 2 * half / partition.training.targets.size
    )
    result = page.descend(partition, topology, [np.random.default_rng(0)], 0.1, 2)[0]
    np.testing.assert_allclose(
        result, 100 * np.array([error, after]) / partition.training.targets.size, rtol=1e-9
    )


def test_the_scale_of_the_error_is_a_factor_of_the_step_and_momentum_changes_it(
    page, partition, topology
):
    def run(**options):
        return page.descend(
            partition, topology, [np.random.default_rng(0)], options.pop("step"), 10, **options
        )

    np.testing.assert_allclose(run(step=0.1, scale=0.5), run(step=0.05), rtol=1e-12)
    assert not np.allclose(run(step=0.05, momentum=0.9), run(step=0.05))


def test_epochs_are_counted_from_one_and_goals_missed_are_infinite(page):
    errors = np.array([[5.0, 3.0, 1.0], [5.0, 4.5, 4.0]])
    assert page.epochs_to(errors, 3.5).tolist() == [2.0, np.inf]
    table = page.race({"a": errors}, {"low": 3.5, "high": 6.0})
    low, high = table.rows(named=True)
    assert (low["median"], low["largest"], low["reached"]) == (np.inf, np.inf, 0.5)
    assert (high["median"], high["largest"], high["reached"]) == (1.0, 1.0, 1.0)
    curve = page.middle_curves({"a": errors, "b": np.full((1, 3), np.inf)})
    assert curve["method"].unique().to_list() == ["a"]
    assert curve["error"].to_list() == [5.0, 3.75, 2.5]


def test_no_linear_network_beats_least_squares(page, partition):
    fit = page.linear_fit(partition)
    linear = Topology(partition.inputs, (), partition.outputs)
    errors = page.train_variants(partition, linear, [np.random.default_rng(0)], 500, ["irprop+"])[
        "irprop+"
    ]
    assert fit < errors.min() < 1.001 * fit
