"""A data set taken apart into folds: every case is left out once, and the runs give expected utilities."""

import numpy as np
import polars as pl
import pytest

from benchbook import tasks
from benchbook.assess import densities
from benchbook.assess.densities import QUESTIONS
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.studies.cross_validation import expected, fold_losses
from benchbook.tasks.declaration import Prototask
from benchbook.tasks.folds_task import FoldsTask, parsed

SCHEMES = ("random-5", "stratified-4", "grouped-3", "blocks-4-2", "alone")


def declared(scheme: str, **changes) -> FoldsTask:
    """Folds of iris-like data that the tests make up: ``cases_of`` and the loader are replaced by a fixture."""
    prototask = Prototask(
        dataset="made-up",
        name="cv",
        target="y",
        inputs=("x",),
        kind="class",
        test_set_size=1,
        test_set_selection="folds",
        training_set_sizes=(1,),
        maximum_instances=1,
        folds=SCHEMES,
        group=("g",),
        **changes,
    )
    return FoldsTask(prototask, 0, scheme=scheme)


@pytest.fixture
def made_up(monkeypatch):
    frame = pl.DataFrame(
        {"x": np.arange(24.0), "y": ["a", "b"] * 12, "g": [f"g{k // 4}" for k in range(24)]}
    )

    class Data:
        cases = frame
        order = np.random.default_rng(1).permutation(24)

    monkeypatch.setattr(FoldsTask, "cases", property(lambda task: Data))
    monkeypatch.setattr("benchbook.tasks.folds_task.datasets.load", lambda name: Data)
    return frame


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_case_is_left_out_once_and_asked_for_always(made_up, scheme):
    task = declared(scheme)
    split, labels = task.split(), task.labels()
    assert split.instances == len(set(labels)) + 1
    for fold, (train, test) in enumerate(zip(split.train, split.test, strict=True)):
        assert not set(train) & set(task.places[labels == fold])
        np.testing.assert_array_equal(test, task.places)
    np.testing.assert_array_equal(split.train[-1], task.places)


def test_groups_stay_together_and_classes_are_dealt_out(made_up):
    grouped = declared("grouped-3")
    for fold in range(3):
        held_out = set(made_up["g"].to_numpy()[grouped.places[grouped.labels() == fold]])
        others = set(made_up["g"].to_numpy()[grouped.places[grouped.labels() != fold]])
        assert not held_out & others
    dealt = declared("stratified-4")
    counts = [
        (made_up["y"].to_numpy()[dealt.places[dealt.labels() == fold]] == "a").sum()
        for fold in range(4)
    ]
    assert counts == [3, 3, 3, 3]
    blocks = declared("blocks-4-2").split().train[1]
    assert len(blocks) == 24 - 6 - 4


def test_a_part_is_a_data_set_of_its_own(made_up):
    whole, part = declared("random-5"), declared("random-5", part=(6, 18))
    np.testing.assert_array_equal(part.places, whole.places[6:18])
    assert part.split().instances == 6
    assert len(part.split().train[-1]) == 12


@pytest.mark.parametrize("text", ["random", "random-0", "blocks-3", "alone-2", "grouped-x", ""])
def test_other_words_are_no_schemes(text):
    with pytest.raises(BenchbookError, match="random-10"):
        parsed(text)


class Source:
    """An archive of losses that are known: case + 100 for a model that has not seen the case, case otherwise."""

    def __init__(self, task, missing=()):
        lines = []
        for instance, train in enumerate(task.split().train):
            seen = np.isin(task.places, train)
            lines += [
                {
                    "method": "m",
                    "instance": instance,
                    "case": case,
                    "value": float(case) + 100.0 * (not known),
                }
                for case, known in zip(task.places.tolist(), seen, strict=True)
                if instance not in missing
            ]
        self.frame = pl.DataFrame(lines).sample(fraction=1.0, shuffle=True, seed=1)

    def losses(self, **choice):
        return self.frame

    def records(self, **choice):
        return (
            self.frame.select("method")
            .unique()
            .with_columns(cost=pl.lit('{"rhat": 1.5, "ess": 3.0}'))
        )


def test_losses_are_put_where_they_belong(made_up, monkeypatch):
    task = declared("random-5")
    monkeypatch.setattr(tasks, "get", lambda name: task)
    result = fold_losses(task.name, ["m"], "A", Source(task))["m"]
    np.testing.assert_array_equal(result.left_out, task.places + 100.0)
    np.testing.assert_array_equal(result.full, task.places)
    judged = expected(task.name, "mae", ["m"], source=Source(task), replicates=50)
    line = judged.table().row(0, named=True)
    by_hand = densities.bias_corrected(
        result.by_fold, result.full, result.fold, QUESTIONS["mae"].summary
    )
    assert judged.shortfalls() == {"m": "R-hat 1.5, effective size 3"}
    assert line["expected"] == pytest.approx(111.5)
    assert line["training"] == pytest.approx(11.5)
    assert line["corrected"] == pytest.approx(by_hand.corrected, abs=1e-6)
    with pytest.raises(FaultyInput, match="no run of instance 2"):
        fold_losses(task.name, ["m"], "A", Source(task, missing=(2,)))
    with pytest.raises(BenchbookError, match="ask one of rmse"):
        expected(task.name, "roc", ["m"], source=Source(task))


@pytest.mark.parametrize(
    ("scheme", "weighting", "units"),
    [
        ("random-5", "weights per case, 24", 24),
        ("grouped-3", "weights per group, 6", 6),
        ("blocks-4-2", "weights per block of time, 4", 4),
    ],
)
def test_what_was_left_out_together_is_weighted_together(
    made_up, monkeypatch, scheme, weighting, units
):
    task = declared(scheme)
    monkeypatch.setattr(tasks, "get", lambda name: task)
    judged = expected(task.name, "mae", ["m"], source=Source(task), replicates=300)
    left_out = fold_losses(task.name, ["m"], "A", Source(task))["m"].left_out
    own = densities.bayesian_bootstrap(left_out, replicates=300, groups=task.groups())
    assert judged.weighting == weighting
    assert judged.distributions["m"].cross_validated.interval() == pytest.approx(own.interval())
    if task.groups() is not None:
        assert len(set(task.groups())) == units
        by_case = densities.bayesian_bootstrap(left_out, replicates=300)
        assert own.sd > 1.1 * by_case.sd


def test_they_are_not_taken_for_replications():
    from benchbook.assess.anova.squares import check_scheme

    with pytest.raises(FaultyInput, match="benchbook assess cv"):
        check_scheme("folds")
