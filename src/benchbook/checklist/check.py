"""Check a report against the rules: every fault at once, and remarks apart."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.checklist import (
    comparison_rules,
    data_rules,
    presence_rules,
    reading,
    result_rules,
    selection_rules,
    training_rules,
)
from benchbook.checklist.rules import Draft, FaultyReport, Finding
from benchbook.checklist.schema import Report
from benchbook.checklist.tables import NotGiven, value_at
from benchbook.errors import BenchbookError
from benchbook.toml_files import parse_toml, read_bytes

_ADVICE = (
    "Texts stand in quotes, and every table and key stands once; `benchbook checklist new` writes a form to "
    "begin with"
)
_RULES: tuple[Callable[[Report], Iterator[Draft]], ...] = (
    *presence_rules.RULES,
    *data_rules.RULES,
    *training_rules.RULES,
    *result_rules.RULES,
    *comparison_rules.RULES,
    *selection_rules.RULES,
)


@dataclass(frozen=True, eq=False)
class CheckedReport:
    """A report that has passed.

    ``values`` holds its tables as TOML gives them, ``report`` the same as objects, ``warnings`` the remarks.
    ``checked["runs.made"]`` is the value of a key as the form spells it.
    """

    values: Mapping[str, Any]
    report: Report
    warnings: tuple[Finding, ...] = ()

    def __getitem__(self, key: str) -> Any:
        return value_at(self.report, key)


def check(source: Mapping[str, Any] | str | Path) -> CheckedReport:
    """Check a report.

    Args:
        source: the path of a TOML file, or its tables as a mapping.

    Returns:
        The report, with its remarks.

    Raises:
        FaultyReport: a ``FaultyInput`` with every fault: the key, what was found, what to write, and the rule.
        BenchbookError: the file is not there or is not TOML.
    """
    if isinstance(source, Mapping):
        return _passed("report", source, None)
    text = read_text(source)
    given = parse_toml(text.encode(), f"report {source}", _ADVICE)
    return _passed(f"report {source}", given, toml_line_numbers(text))


def findings(
    given: Mapping[str, Any], lines: Mapping[str, int] | None = None
) -> tuple[Finding, ...]:
    """All faults and remarks of a report, in the order of the form; none for a perfect one.

    Args:
        given: its tables.
        lines: numbers of lines by key, as ``toml_line_numbers`` finds them.
    """
    return _findings(given, lines)[1]


def read_text(path: str | Path) -> str:
    """The text of a report's file.

    Raises:
        BenchbookError: it is not there, or is no text.
    """
    try:
        return read_bytes(path, "report", "; begin one with `benchbook checklist new`").decode(
            "utf-8"
        )
    except UnicodeDecodeError as error:
        raise BenchbookError(f"report {path} cannot be read as UTF-8: {error}") from error


def _passed(what: str, given: Mapping[str, Any], lines: Mapping[str, int] | None) -> CheckedReport:
    report, result = _findings(given, lines)
    faults = [finding for finding in result if not finding.warning]
    warnings = tuple(finding for finding in result if finding.warning)
    if faults:
        raise FaultyReport(what, faults, warnings)
    return CheckedReport(given, report, warnings)


def _findings(
    given: Mapping[str, Any], lines: Mapping[str, int] | None
) -> tuple[Report, tuple[Finding, ...]]:
    report, drafts = reading.read(given)
    for rule in _RULES:
        with contextlib.suppress(NotGiven):
            for draft in rule(report):
                drafts.append(draft)
    drafts.sort(key=lambda draft: _rank(draft.key))
    return report, tuple(_located(draft, given, lines or {}) for draft in dict.fromkeys(drafts))


def _rank(key: str) -> tuple[int, int]:
    """The place of a key in the form: of its table, and in its table; what the form does not know comes last."""
    names = re.split(r"\[\d+\]\.|\.", key)
    tables = list(Report.model_fields)
    if names[0] not in tables:
        return len(tables), 0
    kinds = reading.tables_in(Report.model_fields[names[0]].annotation)
    keys = list(dict.fromkeys(name for kind in kinds for name in kind.model_fields))
    return tables.index(names[0]), keys.index(names[1]) if len(names) > 1 and names[
        1
    ] in keys else -1


def _located(draft: Draft, given: Mapping[str, Any], lines: Mapping[str, int]) -> Finding:
    """The finding with what stands at its key, and on which line; the line of the table where there is no key."""
    at = draft.key
    while at not in lines and "." in at:
        at = at.rpartition(".")[0]
    result = draft.found or _value(draft.key, given)
    return Finding.at(draft.key, lines.get(at), result, draft.write, draft.rule, draft.warning)


def _value(key: str, given: Mapping[str, Any]) -> str:
    value: Any = given
    for name, number in re.findall(r"([^.\[]+)(?:\[(\d+)\])?", key):
        value = value.get(name) if isinstance(value, Mapping) else None
        if number:
            value = value[int(number)] if isinstance(value, list) else None
    return "nothing" if value is None else reading.shown(value)


_TABLE = re.compile(r"\s*(\[\[?)\s*([\w.\-]+)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([\w.\-]+)\s*=")


def toml_line_numbers(text: str) -> dict[str, int]:
    """Lines, from 1, by dotted name of every table and key; entries of a list of tables are ``comparison[0].mean``.

    Enough for the form, which has no quoted keys. Of texts that go over several lines and of inline tables it gives
    the line on which they begin.
    """
    lines: dict[str, int] = {}
    table, counts, inside = "", dict[str, int](), ""
    for number, line in enumerate(text.splitlines(), start=1):
        if inside:
            inside = "" if inside in line else inside
            continue
        if match := _TABLE.match(line):
            table = match[2]
            if match[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = f"{table}[{counts[table]}]"
            lines.setdefault(table, number)
        elif match := _KEY.match(line):
            lines.setdefault(f"{table}.{match[1]}" if table else match[1], number)
            inside = next((mark for mark in ('"""', "'''") if line.count(mark) % 2), "")
    return lines
