"""Prototasks and tasks by name, and the file that declares them."""

import subprocess
import sys
from pathlib import Path

import pytest
from printed import held
from refusals import refused

from benchbook import datasets, tasks
from benchbook.errors import BenchbookError, FaultyInput, UnknownName
from benchbook.tasks.registry import _meant, read

GOOD = """
[[prototask]]
name = "age"
dataset = ["one", "two"]
kind = "real"
test-set-size = 10
test-set-selection = "common"
training-set-sizes = [5]
maximum-instances = 2
"""


def test_names(world):
    assert tasks.prototasks() == ("line/double", "line/shared", "people/height", "people/verdict")
    assert tasks.available() == (
        "line/double/std.3",
        "line/double/std.6",
        "line/double/std.12",
        "line/shared/std.5",
        "people/height/std.7",
        "people/height/std.9",
        "people/verdict/std.7",
    )


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("line/double/std.3", 1),
        ("*", 7),
        ("line/*", 4),
        ("*/std.7", 2),
        ("line/double", 3),
        ("*/double", 3),
        ("people", 3),
        ("people/height/std.[79]", 2),
    ],
)
def test_patterns(world, pattern, count):
    assert len(tasks.available(pattern)) == count


def test_pattern_that_matches_nothing(world):
    with pytest.raises(UnknownName, match=r"unknown task 'line/duble/\*'.*Nearest: line/double"):
        tasks.available("line/duble/*")


def test_task_and_its_name(world):
    task = tasks.get("line/double/std.6")
    assert (task.name, task.size, task.instances, task.prototask.path) == (
        "line/double/std.6",
        6,
        3,
        "line/double",
    )
    assert task.prototask.inputs == ("x",)
    assert task.prototask.provenance("order") == "ours"
    assert task.prototask.provenance("test-set-size") == "DELVE"


def test_inputs_are_by_default_what_is_no_target(world):
    assert tasks.prototask("people/verdict").inputs == (
        "direction",
        "sex",
        "colour",
        "size",
        "siblings",
        "income",
    )
    assert tasks.prototask("people/height").target == "height"


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("flag*", ["flag 1", "flag 2"]),
        ("flag 1", ["flag 1"]),
        ("q?", ["q?"]),
        ("gone", ["gone"]),
        ("g*ne", ["g*ne"]),
    ],
)
def test_a_pattern_stands_for_the_attributes_it_fits_and_a_name_for_itself(pattern, names):
    assert _meant(pattern, ["flag 1", "flag 2", "q?", "q1"]) == names


HEAVY = ["numba", "sklearn", "scipy.special", "tqdm"]


def test_importing_the_room_loads_nothing_heavy():
    code = f"import sys, benchbook.tasks; print([name for name in {HEAVY} if name in sys.modules])"
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout.strip() == "[]"


def test_size_that_is_not_declared(world):
    with pytest.raises(
        BenchbookError, match="line/double has no training-set size 4; it has 3, 6, 12"
    ):
        tasks.Task(tasks.prototask("line/double"), 4)


def test_encoding_that_is_not_declared(world):
    with pytest.raises(BenchbookError, match="encoding 'raw' is unknown"):
        tasks.Task(tasks.prototask("line/double"), 3, "raw")


@pytest.mark.parametrize(
    "name", ["line/double", "line/double/std.4", "kin", "", "line/double/std.3#1"]
)
def test_unknown_tasks(world, name):
    refused(UnknownName, "unknown task", tasks.get, name)


def test_unknown_prototask(world):
    refused(UnknownName, "Nearest: people/height", tasks.prototask, "people/heigth")


def test_description(world):
    facts = tasks.get("line/shared/std.5").describe()
    assert facts["test_cases_per_instance"] == 10
    assert facts["training_cases"] == 5
    assert facts["digest_of_instance_0"] == tasks.instance("line/shared/std.5", 0).digest
    assert [row["attribute"] for row in facts["encoding"]] == ["x", "y"]


def test_description_without_the_data(world, monkeypatch):
    monkeypatch.setattr(datasets, "at_hand", lambda name: False)
    facts = tasks.get("people/verdict/std.7").describe()
    assert "encoding" not in facts
    assert facts["instances"] == 4  # counted from the card, as if no case were dropped


def test_one_table_for_several_datasets(tmp_path):
    (tmp_path / "p.toml").write_text(GOOD)
    assert list(read(tmp_path / "p.toml")) == ["one/age", "two/age"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("kind =", "sort =", "found no key 'kind'; it is required"),
        ("kind =", "sort =", "found key 'sort'; one of dataset"),
        ('"common"', "3", "test-set-selection: found 3; one of"),
        ("[5]", '["5"]', "training-set-sizes[0]: found '5'; a list of whole numbers"),
        ('["one", "two"]', '["one", "one"]', "one/age again"),
        ("[[prototask]]", '[[prototask]]\nours = ["sizes"]', "ours: found 'sizes'"),
        ("[[prototask]]", "[[prototask]]\nours = 5", "ours: found 5; a list of keys"),
        ("[[prototask]]", "[prototask]", "found [prototask]"),
        ("[[prototask]]", "[[task]]", "found [task]; only [[prototask]] tables"),
    ],
)
def test_faulty_declarations(tmp_path, old, new, said):
    (tmp_path / "p.toml").write_text(GOOD.replace(old, new))
    with pytest.raises(FaultyInput) as caught:
        read(tmp_path / "p.toml")
    assert said in str(caught.value)
    text = str(caught.value).replace(str(tmp_path), "HERE")
    held(
        Path(__file__).with_name("declarations.txt"),
        f"{new} for {old}".replace("\n", " / "),
        f"{text}\n",
    )


@pytest.mark.parametrize("text", ["[[prototask", None])
def test_file_that_cannot_be_read(tmp_path, text):
    if text is not None:
        (tmp_path / "p.toml").write_text(text)
    refused(BenchbookError, r"file of prototasks \S*p.toml", read, tmp_path / "p.toml")
