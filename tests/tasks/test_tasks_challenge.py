"""Challenges: three parts, three tasks of one instance, and what each of them sees."""

import numpy as np
import pytest
from refusals import refused

from benchbook import assess, datasets, studies, tasks
from benchbook.archive.frames import Block, long_frame
from benchbook.errors import BenchbookError, FaultyInput, UnknownName
from benchbook.predictive import Categorical, Gaussian, Point
from benchbook.tasks import registry as task_registry
from benchbook.tasks.registry import read

STAGES = ("validation", "test", "test-before")
REAL = {  # all cases of the dataset, columns of the inputs, classes
    "concrete": (1030, 8, 0),
    "boston": (506, 13, 0),
    "abalone": (4177, 10, 0),
    "kin-8nm": (8192, 8, 0),
    "uci-cancer": (699, 9, 2),
    "uci-diabetes": (768, 8, 2),
    "uci-card": (690, 43, 2),
    "adult": (17500, 103, 2),
}
TABLE = """
[[prototask]]
name = "race"
dataset = "line"
kind = "real"
phases = { training = 12, validation = 5, test = 10 }
ours = ["phases"]
"""


@pytest.fixture
def race(world, tmp_path):
    """The line of the other tests with a challenge on it: cases 0 to 11, 12 to 16, 17 to 26; three are left over."""
    declarations = tmp_path / "prototasks.toml"
    declarations.write_text(declarations.read_text() + TABLE)
    world(datasets.load("line"))


def test_who_sees_what(race):
    expected = {
        "validation": (range(12), range(12, 17)),
        "test": (range(17), range(17, 27)),
        "test-before": (range(12), range(17, 27)),
    }
    for stage, (train, test) in expected.items():
        task = tasks.get(f"line/race/{stage}")
        instance = task.instance(0)
        assert (task.name, task.size, task.instances) == (f"line/race/{stage}", len(train), 1)
        assert [part.tolist() for part in (task.split().train[0], instance.case_ids)] == [
            list(train),
            list(test),
        ]
        assert task.test_targets(0).tolist() == [2 * case for case in test]
        assert (
            np.median(instance.train_inputs) == 0
        )  # encoded by the training cases of this task alone
        assert instance.decode(Point(np.zeros(len(test)))).mean() == pytest.approx(
            2 * np.median(train)
        )
        refused(BenchbookError, "it has 1, numbered 0 to 0", task.instance, 1)
    assert {part: cases.tolist() for part, cases in task.places().items()} == {
        "training": list(range(12)),
        "validation": list(range(12, 17)),
        "test": list(range(17, 27)),
    }
    assert len({tasks.instance(f"line/race/{stage}", 0).digest for stage in STAGES}) == 3


def test_names_and_patterns(race):
    names = tuple(f"line/race/{stage}" for stage in STAGES)
    assert tasks.available("line/race") == names
    assert set(tasks.available("line")) > set(names)
    assert tasks.available("*/test*") == names[1:]
    plan = studies.Plan(name="x", seed=1, methods=["base-1"], tasks=["line/race"])
    assert [run.task for run in plan.runs()] == list(names)
    refused(UnknownName, "line/race/test", tasks.get, "line/race/std.12")
    refused(BenchbookError, "is a challenge", tasks.Task, tasks.prototask("line/race"), 12)
    with pytest.raises(
        BenchbookError, match="has no stage 'tset'; it has validation, test, test-before"
    ):
        tasks.ChallengeTask.at(tasks.prototask("line/race"), "tset")
    with pytest.raises(BenchbookError, match="has no phases"):
        tasks.ChallengeTask.at(tasks.prototask("line/double"), "test")


def test_the_description_and_the_roles(race):
    facts = tasks.get("line/race/test").describe()
    assert (
        facts["trained_on"],
        facts["asked_for"],
        facts["training_cases"],
        facts["cases_asked_for"],
    ) == ("training and validation", "test", 17, 10)
    roles = tasks.assignment("line/race/validation")["role"].to_list()
    assert roles == ["train"] * 12 + ["test"] * 5 + ["unused"] * 13


def test_the_losses_are_those_of_distributions(race):
    scorer = tasks.Scorer("line/race/test", 0)
    result = scorer.losses(Gaussian(scorer.targets, np.ones(10)))
    assert list(result) == ["S", "A", "NLPD", "CRPS", "IS90", "PB05", "PB50", "PB95"]
    assert "NLPD" not in scorer.losses(Point(scorer.targets))
    assert tasks.ranking_loss("line/race/test") == "NLPD"
    assert tasks.ranking_loss("line/double/std.3") == "S"


def test_more_cases_than_there_are(race, tmp_path):
    path = tmp_path / "prototasks.toml"
    path.write_text(path.read_text().replace("test = 10 }", "test = 14 }"))
    for cached in (task_registry.declared, task_registry._task, tasks.prototask):
        cached.cache_clear()
    with pytest.raises(BenchbookError, match="line/race needs 31 cases, and line gives 30"):
        tasks.instance("line/race/test", 0)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("test = 10", "tets = 10", "'tets': 10"),
        ("test = 10", 'test = "10"', "a table of whole numbers"),
        ('ours = ["phases"]', "test-set-size = 3", "key 'test-set-size'"),
    ],
)
def test_wrong_declarations(tmp_path, old, new, said):
    path = tmp_path / "prototasks.toml"
    path.write_text(TABLE.replace(old, new))
    refused(FaultyInput, said, read, path)


def test_a_part_that_is_left_out(race, tmp_path):
    path = tmp_path / "prototasks.toml"
    path.write_text(path.read_text().replace(", test = 10 }", " }"))
    for cached in (task_registry.declared, tasks.prototask):
        cached.cache_clear()
    with pytest.raises(
        FaultyInput, match=r"phases: found .*training, validation, test, each at least 1"
    ):
        tasks.prototask("line/race")


def test_one_instance_gives_means_and_says_what_it_cannot_give(race):
    blocks = [
        Block(method, "line/race/test", 0, "d", "NLPD", np.arange(10), np.arange(10.0) + shift)
        for method, shift in (("one", 0.0), ("other", 1.0))
    ]
    long = long_frame(blocks)
    expected = assess.expected_losses(long, {"line/race/test": "common"}, tasks.standard)
    assert expected["mean"].to_list() == [4.5, 5.5]
    assert (
        expected["standard_error"].null_count() == expected["standardised_mean"].null_count() == 2
    )
    assert expected["reason"].str.contains("one task instance").all()


@pytest.mark.parametrize("dataset", REAL)
def test_declared_challenges_on_real_data(real_data, dataset):
    real_data(dataset)
    cases, columns, classes = REAL[dataset]
    task = tasks.get(f"{dataset}/challenge/test")
    places = task.places()
    assert len(np.unique(np.concatenate(list(places.values())))) == cases
    instance = task.instance(0)
    assert instance.train_inputs.shape == (
        len(places["training"]) + len(places["validation"]),
        columns,
    )
    assert (instance.kind, len(instance.classes)) == ("class" if classes else "real", classes)
    scorer = tasks.Scorer(task.name, 0)
    if classes:
        result = scorer.losses(Categorical(np.full((len(scorer.targets), 2), 0.5)))
        assert list(result) == ["01L", "NLP10", "BRIER"]
        assert result["01L"].mean() == np.mean(scorer.targets == 0)  # a tie says the positive class
    else:
        assert np.isfinite(instance.train_targets).all()


def test_the_classes_of_the_note_are_the_positive_ones():
    positive = {"uci-cancer": "4", "uci-diabetes": "1", "uci-card": "-", "adult": ">50K"}
    for dataset, name in positive.items():
        prototask = tasks.prototask(f"{dataset}/challenge")
        assert datasets.card(dataset)[prototask.target].range[1] == name
        assert name in prototask.note
