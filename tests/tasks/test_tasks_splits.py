"""Random partitions that overlap, as published: their counts and their cases."""

import numpy as np
import pytest

from benchbook import datasets, tasks
from benchbook.errors import BenchbookError

# Cases, training cases and splits of the nine sets, as their provenance lists them.
NINE = {
    "boston": (506, 455, 20),
    "concrete": (1030, 927, 20),
    "energy": (768, 691, 20),
    "kin8nm": (8192, 7373, 20),
    "naval": (11934, 10741, 20),
    "power": (9568, 8611, 20),
    "protein": (45730, 41157, 5),
    "wine": (1599, 1439, 20),
    "yacht": (308, 277, 20),
}


def test_the_nine_have_one_task_of_splits_each():
    assert set(tasks.available("uci-*/splits/*")) == {
        f"uci-{name}/splits/holdout-{splits}" for name, (_, _, splits) in NINE.items()
    }


@pytest.mark.parametrize("name", sorted(NINE))
def test_a_task_of_splits_can_be_described_without_its_data(name):
    cases, train, splits = NINE[name]
    task = tasks.get(f"uci-{name}/splits/holdout-{splits}")
    facts = task.describe()
    assert task.instances == facts["instances"] == splits
    assert (facts["training_cases"], facts["test_cases_per_instance"]) == (train, cases - train)
    assert task.test_to_train == (cases - train) / train
    assert tasks.default_losses(task.name) == ("S", "A", "NLPD")


def test_every_split_deals_all_cases_out_and_follows_the_published_recipe(real_data):
    real_data("uci-yacht")
    split = tasks.get("uci-yacht/splits/holdout-20").split()
    rng = np.random.RandomState(1)
    for train, test in zip(split.train, split.test, strict=True):
        drawn = rng.choice(308, 308, replace=False)
        assert set(train) == set(drawn[:277])
        assert set(test) == set(drawn[277:])


def test_training_sets_share_four_fifths_of_the_data(real_data):
    real_data("uci-boston")
    split = tasks.get("uci-boston/splits/holdout-20").split()
    shared = [
        len(np.intersect1d(split.train[i], split.train[j])) / 506
        for i in range(20)
        for j in range(i)
    ]
    assert np.mean(shared) == pytest.approx(0.9**2, abs=0.005)


def test_an_instance_holds_the_cases_of_its_split(real_data):
    real_data("uci-energy")
    task = tasks.get("uci-energy/splits/holdout-20")
    instance, split = task.instance(7), task.split()
    assert instance.case_ids.tolist() == split.test[7].tolist()
    targets = datasets.load("uci-energy").cases["heating-load"].to_numpy()
    np.testing.assert_array_equal(task.test_targets(7), targets[split.test[7]])
    assert len(instance.train_targets) == 691


def test_a_task_of_sizes_is_refused():
    with pytest.raises(BenchbookError, match="uci-yacht/splits/holdout-20"):
        tasks.Task(tasks.prototask("uci-yacht/splits"), 1)
    with pytest.raises(BenchbookError, match="no splits"):
        tasks.SplitsTask(tasks.prototask("uci-yacht/disjoint"), 32)
