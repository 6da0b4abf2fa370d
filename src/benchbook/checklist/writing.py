"""Reports as TOML: a passed one, and the template that says what to fill in."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchbook.checklist import known
from benchbook.checklist.check import rule_of, tables_in
from benchbook.checklist.data_rules import PUBLISHED
from benchbook.checklist.rules import RULES
from benchbook.checklist.schema import Report
from benchbook.checklist.tables import Table
from benchbook.checklist.words import canonical, options_of
from benchbook.errors import BenchbookError
from benchbook.files import atomic

_HEAD = """\
# A report on one method and one split, by the rules of PROBEN1.
# Fill in what is empty, remove the sign # from lines that apply, and check it:
#   benchbook checklist check {name}
# Where no word of a vocabulary fits: key = {{ other = "an exact description" }}
"""
_WIDTH = 118
_BEGUN = (
    "results.test_error",
    "results.best_run",
    "results.best_run.test_error",
    "model.max_depth",
)
"""Optional keys and tables that a template begins with."""


def toml(values: Mapping[str, Any]) -> str:
    """A report's tables as TOML; reading it gives the same values again."""
    return "\n".join(_toml(values, "")).strip() + "\n"


def _toml(values: Mapping[str, Any], key: str) -> Iterator[str]:
    tables = {name: value for name, value in values.items() if isinstance(value, Mapping)}
    lists = {name: value for name, value in values.items() if _is_tables(value)}
    for name, value in values.items():
        if name not in tables and name not in lists:
            yield f"{_key(name)} = {_value(value)}"
    for name, table in tables.items():
        at = f"{key}.{_key(name)}".lstrip(".")
        if not table or any(not isinstance(item, Mapping) for item in table.values()):
            yield from ("", f"[{at}]")
        yield from _toml(table, at)
    for name, entries in lists.items():
        at = f"{key}.{_key(name)}".lstrip(".")
        for entry in entries:
            yield from ("", f"[[{at}]]", *_toml(entry, at))


def _is_tables(value: Any) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)
    )


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def write(values: Mapping[str, Any], path: str | Path) -> None:
    """Write a report's tables into a TOML file, whole or not at all."""
    with atomic(path) as scratch:
        scratch.write_text(toml(values), encoding="utf8")


def template(
    partition: str = "",
    name: str = "my-report.toml",
    model: str = "network",
    optimiser: str = "Rprop",
) -> str:
    """A commented form to fill in. As it stands it is refused: every empty value is a fault.

    Args:
        partition: a known one, such as ``cancer1``, of which what is known is filled in.
        name: of the file, for the comment at its top.
        model: network, boosted trees or other. optimiser: its name, or other; for networks.

    Raises:
        BenchbookError: a partition, a model or an optimiser that is not known.
    """
    filled = _known(partition) if partition else {}
    chosen = {}
    for key, word in (("model", model), ("optimiser", optimiser)):
        chosen[key], named = _kind_of(key, word)
        filled |= named
    skipped = ("initialisation", "optimiser") if chosen["model"].__name__ != "Network" else ()
    begun = {
        *_BEGUN,
        *(key for key in ("initialisation", "optimiser", "stopping") if key not in skipped),
    }
    if filled.get("problem.kind") != "approximation":
        begun |= {"results.test_wrong", "error.classes_by"}
    lines = [_HEAD.format(name=name).rstrip()]
    for table, field in Report.model_fields.items():
        if table in skipped:
            continue
        kind = chosen.get(table) or tables_in(field.annotation)[0]
        lines += _table_lines(kind, table, filled, begun, field.is_required() or table in begun)
    return "\n".join(lines) + "\n"


def _kind_of(key: str, word: str) -> tuple[type[Table], dict[str, str]]:
    """The table of the form for a kind of model or optimiser, and the key that says which kind it is."""
    options: dict[str, tuple[type[Table], str]] = {}
    for table in tables_in(Report.model_fields[key].annotation):
        name = next((item for item in ("kind", "name") if item in table.model_fields), "")
        words = options_of(table.model_fields[name].annotation) if name else ("other",)
        options |= dict.fromkeys(words, (table, name))
    chosen = canonical(word, options)
    if chosen not in options:
        raise BenchbookError(f"no {key} {word!r} in the form; it has {', '.join(options)}")
    table, name = options[chosen]
    return table, {f"{key}.{name}": chosen} if name else {}


def _table_lines(
    kind: type[Table], key: str, filled: Mapping[str, Any], begun: set[str], active: bool
) -> Iterator[str]:
    """The lines of one table: its sections of PROBEN1, its keys, and the tables in it."""
    sections = sorted(
        {RULES[rule_of(field)].section for field in kind.model_fields.values()},
        key=lambda text: tuple(map(int, text.split("."))),
    )
    mark = "" if active else "# "
    heading = f"[[{key}]]" if key == "comparison" else f"[{key}]"
    yield from (
        "",
        f"# PROBEN1, section{'s' if len(sections) > 1 else ''} {', '.join(sections)}",
        mark + heading,
    )
    inner = []
    for name, field in sorted(
        kind.model_fields.items(), key=lambda item: item[0] not in ("kind", "name")
    ):
        at, below = f"{key}.{name}", tables_in(field.annotation)
        if below and not options_of(field.annotation):
            inner.append((below[0], at))
            continue
        yield from textwrap.wrap(
            field.description or "", _WIDTH, initial_indent="#   ", subsequent_indent="#   "
        )
        extra = field.json_schema_extra
        example = extra["example"] if isinstance(extra, dict) and extra["example"] else "..."
        if at in filled:
            yield f"{name} = {_value(filled[at])}"
        elif active and (
            field.is_required() or at in begun or (name == "sd" and key.startswith("results"))
        ):
            yield f'{name} = ""'
        else:
            yield f"# {name} = {example}"
    for table, at in inner:
        yield from _table_lines(table, at, filled, begun, active and at in begun)


def _known(partition: str) -> dict[str, Any]:
    entry = known.partition(partition)
    if entry is None:
        raise BenchbookError(
            f"no partition {partition!r} is known here; nearest is {known.nearest(partition)!r}. "
            "For other data leave the name out"
        )
    training, validation, test = entry.counts
    filled: dict[str, Any] = {
        "problem.name": entry.problem,
        "problem.collection": entry.collection,
        "problem.kind": "classification" if entry.classification else "approximation",
        "split.name": entry.name,
        "split.training": training,
        "split.validation": validation,
        "split.test": test,
        "split.test_used_for": ["results"],
        "model.inputs": entry.inputs,
        "model.outputs": entry.outputs,
        "results.split": entry.name,
    }
    if entry.acknowledgement:
        filled["problem.acknowledgement"] = entry.acknowledgement
    if not entry.published:
        return filled | {
            "problem.address": "",
            "problem.version": "",
            "split.cases": sum(entry.counts),
        }
    return filled | {
        "split.kind": "published",
        "encoding.inputs": PUBLISHED,
        "encoding.outputs": PUBLISHED,
        "encoding.fitted_on": "published",
    }
