"""Tables of careless and of hostile users: each is refused with column, line and advice, and nothing is written."""

import gzip
import os
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from benchbook import datasets, tasks
from benchbook.cli import app


def lines(cases: int = 60, **changes: str) -> list[str]:
    """A good table as lines: a number, a word and a target; ``line17="..."`` puts another line there."""
    given = [
        "size,colour,price",
        *(
            f"{index * 0.5},{('red', 'green', 'blue')[index % 3]},{100 + index % 7 + 0.25}"
            for index in range(1, cases + 1)
        ),
    ]
    for name, text in changes.items():
        given[int(name.removeprefix("line")) - 1] = text
    return given


def column(place: int, words: dict[int, str]) -> list[str]:
    """The good table with other words in one column, by case from 0."""
    rows = [line.split(",") for line in lines()]
    for case, word in words.items():
        rows[case + 1][place] = word
    return [",".join(row) for row in rows]


def every(word: str) -> list[str]:
    """The good table with one target for all."""
    return column(2, dict.fromkeys(range(60), word))


CORPUS = {
    "more values": (
        lines(line17="1,red,3,4"),
        (),
        ["line 17", "found 4 values", "3, as in the first line"],
    ),
    "fewer values": (lines(line17="1,red"), (), ["line 17", "found 2 values", "Mend these lines"]),
    "names twice": (["a,b,a", "1,2,3"], (), ["line 1", "'a' 2 times (columns 1, 3)"]),
    "no header": (["1,2,3", *lines()[1:]], (), ["line 1", "--no-header"]),
    "one column": (["price", *map(str, range(60))], (), ["line 1", "--separator"]),
    "empty": ([""], (), ["nothing but empty lines"]),
    "header alone": (lines()[:1], (), ["no cases below the names"]),
    "100,000 columns": (
        [",".join(f"c{index}" for index in range(100_000))] * 3,
        (),
        ["100000 columns", "10000 at most"],
    ),
    "mixed types": (
        column(0, {15: "about 7"}),
        (),
        ["column 'size', line 17", "'about 7'", "--missing 'about 7'", "--nature 'size=nominal'"],
    ),
    "thousands": (
        ["size;colour;price", *(f"1,{index:03d}.5;red;{index}" for index in range(60))],
        (),
        ["column 'size', line 2", "'1,000.5'", "--thousands ,"],
    ),
    "decimal comma": (
        ["size;colour;price", *(f"1,{index:02d};red;{index}" for index in range(60))],
        (),
        ["column 'size', line 2", "'1,00'", "--decimal ,"],
    ),
    "blanks between thousands": (
        ["size;colour;price", *(f"1 {index:03d}.5;red;{index}" for index in range(60))],
        (),
        ["column 'size', line 2", "'1 000.5'", '--thousands " "'],
    ),
    "a currency": (
        column(2, {case: f"${case + 0.5}" for case in range(60)}),
        (),
        ["column 'price', line 2", "'$0.5'", "take the sign or unit away"],
    ),
    "a unit": (
        column(0, {case: f"{case + 0.5} kg" for case in range(60)}),
        (),
        ["column 'size', line 2", "'0.5 kg'"],
    ),
    "no date among dates": (
        column(
            0,
            {case: f"2020-{1 + case // 28:02d}-{1 + case % 28:02d}" for case in range(60)}
            | {15: "2020-13-45"},
        ),
        (),
        ["column 'size', line 17", "'2020-13-45'", "a date in the form of the others"],
    ),
    "days or months": (
        column(0, {case: f"{1 + case % 12:02d}/{1 + case % 11:02d}/2020" for case in range(60)}),
        (),
        ["column 'size', line 2", "cannot be told"],
    ),
    "no square": (column(2, {15: "1e308"}), (), ["column 'price', line 17", "take another unit"]),
    "a quote without an end": (
        lines(line17='"1,red,3'),
        (),
        ["line 17", "double quote without an end"],
    ),
    "a line above the names": (
        ["made by me", *lines()],
        (),
        ["line 1", "3 columns", "above the names"],
    ),
    "infinity": (
        column(0, {15: "inf"}),
        (),
        ["column 'size', line 17", "found inf", "a finite number"],
    ),
    "constant target": (
        every("3.5"),
        (),
        ["target 'price'", "3.5 in every case", "name another target"],
    ),
    "one class": (every("yes"), (), ["target 'price'", "'yes' in every case", "two classes"]),
    "an id as target": (
        column(2, {case: str(case + 1) for case in range(60)}),
        (),
        ["target 'price'", "counts the cases"],
    ),
    "an id of letters as target": (
        column(2, {case: f"n{case}" for case in range(60)}),
        (),
        ["target 'price'", "another word in every case"],
    ),
    "names as target": (
        column(2, {case: f"n{case}" for case in range(60)} | {0: "n1"})
        + [f"1,red,m{index}" for index in range(60)],
        (),
        ["target 'price'", "different words"],
    ),
    "too few": (lines(49), (), ["found 49 with a known target", "50 at least"]),
    "no such target": (lines(), ("--target", "pric"), ["--target", "'pric'", "a column: price"]),
    "no such column": (lines(), ("--drop", "colr"), ["--drop", "'colr'", "colour"]),
    "a nature that is none": (
        lines(),
        ("--nature", "size=big"),
        ["column 'size'", "nature 'big'", "ordinal"],
    ),
    "not whole": (
        lines(),
        ("--nature", "size=integer"),
        ["column 'size', line 2", "0.5", "a whole number"],
    ),
    "an order that lacks a value": (
        lines(),
        ("--ordinal", "colour=red,green"),
        ["column 'colour', line 3", "'blue'"],
    ),
    "words as numbers": (
        lines(),
        ("--target", "colour", "--kind", "real"),
        ["target 'colour'", "--kind class"],
    ),
    "numbers as classes": (lines(), ("--kind", "class"), ["target 'price'", "--kind real"]),
    "group and time": (lines(), ("--group", "colour", "--time", "size"), ["one of them"]),
    "few groups": (lines(), ("--group", "colour"), ["column 'colour'", "3 groups", "20 at least"]),
    "no time": (lines(), ("--time", "colour"), ["column 'colour'", "a date"]),
    "one and the same time": (
        column(0, dict.fromkeys(range(60), "2020")),
        ("--time", "size"),
        ["column 'size'", "the same time in every case"],
    ),
    "one and the same day": (
        column(0, dict.fromkeys(range(60), "2020-01-01")),
        ("--time", "size"),
        ["column 'size'", "the same time in every case"],
    ),
    "a name of 300 letters": (
        lines(),
        ("--name", "n" * 300),
        ["--name", "300 letters", "80 at most"],
    ),
    "no inputs": (
        lines(),
        ("--drop", "size", "--drop", "colour"),
        ["inputs", "a column beside the target"],
    ),
    "a name of the book's": (lines(), ("--name", "kin-8nm-sim"), ["comes with the book", "--name"]),
    "a sign of two": (lines(), ("--decimal", ",,"), ["--decimal is one sign"]),
    "quotes without an end": (lines(line3='1,"red,3'), (), ["cannot be read"]),
}


def add(path: Path, *options: str) -> tuple[int, str]:
    given = options if "--target" in options else ("--target", "price", *options)
    result = CliRunner().invoke(app, ["datasets", "add", str(path), *given])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.mark.parametrize("name", CORPUS)
def test_a_faulty_table_is_refused_with_its_place_and_nothing_is_written(home, name, said):
    text, options, message = CORPUS[name]
    Path("t.csv").write_text("\n".join(text) + "\n", encoding="utf8")
    code, output = add(Path("t.csv"), *options)
    assert code == 2, output
    assert [words for words in message if words not in output] == []
    said(f"a table: {name}", output)
    assert not home.exists() or not any((home / "datasets").iterdir())


GOOD = "\n".join(lines()) + "\n"


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (GOOD.encode("utf-8-sig"), ""),
        (GOOD.encode("utf-16"), "UTF-16"),
        (GOOD.replace("red", "rosé").encode("cp1252"), "Windows-1252"),
        (GOOD.replace("\n", "\r\n").encode(), ""),
        (GOOD.replace(",", ";").encode(), "semicolon"),
        (GOOD.replace(",", "\t").encode(), "tab"),
        (GOOD.replace("red", '"red, or so"').encode(), ""),
        (gzip.compress(GOOD.encode()), ""),
        (b"\n\r\n" + GOOD.encode(), ""),
        (GOOD.replace("\n", "\r").encode(), ""),
    ],
)
def test_other_encodings_separators_and_ends_of_lines_are_read_as_the_same_table(
    home, content, note
):
    Path("t.csv").write_bytes(content)
    code, output = add(Path("t.csv"))
    assert code == 0, output
    assert note in output
    cases = datasets.load("t").cases
    assert cases.columns == ["size", "colour", "price"]
    assert cases["size"].to_list() == [index * 0.5 for index in range(1, 61)]
    assert cases["colour"][0] == "green"


def test_dates_with_the_month_first_are_read_where_they_can_be_told_and_groups_are_hinted_at(home):
    Path("t.csv").write_text(
        "when,firm,price\n"
        + "".join(
            f"01/{1 + index % 28:02d}/2020,f{index % 20},{index % 9 + 0.5}\n" for index in range(60)
        )
    )
    code, output = add(Path("t.csv"))
    assert code == 0, output
    assert datasets.load("t").cases["when"][:2].to_list() == [18262.0, 18263.0]
    assert "--group firm" in output


def test_numbers_with_commas_are_read_as_the_options_say(home):
    Path("t.csv").write_text(
        "size;price\n" + "".join(f"1.{index:03d},5;{index % 9 + 0.5}\n" for index in range(60))
    )
    code, output = add(Path("t.csv"), "--decimal", ",", "--thousands", ".")
    assert code == 2
    assert "column 'price'" in output  # 1.5 is no fifteen
    Path("t.csv").write_text(
        "size;price\n" + "".join(f"1.{index:03d},5;{index % 9},5\n" for index in range(60))
    )
    code, output = add(Path("t.csv"), "--decimal", ",", "--thousands", ".")
    assert code == 0, output
    assert datasets.load("t").cases["size"][:2].to_list() == [1000.5, 1001.5]


def test_a_table_that_is_no_text_or_no_parquet_is_refused(home):
    Path("t.csv").write_bytes(b"a,b\n1,\x00\n")
    assert "a zero byte" in add(Path("t.csv"))[1]
    Path("t.parquet").write_bytes(b"PAR1 not at all")
    assert "not a Parquet file" in add(Path("t.parquet"))[1]
    Path("t.xlsx").write_bytes(b"PK")
    assert "Save it as CSV" in add(Path("t.xlsx"))[1]
    assert "no table" in add(Path("none.csv"))[1]


def test_a_faulty_card_of_a_user_is_a_warning_and_nothing_else(home, caplog):
    Path("t.csv").write_text(GOOD)
    add(Path("t.csv"))
    add(Path("t.csv"), "--name", "good")
    for text in ("[datasets.t\n", '[datasets.t]\ntitle = "no more"\n', ""):
        (home / "datasets" / "t" / "card.toml").write_text(text)
        tasks.user.writing.forget()
        caplog.clear()
        assert "t" not in datasets.available()
        assert "kin-8nm-sim" in datasets.available()
        assert datasets.card("good").shape.cases == 60
        assert tasks.available("good")
        assert "kin-8nm-sim/dist/std.64" in tasks.available("kin-8nm-sim")
        assert sum("your dataset t" in record.getMessage() for record in caplog.records) == 1
        assert "datasets remove t" in caplog.text
    assert CliRunner().invoke(app, ["datasets", "check"]).exit_code == 1
    assert CliRunner().invoke(app, ["datasets", "remove", "t"]).exit_code == 0
    assert CliRunner().invoke(app, ["datasets", "check"]).exit_code == 0


@pytest.mark.parametrize(
    "text",
    [
        "[[prototask]\n",
        '[[prototask]]\nname = "x"\n',
        "[other]\n",
        '[[prototask]]\ndataset = "kin-8nm-sim"\nname = "y"\nkind = "real"\ntest-set-size = '
        "9\n"
        'test-set-selection = "common"\ntraining-set-sizes = [4]\nmaximum-instances = 2\n',
    ],
)
def test_faulty_prototasks_of_a_user_leave_the_others_alone(home, caplog, text):
    Path("t.csv").write_text(GOOD)
    add(Path("t.csv"))
    (home / "datasets" / "t" / "prototasks.toml").write_text(text)
    tasks.user.writing.forget()
    assert "kin-8nm-sim/dist/std.64" in tasks.available("kin-8nm-sim")
    assert not [name for name in tasks.available("*") if name.startswith(("t/", "kin-8nm-sim/y"))]
    assert "warning" in caplog.text


def test_cases_that_were_changed_or_are_gone_are_noticed(home):
    Path("t.csv").write_text(GOOD)
    add(Path("t.csv"))
    path = home / "datasets" / "t" / "cases.parquet"
    pl.read_parquet(path).with_columns(size=pl.col("size") + 1).write_parquet(path)
    result = CliRunner().invoke(app, ["datasets", "check", "t"])
    assert result.exit_code == 1
    assert "sha256" in result.output
    path.unlink()
    result = CliRunner().invoke(app, ["datasets", "check", "t"])
    assert result.exit_code == 1
    assert "gone" in result.output


def test_a_prototask_with_a_long_name_is_refused(home):
    Path("t.csv").write_text(GOOD, encoding="utf8")
    add(Path("t.csv"))
    result = CliRunner().invoke(app, ["tasks", "new", "t", "p" * 300])
    assert result.exit_code == 2
    assert "300 letters; 80 at most" in result.output


def test_a_file_with_a_long_name_gives_a_dataset_with_a_short_one(home):
    path = Path("t" * 240 + ".csv")
    path.write_text(GOOD, encoding="utf8")
    code, output = add(path)
    assert code == 0, output
    assert "t" * 80 in output


def give_packed(path: Path) -> None:
    path.write_bytes(gzip.compress(b"size,colour,price\n" + b"0,0,0\n" * 400_000))


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv", "t.arff.gz", "t.dt.gz"])
def test_a_small_file_that_unpacks_to_a_large_one_is_refused(home, monkeypatch, name):
    monkeypatch.setattr("benchbook.files.gunzip.__defaults__", (1 << 20,))
    give_packed(Path(name))
    code, output = add(Path(name))
    assert code == 2, output
    assert "is too large: unpacked it has more than" in output


def test_a_table_of_more_values_than_memory_holds_is_refused(home, monkeypatch):
    monkeypatch.setattr("benchbook.datasets.user.texts.MOST_VALUES", 100)
    monkeypatch.setattr("benchbook.datasets.user.tables._MOST_VALUES", 100)
    Path("t.csv").write_text(GOOD, encoding="utf8")
    code, output = add(Path("t.csv"))
    assert (code, "61 lines of 3 values" in output) == (2, True)
    pl.read_csv("t.csv").write_parquet("t.parquet")
    code, output = add(Path("t.parquet"))
    assert (code, "60 cases of 3 columns" in output) == (2, True)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.arff", "t.csv.gz"])
def test_a_pipe_in_place_of_a_table_is_refused(home, name):
    os.mkfifo(name)
    code, output = add(Path(name))
    assert code == 2, output
    assert "it is a pipe; save it as a file first" in output


@pytest.mark.parametrize("digits", ["０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९"])
def test_digits_of_other_scripts_are_numbers(home, digits):
    given = str.maketrans("0123456789-.", digits + "−．")
    words = {case: f"{case - 30}.5".translate(given) for case in range(60)}
    Path("t.csv").write_text("\n".join(column(0, words)), encoding="utf8")
    code, output = add(Path("t.csv"), "--dry-run")
    assert code == 0, output
    assert "[-30.5,29.5]" in output


ARFF = "@relation r\n@attribute size numeric\n@attribute colour {red,blue}\n@attribute price real\n@data\n"
ARFF_ROWS = [
    f"{index * 0.5},{('red', 'blue')[index % 2]},{100 + index % 7 + 0.25}" for index in range(60)
]
BAD_ARFF = {
    "a value that the header lacks": ([*ARFF_ROWS[:-1], "1,green,3"], "line 65"),
    "a word among numbers": ([*ARFF_ROWS[:-1], "about 1,red,3"], "'about 1'"),
    "a value too many": ([*ARFF_ROWS[:-1], "1,red,3,4"], "line 65: found 4 values"),
    "a quote without an end": ([*ARFF_ROWS[:-1], "1,'red,3"], "a quote without an end"),
    "a sparse row beyond the attributes": ([*ARFF_ROWS[:-1], "{7 1}"], "of a sparse row"),
    "no cases": ([], "no cases below @data"),
}


@pytest.mark.parametrize("name", BAD_ARFF)
def test_a_faulty_arff_file_is_refused(home, name, said):
    rows, message = BAD_ARFF[name]
    Path("t.arff").write_text(ARFF + "\n".join(rows), encoding="utf8")
    code, output = add(Path("t.arff"))
    assert code == 2, output
    assert message in output
    said(f"an ARFF file: {name}", output)


@pytest.mark.parametrize(
    "header",
    [
        ARFF.replace("@data", ""),
        ARFF.replace("real", "relational"),
        ARFF.replace("{red,blue}", "{red,blue"),
    ],
)
def test_an_arff_header_that_is_none_is_refused(home, header):
    Path("t.arff").write_text(header + "\n".join(ARFF_ROWS), encoding="utf8")
    code, output = add(Path("t.arff"))
    assert code == 2, output
    assert "t.arff" in output
