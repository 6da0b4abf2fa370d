"""Every kind of bad number, line, table and manifest is told with its file, place, value and rule."""

import io
import re
import sys
from csv import reader
from pathlib import Path
from subprocess import TimeoutExpired
from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import polars as pl
import pytest
from printed import held

from benchbook.predictive import Categorical, Quantiles, save
from benchbook_book.course import challenge
from benchbook_book.course.challenge import Asked, parquet_child
from benchbook_book.course.challenge import parquet as reading
from benchbook_book.course.challenge.findings import (
    Findings,
    SubmissionLimits,
    Unreadable,
    as_csv,
    report,
)
from benchbook_book.course.challenge.manifest import Promise

GAUSSIAN = {"task": "fuel/test", "file": "a.txt", "kind": "gaussian"}
OWN_LEVELS = GAUSSIAN | {"kind": "quantiles"}
QUANTILES = OWN_LEVELS | {"levels": [0.1, 0.5, 0.9]}
PROBABILITY = {"task": "ill/test", "file": "a.txt", "kind": "probability"}


def lines(numbers, kind="real"):
    """The same numbers for every case, behind its id."""
    return [f"{f'car-{i}' if kind == 'real' else 100 + i} {numbers}".strip() for i in range(8)]


def swap(prediction, place, line, kind="real"):
    """Good lines with another one at a place."""
    good = {"gaussian": "1.5 2", "probability": "0.25", "quantiles": "1 2 3"}[prediction["kind"]]
    if prediction["kind"] == "quantiles" and "levels" not in prediction:
        good = "0.1 0.5 0.9 1 2 3"
    changed = lines(good, kind)
    changed[place] = line
    return changed


@pytest.mark.parametrize(
    ("prediction", "line", "said"),
    [
        (
            GAUSSIAN,
            "car-3 nan 1",
            "a.txt, line 4, case car-3, mean: found 'nan'; must be a finite number",
        ),
        (
            GAUSSIAN,
            "car-3 1 inf",
            "line 4, case car-3, variance: found 'inf'; must be a finite number",
        ),
        (GAUSSIAN, "car-3 1 0", "line 4, case car-3, variance: found 0.0; must be greater than 0"),
        (
            GAUSSIAN,
            "car-3 1 -2",
            "line 4, case car-3, variance: found -2.0; must be greater than 0",
        ),
        (GAUSSIAN, "car-3 1 1e-250", "variance: found 1e-250; must be at least 1e-200"),
        (GAUSSIAN, "car-3 1e101 1", "mean: found 1e+101; must be within 1e+100 of zero"),
        (GAUSSIAN, "car-3 1e400 1", "mean: found '1e400'; must be a finite number"),
        (GAUSSIAN, "car-3 abc 1", "mean: found 'abc'; must be a number"),
        (GAUSSIAN, "car-3 1_0 1", "mean: found '1_0'; must be a number"),
        (GAUSSIAN, "car-3 0x1p3 1", "mean: found '0x1p3'; must be a number"),
        (GAUSSIAN, "car-3 ١٢ 1", "must be a number"),
        (GAUSSIAN, "car-3 1,5 1", "found '1,5'; must be a number with a point, not a comma"),
        (GAUSSIAN, "car-3 1", "line 4: found 2 values; must be 3, as in the first line"),
        (GAUSSIAN, "car-99 1 1", "line 4: found the case id 'car-99'; must be a case of the task"),
        (GAUSSIAN, "car-99 1 1", "case car-3: found no prediction; must have one"),
        (
            GAUSSIAN,
            "car-2 1 1",
            "line 4: found the case id 'car-2'; must be there once; line 3 has it too",
        ),
        (GAUSSIAN, f"car-3 {'9' * 500_000}x 1", "(500001 characters)"),
        (GAUSSIAN, "\x1b[31m 1 1", r"'\x1b[31m'"),
        (
            QUANTILES,
            "car-3 1 1 3",
            "quantile 0.5: found 1.0; must be greater than the quantile before it, and is equal",
        ),
        (
            QUANTILES,
            "car-3 1 3 2",
            "quantile 0.9: found 2.0; must be greater than the quantile before it, and is less",
        ),
        (QUANTILES, "car-3 0 1e-210 2", "and is too near 0.0"),
        (
            OWN_LEVELS,
            "car-3 0 0.5 0.9 1 2 3",
            "level 0: found 0.0; must be strictly between 0 and 1",
        ),
        (
            OWN_LEVELS,
            "car-3 0.1 0.5 1 1 2 3",
            "level 2: found 1.0; must be strictly between 0 and 1",
        ),
        (
            OWN_LEVELS,
            "car-3 0.5 0.1 0.9 1 2 3",
            "level 1: found 0.1; must be greater than the level before it",
        ),
        (
            PROBABILITY,
            "103 1.25",
            "a.txt, line 4, case 103, probability: found 1.25; must be between 0 and 1",
        ),
        (PROBABILITY, "103 -0.1", "probability: found -0.1; must be between 0 and 1"),
    ],
)
def test_a_bad_line_is_told_with_place_value_and_rule(one_file, prediction, line, said):
    kind = "class" if prediction is PROBABILITY else "real"
    assert said in one_file(prediction, swap(prediction, 3, line, kind))


@pytest.mark.parametrize("prediction", [GAUSSIAN, QUANTILES, OWN_LEVELS, PROBABILITY])
def test_good_lines_are_valid_with_ids_in_any_order_and_without(one_file, prediction):
    kind = "class" if prediction is PROBABILITY else "real"
    good = swap(prediction, 0, swap(prediction, 1, "", kind)[0], kind)
    assert one_file(prediction, good[::-1]).endswith("is valid")
    assert one_file(prediction, "\ufeff" + "\n".join(good)).endswith("is valid")
    bare = [line.partition(" ")[2] for line in good]
    assert one_file(prediction, ["# a comment", *bare, "", "  "]).endswith("is valid")
    assert "found 7 predictions; must be one for each of the 8 cases" in one_file(
        prediction, bare[:7]
    )
    assert "found 9 predictions" in one_file(prediction, [*bare, bare[0]])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "a.txt: found an empty file; must have a prediction for each of the 8 cases"),
        (b"\n# nothing\n", "a.txt: found no predictions"),
        ("car-0 1 1\n".encode("utf-16"), "found a file in UTF-16"),
        ("car-0 1 1\n".encode("utf-16-le"), "found a byte 0x00"),
        ("car-0 1 1\n".encode("utf-32"), "found a file in UTF-32"),
        (
            b"car-0 1 1\ncar-\xe9 1 1\n",
            "line 2: found the byte 0xe9 at place 5; must be plain text in UTF-8",
        ),
        (b"\x1f\x8b\x08\x00rest", "found a compressed file under another name"),
        (
            b"1 2 3 4 5\n",
            "found 5 values in line 1; must be mean and variance, with or without a case id",
        ),
        (b"1" * 2_000_000, "found a line of more than 1 MiB"),
        (b"car-0;1;1\n", "found 1 values in line 1"),
        (b"\n" * 20_000, "found more than 10016 lines; must be one for each of the 8 cases"),
        (b"car-0 x x\n" * 9000, "9008 faults in 1 place"),
        (b"\n".join(b"car-%d 1 1" % (k % 8) for k in range(10_016)), "10008 faults in 1 place"),
        (b"mean variance\ncar-0 1 1\n1 1\n", "line 3: found 2 values; must be 3, as in the first"),
    ],
)
def test_a_bad_file_is_told(one_file, content, said):
    assert said in one_file(GAUSSIAN, content)


CSV = GAUSSIAN | {"file": "a.csv"}
CSV_QUANTILES = OWN_LEVELS | {"file": "a.csv"}


def csv(header, numbers):
    return "\r\n".join([header, *(f"{line.split()[0]},{numbers}" for line in lines(""))])


@pytest.mark.parametrize(
    ("prediction", "content", "said"),
    [
        (CSV, csv("case,mean,variance", "1,2"), "is valid"),
        (CSV, csv('"case", "Variance",mean', "2,1"), "is valid"),
        (CSV_QUANTILES, csv("case,0.9,0.1,0.5", "3,1,2"), "is valid"),
        (CSV_QUANTILES, csv("case,level 1,quantile 1,level 2,quantile 2", ".2,1,.8,2"), "is valid"),
        (
            CSV,
            csv("case;mean;variance", "1,2"),
            "header: found 'case;mean;variance'; must have commas between",
        ),
        (CSV, csv("mean,variance,sd", "1,2"), "must have the column case"),
        (
            CSV,
            csv("case,mean", "1"),
            "header: found 'mean'; must be mean and variance besides case",
        ),
        (CSV, csv("case,mean,mean", "1,2"), "header: found a column named twice"),
        (
            CSV,
            csv("case,mean,variance", "1,2,3"),
            "line 2: found 4 values; must be 3, as in the header",
        ),
        (
            CSV,
            csv("case,mean,variance", ",2"),
            "line 2, case car-0, mean: found ''; must be a number",
        ),
        (CSV, "", "a.csv: found an empty file"),
        (CSV, '"case,mean,variance\n', "found line 1, which is no CSV"),
        (
            CSV_QUANTILES,
            csv("case,0.1,1.5", "1,2"),
            "must be levels that differ, strictly between 0 and 1",
        ),
        (CSV_QUANTILES, csv("case,0.1,0.10", "1,2"), "must be levels that differ"),
        (CSV_QUANTILES, csv("case,0,0.5", "1,2"), "strictly between 0 and 1"),
        (CSV_QUANTILES, csv("case,0.5,1", "1,2"), "strictly between 0 and 1"),
        (CSV_QUANTILES, csv("case,low,high", "1,2"), "must be levels such as 0.05"),
        (
            CSV_QUANTILES,
            csv("case,level 1,quantile 2,level 2,quantile 3", "1,1,1,1"),
            "with the same numbers",
        ),
        (CSV_QUANTILES, csv("case,level 1,quantile 1", ".5,1"), "at least two, with the same"),
        (
            CSV_QUANTILES,
            csv("case,level 1,level 01,quantile 1,quantile 01", ".5,.6,1,2"),
            "as many columns level as quantile",
        ),
        (
            QUANTILES | {"file": "a.csv"},
            csv("case,0.1,0.5,0.9", "1,2,3"),
            "found [0.1, 0.5, 0.9]; must be left out",
        ),
        (CSV, "\n \n", "no header; must name the columns; see what is asked of gaussian files"),
        (CSV, "case\tmean\tvariance\n", "must have commas between the columns"),
        (CSV, "mean,variance,case\n1,2,car-0\n1,2\n1,2,car-1,x\n", "line 3: found 2 values"),
        (CSV_QUANTILES, csv("case,0.5", "1"), "must be 2 to 5000 quantiles besides case"),
    ],
)
def test_csv(one_file, prediction, content, said):
    assert said in one_file(prediction, content)


def parquet(columns):
    out = io.BytesIO()
    pl.DataFrame(columns, strict=False).write_parquet(out)
    return out.getvalue()


CASES = [line.split()[0] for line in lines("")]
PARQUET = {
    "numbers": {"case": CASES, "variance": [2.0] * 8, "Mean": range(8)},
    "no numbers": {
        "case": CASES,
        "mean": [1.0, None, np.nan, np.inf, -np.inf, *[1.0] * 3],
        "variance": [1.0] * 8,
    },
    "words": {"case": CASES, "mean": ["x"] * 8, "variance": [2.0] * 8},
    "without case": {"mean": [1.0] * 8, "variance": [2.0] * 8},
    "case of halves": {"case": [0.5] * 8, "mean": [1.0] * 8},
    "whole case": {"case": range(8), "mean": [1.0] * 8, "variance": [2.0] * 8},
    "long case": {"case": ["x" * 250, None, *CASES[2:]], "mean": [1.0] * 8, "variance": [2.0] * 8},
    "one more": {"case": [*CASES, "x"], "mean": [1.0] * 9, "variance": [2.0] * 9},
    "lists": {"case": CASES, "mean": [[1.0, 2.0]] * 8, "variance": [2.0] * 8},
    "kind": {"case": CASES, "kind": ["quantiles"] * 8, "mean": [1.0] * 8, "variance": [2.0] * 8},
    "wide": {"case": CASES, **{f"x{k}": [1.0] * 8 for k in range(8)}},
    "as wide as may be": {"case": CASES, **{f"x{k}": [1.0] * 8 for k in range(7)}},
    "quantiles": {"case": CASES, "format": ["f"] * 8, "0.9": [2.0] * 8, "0.1": range(8)},
    "quantiles levels": {
        "value": [[k, k + 1.0] for k in range(8)],
        "case": CASES,
        "level": [[0.1, 0.9]] * 8,
    },
    "quantiles one level": {"case": CASES, "level": [[0.1]] * 8, "value": [[1.0]] * 8},
    "quantiles unlike": {"case": CASES, "level": [[0.1, 0.9]] * 8, "value": [[1.0, 2, 3]] * 8},
    "quantiles long": {"case": CASES, "level": [[0.1] * 9] * 8, "value": [[1.0]] * 8},
    "quantiles together": {"case": CASES, "level": [[0.1] * 5] * 8, "value": [[1.0] * 5] * 8},
    "quantiles uneven": {"case": CASES, "level": [[0.1], *[[0.1, 0.9]] * 7]},
    "quantiles empty": {"case": CASES, "level": pl.Series([[]] * 8, dtype=pl.List(pl.Float64))},
    "probability": {"case": CASES, "probability": [[0.25, 0.75]] * 8, "kind": ["categorical"] * 8},
    "probability of one": {"case": CASES, "probability": [0.25] * 8},
    "damaged": None,
}


@pytest.fixture
def here(monkeypatch):
    """Parquet files are decoded in this process, by what the other one is given and prints; its bounds."""
    bounds = []

    def run(command, input, timeout, env, **_):
        assert (command[1], timeout, env["POLARS_MAX_THREADS"]) == ("-P", 120, "1")
        out = io.BytesIO()
        with monkeypatch.context() as child:
            child.setattr("sys.argv", command[2:])
            child.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(input)))
            child.setattr("sys.stdout", SimpleNamespace(buffer=out))
            parquet_child.main()
        return SimpleNamespace(stdout=out.getvalue(), returncode=0)

    monkeypatch.setattr(reading.subprocess, "run", run)
    monkeypatch.setattr(parquet_child, "_limit", lambda *given: bounds.append(given))
    return bounds


@pytest.mark.parametrize("name", PARQUET)
def test_a_parquet_file_is_read_or_told_what_is_wrong(here, name):
    raw = b"PAR1" if PARQUET[name] is None else parquet(PARQUET[name])
    kind = name.partition(" ")[0] if name[:4] in ("quan", "prob") else "gaussian"
    findings, asked = Findings(9), Asked("t/test", "real", tuple(CASES))
    promise, limits = Promise("t/test", "a.parquet", kind), SubmissionLimits(levels=2)
    try:
        sheet = reading.read_parquet(raw, promise, asked, findings, limits)
        rows = (
            []
            if sheet is None
            else [sheet.layout, sheet.line, sheet.values[sheet.line > 0].tolist()]
        )
        text = " ".join(map(str, rows)) + "\n" * bool(rows)
    except Unreadable as error:
        text = f"{error}\n"
    text += "".join(f"{line}\n" for line in report("a", findings).lines())
    held(Path(__file__).with_name("held.txt"), f"parquet {name}", text)
    assert here == [(60, 2 << 30)]


@pytest.mark.parametrize(
    ("where", "ends", "said"),
    [
        (reading.subprocess, SimpleNamespace(stdout=b"{}\n", returncode=1), "took too much time"),
        (reading.subprocess, SimpleNamespace(stdout=b"", returncode=0), "or broke the reader"),
        (reading.subprocess, TimeoutExpired("x", 1), "took too much time or memory, or broke"),
        (parquet_child, MemoryError(), "a file that needs too much memory; must be smaller"),
        (parquet_child, ValueError("one\ntwo"), r"a damaged one \(one\); must be whole"),
        (parquet_child, KeyboardInterrupt(), r"damaged one \(KeyboardInterrupt\); must be whole"),
    ],
)
def test_a_process_that_ends_without_numbers_is_told(here, monkeypatch, where, ends, said):
    name = "run" if where is reading.subprocess else "_read"
    fake = MagicMock(**{"side_effect" if isinstance(ends, BaseException) else "return_value": ends})
    monkeypatch.setattr(where, name, fake)
    with pytest.raises(Unreadable, match=said):
        reading._decoded(b"x", 1, 2, SubmissionLimits())


@pytest.mark.skipif(sys.platform != "linux", reason="the system has no such limits")
def test_reading_a_parquet_file_may_take_so_much(monkeypatch):
    import resource

    limited = {}
    monkeypatch.setattr(resource, "setrlimit", limited.__setitem__)
    parquet_child._limit(3, 5)
    assert limited == {
        resource.RLIMIT_CPU: (3, 3),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_AS: (5, 5),
    }


def test_what_the_package_saves_is_a_prediction_file(sent):
    pred, kind = (
        Quantiles([0.1, 0.9], np.column_stack([np.arange(8.0), np.arange(8) + 1])),
        "quantiles",
    )
    sent.put(
        "manifest.toml", sent.manifest({"task": "fuel/test", "file": "a.parquet", "kind": kind})
    )
    save(pred, sent.folder / "a.parquet", cases=[line.split()[0] for line in lines("")])
    submission, report = sent.check()
    assert report.good, report.lines()
    assert np.array_equal(submission.entries[0].prediction.quantile([0.3]), pred.quantile([0.3]))
    save(
        Categorical(np.full((8, 2), 0.5)),
        sent.folder / "a.parquet",
        cases=[line.split()[0] for line in lines("")],
    )
    assert f"found 'categorical'; must be predictions of the kind {kind}" in sent.said()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("not toml at all", "manifest.toml: found text that is not TOML"),
        (b"\xff\xfe", "the byte 0xff at place 0 is no UTF-8"),
        ("a = " + "[" * 20_000, "lists or tables more than 50 deep"),
        ("levels" + ".a" * 30_000 + " = 1", "a key of more than 50 parts"),
        ("a = {b" + ".a" * 30_000 + " = 1}", "a key of more than 50 parts"),
        (f"[{'.'.join('a' * 30_000)}]", "a key of more than 50 parts"),
        ("a = " + "1" * 70_000, "found more than 64 KiB"),
        (f"name = 0x{'f' * 30_000}", "name is a whole number beyond 64 bits"),
    ],
)
def test_a_manifest_that_cannot_be_read_is_told(sent, text, said):
    sent.put("manifest.toml", text)
    assert said in sent.said()


@pytest.mark.parametrize(
    ("predictions", "changed", "said"),
    [
        (
            [GAUSSIAN],
            {"format": "other/1"},
            "format: found 'other/1'; must be 'benchbook.submission/1'",
        ),
        ([GAUSSIAN], {"name": "../up"}, "name: found '../up'; must be up to 64 letters"),
        (
            [GAUSSIAN],
            {"team": "\x1b[2J"},
            r"team: found '\x1b[2J'; must be a text of 1 to 80 printable characters",
        ),
        ([GAUSSIAN], {"team": "a\u202eb"}, "must be a text of 1 to 80 printable"),
        ([GAUSSIAN], {"method": None}, "method: found nothing; must be a text"),
        ([GAUSSIAN], {"exploit": "no"}, "exploit: found 'no'; must be true or false"),
        (
            [GAUSSIAN],
            {"nmae": "x"},
            "key: found 'nmae'; must be one of format, name, team, method, exploit, prediction; "
            "is 'name' meant?",
        ),
        ([], {}, "prediction: found none; must be one or more tables"),
        ([], {"prediction": [1]}, "prediction: found [1]; must be one or more tables"),
        (
            [GAUSSIAN | {"task": "fuel/tset"}],
            {},
            "prediction 1, task: found 'fuel/tset'; must be a task of this "
            "challenge; nearest: fuel/test",
        ),
        (
            [GAUSSIAN | {"kind": "normal"}],
            {},
            "kind: found 'normal'; must be one of gaussian, quantiles, probability",
        ),
        (
            [GAUSSIAN | {"kind": "probability"}],
            {},
            "must be gaussian or quantiles: fuel/test has a real target",
        ),
        (
            [GAUSSIAN, GAUSSIAN],
            {},
            "prediction 2, task: found 'fuel/test'; must be that of one prediction only",
        ),
        (
            [GAUSSIAN, PROBABILITY],
            {},
            "prediction 2, file: found 'a.txt'; must be that of one prediction only",
        ),
        (
            [GAUSSIAN | {"file": "b.txt"}],
            {},
            "b.txt: found no such file; must be in the submission, as the manifest says",
        ),
        (
            [GAUSSIAN | {"file": "../a.txt"}],
            {},
            "file: found '../a.txt'; must not climb out of the submission",
        ),
        (
            [GAUSSIAN | {"file": "/etc/passwd"}],
            {},
            "file: found '/etc/passwd'; must be a path inside the submission",
        ),
        (
            [GAUSSIAN | {"file": "a.pkl"}],
            {},
            "file: found 'a.pkl'; must end with .txt, .csv, .parquet",
        ),
        ([GAUSSIAN | {"file": 3}], {}, "file: found 3; must be a text"),
        (
            [GAUSSIAN | {"levels": [0.5]}],
            {},
            "levels: found [0.5]; must be left out: a gaussian prediction has none",
        ),
        (
            [QUANTILES | {"levels": [0.1, 1.0]}],
            {},
            "levels, level 1: found 1.0; must be strictly between 0 and 1",
        ),
        (
            [QUANTILES | {"levels": [0.5, 0.5]}],
            {},
            "level 1: found 0.5; must be greater than the one before, 0.5",
        ),
        ([QUANTILES | {"levels": [0.5, "x"]}], {}, "must be a list of 2 to 5000 numbers"),
        ([QUANTILES | {"levels": [True, False]}], {}, "must be a list of 2 to 5000 numbers"),
        ([QUANTILES | {"levels": [0.5, 1.5, 0.7]}], {}, "level 2: found 0.7; must be greater"),
        ([QUANTILES | {"levels": [0.5] * 5001}], {}, "must be a list of 2 to 5000 numbers"),
        ([GAUSSIAN | {"task": ""}, PROBABILITY | {"task": "", "file": ""}], {}, "1 to 200 print"),
        ([GAUSSIAN | {"task": "x" * 201, "file": "y" * 256}], {}, "of 1 to 255 printable"),
        ([GAUSSIAN | {"task": "x" * 200, "file": f"{'y' * 251}.txt"}], {}, "yyy.txt: found no"),
        ([GAUSSIAN], {"name": "-a", "nmae": 1, "methd": 2}, "must be up to 64 letters"),
        ([GAUSSIAN | {"task": f"fuel/tes{k}"} for k in range(14)], {}, "nearest: fuel/test"),
    ],
)
def test_a_bad_manifest_is_told(sent, predictions, changed, said):
    sent.put("manifest.toml", sent.manifest(*predictions, **changed))
    sent.put("a.txt", "\n".join(lines("1 1")))
    assert said in sent.said()


@pytest.mark.parametrize(("others", "hint"), [(198, True), (199, False)])
def test_a_file_of_nearly_that_name_is_named_when_there_are_few(sent, others, hint):
    sent.put("manifest.toml", "\ufeff" + sent.manifest(GAUSSIAN | {"file": "ab.txt"}))
    for number in range(others + 1):
        sent.put(f"{number}x" if number else "abb.txt", "1")
    assert ("as the manifest says; there is 'abb.txt'" in sent.said()) == hint


def test_all_faults_of_all_files_are_told_at_once_and_counted_when_there_are_too_many(sent):
    sent.put("manifest.toml", sent.manifest(GAUSSIAN, PROBABILITY | {"file": "b.csv"}, team=""))
    sent.put("a.txt", "\n".join(lines("nan -1")))
    sent.put("b.csv", "case,probability\n100,2\n")
    _, report = sent.check(kept=5)
    assert dict(report.counts) == {"manifest.toml": 1, "a.txt": 16, "b.csv": 8}
    assert [len(fault) for fault in report.faults.values()] == [1, 5, 5]
    text = "\n".join(report.lines(3))
    assert "... and 13 more in a.txt" in text
    assert text.endswith("is faulty: 25 faults in 3 places")
    assert len(re.findall("^fault: ", text, re.MULTILINE)) == 7
    sent.put("a.txt", "\n".join(["car-0 x x"] * 100))
    assert "found more than 20 faults up to line 21; the rest is not read" in sent.said(counted=20)


def test_a_csv_for_others_has_no_formula_in_it_and_all_else_as_it_is():
    formulas = ["=1+1", "+a", "-a", "@a", "\ta", "\ra", " =a", "＝a"]
    plain = ["a=1", "a-1", "-1.5", "+2", "1e3", "'a", "", None]
    read = pl.read_csv(
        io.StringIO(as_csv(pl.DataFrame({"text": formulas + plain, "value": [-1.5] * 16}))),
        schema_overrides={"text": pl.String},
    )
    assert read["text"].to_list() == [f"'{text}" for text in formulas] + plain
    assert set(read["value"]) == {-1.5}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_no_cell_of_a_csv_for_others_begins_a_formula_by_whatever_it_is_separated(separator):
    texts = [
        "a;=1+1",
        "a;;@b",
        'a;"=1+1"',
        "a; +b",
        "a\n=1+1",
        "a\n\n-b",
        "a\t=1",
        "a;\u2003=1",
        "=1;=2",
        "a;＝1",
    ]
    written = as_csv(
        pl.DataFrame({"id": range(len(texts)), "text": texts, "value": [-1.5] * len(texts)})
    )
    cells = [cell for row in reader(io.StringIO(written), delimiter=separator) for cell in row]
    assert [
        cell for cell in cells if re.match(r"\s*[=+\-@＝＋－＠]", cell) and cell != "-1.5"
    ] == []
    assert pl.read_csv(io.StringIO(written))["text"].to_list()[0] == "a;'=1+1"


def test_a_heading_in_a_plain_text_file_is_called_one(one_file):
    text = one_file(GAUSSIAN, ["case mean variance", *lines("1.5 2")])
    assert "line 1: found the heading 'case mean variance'; must be left out" in text
    assert "case id" not in text
    rule = "found 2 values in line 1; must be 3 quantiles, with or without a case id"
    assert rule in one_file(QUANTILES, ["1 2"])


IDS = [192, 7, 31, 460, 88, 5, 46, 47, 48, 300]
TABLES = {
    "gaussian": ((), "mean variance", lambda k: [1.5 + k, 1000.0]),
    "quantiles": ((0.1, 0.5, 0.9), "0.1 0.5 0.9", lambda k: [500.0 + k, 600.0, 700.0]),
    "own levels": (
        (),
        "level_1 level_2 level_3 quantile_1 quantile_2 quantile_3",
        lambda k: [0.1, 0.5, 0.9, 500.0 + k, 600.0, 700.0],
    ),
    "probability": ((), "probability", lambda k: [0.25 + k / 100]),
}


@pytest.fixture(scope="module")
def numbered(tmp_path_factory):
    """Tasks whose cases have whole numbers as ids, as most have."""
    folder = tmp_path_factory.mktemp("numbered")
    for kind, targets in (("real", range(16)), ("class", ["+1", "-1"] * 8)):
        cases = [
            f"{case},{'test' if k >= 6 else 'training'},{target}"
            for k, (case, target) in enumerate(
                zip([*range(1000, 1006), *IDS], targets, strict=True)
            )
        ]
        (folder / f"{kind}.csv").write_text("\n".join(["case,phase,target", *cases]))
    return challenge.from_files(sorted(folder.glob("*.csv")))


@pytest.mark.parametrize("ending", ["txt", "csv"])
@pytest.mark.parametrize("kind", TABLES)
def test_a_file_that_lost_a_column_or_has_another_than_its_heading_is_refused(
    sent, numbered, tmp_path, kind, ending
):
    """Each column left out, in the numbers alone or in the heading too; exchanged; and numbered lines for ids."""
    levels, names, numbers = TABLES[kind]
    names = names.split()
    columns = ["case", *names]
    table = [[case, *numbers(k)] for k, case in enumerate(IDS)]
    task = "class/test" if kind == "probability" else "real/test"
    promise = Promise(task, f"a.{ending}", kind.replace("own levels", "quantiles"), levels)

    def valid(heading, rows):
        said = {"task": task, "file": promise.file, "kind": promise.kind}
        if levels and ending == "txt":
            said["levels"] = list(levels)
        (tmp_path / "manifest.toml").write_text(sent.manifest(said))
        between = " " if ending == "txt" else ","
        body = [between.join(map(str, row)) for row in rows]
        given = [name.replace("_", " ") if ending == "csv" else name for name in heading]
        first = [("# " if ending == "txt" else "") + between.join(given)] if heading else []
        (tmp_path / promise.file).write_text("\n".join(first + body))
        return challenge.check(tmp_path, numbered)[1]

    assert valid(columns, table).good
    if ending == "txt":
        assert valid([], table).good
        assert valid(names, [row[1:] for row in table]).good
        assert valid(["what", "Ada", "sent"], table).good, "a sentence names no columns"
    turned = [columns[0], *columns[:0:-1]]
    if ending == "txt" and turned != columns:
        assert not valid(turned, table).good
        assert not valid(["case", "mean", "sd"][: len(columns)], table).good
    for place in range(len(columns)):
        less = [row[:place] + row[place + 1 :] for row in table]
        left = columns[:place] + columns[place + 1 :]
        for heading in (columns, left, []):
            without_ids = ending == "txt" and place == 0 and heading != columns
            fewer_levels = kind == "quantiles" and ending == "csv" and place and heading == left
            if not (without_ids or fewer_levels):  # these are files as they may be
                assert not valid(heading, less).good, (heading, place)
    if ending == "txt" and kind != "probability":
        for start in (0, 1):
            index = [[start + k, *row[2:]] for k, row in enumerate(table)]
            assert not valid([], index).good, "the numbers of the lines"
    shuffled = [[row[0], other, *row[2:]] for row, other in zip(table, IDS[::-1], strict=True)]
    assert not valid(columns, shuffled).good, "ids in place of the first numbers"
