"""The registry: every card is complete, and a faulty registry says what is wrong."""

import hashlib
import json
import re
from pathlib import Path

import pytest
from printed import held
from refusals import refused
from registries import read_registry

from benchbook import datasets
from benchbook.datasets.types import ORIGINS, USAGES
from benchbook.errors import BenchbookError, FaultyInput, UnknownName

ALL = datasets.available()

MINIMAL = """
[groups.common]
citation = "c"
notes = ["from the group"]

[datasets.small]
like = "common"
title = "t"
origin = "natural"
usage = "development"
family = "small"
description = "d"
licence = "none"
shape = [2, 3]
targets = ["y"]
reader = "table"
notes = ["its own"]
attributes = [
  ["x*2", "real", "[0,1]", "input #", "m"],
  ["y", "integer", "0..9", "output", ""],
]
"""


def test_there_is_a_card_for_everything():
    published = {
        "kin-8fh",
        "kin-8nm",
        "pumadyn-8fh",
        "pumadyn-8fm",
        "pumadyn-8nh",
        "pumadyn-32nm",
        "bank-32nh",
        "boston",
        "titanic",
        "comp-activ",
        "comp-activ-cpu",
        "abalone",
        "adult",
        "letter",
        "image-seg",
        "census-house",
        "robotarm",
        "concrete",
        "shootout-building",
    }
    simulated = {
        f"{family}-{inputs}{linear}{noise}-sim"
        for family in ("kin", "pumadyn", "bank")
        for inputs in (8, 32)
        for linear in "fn"
        for noise in "mh"
    }
    problems = (
        "building",
        "cancer",
        "card",
        "diabetes",
        "flare",
        "gene",
        "glass",
        "heart",
        "hearta",
        "heartac",
        "heartc",
        "horse",
        "mushroom",
        "soybean",
        "thyroid",
    )
    proben1 = {f"proben1-{problem}{number}" for problem in problems for number in (1, 2, 3)}
    assert published | simulated | proben1 <= set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_a_card_says_what_a_reader_needs(name):
    card = datasets.card(name)
    assert card.origin in ORIGINS
    assert card.usage in USAGES
    assert card.usage_from in ("DELVE", "benchbook")
    for text in (
        card.title,
        card.description,
        card.citation,
        card.licence,
        card.source,
        card.row_order,
    ):
        assert len(text) > 5
    assert len(card.attributes) == card.shape.attributes
    assert [attribute.index for attribute in card.attributes] == list(
        range(1, card.shape.attributes + 1)
    )
    assert all(attribute.comment for attribute in card.attributes)
    assert set(card.targets) <= {attribute.name for attribute in card.attributes}
    if name != "uci-horse":  # its file has further facts after the outcome
        assert card.attributes[-1].name in card.targets
    assert bool(card.files) is not (card.simulated_here or card.bundled)
    for file in card.files:
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert re.fullmatch(
            r"https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/.+", file.address
        )
        assert file.bytes > 1000
    if card.partition:
        assert sum(card.partition) == card.shape.cases
    assert json.loads(json.dumps(card.describe()))["name"] == name


@pytest.mark.parametrize("name", [name for name in ALL if name.endswith("-sim")])
def test_a_re_created_set_says_so_and_what_was_fitted(name):
    notes = " ".join(datasets.card(name).notes)
    assert "Re-created by us" in notes
    extrapolated = "-32" in name and name not in ("kin-32fm-sim", "bank-32nh-sim")
    assert ("Fitted by us" in notes) is (not extrapolated or "kin" not in name)
    assert ("Extrapolated by us" in notes) is extrapolated


@pytest.mark.parametrize(
    ("name", "word"), [("pumadyn-32nh", "Not high noise"), ("pumadyn-32nm", "Rescaled")]
)
def test_known_traps_are_on_the_card(name, word):
    assert any(word in note for note in datasets.card(name).notes)


def test_an_unknown_dataset_is_answered_with_the_nearest_names():
    refused(UnknownName, "kin-8nm", datasets.load, "kin8nm")
    refused(UnknownName, "boston", datasets.at_hand, "bosten")


def test_an_attribute_that_is_not_there_is_answered_with_those_that_are():
    card = datasets.card("titanic")
    assert card["sex"].range == ("male", "female")
    with pytest.raises(BenchbookError, match="class, age, sex, survived"):
        card["fare"]


def test_groups_are_taken_over_and_names_repeated(tmp_path):
    path = tmp_path / "registry.toml"
    path.write_text(MINIMAL)
    card = read_registry(path)["small"]
    assert card.notes == ("from the group", "its own")
    assert [(attribute.name, attribute.comment) for attribute in card.attributes] == [
        ("x1", "input 1"),
        ("x2", "input 2"),
        ("y", "output"),
    ]
    path.write_text(MINIMAL + '[datasets.second]\nlike = "small"\nrow_order = "Drawn again."\n')
    second = read_registry(path)["second"]
    assert (second.attributes, second.notes, second.row_order) == (
        card.attributes,
        card.notes,
        "Drawn again.",
    )
    path.write_text(MINIMAL + '[datasets.second]\nlike = "second"\n')
    refused(BenchbookError, r"no \[groups.second\]", read_registry, path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('origin = "natural"', 'origin = "found"', "origin: found 'found'"),
        ('usage = "development"', 'use = "development"', "no key 'usage'"),
        ('usage = "development"', 'usage = "development"\ncolour = "red"', "key 'colour'"),
        ("[2, 3]", "[2, 4]", "its shape says 4"),
        ('["y"]', '["z"]', "target 'z'"),
        ('"0..9"', '"[0,9]"', "a range such as 0..15"),
        ('"0..9"', '"0.."', "attribute y"),
        ('like = "common"', 'like = "nobody"', r"\[groups.nobody\]"),
        ('title = "t"', "title = t", "cannot be read as TOML"),
    ],
)
def test_a_faulty_registry_is_refused(tmp_path, old, new, said):
    path = tmp_path / "registry.toml"
    assert old in MINIMAL
    path.write_text(MINIMAL.replace(old, new))
    refused(BenchbookError, said, read_registry, path)


def test_all_faults_of_a_registry_are_told_at_once(tmp_path):
    path = tmp_path / "registry.toml"
    path.write_text(MINIMAL.replace('"natural"', '"found"').replace('"development"', '"play"'))
    with pytest.raises(FaultyInput) as caught:
        read_registry(path)
    assert len(caught.value.faults) == 2


def test_what_every_card_says_is_held():
    """The first letters of a digest stand for all attributes, texts and files of a card."""
    lines = []
    for name in datasets.published():
        card = datasets.card(name).describe()
        whole = hashlib.sha256(json.dumps(card, default=str, sort_keys=True).encode()).hexdigest()
        fields = [
            f"{key} {card[key]}" for key in ("origin", "family", "cases", "targets", "partition")
        ]
        lines.append(f"{name}: {'; '.join(fields)}; {card['attributes'][0]}; {whole[:8]}\n")
    held(Path(__file__).with_name("cards.txt"), "cards", "".join(lines))
