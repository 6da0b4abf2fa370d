"""The chapter on bank: answers live, standard deviations by group, the day's noise, and its charts."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from benchbook import tasks
from benchbook.datasets import families
from benchbook.predictive import Mixture
from benchbook.seeds import generator

TASK = "bank-8nm-sim/rej/std.64"

TRACE = pl.DataFrame({"passes": [10.0, 20.0, 30.0, 40.0], "value": [1.5, 0.4, 0.2, 0.1]})
SPREADS = pl.DataFrame({"part": ["lowest third", "highest third"], "value": [0.1, 1.2]})
LEVELS = pl.DataFrame(
    {
        "panel": ["one"] * 4 + ["other"] * 4,
        "group": [1, 2] * 4,
        "kind": ["stated", "stated", "seen", "seen"] * 2,
        "value": [0.2, 0.3, 0.1, 0.9, 0.1, 0.8, 0.15, 0.7],
    }
)


@pytest.fixture(scope="module")
def instance():
    return tasks.instance(TASK, 0)


@pytest.mark.parametrize("warped", [False, True])
def test_an_answer_is_for_the_test_cases_and_repeats(page, instance, warped):
    first, again = (page.chain_of(instance, 1, times=0.03, warped=warped) for _ in range(2))
    assert len(first.prediction) == len(instance.test_inputs)
    assert first.prediction == again.prediction
    assert (first.maps is not None) == warped
    trace = page.trace(first.chain)
    assert trace["passes"].is_sorted()
    assert trace["value"][-1] == first.chain.noise[-1]
    if warped:
        assert len(first.choice) == len(first.chain.drawn)


def test_the_days_noise_is_the_spread_of_days(page, instance):
    task = tasks.get(TASK)
    inputs = np.column_stack(
        [task.cases.columns[name][instance.case_ids] for name in task.prototask.inputs]
    )
    days = [
        families.find("bank-8nm-sim").noisy(
            "bank-8nm-sim", inputs.astype(float), generator(1, "days", str(day))
        )
        for day in range(2)
    ]
    expected = np.abs(days[0] - days[1]) / np.sqrt(2) / instance.encoding.target.scale
    np.testing.assert_allclose(page.daily_noise(instance, 2, 1), expected, atol=1e-12)


def test_groups_follow_the_prediction_and_hold_root_mean_squares(page):
    mean, sd = np.array([3.0, 1.0, 2.0, 4.0]), np.array([0.3, 0.1, 0.2, 0.4])
    prediction = Mixture(np.ones(1), mean[:, None], sd[:, None] ** 2)
    result = page.by_group(
        prediction, mean + np.array([1.0, -2.0, 0.0, 5.0]), 10 * sd, "one", groups=2
    )
    values = {
        (group, kind): value
        for group, kind, value in result.select("group", "kind", "value").iter_rows()
    }
    assert values[1, "stated"] == pytest.approx(np.sqrt((0.01 + 0.04) / 2))
    assert values[1, "seen"] == pytest.approx(np.sqrt((4.0 + 0.0) / 2))
    assert values[2, "the day's noise"] == pytest.approx(np.sqrt((9.0 + 16.0) / 2))
    assert result.filter(group=2)["low"].to_list() == [3.0] * 3
    assert page.by_group(prediction, mean, None, "one", groups=4)["kind"].n_unique() == 2


def test_200_notes_of_a_chain_are_drawn_from_its_first_to_its_last(page):
    trace = page.trace(SimpleNamespace(passes=2.0 * np.arange(399), noise=np.arange(399.0)))
    assert trace["passes"].to_list() == [4.0 * note for note in range(200)]
    assert trace["value"].to_list() == [2.0 * note for note in range(200)]


def test_networks_have_relevance_and_direct_connections(page, monkeypatch):
    made = {}

    def model(**structure):
        made.update(structure)
        raise StopIteration

    monkeypatch.setattr(page.constants, "model", model)
    with pytest.raises(StopIteration):
        page.chain_of(None, 1)
    assert made == {"relevance": True, "direct": True}


def test_drawn(page):
    page.noise_among_spreads(TRACE, SPREADS, 15.0)
    page.stated_and_seen(LEVELS)
