"""Reports as TOML: a passed one, and the template that says what to fill in."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchbook.errors import BenchbookError
from benchbook.files import atomic
from benchbook.studies.report import known
from benchbook.studies.report.data_rules import PUBLISHED
from benchbook.studies.report.form import flat
from benchbook.studies.report.laws import LAWS
from benchbook.studies.report.schema import COMPARISON, KEYS, PARAMETERS, TABLES, Row

_HEAD = """\
# A report on one method and one partition, by the rules of PROBEN1.
# Fill in what stands empty, take the sign # from lines that apply, and check it:
#   benchbook report check {name}
"""
_WIDTH = 118
_FOR_CLASSES = {"error.classes_by", "results.test_wrong.mean", "results.test_wrong.sd"}


def toml(values: Mapping[str, Any]) -> str:
    """A report's tables as TOML, in the order of the form; reading it gives the same values again.

    Args:
        values: tables as ``check`` takes them, all of whose keys the form has.
    """
    given = flat(
        {name: value for name, value in values.items() if name != "comparison"}, (PARAMETERS,)
    )
    lines: list[str] = []
    for table in TABLES:
        keys = [name for name in KEYS if name.rsplit(".", 1)[0] == table and name in given]
        plain = [name for name in keys if name != PARAMETERS]
        if plain:
            lines += [
                "",
                f"[{table}]",
                *(f"{name.rsplit('.', 1)[1]} = {_value(given[name])}" for name in plain),
            ]
        if PARAMETERS in keys:
            lines += [
                "",
                f"[{PARAMETERS}]",
                *(f"{name} = {_value(one)}" for name, one in given[PARAMETERS].items()),
            ]
    for entry in values.get("comparison", ()):
        lines += [
            "",
            "[[comparison]]",
            *(f"{name} = {_value(entry[name])}" for name in COMPARISON if name in entry),
        ]
    return "\n".join(lines[1:]) + "\n"


def write(values: Mapping[str, Any], path: str | Path) -> None:
    """Write a report's tables into a TOML file, whole or not at all."""
    with atomic(path) as scratch:
        scratch.write_text(toml(values), encoding="utf8")


def template(partition: str = "", name: str = "my-report.toml") -> str:
    """A commented form to fill in. As it stands it is refused: every empty value is a fault.

    Args:
        partition: a known one, such as ``cancer1``, whose problem, counts and widths are filled in.
        name: of the file, for the comment at its top.

    Raises:
        BenchbookError: a partition that is not known.
    """
    filled = _known(partition) if partition else {}
    asked = {key.name for key in KEYS.values() if key.needed} | (
        _FOR_CLASSES if filled.get("problem.kind") in (None, "classification") else set()
    )
    lines = [_HEAD.format(name=name).rstrip()]
    for table in TABLES:
        keys = [key for key in KEYS.values() if key.name.rsplit(".", 1)[0] == table]
        sections = sorted(
            {LAWS[key.law].section for key in keys},
            key=lambda text: tuple(map(int, text.split("."))),
        )
        lines += [
            "",
            f"# PROBEN1, section{'s' if len(sections) > 1 else ''} {', '.join(sections)}",
            f"[{table}]" if any(key.name in asked for key in keys) else f"# [{table}]",
        ]
        for key in keys:
            lines += _template_lines(key, filled.get(key.name), key.name in asked)
    lines += [
        "",
        "# PROBEN1, section 2.8. Once for each comparison with other results.",
        "# [[comparison]]",
    ]
    lines += [line for key in COMPARISON.values() for line in _template_lines(key, None, False)]
    return "\n".join(lines) + "\n"


def _template_lines(key: Row, value: Any, needed: bool) -> Iterator[str]:
    """The lines of one key in the template: what it asks, and the key with a value or empty."""
    name = key.name.rsplit(".", 1)[-1]
    yield from textwrap.wrap(key.says, _WIDTH, initial_indent="#   ", subsequent_indent="#   ")
    if key.name == PARAMETERS:
        yield from (f"[{PARAMETERS}]", 'fill_in = ""', "# increase = 1.2")
    elif value is not None:
        yield f"{name} = {_value(value)}"
    elif needed:
        yield f'{name} = ""'
    else:
        yield f"# {name} = {key.example or '...'}"


def _known(partition: str) -> dict[str, Any]:
    entry = known.partition(partition)
    if entry is None:
        raise BenchbookError(
            f"no partition {partition!r} is known here; nearest is {known.nearest(partition)!r}. "
            "For data of your own leave the name out"
        )
    training, validation, test = entry.counts
    return {
        "problem.name": entry.problem,
        "problem.source": entry.source,
        "problem.kind": "classification" if entry.classification else "approximation",
        "partition.name": entry.name,
        "partition.training": training,
        "partition.validation": validation,
        "partition.test": test,
        "partition.test_used_for": ["results"],
        "encoding.inputs": PUBLISHED,
        "encoding.outputs": PUBLISHED,
        "encoding.fitted_on": "published",
        "network.inputs": entry.inputs,
        "network.outputs": entry.outputs,
        "results.partition": entry.name,
    }


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
