"""Faulty cards and prototasks: each is refused by name with its faults, and nothing else suffers."""

import logging

import pytest
from registries import read_registry

from benchbook import datasets, tasks
from benchbook.datasets import registry
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.tasks import registry as task_registry
from benchbook.tasks.cases import cases_of

SHA = "0123456789abcdef" * 4
CARD = f"""\
title = "Thirty cases"
origin = "natural"
usage = "development"
family = "made-up"
description = "Made up."
citation = "Nobody, 2026."
licence = "None."
shape = [30, 3]
targets = ["y"]
reader = "table"
layout = {{ separator = ",", skip = 1 }}
files = [["cases.csv", "{SHA}", 10, "https://example.org/cases.csv"]]
missing = {{ x1 = 2 }}
attributes = [
  ["x*2", "real", "[0,1]", "input #", "m"],
  ["y", "integer", "0..9", "output"],
]
"""
PROTOTASK = """\
dataset = "small"
name = "age"
kind = "real"
test-set-size = 10
test-set-selection = "common"
training-set-sizes = [5, 10]
maximum-instances = 2
encodings = { x1 = "copy" }
"""
FINE = f"[datasets.fine]\n{CARD}\n"
FINE_TASK = "[[prototask]]\n" + PROTOTASK.replace('"small"', '"fine"')
SIZES = PROTOTASK[PROTOTASK.index("test-set-size") :]
SHOW, SHOW_TASK = "datasets show small", "tasks show small/age/std.5"
TOY1, STANDIN1 = "datasets show proben1-toy1", "datasets show sklearn-toy1"
TOY = """\
title = "A toy"
description = "Made up."
partition = [5, 3, 2]
inputs = [["a*2", "real", "[0,1]", "input"]]
outputs = [["c*2", "integer", "0..1", "class"]]
"""
PROBEN1 = f"""
[proben1]
origin = "natural"
usage = "historical"
citation = "Nobody, 2026."
licence = "None."
root = "https://example.org"
reader = "proben1"
order = "At random."
notes = ["A note."]
[proben1.problems.toy]
{TOY}
folder = "toy"
bytes = 10
sums = ["{SHA}", "{SHA}", "{SHA}"]
"""
STANDINS = f"""
[standins]
origin = "natural"
usage = "development"
licence = "None."
reader = "scikit-learn"
order = "At random."
[standins.problems.toy]
{TOY}
source = "scikit-learn"
citation = "Nobody, 2026."
loader = "wine"
"""


def files(cards: str, prototasks: str = "") -> dict[str, object]:
    return {"registry.toml": FINE + cards, "prototasks.toml": FINE_TASK + prototasks}


def card(old: str, new: str) -> dict[str, object]:
    assert old in CARD
    return files(f"[datasets.small]\n{CARD.replace(old, new, 1)}")


def attribute(line: str) -> dict[str, object]:
    return card('["x*2", "real", "[0,1]", "input #", "m"]', line)


def prototask(old: str, new: str) -> dict[str, object]:
    assert old in PROTOTASK
    return files(f"[datasets.small]\n{CARD}", f"[[prototask]]\n{PROTOTASK.replace(old, new, 1)}")


def proben1(old: str, new: str) -> dict[str, object]:
    assert old in PROBEN1
    return files(PROBEN1.replace(old, new, 1))


def standin(old: str, new: str) -> dict[str, object]:
    assert old in STANDINS
    return files(STANDINS.replace(old, new, 1))


CARDS = [
    (
        "no title",
        card('title = "Thirty cases"\n', ""),
        SHOW,
        ("dataset small", "no key 'title'; it is required"),
    ),
    (
        "a title that is a number",
        card('"Thirty cases"', "30"),
        SHOW,
        "title: found 30; a text, not empty",
    ),
    ("an empty title", card('"Thirty cases"', '" "'), SHOW, "title: found ' '; a text, not empty"),
    (
        "a zero byte in a title",
        card("Thirty", "Thirty\\u0000"),
        SHOW,
        "title: found 'Thirty\\x00 cases'",
    ),
    (
        "an unknown origin",
        card('"natural"', '"nature"'),
        SHOW,
        "origin: found 'nature'; one of natural",
    ),
    (
        "an origin that is a list",
        card('"natural"', '["natural"]'),
        SHOW,
        "origin: found ['natural']; one of natural",
    ),
    (
        "an unknown usage",
        card('"development"', '"play"'),
        SHOW,
        "usage: found 'play'; one of development",
    ),
    ("an unknown reader", card('"table"', '"excel"'), SHOW, "reader: found 'excel'; one of arff"),
    (
        "a description that is a table",
        card('"Made up."', "{ a = 1 }"),
        SHOW,
        "description: found {'a': 1}; a text",
    ),
    (
        "an unknown key",
        card("title", "heading = 1\ntitle"),
        SHOW,
        "found key 'heading'; one of title",
    ),
    (
        "a shape of one number",
        card("[30, 3]", "[30]"),
        SHOW,
        "shape: found [30]; two whole numbers",
    ),
    ("a shape that is no list", card("[30, 3]", "30"), SHOW, "shape: found 30; two whole numbers"),
    (
        "a shape with a text",
        card("[30, 3]", '["30", 3]'),
        SHOW,
        "shape[0]: found '30'; two whole numbers",
    ),
    (
        "a negative shape",
        card("[30, 3]", "[-30, 3]"),
        SHOW,
        "shape[0]: found -30; two whole numbers of at least 1",
    ),
    (
        "a shape that is a truth",
        card("[30, 3]", "[true, 3]"),
        SHOW,
        "shape[0]: found True; two whole numbers",
    ),
    (
        "a shape with another number of attributes",
        card("[30, 3]", "[30, 4]"),
        SHOW,
        "its shape says 4",
    ),
    (
        "a shape of 400 digits",
        card("[30, 3]", f"[{10**400}, 3]"),
        SHOW,
        "a whole number beyond 64 bits",
    ),
    (
        "no targets",
        card('["y"]', "[]"),
        SHOW,
        "targets: found []; a list of attributes, at least one",
    ),
    (
        "targets that are a text",
        card('["y"]', '"y"'),
        SHOW,
        "targets: found 'y'; a list of attributes",
    ),
    (
        "a target that is a list",
        card('["y"]', '[["y"]]'),
        SHOW,
        "targets[0]: found ['y']; a list of attributes",
    ),
    (
        "a target that is no attribute",
        card('["y"]', '["z"]'),
        SHOW,
        "found target 'z'; targets are attributes",
    ),
    (
        "no attributes",
        card("attributes", "columns"),
        SHOW,
        ("no key 'attributes'", "key 'columns'"),
    ),
    (
        "attributes that are a number",
        files(f"[datasets.small]\n{CARD.partition('attributes')[0]}attributes = 3"),
        SHOW,
        "attributes: found 3; a line [name, nature, range, meaning, unit]",
    ),
    (
        "an attribute that is a text",
        attribute('"x real [0,1]"'),
        SHOW,
        "attributes[0]: found 'x real [0,1]'; a line",
    ),
    (
        "an attribute of two words",
        attribute('["x", "real"]'),
        SHOW,
        "attributes[0]: found ['x', 'real']; a line",
    ),
    (
        "an attribute of six words",
        attribute('["x", "real", "[0,1]", "", "", ""]'),
        SHOW,
        "attributes[0]: found",
    ),
    (
        "an attribute without a name",
        attribute('["", "real", "[0,1]"]'),
        SHOW,
        "attributes[0]: found ['', 'real'",
    ),
    (
        "an attribute whose name is a number",
        attribute('[1, "real", "[0,1]"]'),
        SHOW,
        "attributes[0]: found [1, 'real'",
    ),
    (
        "a name for 99,999,999 attributes",
        attribute('["a*99999999", "real", "[0,1]"]'),
        SHOW,
        "all lines for at most 10000 attributes",
    ),
    (
        "names for 10,001 attributes",
        attribute('["a*10000", "real", "[0,1]"]'),
        SHOW,
        "for at most 10000 attributes",
    ),
    (
        "a name for 5000 digits of attributes",
        attribute(f'["a*{"9" * 5000}", "real", "[0,1]"]'),
        SHOW,
        "at most 10000",
    ),
    (
        "a name for less than none",
        attribute('["a*-3", "real", "[0,1]"]'),
        SHOW,
        "attributes[0]: found ['a*-3'",
    ),
    (
        "a name for a word of attributes",
        attribute('["a*b", "real", "[0,1]"]'),
        SHOW,
        "attributes[0]: found ['a*b'",
    ),
    (
        "a name with a blank",
        attribute('["a b", "real", "[0,1]"]'),
        SHOW,
        "attributes[0]: found ['a b'",
    ),
    (
        "two attributes of one name",
        attribute('["y", "real", "[0,1]"], ["x", "real", "[0,1]"]'),
        SHOW,
        "attribute 'y' 2 times; names are different",
    ),
    (
        "an unknown nature",
        attribute('["x*2", "rael", "[0,1]"]'),
        SHOW,
        "the nature must be one of angular",
    ),
    (
        "a nature that is a list",
        attribute('["x*2", ["real"], "[0,1]"]'),
        SHOW,
        "attributes[0]: found",
    ),
    (
        "a range that is a number",
        attribute('["x*2", "real", 5]'),
        SHOW,
        "attributes[0]: found ['x*2', 'real', 5]",
    ),
    ("a range of one value", attribute('["x*2", "nominal", ["a"]]'), SHOW, "attributes[0]: found"),
    (
        "a range of equal values",
        attribute('["x*2", "nominal", ["a", "a"]]'),
        SHOW,
        "a list of different words",
    ),
    (
        "a range of numbers",
        attribute('["x*2", "nominal", [1, 2]]'),
        SHOW,
        "a list of different words",
    ),
    (
        "a range of lists",
        attribute('["x*2", "nominal", [["a"], ["b"]]]'),
        SHOW,
        "a list of different words",
    ),
    (
        "a range in the wrong order",
        attribute('["x*2", "real", "[1,0]"]'),
        SHOW,
        "its lower limit is above its upper",
    ),
    (
        "a range without an end",
        attribute('["x*2", "real", "[0,"]'),
        SHOW,
        "'[0,' is not an interval",
    ),
    (
        "a range of words",
        attribute('["x*2", "real", "[low,high]"]'),
        SHOW,
        "a limit that is not a number: 'low'",
    ),
    (
        "a range of nan",
        attribute('["x*2", "real", "[nan,1]"]'),
        SHOW,
        "a limit that is not a number: 'nan'",
    ),
    (
        "three values of a binary",
        attribute('["x*2", "binary", "a b c"]'),
        SHOW,
        "exactly two values",
    ),
    (
        "ten million values of a nominal",
        attribute('["x*2", "nominal", "1..9999999"]'),
        SHOW,
        "has a list of values",
    ),
    (
        "a meaning that is a number",
        attribute('["x*2", "real", "[0,1]", 3]'),
        SHOW,
        "attributes[0]: found",
    ),
    (
        "files that are a text",
        card(f'[["cases.csv", "{SHA}", 10, "https://example.org/cases.csv"]]', '"cases.csv"'),
        SHOW,
        "files: found 'cases.csv'",
    ),
    (
        "a file of three words",
        card(', "https://example.org/cases.csv"', ""),
        SHOW,
        "files[0]: found ['cases.csv'",
    ),
    ("a file without a sum", card(SHA, "none"), SHOW, "SHA-256 in 64 hexadecimal digits"),
    ("a file of a negative size", card("10, ", "-10, "), SHOW, "files[0]: found ['cases.csv'"),
    (
        "a layout that is a text",
        card('{ separator = ",", skip = 1 }', '","'),
        SHOW,
        "layout: found ','; a table",
    ),
    (
        "an unknown key of a layout",
        card("skip", "skipp"),
        SHOW,
        "layout: found {'separator': ',', 'skipp': 1}",
    ),
    (
        "a separator that is a number",
        card('separator = ","', "separator = 3"),
        SHOW,
        "separator: one letter",
    ),
    ("lines to skip in words", card("skip = 1", 'skip = "one"'), SHOW, "skip: a whole number"),
    (
        "missing values that are a list",
        card("{ x1 = 2 }", "[2]"),
        SHOW,
        "missing: found [2]; a table of counts",
    ),
    ("missing values of no attribute", card("x1", "x3"), SHOW, "missing: found 'x3'; an attribute"),
    (
        "notes that are a text",
        card("title", 'notes = "n"\ntitle'),
        SHOW,
        "notes: found 'n'; a list of texts",
    ),
    (
        "notes that are numbers",
        card("title", "notes = [1]\ntitle"),
        SHOW,
        "notes[0]: found 1; a list of texts",
    ),
    (
        "a partition of two parts",
        card("title", "partition = [15, 15]\ntitle"),
        SHOW,
        "partition: found [15, 15]",
    ),
    (
        "a partition of more than all",
        card("title", "partition = [20, 10, 10]\ntitle"),
        SHOW,
        "a partition of 40 cases; its shape says 30",
    ),
    (
        "like nobody",
        card("title", 'like = "nobody"\ntitle'),
        SHOW,
        "no [groups.nobody] or [datasets.nobody]",
    ),
    ("like itself", card("title", 'like = "small"\ntitle'), SHOW, "like 'small'; there is no"),
    (
        "like a number",
        card("title", "like = 3\ntitle"),
        SHOW,
        "like: found 3; a name, or a list of names",
    ),
    (
        "like lists",
        card("title", 'like = [["fine"]]\ntitle'),
        SHOW,
        "like: found [['fine']]; a name",
    ),
    (
        "like two that are like each other",
        files(
            "[groups.a]\nlike = 'b'\n[groups.b]\nlike = 'a'\n[datasets.small]\nlike = 'a'\n" + CARD
        ),
        SHOW,
        "like 'a'",
    ),
    (
        "like a group that is like 3000 others",
        files(
            "".join(f"[groups.g{k}]\nlike = 'g{k + 1}'\n" for k in range(3000))
            + "[groups.g3000]\n[datasets.small]\nlike = 'g0'\n"
            + CARD
        ),
        SHOW,
        "50 others",
    ),
    (
        "like a group that is no table",
        files("[groups]\na = 1\n[datasets.small]\nlike = 'a'\n" + CARD),
        SHOW,
        "a table",
    ),
    (
        "a card that is a number",
        files("[datasets]\nsmall = 1"),
        SHOW,
        "dataset small: found 1; a table",
    ),
    ("a card that is a list", files("[[datasets.small]]\n" + CARD), SHOW, "a table"),
    (
        "a name with a blank",
        files(f'[datasets."a b"]\n{CARD}'),
        "datasets show 'a b'",
        "the name 'a b'; letters",
    ),
    (
        "an empty name",
        files(f'[datasets.""]\n{CARD}'),
        "datasets show ''",
        "the name ''; letters, digits",
    ),
]

PROBLEMS = [
    (
        "a problem that is a number",
        files(PROBEN1.partition("[proben1.problems")[0] + "[proben1.problems]\ntoy = 1"),
        TOY1,
        "[proben1.problems.toy]: found 1; a table",
    ),
    (
        "a problem without a folder",
        proben1('folder = "toy"\n', ""),
        "datasets show proben1-toy2",
        "no key 'folder'",
    ),
    ("a problem with two sums", proben1(f', "{SHA}", "{SHA}"', f', "{SHA}"'), TOY1, "three SHA"),
    (
        "a problem with a partition of texts",
        proben1("[5, 3, 2]", '["5", 3, 2]'),
        "datasets show proben1-toy3",
        "partition[0]: found '5'",
    ),
    (
        "a problem without outputs",
        proben1('outputs = [["c*2", "integer", "0..1", "class"]]', "outputs = []"),
        TOY1,
        "outputs: found []",
    ),
    ("a problem with inputs for 99,999,999", proben1("a*2", "a*99999999"), TOY1, "at most 10000"),
    ("a problem with an unknown key", proben1("bytes", "size = 1\nbytes"), TOY1, "key 'size'"),
    (
        "two orders of a problem",
        proben1("bytes", 'orders = ["a", "b"]\nbytes'),
        TOY1,
        "three texts",
    ),
    (
        "problems without an address",
        proben1('root = "https://example.org"\n', ""),
        TOY1,
        "[proben1]: found no key 'root'",
    ),
    ("problems with notes that are a number", proben1('["A note."]', "3"), TOY1, "notes: found 3"),
    ("problems of an unknown origin", proben1('"natural"', '"x"'), TOY1, "origin: found 'x'"),
    (
        "a stand-in with an unknown loader",
        standin('"wine"', '"files"'),
        STANDIN1,
        "one of breast_cancer",
    ),
    ("a stand-in without inputs", standin("inputs", "input"), STANDIN1, "no key 'inputs'"),
    (
        "a stand-in that is a text",
        files(STANDINS.partition("[standins.problems")[0] + "[standins.problems]\ntoy = ''"),
        "datasets show sklearn-toy3",
        "[standins.problems.toy]: found ''; a table",
    ),
    (
        "stand-ins without an order",
        standin('order = "At random."\n', ""),
        STANDIN1,
        "no key 'order'",
    ),
]

PROTOTASKS = [
    (
        "a negative size of the test set",
        prototask("test-set-size = 10", "test-set-size = -10"),
        SHOW_TASK,
        ("prototask small/age", "test-set-size: found -10; a whole number of at least 1"),
    ),
    (
        "a size of the test set that is a truth",
        prototask("test-set-size = 10", "test-set-size = true"),
        SHOW_TASK,
        "test-set-size: found True",
    ),
    (
        "a training set of none",
        prototask("[5, 10]", "[0]"),
        "tasks show small/age/std.0",
        "training-set-sizes[0]: found 0",
    ),
    (
        "a negative training set",
        prototask("[5, 10]", "[5, -10]"),
        SHOW_TASK,
        "training-set-sizes[1]: found -10",
    ),
    ("no training sets", prototask("[5, 10]", "[]"), SHOW_TASK, "training-set-sizes: found []"),
    (
        "a training set larger than the data",
        prototask("[5, 10]", "[5, 1000]"),
        SHOW_TASK,
        "is larger than its data",
    ),
    (
        "a test set larger than the data",
        prototask("test-set-size = 10", "test-set-size = 99"),
        SHOW_TASK,
        "is larger than its data",
    ),
    (
        "more instances than test cases",
        prototask(
            SIZES,
            "test-set-size = 1\ntest-set-selection = 'hierarchical'\n"
            "training-set-sizes = [5]\nmaximum-instances = 2",
        ),
        SHOW_TASK,
        "cannot share a test pool",
    ),
    (
        "an unknown kind",
        prototask('"real"', '"reel"'),
        SHOW_TASK,
        "kind: found 'reel'; one of real, class",
    ),
    (
        "a kind that is a list",
        prototask('"real"', '["real"]'),
        SHOW_TASK,
        "kind: found ['real']; one of real, class",
    ),
    (
        "an unknown selection",
        prototask('"common"', '"folds"'),
        SHOW_TASK,
        "found 'folds'; one of hierarchical",
    ),
    (
        "a negative number of instances",
        prototask("instances = 2", "instances = -2"),
        SHOW_TASK,
        "found -2",
    ),
    (
        "instances for a size in words",
        prototask("instances = 2", "instances = { five = 2 }"),
        SHOW_TASK,
        "found {'five': 2}",
    ),
    (
        "instances for one of two sizes",
        prototask("instances = 2", "instances = { 5 = 2 }"),
        SHOW_TASK,
        "no entry for [10]",
    ),
    (
        "a name with a slash",
        prototask('"age"', '"a/b"'),
        "tasks show small/a/b/std.5",
        "name: found 'a/b'",
    ),
    ("no dataset", prototask('dataset = "small"\n', ""), SHOW_TASK, "unknown task"),
    (
        "an unknown dataset",
        prototask('"small"', '"smal"'),
        "tasks show smal/age/std.5",
        "unknown dataset 'smal'",
    ),
    ("datasets that are numbers", prototask('"small"', "[1]"), SHOW_TASK, "unknown task"),
    (
        "the same path twice",
        prototask('"small"', '["small", "small"]'),
        SHOW_TASK,
        "small/age again; each",
    ),
    (
        "an unknown key",
        prototask("kind", "sort = 1\nkind"),
        SHOW_TASK,
        "found key 'sort'; one of dataset",
    ),
    (
        "a target that is an input",
        prototask("kind", 'target = "y"\ninputs = ["x1", "y"]\nkind'),
        SHOW_TASK,
        "the target is not among the inputs",
    ),
    (
        "an input twice",
        prototask("kind", 'inputs = ["x1", "x1"]\nkind'),
        SHOW_TASK,
        "each input once",
    ),
    ("no inputs", prototask("kind", "inputs = []\nkind"), SHOW_TASK, "inputs: found []"),
    (
        "an encoding of nothing",
        prototask("x1 =", "z ="),
        SHOW_TASK,
        "only inputs and the target are encoded",
    ),
    (
        "an encoding that is a number",
        prototask('"copy"', "3"),
        SHOW_TASK,
        "encodings: found {'x1': 3}",
    ),
    (
        "cases that are some",
        prototask("kind", 'cases = "some"\nkind'),
        SHOW_TASK,
        "cases: found 'some'; one of all",
    ),
    (
        "ours that is no key",
        prototask("kind", 'ours = ["sizes"]\nkind'),
        SHOW_TASK,
        "ours: found 'sizes'; one of",
    ),
    (
        "phases without a test",
        prototask(SIZES, "phases = { training = 10, validation = 5 }"),
        "tasks show small/age/test",
        "phases: found {'training': 10, 'validation': 5}",
    ),
    (
        "phases below 1",
        prototask(SIZES, "phases = { training = 10, validation = -5, test = 5 }"),
        "tasks show small/age/test",
        "each at least 1",
    ),
    (
        "an unknown scheme of folds",
        prototask(SIZES, 'folds = ["ranom-10"]'),
        "tasks show small/age/ranom-10",
        "folds[0]: found 'ranom-10'",
    ),
    (
        "more folds than cases",
        prototask(SIZES, 'folds = ["random-99999999999"]'),
        "tasks show small/age/random-99999999999",
        "2 folds at least, and no more than the 30 cases of small",
    ),
    (
        "one fold",
        prototask(SIZES, 'folds = ["random-1"]'),
        "tasks show small/age/random-1",
        "2 folds at least",
    ),
    (
        "a part beyond the data",
        prototask(SIZES, 'folds = ["random-3"]\npart = [5, 99]'),
        "tasks show small/age/random-3",
        "at most 30, the number of cases of small",
    ),
    (
        "a part in the wrong order",
        prototask(SIZES, 'folds = ["random-3"]\npart = [9, 5]'),
        "tasks show small/age/random-3",
        "the first place and the one after the last",
    ),
]

BAD = [*CARDS, *PROBLEMS, *PROTOTASKS]


@pytest.fixture
def world(tmp_path, monkeypatch):
    """The registry and the prototasks in the folder of the test are those of the package."""
    caches = (
        registry.cards,
        registry.of_registry,
        task_registry.declared,
        task_registry.names,
        task_registry._task,
        tasks.prototask,
        cases_of,
    )
    for room in (registry, datasets):
        monkeypatch.setattr(room, "registry_path", lambda: tmp_path / "here" / "registry.toml")
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


def test_bad_input_is_refused(bad, world, refused):
    refused(bad)
    if "beyond 64 bits" not in bad[3]:  # which makes the file no TOML
        assert "fine" in datasets.available()
        assert tasks.available() == ("fine/age/std.5", "fine/age/std.10")


@pytest.mark.parametrize(
    "command", ["datasets list", "datasets show fine", "tasks list", "tasks show fine/age/std.5"]
)
def test_a_faulty_card_and_a_faulty_prototask_disable_nothing_else_and_are_named(
    command, world, refused, caplog
):
    faulty = FINE_TASK.replace('"real"', '"reel"').replace('"age"', '"height"')
    given = card('"natural"', '"nature"') | {
        "prototasks.toml": f"{FINE_TASK}{faulty}[[prototask]]\n{PROTOTASK}"
    }
    with caplog.at_level(logging.WARNING):
        output = refused(("", given, command, "fine", 0))
    assert "small" not in output
    warned = [record.getMessage() for record in caplog.records]
    assert (
        sum(
            "the card of dataset small" in text and "origin: found 'nature'" in text
            for text in warned
        )
        == 1
    )
    assert sum(
        "prototask fine/height" in text and "kind: found 'reel'" in text for text in warned
    ) == (command.startswith("tasks"))
    assert not [text for text in warned if "small/age" in text], "its card was named already"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("datasets = 1", "[datasets]: found 1; a table"),
        ("groups = [1]", "[groups]: found [1]; a table"),
        ("[proben1]\nproblems = 1", "[proben1]: found {'problems': 1}"),
        ("standins = ''", "[standins]: found ''"),
        ("[data]\nx = 1", "the file: found [data]; only datasets, groups, proben1, standins"),
        ("a = " + "[" * 20_000, "more than 50 deep"),
        (b"\xff", "the byte 0xff at place 0 is no UTF-8"),
        ("\ufeff[datasets]", "save it as UTF-8 without one"),
        ("[datasets", "cannot be read as TOML"),
    ],
)
def test_a_registry_that_is_none_is_refused(text, says, tmp_path):
    path = tmp_path / "registry.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BenchbookError) as caught:
        read_registry(path)
    assert says in str(caught.value)


def test_what_a_group_is_taken_from_many_times_is_taken_once(tmp_path):
    path = tmp_path / "registry.toml"
    path.write_text(
        "".join(
            f"[groups.g{k}]\nlike = ['g{k + 1}', 'g{k + 1}']\nnotes = ['{k}']\n" for k in range(40)
        )
        + f"[groups.g40]\n[datasets.small]\nlike = 'g0'\n{CARD}"
    )
    assert read_registry(path)["small"].notes == tuple(str(k) for k in reversed(range(40)))


def test_the_faults_of_all_cards_are_told_together(tmp_path):
    path = tmp_path / "registry.toml"
    path.write_text(
        f"{FINE.replace('natural', 'x')}[datasets.small]\n{CARD.replace('table', 'y')}{PROBEN1}{STANDINS}"
    )
    with pytest.raises(FaultyInput) as caught:
        read_registry(path)
    assert [fault.found for fault in caught.value.faults] == ["'x'", "'y'"]
