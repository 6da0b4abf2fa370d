"""Read a report and check it against the rules: every fault at once, and remarks apart.

Each key is read by itself, so that one bad value hides no other fault.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, get_args, get_origin

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from benchbook.errors import BenchbookError, shortened
from benchbook.toml_files import parse_toml, read_bytes
from benchbook_book.form import (
    cases,
    comparison_rules,
    reader,
    result_rules,
)
from benchbook_book.form.rules import Draft, FaultyReport, Finding, fault
from benchbook_book.form.schema import NotGiven, Other, Report, Table, value_at
from benchbook_book.form.words import canonical, options_of

_LONGEST = 60
_PLAIN = {
    "string_type": "a text in quotes",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false, without quotes",
    "list_type": "a list in square brackets",
    "dict_type": "a table, each parameter with its value",
    "model_type": '{ other = "..." } with a description',
    "too_short": "a list that is not empty",
}
_RENAMED = {"partition": "split", "network": "model", "algorithm": "optimiser"}
_NEVER = ("test cases", "all cases", "best on test cases", "training")
"""Words that are understood only to be refused with their reason."""
_REFUSED = object()


def shown(value: object) -> str:
    """A value as it would stand in the file, cut when long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def tables_in(annotation: object) -> list[type[Table]]:
    """The kinds of table that a type allows, descriptions in words aside."""
    if isinstance(annotation, type) and issubclass(annotation, Table):
        return [] if annotation is Other else [annotation]
    if get_origin(annotation) in (list, UnionType, Annotated):
        return [table for part in get_args(annotation) for table in tables_in(part)]
    return []


def read(given: Mapping[str, Any]) -> tuple[Report, list[Draft]]:
    """The report as far as it can be read, and every fault of a single key."""
    reader = _Reader()
    report = reader.table(Report, given, "")
    assert isinstance(report, Report)
    return cases.with_study(report), reader.drafts


class _Reader:
    def __init__(self) -> None:
        self.drafts: list[Draft] = []

    def table(self, kind: type[Table], given: Mapping[str, Any], key: str) -> Table:
        """A table with the keys that are good; what is missing or refused is left unset."""
        values: dict[str, Any] = {}
        for name, field in kind.model_fields.items():
            at = f"{key}.{name}" if key else name
            if name in given:
                values[name] = self._value(kind, name, given[name], at)
            elif field.is_required():
                values[name] = _REFUSED
                self.drafts.append(fault(at, _missing(at, field), rule_of(field), "nothing"))
        for name in sorted(set(given) - set(kind.model_fields)):
            self.drafts.append(_unknown(kind, f"{key}.{name}" if key else name, name))
        read = kind.model_construct(**values)
        for name in [name for name, value in values.items() if value is _REFUSED]:
            del read.__dict__[name]
        return read

    def _value(self, kind: type[Table], name: str, value: object, at: str) -> Any:
        field = kind.model_fields[name]
        inner, options = tables_in(field.annotation), options_of(field.annotation)
        if get_origin(field.annotation) is list and inner:
            if isinstance(value, list) and all(isinstance(item, Mapping) for item in value):
                return [self.table(inner[0], item, f"{at}[{k}]") for k, item in enumerate(value)]
            return self._refuse(at, f"[[{at}]] in double brackets, once for each", "quick check")
        described = (
            Other in get_args(field.annotation) and isinstance(value, Mapping) and "other" in value
        )
        if inner and isinstance(value, Mapping) and not described:
            chosen = self._choose(inner, value, at)
            return _REFUSED if chosen is _REFUSED else self.table(chosen, value, at)
        if inner and not options:
            return self._refuse(at, f"a table: [{at}] and its keys below", "quick check")
        try:
            return _adapter(kind, name).validate_python(canonical(value, options))
        except ValidationError as error:
            errors = error.errors(include_url=False)
            first = errors[-1] if isinstance(value, Mapping) else errors[0]
            texts = value if isinstance(value, list) else [value]
            tests = "test cases" in options and any(
                reader.speaks_of_test(str(text)) for text in texts
            )
            return self._refuse(at, _instead(first, field), "test set" if tests else rule_of(field))

    def _choose(self, tables: list[type[Table]], value: Mapping[str, Any], at: str) -> Any:
        """The kind of table by its key ``kind`` or ``name``."""
        if len(tables) == 1:
            return tables[0]
        if "other" in value:
            return next(table for table in tables if "other" in table.model_fields)
        named = "kind" if "kind" in tables[0].model_fields else "name"
        words = {
            table: options_of(table.model_fields[named].annotation)
            for table in tables
            if named in table.model_fields
        }
        every = [word for options in words.values() for word in options]
        word = canonical(value.get(named), every)
        for table, options in words.items():
            if word in options:
                return table
        rule = rule_of(tables[0].model_fields[named])
        return self._refuse(f"{at}.{named}", f'{_listed(every)}, or other = "..."', rule)

    def _refuse(self, at: str, write: str, rule: str) -> Any:
        self.drafts.append(fault(at, write, rule))
        return _REFUSED


def rule_of(field: FieldInfo) -> str:
    """The name of the rule that asks for a key."""
    extra = field.json_schema_extra
    return str(extra["rule"]) if isinstance(extra, dict) else "quick check"


@cache
def _adapter(kind: type[Table], name: str) -> TypeAdapter[Any]:
    field = kind.model_fields[name]
    kinds: Any = (
        Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
    )
    return TypeAdapter(kinds)


def _missing(key: str, field: FieldInfo) -> str:
    tables = tables_in(field.annotation)
    if not tables:
        return field.description or key
    names = [name for name, inner in tables[0].model_fields.items() if inner.is_required()]
    return f"a table [{key}] with {', '.join(names)}"


def _instead(error: Any, field: FieldInfo) -> str:
    """What a value must be, in words."""
    if error["type"] == "literal_error" and options_of(field.annotation):
        described = ', or { other = "..." } with a description'
        text = _listed(options_of(field.annotation))
        return text + described if Other in get_args(field.annotation) else text
    text = error["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    text = _PLAIN.get(error["type"], text)
    return f"{text}: {field.description}" if field.description else text


def _listed(options: Iterable[object]) -> str:
    return f"one of {', '.join(repr(option) for option in options if option not in _NEVER)}"


def _unknown(kind: type[Table], key: str, name: str) -> Draft:
    """A key that means nothing here, with the nearest one that does."""
    if "accuracy" in name.casefold():
        write = "results.test_wrong: the per cent wrong, in which differences are easier to see"
        return fault(key, write, "class errors")
    names = [*kind.model_fields, *Report.model_fields]
    near = difflib.get_close_matches(name[:100], names, n=1, cutoff=0.7)
    meant = _RENAMED.get(name) or (near[0] if near else "")
    write = (
        f"{meant!r}, if that is meant; otherwise nothing"
        if meant
        else "nothing: there is no such key"
    )
    return fault(shortened(key), write, "quick check", "a key that means nothing here")


_ADVICE = (
    "Texts stand in quotes, and every table and key stands once; `benchbook checklist new` writes a form to "
    "begin with"
)
_RULES: tuple[Callable[[Report], Iterator[Draft]], ...] = (
    *cases.RULES,
    *result_rules.RULES,
    *comparison_rules.RULES,
    *reader.RULES,
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
        what, given, lines = "report", source, dict[str, int]()
    else:
        what, text = f"report {source}", read_text(source)
        given, lines = parse_toml(text.encode(), what, _ADVICE), toml_line_numbers(text)
    report, result = _findings(given, lines)
    warnings = tuple(finding for finding in result if finding.warning)
    if faults := [finding for finding in result if not finding.warning]:
        raise FaultyReport(what, faults, warnings)
    return CheckedReport(given, report, warnings)


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


def _findings(
    given: Mapping[str, Any], lines: Mapping[str, int] | None
) -> tuple[Report, tuple[Finding, ...]]:
    report, drafts = read(given)
    at = partial(value_at, report)
    drafts += cases.drafts_of((*cases.CASES, *result_rules.CASES), at)
    for rule in _RULES:
        with contextlib.suppress(NotGiven):
            for draft in rule(report):
                drafts.append(draft)
    unasked = cases.KINDS[at("study.kind")].not_asked
    drafts = [
        one
        for one in drafts
        if one.key not in unasked or not (one.warning or _value(one.key, given) == "nothing")
    ]
    drafts.sort(key=lambda draft: _rank(draft.key))
    return report, tuple(_located(draft, given, lines or {}) for draft in dict.fromkeys(drafts))


_PLACES = {
    table: list(
        dict.fromkeys(name for kind in tables_in(field.annotation) for name in kind.model_fields)
    )
    for table, field in Report.model_fields.items()
}


def _rank(key: str) -> tuple[int, int]:
    """The place of a key in the form: of its table, and in its table; what the form does not know comes last."""
    table, name = [*re.sub(r"\[\d+\]", "", key).split("."), ""][:2]
    tables, keys = [*_PLACES, table], _PLACES.get(table, [])
    return tables.index(table), keys.index(name) if name in keys else -1


def _located(draft: Draft, given: Mapping[str, Any], lines: Mapping[str, int]) -> Finding:
    """The finding with what stands at its key, and on which line; the line of the table where there is no key."""
    at = draft.key
    while at not in lines and "." in at:
        at = at.rpartition(".")[0]
    result = draft.found or _value(draft.key, given)
    return Finding.at(draft.key, lines.get(at), result, draft.write, draft.rule, draft.warning)


def _value(key: str, given: Mapping[str, Any]) -> str:
    value: object = given
    for name, number in re.findall(r"([^.\[]+)(?:\[(\d+)\])?", key):
        value = value.get(name) if isinstance(value, Mapping) else None
        if number:
            value = value[int(number)] if isinstance(value, list) else None
    return "nothing" if value is None else shown(value)


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
