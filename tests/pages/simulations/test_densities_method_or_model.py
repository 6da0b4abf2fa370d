"""Two truths and four works: the truths are true, every procedure sees the same data, and a run goes on."""

import numpy as np
import polars as pl
import pytest

from benchbook.assess import densities
from benchbook.errors import BenchbookError
from benchbook.predictive import Gaussian
from benchbook_book.pages.simulations import method_or_model as simulated
from benchbook_book.pages.simulations.method_or_model import (
    SEEN,
    TrainingWorld,
    fit,
    looked_at,
    residuals_left_out,
    summarise,
    trials,
)

SMALL = TrainingWorld("small", 40)


@pytest.fixture(scope="module")
def found() -> pl.DataFrame:
    return trials(SMALL, 30)


def test_the_fit_is_the_conjugate_models_and_leaves_out_by_leverage():
    rng = np.random.default_rng(1)
    inputs, targets = SMALL.draw(20, rng)
    seen = looked_at(rng)
    prior = densities.LinearModel(np.zeros(SEEN), np.eye(SEEN), 1.0, 1.0)
    np.testing.assert_allclose(
        fit(inputs, targets, seen)[seen], prior.given(inputs[:, seen], targets).mean
    )
    rest = np.arange(20) != 7
    alone = targets[7] - inputs[7] @ fit(inputs[rest], targets[rest], seen)
    assert residuals_left_out(inputs, targets, seen)[7] == pytest.approx(alone)


def test_the_truth_of_a_model_is_its_loss_on_many_new_cases():
    rng = np.random.default_rng(2)
    fitted = fit(*SMALL.draw(40, rng), looked_at(rng))
    inputs, targets = SMALL.draw(200_000, rng)
    errors = (targets - inputs @ fitted) ** 2
    assert abs(errors.mean() - float(SMALL.truth(fitted))) < 4 * errors.std() / np.sqrt(errors.size)


def test_the_truth_of_the_method_is_equation_29s():
    rng = np.random.default_rng(3)

    def learn(inputs, targets):
        weights = fit(inputs, targets, looked_at(rng))
        return lambda new: Gaussian(new @ weights, np.ones(len(new)))

    u = densities.over_training_sets(
        SMALL.draw, learn, lambda pred, y: (y - pred.mean()) ** 2, 40, 1500, rng
    )
    assert abs(u.mean() - SMALL.method) < 4 * u.std() / np.sqrt(u.size)


def test_a_data_set_is_the_same_alone_and_in_a_crowd(found):
    alone = trials(SMALL, 1, first=5)
    assert alone.equals(found.filter(dataset=5))


def test_each_answer_holds_its_own_truth_more_often_than_the_other(found):
    table = summarise(found)
    share = {(row["procedure"], row["truth"]): row["coverage"] for row in table.to_dicts()}
    assert (
        share["challenge, hidden cases", "model"] > share["challenge, hidden cases", "method"] + 0.1
    )
    assert (
        share["DELVE, tests of their own", "method"]
        > share["DELVE, tests of their own", "model"] - 0.05
    )
    assert share["PROBEN1, ten runs", "partition"] > share["PROBEN1, ten runs", "model"] + 0.3
    assert table.filter(truth="method")["correlation"].is_null().all()


def test_a_run_goes_on_where_it_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(simulated, "_PART", 2)
    monkeypatch.setattr(simulated, "WORLDS", (SMALL,))
    simulated.continued(tmp_path, 3)
    selected = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(selected) == 2
    again = simulated.continued(tmp_path, 3)
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == selected
    assert again.equals(summarise(trials(SMALL, 3)))


def test_no_data_sets_are_refused():
    with pytest.raises(BenchbookError, match="at least one"):
        trials(SMALL, 0)
