"""A run of one's own beside the archive: the same, another, other cases, or none."""

import numpy as np
import pytest

from benchbook import studies
from benchbook.pages.rerun import beside_archive

TASK = "kin-8nm-sim/dist/std.64"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    studies.run(studies.Plan("toy", seed=1, methods=["lin-1"], tasks=[TASK], instances=1), folder, workers=1,
                progress=False)
    return folder


def test_the_same_run_is_the_same_to_the_archives_last_digit(runs, tmp_path):
    studies.Archive(tmp_path).publish(runs)
    exact = studies.Archive(runs).losses(code="S")["value"]
    rounded = studies.Archive(tmp_path).losses(code="S")["value"]
    assert not np.array_equal(exact, rounded)
    said = beside_archive("lin-1", TASK, 0, runs, tmp_path).text
    assert "Case by case the two are the same" in said
    assert "over 512 test cases" in said


def test_another_run_is_told_from_it(runs, tmp_path):
    archive = studies.Archive(tmp_path)
    record = studies.Archive(runs).records().drop("archive").to_dicts()[0]
    losses = studies.Archive(runs).losses(code="S")
    changed = losses["value"].to_numpy().copy()
    changed[17] *= 2.0
    archive.write(studies.RunResult(record, {"S": changed}, losses["case"].to_numpy()))
    assert "Case by case they differ" in beside_archive("lin-1", TASK, 0, runs, archive.path).text


def test_another_text_of_the_method_is_named(runs, tmp_path):
    record = studies.Archive(runs).records().drop("archive").to_dicts()[0] | {"identity": "an older one"}
    losses = studies.Archive(runs).losses(code="S")
    studies.Archive(tmp_path).write(studies.RunResult(record, {"S": 2.0 * losses["value"].to_numpy()},
                                                      losses["case"].to_numpy()))
    assert "The text of the method has changed" in beside_archive("lin-1", TASK, 0, runs, tmp_path).text


def test_other_cases_are_not_compared(runs, tmp_path):
    record = studies.Archive(runs).records().drop("archive").to_dicts()[0] | {"digest": "another"}
    losses = studies.Archive(runs).losses(code="S")
    studies.Archive(tmp_path).write(studies.RunResult(record, {"S": losses["value"].to_numpy()},
                                                      losses["case"].to_numpy()))
    assert "another digest" in beside_archive("lin-1", TASK, 0, runs, tmp_path).text


def test_without_an_archived_run_that_is_said(runs, tmp_path):
    assert "no run to set beside it" in beside_archive("lin-1", TASK, 0, runs, tmp_path).text
