"""Hold a report against the rules: every fault at once, and doubts apart."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.errors import BenchbookError, shortened
from benchbook.studies.report import (
    comparison_rules,
    data_rules,
    quantity_rules,
    result_rules,
    training_rules,
)
from benchbook.studies.report.findings import FaultyReport, Finding
from benchbook.studies.report.form import Form, flat, shown
from benchbook.studies.report.kinds import vague
from benchbook.studies.report.places import lines_of
from benchbook.studies.report.schema import COMPARISON, KEYS, PARAMETERS, TABLES, Row
from benchbook.toml_files import parse_toml, read_bytes

_LIKE = 0.8
_HINTS, _HINTED = 100, 100
"""Nearest keys are looked for, which is slow, while there are few findings, for keys of so many letters at most."""
_ADVICE = (
    "Texts stand in quotes, and every table and key stands once; `benchbook report new` writes a form to "
    "begin with"
)
_RULES = (
    *data_rules.RULES,
    *training_rules.RULES,
    *result_rules.RULES,
    *quantity_rules.RULES,
    *comparison_rules.RULES,
)


@dataclass(frozen=True, eq=False)
class Report:
    """A report that has passed.

    ``values`` holds its tables as TOML gives them; ``warnings`` what is allowed and doubtful. ``report["runs.total"]``
    is the value of a key.
    """

    values: Mapping[str, Any]
    warnings: tuple[Finding, ...] = ()

    def __getitem__(self, name: str) -> Any:
        return self._flat()[name]

    def __contains__(self, name: str) -> bool:
        return name in self._flat()

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a key, or ``default``."""
        return self._flat().get(name, default)

    def _flat(self) -> dict[str, Any]:
        return flat(self.values, (PARAMETERS,))


def check(source: Mapping[str, Any] | str | Path) -> Report:
    """Check a report.

    Args:
        source: the path of a TOML file, or its tables as a mapping.

    Returns:
        The report, with its warnings.

    Raises:
        FaultyReport: a ``FaultyInput`` with every fault: the key, what was found, what to write, and the rule.
        BenchbookError: the file is not there or is not TOML.
    """
    if isinstance(source, Mapping):
        return _passed("report", source, findings(source))
    text = read(source)
    given = parse_toml(text.encode(), f"report {source}", _ADVICE)
    return _passed(f"report {source}", given, findings(given, lines_of(text)))


def findings(
    given: Mapping[str, Any], places: Mapping[str, int] | None = None
) -> tuple[Finding, ...]:
    """All faults and warnings of a report, in the order of the form; none for a perfect one.

    Args:
        given: its tables.
        places: lines by key, as ``lines_of`` finds them.
    """
    form = Form(given, places)
    _keys(form)
    _entries(form)
    for rule in _RULES:
        rule(form)
    order = {
        name: place for place, name in enumerate(dict.fromkeys([*_with_tables(), "comparison"]))
    }

    def place(finding: Finding) -> tuple[int, str]:
        name = finding.key.split("[")[0]
        while name not in order and "." in name:
            name = name.rsplit(".", 1)[0]
        return order.get(name, len(order)), finding.key

    return tuple(sorted(form.findings, key=place))


def read(path: str | Path) -> str:
    """The text of a report's file.

    Raises:
        BenchbookError: it is not there, or is no text.
    """
    try:
        return read_bytes(path, "report", "; begin one with `benchbook report new`").decode("utf-8")
    except UnicodeDecodeError as error:
        raise BenchbookError(f"report {path} cannot be read as UTF-8: {error}") from error


def _passed(what: str, given: Mapping[str, Any], remarks: tuple[Finding, ...]) -> Report:
    faults = [finding for finding in remarks if not finding.warning]
    warnings = tuple(finding for finding in remarks if finding.warning)
    if faults:
        raise FaultyReport(what, faults, warnings)
    return Report(given, warnings)


def _with_tables() -> list[str]:
    """Tables and keys in the order of the form."""
    return [part for name in KEYS for part in (name.rsplit(".", 1)[0], name)]


def _keys(form: Form) -> None:
    """Sort what is given into keys of the form, good or refused, and keys that mean nothing."""
    given = flat(
        {name: value for name, value in form.given.items() if name != "comparison"}, (PARAMETERS,)
    )
    for name, value in given.items():
        if name not in KEYS:
            _unknown(form, name, value, list(KEYS))
        elif write := KEYS[name].kind.fault(value):
            _refuse(form, name, value, write, KEYS[name])
        else:
            form.good[name] = value
    for table in (one for one in TABLES if one not in given):
        missing = [
            key
            for name, key in KEYS.items()
            if name.rsplit(".", 1)[0] == table and key.needed and name not in given
        ]
        if form.get("results.runs") == 1:
            missing = [key for key in missing if not key.name.endswith(".sd")]
        absent = not any(name.startswith(f"{table}.") for name in given)
        if missing and absent:
            names = ", ".join(key.name.rsplit(".", 1)[1] for key in missing)
            form.refuse(table, "nothing", f"a table [{table}] with {names}", missing[0].law)
        for key in () if absent else missing:
            form.refuse(key.name, "nothing", key.says, key.law)


def _refuse(form: Form, name: str, value: Any, write: str, key: Row) -> None:
    """Refuse a value of the wrong kind; one that leaves open what it should say is told what that is."""
    form.refuse(name, shown(value), key.says if vague(value) and key.says else write, key.law)


def _unknown(form: Form, name: str, value: Any, names: list[str]) -> None:
    if name in TABLES:
        form.refuse(
            name,
            shown(value),
            f"a table: [{name}] on a line of its own, and its keys below",
            "quick check",
        )
    elif "accuracy" in name:
        form.refuse(
            name,
            shown(value),
            "results.test_wrong: the per cent classified wrongly, in which differences are "
            "easier to see",
            "class errors",
        )
    else:
        near = (
            _nearest(name, names) if len(name) <= _HINTED and len(form.findings) <= _HINTS else ""
        )
        write = (
            f"{near}, if that is meant; otherwise nothing"
            if near
            else "nothing: the form has no such key"
        )
        form.refuse(shortened(name), "a key that means nothing here", write, "quick check")


def _nearest(name: str, names: list[str]) -> str:
    """The known key that is written most like this one, whatever the order of its words, or nothing."""

    def likeness(known: str) -> float:
        own, other = name.rsplit(".", 1)[-1], known.rsplit(".", 1)[-1]
        turned = ("_".join(sorted(text.split("_"))) for text in (own, other))
        return max(_ratio(own, other), _ratio(*turned)) + 0.3 * _ratio(name, known)

    best = max(names, key=likeness)
    return best if likeness(best) > _LIKE else ""


def _ratio(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def _entries(form: Form) -> None:
    """The comparisons, each as far as its values are good."""
    entries = form.given.get("comparison", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        form.refuse(
            "comparison",
            shown(entries),
            "[[comparison]] in double brackets, once for each",
            "quick check",
        )
        return
    for number, entry in enumerate(entries):
        good, place = {}, f"comparison[{number}]"
        for name, value in entry.items():
            if name not in COMPARISON:
                _unknown(
                    form, f"{place}.{name}", value, [f"{place}.{known}" for known in COMPARISON]
                )
            elif write := COMPARISON[name].kind.fault(value):
                _refuse(form, f"{place}.{name}", value, write, COMPARISON[name])
            else:
                good[name] = value
        for name, key in COMPARISON.items():
            if key.needed and name not in entry:
                form.refuse(f"{place}.{name}", "nothing", key.says, key.law)
        form.comparisons.append(good)
