"""Bad input for ``benchbook proben1``: tables, specifications, partitions and places for the files."""

import os

import pytest

TABLE = "a,b,c,y\n" + "".join(
    f"{i % 40},{i * 0.5},{'xyz'[i % 3]},{'no' if i % 2 else 'yes'}\n" for i in range(20)
)
SPEC = """\
[[input]]
attribute = "a"
kind = "real"
range = [0, 39]
[[input]]
attribute = "b"
kind = "real"
range = [0, 10]
[[input]]
attribute = "c"
kind = "nominal"
values = ["x", "y", "z"]
[[output]]
attribute = "y"
kind = "binary"
values = ["no", "yes"]
"""
ENCODE = "proben1 encode t.csv --spec s.toml --out o1.dt"
GIVEN = {"t.csv": TABLE, "s.toml": SPEC}
LOGARITHM = 'kind = "logarithm"\nrange = '
COLUMNS = 100_000
WIDE = ",".join(f"c{number}" for number in range(COLUMNS))


def spec(old: str, new: str) -> dict[str, object]:
    assert old in SPEC
    return GIVEN | {"s.toml": SPEC.replace(old, new, 1)}


def table(content: object) -> dict[str, object]:
    return GIVEN | {"t.csv": content}


def value(word: str, column: str = "a") -> dict[str, object]:
    """The table with another value in its second case, on line 3."""
    index = "abcy".index(column)
    lines = TABLE.splitlines()
    words = lines[2].split(",")
    lines[2] = ",".join([*words[:index], word, *words[index + 1 :]])
    return table("\n".join(lines) + "\n")


def missing(rule: str) -> dict[str, object]:
    return spec("range = [0, 39]", f"range = [0, 39]\nmissing = {rule}")


SPECIFICATIONS = [
    (
        "lists within lists",
        GIVEN | {"s.toml": "a = " + "[" * 20_000},
        ENCODE,
        "lists or tables more than 50 deep",
    ),
    (
        "tables within tables",
        GIVEN | {"s.toml": "a = " + "{b = " * 20_000},
        ENCODE,
        "tables more than 50 deep",
    ),
    (
        "a key of 100,000 parts",
        GIVEN | {"s.toml": ".".join("a" * 100_000) + " = 1"},
        ENCODE,
        "more than 50 parts",
    ),
    (
        "a table of 50,000 parts",
        GIVEN | {"s.toml": f"[{'.'.join('a' * 50_000)}]"},
        ENCODE,
        "more than 50 parts",
    ),
    (
        "quoted parts",
        GIVEN | {"s.toml": ".".join(['"a b"'] * 50_000) + " = 1"},
        ENCODE,
        "more than 50 parts",
    ),
    (
        "parts with escapes",
        GIVEN | {"s.toml": ".".join(['"\\""'] * 50_000) + " = 1"},
        ENCODE,
        "more than 50 parts",
    ),
    (
        "lists of 60 levels",
        GIVEN | {"s.toml": "a = " + "[" * 60 + "]" * 60},
        ENCODE,
        "more than 50 deep",
    ),
    (
        "no UTF-8",
        GIVEN | {"s.toml": b"a = '\xff'"},
        ENCODE,
        ("s.toml", "the byte 0xff at place 5 is no UTF-8"),
    ),
    (
        "a byte order mark",
        GIVEN | {"s.toml": "\ufeff" + SPEC},
        ENCODE,
        "save it as UTF-8 without one",
    ),
    (
        "no TOML",
        GIVEN | {"s.toml": TABLE},
        ENCODE,
        ("s.toml cannot be read as TOML", "line 1", "proben1 spec TABLE"),
    ),
    (
        "too large",
        GIVEN | {"s.toml": "#" * (17 << 20)},
        ENCODE,
        "17825792 bytes, more than 16777216",
    ),
    (
        "empty",
        GIVEN | {"s.toml": ""},
        ENCODE,
        ("no input that is not ignored", "no output that is not ignored"),
    ),
    (
        "an attribute with a control character",
        spec('"b"', '"b\\u0000"'),
        ENCODE,
        "no column 'b\\x00'",
    ),
    (
        "a limit of 400 digits",
        spec("39]", "1" + "0" * 400 + "]"),
        ENCODE,
        "input[0].range[1] is a whole number beyond",
    ),
    (
        "a limit of 5000 digits",
        spec("39]", "1" + "0" * 5000 + "]"),
        ENCODE,
        "a whole number beyond 64 bits",
    ),
    (
        "a limit of 5000 hexadecimal digits",
        spec("39]", "0x" + "f" * 5000 + "]"),
        ENCODE,
        "beyond 64 bits",
    ),
    (
        "a limit that is no number",
        spec("[0, 39]", "[nan, 39]"),
        ENCODE,
        ("input a", "nan to 39; two finite numbers"),
    ),
    (
        "an infinite limit",
        spec("[0, 39]", "[0, inf]"),
        ENCODE,
        ("input a", "0 to inf; two finite numbers"),
    ),
    (
        "limits too far apart",
        spec("[0, 39]", "[-1e308, 1e308]"),
        ENCODE,
        "-1e+308 to 1e+308; two finite numbers",
    ),
    ("limits in the wrong order", spec("[0, 39]", "[39, 0]"), ENCODE, "the smaller one first"),
    ("limits in quotes", spec("[0, 39]", '["0", "39"]'), ENCODE, "two numbers"),
    ("three limits", spec("[0, 39]", "[0, 1, 39]"), ENCODE, "two numbers"),
    ("limits that are truths", spec("[0, 39]", "[false, true]"), ENCODE, "two numbers"),
    ("a range that is a table", spec("[0, 39]", "{low = 0}"), ENCODE, "two numbers"),
    (
        "a logarithm below 0",
        spec('kind = "real"\nrange = [0, 39]', f"{LOGARITHM}[-1, 39]"),
        ENCODE,
        "needs 0 or more",
    ),
    ("no range", spec("range = [0, 39]\n", ""), ENCODE, ("input a", "no key 'range'")),
    (
        "a key that means nothing",
        spec("range = [0, 39]", "range = [0, 39]\nunit = 'm'"),
        ENCODE,
        "key 'unit'",
    ),
    (
        "an unknown kind",
        spec('kind = "real"', 'kind = "reel"'),
        ENCODE,
        ("input a", "kind 'reel'; one of real"),
    ),
    (
        "a kind that is a list",
        spec('kind = "nominal"', 'kind = ["nominal"]'),
        ENCODE,
        ("input c", "no key 'kind'"),
    ),
    ("an attribute that is a list", spec('"c"', '["c"]'), ENCODE, "no key 'attribute'"),
    ("no attribute", spec('attribute = "c"\n', ""), ENCODE, ("input 3", "no key 'attribute'")),
    (
        "values that are numbers",
        spec('["x", "y", "z"]', "[1, 2, 3]"),
        ENCODE,
        "a list of words, in quotes",
    ),
    ("no values", spec('["x", "y", "z"]', "[]"), ENCODE, ("input c", "0 values; at least two")),
    ("a value twice", spec('["x", "y", "z"]', '["x", "x"]'), ENCODE, "each value comes once"),
    (
        "three values of a binary",
        spec('["no", "yes"]', '["no", "yes", "?"]'),
        ENCODE,
        "exactly two",
    ),
    (
        "a value with a blank",
        spec('"x"', '"x "'),
        ENCODE,
        ("t.csv, line 2, c", "the values are x , y, z"),
    ),
    ("an attribute twice", spec('"b"', '"a"'), ENCODE, "each attribute comes once"),
    (
        "an input that is an output",
        spec('attribute = "y"', 'attribute = "a"'),
        ENCODE,
        "each attribute comes once",
    ),
    (
        "an attribute the table lacks",
        spec('"b"', '"q"'),
        ENCODE,
        ("no column 'q'", "it has a, b, c, y"),
    ),
    (
        "a heading that is 1",
        GIVEN | {"s.toml": "heading = 1\n" + SPEC},
        ENCODE,
        "heading: found 1; true or false",
    ),
    (
        "a separator of two letters",
        GIVEN | {"s.toml": "separator = ',,'\n" + SPEC},
        ENCODE,
        "',,'; one letter",
    ),
    (
        "a separator that is a quote",
        GIVEN | {"s.toml": "separator = '\"'\n" + SPEC},
        ENCODE,
        "neither a quote",
    ),
    (
        "a separator that ends lines",
        GIVEN | {"s.toml": 'separator = "\\n"\n' + SPEC},
        ENCODE,
        "the end of a line",
    ),
    (
        "a separator of letters in values",
        GIVEN | {"s.toml": 'separator = "x"\n' + SPEC},
        ENCODE,
        "t.csv, line 2",
    ),
    (
        "missing words in a list of lists",
        GIVEN | {"s.toml": "missing = [['x']]\n" + SPEC},
        ENCODE,
        "a list of words",
    ),
    (
        "an unknown key at the top",
        GIVEN | {"s.toml": "colour = 1\n" + SPEC},
        ENCODE,
        "key 'colour'; the keys are",
    ),
    ("inputs that are a text", GIVEN | {"s.toml": 'input = "a"'}, ENCODE, "write [[input]]"),
    (
        "inputs that are texts",
        GIVEN | {"s.toml": 'input = ["a"]\noutput = [1]'},
        ENCODE,
        "input 1: found 'a'; a table",
    ),
    (
        "inputs in one table",
        GIVEN | {"s.toml": SPEC.replace("[[output]]", "[output]")},
        ENCODE,
        "write [[output]]",
    ),
    (
        "a missing value that is a list",
        missing("[1]"),
        ENCODE,
        ("input a", "[1]; a word or a number"),
    ),
    (
        "a missing value that is a truth",
        missing("true"),
        ENCODE,
        ("input a", "True; a word or a number"),
    ),
    ("a missing value that is a date", missing("2020-01-01"), ENCODE, "a word or a number"),
    ("a missing value that is no number", missing("nan"), ENCODE, "a finite number is wanted"),
    (
        "a missing value outside the range",
        missing("1e9"),
        ENCODE,
        ("input a", "the range is 0 to 39"),
    ),
    (
        "a missing value of a nominal, a list",
        spec('["x", "y", "z"]', '["x", "y", "z"]\nmissing = [1]'),
        ENCODE,
        ("input c", "a word or a number"),
    ),
    (
        "a missing value that is no value",
        spec('["x", "y", "z"]', '["x", "y", "z"]\nmissing = "q"'),
        ENCODE,
        "the values are x, y, z; or none, or indicator",
    ),
    (
        "only ignored inputs",
        GIVEN | {"s.toml": SPEC.replace("real", "ignore").replace("nominal", "ignore")},
        ENCODE,
        "no input that is not ignored",
    ),
    (
        "a specification that is a folder",
        GIVEN | {"d": None},
        "proben1 encode t.csv --spec d --out o1.dt",
        "directory",
    ),
    (
        "no such specification",
        GIVEN,
        "proben1 encode t.csv --spec q.toml --out o1.dt",
        "q.toml' does not exist",
    ),
]

TABLES = [
    (
        "a value far outside the range",
        value("1000000000"),
        ENCODE,
        ("t.csv, line 3, a", "the range is 0 to 39"),
    ),
    (
        "a value just outside the range",
        value("39.001"),
        ENCODE,
        ("line 3, a", "'39.001'; the range is 0 to 39"),
    ),
    (
        "a value outside a logarithm's range",
        GIVEN | {"s.toml": SPEC.replace('kind = "real"\nrange = [0, 39]', f"{LOGARITHM}[0, 10]")},
        ENCODE,
        ("line 13, a", "the range is 0 to 10"),
    ),
    (
        "a value below a logarithm's range",
        GIVEN | {"s.toml": SPEC.replace('kind = "real"\nrange = [0, 39]', f"{LOGARITHM}[5, 39]")},
        ENCODE,
        ("line 2, a", "the range is 5 to 39"),
    ),
    (
        "nan",
        value("nan"),
        ENCODE,
        ("t.csv, line 3, a", "a missing value needs a fixed value or an indicator"),
    ),
    ("infinity", value("inf"), ENCODE, ("t.csv, line 3, a", "'inf'; a finite number is wanted")),
    ("a number too large", value("1e999"), ENCODE, "'1e999'; a finite number is wanted"),
    ("a number with an underscore", value("1_0"), ENCODE, "'1_0'; a finite number is wanted"),
    ("digits of another script", value("١"), ENCODE, "a finite number is wanted"),
    ("a decimal comma", value('"1,5"'), ENCODE, "'1,5'; a finite number is wanted"),
    ("a word for a number", value("one"), ENCODE, "'one'; a finite number is wanted"),
    (
        "an unknown word",
        value("w", "c"),
        ENCODE,
        ("t.csv, line 3, c", "'w'; the values are x, y, z"),
    ),
    (
        "a word of 200,000 letters",
        value("x" * 200_000, "c"),
        ENCODE,
        ("line 3, c", "(200002 characters)"),
    ),
    (
        "a missing value",
        value("?"),
        ENCODE,
        ("t.csv, line 3, a", "a missing value needs a fixed value"),
    ),
    ("an empty table", table(""), ENCODE, "t.csv: found no cases"),
    ("only a heading", table("a,b,c,y\n"), ENCODE, "t.csv: found no cases"),
    ("three cases", table(TABLE[:45].rpartition("\n")[0]), ENCODE, "it takes at least 4"),
    ("zero bytes", table(b"a,b\n1,\x00\n"), ENCODE, ("t.csv, line 2", "a zero byte")),
    ("UTF-16", table(TABLE.encode("utf-16")), ENCODE, "a zero byte; data files are text"),
    ("a short line", table(TABLE + "1,2\n"), ENCODE, ("line 22", "2 values; there are 4 columns")),
    (
        "a long line",
        table(TABLE + "1,2,x,no,no\n"),
        ENCODE,
        ("line 22", "5 values; there are 4 columns"),
    ),
    ("an open quote", value('"1'), ENCODE, ("line 3", "1 values; there are 4 columns")),
    ("two columns of one name", table(TABLE.replace("b", "a", 1)), ENCODE, "2 columns called 'a'"),
    (
        "a column without a name",
        table(TABLE.replace("b", "", 1)),
        ENCODE,
        "a column without a name",
    ),
    (
        "100,000 columns",
        table(f"{WIDE}\n" + (("1," * COLUMNS)[:-1] + "\n") * 5),
        ENCODE,
        "no column 'a'; it has c0, c1, c2",
    ),
    (
        "100,000 columns of one name",
        table("c," * COLUMNS + "y\n" + "1," * COLUMNS + "1\n"),
        ENCODE,
        "100000 columns called 'c'",
    ),
    (
        "a packed table cut short",
        {"t.gz": b"\x1f\x8b\x08", "s.toml": SPEC},
        ENCODE.replace("t.csv", "t.gz"),
        "a packed file must be whole",
    ),
    (
        "a zip of nothing",
        {"t.zip": b"PK\x05\x06" + bytes(18), "s.toml": SPEC},
        ENCODE.replace("t.csv", "t.zip"),
        "holds 0 files",
    ),
    (
        "an old packing",
        {"t.Z": b"\x1f\x9d", "s.toml": SPEC},
        ENCODE.replace("t.csv", "t.Z"),
        "gzip -d",
    ),
    (
        "a table that is a folder",
        {"d": None, "s.toml": SPEC},
        ENCODE.replace("t.csv", "d"),
        "directory",
    ),
    ("a table that is not there", GIVEN, ENCODE.replace("t.csv", "q.csv"), "q.csv' does not exist"),
]

OPTIONS = [
    ("a negative seed", GIVEN, f"{ENCODE} --seed -1", ("--seed", "-1 is not in the range")),
    ("a seed beyond 64 bits", GIVEN, f"{ENCODE} --seed {2**63}", "is not in the range"),
    ("a seed that is no whole number", GIVEN, f"{ENCODE} --seed 1.5", "is not a valid integer"),
    ("no files", GIVEN, f"{ENCODE} --permutations 0", "--permutations"),
    ("100 files", GIVEN, f"{ENCODE} --permutations 100", "--permutations"),
    ("two shares", GIVEN, f"{ENCODE} --partition 50/50", "three numbers above 0"),
    ("a share of 0", GIVEN, f"{ENCODE} --partition 0/50/50", "three numbers above 0"),
    ("shares of more than all", GIVEN, f"{ENCODE} --partition 50/50/50", "adding up to 100"),
    (
        "a share that is no number",
        GIVEN,
        f"{ENCODE} --partition nan/50/50",
        "three numbers above 0",
    ),
    (
        "a share of 5000 digits",
        GIVEN,
        f"{ENCODE} --partition {'1' * 5000}/1/1",
        "(5006 characters)",
    ),
    (
        "shares in digits of another script",
        GIVEN,
        f"{ENCODE} --partition ５０/25/25",
        "three numbers above 0",
    ),
    (
        "shares that leave no test cases",
        GIVEN,
        f"{ENCODE} --partition 99.98/0.01/0.01",
        "leaves one of the three",
    ),
    ("no place", GIVEN, ["proben1", "encode", "t.csv", "--spec", "s.toml"], "--out"),
    ("an empty place", GIVEN, ENCODE.replace("o1.dt", "''"), "an empty path; name a file"),
    ("a place that is a folder", GIVEN | {"o1.dt": None}, ENCODE, "directory"),
    (
        "a second file that is a folder",
        GIVEN | {"o2.dt": None},
        ENCODE,
        "o2.dt: found a folder; give another name",
    ),
    (
        "a place below a file",
        GIVEN | {"f": ""},
        ENCODE.replace("o1", "f/o1"),
        "a part of that path is a file",
    ),
    (
        "a place in no folder's reach",
        GIVEN,
        ENCODE.replace("o1", "/proc/q/o1"),
        "its folder cannot be made there",
    ),
    (
        "a place below a device",
        GIVEN,
        ENCODE.replace("o1", "/dev/null/o1"),
        "a part of that path is a file",
    ),
    ("a name that is too long", GIVEN, ENCODE.replace("o1", "o" * 300), "a name that is too long"),
    (
        "a name too long with its number",
        GIVEN,
        ENCODE.replace("o1", "o" * 251),
        "that name is too long",
    ),
    (
        "a folder's name that is too long",
        GIVEN,
        ENCODE.replace("o1", "o" * 300 + "/o1"),
        "a name that is too long",
    ),
    (
        "a path that is too long",
        GIVEN,
        ENCODE.replace("o1", "o/" * 3000 + "o1"),
        "a name that is too long",
    ),
    (
        "a link in a circle",
        GIVEN | {"q": lambda place: os.symlink("q", place)},
        ENCODE.replace("o1", "q/o1"),
        "a link that leads in a circle",
    ),
    (
        "a zero byte in a path",
        GIVEN,
        ["proben1", "encode", "t.csv", "--spec", "s.toml", "--out", "a\0b"],
        "zero byte",
    ),
    (
        "the table as the place",
        {"t1.dt": TABLE, "s.toml": SPEC},
        "proben1 encode t1.dt --spec s.toml --out t1.dt",
        "t1.dt: found the file t1.dt, which is read",
    ),
    (
        "the specification as the place",
        {"t.csv": TABLE, "s1.dt": SPEC},
        "proben1 encode t.csv --spec s1.dt --out s.dt",
        "s1.dt: found the file s1.dt, which is read",
    ),
    (
        "a link to the table as the place",
        GIVEN | {"o1.dt": lambda place: os.symlink("t.csv", place)},
        ENCODE,
        "o1.dt: found the file t.csv, which is read",
    ),
]

OTHERS = [
    ("spec of an empty table", table(""), "proben1 spec t.csv", "no cases"),
    ("spec of random bytes", table(bytes(range(256))), "proben1 spec t.csv", "a zero byte"),
    (
        "spec of one column",
        table("a\n1\n2\n"),
        "proben1 spec t.csv",
        "no column left for the inputs",
    ),
    (
        "spec with an unknown output",
        GIVEN,
        "proben1 spec t.csv --output q",
        "no column 'q'; it has a, b, c, y",
    ),
    (
        "spec with every column an output",
        GIVEN,
        "proben1 spec t.csv --output a --output b --output c --output y",
        "no column left for the inputs",
    ),
    (
        "spec with an output twice",
        GIVEN,
        "proben1 spec t.csv --output y --output y",
        "'y' 2 times; name each once",
    ),
    (
        "spec with a separator of two letters",
        GIVEN,
        "proben1 spec t.csv --separator ,,",
        "one letter",
    ),
    (
        "spec with a quote for a separator",
        GIVEN,
        "proben1 spec t.csv --separator '\"'",
        "neither a quote",
    ),
    (
        "spec with a zero byte for a separator",
        GIVEN,
        ["proben1", "spec", "t.csv", "--separator", "\0"],
        "one letter",
    ),
    (
        "spec with a letter of the table for a separator",
        GIVEN,
        "proben1 spec t.csv --separator x",
        "1 columns",
    ),
    ("spec of a table that is not there", {}, "proben1 spec q.csv", "q.csv' does not exist"),
    (
        "spec of 100,000 columns of one name",
        table("c," * COLUMNS + "y\n"),
        "proben1 spec t.csv",
        "no cases",
    ),
    (
        "rebuild an unknown problem",
        {},
        "proben1 rebuild q",
        "PROBEN1 has no problem 'q'; it has building",
    ),
    ("rebuild nothing", {}, "proben1 rebuild ''", "PROBEN1 has no problem ''"),
    ("rebuild a permutation", {}, "proben1 rebuild cancer1", "PROBEN1 has no problem 'cancer1'"),
    ("rebuild without the originals", {}, "proben1 rebuild cancer", "is not available", 3),
]

BAD = [*SPECIFICATIONS, *TABLES, *OPTIONS, *OTHERS]


def test_bad_input_is_refused(bad, refused):
    refused(bad)


@pytest.mark.parametrize("seed", [0, 2**63 - 1])
def test_the_seeds_at_both_ends_are_taken(seed, tmp_path, monkeypatch, refused):
    with pytest.raises(AssertionError, match="exit code 0"):
        refused(("", GIVEN, f"{ENCODE} --seed {seed}", ""))
