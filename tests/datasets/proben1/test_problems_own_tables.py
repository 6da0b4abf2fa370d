"""One's own table: guessed specification, encoding into permuted files, every fault at once."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from printed import held
from refusals import refused

from benchbook.cli import app
from benchbook.datasets import proben1
from benchbook.datasets.readers.proben1 import read_dt_file
from benchbook.datasets.user import tables as user_tables
from benchbook.errors import BenchbookError, FaultyInput

SAID = Path(__file__).with_name("said.txt")
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
    code, text = run("spec", tmp_path / "t.csv", "--ranges", "all")
    assert code == 0
    (tmp_path / "s.toml").write_text(text)
    return tmp_path


def test_a_guessed_specification_is_one_that_encodes(files):
    code, text = run(
        "encode", files / "t.csv", "--spec", files / "s.toml", "--out", files / "mine1.dt", "--json"
    )
    assert code == 0, text
    reply = json.loads(text)
    assert reply["inputs"] == [
        "size",
        "colour-1",
        "colour-2",
        "colour-3",
        "age",
        "age-missing",
        "mood",
        "mood-missing",
    ]
    assert reply["outputs"] == ["kind-1", "kind-2"]
    for path, order in zip(reply["files"], reply["orders"], strict=True):
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
    held(SAID, f"a table: {words}", f"{caught.value}\n")


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
        (
            "[[output]]\nattribute = 'a'\nkind = 'nominal'\nvalues = ['u', 'v']\nmissing = 'u'",
            "an output is never missing (PROBEN1, section 2.4): rows without it are left out",
        ),
        (
            "[[input]]\nattribute = 'a'\nkind = 'real'\nrange = 'all cases'",
            "two numbers, or 'training cases'",
        ),
        ("separator = 'ab'", "one letter"),
        ("heading = 1", "true or false"),
        ("missing = '?'", "a list of words"),
    ],
)
def test_malformed_specifications_are_refused(text, words):
    with pytest.raises(FaultyInput) as caught:
        proben1.read_spec(text.encode(), "s.toml")
    assert words in str(caught.value)
    held(SAID, f"a specification: {text}".replace("\n", " / "), f"{caught.value}\n")


def test_a_specification_that_is_no_toml_is_refused():
    refused(BenchbookError, r"s\.toml cannot be read as TOML", proben1.read_spec, b"[[", "s.toml")


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
    made = (
        proben1.read_spec(text.encode(), "s")
        .representation()
        .encode(
            {"base": ["A", "G", None], "wealth": [0, 99, 9], "degree": ["low", "high", "low"]}, "t"
        )
    )
    np.testing.assert_allclose(made.inputs, [[-1, -1, 0], [1, -1, 1], [-1, -1, 0.5]])
    np.testing.assert_array_equal(made.targets, [[0], [1], [0]])


def _guessed(columns, outputs=(), **options):
    lines = zip(*columns.values(), strict=True)
    text = "\n".join(
        [
            ",".join(columns),
            *(",".join("" if item is None else str(item) for item in line) for line in lines),
        ]
    )
    table = proben1.read_table(text.encode(), "t.csv")
    return table, proben1.guess(table, outputs, **options)


def _section(text, name):
    return next(part for part in text.split("[[") if f'attribute = "{name}"' in part)


@pytest.mark.parametrize(
    "targets",
    [["a", "b"] * 10, [0.1 * case for case in range(20)], [case % 3 for case in range(20)]],
    ids=str,
)
@pytest.mark.parametrize("missing", [1, 9])
@pytest.mark.parametrize("fitted", [True, False])
def test_an_output_has_no_rule_for_missing_values_and_rows_without_it_are_left_out(
    tmp_path, targets, missing, fitted
):
    targets = [None if case < missing else value for case, value in enumerate(targets)]
    table, text = _guessed({"x": [case * 1.5 for case in range(20)], "y": targets}, fitted=fitted)
    assert "\nmissing" not in _section(text, "y")
    assert f"missing in {missing} of 20: these rows are left out" in text
    (tmp_path / "t.csv").write_text(
        "x,y\n"
        + "\n".join(
            f"{case * 1.5},{'' if value is None else value}" for case, value in enumerate(targets)
        )
    )
    (tmp_path / "s.toml").write_text(text)
    code, message = run(
        "encode", tmp_path / "t.csv", "--spec", tmp_path / "s.toml", "--out", tmp_path / "m"
    )
    assert code == 0, message
    assert f"{missing} of 20 rows have no target and are left out" in message
    written = proben1.encode_table(table, proben1.read_spec(text.encode(), "s"), tmp_path / "n")
    assert (written.left_out, sum(written.counts)) == (missing, 20 - missing)
    assert written.rows.tolist() == list(range(missing, 20))
    assert all("missing" not in name for name in written.encoded[0].target_names)


def test_ranges_and_fill_ins_are_those_of_the_training_cases_of_each_file(tmp_path):
    rng = np.random.default_rng(3)
    size = rng.normal(size=60).round(3).tolist()
    size[7] = None
    colour = rng.choice(["red", "green", "blue"], 60).tolist()
    colour[11] = None
    table, text = _guessed({"size": size, "colour": colour, "kind": ["a", "b"] * 30})
    assert 'range = "training cases"' in _section(text, "size")
    assert 'missing = "mean"' in _section(text, "size")
    assert 'missing = "commonest"' in _section(text, "colour")
    written = proben1.encode_table(table, proben1.read_spec(text.encode(), "s"), tmp_path / "m")
    for encoded, order in zip(written.encoded, written.orders, strict=True):
        training, others = order[: written.counts[0]], order[written.counts[0] :]
        known = np.array([size[case] for case in training if size[case] is not None])
        column = encoded.inputs[:, 0]
        seen = [case for case in training if size[case] is not None]
        assert (column[seen].min(), column[seen].max()) == (0.0, 1.0)
        assert column[7] == pytest.approx((known.mean() - known.min()) / np.ptp(known))
        words = [colour[case] for case in training if colour[case] is not None]
        most = max(words.count(word) for word in set(words))
        filled = encoded.inputs[11, 1:4].argmax()
        assert words.count(sorted({"red", "green", "blue"})[filled]) == most
        changed = [
            value if case in training or value is None else 100.0 for case, value in enumerate(size)
        ]
        again = proben1.read_spec(text.encode(), "s").representation(
            {
                name: [values[case] for case in training]
                for name, values in {
                    "size": changed,
                    "colour": colour,
                    "kind": ["a", "b"] * 30,
                }.items()
            }
        )
        np.testing.assert_array_equal(
            again.encode({"size": size, "colour": colour, "kind": ["a", "b"] * 30}, "t").inputs,
            encoded.inputs,
        )
        assert len(others)
    assert any(
        not np.array_equal(written.encoded[0].inputs, item.inputs) for item in written.encoded[1:]
    )


def test_a_training_range_of_one_value_is_no_fault(tmp_path):
    values = [1] * 10 + [2, 3] * 5
    table, text = _guessed({"x": values, "kind": ["a", "b"] * 10})
    written = proben1.encode_table(
        table,
        proben1.read_spec(text.encode(), "s"),
        tmp_path / "m",
        keep_first=True,
        permutations=1,
    )
    np.testing.assert_array_equal(written.encoded[0].inputs[:, 0], np.array(values) - 1.0)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        (
            "patient_id",
            [1000 + 7 * case for case in range(60)],
            'kind = "ignore"  # a different number',
        ),
        ("place", list(range(60)), 'kind = "ignore"  # a different number'),
        (
            "visit",
            [f"2024-0{1 + case % 6}-{10 + case % 19}" for case in range(60)],
            'kind = "ignore"  # dates',
        ),
        (
            "day",
            [f"{1 + case % 28}.{1 + case % 6}.1994" for case in range(60)],
            'kind = "ignore"  # dates',
        ),
        (
            "town",
            [f"0{1200 + case % 30}" for case in range(60)],
            'kind = "ignore"  # digits of a code',
        ),
        ("zip", [7610 + case % 30 for case in range(60)], "# a code, such as a zip code?"),
        ("pain", ["low", "high", "medium"] * 20, "in order (low, medium, high)? Then kind"),
        ("name", [f"w{case % 30}" for case in range(60)], "# 30 columns for 60 cases"),
    ],
)
def test_ids_dates_codes_and_ordered_words_are_remarked_on(name, values, expected):
    _, text = _guessed({name: values, "kind": ["a", "b"] * 30})
    assert expected in _section(text, name)
    assert (
        expected
        not in _guessed({"x": [0.5 * (case % 30) for case in range(60)], "kind": ["a", "b"] * 30})[
            1
        ]
    )


def test_a_thermometer_has_an_input_less_than_values():
    text = "[[input]]\nattribute='d'\nkind='thermometer'\nvalues=['low','middle','high']\n"
    text += "[[output]]\nattribute='y'\nkind='binary'\nvalues=['0','1']"
    made = proben1.read_spec(text.encode(), "s").representation()
    encoded = made.encode({"d": ["low", "middle", "high"], "y": ["0", "1", "0"]}, "t")
    np.testing.assert_array_equal(encoded.inputs, [[0, 0], [1, 0], [1, 1]])


def test_columns_keep_their_names_as_a_dataset_of_ones_own(files, home):
    assert (
        run("encode", files / "t.csv", "--spec", files / "s.toml", "--out", files / "mine1.dt")[0]
        == 0
    )
    table = user_tables.read_table(files / "mine1.dt")
    assert table.frame.columns[:5] == ["size", "colour-1", "colour-2", "colour-3", "age"]
    assert table.targets == ("kind-1", "kind-2")
    for broken in ("in size\n", "in a b\n" * 10, ""):
        (files / "mine1.names").write_text(broken)
        assert user_tables.read_table(files / "mine1.dt").frame.columns[0] == "in1"


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
    reply = json.loads(run("rebuild", "glass", "--json")[1])
    assert reply["exact"]
    assert [file["rebuilt"] for file in reply["files"]] == [214, 214, 214]
    assert reply["columns_that_differ"] == []
    assert all(words in text for words in reply["deviations_from_the_readme"])


def test_an_unknown_problem_ends_with_code_2():
    code, text = run("rebuild", "tumour")
    assert code == 2
    assert "it has building, cancer" in text


def test_missing_data_ends_with_code_3(monkeypatch, tmp_path):
    for name, value in (("DATA", ""), ("CACHE", str(tmp_path)), ("OFFLINE", "1")):
        monkeypatch.setenv(f"BENCHBOOK_{name}", value)
    assert run("rebuild", "heartc")[0] == 3
