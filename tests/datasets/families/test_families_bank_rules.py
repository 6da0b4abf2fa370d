"""The bank family's rules: shares of banks, days at banks, and the plain twin that must count the same customers."""

from dataclasses import replace

import numpy as np
import pytest

from benchbook.datasets.families import bank, bank_plain
from benchbook.errors import BenchbookError
from benchbook.kernels.queueing import choices, turned_away
from benchbook.seeds import generator

MEMBERS = tuple(bank.LAWS)
NODES, WEIGHTS = bank._quadrature()
both_choices = pytest.mark.parametrize(
    "share", [choices, bank_plain.choices], ids=["compiled", "plain"]
)


def _away(day, away=turned_away):
    counts = np.full(len(day.longest), -1, np.int64)
    away(
        day.arrivals,
        day.customers,
        day.service,
        day.call,
        day.longest,
        day.tills,
        day.opening,
        day.patience,
        day.seeds,
        counts,
    )
    return counts


def _day(cases=1, banks=1, **changes):
    """Days at ``banks`` equal banks with one till and a queue of five, except for what is changed."""
    day = bank.Day(
        arrivals=np.ones((cases, banks)),
        customers=np.full((cases, banks), 1000),
        service=np.ones((cases, banks)),
        call=np.full((cases, banks), 99),
        longest=np.full(cases, 5),
        tills=np.ones(banks, np.int64),
        opening=0.5,
        patience=0.1,
        seeds=generator(5, "days").integers(0, 2**64, cases, dtype=np.uint64),
    )
    return replace(day, **changes)


@pytest.mark.parametrize("name", MEMBERS)
def test_compiled_and_plain_days_turn_the_same_customers_away(name, rng):
    day = bank.begin(bank.law(name), bank.draw(name, 6, rng), rng)
    counts = _away(day)
    np.testing.assert_array_equal(counts, _away(day, bank_plain.turned_away))
    assert counts.max() > 0


@pytest.mark.parametrize(
    "change", [{"patience": 0.0}, {"opening": 0.001}, {"call": np.full((40, 3), 99)}]
)
def test_a_day_under_another_rule_is_told_apart(change, rng):
    """The check above has power: leaving one rule out changes the counts."""
    day = bank.begin(bank.law("bank-8nm-sim"), bank.draw("bank-8nm-sim", 40, rng), rng)
    assert (_away(replace(day, **change)) != _away(day)).mean() > 0.3


@pytest.mark.parametrize(("load", "longest"), [(0.7, 3), (1.0, 5), (1.8, 6)])
def test_one_till_blocks_as_erlang_says(load, longest):
    """A single till with a bounded queue is M/M/1/K: it blocks a share (1 - r) r^K / (1 - r^(K+1)) of arrivals."""
    day = _day(
        arrivals=np.array([[load]]), customers=np.array([[400_000]]), longest=np.array([longest])
    )
    ladder = load ** np.arange(longest + 1)
    assert _away(day)[0] / 400_000 == pytest.approx(ladder[-1] / ladder.sum(), rel=0.03)


def test_patience_does_nothing_where_there_is_one_queue():
    """It uses random numbers for nothing, so the same share is found, not the same customers."""
    share = [_away(_day(50, patience=rate)).mean() / 1000 for rate in (0.0, 0.5)]
    assert share[0] == pytest.approx(1 / 6, abs=0.012)
    assert share[1] == pytest.approx(share[0], abs=0.012)


@pytest.mark.parametrize(
    "change",
    [
        {"service": np.full((60, 1), 1.4)},
        {"longest": np.full(60, 8)},
        {"tills": np.array([2]), "call": np.full((60, 1), 3)},
        {"arrivals": np.full((60, 1), 0.8)},
    ],
)
def test_better_days_turn_fewer_away(change):
    assert _away(_day(60, **change)).sum() < 0.8 * _away(_day(60)).sum()


def test_opening_at_once_serves_more_than_opening_late():
    slow = _day(60, tills=np.array([3]), call=np.full((60, 1), 2), service=np.full((60, 1), 0.5))
    early, late = (_away(replace(slow, opening=rate)) for rate in (5.0, 0.02))
    assert early.sum() < 0.7 * late.sum()


def test_nobody_comes_nobody_leaves_and_banks_do_not_disturb_each_other():
    assert _away(_day(customers=np.zeros((1, 1), np.int64))).tolist() == [0]
    idle = np.array([[1000, 0]])
    assert (
        _away(_day(banks=2, customers=idle, tills=np.ones(2, np.int64))).tolist()
        == _away(_day()).tolist()
    )


@both_choices
def test_shares_sum_to_one_and_equal_banks_share_alike(share, rng):
    areas = np.column_stack(
        [rng.uniform(-1, 1, (30, 2)), rng.exponential(1, (30, 2)), rng.uniform(-0.5, 0.5, 30)]
    )
    banks = rng.uniform(-1, 1, (30, 3, 2))
    result = share(areas[:, None, :], banks, rng.uniform(0.05, 2, 30), NODES, WEIGHTS)
    np.testing.assert_allclose(result.sum(axis=2), 1.0, rtol=1e-12)
    same = share(areas[:, None, :], np.repeat(banks[:, :1], 3, axis=1), np.ones(30), NODES, WEIGHTS)
    np.testing.assert_allclose(same, 1 / 3, rtol=1e-12)


@both_choices
def test_the_cold_go_to_the_nearest_bank_and_the_warm_anywhere(share):
    area, banks = (
        np.array([[[0.2, 0.1, 0.0, 0.0, 0.0]]]),
        np.array([[[0.0, 0.0], [0.5, 0.5], [-1.0, 0.3]]]),
    )
    np.testing.assert_allclose(
        share(area, banks, np.array([0.01]), NODES, WEIGHTS)[0, 0], [1, 0, 0], atol=1e-9
    )
    np.testing.assert_allclose(
        share(area, banks, np.array([1e4]), NODES, WEIGHTS)[0, 0], 1 / 3, rtol=1e-3
    )
    distance = np.hypot(0.2 - banks[0, :, 0], 0.1 - banks[0, :, 1])
    expected = np.exp(-distance / 0.4) / np.exp(-distance / 0.4).sum()
    np.testing.assert_allclose(
        share(area, banks, np.array([0.4]), NODES, WEIGHTS)[0, 0], expected, rtol=1e-12
    )


@both_choices
def test_quadrature_agrees_with_drawing_people(share, rng):
    area, banks = (
        np.array([0.3, -0.2, 0.6, 0.9, 0.45]),
        np.array([[0.5, 0.0], [-0.4, 0.3], [0.0, -0.8]]),
    )
    free = rng.standard_normal((2, 200_000))
    x, y = 0.3 + 0.6 * free[0], -0.2 + 0.9 * (0.45 * free[0] + (1 - 0.45**2) ** 0.5 * free[1])
    pull = np.exp(-np.hypot(x[:, None] - banks[:, 0], y[:, None] - banks[:, 1]) / 0.9)
    result = share(area[None, None], banks[None], np.array([0.9]), NODES, WEIGHTS)[0, 0]
    np.testing.assert_allclose(
        result, (pull / pull.sum(axis=1, keepdims=True)).mean(axis=0), atol=0.012
    )


def test_compiled_and_plain_shares_agree(rng):
    for name in MEMBERS:
        areas, banks, _, temperature = bank._town(bank.law(name), bank.draw(name, 20, rng))
        arguments = (areas, banks, bank.law(name).softness * temperature, NODES, WEIGHTS)
        np.testing.assert_allclose(
            choices(*arguments), bank_plain.choices(*arguments), rtol=1e-11, atol=1e-14
        )


@pytest.mark.parametrize("name", ["bank-8fm-sim", "bank-32nh-sim"])
def test_a_day_has_as_many_customers_as_people_ask_for(name):
    """The number of customers is Poisson about 415 for one unit of population that attends."""
    inputs = np.repeat(bank.draw(name, 1, generator(2, name)), 4000, axis=0)
    day = bank.begin(bank.law(name), inputs, generator(3, name))
    expected = bank.HEAD * day.arrivals.sum(axis=1)
    gap = day.customers.sum(axis=1) - expected
    assert abs(gap.mean()) < 4 * (expected.mean() / 4000) ** 0.5
    assert gap.var() == pytest.approx(expected.mean(), rel=0.1)


def test_inputs_of_another_shape_are_refused(rng):
    with pytest.raises(BenchbookError, match=r"needs \[n, 8\]"):
        bank.noisy("bank-8nm-sim", np.zeros((4, 32)), rng)
    with pytest.raises(BenchbookError, match="no member"):
        bank.clean("bank-9nm-sim", np.zeros((4, 8)))
