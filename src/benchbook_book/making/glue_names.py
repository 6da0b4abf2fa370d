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
    """The calls that glue a value of that name: ``page``, ``line``, ``code``, and the lines that show it."""
    role = re.compile(rf"\{{glue:\w*\}}`{re.escape(name)}[`:]")
    rows = []
    for path in sorted((root / "book").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        shown = [str(n) for n, line in enumerate(text.splitlines(), 1) if role.search(line)]
        rows += [
            {
                "page": path.relative_to(root).as_posix(),
                "line": line,
                "code": ast.unparse(call),
                "shown": ", ".join(shown),
            }
            for line, call in calls(text)
            if ast.unparse(call.args[0]) == repr(name)
        ]
    return rows


def calls(page: str) -> Iterator[tuple[int, ast.Call]]:
    """The calls of ``show.glue`` in the cells of a page, each with its line."""
    for cell in _CELL.finditer(page):
        before = page.count("\n", 0, cell.start(2))
        for node in ast.walk(ast.parse(cell[2])):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "show.glue":
                yield before + node.lineno, node
