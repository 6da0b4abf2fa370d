"""The verdicts of archived runs: the test of each task's design, and who is left out."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchbook import studies, tasks
from benchbook.archive.records import RunKey, RunResult, blank_record
from benchbook.errors import FaultyInput
from benchbook.studies.task_verdicts import verdicts_of_losses, verdicts_of_runs

FOLDS, SETS = "forest-scene-sim/cv/random-8", "kin-8nm-sim/dist/std.64"


@pytest.fixture
def source(tmp_path):
    """Runs of three methods on folds, and of one that lacks the first fold."""
    archive, task = studies.Archive(tmp_path / "own"), tasks.get(FOLDS)
    rng = np.random.default_rng(3)
    level = rng.exponential(size=task.places.size)
    for shift, name in enumerate("abcd"):
        for number in range(name == "d", task.instances):
            values = level + 0.05 * shift + rng.normal(0, 0.2, level.size)
            key = RunKey(name, FOLDS, number)
            record = blank_record(key, 1, "made up") | {"status": "ok", "digest": "d"}
            archive.write(RunResult(record, {"NLP": values}, task.places))
    return studies.overlay(tmp_path / "own", tmp_path / "none")


def test_folds_have_the_corrected_test_with_a_floor_and_k_minus_1_degrees_of_freedom(source):
    found = verdicts_of_runs([SETS, FOLDS], source=source)
    assert list(found.verdicts) == [FOLDS]
    means = found.means[FOLDS].pivot("method", index="split", values="mean")
    gaps = means["c"].to_numpy() - means["a"].to_numpy()
    row = found.verdicts[FOLDS].pair("NLP", "c", "a")
    assert row["difference"] == pytest.approx(gaps.mean())
    assert row["se_difference"] >= np.sqrt((1 / 8 + 1 / 7) * gaps.var(ddof=1)) * 0.999
    statistic = abs(row["difference"]) / row["se_difference"]
    assert row["p"] == pytest.approx(2 * stats.t.sf(statistic, 7))
    assert found.left_out == (f"d was run on some instances only and is left out: {FOLDS}",)
    assert verdicts_of_runs([FOLDS], ["a", "d", "b"], source=source).left_out == found.left_out


def test_losses_of_the_first_instances_are_compared_when_so_many_were_run():
    losses = studies.gather(SETS, ["lin-1", "knn-cv-1"])
    few = losses.filter(pl.col("instance") < 3)
    with pytest.raises(FaultyInput, match="nothing for instances 3, 4, 5, 6, 7"):
        verdicts_of_losses(few)
    whole = verdicts_of_losses(losses)[SETS].table
    assert verdicts_of_losses(losses, 100)[SETS].table.equals(whole)  # there are eight
    table = verdicts_of_losses(few, 3)[SETS].table
    assert table.filter(pl.col("p").is_not_null())["df"].to_list() == [2.0]
