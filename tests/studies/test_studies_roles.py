"""The role of every case of every design: no training case reaches a statistic."""

import numpy as np
import polars as pl
import pytest

from benchbook import assess, datasets, studies, tasks
from benchbook.archive import frames
from benchbook.errors import FaultyInput, MissingData

FOLDS = "forest-scene-sim/cv/random-8"


def block(task, instance, cases, value=1.0, method="one"):
    values = np.full(len(cases), value)
    return frames.Block(method, task, instance, "x", "S", np.asarray(cases), values)


def test_a_case_of_a_fold_is_held_out_once_and_trained_on_otherwise():
    task = tasks.get(FOLDS)
    labels = task.labels()
    blocks = [block(FOLDS, i, task.places) for i in range(task.instances)]
    frame = frames.long_frame(blocks, role=None)
    held_out = frame.filter(role="held_out")
    for role in ("held_out", "training", "full", ("full", "training")):
        wanted = [role] if isinstance(role, str) else role
        own = frames.long_frame(blocks, role=role)
        assert own.equals(frame.filter(pl.col("role").is_in(wanted)))
        assert frames.long_frame(blocks, role, enums=True).cast(own.schema).equals(own)
    assert frames.long_frame(blocks).equals(held_out)
    assert held_out.height == held_out["case"].n_unique() == len(task.places)
    fold_of = dict(zip(task.places.tolist(), labels.tolist(), strict=True))
    assert all(
        fold_of[case] == number for case, number in held_out.select("case", "instance").rows()
    )
    full = frame.filter(role="full")
    assert set(full["instance"]) == {task.instances - 1}
    assert frame.filter(role="training").height == len(task.places) * (task.instances - 2)


def test_statistics_refuse_training_cases_and_folds_as_disjoint_sets():
    task = tasks.get(FOLDS)
    blocks = [
        block(FOLDS, i, task.places, v, name)
        for i in range(task.instances)
        for v, name in ((1.0, "one"), (2.0, "two"))
    ]
    mixed = frames.long_frame(blocks, role=None)
    for statistic in (assess.assessment, assess.expected_losses, assess.split_means):
        with pytest.raises(FaultyInput, match="held-out cases alone"):
            statistic(mixed)
    held_out = mixed.filter(role="held_out")
    with pytest.raises(FaultyInput, match="training sets of the others overlap"):
        assess.assessment(held_out)


@pytest.mark.parametrize("path", sorted({tasks.get(n).prototask.path for n in tasks.available()}))
def test_every_task_states_its_design(path):
    name = next(name for name in tasks.available() if name.startswith(path + "/"))
    assert tasks.get(name).design in {
        "disjoint", "common", "folds", "splits", "partitions", "holdout"
    }  # fmt: skip


def test_gathered_losses_are_of_held_out_cases():
    """The archived runs on folds: every case once, where they used to come once for each instance.

    Without the published data the roles are not known, and that is an error in words, not a mean of anything.
    """
    name = "concrete/cv/random-10"
    if not datasets.at_hand("concrete"):
        with pytest.raises(MissingData, match="held out is known only with its data"):
            studies.gather(name, "boosting-1")
        return
    frame = studies.gather(name, "boosting-1")
    assert frame.height == frame["case"].n_unique() == 1030
    assert frame["value"].mean() == pytest.approx(17.26, abs=0.005)
    everything = studies.gather(name, "boosting-1", role=None)
    assert set(everything["role"]) == {"held_out", "training", "full"}


def test_an_unknown_role_is_refused():
    with pytest.raises(FaultyInput, match="one of held_out"):
        studies.gather("kin-8nm-sim/dist/std.64", "lin-1", role="test")


def test_the_tasks_whose_roles_are_not_known_are_named_alone(monkeypatch):
    unknown, folds = np.zeros(0, int), np.array([0, 1])
    known = {"t/b": unknown, "t/known": None, "t/a": unknown, "t/folds": folds}
    monkeypatch.setattr(frames, "_fold_of_case", known.get)
    blocks = [block(name, 0, [0, 1]) for name in known]
    with pytest.raises(MissingData, match=r"^which cases of t/a, t/b are held out is known only"):
        frames.long_frame(blocks)
    everything = frames.long_frame(blocks, role=None).select("task", "case", "role").rows()
    roles = {(task, case): role for task, case, role in everything}
    assert roles["t/a", 0] is roles["t/b", 1] is None
    assert roles["t/folds", 0] == roles["t/known", 1] == "held_out"
    assert roles["t/folds", 1] == "training"
