"""What the charts are drawn from that tests make, against a record.

A test whose name begins with ``test_drawn`` has all its charts compared. A chart that ``parts.finish`` ends is written
as text: for each mark its channels, with the column, the scale and the title of each, then transformations, parameters
and, for each table, the columns with their least, greatest and weighted mean value. The record of a file of tests
stands below ``tests/plugins/drawn``; numbers agree to one part in 500, all else letter by letter. A browser must draw
the chart without remarks. When a chart is meant to change, look at what differs and write the record again, by
``make test ARGS="-n0 FILES"`` with the environment variable ``BENCHBOOK_DRAWN=write``.
"""

import os
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

RECORDS = Path(__file__).with_name("drawn")
_WRITE = os.environ.get("BENCHBOOK_DRAWN") == "write"
_VEGA_LITE = "6.4"
_NUMBER = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.])")
_OWN_NAMES = re.compile(r"\b(param|view|concat|layer|selector)_?\d+\b")
_STRUCTURE = re.compile(
    r"config|[$]schema|autosize|usermeta|width|data|spec|[hv]?concat|layer|encoding|mark|padding|spacing|bounds"
)
_LOOKS = re.compile(
    r"label(?!Expr)\w+|title\w+|tick\w*|symbol\w+|padding\w*|grid|domainColor|offset|orient|columns|zindex|nice"
    r"|clipHeight|direction|font\w+|anchor"
)
_STEPS = ("transform", "params", "facet", "sort", "resolve", "columns", "title", "projection")


@pytest.fixture(autouse=True)
def _drawn(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compare the charts of a test that is named so with their record, by test, function and number."""
    name = request.node.name
    if not name.startswith("test_drawn"):
        yield
        return
    import vl_convert
    from altair.utils.schemapi import debug_mode

    from benchbook.charts.kit import output, parts

    test = request.path.relative_to(Path(__file__).parents[1]).with_suffix("")
    path, finish, drawn = RECORDS / f"{'+'.join(test.parts)}.txt", parts.finish, dict[str, str]()
    texts = path.read_text(encoding="utf8").strip().split("\n\n") if path.exists() else []
    known = {text.partition("\n")[0]: text for text in texts}
    own = {key for key in known if key.startswith(f"{name} ")}
    warnings = request.getfixturevalue("capfd")

    def finished(*given: Any, **named: Any) -> Any:
        chart = finish(*given, **named)
        key = f"{name} {sys._getframe(1).f_code.co_name}"
        key = f"{key} {1 + sum(made.startswith(f'{key} ') for made in drawn)}"
        spec = output.specification(chart)
        drawn[key] = "\n".join([key, *lines(spec)])
        assert _WRITE or same(drawn[key], known.get(key, "")), (
            f"{path} has\n{known.get(key, 'no such chart')}\nand this is\n{drawn[key]}\n"
            f'If the change is meant: BENCHBOOK_DRAWN=write make test ARGS="-n0 tests/{test}.py"'
        )
        if spec.get("width") == "container":  # no page is around it
            spec["width"] = 400
        vl_convert.vegalite_to_vega(spec, vl_version=_VEGA_LITE, show_warnings=True)
        assert "WARN" not in "".join(warnings.readouterr())
        return chart

    # as in a page, a chart is held against Altair's schema whole, and not each of its parts besides
    with pytest.MonkeyPatch.context() as patch, debug_mode(False):
        patch.setattr(parts, "finish", finished)
        yield
    if _WRITE:
        RECORDS.mkdir(exist_ok=True)
        known = {key: text for key, text in known.items() if key not in own} | drawn
        path.write_text("\n\n".join(known.values()) + "\n", encoding="utf8")
    else:
        assert own == drawn.keys(), f"{path} has charts that are not drawn any more"


def lines(spec: dict[str, Any]) -> list[str]:
    """What a specification draws from, a line for each mark, step and table."""
    return [_OWN_NAMES.sub(r"\1", line) for line in _lines(spec)]


def same(first: str, second: str) -> bool:
    """Whether two texts agree, numbers to one part in 500."""
    parts = [_NUMBER.split(text) for text in (first, second)]
    return len(parts[0]) == len(parts[1]) and all(
        one == other or (place % 2 == 1 and _near(float(one), float(other)))
        for place, (one, other) in enumerate(zip(*parts, strict=True))
    )


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= 0.002 * max(abs(one), abs(other)) + 1e-9


def _lines(node: dict[str, Any], indent: str = "") -> Iterator[str]:
    if "mark" in node:
        mark = node["mark"] if isinstance(node["mark"], dict) else {"type": node["mark"]}
        words = [mark["type"], *([f"text={_said(mark['text'])}"] if "text" in mark else [])]
        words += [f"{name}={_said(of)}" for name, of in node.get("encoding", {}).items()]
        yield indent + " ".join(words)
    elif "encoding" in node:
        yield f"{indent}all {' '.join(f'{name}={_said(of)}' for name, of in node['encoding'].items())}"
    for name in _STEPS:
        for step in node[name] if isinstance(node.get(name), list) else [node.get(name)]:
            if step is not None:
                yield f"{indent}{name} {_said(step)}"
    if "values" in node.get("data", {}):
        yield from (f"{indent}{line}" for line in _table(node["data"]["values"]))
    elif "data" in node:
        yield f"{indent}data {_said(node['data'])}"
    for name in ("layer", "spec", "hconcat", "vconcat", "concat"):
        for part in node[name] if isinstance(node.get(name), list) else [node.get(name)]:
            if part is not None:
                yield f"{indent}{name}"
                yield from _lines(part, f"{indent}  ")
    yield from (
        f"{indent}{name} {_said(of)}"
        for name, of in node.items()
        if name not in _STEPS and not _STRUCTURE.fullmatch(name)
    )


def _said(part: Any) -> str:
    if isinstance(part, dict):
        inner = [
            f"{name}:{_said(of)}" for name, of in sorted(part.items()) if not _LOOKS.fullmatch(name)
        ]
        return f"{{{' '.join(inner)}}}"
    if isinstance(part, list):
        return f"[{' '.join(map(_said, part))}]"
    return f"{part:.4g}" if isinstance(part, float) else str(part).replace("\n", " ")


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    yield f"table of {len(rows)}"
    for name in dict.fromkeys(name for row in rows for name in row):
        column = [row.get(name) for row in rows]
        numbers = [
            (place, value)
            for place, value in enumerate(column, start=1)
            if isinstance(value, int | float) and not isinstance(value, bool)
        ]
        missing = column.count(None)
        if numbers and len(numbers) + missing == len(column):
            values = [value for _, value in numbers]
            mean = sum(place * value for place, value in numbers) / sum(p for p, _ in numbers)
            yield f"  {name}: {min(values):.4g} {max(values):.4g} {mean:.4g} null {missing}"
        else:
            words = " ".join(dict.fromkeys(map(str, column)))
            short = words if len(words) < 60 else f"{len(set(map(str, column)))} texts"
            yield f"  {name}: {short} #{zlib.crc32(repr(column).encode()):x}"
