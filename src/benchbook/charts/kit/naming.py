"""Methods by their names in words in what a chart shows; its data keep the codes, for the pointer and for files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from benchbook.method_names import NAMES, codes, in_words

_LONG = 20
"""Of more letters than this two names stand beside each other in a legend, not three."""
_WIDEST = 230
_GUIDES = dict.fromkeys(("x", "y"), "axis") | dict.fromkeys(("facet", "row", "column"), "header")
_GUIDES |= dict.fromkeys(("color", "fill", "stroke", "shape", "strokeDash"), "legend")
_SAID = ("title", "subtitle", "text", "description")
_LABEL = "datum.label"


def named(spec: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A specification whose legends, axes, headings and texts have names in place of codes, and these codes."""
    columns: dict[str, list[str]] = {}
    for column, text in _texts(spec):
        columns.setdefault(column, []).extend(codes(text))
    found = list(dict.fromkeys(code for several in columns.values() for code in several))
    if not found:
        return spec, []
    names = _Named(columns, found)
    made = names.part(spec)
    return made, [code for code in found if code in names.shown]


def _texts(part: Any) -> Iterator[tuple[str, str]]:
    """Every text in the tables of a specification, with its column; "" for those of domains and labels."""
    if isinstance(part, list):
        yield from (item for inner in part for item in _texts(inner))
    if not isinstance(part, dict):
        return
    for name, inner in part.items():
        if name == "values" and isinstance(inner, list):
            lines = (line for line in inner if isinstance(line, dict))
            yield from (item for line in lines for item in line.items() if isinstance(item[1], str))
        elif name in ("domain", "options") and isinstance(inner, list):
            yield from (("", text) for text in inner if isinstance(text, str))
        elif name == "labelExpr":
            yield "", inner
        else:
            yield from _texts(inner)


def _spoken(expression: str, found: Iterable[str]) -> str:
    """An expression of Vega for a text with names in place of codes; what it is of stands in it once."""
    for code in dict.fromkeys(found):
        whole = json.dumps(f"(^|[^A-Za-z0-9_-]){code}(?![A-Za-z0-9_-])")
        name = json.dumps(NAMES[code], ensure_ascii=False)
        expression = f"replace({expression},regexp({whole},'g'),'$1'+{name})"
    return expression


class _Named:
    def __init__(self, columns: dict[str, list[str]], found: list[str]) -> None:
        self.columns, self.codes = columns, found
        self.shown: set[str] = set()

    def part(self, part: Any) -> Any:
        """A part of the specification with names in what it says."""
        if isinstance(part, list):
            return [self.part(each) for each in part]
        if not isinstance(part, dict):
            return part
        made: dict[str, Any] = {
            name: in_words(inner)
            if name in _SAID and isinstance(inner, str)
            else inner
            if name in ("data", "usermeta", "transform")
            else self.part(inner)
            for name, inner in part.items()
        }
        if isinstance(made.get("options"), list):  # buttons of a parameter
            made["labels"] = [in_words(str(option)) for option in made["options"]]
        channels = dict(made.get("encoding") or {})
        if isinstance(made.get("facet"), dict):
            channels |= made["facet"] if "field" not in made["facet"] else {"facet": made["facet"]}
        for channel, own in channels.items():
            if channel in _GUIDES and isinstance(own, dict) and "field" in own:
                self._label(channel, own)
        self._write(made, made.get("encoding") or {})
        return made

    def _label(self, channel: str, own: dict[str, Any]) -> None:
        """The labels beside a channel are names."""
        kind = _GUIDES[channel]
        if kind in own and own[kind] is None:
            return
        guide = dict(own.get(kind) or {})
        domain = (own.get("scale") or {}).get("domain")
        several = (
            [text for text in domain if isinstance(text, str)] if isinstance(domain, list) else []
        )
        found = [
            *self.columns.get(own["field"], []),
            *(code for text in several for code in codes(text)),
        ]
        given = guide.get("labelExpr", _LABEL)
        if not found and in_words(given) == given:
            return
        self.shown.update([*found, *codes(given)])
        guide["labelExpr"] = in_words(given).replace(_LABEL, _spoken(_LABEL, found))
        if kind == "legend":
            long = any(len(NAMES[code]) > _LONG for code in found)
            guide |= {"labelLimit": 0, "columns": min(guide.get("columns", 3), 2 if long else 3)}
        elif channel == "y" and found:
            guide["labelLimit"] = max(guide.get("labelLimit", 0), _WIDEST)
        own[kind] = guide

    def _write(self, made: dict[str, Any], encoding: dict[str, Any]) -> None:
        """A text that a mark writes has names; it is a column of its own."""
        text = encoding.get("text")
        if not isinstance(text, dict) or text.get("type") != "nominal":
            return
        found = self.columns.get(text["field"], self.codes)  # all, where the text is reckoned
        if not found:
            return
        self.shown.update(found)
        own = f"_{text['field']}_named"
        written = _spoken(f"datum[{json.dumps(text['field'])}]", found)
        made["transform"] = [*made.get("transform", []), {"calculate": written, "as": own}]
        made["encoding"] = encoding | {"text": text | {"field": own}}
