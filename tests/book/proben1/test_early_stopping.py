"""Criteria tried on recorded curves: what they see, what they keep, and what the averages are made of."""

import math
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from benchbook import tasks
from benchbook.methods.proben1 import GeneralisationLoss, Traces, Up, train
from benchbook.methods.proben1.recipe import PIVOT_RUNS
from benchbook.methods.proben1.topology import Topology


@pytest.fixture(scope="module")
def stopping(chapter):
    return chapter("proben1/stopping")


def traces(validation, test):
    """Strips of two epochs whose training error falls."""
    return Traces(
        2, np.linspace(2.0, 1.0, 2 * len(validation)), np.array(validation), np.array(test)
    )


TWO_VALLEYS = traces([4.0, 2.0, 2.2, 2.5, 1.5, 3.0], [5.0, 4.0, 3.0, 3.5, 3.6, 6.0])


@pytest.fixture(scope="module")
def runs(stopping):
    """Two short runs on a stand-in."""
    partition = tasks.partition("sklearn-diabetes1")
    return stopping.record(
        partition, "16l", [np.random.default_rng(k) for k in range(2)], epochs=120
    )


def test_a_criterion_keeps_the_best_state_up_to_its_stop_and_no_later_one(stopping):
    bet = stopping.place(GeneralisationLoss(20.0), TWO_VALLEYS)
    assert (bet.stop, bet.met, bet.kept) == (8, True, 4)
    assert (bet.validation, bet.test, bet.test_at_stop, bet.least) == (2.0, 4.0, 3.5, 3.0)
    assert (bet.extra, bet.extra_at_stop) == pytest.approx((100 / 3, 100 / 6))
    patient = stopping.place(GeneralisationLoss(30.0), TWO_VALLEYS)
    assert (patient.stop, patient.kept, patient.test) == (12, 10, 3.6)


def test_the_least_test_error_is_that_of_the_whole_curve_which_the_criterion_has_not_seen(stopping):
    falls_later = traces([4.0, 2.0, 3.0, 3.5, 1.5, 1.4], [5.0, 4.0, 4.5, 6.0, 2.5, 3.2])
    bet = stopping.place(GeneralisationLoss(20.0), falls_later)
    assert (bet.stop, bet.met, bet.kept) == (6, True, 4)
    assert (bet.test, bet.test_at_stop, bet.least) == (4.0, 4.5, 2.5)
    assert (bet.extra, bet.extra_at_stop) == pytest.approx((60.0, 80.0))


def test_without_a_rule_the_horizon_is_reached_and_the_whole_curve_is_searched(stopping):
    bet = stopping.place(stopping.NEVER, TWO_VALLEYS)
    assert (bet.stop, bet.met, bet.kept, bet.test_at_stop) == (12, False, 10, 6.0)


def test_recorded_runs_go_to_the_horizon_and_a_rule_tried_afterwards_finds_what_it_finds_live(
    stopping, runs
):
    assert [len(run.traces.validation) for run in runs] == [24, 24]
    partition = tasks.partition("sklearn-diabetes1")
    topology = Topology.parse("16l", partition.inputs, partition.outputs)
    live = train(partition, topology, PIVOT_RUNS, np.random.default_rng(0))
    bet = stopping.place(PIVOT_RUNS.rule, runs[0].traces)
    assert bet.met
    assert (bet.stop, bet.kept, bet.test) == (
        live.total_epochs,
        live.relevant_epochs,
        live.test_error,
    )


def test_a_table_of_bets_has_every_criterion_at_every_alpha_and_larger_alphas_never_stop_earlier(
    stopping, runs
):
    table = stopping.bets({"a": runs[0], "b": runs[1]}, (0.5, 1.0, 1.5, 8.0))
    assert table.height == 2 * 4 * 4
    up = table.filter(network="a", criterion="UP")
    assert up["rule"].to_list() == ["UP_1", "UP_1", "UP_2", "UP_8"]
    for _, one in table.group_by("network", "criterion"):
        assert one.sort("alpha")["stop"].is_sorted()
        assert one.sort("alpha")["validation"].is_sorted(descending=True)
    assert table.filter(criterion="P")["stop"].n_unique() <= 2


def test_curves_hold_every_strip(stopping, runs):
    table = stopping.curves({"a": runs[0]})
    assert table["epoch"].to_list() == list(range(5, 121, 5))
    assert table["test"].to_list() == runs[0].traces.test.tolist()


def test_averages_are_over_all_runs_and_gains_over_partitions(stopping):
    def run(shape):
        return SimpleNamespace(traces=shape)

    better = traces([4.0, 2.0, 2.2, 2.5, 1.5, 3.0], [5.0, 4.0, 3.0, 3.5, 3.0, 6.0])
    recorded = {"x1": [run(TWO_VALLEYS), run(better)], "x2": [run(better)]}
    tried = stopping.outcomes(recorded, {"early": GeneralisationLoss(20.0), "late": stopping.NEVER})
    means = {line["rule"]: line for line in stopping.tradeoff(tried).iter_rows(named=True)}
    assert means["early"]["runs"] == 3
    assert means["late"]["extra"] == pytest.approx(20.0 / 3)
    assert means["early"]["met"] == 1.0
    assert means["late"]["met"] == 0.0
    gain, error = stopping.gained(tried, "late", "early")
    first, second = 100 / 3 - 10.0, 100 / 3
    assert gain == pytest.approx((first + second) / 2)
    assert error == pytest.approx(abs(first - second) / 2)
    assert stopping.gained(tried, "early", "late")[0] == pytest.approx(-gain)


def test_one_partition_has_no_standard_error(stopping):
    alone = pl.DataFrame({"rule": ["a", "b"], "partition": ["x1"] * 2, "extra": [1.0, 3.0]})
    gain, error = stopping.gained(alone, "a", "b")
    assert gain == 2.0
    assert math.isnan(error)


def test_families_name_every_criterion_once(stopping):
    names = stopping.families()
    assert len(names) == sum(map(len, stopping.FAMILIES.values()))
    assert isinstance(names["UP_3"], Up)
