"""What is wrong with a report, or worth a remark, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from benchbook.checklist.rules import RULES, Rule
from benchbook.errors import Fault, FaultyInput


class Draft(NamedTuple):
    """What a rule found: the key, what to write there, the rule's name; ``found`` where the value does not show it."""

    key: str
    write: str
    rule: str
    found: str = ""
    warning: bool = False


def fault(key: str, write: str, rule: str, found: str = "") -> Draft:
    """A fault: the report does not pass."""
    return Draft(key, write, rule, found)


def remark(key: str, write: str, rule: str, found: str = "") -> Draft:
    """A remark: a reader should know."""
    return Draft(key, write, rule, found, warning=True)


@dataclass(frozen=True)
class Finding(Fault):
    """A fault of a report, or with ``warning`` only a remark.

    ``key`` is the dotted name, ``line`` the line of the file when there is one, ``found`` what stands there, ``write``
    what to write instead, ``broken`` the rule that asks for it. ``where`` and ``rule`` put these into the words of
    every other fault.
    """

    key: str
    line: int | None
    write: str
    broken: Rule
    warning: bool = False

    @classmethod
    def at(
        cls, key: str, line: int | None, found: str, write: str, rule: str, warning: bool = False
    ) -> Finding:
        """A finding under the rule of that name."""
        broken, where = RULES[rule], f"{key} (line {line})" if line else key
        words = f"{write}. [{broken.source}: {broken.words}]"
        return cls(where, found, words, key, line, write, broken, warning)

    def describe(self) -> dict[str, Any]:
        """The finding as plain values, for JSON."""
        return {
            "key": self.key,
            "line": self.line,
            "found": self.found,
            "write": self.write,
            "rule": self.broken.name,
            "source": self.broken.source,
            "words": self.broken.words,
        }


class FaultyReport(FaultyInput):
    """A report with faults; ``warnings`` holds the remarks on it."""

    def __init__(self, what: str, faults: Sequence[Finding], warnings: Sequence[Finding]) -> None:
        self.findings, self.warnings = tuple(faults), tuple(warnings)
        super().__init__(what, faults)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.findings, self.warnings)
