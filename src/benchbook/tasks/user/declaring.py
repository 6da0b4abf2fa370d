"""Prototasks of one's own for data of one's own: declared, held against the card, and written, or not at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchbook.datasets import card
from benchbook.datasets import registry as cards
from benchbook.datasets.user import places
from benchbook.errors import BenchbookError, Fault, FaultyInput, UnknownName
from benchbook.files import atomic, ensure_writable
from benchbook.tasks import registry
from benchbook.tasks.declaration import Prototask
from benchbook.tasks.tables import table_faults
from benchbook.tasks.user.proposal import MOST_LETTERS
from benchbook.tasks.user.writing import as_toml, forget
from benchbook.toml_files import sealed, without_seal

_CLASSES = ("nominal", "binary", "ordinal")


def declare(
    dataset: str,
    name: str,
    *,
    target: str = "",
    inputs: Sequence[str] = (),
    drop: Sequence[str] = (),
    kind: str = "",
    sizes: Sequence[int] = (),
    tests: int = 0,
    selection: str = "",
    instances: int = 0,
    cases: str = "all",
) -> Prototask:
    """Write a prototask for a dataset of the user's; what is left out is as in the one that came with the dataset.

    Args:
        dataset: one of the user's. name: of the prototask, a new one.
        target: the attribute to predict.
        inputs: attributes or patterns such as ``flag*``; by default those of the prototask that came with the
            dataset. drop: some that are none after all.
        kind: "real" or "class"; by default as the target's nature says.
        sizes: training cases, a task for each. tests: test cases. selection: "hierarchical", each instance has its own
            test cases, or "common".
        instances: no more than so many for each size. cases: "all", or "no missing".

    Raises:
        UnknownName: the user has no such dataset.
        FaultyInput: all that is wrong with the prototask; nothing is written.
        BenchbookError: the dataset has a partition, or its folder cannot be written to.
    """
    file = _folder_of(dataset) / places.PROTOTASKS
    present = [
        table
        for path, table in registry.declared().tables.items()
        if path.startswith(f"{dataset}/")
    ]
    if not present:
        raise BenchbookError(
            f"{dataset} has a partition of its own, or no prototask that works; see `benchbook "
            f"datasets check {dataset}`"
        )
    first = present[0]
    known = {attribute.name: attribute.nature for attribute in card(dataset).attributes}
    target = target or first.get("target", card(dataset).targets[0])
    given: dict[str, Any] = {
        "name": name,
        "target": target,
        "kind": kind or ("class" if known.get(target) in _CLASSES else "real"),
        "training-set-sizes": list(sizes),
        "test-set-size": tests,
        "test-set-selection": selection,
        "maximum-instances": instances,
        "cases": cases,
        "order": first.get("order", "random"),
        "note": "Your own.",
    }
    table = {key: value or first.get(key) for key, value in given.items()}
    table |= {"group": first["group"]} if "group" in first else {}
    faults = _column_faults(known, target, inputs, drop)
    if "group" in table and table["test-set-selection"] == "hierarchical":
        faults.append(
            Fault(
                "selection",
                "'hierarchical'",
                "common: where cases belong together, test cases of each "
                "instance's own would share groups",
            )
        )
    faults += (
        []
        if f"{dataset}/{name}" not in registry.prototasks()
        else [Fault("name", repr(name), f"{dataset} has such a prototask already; take another")]
    )
    if len(name) > MOST_LETTERS:
        faults.append(
            Fault("name", f"{len(name)} letters", f"{MOST_LETTERS} at most: it names files")
        )
    faults += table_faults(f"prototask {name}", {**table, "dataset": dataset})
    if not faults:
        chosen = _chosen(known, inputs or first.get("inputs", list(known))) - (
            set() if inputs else set(card(dataset).targets)
        )
        table["inputs"] = [item for item in known if item in chosen and item not in (*drop, target)]
        faults = registry._unusable({**table, "dataset": dataset})
    if faults:
        raise FaultyInput(
            f"prototask {dataset}/{name}",
            faults,
            f"`benchbook datasets show {dataset}` lists the attributes; nothing was written.",
        )
    return _written(file, dataset, name, table)


def _folder_of(dataset: str) -> Path:
    folders = places.folders()
    if dataset not in folders:
        if dataset in cards.published():
            raise BenchbookError(
                f"{dataset} comes with the book, and so do its prototasks; add your data with "
                "`benchbook datasets add`"
            )
        raise UnknownName("dataset", dataset, folders)
    return folders[dataset]


def _column_faults(
    known: dict[str, str], target: str, inputs: Sequence[str], drop: Sequence[str]
) -> list[Fault]:
    listed = ", ".join(known)
    faults = [
        Fault(part, repr(name), f"an attribute: {listed}")
        for part, names in (("target", [target]), ("drop", drop))
        for name in names
        if name not in known
    ]
    faults += [
        Fault("inputs", repr(item), f"an attribute or a pattern of some: {listed}")
        for item in inputs
        if not _chosen(known, [item])
    ]
    return faults + [
        Fault("inputs", repr(item), "the target is not among the inputs")
        for item in inputs
        if item == target
    ]


def _chosen(known: dict[str, str], patterns: Sequence[str]) -> set[str]:
    """The attributes that names or patterns stand for."""
    shapes = [
        re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."))
        for pattern in patterns
    ]
    return {
        name for name in known if name in patterns or any(shape.fullmatch(name) for shape in shapes)
    }


def _written(file: Path, dataset: str, name: str, table: dict[str, Any]) -> Prototask:
    """Add the table to the file and prepare the prototask; the file is as it was when that fails."""
    ensure_writable(file.parent)
    before = file.read_bytes() if file.is_file() else b""
    text = without_seal(before.decode("utf8"))
    _write(file, sealed(f"{text.rstrip()}\n\n{as_toml(dataset, table)}".lstrip()))
    try:
        made = registry.prototask(f"{dataset}/{name}")
        for size in made.training_set_sizes:
            registry.get(f"{made.path}/std.{size}").split()
    except BenchbookError:
        _write(file, before)
        raise
    return made


def _write(file: Path, content: bytes) -> None:
    with atomic(file) as scratch:
        scratch.write_bytes(content)
    forget()
