"""A report as it is being checked: its values by dotted name, and the findings so far."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from benchbook.studies.report.findings import Finding
from benchbook.studies.report.schema import TABLES

_LONGEST = 60


def shown(value: Any) -> str:
    """A value as it would stand in the file, cut when long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


class Form:
    """The values of one report.

    ``get`` gives only values that are of the right kind; a value that is missing or was refused already is None, so
    that a rule about several keys is silent where one of them has a fault of its own.
    """

    def __init__(self, given: Mapping[str, Any], places: Mapping[str, int] | None = None) -> None:
        self.given, self.places = given, places or {}
        self.good: dict[str, Any] = {}
        self.comparisons: list[dict[str, Any]] = []
        self.findings: list[Finding] = []

    def get(self, name: str) -> Any:
        """The value of a key, or None."""
        return self.good.get(name)

    def line(self, name: str) -> int | None:
        """The line of a key, or of the table that it would stand in."""
        while name not in self.places and "." in name:
            name = name.rsplit(".", 1)[0]
        return self.places.get(name)

    def refuse(self, name: str, found: str, write: str, law: str) -> None:
        """Note a fault."""
        self.findings.append(Finding.at(name, self.line(name), found, write, law))

    def doubt(self, name: str, found: str, write: str, law: str) -> None:
        """Note a warning."""
        self.findings.append(Finding.at(name, self.line(name), found, write, law, warning=True))

    def need(self, name: str, because: str, write: str, law: str) -> None:
        """Refuse a key's absence, in this case."""
        if self.absent(name):
            self.refuse(name, f"nothing, and {because}", write, law)

    def absent(self, name: str) -> bool:
        """Whether a key was not given, so that there is no value of it, good or bad."""
        return name not in self.good and not self.refused(name)

    def refused(self, name: str) -> bool:
        """Whether a key has a fault already."""
        return any(finding.key == name and not finding.warning for finding in self.findings)


def flat(table: Mapping[str, Any], keep: Sequence[str], before: str = "") -> dict[str, Any]:
    """Tables within tables as dotted names; the tables in ``keep`` stay whole, as does an empty one that is no table of
    the form."""
    entries: dict[str, Any] = {}
    for name, value in table.items():
        dotted = f"{before}{name}"
        if isinstance(value, Mapping) and dotted not in keep and (value or dotted in TABLES):
            entries |= flat(value, keep, f"{dotted}.")
        else:
            entries[dotted] = value
    return entries
