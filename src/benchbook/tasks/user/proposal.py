"""What is proposed for a user's table before anything is written: attributes, target, and how cases are dealt out."""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchbook.datasets.ranges import IntegerRange, Interval, format_range
from benchbook.datasets.types import Attribute
from benchbook.datasets.user.guess import MOST_VALUES, Guess, Wishes, guess
from benchbook.datasets.user.roles import counts_cases, is_identifier, is_index, other_targets
from benchbook.datasets.user.tables import Table
from benchbook.errors import Fault, FaultyInput, shortened
from benchbook.folds import time_blocks
from benchbook.seeds import generator
from benchbook.tasks.declaration import KINDS
from benchbook.tasks.user.design import FEWEST, design
from benchbook.tasks.user.hints import hints, of_roles

_FEW_VALUES = 10
"""A target of at most so many whole numbers is taken for classes."""
_PLAIN = re.compile(r"[^A-Za-z0-9._+-]+")
MOST_LETTERS = 80
"""Of the name of a dataset or prototask, beside which names of files have room for theirs."""
_FOLDS = 10
_GAP = 5
_OF_PARTITION = "proben1"


@dataclass(frozen=True)
class Wanted:
    """What the user wants of a table; what is left out is guessed.

    Attributes:
        target: the column to predict; of a .dt file its outputs.
        name: of the dataset; the file's when left out.
        kind: "real" or "class".
        drop: columns that are no inputs.
        group: the column that says which cases belong together, such as the person who was measured.
        time: the column that says when a case was measured.
        wishes: what the columns are.
    """

    target: str = ""
    name: str = ""
    kind: str = ""
    drop: tuple[str, ...] = ()
    group: str = ""
    time: str = ""
    wishes: Wishes = field(default_factory=Wishes)


@dataclass(frozen=True)
class Proposal:
    """A dataset of the user's, not yet kept.

    Attributes:
        name: of the dataset. source: where the table is from. title: one line.
        frame: the cases, a column for each attribute, in the order in which they are dealt out.
        attributes: what the columns are, inputs first. inputs: names of those that methods see.
        target: names of the outputs, one but in a .dt file. kind: real, class or outputs.
        prototasks: tables as in prototasks.toml, without the dataset.
        partition: counts of a .dt file.
        left_out: columns that are not kept, with the reason. notes: how it was read. hints: what to think about.
    """

    name: str
    source: str
    title: str
    frame: pl.DataFrame
    attributes: tuple[Attribute, ...]
    inputs: tuple[str, ...]
    target: tuple[str, ...]
    kind: str
    prototasks: tuple[dict[str, Any], ...]
    partition: tuple[int, ...]
    left_out: Mapping[str, str]
    notes: tuple[str, ...]
    hints: tuple[str, ...]

    def rows(self) -> list[dict[str, Any]]:
        """A line for each attribute: name, part, nature, range and missing values."""
        parts = dict.fromkeys(self.inputs, "input") | dict.fromkeys(self.target, "target")
        return [
            {
                "attribute": attribute.name,
                "part": parts.get(attribute.name, "order"),
                "nature": attribute.nature,
                "range": shortened(format_range(attribute.range), 40),
                "missing": self.frame[attribute.name].null_count(),
                "comment": attribute.comment,
            }
            for attribute in self.attributes
        ]


def plain_name(text: str) -> str:
    """A text as the name of a dataset or prototask: letters, digits and . - + _, the first a letter or digit."""
    return _PLAIN.sub("-", text).strip("._+-")[:MOST_LETTERS].rstrip("._+-") or "data"


def propose(table: Table, wanted: Wanted) -> Proposal:
    """Guess what a table is, and how its cases can be dealt out.

    Raises:
        FaultyInput: columns that are named and not there, values that are none of their kind, a target that cannot be
            predicted, too few cases; every fault at once, with its line and what to do.
    """
    name = plain_name(wanted.name or Path(table.where).name.partition(".")[0])
    what = f"{table.where} cannot be added"
    if len(wanted.name) > MOST_LETTERS:
        fault = Fault(
            "--name",
            f"{len(wanted.name)} letters",
            f"{MOST_LETTERS} at most: it names folders and files",
        )
        raise FaultyInput(what, [fault], "Nothing was written.")
    if table.partition:
        return _of_partition(table, name)
    if faults := _name_faults(table, wanted):
        raise FaultyInput(what, faults)
    guesses = _guesses(table, wanted)
    faults = [fault for item in guesses.values() for fault in item.faults]
    target, kind, wrong = _target(guesses[wanted.target], wanted)
    faults += wrong
    known = guesses[wanted.target].values.is_not_null()
    if (cases := int(known.sum())) < FEWEST:
        faults.append(
            Fault(
                "cases",
                f"{cases} with a known target",
                f"{FEWEST} at least: of fewer there are no "
                f"disjoint "
                "training sets; collect more cases",
            )
        )
    if faults or target.attribute is None:
        raise FaultyInput(what, faults, "Nothing was written.")
    return _proposal(table, wanted, guesses | {wanted.target: target}, kind, name)


def _name_faults(table: Table, wanted: Wanted) -> list[Fault]:
    """Names of columns that are not there."""
    requested = {
        "--target": (wanted.target,),
        "--drop": wanted.drop,
        "--group": (wanted.group,),
        "--time": (wanted.time,),
        "--nature": tuple(wanted.wishes.natures),
        "--ordinal": tuple(wanted.wishes.orders),
    }
    faults = []
    columns = table.frame.columns
    if not wanted.target:
        faults.append(
            Fault("--target", "nothing", f"the column to predict: {shortened(', '.join(columns))}")
        )
    for option, names in requested.items():
        for name in names:
            if name and name not in columns:
                near = (
                    difflib.get_close_matches(name, columns[:1000], n=3, cutoff=0.4) or columns[:10]
                )
                faults.append(Fault(option, repr(name), f"a column: {shortened(', '.join(near))}"))
    if wanted.target and wanted.target in (*wanted.drop, wanted.group, wanted.time):
        faults.append(Fault("--target", repr(wanted.target), "a column that has no other part"))
    if wanted.group and wanted.time:
        faults.append(
            Fault(
                "--group and --time",
                "both",
                "one of them: cases are dealt out by groups or by time",
            )
        )
    if wanted.kind and wanted.kind not in KINDS:
        faults.append(Fault("--kind", repr(wanted.kind), f"one of {', '.join(KINDS)}"))
    return faults


def _guesses(table: Table, wanted: Wanted) -> dict[str, Guess]:
    """What every column is that is not dropped."""
    titles = _titles(table.frame.columns)
    return {
        name: guess(table, name, index, titles[name], wanted.wishes)
        for index, name in enumerate(table.frame.columns, start=1)
        if name not in wanted.drop
    }


def _titles(names: Sequence[str]) -> dict[str, str]:
    """Names of columns as names of attributes: without blanks and stars, and still different."""
    titles: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        title = base = (
            "".join(
                letter for letter in re.sub(r"[\s*]+", "_", name.strip()) if letter.isprintable()
            )
            or "x"
        )
        number = 2
        while title in taken:
            title, number = f"{base}_{number}", number + 1
        taken.add(title)
        titles[name] = title
    return titles


def _target(one: Guess, wanted: Wanted) -> tuple[Guess, str, list[Fault]]:
    """The target as it will be predicted, its kind, and what is wrong with it."""
    where, attribute = f"target {one.name!r}", one.attribute
    if one.faults:
        return one, wanted.kind, []
    if attribute is None:
        constant = one.values.drop_nulls().n_unique() == 1
        rule = (
            "two classes or numbers at least; name another target"
            if constant
            else (f"a number, or a class of at most {MOST_VALUES}; name another target")
        )
        return one, wanted.kind, [Fault(where, one.why, rule)]
    distinct = one.values.drop_nulls().n_unique()
    if distinct < 2:
        return (
            one,
            wanted.kind,
            [
                Fault(
                    where,
                    f"{one.values.drop_nulls()[0]} in every case",
                    "values that differ; name another target",
                )
            ],
        )
    if attribute.nature == "integer" and counts_cases(one.values):
        return (
            one,
            wanted.kind,
            [
                Fault(
                    where,
                    "a number that counts the cases",
                    "what is to be predicted, and not an id",
                )
            ],
        )
    kind = wanted.kind or (
        "real"
        if attribute.numeric and not (attribute.nature == "integer" and distinct <= _FEW_VALUES)
        else "class"
    )
    if kind == "class":
        return _as_classes(one, attribute, distinct, where)
    return _as_number(one, attribute, where)


def _as_classes(
    one: Guess, attribute: Attribute, distinct: int, where: str
) -> tuple[Guess, str, list[Fault]]:
    if distinct == one.values.count():
        return (
            one,
            "class",
            [
                Fault(
                    where,
                    "another class in every case, as ids have",
                    "classes that come more than once; name another target",
                )
            ],
        )
    if attribute.nature == "real" or distinct > MOST_VALUES:
        return (
            one,
            "class",
            [
                Fault(
                    where,
                    f"{distinct} different values",
                    f"at most {MOST_VALUES} classes; say --kind real",
                )
            ],
        )
    if not attribute.numeric:
        return one, "class", []
    values = one.values.cast(pl.Int64).cast(pl.String)
    classes = tuple(sorted(values.drop_nulls().unique().to_list(), key=int))
    made = replace(attribute, nature="binary" if distinct == 2 else "nominal", range=classes)
    return replace(one, values=values, attribute=made), "class", []


def _as_number(one: Guess, attribute: Attribute, where: str) -> tuple[Guess, str, list[Fault]]:
    if attribute.numeric:
        return one, "real", []
    numbers = one.values.cast(pl.Float64, strict=False)
    if numbers.null_count() > one.values.null_count():
        word = one.values.filter(numbers.is_null() & one.values.is_not_null())[0]
        return one, "real", [Fault(where, repr(word), "a number; say --kind class")]
    low, high = float(numbers.min()), float(numbers.max())  # type: ignore[arg-type]
    whole = bool((numbers.drop_nulls() == numbers.drop_nulls().round()).all())
    made = replace(
        attribute,
        nature="integer" if whole else "real",
        range=IntegerRange(low, high) if whole else Interval(low, high),
    )
    return replace(one, values=numbers, attribute=made), "real", []


def _proposal(
    table: Table, wanted: Wanted, guesses: dict[str, Guess], kind: str, name: str
) -> Proposal:
    left_out = {column: item.why for column, item in guesses.items() if item.attribute is None}
    left_out |= {column: "as you wished" for column in wanted.drop}
    retained = {column: item for column, item in guesses.items() if item.attribute is not None}
    for column, entry in list(retained.items()):
        assert entry.attribute is not None
        if column not in (wanted.target, wanted.group, wanted.time) and (
            why := _useless(entry, entry.attribute, table, wanted)
        ):
            left_out[column] = why
            del retained[column]
    target = retained[wanted.target]
    order, group_sizes, ordering = _order(table, wanted, guesses, name)
    frame, attributes = _framed(
        {
            **{
                column: item
                for column, item in retained.items()
                if column not in (wanted.target, wanted.group, wanted.time)
            },
            wanted.target: target,
        },
        ordering,
    )
    missing = target.values.is_null()
    order = order[~missing.to_numpy()[order]]
    times = ordering[1].to_numpy()[order] if ordering and wanted.time else None
    if ordering and (times is None or len(np.unique(times)) < len(times)):
        group_sizes = _run_lengths(ordering[1].to_numpy()[order])
    inputs = attributes[:-2] if ordering else attributes[:-1]
    if not inputs:
        raise FaultyInput(
            f"{table.where} cannot be added",
            [
                Fault(
                    "inputs",
                    "none",
                    "a column beside the target at "
                    "least; "
                    f"left out were {shortened(', '.join(left_out)) or 'none'}",
                )
            ],
            "Nothing was written.",
        )
    frame = frame[order]
    target_name = target.attribute.name  # type: ignore[union-attr]
    predicted = next(attribute for attribute in attributes if attribute.name == target_name)
    try:
        dealt = design(frame.height, group_sizes, in_time=bool(wanted.time))
    except FaultyInput as error:
        faults = [
            replace(fault, where=f"column {wanted.group or wanted.time!r}, {fault.where}")
            for fault in error.faults
        ]
        raise FaultyInput(
            f"{table.where} cannot be added", faults, "Nothing was written."
        ) from None
    about = hints(frame.select(*(item.name for item in inputs), predicted.name), inputs, predicted)
    about += of_roles(
        {name: table.frame[name] for name in guesses if name != wanted.target},
        group=wanted.group,
        time=wanted.time,
    )
    about += _named_as_targets(wanted.target, [name for name in retained if name != wanted.target])
    about += _doubtful_classes(target, kind, wanted)
    notes = [
        *table.notes,
        *([f"{int(missing.sum())} cases without a target are left out"] if missing.any() else []),
    ]
    scheme = _scheme(kind, times, grouped=bool(wanted.group))
    ordered_by = {"group": [ordering[0].name]} if ordering else {}
    together = ordered_by if dealt.whole_groups else {}
    own = {
        "name": plain_name(predicted.name),
        "target": predicted.name,
        "inputs": [item.name for item in inputs],
        "kind": kind,
        **dealt.table(),
        **together,
        "note": dealt.note,
    }
    apart = {
        "name": "cv" if own["name"] != "cv" else "folds",
        "target": predicted.name,
        "inputs": own["inputs"],
        "kind": kind,
        "folds": [scheme],
        "order": dealt.order,
        **ordered_by,
    }
    return Proposal(
        name,
        table.where,
        f"{name}: {predicted.name}",
        pl.DataFrame(frame),
        attributes,
        tuple(item.name for item in inputs),
        (predicted.name,),
        kind,
        (own, apart),
        (),
        left_out,
        tuple(notes),
        tuple(about),
    )


def _named_as_targets(target: str, inputs: Sequence[str]) -> list[str]:
    """A sentence about inputs that may be further targets."""
    if not (others := other_targets(target, [*inputs, target])):
        return []
    drops, targets = (
        " ".join(f"{option} {name}" for name in names)
        for option, names in (("--drop", others), ("--target", [target, *others]))
    )
    return [
        f"{shortened(', '.join(others))} {'is' if len(others) == 1 else 'are'} named as a target is, and an input "
        f"here. "
        f"What is known only when {target} is must be no input: say {shortened(drops)}; or {shortened(targets)} for a "
        f"task each, without the others."
    ]


def _doubtful_classes(target: Guess, kind: str, wanted: Wanted) -> list[str]:
    """A sentence about whole numbers that are taken for classes, which may be meant as numbers."""
    words = target.values.drop_nulls().unique().cast(pl.String)
    if (
        kind != "class"
        or wanted.kind
        or len(words) <= 2
        or wanted.target in (*wanted.wishes.natures, *wanted.wishes.orders)
    ):
        return []
    if words.cast(pl.Float64, strict=False).null_count():
        return []
    return [
        f"{wanted.target} has {len(words)} different whole numbers and is taken for a class; if 2 lies between 1 "
        f"and 3, say --kind real."
    ]


def _useless(one: Guess, attribute: Attribute, table: Table, wanted: Wanted) -> str:
    """Why a column is no input; one whose nature the user gives is kept unless it is constant."""
    if attribute.numeric and one.values.drop_nulls().n_unique() < 2:
        return f"it is {one.values.drop_nulls()[0]:g} in every case"
    if one.name in (*wanted.wishes.natures, *wanted.wishes.orders) or one.date:
        return ""
    keep = f"say --nature '{one.name}={attribute.nature}' to keep it"
    if attribute.nature == "integer" and counts_cases(one.values):
        return "it counts the cases, as an id does"
    if is_index(one.values, one.name, table.index):
        return f"it is the index of the table's rows, a whole number in each; {keep}"
    if attribute.nature != "real" and is_identifier(one.values, one.name):
        return f"it is different in every case and named as an id; {keep}"
    if not attribute.numeric and one.values.n_unique() == len(one.values) > 2:
        return "it is another word in every case, as names are"
    return ""


def _framed(
    kept: Mapping[str, Guess], ordering: tuple[Attribute, pl.Series] | None
) -> tuple[pl.DataFrame, tuple[Attribute, ...]]:
    """The columns side by side, the target the last but for what orders the cases; a column's own name is its
    meaning."""
    columns: list[pl.Series] = []
    attributes: list[Attribute] = []
    for column, item in kept.items():
        assert item.attribute is not None
        comment = item.attribute.comment or (column if column != item.attribute.name else "")
        attributes.append(
            replace(
                item.attribute,
                index=len(attributes) + 1,
                comment="".join(letter for letter in comment if letter.isprintable()),
            )
        )
        columns.append(item.values.alias(item.attribute.name))
    if ordering:
        attributes.append(replace(ordering[0], index=len(attributes) + 1))
        columns.append(ordering[1].alias(ordering[0].name))
    return pl.DataFrame(columns), tuple(attributes)


def _order(
    table: Table, wanted: Wanted, guesses: Mapping[str, Guess], name: str
) -> tuple[np.ndarray, np.ndarray | None, tuple[Attribute, pl.Series] | None]:
    """The order of the cases, the sizes of their groups, and the attribute that gives it."""
    cases = table.frame.height
    if wanted.time:
        return _by_time(guesses[wanted.time], table)
    if not wanted.group:
        return np.arange(cases), None, None

    words = table.frame[wanted.group].cast(pl.String)
    if words.null_count():
        raise FaultyInput(
            f"{table.where} cannot be added",
            [
                Fault(
                    f"column {wanted.group!r}, {table.place(int(words.is_null().arg_true()[0]))}",
                    "no value",
                    "the group of every case",
                )
            ],
            "Nothing was written.",
        )
    codes = words.rank("dense").cast(pl.Float64) - 1.0
    count = int(codes.n_unique())
    if count < 2 * _FOLDS:
        raise FaultyInput(
            f"{table.where} cannot be added",
            [
                Fault(
                    f"column {wanted.group!r}",
                    f"{count} groups",
                    f"{2 * _FOLDS} at least, to be dealt out to tests and training",
                )
            ],
            "Nothing was written.",
        )
    rng = generator(0, "groups", name)
    index = rng.permutation(count)[codes.cast(pl.Int64).to_numpy()]
    order = np.lexsort(
        (rng.permutation(cases), index)
    )  # at random in a group too, of which a part may be used
    title = _titles(table.frame.columns)[wanted.group]
    return (
        order,
        _run_lengths(index[order]),
        (Attribute(1, title, "integer", IntegerRange(0, count - 1), "number of the group"), codes),
    )


def _by_time(one: Guess, table: Table) -> tuple[np.ndarray, None, tuple[Attribute, pl.Series]]:
    """The newest cases first."""
    if one.attribute is None or not one.attribute.numeric or one.values.null_count():
        raise FaultyInput(
            f"{table.where} cannot be added",
            [
                Fault(
                    f"column {one.name!r}",
                    one.why or "no number or date in some case",
                    "a date such as 2026-11-22 or a number for every case",
                )
            ],
            "Nothing was written.",
        )
    if one.values.n_unique() < 2:
        raise FaultyInput(
            f"{table.where} cannot be added",
            [
                Fault(
                    f"column {one.name!r}",
                    "the same time in every case",
                    "a time that differs: tests are on the newest cases, and there are none",
                )
            ],
            "Nothing was written.",
        )
    return np.argsort(-one.values.to_numpy(), kind="stable"), None, (one.attribute, one.values)


def _run_lengths(codes: np.ndarray) -> np.ndarray:
    starts = np.flatnonzero(np.diff(codes, prepend=np.nan))
    return np.diff(np.append(starts, len(codes)))


def _scheme(kind: str, times: np.ndarray | None, *, grouped: bool) -> str:
    """The folds that suit the cases: of whole groups, of stretches of time with the widest gap up to five steps, or
    at random."""
    if grouped:
        return f"grouped-{_FOLDS}"
    if times is None:
        return f"{'stratified' if kind == 'class' else 'random'}-{_FOLDS}"
    moments = len(np.unique(times))
    folds = min(_FOLDS, moments)
    for gap in range(min(_GAP, moments // _FOLDS), 0, -1):
        with contextlib.suppress(FaultyInput):
            time_blocks(times, folds, gap)
            return f"blocks-{folds}-{gap}"
    return f"blocks-{folds}-0"


def _of_partition(table: Table, name: str) -> Proposal:
    """A .dt file: its partition is the task, and its outputs are 1 of m classes or numbers."""
    outputs = [table.frame[target] for target in table.targets]
    classes = len(outputs) > 1 and all(bool(column.is_in([0.0, 1.0]).all()) for column in outputs)
    attributes = []
    for index, column in enumerate(table.frame, start=1):
        low, high = float(column.min()), float(column.max())  # type: ignore[arg-type]
        binary = classes and column.name in table.targets
        attributes.append(
            Attribute(
                index,
                column.name,
                "integer" if binary else "real",
                IntegerRange(0, 1) if binary else Interval(low, high),
            )
        )
    inputs = tuple(column for column in table.frame.columns if column not in table.targets)
    return Proposal(
        name,
        table.where,
        f"{name}: a partition of PROBEN1's form",
        pl.DataFrame(table.frame),
        tuple(attributes),
        inputs,
        table.targets,
        "outputs",
        (),
        table.partition,
        {},
        table.notes,
        (),
    )
