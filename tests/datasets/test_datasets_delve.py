"""DELVE's own files: cases, specifications, whole folders, plain and packed."""

import gzip
import zipfile
from dataclasses import replace

import pytest
from refusals import refused

from benchbook import datasets
from benchbook.comparison.files import of_file
from benchbook.datasets import (
    format_dataset_spec,
    format_prototask_spec,
    read_dataset_spec,
    read_prototask_spec,
)
from benchbook.datasets.readers import stacked
from benchbook.datasets.user.tables import read_table
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.seeds import generator
from benchbook.tasks.user.proposal import propose
from benchbook.tasks.user.request import TableRequest

SPEC = """\
# A small dataset.
Title: Four fish
origin: natural
usage: development
order: uninformative
attributes:
  1  sex     binary   male female      # of the fish
  2  water   ordinal  0..2             # depth class
  3  weight  real     [0,Inf)          # in kg
  4  rings   integer  1..29
"""
DATA = """\
# four fish
male 0 1.5 3   @ pond-1
female 2 \\
   0.25 12     # caught late
male ? 2e-1 7 @ pond-2 # small

female 1 .5 29
"""
TASK = """\
cases: all
origin: natural
inputs: 3 1
targets: 4
order: retain
maximum-number-of-instances: 2
test-set-size: 2
training-set-sizes: 1 2
test-set-selection: common
"""


def faults_of(function, *arguments):
    with pytest.raises(FaultyInput) as caught:
        function(*arguments)
    return [str(fault) for fault in caught.value.faults]


def told(faults, *words):
    return any(all(word in fault for word in words) for fault in faults)


@pytest.fixture
def fish(tmp_path):
    folder = tmp_path / "fish"
    (folder / "age").mkdir(parents=True)
    (folder / "Dataset.spec").write_text(SPEC)
    (folder / "Dataset.data").write_text(DATA)
    (folder / "age" / "Prototask.spec").write_text(TASK)
    (folder / "age" / "Prototask.data").write_text(
        "1.5 male 3\n0.25 female 12\n0.2 male 7\n.5 female 29\n"
    )
    return folder


def test_a_folder_becomes_a_dataset(fish):
    data = datasets.read_delve(fish)
    assert (data.name, data.card.title, data.card.usage) == ("fish", "Four fish", "development")
    assert data.cases["weight"].to_list() == [1.5, 0.25, 0.2, 0.5]
    assert data.cases["water"].to_list() == ["0", "2", None, "1"]
    assert data.card.missing == {"water": 1}
    assert [attribute.range for attribute in data.attributes][1] == ("0", "1", "2")


def test_packed_folders_give_the_same_dataset(fish):
    plain = datasets.read_delve(fish)
    with zipfile.ZipFile(fish / "Dataset.spec.zip", "w") as archive:
        archive.writestr("Dataset.spec", SPEC)
    (fish / "Dataset.spec").unlink()
    (fish / "Dataset.data").unlink()
    (fish / "Dataset.data.gz").write_bytes(gzip.compress(DATA.encode()))
    assert datasets.read_delve(fish).digest == plain.digest


def test_damaged_and_old_packings_are_told(fish):
    (fish / "Dataset.data").unlink()
    (fish / "Dataset.data.gz").write_bytes(gzip.compress(DATA.encode() * 40)[:-20])
    refused(FaultyInput, r"Dataset\.data\.gz cannot be unpacked", datasets.read_delve, fish)
    (fish / "Dataset.data.gz").rename(fish / "Dataset.data.zip")
    refused(FaultyInput, r"Dataset\.data\.zip cannot be unpacked", datasets.read_delve, fish)
    (fish / "Dataset.data.zip").unlink()
    refused(BenchbookError, "there is no file", datasets.read_delve, fish)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "usage: development",
            "usage: development\ncolour: red",
            ("line 5", "unknown key 'colour'"),
        ),
        ("order: uninformative\n", "", ("no key 'order'",)),
        ("order: uninformative", "order:", ("nothing after 'order'",)),
        ("origin: natural", "origin: found", ("origin", "'found'", "simulated")),
        ("usage: development", "usage: development\nusage: historical", ("line 5", "again")),
        ("usage: development", "usage development", ("line 4", "key: value")),
        ("  3  weight", "  2  weight", ("number 2 2 times",)),
        ("  4  rings", "  5  rings", ("no attribute 4", "without a gap")),
        ("4  rings", "4  weight", ("name 'weight' 2 times",)),
        ("real     [0,Inf)", "colour   [0,Inf)", ("line 9", "weight", "the nature must be one of")),
        ("real     [0,Inf)", "real     0..9", ("line 9", "weight", "a range such as [0,1]")),
        ("real     [0,Inf)", "real     [0,Inf", ("line 9", "weight", "not an interval")),
        ("male female ", "male female other ", ("line 7", "sex", "exactly two values")),
        ("integer  1..29", "", ("line 10", "number name nature range")),
        (SPEC.partition("attributes:")[2], "\n", ("attributes", "none")),
    ],
)
def test_faults_of_a_dataset_spec(old, new, words):
    assert old in SPEC
    assert told(
        faults_of(read_dataset_spec, SPEC.replace(old, new).encode(), "Dataset.spec"),
        "Dataset.spec",
        *words,
    )


def test_a_dataset_spec_survives_being_written():
    spec = read_dataset_spec(SPEC.encode(), "a")
    assert read_dataset_spec(format_dataset_spec(spec).encode(), "b") == spec


@pytest.mark.parametrize(
    "name", ["kin-32nm-sim", "boston", "adult", "uci-soybean", "proben1-heart2"]
)
def test_every_card_can_be_written_as_a_spec(name):
    card = datasets.card(name)
    spec = datasets.DatasetSpec(
        card.title, card.origin, card.usage, "uninformative", card.attributes
    )
    again = read_dataset_spec(format_dataset_spec(spec).encode(), "b")
    assert [(a.name, a.nature, a.range) for a in again.attributes] == [
        (a.name, a.nature, a.range) for a in card.attributes
    ]


def test_a_name_with_a_blank_cannot_be_written():
    attribute = datasets.Attribute(1, "two words", "binary", ("a#", "b"))
    with pytest.raises(FaultyInput, match="two words"):
        format_dataset_spec(datasets.DatasetSpec("", "natural", "development", "x", (attribute,)))


def test_a_prototask_is_read_with_its_cases(fish):
    spec, cases = datasets.read_prototask(fish / "age")
    assert (spec.inputs, spec.targets, spec.training_set_sizes) == ((3, 1), (4,), (1, 2))
    assert cases.columns == ["weight", "sex", "rings"]
    assert cases["rings"].to_list() == [3, 12, 7, 29]


@pytest.mark.parametrize("word", ["?", "nan", "inf"])
def test_a_missing_or_infinite_target_is_refused(fish, word):
    (fish / "age" / "Prototask.data").write_text(f"1.5 male 3\n0.25 female {word}\n")
    assert told(faults_of(datasets.read_prototask, fish / "age"), "line 2, rings")


def test_missing_inputs_are_refused_when_the_prototask_says_there_are_none(fish):
    (fish / "age" / "Prototask.data").write_text("1.5 ? 3\n")
    assert datasets.read_prototask(fish / "age")[1]["sex"].null_count() == 1
    (fish / "age" / "Prototask.spec").write_text(TASK.replace("cases: all", "cases: no missing"))
    assert told(faults_of(datasets.read_prototask, fish / "age"), "line 1, sex", "missing")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("cases: all", "case: all", ("unknown key 'case'",)),
        ("cases: all\n", "", ("no key 'cases'",)),
        ("inputs: 3 1", "inputs: 3 5", ("inputs", "'5'", "attributes 1 to 4")),
        ("inputs: 3 1", "inputs: 3 3", ("inputs", "again")),
        ("inputs: 3 1", "inputs: 3 4", ("targets", "an input too")),
        ("inputs: 3 1", "inputs: weight colour", ("inputs", "'colour'")),
        ("test-set-size: 2", "test-set-size: 0", ("test-set-size", "above zero")),
        ("test-set-size: 2", "test-set-size: 2 3", ("test-set-size", "one whole number")),
        ("sizes: 1 2", "sizes: 1 x", ("training-set-sizes", "above zero")),
        ("sizes: 1 2", "sizes: 2 2", ("training-set-sizes", "once")),
        ("common", "random", ("test-set-selection", "hierarchical, common")),
    ],
)
def test_faults_of_a_prototask_spec(old, new, words):
    attributes = read_dataset_spec(SPEC.encode(), "a").attributes
    assert old in TASK
    faults = faults_of(
        read_prototask_spec, TASK.replace(old, new).encode(), "Prototask.spec", attributes
    )
    assert told(faults, "Prototask.spec", *words)


def test_a_prototask_spec_survives_being_written_and_understands_names():
    attributes = read_dataset_spec(SPEC.encode(), "a").attributes
    spec = read_prototask_spec(TASK.encode(), "a", attributes)
    assert read_prototask_spec(format_prototask_spec(spec).encode(), "b", attributes) == spec
    named = TASK.replace("3 1", "weight sex").replace("targets: 4", "targets: rings")
    assert read_prototask_spec(named.encode(), "c", attributes) == spec


def test_cases_with_one_commonality_index_are_a_group(fish):
    data = datasets.read_delve(fish)
    assert data.card.layout["group"] == "commonality"
    assert data.cases["commonality"].to_list() == [0, 1, 2, 3]
    (fish / "Dataset.data").write_text(DATA.replace("pond-2", "pond-1"))
    assert datasets.read_delve(fish).cases["commonality"].to_list() == [0, 1, 0, 2]
    (fish / "Dataset.data").write_text(DATA.replace("@ pond-1", "").replace("@ pond-2", "@"))
    plain = datasets.read_delve(fish)
    assert "commonality" not in plain.cases.columns
    assert "group" not in plain.card.layout
    (fish / "age" / "Prototask.data").write_text("1.5 male 3 @ 7\n0.25 female 12\n0.2 male 7 @ 7\n")
    assert datasets.read_prototask(fish / "age")[1]["commonality"].to_list() == [0, 1, 0]


def test_an_attribute_that_is_called_commonality_keeps_its_name(fish):
    (fish / "Dataset.spec").write_text(SPEC.replace("rings", "commonality"))
    data = datasets.read_delve(fish)
    assert data.card.layout["group"] == "commonality-index"
    assert data.cases["commonality"].to_list() == [3, 12, 7, 29]


def test_a_card_that_has_no_place_for_groups_refuses_them():
    card = replace(datasets.card("kin-8nm"), layout={})
    line = " ".join(["0"] * len(card.attributes))
    faults = faults_of(stacked.read, card, [(f"{line} @ 1\n".encode(), "Dataset.data")])
    assert told(faults, "commonality indices (@)", "no place")


@pytest.mark.parametrize("seed", range(4))
def test_what_belongs_together_is_never_on_both_sides_of_a_split(tmp_path, seed):
    """In the tasks that are proposed for the folder and in the folds; asking for another split is refused."""
    rng = generator(seed, "commonality")
    owner = rng.integers(0, int(rng.integers(60, 140)), 300)
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "Dataset.spec").write_text(
        "origin: natural\nusage: assessment\norder: uninformative\nattributes:\n"
        " 1 a real (-Inf,Inf)\n 2 when integer 0..99\n 3 y real (-Inf,Inf)\n"
    )
    lines = [
        f"{rng.random()} {rng.integers(0, 99)} {rng.random()}{f' @ {who}' * bool(who % 9)}"
        for who in owner
    ]
    (folder / "Dataset.data").write_text("\n".join(lines) + "\n")
    table = read_table(folder)
    proposal = propose(table, TableRequest(target="y"))
    assert [one["group"] for one in proposal.prototasks] == [["commonality"], ["commonality"]]
    assert proposal.inputs == ("a", "when")
    assert "stay together" in " ".join(proposal.notes)
    for asked in ({"time": "when"}, {"group": "a"}):
        faults = faults_of(propose, table, TableRequest(target="y", **asked))
        assert told(faults, f"--{next(iter(asked))}", "--drop commonality")
    dropped = propose(table, TableRequest(target="y", drop=("commonality",)))
    assert not any("group" in one for one in dropped.prototasks)
    assert of_file(folder, "y").groups == "commonality"
    assert of_file(folder, "y", drop=["commonality"]).groups == ""
    for asked in ({"time": "when"}, {"random": True}, {"groups": "a"}):
        faults = faults_of(lambda given=asked: of_file(folder, "y", **given))
        assert told(faults, "--drop commonality")
