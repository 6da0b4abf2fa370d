"""Cards of PROBEN1: each problem has one table in the registry and becomes three datasets, one per permutation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchbook.datasets.entries import CARD_TOO, PROBEN1, PROBEN1_TOO, names_of
from benchbook.errors import Fault
from benchbook.rules import TEXT, Rule, faults_of

PERMUTATIONS = (1, 2, 3)
_SECTION = {"root": TEXT, "order": TEXT, "notes": CARD_TOO["notes"]}


def expand(section: Mapping[str, Any], faulty: dict[str, list[Fault]]) -> dict[str, dict[str, Any]]:
    """Registry entries ``proben1-cancer1`` to ``proben1-thyroid3`` from the section ``[proben1]``.

    The section has what all cards share and ``root``, the address below which the files are; ``problems`` holds
    one table per problem with ``folder``, ``partition`` (training, validation and test cases), ``inputs``, ``outputs``
    and, per permutation, ``sums`` and ``orders``. ``faulty`` gets the faults of the datasets that are left out.
    """
    return of_problems(
        "proben1", "proben1", section, faulty, _SECTION, (PROBEN1, PROBEN1_TOO), _entry
    )


def of_problems(
    name: str,
    prefix: str,
    section: Mapping[str, Any],
    faulty: dict[str, list[Fault]],
    keys: Mapping[str, Rule],
    rules: tuple[Mapping[str, Rule], Mapping[str, Rule]],
    made: Callable[[str, int, Mapping[str, Any], Mapping[str, Any]], dict[str, Any]],
) -> dict[str, dict[str, Any]]:
    """Registry entries of a section with a table for each problem, three for each, with what all cards share.

    Args:
        name: of the section. prefix: of the names of its datasets.
        section: as it stands in the file. faulty: gets the faults of the datasets that are left out.
        keys: what the section must have besides; the rest is shared by all cards.
        rules: what the table of a problem must have, and may have.
        made: the entry of a problem, the number of its permutation, its table and the section.
    """
    shared = {key: value for key, value in section.items() if key not in (*keys, "problems")}
    given = {key: section[key] for key in keys if key in section}
    top = faults_of(given, f"[{name}]", keys, {})
    entries = {}
    for problem, table in section.get("problems", {}).items():
        faults = top + faults_of(table, f"[{name}.problems.{problem}]", *rules)
        for number in PERMUTATIONS:
            dataset = f"{prefix}-{problem}{number}"
            if faults:
                faulty[dataset] = faults
            else:
                entries[dataset] = made(problem, number, table, section) | shared
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
