"""What a table of ``prototasks.toml`` must hold, before the card of its dataset is looked at."""

from __future__ import annotations

import re

from benchbook.errors import Fault
from benchbook.rules import TEXT, Rule, faults_of, is_positive, is_text, is_whole, list_of, one_of
from benchbook.tasks.declaration import CASES, KINDS, PHASES, SELECTIONS
from benchbook.tasks.folds_task import is_scheme

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


def _limits(value: object) -> bool:
    """Whether it is a number of instances, or a table of them by training-set size."""
    by_size = isinstance(value, dict) and all(
        size.isascii() and size.isdigit() and is_positive(count) for size, count in value.items()
    )
    return is_positive(value) or by_size


def _phases(value: object) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == set(PHASES)
        and all(map(is_positive, value.values()))
    )


_DATASETS = list_of(is_text, "a list of names", 1)
_REQUIRED = {
    "dataset": Rule(
        lambda value: is_text(value) or _DATASETS.right(value),
        "the name of a dataset, or a list of them",
    ),
    "name": Rule(
        lambda value: isinstance(value, str) and _NAME.fullmatch(value) is not None,
        "letters, digits and . - + _, the first a letter or digit",
    ),
    "kind": one_of(KINDS),
}
SIZES = {
    "test-set-size": Rule(is_positive, "a whole number of at least 1"),
    "test-set-selection": one_of(SELECTIONS),
    "training-set-sizes": list_of(is_positive, "a list of whole numbers of at least 1", 1),
    "maximum-instances": Rule(
        _limits, "a whole number of at least 1, or a table of them by training-set size"
    ),
}
"""The keys of a prototask whose tasks are named by the size of the training set."""
_PHASES = {
    "phases": Rule(_phases, f"a table of whole numbers: {', '.join(PHASES)}, each at least 1")
}
_FOLDS = {
    "folds": list_of(
        lambda value: isinstance(value, str) and is_scheme(value),
        "a list of schemes: random-10, stratified-10, grouped-8, blocks-10-5 or alone",
        1,
    )
}
_SPLITS = {
    "splits": Rule(lambda value: is_positive(value) and value > 1, "a whole number of at least 2")
}
_OPTIONAL = {
    "target": TEXT,
    "inputs": list_of(is_text, "a list of attributes", 1),
    "order": TEXT,
    "cases": one_of(CASES),
    "encodings": Rule(
        lambda value: isinstance(value, dict) and all(map(is_text, value.values())),
        "a table of encodings by attribute",
    ),
    "ours": list_of(is_text, "a list of keys"),
    "note": TEXT,
}
_GROUP = {"group": list_of(is_text, "a list of attributes", 1)}
_OF_FOLDS = {
    **_GROUP,
    "part": list_of(is_whole, "the first place and the one after the last", 2, 2),
}


def table_faults(where: str, table: object) -> list[Fault]:
    """Every fault of one table, as far as it can be seen without the card of its dataset."""
    given = table if isinstance(table, dict) else {}
    needed = _REQUIRED | (
        _PHASES
        if "phases" in given
        else _FOLDS
        if "folds" in given
        else _SPLITS
        if "splits" in given
        else SIZES
    )
    others = _OPTIONAL | (
        _OF_FOLDS if "folds" in given else {} if {"phases", "splits"} & set(given) else _GROUP
    )
    faults = faults_of(table, where, needed, others)
    choices = {*needed, *others} - {"dataset", "name", "ours", "note", "kind"}
    ours = given.get("ours", [])
    return faults + [
        Fault(f"{where}, ours", repr(key), f"one of {', '.join(sorted(choices))}")
        for key in (ours if isinstance(ours, list) else [])
        if isinstance(key, str) and key not in choices
    ]
