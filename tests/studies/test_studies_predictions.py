"""Kept predictions: a loss that is asked for later is computed, and is the one a run would have had."""

import shutil

import numpy as np
import pytest
from polars.testing import assert_frame_equal

from benchbook import studies
from benchbook.archive import store
from benchbook.parquet import DamagedFile

TASK = "kin-8nm-sim/dist/std.64"
METHODS = ("lin-1", "knn-cv-1")


def ran(folder, losses, names=METHODS, **options):
    plan = studies.Plan("trial", 1, list(names), [TASK], instances=2, losses=losses)
    return studies.run(plan, folder, workers=1, progress=False, **options)


def values(folder, code):
    return studies.Archive(folder).losses(code=code).sort("method", "instance", "case")


@pytest.mark.parametrize("code", ["CRPS", "NLPD", "IS90", "PB05"])
def test_a_loss_asked_for_later_is_the_one_a_run_would_have_had(tmp_path, code):
    assert len(ran(tmp_path / "a", ["S"], keep_predictions=True).done) == 4
    later = ran(tmp_path / "a", [code])
    assert (len(later.done), len(later.kept)) == (0, 4)
    ran(tmp_path / "b", [code])
    assert_frame_equal(values(tmp_path / "a", code), values(tmp_path / "b", code), check_exact=True)
    assert set(values(tmp_path / "a", ["S", code])["loss"]) == {"S", code}


def test_without_a_prediction_it_is_run_again(tmp_path):
    ran(tmp_path, ["S"])
    assert values(tmp_path, "CRPS").is_empty()
    assert len(ran(tmp_path, ["CRPS"]).done) == 4


def test_a_prediction_of_another_run_or_of_an_earlier_one_is_not_taken(tmp_path):
    ran(tmp_path, ["S"], ["lin-1"], keep_predictions=True)
    first, second = (
        store.prediction_path(tmp_path, studies.RunKey("lin-1", TASK, number)) for number in (0, 1)
    )
    shutil.copy(second, first)
    assert values(tmp_path, "CRPS")["instance"].unique().to_list() == [1]
    assert len(ran(tmp_path, ["CRPS"], ["lin-1"]).done) == 1


def test_a_damaged_prediction_says_what_to_do(tmp_path):
    ran(tmp_path, ["S"], ["lin-1"], keep_predictions=True)
    path = store.prediction_path(tmp_path, studies.RunKey("lin-1", TASK, 0))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 255
    path.write_bytes(content)
    with pytest.raises(DamagedFile, match="delete it"):
        values(tmp_path, "CRPS")


def test_what_is_kept_is_what_was_scored_with_what_cases_share_held_once(tmp_path):
    result = studies.run_one(studies.RunKey("base-1", TASK, 0), 1, "trial")
    archive = studies.Archive(tmp_path)
    archive.write(result, keep_prediction=True)
    again = archive.prediction(result.record)
    assert again == result.prediction
    assert all(
        np.array_equal(again.parameters[name], array)
        for name, array in result.prediction.parameters.items()
    )
