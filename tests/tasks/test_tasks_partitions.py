"""Partitions by name: the six orders, the stand-ins, and what is refused."""

import numpy as np
import pytest

from benchbook import datasets, tasks
from benchbook.errors import FaultyInput, MissingData, UnknownName
from benchbook.methods import proben1
from benchbook.tasks import partitions

PARTS = ("training", "validation", "test")


@pytest.fixture
def values():
    """The cases of a stand-in in the order of its file."""
    return datasets.load("sklearn-wine1").cases.to_numpy()


def test_the_class_is_the_one_that_networks_are_trained_on():
    assert proben1.Partition is tasks.Partition


def test_there_is_a_name_for_every_permutation():
    names = tasks.partition_names()
    assert len(names) == 60
    assert {"cancer1", "mushroom3", "sklearn-digits2"} <= set(names)
    assert names.index("thyroid3") < names.index("sklearn-cancer1")


@pytest.mark.parametrize("letter", "abcdef")
def test_every_order_deals_out_the_whole_file(values, letter):
    result = tasks.partition("sklearn-wine1" if letter == "a" else f"sklearn-wine1{letter}")
    blocks = [np.hstack(getattr(result, part)) for part in tasks.ORDERS[letter]]
    assert np.array_equal(np.vstack(blocks), values)
    assert [len(getattr(result, part).inputs) for part in PARTS] == [89, 45, 44]
    assert result.classification
    assert result.name == ("sklearn-wine1" if letter == "a" else f"sklearn-wine1{letter}")


def test_orders_are_the_six_there_are():
    assert len(set(tasks.ORDERS.values())) == 6
    assert all(set(order) == set(PARTS) for order in tasks.ORDERS.values())
    assert tasks.ORDERS["e"] == ("test", "validation", "training")


def test_a_partition_has_several_names():
    first = tasks.partition("sklearn-iris2c")
    assert tasks.partition("sklearn-iris2/partition/c") is first
    assert tasks.partition("sklearn-iris2a") is tasks.partition("sklearn-iris2")


def test_cases_of_a_partition_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        tasks.partition("sklearn-iris2").training.inputs[0, 0] = 2.0


def test_a_real_target_is_no_classification():
    result = tasks.partition("sklearn-diabetes3")
    assert not result.classification
    assert result.outputs == 1


@pytest.mark.parametrize(
    "name", ["cancer", "cancer4", "cancer1g", "cancer1c/partition/a", "cancer1/partition/z", ""]
)
def test_other_names_are_refused(name):
    with pytest.raises(UnknownName):
        tasks.partition(name)


def test_data_that_is_not_at_hand_is_named_with_a_stand_in(monkeypatch):
    monkeypatch.setattr(datasets, "at_hand", lambda name: False)
    with pytest.raises(MissingData, match=r"proben1-glass2.*sklearn"):
        tasks.partition("glass2b")


def test_published_files_are_cut_as_the_report_says(real_data):
    real_data("proben1-glass1")
    standard, other = tasks.partition("glass1"), tasks.partition("glass1d")
    assert [len(getattr(standard, part).inputs) for part in PARTS] == [107, 54, 53]
    file = datasets.load("proben1-glass1").cases.to_numpy()
    assert np.array_equal(other.validation.inputs, file[:54, :9])
    assert np.array_equal(other.training.inputs, file[-107:, :9])


@pytest.mark.parametrize(
    ("problem", "classification"),
    [
        ("cancer", True),
        ("gene", True),
        ("flare", False),
        ("building", False),
        ("hearta", False),
        ("mushroom", True),
    ],
)
def test_published_problems_are_told_apart(problem, classification):
    from benchbook.tasks.partitions import is_classification

    assert is_classification(datasets.card(f"proben1-{problem}2")) is classification


def test_a_class_without_training_cases_is_named(rng):
    inputs = rng.normal(size=(8, 2))
    targets = np.eye(3)[[0, 0, 2, 2, 1, 0, 1, 2]]
    result = tasks.Partition.cut("small", inputs, targets, (4, 2, 2), classification=True)
    assert result.absent_classes == (1,)


def test_faulty_cases_are_told_together(rng):
    inputs, targets = rng.normal(size=(8, 2)), rng.normal(size=(8, 1))
    inputs[0, 1], targets[7, 0] = np.nan, np.inf
    with pytest.raises(
        FaultyInput, match=r"(?s)training inputs, case 1, column 2.*test targets, case 2"
    ):
        tasks.Partition.cut("small", inputs, targets, (4, 2, 2), classification=False)


def test_a_problem_has_eighteen_partitions_and_all_of_a_stand_in_are_at_hand():
    names = partitions.all_orders("sklearn-iris")
    assert len(set(names)) == 18
    assert names[:2] == ["sklearn-iris1", "sklearn-iris1b"]
    assert partitions.at_hand(names) == names


def test_partitions_at_hand_are_those_whose_data_is(monkeypatch):
    monkeypatch.setattr(datasets, "at_hand", lambda name: name.startswith("sklearn"))
    assert partitions.at_hand(["glass1", "sklearn-wine2c"]) == ["sklearn-wine2c"]
    with pytest.raises(UnknownName, match="glass7"):
        partitions.at_hand(["glass7"])


def test_permutations_are_the_published_ones_or_the_stand_ins(monkeypatch):
    monkeypatch.setattr(datasets, "at_hand", lambda name: name != "proben1-cancer2")
    assert partitions.permutations("cancer") == (
        "sklearn-cancer1",
        "sklearn-cancer2",
        "sklearn-cancer3",
    )
    monkeypatch.setattr(datasets, "at_hand", lambda name: True)
    assert partitions.permutations("cancer") == ("cancer1", "cancer2", "cancer3")
