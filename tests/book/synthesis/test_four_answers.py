"""The four estimates of one loss are what each work would compute, and their charts."""

import numpy as np
import polars as pl
import pytest

from benchbook import assess, studies, tasks


def test_drawn(page):
    table = pl.DataFrame(
        {
            "work": ["DELVE", "Vehtari"],
            "training_cases": [32, 1030],
            "difference": [-1.0, -2.0],
            "low": [-2.0, -3.0],
            "high": [0.5, -1.0],
            "sure": ["p = 0.2", "probability 1.00"],
        }
    )
    page.difference_chart(table, "a", "b", "m²")
    page.draw(TOLD)


TOLD = pl.DataFrame(
    [
        ("DELVE", "lin-1", 0.585, 0.571, 0.599, "one standard error"),
        ("PROBEN1", "lin-1", 0.511, 0.511, 0.511, "runs"),
        ("truth", "lin-1", 0.582, 0.578, 0.586, "fresh"),
        ("DELVE", "knn-cv-1", 0.391, 0.38, 0.402, "one standard error"),
        ("PROBEN1", "knn-cv-1", 0.404, 0.404, 0.404, "runs"),
        ("truth", "knn-cv-1", 0.393, 0.388, 0.398, "fresh"),
    ],
    schema=["work", "method", "estimate", "low", "high", "interval"],
    orient="row",
)


@pytest.fixture(scope="module")
def answers(page) -> pl.DataFrame:
    return page.four_answers(["lin-1"], fresh=6, runs=2, folds=4)


def test_every_work_answers_with_an_interval_around_its_estimate(page, answers):
    assert answers["work"].to_list() == [*page.WORKS, "truth"]
    assert (answers["low"] <= answers["estimate"]).all()
    assert (answers["estimate"] <= answers["high"]).all()


def test_delves_answer_is_the_expected_loss_of_its_task(page, answers):
    task = f"{page.DATASET}/dist/std.{page.SIZE}"
    frame = studies.gather(task, "lin-1", "S")
    row = assess.expected_losses(frame, standard=tasks.standard).row(0, named=True)
    delve = answers.filter(work="DELVE").row(0, named=True)
    assert delve["estimate"] == pytest.approx(row["standardised_mean"], rel=1e-6)
    assert delve["high"] - delve["estimate"] == pytest.approx(
        row["standardised_standard_error"], rel=0.2
    )


def test_a_method_without_randomness_has_no_spread_over_runs(answers):
    proben1 = answers.filter(work="PROBEN1").row(0, named=True)
    assert proben1["low"] == pytest.approx(proben1["high"], rel=1e-12)


def test_the_answers_are_near_the_truth_as_their_intervals_claim(page, answers):
    truth = answers.filter(work="truth")["estimate"][0]
    for work in (page.WORKS[0], page.WORKS[2], page.WORKS[3]):
        row = answers.filter(work=work).row(0, named=True)
        assert abs(row["estimate"] - truth) < 4 * (row["high"] - row["low"]) / 2
    assert np.isfinite(truth)
