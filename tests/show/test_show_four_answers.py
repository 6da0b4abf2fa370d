"""The four answers of the index are what each work would compute."""

import numpy as np
import polars as pl
import pytest

from benchbook import assess, studies, tasks
from benchbook.show.four_answers import DATASET, SIZE, WORKS, four_answers


@pytest.fixture(scope="module")
def answers() -> pl.DataFrame:
    return four_answers(["lin-1"], fresh=6, runs=2, folds=4)


def test_every_work_answers_with_an_interval_around_its_estimate(answers):
    assert answers["work"].to_list() == [*WORKS, "truth"]
    assert (answers["low"] <= answers["estimate"]).all()
    assert (answers["estimate"] <= answers["high"]).all()


def test_delves_answer_is_the_expected_loss_of_its_task(answers):
    task = f"{DATASET}/dist/std.{SIZE}"
    frame = studies.gather(task, "lin-1", "S")
    row = assess.expected_losses(frame, standard=tasks.standard).row(0, named=True)
    delve = answers.filter(work="DELVE").row(0, named=True)
    assert delve["estimate"] == pytest.approx(row["standardised_mean"], rel=1e-6)
    assert delve["high"] - delve["estimate"] == pytest.approx(row["standardised_standard_error"], rel=0.2)


def test_a_method_without_randomness_has_no_spread_over_runs(answers):
    proben1 = answers.filter(work="PROBEN1").row(0, named=True)
    assert proben1["low"] == pytest.approx(proben1["high"], rel=1e-12)


def test_the_answers_are_near_the_truth_as_their_intervals_claim(answers):
    truth = answers.filter(work="truth")["estimate"][0]
    for work in (WORKS[0], WORKS[2], WORKS[3]):
        row = answers.filter(work=work).row(0, named=True)
        assert abs(row["estimate"] - truth) < 4 * (row["high"] - row["low"]) / 2
    assert np.isfinite(truth)
