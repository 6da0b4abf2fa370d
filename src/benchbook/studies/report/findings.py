"""What is wrong with a report, or doubtful, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchbook.errors import Fault, FaultyInput
from benchbook.studies.report.laws import LAWS, Law


@dataclass(frozen=True)
class Finding(Fault):
    """A fault of a report, or with ``warning`` only a doubt.

    ``key`` is the dotted name, ``line`` the line of the file when there is one, ``found`` what stands there, ``write``
    what to write instead, ``law`` the rule that asks for it. ``where`` and ``rule`` put these into the words of every
    other fault.
    """

    key: str
    line: int | None
    write: str
    law: Law
    warning: bool = False

    @classmethod
    def at(
        cls, key: str, line: int | None, found: str, write: str, law: str, warning: bool = False
    ) -> Finding:
        """A finding under the rule of that name."""
        rule, place = LAWS[law], f"{key} (line {line})" if line else key
        return cls(
            place, found, f"{write}. [{rule.source}: {rule.words}]", key, line, write, rule, warning
        )

    def describe(self) -> dict[str, Any]:
        """The finding as plain values, for JSON."""
        return {
            "key": self.key,
            "line": self.line,
            "found": self.found,
            "write": self.write,
            "rule": self.law.name,
            "source": self.law.source,
            "words": self.law.words,
        }


class FaultyReport(FaultyInput):
    """A report with faults; ``warnings`` holds what else is doubtful in it."""

    def __init__(self, what: str, faults: Sequence[Finding], warnings: Sequence[Finding]) -> None:
        self.findings, self.warnings = tuple(faults), tuple(warnings)
        super().__init__(what, faults)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.findings, self.warnings)
