"""Simulated cases are drawn once, kept on disk, and drawn again when anything that decides them has changed."""

import json
import subprocess
import sys

import numpy as np
import pytest

from benchbook import datasets
from benchbook.datasets import families
from benchbook.datasets.families import kept
from benchbook.seeds import generator

NAME = "kin-8nm-sim"
KIN = families.find(NAME)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "_folder", lambda: tmp_path / "simulated")
    return tmp_path / "simulated"


@pytest.fixture
def counted():
    """A draw, and how often it was made."""

    class Counted:
        times = 0

        def __call__(self):
            self.times += 1
            return np.array([[0.1, 2.0], [-0.0, 1e-300]])

    return Counted()


def test_what_was_drawn_is_read_to_the_last_bit(folder, counted):
    first, second = (kept.kept(KIN, NAME, "x", counted) for _ in range(2))
    assert counted.times == 1
    assert first.tobytes() == second.tobytes() == counted().tobytes()


def test_each_dataset_and_each_purpose_has_its_own(folder, counted):
    for name, what in ((NAME, "x"), (NAME, "y"), ("kin-8nh-sim", "x")):
        kept.kept(KIN, name, what, counted)
    assert counted.times == len(list(folder.iterdir())) == 3


def test_a_change_of_the_code_draws_again_in_place_of_the_old(folder, counted, monkeypatch):
    kept.kept(KIN, NAME, "x", counted)
    monkeypatch.setattr(kept, "digest", lambda *given: "other")
    kept.kept(KIN, NAME, "x", counted)
    assert counted.times == 2
    assert len(list(folder.iterdir())) == 1


def test_a_damaged_file_is_noticed_and_replaced(folder, counted):
    whole = kept.kept(KIN, NAME, "x", counted)
    [path] = folder.iterdir()
    content = bytearray(path.read_bytes())
    for index in (5, len(content) // 2, len(content) - 1):
        damaged = content.copy()
        damaged[index] ^= 16
        path.write_bytes(damaged)
        assert kept.kept(KIN, NAME, "x", counted).tobytes() == whole.tobytes()
    assert counted.times == 4
    assert path.read_bytes() == content


def test_where_nothing_can_be_written_it_is_drawn_each_time(folder, counted):
    folder.write_text("a file where a folder should be")
    for _ in range(2):
        kept.kept(KIN, NAME, "x", counted)
    assert counted.times == 2


def test_a_dataset_is_what_its_law_makes_of_its_seed(folder):
    for _ in range(2):
        drawn = datasets.simulate(NAME, datasets.card(NAME).shape.cases, generator(KIN.seed, NAME))
        assert datasets.load(NAME).cases.equals(drawn.cases)


def test_bands_are_the_same_when_they_are_read(folder):
    first, second = (datasets.bands(NAME, 500) for _ in range(2))
    assert first == second
    assert len(list(folder.iterdir())) == 1


RECORD = """
import json, sys
from pathlib import Path
import benchbook
from benchbook.datasets import families
from benchbook.seeds import generator
from benchbook.datasets.families import kept

root = str(Path(benchbook.__file__).parent)
names = {}
for name in families.available():
    names.setdefault(families.find(name).name, name)
outside = {}
for name in names.values():
    family, seen = families.find(name), set()
    sys.setprofile(lambda frame, event, argument: seen.add(frame.f_code.co_filename))
    family.cases(name, 20, generator(1, name))
    sys.setprofile(None)
    modules = [family.draw.__module__, "benchbook.datasets.families.kept"]
    inside = {str(path) for path in kept.closure(modules, ("benchbook.predictive",))}
    packages = {path for path in seen if path.endswith("__init__.py")}  # on the way to what is imported
    outside[name] = sorted(path for path in seen - packages if path.startswith(root) and path not in inside)
print(json.dumps(outside))
"""


def test_no_code_takes_part_in_drawing_that_is_not_in_the_digest():
    """Else a change of that code would go unnoticed."""
    process = subprocess.run(
        [sys.executable, "-c", RECORD], capture_output=True, text=True, check=True
    )
    outside = json.loads(process.stdout)
    assert {"kin-32fh-sim", "bank-32fh-sim", "gaze-again-sim"} <= set(outside)
    assert {name: paths for name, paths in outside.items() if paths} == {}
