"""Read tables into the form: each key by itself, so that one bad value hides no other fault."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from functools import cache
from types import UnionType
from typing import Annotated, Any, get_args, get_origin

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from benchbook.checklist.rules import Draft, fault
from benchbook.checklist.schema import Report
from benchbook.checklist.tables import Other, Table
from benchbook.checklist.words import canonical, looks_at_test, options_of
from benchbook.errors import shortened

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


def shown(value: Any) -> str:
    """A value as it would stand in the file, cut when long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def tables_in(annotation: Any) -> list[type[Table]]:
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
    return report, reader.drafts


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

    def _value(self, kind: type[Table], name: str, value: Any, at: str) -> Any:
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
            tests = "test cases" in options and any(looks_at_test(str(text)) for text in texts)
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


def _listed(options: Any) -> str:
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
