"""Cards of PROBEN1: each problem has one table in the registry and becomes three datasets, one per permutation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchbook.datasets.entries import CARD_TOO, PROBEN1, PROBEN1_TOO, names_of
from benchbook.errors import Fault
from benchbook.rules import TEXT, faults_of

PERMUTATIONS = (1, 2, 3)
_SECTION = {"root": TEXT, "order": TEXT, "notes": CARD_TOO["notes"]}


def expand(section: Mapping[str, Any], faulty: dict[str, list[Fault]]) -> dict[str, dict[str, Any]]:
    """Registry entries ``proben1-cancer1`` to ``proben1-thyroid3`` from the section ``[proben1]``.

    The section has what all cards share and ``root``, the address below which the files are; ``problems`` holds
    one table per problem with ``folder``, ``partition`` (training, validation and test cases), ``inputs``, ``outputs``
    and, per permutation, ``sums`` and ``orders``. ``faulty`` gets the faults of the datasets that are left out.
    """
    shared = {key: value for key, value in section.items() if key not in (*_SECTION, "problems")}
    top = faults_of(
        {key: section[key] for key in _SECTION if key in section}, "[proben1]", _SECTION, {}
    )
    entries = {}
    for problem, table in section.get("problems", {}).items():
        faults = top + faults_of(table, f"[proben1.problems.{problem}]", PROBEN1, PROBEN1_TOO)
        for number in PERMUTATIONS:
            name = f"proben1-{problem}{number}"
            if faults:
                faulty[name] = faults
            else:
                entries[name] = _entry(problem, number, table, section) | shared
    return entries


def _entry(
    problem: str, number: int, table: Mapping[str, Any], section: Mapping[str, Any]
) -> dict[str, Any]:
    text = f"{table['folder']}/{problem}{number}.dt"
    inputs, outputs = table["inputs"], table["outputs"]
    return {
        "title": f"{table['title']}, permutation {number}",
        "description": table["description"],
        "usage": table.get("usage", "historical"),
        "family": table["folder"],
        "files": [
            [
                f"proben1/{text}",
                table["sums"][number - 1],
                table["bytes"],
                f"{section['root']}/{text}",
            ]
        ],
        "shape": [sum(table["partition"]), len(names_of([*inputs, *outputs]))],
        "attributes": [*inputs, *outputs],
        "targets": names_of(outputs),
        "partition": table["partition"],
        "row_order": table.get("orders", [section["order"]] * len(PERMUTATIONS))[number - 1],
        "notes": [*section["notes"], *table.get("notes", [])],
    } | {key: table[key] for key in ("acknowledgement",) if key in table}
