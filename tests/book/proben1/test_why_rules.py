"""What becomes of an error when a choice is left open: gains are what they are said to be, and the charts."""

import numpy as np
import polars as pl
import pytest

from benchbook.methods.proben1 import RESULT_RUNS, Topology, train_many
from benchbook.seeds import generator
from benchbook.tasks.partitions import partition


@pytest.fixture(scope="module")
def flowers(page):
    """Ten runs on a small stand-in, with both halves of its test cases."""
    return page.halves("sklearn-iris1", "2l", RESULT_RUNS, 10, seed=1)


def test_halves_are_of_the_same_networks(page, flowers):
    part = partition("sklearn-iris1")
    own = train_many(
        part,
        Topology.parse("2l", part.inputs, part.outputs),
        RESULT_RUNS,
        [generator(1, part.name, "2l", run) for run in range(10)],
    )
    sizes = np.array([len(part.test.inputs[half::2]) for half in (0, 1)])
    for run, one in enumerate(own):
        strips = min(len(one.traces.validation), flowers.validation.shape[1])
        whole = sizes @ flowers.test[:, run] / sizes.sum()
        assert flowers.validation[run, :strips] == pytest.approx(one.traces.validation[:strips])
        assert whole[:strips] == pytest.approx(one.traces.test[:strips])
        if one.relevant_epochs <= page.EPOCHS:
            assert 5 * (flowers.rules[run] + 1) == one.relevant_epochs


def test_what_the_test_cases_choose_prints_no_more_than_the_rules(page, flowers):
    gains = page.gains([flowers] * 3)
    assert gains["choice"].to_list() == list(page.CHOICES.values())
    by_test = gains.filter(pl.col("by_test") & (pl.col("choice") != page.CHOICES["criterion"]))
    assert (by_test["printed"] <= 1.0 + 1e-12).all()


def test_gains_of_invented_runs_are_those_worked_out_by_hand(page):
    runs, strips = 10, 4
    validation = np.tile([4.0, 3.0, 2.0, 5.0], (runs, 1)) + np.arange(runs)[:, None]
    first = np.full((runs, strips), 8.0)
    first[:, 0] = 2.0
    second = np.full((runs, strips), 4.0)
    second[:, 0] = 6.0
    first[3, 2], second[3, 2] = 4.0, 8.0
    each = page.Halves(
        validation, np.array([first, second]), np.full(runs, 2), np.full((5, runs), 2)
    )
    found = dict(zip(page.CHOICES, page.gains([each] * 3).iter_rows(named=True), strict=True))
    honest = np.array([7.6, 4.4])
    state = np.mean([[2.0, 6.0] / honest, [4.0 / 4.4, (9 * 8.0 + 8.0) / 10 / 7.6]], axis=0)
    assert found["state"]["printed"] == pytest.approx(state[0])
    assert found["state"]["true"] == pytest.approx(state[1])
    assert found["best"]["printed"] == pytest.approx(np.mean([4.0 / 7.6, 4.0 / 4.4]))
    assert found["best"]["true"] == pytest.approx(np.mean([8.0 / 4.4, 8.0 / 7.6]))
    assert (
        found["validation"]["printed"]
        == found["validation"]["true"]
        == pytest.approx(np.mean([8 / 7.6, 4 / 4.4]))
    )
    assert found["criterion"]["printed"] == found["criterion"]["true"] == pytest.approx(1.0)
    assert found["permutation"]["printed"] == found["permutation"]["true"] == pytest.approx(1.0)


def test_where_nothing_varies_nothing_is_gained(page):
    flat = page.Halves(
        np.ones((10, 3)), np.full((2, 10, 3), 2.0), np.zeros(10, int), np.zeros((5, 10), int)
    )
    gains = page.gains([flat] * 3)
    assert gains.select((pl.col("printed") - 1).abs().max(), (pl.col("true") - 1).abs().max()).row(
        0
    ) == (0.0, 0.0)


RUNS = pl.DataFrame(
    {
        "dataset": ["a1"] * 3 + ["a2"] * 3,
        "run": [0, 1, 2] * 2,
        "method": "m",
        "validation_error": [1.0, 2.0, 3.0, 4.0, 4.0, 4.0],
        "test_error": [2.0, 2.0, 5.0, 1.0, 2.0, 3.0],
    }
)
GAINS = pl.DataFrame(
    {
        "choice": ["best run", "best state"],
        "by_test": [True, True],
        "printed": [0.5, 0.75],
        "true": [1.25, 1.0],
    }
)


def test_drawn(page):
    page.stories(pl.concat([RUNS.filter(dataset="a2"), RUNS.filter(dataset="a1")]))
    page.unstated(GAINS)
