"""What is proposed for a user's table before anything is written: attributes, target, and how cases are dealt out."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchbook.datasets.ranges import IntegerRange, Interval, format_range
from benchbook.datasets.types import Attribute
from benchbook.datasets.user.guess import Guess, guess
from benchbook.datasets.user.roles import counts_cases, is_identifier, is_index
from benchbook.datasets.user.texts import Table
from benchbook.errors import Fault, FaultyInput, shortened
from benchbook.tasks.declaration import KINDS
from benchbook.tasks.user.design import FEWEST, design, order_of, run_lengths, scheme
from benchbook.tasks.user.hints import hints, of_roles
from benchbook.tasks.user.request import TableRequest
from benchbook.tasks.user.target import doubtful_classes, named_as_targets, target_of

_PLAIN = re.compile(r"[^A-Za-z0-9._+-]+")
MOST_LETTERS = 80
"""Of the name of a dataset or prototask, beside which names of files have room for theirs."""


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


def propose(table: Table, request: TableRequest) -> Proposal:
    """Guess what a table is, and how its cases can be dealt out.

    Raises:
        FaultyInput: columns that are named and not there, values that are none of their kind, a target that cannot be
            predicted, too few cases; every fault at once, with its line and what to do.
    """
    name = plain_name(request.name or Path(table.where).name.partition(".")[0])
    what = f"{table.where} cannot be added"
    if len(request.name) > MOST_LETTERS:
        fault = Fault(
            "--name",
            f"{len(request.name)} letters",
            f"{MOST_LETTERS} at most: it names folders and files",
        )
        raise FaultyInput(what, [fault], "Nothing was written.")
    if table.partition:
        return _of_partition(table, name)
    if faults := _name_faults(table, request):
        raise FaultyInput(what, faults)
    table = table.in_groups(request.drop)
    request = replace(request, group=table.group or request.group)
    guesses = _guesses(table, request)
    faults = [fault for item in guesses.values() for fault in item.faults]
    target, kind, wrong = target_of(guesses[request.target], request)
    faults += wrong
    known = guesses[request.target].values.is_not_null()
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
    return _proposal(table, request, guesses | {request.target: target}, kind, name)


def _name_faults(table: Table, request: TableRequest) -> list[Fault]:
    """Names of columns that are not there."""
    requested = {
        "--target": (request.target,),
        "--drop": request.drop,
        "--group": (request.group,),
        "--time": (request.time,),
        "--nature": tuple(request.wishes.natures),
        "--ordinal": tuple(request.wishes.orders),
    }
    faults = []
    columns = table.frame.columns
    if not request.target:
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
    if request.target and request.target in (*request.drop, request.group, request.time):
        faults.append(Fault("--target", repr(request.target), "a column that has no other part"))
    if request.group and request.time:
        faults.append(
            Fault(
                "--group and --time",
                "both",
                "one of them: cases are dealt out by groups or by time",
            )
        )
    faults += table.split_faults(request.drop, group=request.group, time=request.time)
    if request.kind and request.kind not in KINDS:
        faults.append(Fault("--kind", repr(request.kind), f"one of {', '.join(KINDS)}"))
    return faults


def _guesses(table: Table, request: TableRequest) -> dict[str, Guess]:
    """What every column is that is not dropped."""
    titles = _titles(table.frame.columns)
    return {
        name: guess(table, name, index, titles[name], request.wishes)
        for index, name in enumerate(table.frame.columns, start=1)
        if name not in request.drop
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


def _proposal(
    table: Table, request: TableRequest, guesses: dict[str, Guess], kind: str, name: str
) -> Proposal:
    left_out = {column: item.why for column, item in guesses.items() if item.attribute is None}
    left_out |= {column: "as you wished" for column in request.drop}
    retained = {column: item for column, item in guesses.items() if item.attribute is not None}
    for column, entry in list(retained.items()):
        assert entry.attribute is not None
        if column not in (request.target, request.group, request.time) and (
            why := _useless(entry, entry.attribute, table, request)
        ):
            left_out[column] = why
            del retained[column]
    target = retained[request.target]
    order, group_sizes, ordering = order_of(
        table, request, guesses, name, _titles(table.frame.columns).get(request.group, "")
    )
    frame, attributes = _framed(
        {
            **{
                column: item
                for column, item in retained.items()
                if column not in (request.target, request.group, request.time)
            },
            request.target: target,
        },
        ordering,
    )
    missing = target.values.is_null()
    order = order[~missing.to_numpy()[order]]
    times = ordering[1].to_numpy()[order] if ordering and request.time else None
    if ordering and (times is None or len(np.unique(times)) < len(times)):
        group_sizes = run_lengths(ordering[1].to_numpy()[order])
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
        dealt = design(frame.height, group_sizes, in_time=bool(request.time))
    except FaultyInput as error:
        faults = [
            replace(fault, where=f"column {request.group or request.time!r}, {fault.where}")
            for fault in error.faults
        ]
        raise FaultyInput(
            f"{table.where} cannot be added", faults, "Nothing was written."
        ) from None
    about = hints(frame.select(*(item.name for item in inputs), predicted.name), inputs, predicted)
    about += of_roles(
        {name: table.frame[name] for name in guesses if name != request.target},
        group=request.group,
        time=request.time,
    )
    about += named_as_targets(request.target, [name for name in retained if name != request.target])
    about += doubtful_classes(target, kind, request)
    about += [item.note for item in retained.values() if item.note]
    absent = int(missing.sum())
    left = [f"{absent} case{'s' * (absent > 1)} without a target left out"] if absent else []
    notes = [*table.notes, *left]
    folds = scheme(kind, times, grouped=bool(request.group))
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
        "folds": [folds],
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


def _useless(one: Guess, attribute: Attribute, table: Table, request: TableRequest) -> str:
    """Why a column is no input; one whose nature the user gives is kept unless it is constant."""
    if attribute.numeric and one.values.drop_nulls().n_unique() < 2:
        return f"it is {one.values.drop_nulls()[0]:g} in every case"
    if one.name in (*request.wishes.natures, *request.wishes.orders) or one.date:
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
