"""The declared tasks on the data themselves: re-created families always, published sets when at hand."""

import numpy as np
import polars as pl
import pytest

from benchbook import datasets, tasks
from benchbook.predictive import Categorical, Gaussian

# Instances by size, test cases of the first size, number of columns, classes; counted by hand from the declarations.
SETS = {
    "abalone/age": ({64: 8, 128: 8, 256: 8, 512: 4, 1024: 2}, 256, 10, 0),
    "boston/price": ({32: 8, 64: 4, 128: 2}, 250, 13, 0),
    "titanic/survived": ({20: 8, 40: 8, 80: 8, 160: 8}, 921, 6, 2),
    "comp-activ/cpuSmall": ({64: 8, 128: 8, 256: 8, 512: 8, 1024: 4}, 512, 12, 0),
    "comp-activ-cpu/cpu": ({64: 8, 128: 8, 256: 8, 512: 8, 1024: 4}, 512, 21, 0),
    "adult/income": ({128: 8, 256: 8, 512: 8, 1024: 8, 2048: 8}, 2048, 103, 2),
    "letter/letter": ({256: 8, 512: 8, 1024: 8}, 1024, 16, 26),
    "image-seg/class": ({32: 8, 64: 8, 128: 8}, 1286, 19, 7),
    "census-house/price-8L": ({64: 8, 128: 8, 256: 8, 512: 8, 1024: 8}, 1024, 8, 0),
    "uci-yacht/disjoint": ({32: 8, 64: 4}, 52, 6, 0),
    "uci-boston/disjoint": ({32: 8, 64: 4}, 250, 13, 0),
    "uci-energy/disjoint": ({64: 8, 128: 4}, 256, 8, 0),
    "uci-concrete/disjoint": ({64: 8, 128: 4}, 518, 8, 0),
    "uci-wine/disjoint": ({64: 8, 128: 8, 256: 4}, 575, 11, 0),
    "uci-kin8nm/disjoint": ({64: 8, 128: 8, 256: 8, 512: 8}, 512, 8, 0),
    "uci-naval/disjoint": ({64: 8, 128: 8, 256: 8, 512: 8}, 512, 16, 0),
    "uci-power/disjoint": ({64: 8, 128: 8, 256: 8, 512: 8}, 512, 4, 0),
    "uci-protein/disjoint": ({64: 8, 128: 8, 256: 8, 512: 8}, 512, 9, 0),
}
FAMILIES = [
    "kin-8fh/dist",
    "kin-8fm/dist",
    "kin-8nh/dist",
    "kin-8nm/dist",
    "pumadyn-8fh/accel",
    "pumadyn-8fm/accel",
    "pumadyn-8nh/accel",
    "pumadyn-8nm/accel",
    "bank-8fh/rej",
    "bank-8fm/rej",
    "bank-8nh/rej",
    "bank-8nm/rej",
    "pumadyn-32nh/accel",
    "pumadyn-32nm/accel",
    "bank-32nh/rej",
]
CHALLENGES = [path for path in tasks.prototasks() if tasks.prototask(path).phases]
SPLIT = [
    path for path in tasks.prototasks() if tasks.prototask(path).splits
]  # tested in test_tasks_splits.py
FOLDED = [path for path in tasks.prototasks() if tasks.prototask(path).folds]
SIMULATED = [
    path for path in tasks.prototasks() if "-sim/" in path and path not in {*CHALLENGES, *FOLDED}
]
SIZES = {64: 8, 128: 8, 256: 8, 512: 8, 1024: 4}


def whole(instance) -> None:
    """What holds for every instance there is."""
    assert np.isfinite(instance.train_inputs).all()
    assert np.isfinite(instance.test_inputs).all()
    assert len(instance.train_inputs) == len(instance.train_targets)
    assert len(instance.test_inputs) == len(instance.case_ids)
    assert len(instance.digest) == 64


def test_declared_prototasks_are_all_tested_here():
    assert set(tasks.prototasks()) == {*SETS, *FAMILIES, *SIMULATED, *CHALLENGES, *FOLDED, *SPLIT}
    assert len(SIMULATED) == 24


def test_every_declaration_is_sound_without_data():
    for name in tasks.available():
        task = tasks.get(name)
        assert task.instances >= 2 or task.prototask.phases
        assert task.prototask.target == datasets.card(task.prototask.dataset).targets[0]


@pytest.mark.parametrize("path", SIMULATED)
def test_simulated_families(path):
    assert {
        tasks.get(name).size: tasks.get(name).instances for name in tasks.available(path)
    } == SIZES
    instance = tasks.instance(f"{path}/std.1024", 3)
    whole(instance)
    assert len(instance.case_ids) == 1024
    assert instance.case_ids[0] == 3 * 1024
    data = datasets.load(path.split("/")[0]).cases
    y = data[data.columns[-1]].to_numpy()
    np.testing.assert_array_equal(tasks.Scorer(f"{path}/std.1024", 3).targets, y[3072:4096])


def test_kin_8nm_training_cases_by_slicing(real_data):
    """std.128#3 from the columns alone: cases 4480 to 4607, after the pool of 4096; tested on 1536 to 2047."""
    real_data("kin-8nm")
    instance = tasks.instance("kin-8nm/dist/std.128", 3)
    raw = datasets.load("kin-8nm").cases.to_numpy()
    train, test = raw[4096 + 3 * 128 : 4096 + 4 * 128], raw[3 * 512 : 4 * 512]
    median = np.sort(train, axis=0)[[63, 64]].mean(axis=0)
    spread = np.abs(train - median).sum(axis=0) / 127
    np.testing.assert_allclose(
        instance.train_inputs, ((train - median) / spread)[:, :8], rtol=1e-13, atol=1e-15
    )
    np.testing.assert_allclose(
        instance.train_targets, ((train - median) / spread)[:, 8], rtol=1e-13, atol=1e-15
    )
    np.testing.assert_allclose(
        instance.test_inputs, ((test - median) / spread)[:, :8], rtol=1e-13, atol=1e-15
    )
    assert instance.case_ids.tolist() == list(range(1536, 2048))
    np.testing.assert_array_equal(tasks.Scorer("kin-8nm/dist/std.128", 3).targets, test[:, 8])
    constant = tasks.standard("kin-8nm/dist/std.128", "S")
    assert constant == pytest.approx(raw[:4096, 8].var(ddof=1), rel=1e-12)


@pytest.mark.parametrize("path", FAMILIES)
def test_published_families(real_data, path):
    real_data(path.split("/")[0])
    assert {
        tasks.get(name).size: tasks.get(name).instances for name in tasks.available(path)
    } == SIZES
    whole(tasks.instance(f"{path}/std.64", 7))
    assignment = tasks.assignment(f"{path}/std.1024")
    assert assignment["role"].value_counts().sort("role").rows() == [
        ("test", 4096),
        ("train", 4096),
    ]


@pytest.mark.parametrize("path", sorted(SETS))
def test_natural_sets(real_data, path):
    real_data(path.split("/")[0])
    sizes, tested, columns, classes = SETS[path]
    assert {
        tasks.get(name).size: tasks.get(name).split().instances for name in tasks.available(path)
    } == sizes
    for size, count in sizes.items():
        whole(tasks.instance(f"{path}/std.{size}", count - 1))
    instance = tasks.instance(f"{path}/std.{min(sizes)}", 0)
    assert instance.train_inputs.shape == (min(sizes), columns)
    assert (len(instance.case_ids), len(instance.classes)) == (tested, classes)
    for code in tasks.Scorer(instance.task, 0).default_codes:
        assert np.isfinite(tasks.standard(instance.task, code))


def test_boston_is_in_delves_own_order(real_data):
    real_data("boston")
    real_data("boston-price")
    order = tasks.get("boston/price/std.32").cases.order
    assert datasets.load("boston").cases[order].equals(datasets.load("boston-price").cases)


def test_a_training_set_without_some_letters_still_knows_them(real_data):
    real_data("letter")
    instance = tasks.instance("letter/letter/std.256", 0)
    assert len(set(tasks.Scorer(instance.task, 0).targets)) == 26
    assert "".join(instance.classes) == "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def test_titanic_is_shuffled(real_data):
    """The published cases are sorted, and the first 921 are no fair sample; those of the task are."""
    real_data("titanic")
    raw = datasets.load("titanic").cases
    share = raw["survived"].eq("yes").mean()
    yes = tasks.instance("titanic/survived/std.20", 0).classes.index("yes")
    assert abs((tasks.all_test_targets("titanic/survived/std.20") == yes).mean() - share) < 0.05
    assert abs(raw["survived"][:921].eq("yes").mean() - share) > 0.05


def test_adult_keeps_cases_with_missing_values(real_data):
    real_data("adult")
    task = tasks.get("adult/income/std.128")
    assert len(task.cases.dropped) == 0
    instance = task.instance(0)
    groups = dict(instance.input_groups)
    holes = datasets.load("adult").cases["workclass"].is_null().to_numpy()[instance.case_ids]
    assert 50 < holes.sum() < 400
    assert not instance.test_inputs[holes, groups["workclass"]].any()
    np.testing.assert_array_equal(instance.test_inputs[~holes, groups["workclass"]].sum(axis=1), 1)


def test_a_base_line_has_standardised_loss_about_one(real_data):
    """The best constant guess, made from training cases alone, costs about the standardising constant."""
    real_data("abalone")
    name, ratios = "abalone/age/std.256", []
    for instance in tasks.instances(name):
        guess = Gaussian(
            np.full(len(instance.case_ids), instance.train_targets.mean()),
            np.full(len(instance.case_ids), instance.train_targets.var()),
        )
        result = tasks.Scorer(name, instance.number).losses(instance.decode(guess))
        ratios.append(result["S"].mean() / tasks.standard(name, "S"))
    assert 0.8 < np.mean(ratios) < 1.25
    assert len(ratios) == 8


def test_a_class_base_line(real_data):
    real_data("titanic")
    name = "titanic/survived/std.160"
    instance = tasks.instance(name, 0)
    shares = np.bincount(instance.train_targets, minlength=2) / 160
    result = tasks.Scorer(name, 0).losses(instance.decode(Categorical(np.tile(shares, (921, 1)))))
    assert result["Z"].mean() == pytest.approx(tasks.standard(name, "Z"), abs=1e-12)
    assert result["Q"].mean() == pytest.approx(tasks.standard(name, "Q"), abs=0.02)


def test_assignment_covers_the_dataset(real_data):
    real_data("census-house")
    frame = tasks.assignment("census-house/price-8L/std.64")
    counts = dict(frame.group_by("role").len().rows())
    assert counts == {"test": 8192, "train": 512, "unused": 22784 - 8192 - 512}
    assert (
        frame.filter(pl.col("role") == "test")["instance"].value_counts()["count"].to_list()
        == [1024] * 8
    )
