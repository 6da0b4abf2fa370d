"""Where a number of the prose comes from: the call of ``show.glue`` that gives it its name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_CELL = re.compile(
    r"^(`{3,})\{code-cell\}[^\n]*\n(?:---\n.*?^---\n|(?::[^\n]*\n)*)(.*?)^\1[ ]*$",
    re.MULTILINE | re.DOTALL,
)


def where(name: str, root: Path) -> list[dict[str, Any]]:
    """The calls that glue a value of that name: ``page``, ``line``, ``code``, and the lines of the page that show it.

    On a page that shows a name and does not write it out in a call, it is the f-string that can become it, or else
    whatever is handed on as a variable.
    """
    return [
        {"page": path.relative_to(root).as_posix(), **row}
        for path in sorted((root / "book").rglob("*.md"))
        for row in _on_page(name, path.read_text(encoding="utf-8"))
    ]


def _on_page(name: str, text: str) -> list[dict[str, Any]]:
    role = re.compile(rf"\{{glue:\w*\}}`{re.escape(name)}[`:]")
    shown = [str(n) for n, line in enumerate(text.splitlines(), 1) if role.search(line)]
    literal, made, handed = [], [], []
    for line, call in _calls(text):
        row = {"line": line, "code": ast.unparse(call), "shown": ", ".join(shown)}
        given = call.args[0]
        if isinstance(given, ast.Constant):
            literal += [row] * (given.value == name)
        elif isinstance(given, ast.JoinedStr):
            made += [row] * bool(shown and re.fullmatch(pattern(given), name))
        elif shown:
            handed.append(row)
    return literal or made or handed


def pattern(text: ast.Constant | ast.JoinedStr) -> str:
    """A regular expression for what a text or an f-string can become."""
    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
    return "".join(
        re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".*" for part in parts
    )


def _calls(page: str) -> Iterator[tuple[int, ast.Call]]:
    """The calls of ``show.glue`` in the cells of a page, each with its line."""
    for cell in _CELL.finditer(page):
        before = page.count("\n", 0, cell.start(2))
        for node in ast.walk(ast.parse(cell[2])):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "show.glue":
                yield before + node.lineno, node
