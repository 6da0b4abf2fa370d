"""Partitions on a page: names, orders, standard errors from the test cases, spreads, and the exact fee of choosing."""

import itertools

import numpy as np
import polars as pl
import pytest

from benchbook import datasets, tasks
from benchbook.methods.proben1 import PIVOT_RUNS, Topology, train
from benchbook.methods.proben1.plain import outputs


@pytest.fixture(scope="module")
def runs(page):
    """Two runs on each of the eighteen partitions of a stand-in."""
    return page.train_on(tasks.partitions.all_orders("sklearn-iris"), "0l", 2, seed=1)


def test_orders_lay_a_file_out_without_gap_or_overlap(page):
    table = page.blocks((5, 3, 2))
    assert table.height == 18
    for (_,), here in table.group_by("order"):
        ends = here.sort("first")
        assert ends["first"].to_list() == [0, *ends["last"].to_list()[:-1]]
        assert ends["last"].max() == 10
    training = table.filter(part="training")
    assert (training["last"] - training["first"]).to_list() == [5] * 6
    assert table.filter(order="d", part="test").row(0, named=True)["first"] == 3


def test_a_and_c_test_on_the_same_quarter_and_so_do_e_and_f(page):
    results = {order: page.tested(order) for order in "abcdef"}
    assert results == {
        "a": "last quarter",
        "b": "third quarter",
        "c": "last quarter",
        "d": "second quarter",
        "e": "first quarter",
        "f": "first quarter",
    }


def test_without_data_the_stand_ins_take_over(page, monkeypatch):
    monkeypatch.setattr(datasets, "at_hand", lambda name: name.startswith("sklearn"))
    assert page.problems_at_hand({"glass": "8l"}, {"sklearn-wine": "4l"}) == {"sklearn-wine": "4l"}
    monkeypatch.setattr(datasets, "at_hand", lambda name: True)
    assert page.problems_at_hand({"glass": "8l"}, {"sklearn-wine": "4l"}) == {"glass": "8l"}


def test_every_run_is_a_line_with_its_names(page, runs):
    assert runs.height == 36
    line = runs.filter(partition="sklearn-iris2d").row(0, named=True)
    assert (line["problem"], line["permutation"], line["order"]) == ("sklearn-iris", 2, "d")
    assert (line["tested"], line["cases"]) == ("second quarter", 37)
    again = page.train_on(["sklearn-iris2d"], "0l", 2, seed=1)
    assert (
        again["test_error"].to_list()
        == runs.filter(partition="sklearn-iris2d")["test_error"].to_list()
    )
    assert page.train_on(["sklearn-iris2d"], "0l", 1, seed=1, first=1).equals(again[1:])
    other = page.train_on(["sklearn-iris2d"], "0l", 2, seed=2)
    assert other["test_error"].to_list() != again["test_error"].to_list()


def test_the_standard_error_is_that_of_the_mean_over_the_test_cases(page):
    partition = tasks.partition("sklearn-diabetes1")
    run = train(partition, Topology(partition.inputs, (), 1), PIVOT_RUNS, np.random.default_rng(0))
    errors = (
        100
        * (outputs(run.topology, run.weights, partition.test.inputs) - partition.test.targets)[:, 0]
        ** 2
    )
    assert errors.mean() == pytest.approx(run.test_error)
    rng = np.random.default_rng(1)
    drawn = [rng.choice(errors, len(errors)).mean() for _ in range(4000)]
    assert page.case_error(partition, run) == pytest.approx(np.std(drawn), rel=0.1)


def test_approximations_have_no_percentage_wrong(page):
    table = page.train_on(["sklearn-diabetes1"], "0l", 1, seed=1)
    assert table["test_wrong"].null_count() == 1


def test_spreads_separate_runs_from_partitions(page):
    lines = [
        {
            "problem": "x",
            "partition": f"x{k}{order}",
            "order": order,
            "cases": 50,
            "standard_error": 2.0,
            "test_error": mean + shift,
        }
        for k, mean in ((1, 10.0), (2, 12.0), (3, 14.0))
        for order, extra in (("a", 0.0), ("b", 3.0))
        for mean in [mean + extra]
        for shift in (-0.5, 0.5)
    ]
    result = page.spreads(pl.DataFrame(lines)).row(0, named=True)
    assert result["between_runs"] == pytest.approx(np.std([-0.5, 0.5], ddof=1))
    assert result["from_cases"] == 2.0
    assert result["between_permutations"] == pytest.approx(2.0)
    assert result["between_partitions"] == pytest.approx(np.std([10, 12, 14, 13, 15, 17], ddof=1))
    assert result["mean"] == pytest.approx(13.5)


def test_the_best_of_some_runs_is_the_mean_over_all_choices(page):
    chooser, fresh = np.array([3.0, 1.0, 4.0, 1.5, 5.0]), np.array([2.0, 7.0, 1.0, 8.0, 2.0])
    table = page.best_of(chooser, fresh, 9)
    assert table["runs"].to_list() == [1, 2, 3, 4, 5]
    for size, reported, new in table.iter_rows():
        winners = [
            min(group, key=lambda k: chooser[k]) for group in itertools.combinations(range(5), size)
        ]
        assert reported == pytest.approx(chooser[winners].mean())
        assert new == pytest.approx(fresh[winners].mean())
    assert table["reported"].is_sorted(descending=True)


def test_choosing_by_noise_gains_on_paper_and_nothing_on_fresh_cases(page):
    rng = np.random.default_rng(3)
    lines = [
        {
            "problem": "noise",
            "partition": f"noise{k}",
            "validation_error": chooser,
            "test_error": fresh,
        }
        for k in range(200)
        for chooser, fresh in rng.normal(10.0, 1.0, (12, 2))
    ]
    result = page.choice_fee(pl.DataFrame(lines), 10)
    assert result["reported"][0] == pytest.approx(10.0, abs=0.1)
    assert result["reported"][-1] < 8.7
    assert (result["fresh"] - 10.0).abs().max() < 0.2


def test_wilsons_interval_holds_the_rate_and_narrows_with_the_cases(page):
    low, high = page.interval(20.0, 50)
    assert (low, high) == pytest.approx((11.24, 33.04), abs=0.01)
    wider = page.interval(20.0, 500)
    assert low < wider[0] < 20.0 < wider[1] < high
    assert page.interval(0.0, 40)[0] == 0.0


def test_the_quarter_tested_on_is_a_half_or_more_along(page):
    """The parts are a half, a quarter and a quarter: abc trains first, bca and cba test before they train."""
    counts = (200, 100, 100)
    for order in page.ORDERS:
        where = page.places(counts, order)["test"]
        assert page.tested(order) == page.QUARTERS[int(where[0]) // 100]
