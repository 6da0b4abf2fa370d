"""One's own table: guessed specification, encoding into permuted files, every fault at once."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from benchbook.cli import app
from benchbook.datasets import proben1
from benchbook.datasets.readers.proben1 import read_dt_file
from benchbook.errors import BenchbookError, FaultyInput

TABLE = """\
name,size,colour,age,mood,kind
ann,1.5,red,3,,x
bob,2.5,blue,4,ill,y
cat,0.1,"red",7,well,x
dan,5,green,9,well,y
eve,1.0,red,2,ill,x
fay,1.0,blue,?,well,y
"""


def run(*words):
    result = CliRunner().invoke(app, ["proben1", *map(str, words)])
    return result.exit_code, result.output


@pytest.fixture
def files(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    code, text = run("spec", tmp_path / "t.csv")
    assert code == 0
    (tmp_path / "s.toml").write_text(text)
    return tmp_path


def test_a_guessed_specification_is_one_that_encodes(files):
    code, text = run(
        "encode", files / "t.csv", "--spec", files / "s.toml", "--out", files / "mine1.dt", "--json"
    )
    assert code == 0, text
    told = json.loads(text)
    assert told["inputs"] == [
        "size",
        "colour-1",
        "colour-2",
        "colour-3",
        "age",
        "age-missing",
        "mood",
        "mood-missing",
    ]
    assert told["outputs"] == ["kind-1", "kind-2"]
    for path, order in zip(told["files"], told["orders"], strict=True):
        inputs, targets = read_dt_file(path).values()
        back = np.argsort(order)
        np.testing.assert_array_equal(targets[back][:, 0], [1, 0, 1, 0, 1, 0])
        np.testing.assert_allclose(inputs[back][0], [1.4 / 4.9, 0, 0, 1, 1 / 7, 0, 0, 1], atol=1e-6)
        np.testing.assert_array_equal(inputs[back][5][[4, 5]], [0, 1])


def test_the_same_seed_gives_the_same_files_and_another_seed_others(files):
    texts = []
    for out, seed in (("a", 1), ("b", 1), ("c", 2)):
        assert (
            run(
                "encode",
                files / "t.csv",
                "--spec",
                files / "s.toml",
                "--out",
                files / out,
                "--seed",
                seed,
            )[0]
            == 0
        )
        texts.append([(files / f"{out}{number}.dt").read_text() for number in (1, 2, 3)])
    assert texts[0] == texts[1] != texts[2]
    assert len(set(texts[0])) == 3


def test_the_first_file_can_keep_the_order(files):
    assert (
        run(
            "encode",
            files / "t.csv",
            "--spec",
            files / "s.toml",
            "--out",
            files / "m",
            "--keep-order",
        )[0]
        == 0
    )
    np.testing.assert_array_equal(
        read_dt_file(files / "m1.dt").values()[1][:, 0], [1, 0, 1, 0, 1, 0]
    )


def test_all_faults_are_told_with_their_lines_and_nothing_is_written(files):
    (files / "t.csv").write_text(TABLE.replace("blue,4", "pink,x").replace("0.1", "?"))
    code, text = run(
        "encode", files / "t.csv", "--spec", files / "s.toml", "--out", files / "mine1.dt"
    )
    assert code == 2
    for words in (
        "3 faults",
        "t.csv, line 3, colour: found 'pink'; the values are blue, green, red",
        "t.csv, line 3, age: found 'x'",
        "t.csv, line 4, size: found '?'",
    ):
        assert words in text
    assert sorted(path.name for path in files.iterdir()) == ["s.toml", "t.csv"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace(",y\nfay", ",y,1\nfay"), "at least"),
        (
            lambda text: text.replace("eve,1.0,", "eve,"),
            "line 6: found 5 values; there are 6 columns",
        ),
        (lambda text: text.replace("size", "name"), "2 columns called 'name'"),
        (lambda text: text.replace("size", ""), "a column without a name"),
        (lambda text: text.splitlines()[0], "no cases"),
        (lambda text: "", "no cases"),
    ],
)
def test_malformed_tables_are_refused(change, words):
    changed = change(TABLE)
    if changed == TABLE:
        changed, words = TABLE.replace("ann,1.5", "ann,1,5"), "line 2: found 7 values"
    with pytest.raises(FaultyInput) as caught:
        proben1.read_table(changed.encode(), "t.csv")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("separator", "heading"), [(";", True), ("\t", True), (" ", False), ("|", True)]
)
def test_tables_with_other_separators(separator, heading):
    text = f"{f'a{separator}b' if heading else ''}\n1{separator}x\n\n2{separator}?\n"
    table = proben1.read_table(text.encode(), "t", heading=heading)
    assert list(table.columns.values()) == [["1", "2"], ["x", None]]
    assert table.numbers == (2, 4)


@pytest.mark.parametrize("separator", ["ab", '"', "\n"])
def test_separators_that_cannot_be_one_are_refused(separator):
    with pytest.raises(FaultyInput, match="one letter"):
        proben1.read_table(b"a,b\n1,2\n", "t.csv", separator)


def test_a_value_longer_than_any_is_a_fault_and_no_crash():
    with pytest.raises(FaultyInput, match="line 3: found 1 values"):
        proben1.read_table(b"a,b\n1,2\n" + b"x" * 200_000 + b"\n", "t.csv")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("input = 3", "write [[input]]"),
        ("colour = 1", "key 'colour'"),
        ("[[input]]\nkind = 'real'", "no key 'attribute'"),
        ("[[input]]\nattribute = 'a'\nkind = 'odd'", "kind 'odd'; one of real"),
        ("[[input]]\nattribute = 'a'\nkind = 'real'", "no key 'range'"),
        ("[[input]]\nattribute = 'a'\nkind = 'real'\nrange = [1, 1]", "1 to 1; two finite numbers"),
        ("[[input]]\nattribute = 'a'\nkind = 'real'\nrange = ['1', 2]", "two numbers"),
        (
            "[[input]]\nattribute = 'a'\nkind = 'logarithm'\nrange = [-1, 2]",
            "a logarithm needs 0 or more",
        ),
        ("[[input]]\nattribute = 'a'\nkind = 'nominal'\nvalues = ['u', 'u']", "a value twice"),
        ("[[input]]\nattribute = 'a'\nkind = 'binary'\nvalues = ['u', 'v', 'w']", "exactly two"),
        (
            "[[input]]\nattribute = 'a'\nkind = 'nominal'\nvalues = [1, 2]",
            "a list of words, in quotes",
        ),
        (
            "[[input]]\nattribute = 'a'\nkind = 'nominal'\nvalues = ['u', 'v']\nmissing = 'w'",
            "the values are u, v; or none",
        ),
        (
            "[[input]]\nattribute = 'a'\nkind = 'real'\nrange = [0, 1]\nvalues = ['x']",
            "key 'values'; real has",
        ),
        (
            "[[input]]\nattribute = 'a'\nkind = 'ignore'\n[[output]]\nattribute = 'a'\nkind = 'ignore'",
            "comes once",
        ),
        ("[[input]]\nattribute = 'a'\nkind = 'ignore'", "no input that is not ignored"),
        ("separator = 'ab'", "one letter"),
        ("heading = 1", "true or false"),
        ("missing = '?'", "a list of words"),
    ],
)
def test_malformed_specifications_are_refused(text, words):
    with pytest.raises(FaultyInput) as caught:
        proben1.read_spec(text.encode(), "s.toml")
    assert words in str(caught.value)


def test_a_specification_that_is_no_toml_is_refused():
    with pytest.raises(BenchbookError, match=r"s\.toml cannot be read as TOML"):
        proben1.read_spec(b"[[", "s.toml")


def test_kinds_of_a_specification_become_codes():
    text = """
    [[input]]
    attribute = "base"
    kind = "bits"
    values = ["A", "C", "G"]
    missing = "A"
    [[input]]
    attribute = "wealth"
    kind = "logarithm"
    range = [0, 99]
    [[output]]
    attribute = "degree"
    kind = "ordinal"
    values = ["low", "high"]
    """
    made = proben1.read_spec(text.encode(), "s").representation.encode(
        {"base": ["A", "G", None], "wealth": [0, 99, 9], "degree": ["low", "high", "low"]}, "t"
    )
    np.testing.assert_allclose(made.inputs, [[-1, -1, 0], [1, -1, 1], [-1, -1, 0.5]])
    np.testing.assert_array_equal(made.targets, [[0], [1], [0]])


@pytest.mark.parametrize("shares", ["50/50", "50/25/26", "a/b/c", "100/0/0", "50/25/25/0"])
def test_partitions_that_are_none_are_refused(shares):
    with pytest.raises(FaultyInput, match="adding up to 100"):
        proben1.parse_shares(shares)


def test_other_partitions_and_too_few_cases():
    assert proben1.counts_of(10, (60.0, 20.0, 20.0)) == (6, 2, 2)
    with pytest.raises(FaultyInput, match="leaves one of the three without any"):
        proben1.counts_of(4, (90.0, 5.0, 5.0))


def test_an_output_no_training_example_has_is_told(files):
    (files / "t.csv").write_text(TABLE + "gus,1,red,3,ill,rare\n")
    text = run("spec", files / "t.csv")[1]
    (files / "s.toml").write_text(text)
    result = run(
        "encode", files / "t.csv", "--spec", files / "s.toml", "--out", files / "m", "--keep-order"
    )
    assert result[0] == 0
    assert "no training example has output kind-1: no network can learn it" in result[1]


def test_wanted_columns_that_are_absent_are_told(files):
    code, text = run("spec", files / "t.csv", "--output", "colour", "--output", "weight")
    assert code == 2
    assert "no column 'weight'" in text


def test_a_table_between_tabs_is_described_and_says_so(tmp_path):
    (tmp_path / "t.tsv").write_text("size\tkind\n1\tx\n2\ty\n3\tx\n")
    code, text = run("spec", tmp_path / "t.tsv", "--separator", "tab")
    assert code == 0
    assert proben1.read_spec(text.encode(), "s").separator == "\t"


@pytest.mark.parametrize(
    ("word", "real"), [("1_000", False), ("1e3", True), ("inf", False), (" 5", True)]
)
def test_which_words_are_numbers(word, real):
    assert (proben1.Linear(0, 1).rule(word) == "") is real


def test_a_problem_is_rebuilt_from_the_command_line(real_data):
    for name in ("uci-glass", "proben1-glass1", "proben1-glass2", "proben1-glass3"):
        real_data(name)
    code, text = run("rebuild", "glass")
    assert code == 0
    assert "every value is rebuilt, from 214 cases" in text
    told = json.loads(run("rebuild", "glass", "--json")[1])
    assert told["exact"]
    assert [file["rebuilt"] for file in told["files"]] == [214, 214, 214]


def test_an_unknown_problem_ends_with_code_2():
    code, text = run("rebuild", "tumour")
    assert code == 2
    assert "it has building, cancer" in text


def test_missing_data_ends_with_code_3(monkeypatch, tmp_path):
    for name, value in (("DATA", ""), ("CACHE", str(tmp_path)), ("OFFLINE", "1")):
        monkeypatch.setenv(f"BENCHBOOK_{name}", value)
    assert run("rebuild", "heartc")[0] == 3
