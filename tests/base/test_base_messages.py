"""What the modules that all rooms stand on say, word for word: ``messages.txt`` beside this file."""

import errno
import gzip
import os
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
import scipy.special
import scipy.stats  # noqa: F401  # they are watched once they are imported
from printed import held

import benchbook
from benchbook import apart, files, folds, parquet, ports, rules, toml_files, user_code
from benchbook.errors import BenchbookError, Fault, FaultyInput, UnknownName, whole_number
from benchbook.seeds import generator


def parsed(text):
    return lambda: toml_files.parse_toml(
        text if isinstance(text, bytes) else text.encode(), "plan p"
    )


def sized(text):
    def read():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(toml_files, "MOST_BYTES", 6)
            return parsed(text)()

    return read


def written(error, named=None):
    def write():
        with files.atomic("file.txt", named):
            raise OSError(error, "as the system says it")

    return write


def imported(text):
    def load():
        Path("mine.py").write_text(text)
        user_code.from_file(Path("mine.py"))

    return load


def faulty(*found):
    def give():
        raise FaultyInput("the thing", found, "Mend it.")

    return give


def stored(frame, **options):
    def read():
        parquet.write(pl.DataFrame(frame), Path("t.parquet"))
        parquet.read(Path("t.parquet"), remedy="make it again", **options)

    return read


def changed(place):
    """What is said of a table of which one byte was changed, and of one that is kept and not made again."""

    def read():
        made = parquet.kept("t.parquet", lambda: pl.DataFrame({"a": [*range(50)]}))
        again = parquet.kept("t.parquet", lambda: pl.DataFrame({"a": [0]}))
        if place is None:
            return str(made.equals(again))
        raw = bytearray(Path("t.parquet").read_bytes())
        raw[place] ^= 1
        Path("t.parquet").write_bytes(raw)
        return parquet.kept("t.parquet", pl.DataFrame)

    return read


def torn(raw, **options):
    def read():
        Path("t.parquet").write_bytes(raw)
        parquet.read(Path("t.parquet"), remedy="make it again", **options)

    return read


def folded(*pairs):
    made = [
        folds.Fold(np.array(test, dtype=int), np.array(train, dtype=int)) for test, train in pairs
    ]
    return lambda: folds.labels_of(made, 3)


def ruled(table):
    needed, others = {"a": rules.TEXT, "b": rules.WHOLE}, {"c": rules.TRUTH}
    others |= {"d": rules.one_of(["x", "y"]), "e": rules.list_of(rules.is_positive, "counts", 1, 2)}

    def check():
        raise FaultyInput("the table", rules.faults_of(table, "part", needed, others))

    return check


def packed():
    with zipfile.ZipFile("a.zip", "w") as archive:
        archive.writestr("a", b"0" * (3 << 20))
    files.refuse_large_archive(Path("a.zip"), 2 << 20)


def unzipped():
    with zipfile.ZipFile("b.zip", "w") as archive:
        archive.writestr("a", b"0" * (3 << 20))
    with zipfile.ZipFile("b.zip") as archive:
        files.unzip(archive, "a", "b.zip", 2 << 20)


def piped():
    os.mkfifo("pipe")
    files.read_file("pipe", "plan", 10)


def busy(code, port=8000):
    def give():
        first = OSError(code, "as the system says it")
        others = {8001: first, 8002: first, 8019: first, port: first}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ports, "_fault", lambda host, port: others.get(port))
            ports.ensure_free("here", port)

    return give


def ended(code):
    def give():
        raise BenchbookError(str(apart._cause(code)))

    return give


def answered(reply=None, seconds=None):
    """What is said of a process that replies, ends, or does neither."""
    conn = SimpleNamespace(recv_bytes=lambda most: reply if len(reply) <= most else 1 / 0)
    child = SimpleNamespace(conn=conn, process=SimpleNamespace(sentinel=1), kill=lambda: None)
    child.ending = lambda: "ended in words"

    def give():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(apart, "Child", lambda *args, **options: child)
            ready = [1] if reply is None else [conn, 1]
            patch.setattr(apart.connection, "wait", lambda ends, most: [] if most else ready)
            return str(apart.returned("importing mine.py", print, seconds=seconds))

    return give


WATCHED = ("numpy.mean", "scipy.special.expit", "scipy.stats.rankdata")
KNOWN = ("lin-1", "lin-2", "LIN-3", "lin-4", "other")
SAID = {
    "faults": faulty(*(Fault(f"line {at}", repr(at), "no") for at in range(22))),
    "one long fault": faulty(Fault("w" * 301, "f" * 201, "r" * 300)),
    "a near name": lambda: UnknownName("method", "Lin-", KNOWN),
    "a far name": lambda: UnknownName("loss", "zzz", KNOWN),
    "a challenge": lambda: UnknownName("challenge", "q" * 250, KNOWN),
    "no whole number": lambda: whole_number(2.5, "the plan", "seed", 0),
    "no room": lambda: benchbook.nothing,
    "rooms": lambda: ", ".join(one for one in dir(benchbook) if one in benchbook._ROOMS or one in benchbook._CALLS),
    "a truth": lambda: whole_number(True, "the plan", "seed", 0, 9, ": so it is"),
    "no truth either": lambda: whole_number(False, "the plan", "seed", 0),
    "too small": lambda: whole_number(0, "the plan", "seed", 1, 9),
    "too large": lambda: whole_number(10, "the plan", "seed", 1, 9),
    "no TOML": parsed("a = "),
    "a mark": parsed(b"\xef\xbb\xbfa = 1"),
    "no UTF-8": parsed(b"a = 1 # \xff"),
    "a key of fifty parts": parsed(".".join("a" * 50) + " = 1"),
    "a key of fifty-one parts": parsed(".".join("a" * 51) + " = 1"),
    "fifty lists": parsed(f"a = {'[' * 49}1{']' * 49}"),
    "fifty-one lists": parsed(f"a = {'[' * 51}1{']' * 51}"),
    "the largest number": parsed(f"a = {2**63 - 1}\nb = {-(2**63)}"),
    "too large a number": parsed(f"[a]\nb = [1, {2**63}]"),
    "too large a number under a long name": parsed(f"{'k' * 300} = {2**63}"),
    "too small a number": parsed(f"a = {-(2**63) - 1}"),
    "a number of 4301 digits": parsed(f"a = {'9' * 4301}"),
    "as many bytes as may be": sized("a = 12"),
    "a byte too many": sized("a = 123"),
    "no such file": lambda: toml_files.read_bytes("nowhere", "plan", "; make one"),
    "a folder": lambda: toml_files.read_bytes(".", "plan"),
    "a pipe": piped,
    "too long": lambda: (Path("f").write_bytes(b"0" * 11), files.read_file("f", "plan", 10)),
    "just not too long": lambda: (Path("f").write_bytes(b"0" * 10), files.read_file("f", "plan", 10)),
    "packed": lambda: files.gunzip(gzip.compress(b"0" * (2 << 20)), "x.gz", 1 << 20),
    "an archive": packed,
    "a member": unzipped,
    **{f"written: {errno.errorcode[code]}": written(code) for code in files._REASONS},
    "written by another name": written(errno.ENOSPC, "the folder"),
    "a link in a circle": lambda: (os.symlink("loop", "loop"), files.ensure_writable("loop/x")),
    "a long name": lambda: files.ensure_writable("n" * 300),
    "other columns": stored({"a": [1]}, schema={"a": pl.String()}),
    "the same columns": stored({"a": [1]}, schema={"a": pl.Int64()}),
    **{f"a byte changed at {place}": changed(place) for place in (None, 9, -9)},
    "noted otherwise": stored({"a": [1]}, sha256="0" * 64),
    "some columns": stored({"a": [1], "b": [2]}, columns=["b"], schema=dict.fromkeys("ab", pl.Int64())),
    "no Parquet": torn(b"nothing"),
    "another checksum": torn(b"nothing", sha256="0" * 64),
    "no module": lambda: user_code.from_path("no_such_thing.deep"),
    "no name": lambda: user_code.from_path(".deep"),
    "no file of a user's": lambda: user_code.from_file(Path("nowhere.py")),
    "a long file of a user's": lambda: user_code.from_file(Path("n" * 300)),
    "an error in it": imported("a = 1\n1 / 0\n"),
    "an error in a function of it": imported("def f():\n    1 / 0\n\nf()\n"),
    "an error without a line": imported("import benchbook\nbenchbook.no_such\n"),
    "a long error in it": imported("raise ValueError('x' * 1100)\n"),
    "no Python": imported("a = 1\nb = (\n"),
    "other code": imported("from benchbook import files\nfiles._too_large.__code__ = (lambda a: 1).__code__\n"),
    **{f"another {name}": imported(f"import {name.rpartition('.')[0]}\n{name} = len\n") for name in WATCHED},
    "another class": imported("from benchbook import errors\nerrors.Fault = int\n"),
    "another method": imported("from benchbook import errors\nerrors.Fault.__str__ = str\n"),
    "a port that is taken": busy(errno.EADDRINUSE),
    "the last port": busy(errno.EADDRINUSE, 65535),
    "the last port but one": busy(errno.EADDRINUSE, 65534),
    "a port of others": busy(errno.EACCES),
    "no host": busy(errno.EADDRNOTAVAIL),
    **{f"ended with {code}": ended(code) for code in (None, -9, -15, -250, 0, 3)},
    "a process that takes long": answered(b"", 1.5),
    "a process that ended": answered(),
    "an answer": answered(b'{"found": [1, "a"]}'),
    "an answer that is none": answered(b"[1]"),
    "an answer of words": answered(b"words"),
    "an error of a process": answered(b'{"error": "so it is"}'),
    "a table that is none": ruled([1]),
    "keys": ruled({"a": "", "z": 1}),
    "values": ruled({"a": "x\0", "b": -1, "c": 1, "d": "z", "e": [1, 0]}),
    "too many values": ruled({"a": "x", "b": True, "c": True, "d": "x", "e": [1, 2, 3]}),
    "too few values": ruled({"a": 1, "b": 0, "e": []}),
    "more folds than cases": lambda: folds.random_folds(3, 4, generator(1)),
    "more folds than groups": lambda: folds.grouped_folds([1, 1, 2, 2], 3, generator(1)),
    "one group": lambda: folds.grouped_folds([1, 1], 2, generator(1)),
    "more folds than moments": lambda: folds.time_blocks([1.0, 1.0, 2.0], 3, 0),
    "one moment": lambda: folds.time_blocks([1.0, 1.0], 2, 0),
    "no moments": lambda: folds.time_blocks([1.0, np.nan], 2, 0),
    "a gap of all": lambda: folds.time_blocks([1.0, 2.0, 3.0], 3, 2),
    "neighbours of all": lambda: folds.h_block_folds(4, 3),
    "neighbours of none": lambda: folds.k_fold_h_block(4, 2, -1),
    "one label": lambda: folds.folds_of([1, 1]),
    "labels of others": lambda: folds.group_labels([1, 2], 3),
    "labels that are missing": lambda: folds.group_labels([1.0, np.nan, 2.0], 3),
    "a case twice": folded(([0, 1], [2]), ([1, 2], [0])),
    "a case in both": folded(([0, 1, 2], [2])),
    "a case outside": folded(([0, 3], [1]), ([1, 2], [0])),
    "no cases": folded(([], [1]), ([0, 1, 2], [])),
    "a case in none": folded(([0], [1, 2]), ([1], [0, 2])),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_what_is_said(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        said = SAID[name]()
    except (BenchbookError, OSError, AttributeError) as error:
        said = f"{type(error).__name__}: {error}"
    if not isinstance(said, str | BenchbookError):
        said = "nothing"
    held(Path(__file__).with_name("messages.txt"), name, f"{said}\n".replace(str(tmp_path), "HERE"))
