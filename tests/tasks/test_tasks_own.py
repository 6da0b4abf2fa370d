"""What becomes of tables of the user's: proposals, cards, prototasks, refusals, word for word in ``own.txt``."""

import functools
import re
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from printed import held, outcome

from benchbook import datasets, tasks
from benchbook.datasets import IntegerRange, Interval
from benchbook.tasks import cases, encodings, recoding
from benchbook.tasks.folds_task import FoldsTask
from benchbook.tasks.registry import prototask
from benchbook.tasks.task import Task
from benchbook.tasks.user import (
    Table,
    TableRequest,
    Wishes,
    check,
    declare,
    keep,
    kept,
    propose,
    remove,
)
from benchbook.tasks.user.writing import forget

N = 80
ROWS = np.arange(N)
WAVE = (100 * np.sin(ROWS * 1.7)).round(1)
FRAME = pl.DataFrame(
    {
        "x": WAVE,
        "twice": 2 * WAVE.round(3) + 1,
        "kind": np.array(["a", "b", "c"])[ROWS % 3],
        "code": np.array(["u", "v", "w"])[ROWS % 3],
        "person_id": ROWS // 2 * 7 % 41,
        "day": [date(2024, 1 + row % 12, 1 + row // 4) for row in range(N)],
        "moment": ROWS % 30,
        "rating": ROWS % 4,
        "many": [f"w{row % 40}" for row in range(N)],
        "same": [1.5] * N,
        "number": ROWS + 1,
        "gap": [None if row % 7 == 0 else float(row % 11) for row in range(N)],
        "digits": [str(row * row % 17) for row in range(N)],
        "half": [f"{row % 5}.5" for row in range(N)],
        "rare": ["often" if row > 4 else "rare" for row in range(N)],
        "ids": [f"id{row}" for row in range(N)],
    }
)


def proposed(target, *columns, name="mine", frame=FRAME, **wanted):
    chosen = frame.select(*dict.fromkeys([*columns, target])) if columns else frame
    given = {key: wanted.pop(key) for key in ("natures", "orders", "missing") if key in wanted}
    return propose(
        Table("mine.csv", chosen, 2), TableRequest(target, name, wishes=Wishes(**given), **wanted)
    )


def words(made):
    """A proposal without its cases, whose order is a sum."""
    parts = vars(made) | {"frame": [len(made.frame), made.frame.hash_rows().is_unique().sum()]}
    order = {item.name: made.frame[item.name].to_list()[:5] for item in made.attributes}
    return [parts, made.rows(), order]


def of(target, *columns, **wanted):
    return lambda: words(proposed(target, *columns, **wanted))


def kept_words(path):
    text = path.read_text(encoding="utf8")
    text = re.sub(r"(?<=sha256 )[0-9a-f]{64}", "...", text)
    return re.sub(r"files = .*", "files = ...", text.replace(f"{date.today():%Y-%m-%d}", "TODAY"))


GIVEN = {
    "numbers": of("x", "kind", "gap", "moment"),
    "everything": of("x"),
    "classes": of("kind", "x", "gap", "code"),
    "a rare class": of("rare", "x"),
    "two classes in numbers": of("rating", "x"),
    "whole numbers as classes": of("rating", "x", kind="class"),
    "whole numbers as numbers": of("rating", "x", kind="real"),
    "words of numbers as numbers": of("digits", "x", kind="real"),
    "words of numbers as classes": of("digits", "x", kind="class"),
    "halves as numbers": of("half", "x", kind="real", natures={"half": "nominal"}),
    "whole words as numbers": of("digits", "x", kind="real", natures={"digits": "nominal"}),
    "words as numbers": of("kind", "x", kind="real"),
    "reals as classes": of("x", "kind", kind="class"),
    "many numbers as classes": of("number", "x", kind="class"),
    "a number of the row": of("number", "x"),
    "ids": of("ids", "x"),
    "one value": of("same", "x"),
    "groups": of("x", "kind", "person_id", group="person_id"),
    "few groups": of("x", "kind", group="kind"),
    "groups with a gap": of("x", "gap", group="gap"),
    "times": of("x", "day", "kind", time="day"),
    "moments": of("x", "moment", time="moment"),
    "times in words": of("x", "kind", time="kind"),
    "one time": of("x", "same", time="same"),
    "orders": of("x", "kind", orders={"kind": ("c", "b", "a")}),
    "no column": of("y", "x", frame=FRAME.with_columns(y=1), drop=("z", "xx"), group="kin", time="da", kind="num"),
    "no target": lambda: propose(Table("t", FRAME[:, :2]), TableRequest()),
    "a target that is dropped": of("x", "kind", drop=("x",)),
    "a long name": of("x", "kind", name="n" * 81),
    "few cases": of("x", "kind", frame=FRAME[:12]),
    "few cases that are known": of("gap", "x", frame=FRAME[:30]),
    "further targets": of("target1", "target2", "x", frame=FRAME.with_columns(target1="x", target2="twice")),
    "outside": lambda: [
        cases.outside(each, np.array([0.0, 1.0, 1.5, 2.0, 3.0, np.nan])) for each in (
            IntegerRange(1, 2), Interval(1.0, 2.0), Interval(1.0, 2.0, False, False), ("a", "b"))],
    "encodings": lambda: [
        encodings.coding(datasets.Attribute(1, "a", nature, values), text)
        for nature, values, text in (
            ("nominal", ("a", "b", "c"), "'"), ("nominal", ("a", "b", "c"), "0/1"), ("nominal", ("a",), "therm"),
            ("nominal", ("a", "1"), "copy"), ("binary", ("n", "y"), "passive=y"), ("ordinal", ("1", "2"), "therm"),
            ("real", Interval(0.0, 2.0), "nm-abs centre=1 scale=2"), ("real", Interval(0.0, 2.0), "nm-abs middle=1"),
            ("nominal", ("a", "b", "c"), "1-of-n passive=b"), ("nominal", ("a", "b"), "1-of-n passive=d"))],
    "texts of encodings": lambda: [
        recoding.encoding_text(each) for each in ({"a": "copy", "b*": "1-of-n"}, " copy ; ", "a=0/1;; b=copy", {})],
    "no encoding": lambda: recoding.encoding_text("a=copy;b="),
    "an encoding of all and of one": lambda: recoding.encoding_text("copy;a=copy"),
    **{f"no task {name} of {path}": functools.partial(make, prototask(path), *more) for name, path, make, more in (
        ("of a size", "concrete/challenge", Task, (8,)), ("of a size", "concrete/cv", Task, (8,)),
        ("of a size", "uci-yacht/splits", Task, (8,)), ("of folds", "kin-8nm-sim/dist", FoldsTask, (8,)),
        ("of such folds", "concrete/cv", FoldsTask, (8, "std", "random-11")))},
    "another encoding": lambda: Task(prototask("kin-8nm-sim/dist"), 64, "raw"),
    "names of orders": lambda: tasks.partitions.all_orders("cancer"),
}  # fmt: skip


@pytest.mark.parametrize("name", GIVEN)
def test_what_is_proposed_is_held(name):
    held(Path(__file__).with_name("own.txt"), name, outcome(GIVEN[name]))


def test_what_is_kept_changed_and_taken_away_is_held(home):
    """A dataset from its card to its end, one step after another."""
    folder = home / "datasets" / "mine"
    wrong = {"target": "y", "inputs": ["z*"], "drop": ["w"], "selection": "hierarchical"}

    def checked(name="", content=b"", *names):
        if name:
            (folder / name).write_bytes(content)
        forget()
        said = "\n".join(map(": ".join, check(names).items())).replace(str(home), "HOME")
        return re.sub(r"[0-9a-f]{64}|(?<= as TOML: )[^;]*", "...", said)  # cut as its path is long

    steps = {
        "kept": lambda: keep(proposed("x", "kind", "gap", "person_id", group="person_id"), kept()).name,
        "card": lambda: kept_words(folder / "card.toml"),
        "kept again": lambda: keep(proposed("x", "kind"), kept()),
        "kept as another": lambda: keep(proposed("x", "kind", name="concrete"), kept()),
        "prototasks": lambda: kept_words(folder / "prototasks.toml"),
        "a prototask": lambda: declare("mine", "by-kind", target="kind", inputs=["x", "g*"], sizes=[8, 16]),
        "wrong prototasks": lambda: declare("mine", "n" * 81, **wrong),
        "a prototask that is there": lambda: declare("mine", "by-kind", target="x", inputs=["x"]),
        "a prototask of too many cases": lambda: declare("mine", "large", sizes=[64]),
        "a prototask of no dataset": lambda: declare("mire", "one"),
        "a prototask of the book's": lambda: declare("concrete", "one"),
        "prototasks now": lambda: kept_words(folder / "prototasks.toml"),
        "tasks": lambda: tasks.available("mine/*"),
        "a task": lambda: tasks.get("mine/x/std.8").describe(),
        "folds": lambda: tasks.get("mine/cv/grouped-10").describe(),
        "sound": checked,
        "kept in its place": lambda: keep(proposed("x", "kind"), kept(), replace=True).name,
        "files": lambda: sorted(path.name for path in (home / "datasets").rglob("*")),
        "prototasks of another": lambda: checked(
            "prototasks.toml", (folder / "prototasks.toml").read_bytes().replace(b'"mine"', b'"concrete"')),
        "prototasks of another, on purpose": lambda: checked(
            "prototasks.toml", (folder / "prototasks.toml").read_bytes().partition(b"\n")[2]),
        "strange prototasks": lambda: checked("prototasks.toml", b"[[prototask"),
        "others' prototasks": lambda: checked("prototasks.toml", b"[[prototask]]\ndataset = 'concrete'\nname = 'a'"),
        "damaged": lambda: checked("cases.parquet", b"no", "mine"),
        "unknown": lambda: checked("", b"", "mine", "mire"),
        "no card": lambda: checked("card.toml", b"[datasets"),
        "not the user's": lambda: remove("concrete"),
        "not there": lambda: remove("mire"),
        "taken away": lambda: remove("mine").exists(),
        "nothing": checked,
        "no tasks": lambda: tasks.available("mine/*"),
    }  # fmt: skip
    for name, step in steps.items():
        text = outcome(step).replace(str(home), "HOME")
        held(Path(__file__).with_name("own.txt"), f"step: {name}", text)
