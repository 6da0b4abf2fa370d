"""What is made of tables, columns and specifications, and what is said of faulty ones: ``held.txt`` beside."""

import gzip
import io
import os
import zipfile
from pathlib import Path

import polars as pl
import pytest
from printed import held, outcome, shown

from benchbook.datasets import IntegerRange, entries, parse_range, printed, registry
from benchbook.datasets.readers import spec, table
from benchbook.datasets.readers.text import lines
from benchbook.datasets.types import Attribute
from benchbook.datasets.user import roles, tables
from benchbook.datasets.user.guess import Wishes, guess
from benchbook.datasets.user.texts import Table

ROWS = "".join(f"{row},{row * 0.5}\n" for row in range(3))


def told(found):
    """A table or a column, as far as others read it."""
    if isinstance(found, Table):
        rest = (found.line, found.notes, found.partition, found.targets, found.index)
        return shown([found.frame, *rest, {name: str(one) for name, one in found.known.items()}])
    whole = [str(fault) for fault in found.faults]
    made = found.attribute and str(found.attribute)
    return shown([found.values.to_list(), made, found.why, found.date, whole])


def file(name, data, *options):
    """A case: a file of that name, and how it is read."""

    def read(folder):
        data(folder / name) if callable(data) else (folder / name).write_bytes(
            data if isinstance(data, bytes) else data.encode()
        )
        return lambda: told(tables.read_table(Path(name), *options))

    return read


def column(values, name="x", known=None, **wishes):
    """A case: a column, and what its user says of it."""

    def read(_folder):
        made = pl.Series(name, values) if not isinstance(values, pl.Series) else values.alias(name)
        frame = Table("t.csv", made.to_frame(), 5, known=known or {})
        return lambda: told(guess(frame, name, 3, "title", Wishes(**wishes)))

    return read


def asked(function, *args, **options):
    """A case: a call."""
    return lambda _folder: lambda: shown(function(*args, **options))


def zipped(*names):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name, "a,b\n1,2\n" if not name.endswith("/") else "")
    return packed.getvalue()


def pandas(path):
    """A file as pandas writes it: with an index, and one of two categories ordered."""
    frame = pl.DataFrame({"i": [4, 5], "a": ["u", "v"], "b": ["s", "t"]})
    noted = """{"index_columns": ["i", {"kind": "range"}], "columns": [
        {"field_name": "a", "pandas_type": "categorical", "metadata": {"ordered": true}},
        {"field_name": "b", "pandas_type": "categorical", "metadata": {"ordered": false}},
        {"field_name": "i", "pandas_type": "int64", "metadata": null}]}"""
    frame.write_parquet(path, metadata={"pandas": noted})


HEAD = "bool_in=1\nreal_in=1\nbool_out=0\nreal_out=1\ntraining_examples=1\nvalidation_examples=1\ntest_examples=1\n"
ARFF = "@relation r\n@attribute a numeric\n@attribute b {u, v, w}\n@attribute c string\n@data\n"
FILES = {
    "commas": file("t.csv", "a,b\n" + ROWS),
    "a separator that is named": file("t.csv", "a:b\n1:2\n", ":"),
    "tabs and vertical bars": file("t.tsv", "a\tb|c\td\n1\t2|3\t4\n"),
    "as many commas as semicolons": file("t.csv", "a;b,c\n1;2,3\n"),
    "the last line is cut short": file("t.csv", "a,b,c\n1,2,3\n4,5\n"),
    "no header": file("t.csv", ROWS, "", False),
    "names without text": file("t.csv", " ,b,\n1,2,3\n"),
    "names of numbers": file("t.csv", "1,2\n3,4\n"),
    "names twice": file("t.csv", "a,b,a,a\n1,2,3,4\n"),
    "windows": file("t.csv", "a,b\r\n1,\xe4\x80\r\n".encode("cp1252", "replace").replace(b"?", b"\x80")),
    "utf-16": file("t.csv", "a,b\n1,\u20ac\n".encode("utf-16")),
    "utf-16 cut short": file("t.csv", "a,b\n1,2\n".encode("utf-16")[:-1]),
    "a mark": file("t.csv", b"\xef\xbb\xbfa,b\n1,2\n"),
    "old ends of lines": file("t.csv", "a,b\r1,2\r3,4\r"),
    "empty lines everywhere": file("t.csv", "\n \na,b\n\n1,2\n\n3,4\n"),
    "empty lines before old ends": file("t.csv", "\r\ra,b\r1,2\r"),
    "only empty lines": file("t.csv", "\n \n\n"),
    "only a header": file("t.csv", "a,b\n"),
    "a zero byte": file("t.csv", b"a,b\n1,2\n3,\x00\n"),
    "lines of other lengths": file("t.csv", "a,b\n1,2\n3\n4,5,6\n7,8\n"),
    "other lengths below quotes": file("t.csv", 'a,b\n"1",2\n3,4,5\n'),
    "lines of faults": file("t.csv", "a,b\n1,2\n" + "1\n" * 1002 + "3,4\n" * 2000),
    "a quote that opens": file("t.csv", 'a,b\n"1",2\n3,"4\n5,6\n'),
    "a title above": file("t.csv", "made by me\na;b;c\n1;2;3\n4;5;6\n"),
    "one column": file("t.csv", "a\n1\n2\n"),
    "gzipped": file("t.csv.gz", gzip.compress(b"a,b\n1,2\n")),
    "gzipped under another name": file("t.csv", gzip.compress(b"\na,b\n1,2\n")),
    "gzipped and cut short": file("t.csv", gzip.compress(b"a,b\n1,2\n")[:-6]),
    "gzipped, named so and cut short": file("t.csv.gz", gzip.compress(b"a,b\n1,2\n")[:-6]),
    "zipped": file("t.csv.zip", zipped("f/", "f/t.csv")),
    "two files zipped": file("t.csv.zip", zipped("a", "b")),
    "compressed of old": file("t.dt.z", b"x"),
    "an ending of others": file("t.xlsx", b"x"),
    "an ending in capitals": file("T.CSV", "a,b\n" + ROWS),
    "no ending": file("table", "a,b\n1,2\n"),
    "a link in a circle": file("t.csv", lambda path: os.symlink("t.csv", path)),
    "a table of pandas": file("t.parquet", pandas),
    "no table of Parquet": file("t.parquet", b"x"),
    "no cases of Parquet": file("t.pq", lambda path: pl.DataFrame({"a": [0]}).clear().write_parquet(path)),
    "ARFF": file("t.arff", ARFF + "1,u,x\n?,v,'y z'\n{2 x}\n"),
    "ARFF of one value": file("t.arff", ARFF.replace("{u, v, w}", "{u}") + "1,u,x\n"),
    "ARFF of two values": file("t.arff", ARFF.replace("{u, v, w}", "{u,v}") + "1,u,x, {2}\n% no\n2,v,y\n"),
    "ARFF of one attribute": file("t.arff", "@attribute a string\n@data\nx y\n'u v'\n"),
    "ARFF by blanks": file("t.arff", ARFF + "1 u 'x y'\n"),
    "ARFF with names twice": file("t.arff", ARFF.replace("attribute b", "attribute a") + "1,u,x\n"),
    "ARFF that is faulty": file("t.arff", ARFF + "1,u\n1,'u,x\n{0 1, 0 2}\n{3 1}\n{1 u\n"),
    "dt": file("t.dt", HEAD + "1 2 3\n\n4 5 6\n7 8 9\n"),
    "dt with a mark": file("t.dt", b"\xef\xbb\xbf" + (HEAD + "1 2 3\n4 5 6\n7 8 9e0\n").encode()),
    "dt that is faulty": file(
        "t.dt", HEAD.replace("real_in=1", "real_in=x") + "bool_in=2\n1 2 3\n4 nan\nreal_out=1\n7 8 1e999\n"
    ),
    "dt of nothing": file("t.dt", HEAD.replace("_in=1", "_in=0")),
    "dt without a header": file("t.dt", "some words\n1 2 3\n"),
    "dt of too many": file("t.dt", HEAD + "1 2 3\n" * 4),
}  # fmt: skip
DAYS = [f"2024-{month:02d}-05" for month in range(1, 13)]
NOMINAL = {"x": Attribute(1, "x", "nominal", ("b", "a"), "what it is", "kg")}
WORDS = [*"abc"] * 4
COLUMNS = {
    "words": column([*"cba", None, " b ", "?", "NA"]),
    "words of numbers": column(["10", "9", "2", "9"], natures={"x": "nominal"}),
    "two words": column(["yes", "no"] * 3),
    "two words that are nominal": column(["yes", "no"] * 3, natures={"x": "nominal"}),
    "three words that are binary": column(WORDS, natures={"x": "binary"}),
    "one word that is binary": column(["a"] * 3, natures={"x": "binary"}),
    "words with an order": column(WORDS, orders={"x": ("c", "b", "a")}),
    "words outside an order": column(WORDS, orders={"x": ("c", "b")}),
    "a nature that is none": column(WORDS, natures={"x": "big"}),
    "101 words": column([f"w{number:03d}{'x' * 50}" for number in range(101)]),
    "101 words that are nominal": column([f"w{at}" for at in range(101)], natures={"x": "nominal"}),
    "missing words": column([*"1 2 3 ? NA N/A #N/A NaN nan NULL null None".split(), "", "na"]),  # noqa: SIM905
    "a word for missing": column(["1", "2", "-", "3"], missing=("-",)),
    "nothing": column([None, "?"]),
    "no numbers at all": column([None, None], natures={"x": "nominal"}),
    "numbers of a file that are missing": column([float("nan"), None]),
    "whole numbers": column([1, 2, 3]),
    "whole numbers that are real": column([1, 2, 3], natures={"x": "real"}),
    "whole numbers that are angular": column([1, 2, 360], natures={"x": "angular"}),
    "halves that are whole": column(["1", "2.5"], natures={"x": "integer"}),
    "numbers as words": column([1.0, 2.0, 10.0], natures={"x": "nominal"}),
    "halves as words": column([1.0, 2.5, 10.0], natures={"x": "ordinal"}),
    "two whole numbers": column(["0", "1", "1.0"]),
    "two halves": column(["0.5", "1", "1.0"]),
    "truths": column([True, False, None]),
    "truths that are real": column([True, False], natures={"x": "real"}),
    "large numbers": column(["1e15", "1", "2"]),
    "infinite": column(["1", "inf", "2"]),
    "no square": column(["1", "-1e151", "2"]),
    "lists": column(pl.Series([[1], [2]])),
    "days of a file": column(pl.Series(["2024-01-02", None]).str.to_date()),
    "moments of a file": column(pl.Series(["2024-01-02 12:00"]).str.to_datetime()),
    "categories": column(pl.Series(["a", "b", None], dtype=pl.Enum(["b", "a"]))),
    "what the file says": column(["a", "b", None], known=NOMINAL),
    "what the file does not say": column(["a", "c", "d"], known=NOMINAL),
    "numbers by the file": column([1.5, 2], known={"x": Attribute(1, "x", "real", parse_range("[0,9]"))}),
    "decimal commas": column(["1,5", "2,25", "-3"], decimal=","),
    "two decimal commas": column(["1,5", "2,2,5", "3"], decimal=","),
    "decimal commas not said": column(["1,5", "2.000,25"]),
    "thousands": column(["1,234", "12", "1,234,567.5"], thousands=","),
    "thousands not said": column(["1,234", "12", "1,234,567.5"]),
    "thousands of decimal commas": column(["1.234,5", "12", "1.234.567"], thousands=".", decimal=","),
    "thousands of two digits": column(["1,23", "12", "1,234"], thousands=","),
    "points among decimal commas": column(["1.5", "1,5"], decimal=","),
    "blanks between thousands": column(["12", *(f"{number} 000" for number in range(1, 12))]),
    "apostrophes": column([*(f"{number}'000" for number in range(1, 13))], name="y"),
    "ten with a unit": column([f"{number} kg" for number in range(10)]),
    "eleven with a unit": column([f"{number} kg" for number in range(11)]),
    "eleven with two units": column(["5 g", *(f"{number} kg" for number in range(11))]),
    "eleven with a currency": column([None, *(f"${number}.50" for number in range(11))]),
    "half of it words": column(["a", "b", "1", "2"]),
    "less than half of it words": column(["1", "a", "b", "2", "3"]),
    "words that are real": column(["a", "b", "1"], natures={"x": "real"}),
    "other digits": column(["\u0661\u0662", "\uff11\uff0e\uff15", "\u22125", "\uff0b7", "1\uff0c5"]),
    "dates": column(DAYS),
    "dates of which one is none": column([*DAYS, "2024-13-05"]),
    "dates that may be turned": column([f"{day:02d}/{day + 1:02d}/2024" for day in range(1, 11)]),
    "dates that say which is the month": column([f"05/{day:02d}/2024" for day in range(1, 29)]),
    "days that are the same turned": column(["05/05/2024", "06/06/2024"]),
}  # fmt: skip


def parts(values, name):
    """What a column may be for besides being an input."""
    made = values if isinstance(values, pl.Series) else pl.Series(values)
    time = roles.time_of(made, name)
    kinds = (roles.is_index, roles.is_identifier, roles.is_group)
    rest = [roles.is_unread_time(made), roles.counts_cases(made), roles.is_index(made, "x", [name])]
    return [kind(made, name) for kind in kinds] + rest + [time is not None and time.to_list()[:2]]


SPEC = """Title: some
origin: natural
usage: assessment
order: informative
attributes:
 2 b integer 0..9 # a count (kg)
 1 a real [0,1)
 # no attribute
 3 c nominal u v
"""
PROTO = """cases: all
origin: simulated
inputs: 1 b
order: retain
targets: c # the third
maximum-number-of-instances: 4
test-set-size: 20
training-set-sizes: 8 16
test-set-selection: common
"""
SIXTY = [f"p{number // 2}" for number in range(60)]
ATTRIBUTES = (
    Attribute(1, "a", "real", parse_range("[0,1)")),
    Attribute(2, "b", "integer", parse_range("0..9")),
    Attribute(3, "c", "nominal", ("u", "v", *map(str, range(10)))),
)


LAYOUT = {"letters": 1, "full_stop": True, "target_first": True}
COUNTED = (["x*10000"], ["x*10001"], ["x*9999", "y"], ["x*9999", "y*2"], ["x*0"], ["x*"], ["x y"])


A, SUM = ["a", "real", "[0,1]"], "0" * 64
GIVEN = {
    "attributes": ([A], [A[:2]], [[*A, "c", "u"]], [[*A, "c", "u", "v"]], [["a", "nominal", ["u"]]], []),
    "shape": ([3, 2], [3], [3, 2, 1], [0, 2], [3, True]),
    "partition": ([1, 2, 3], [1, 2], [1, 2, 3, 4], [1, 2, 0]),
    "targets": (["a"], [], [""], "a"),
    "files": ([["p", SUM, 0, "a"]], [["p", SUM[1:], 0, "a"]], [["p", "G" * 64, 0, "a"]], [["p", SUM, -1, "a"]]),
    "sums": ([SUM] * 3, [SUM] * 2, [SUM] * 4),
    "orders": (["a"] * 3, ["a"] * 2, ["a", "b", ""]),
    "layout": ({"separator": ";"}, {"separator": ";;"}, {"beside": 0}, {"skip": 0}, {"drop": [0, -1]}, {"other": 1}),
    "missing": ({"a": 0}, {"a": -1}, ["a"]),
    "like": ("a", ["a", "b"], [""], 1),
    "loader": ("iris", "boston"),
}  # fmt: skip
"""Values of the keys of a card, the first of each right."""


def right(key):
    """Which values of a key are."""
    rules = (
        entries.STANDIN | entries.PROBEN1_TOO | entries.PROBEN1 | entries.CARD_TOO | entries.CARD
    )
    return [rules[key].right(value) for value in GIVEN[key]]


def card_lines(*names):
    """Lines of a card with attributes of these names."""
    return [[name, "real", "[0,1]"] for name in names]


RANGES = (
    "[0, 1]",
    "(-Inf,Inf)",
    "[1,1]",
    "[2,1]",
    "3..3",
    "4..3",
    "-3..inf",
    "1.5..2",
    "1..10000",
    "1..10001",
)
RANGES += ("a", "a a", "a b", "[1 2]", "[x,1]", "[nan,1]", "[1e15,1e16]", "1e14..1e15")


def dataset_spec(text):
    return asked(spec.read_dataset_spec, text.encode(), "S")


def prototask(text):
    return asked(spec.read_prototask_spec, text.encode(), "P", ATTRIBUTES)


def ranged(text):
    try:
        made = parse_range(text)
        return f"{made!r} {made} {len(made.values()) if isinstance(made, IntegerRange) else ''}"
    except ValueError as error:
        return str(error)


def cases(*rows, complete=()):
    words = table.Words("D", [tuple(row.split()) for row in rows], [*range(4, 4 + len(rows))])
    return asked(table.columns, words, ATTRIBUTES, complete)


def card_file(text):
    """A case: the card of a user's dataset ``t``."""

    def read(folder):
        (folder / "card.toml").write_text(text)
        return lambda: shown(str(registry._user_card("t", Path(), ("taken",))))

    return read


OPEN = (
    Attribute(1, "x", "real", parse_range("(0,9)")),
    Attribute(1, "x", "real", parse_range("[0,9]")),
)
ENDS = table.Words("t", [("0",), ("9",)], [1, 2])
OTHERS = {
    "lines of text": asked(lambda: [[*lines(text, "t")] for text in (b"a\r\nb\rc", b"caf\xe9", b"\xc3\xa9")]),
    "a zero byte in text": asked(lambda: [*lines(b"a\nb\nc\x00", "t")]),
    "delimited words": asked(
        lambda: [
            table.read_delimited(b"x,y\n1 , 2\n\n3,4\n", "t", ",", skip=1),
            table.read_delimited(b"1\t 2 \r\n 3  4\r\n", "t"),
        ]
    ),
    "cases that go on": asked(table.read_cases, b"# note\n1 \\\n2\n\n3 4 @ p\n", "t"),
    "a case that goes on for ever": asked(table.read_cases, b"1\n2 \\\n3 \\\n", "t"),
    "ends of a range": asked(table.columns, ENDS, OPEN[1:]),
    "ends that are open": asked(table.columns, ENDS, OPEN[:1]),
    "a card that is no TOML": card_file("["),
    "a card of nothing": card_file(""),
    "a card of another": card_file("[datasets.u]\n[datasets.t]\ntitle = 1\n"),
    "a card of other tables": card_file("[others]\n[groups]\n[proben1]\nproblems = 1\n"),
    "cases with letters": asked(
        lambda: table.rearrange(table.Words("D", [("1", "uv", "2."), ("1",)], [1, 2]), LAYOUT)
    ),
    "twins": asked(printed.wine_twins),
    "pairs": asked(printed.concrete_pairs),

    **{
        f"parts: {name} {case}": asked(parts, values, name)
        for case, (name, values) in enumerate({
            "id": [*range(60)], "row_nr": [*range(3, 63)], "size": [*range(60)], "Unnamed: 0": [5, 3, 9],
            "value": [5, 3, 9], "customerID": [1, 1, 2, 3], "patient": SIXTY, "word": SIXTY, "school": [*range(30)] * 2,
            "x": [*range(30)] * 2, "age": [1.5, 2.5], "timestamp": [1.7e9, 1.71e9], "weight": [1.7e9, 1.71e9],
            "day": DAYS, "date of birth": DAYS, "when": ["2024-01-01"] * 3, "key": ["a", "b", None],
            "index": ["3", "1", "2"], "": [7, 8, 9], "group": ["a", "b"],
            "at": ["at 10:00 in 2024", "at 11:00 in 2024"],
        }.items())
    },
    "an order that rises": asked(roles.follows_order, pl.Series([2, 1, 3]), pl.Series([1.0, 0.5, 1.0])),
    "an order that falls": asked(roles.follows_order, pl.Series([2, 1, 3]), pl.Series([1.0, 1.5, 0.5])),
    "no order": asked(roles.follows_order, pl.Series([2, 1, 3]), pl.Series([1.0, 0.5, 0.7])),
    "an order of words": asked(roles.follows_order, pl.Series([2, 1, 3]), pl.Series(["b", "a", "c"])),
    "an order of one value": asked(roles.follows_order, pl.Series([2, 1, 3]), pl.Series([1.0, 1.0, 1.0])),
    "an order of two of a number": asked(roles.follows_order, pl.Series([1, 1, 3]), pl.Series([1.0, 2.0, 3.0])),
    "targets": asked(roles.other_targets, "y_1", ["y_1", "y_2", "yb", "label", "myTarget", "a"]),
    "targets by a letter": asked(roles.other_targets, "y_a", ["y_a", "y_b", "y", "c", "d"]),
    "half of them": asked(roles.other_targets, "y1", ["y1", "y2"]),
    "as many inputs": asked(roles.other_targets, "x1", ["x1", "x2", "x3", "y"]),
    "a specification": dataset_spec(SPEC),
    "a specification without a title": dataset_spec(SPEC.partition("\n")[2]),
    "a faulty specification": dataset_spec(
        SPEC.replace("2 b", "4 a").replace("usage: assessment", "usage: none\nusage: x\ncolour: y\nwords")
    ),
    "a specification with numbers twice": dataset_spec(
        SPEC.replace("2 b", "1 b").replace("[0,1)", "0..x").replace("nominal u v", "real u v")
    ),
    "a specification of nothing": dataset_spec("origin: natural\nusage: other\norder:\nattributes:\n"),
    "a specification of short lines": dataset_spec(SPEC.replace("0..9", "").replace("3 c", "x c")),
    "a prototask": prototask(PROTO),
    "a faulty prototask": prototask(
        PROTO.replace("1 b", "1 1 a 2 d 4").replace("targets: c", "targets: 2").replace("8 16", "8 8")
        .replace(": 20", ": 0").replace(": 4", ": 4 5")
    ),
    "a prototask that lacks keys": prototask("cases: all\ninputs:\norigin: x\ntest-set-selection: other\n"),
    "counted attributes of a card": asked(
        lambda: [entries.CARD["attributes"].right(card_lines(*names)) for names in COUNTED]
    ),
    **{f"{key} of a card": asked(right, key) for key in GIVEN},
    "cases": cases("0 9 u", "0.5 ? v", "? 0 9"),
    "cases with codes": cases("0 9 1.0", "0.5 3 2.00"),
    "faulty cases": cases("1 10 w", "-1 0.5 u", "x 1 v", "0 ? ?", complete=("c",)),
    "cases of other lengths": cases("0 9", "0.5 1 v u"),
    "no cases": cases(),
    **{f"range {text}": asked(ranged, text) for text in RANGES},
}  # fmt: skip


KINDS = {"file": FILES, "column": COLUMNS, "call": OTHERS}


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, some in KINDS.items() for name in some]
)
def test_what_is_made_and_said(kind, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    key, text = (
        f"{kind}: {name}",
        outcome(KINDS[kind][name](tmp_path)).replace(str(tmp_path), "HERE"),
    )
    held(Path(__file__).with_name("held.txt"), key, text)
