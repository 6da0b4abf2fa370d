"""Stopping criteria, online and over recorded traces, against their formulas and worked examples."""

import numpy as np
import pytest

from benchbook.errors import FaultyInput
from benchbook.methods.proben1 import (
    AllOnce,
    AnyOf,
    GeneralisationLoss,
    Progress,
    ProgressQuotient,
    Traces,
    Up,
    first_met,
    generalisation_loss,
    result_rule,
    search_rule,
    training_progress,
)

FALLING = (5.0, 4.0, 3.0, 2.0, 1.0)  # P_5 = 1000 (15 / (5 * 1) - 1) = 2000
FLAT = (1.0, 1.0, 1.0, 1.0, 1.0)  # P_5 = 0
SLOW = (1.0004, 1.0003, 1.0002, 1.0001, 1.0)  # P_5 = 0.2


def traces(validation, training=FALLING):
    training = np.array(
        training if np.ndim(training) == 2 else [training] * len(validation)
    ).ravel()
    return Traces(5, training, np.array(validation, dtype=float), np.zeros(len(validation)))


def plain_first(values, bound):
    """The epoch of the first value above a bound."""
    above = np.flatnonzero(values > bound)
    return 5 * (int(above[0]) + 1) if len(above) else None


def test_the_two_measures_by_hand():
    assert generalisation_loss(1.1, 1.0) == pytest.approx(10.0)
    assert training_progress(np.array(FALLING)) == pytest.approx(2000.0)
    assert training_progress(np.array(SLOW)) == pytest.approx(0.2)
    assert training_progress(np.array(FLAT)) == 0.0
    assert generalisation_loss(0.0, 0.0) == training_progress(np.zeros(5)) == 0.0
    assert generalisation_loss(0.1, 0.0) == np.inf


@pytest.mark.parametrize(
    ("criterion", "validation", "training", "epoch"),
    [
        (GeneralisationLoss(5.0), [3.0, 2.0, 2.09, 2.11, 1.0], FALLING, 20),
        (GeneralisationLoss(5.0), [3.0, 2.0, 2.05], FALLING, None),
        (Progress(0.1), [1.0, 1.0, 1.0], [FALLING, SLOW, FLAT], 15),
        (Progress(0.3), [1.0, 1.0, 1.0], [FALLING, SLOW, FLAT], 10),
        (
            ProgressQuotient(3.0),
            [1.0, 1.01, 1.01],
            [FALLING, FALLING, SLOW],
            15,
        ),  # GL 1: 1 / 2000, then 1 / 0.2
        (
            ProgressQuotient(3.0),
            [1.0, 1.0, 1.01],
            [FLAT, FLAT, FLAT],
            15,
        ),  # no progress at all: the quotient is infinite
        (Up(1), [1.0, 1.0, 1.1], FALLING, 15),
        (Up(3), [1.0, 1.1, 1.2, 1.1, 1.2, 1.3, 1.4], FALLING, 35),
        (Up(3), [1.0, 1.1, 1.2, 1.2, 1.3, 1.4], FALLING, None),
        (AnyOf((Up(2), Progress(0.1))), [1.0, 1.1, 1.2], [FALLING, FLAT, FALLING], 10),
        (AllOnce((Up(1), Progress(0.1))), [1.0, 1.1, 1.0], [FALLING, FALLING, FLAT], 15),
        (AllOnce((Up(2), Progress(0.1))), [1.0, 1.1, 1.0], [FALLING, FALLING, FLAT], None),
    ],
)
def test_where_criteria_stop(criterion, validation, training, epoch):
    assert first_met(criterion, traces(validation, training)) == epoch


def test_criteria_agree_with_their_formulas_on_random_traces(rng):
    for _ in range(30):
        validation = np.exp(np.cumsum(0.1 * rng.normal(size=40)))
        training = 1.0 + 0.01 * rng.exponential(size=(40, 5)) * rng.uniform(size=(40, 1)) ** 3
        run = traces(validation, training)
        loss = 100.0 * (validation / np.minimum.accumulate(validation) - 1.0)
        progress = 1000.0 * (training.sum(axis=1) / (5 * training.min(axis=1)) - 1.0)
        longer = np.diff(validation, prepend=np.inf) > 0
        runs_up = np.array(
            [
                longer[: t + 1][::-1].argmin() if not longer[: t + 1].all() else t + 1
                for t in range(40)
            ]
        )
        assert first_met(GeneralisationLoss(5.0), run) == plain_first(loss, 5.0)
        assert first_met(Progress(0.5), run) == plain_first(-progress, -0.5)
        assert first_met(ProgressQuotient(1.5), run) == plain_first(loss / progress, 1.5)
        assert first_met(Up(3), run) == plain_first(runs_up, 2)


def test_watching_a_run_twice_gives_the_same_answer():
    rule, run = search_rule(), traces([1.0, 0.5, *np.linspace(0.6, 1.0, 20)], SLOW)
    assert first_met(rule, run) == first_met(rule, run) == 10 + 8 * 5


def test_the_search_rule_wants_all_three_but_not_at_once():
    up = list(np.linspace(0.501, 0.52, 8))  # UP_8, GL 4 %
    later = [0.5, 0.5, 0.6]  # GL 20 %
    assert first_met(search_rule(), traces([1.0, 0.5, *up, *later], SLOW)) == 5 * 13
    assert (
        first_met(search_rule(), traces([1.0, 0.5, *up, *later], FALLING)) is None
    )  # PQ is never met
    assert first_met(search_rule(), traces([1.0, 1.0], FLAT)) == 5


def test_a_larger_threshold_never_stops_earlier(rng):
    run = traces(np.exp(np.cumsum(0.1 * rng.normal(size=60))))
    for make, values in (
        (GeneralisationLoss, (0.5, 2, 5)),
        (ProgressQuotient, (0.001, 0.01)),
        (Up, (1, 2, 3)),
    ):
        epochs = [first_met(make(value), run) or np.inf for value in values]
        assert epochs == sorted(epochs)


def test_answers_name_what_was_met():
    see = result_rule().watch()
    strips = list(traces([1.0, 1.2], [FALLING, FLAT]).strips())
    assert see(strips[0]) == ""
    assert see(strips[1]) == "GL_5, P < 0.1"


@pytest.mark.parametrize(
    "make",
    [
        lambda: GeneralisationLoss(0.0),
        lambda: Up(0),
        lambda: Progress(-1.0),
        lambda: ProgressQuotient(float("nan")),
        lambda: traces([]),
        lambda: Traces(5, np.zeros(9), np.zeros(2), np.zeros(2)),
    ],
)
def test_criteria_and_traces_that_make_no_sense_are_refused(make):
    with pytest.raises(FaultyInput):
        make()
