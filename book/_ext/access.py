"""A page for every reader: no name stands twice, and MathJax is loaded only for formulas."""

import re
from collections import Counter
from typing import Any

_ID = re.compile(r'(<[a-zA-Z][^<>]*?\sid=")([^"]+)(")')
_MATH = re.compile(r'class="[^"]*\bmath\b')


def each_once(body: str) -> str:
    """A page in which the second and later places of a name have names of their own: "content" is "content-2"."""
    seen: Counter[str] = Counter()
    taken = {found[2] for found in _ID.finditer(body)}

    def own(found: re.Match[str]) -> str:
        seen[found[2]] += 1
        name, number = found[2], seen[found[2]]
        if number > 1:
            while f"{name}-{number}" in taken:
                number += 1
            taken.add(f"{name}-{number}")
            return f"{found[1]}{name}-{number}{found[3]}"
        return found[0]

    return _ID.sub(own, body)


def without_unused_mathematics(scripts: list[Any], body: str) -> list[Any]:
    """The scripts of a page; MathJax, 2 MB, is one only where there is a formula."""
    if _MATH.search(body):
        return scripts
    return [
        script
        for script in scripts
        if "mathjax" not in f"{script.filename} {script.attributes.get('body', '')}".lower()
    ]


def _accessible(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    body = context.get("body") or ""
    if body:
        context["body"] = each_once(body)
    # In place: Sphinx appends to this list.
    context["script_files"][:] = without_unused_mathematics(context["script_files"], body)


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx, behind all that changes a page or adds a script to it."""
    app.connect("html-page-context", _accessible, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
