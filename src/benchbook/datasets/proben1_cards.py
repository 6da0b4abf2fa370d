"""Cards of PROBEN1: each problem has one table in the registry and becomes three datasets, one per permutation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PERMUTATIONS = (1, 2, 3)


def expand(section: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Registry entries ``proben1-cancer1`` to ``proben1-thyroid3`` from the section ``[proben1]``.

    The section has what all cards share and ``root``, the address below which the files are; ``problems`` holds
    one table per problem with ``folder``, ``partition`` (training, validation and test cases), ``inputs``, ``outputs``
    and, per permutation, ``sums`` and ``orders``.
    """
    shared = {key: value for key, value in section.items() if key not in ("root", "problems", "notes", "order")}
    entries = {}
    for problem, table in section.get("problems", {}).items():
        for number in PERMUTATIONS:
            entries[f"proben1-{problem}{number}"] = _entry(problem, number, table, section) | shared
    return entries


def _entry(problem: str, number: int, table: Mapping[str, Any], section: Mapping[str, Any]) -> dict[str, Any]:
    place = f"{table['folder']}/{problem}{number}.dt"
    inputs, outputs = table["inputs"], table["outputs"]
    return {
        "title": f"{table['title']}, permutation {number}",
        "description": table["description"],
        "usage": table.get("usage", "historical"),
        "family": table["folder"],
        "files": [[f"proben1/{place}", table["sums"][number - 1], table["bytes"], f"{section['root']}/{place}"]],
        "shape": [sum(table["partition"]), _count(inputs) + _count(outputs)],
        "attributes": [*inputs, *outputs],
        "targets": _names(outputs),
        "partition": table["partition"],
        "row_order": table.get("orders", [section["order"]] * len(PERMUTATIONS))[number - 1],
        "notes": [*section.get("notes", []), *table.get("notes", [])],
    }


def _count(lines: list[list[Any]]) -> int:
    return len(_names(lines))


def _names(lines: list[list[Any]]) -> list[str]:
    """Names of the attributes of some lines, ``name*3`` taken apart into ``name1`` to ``name3``."""
    names = []
    for line in lines:
        stem, _, count = line[0].partition("*")
        names += [f"{stem}{number}" for number in range(1, int(count) + 1)] if count else [stem]
    return names
