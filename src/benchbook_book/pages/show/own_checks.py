"""Checks of a page hold for its own code: where a reader has changed something, one that fails is told and skipped.

A page asserts what its words say. In a session in which every cell was one of the page's an assertion that fails stops
it, as any does. Once another cell was run, with another dataset, size or seed, a failing assertion in a cell of the
page prints one line, and the page goes on. Cells of the reader, answers to exercises and their tests are left alone.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

_CELL = re.compile(
    r"^(`{3,})\{code-cell\}[^\n]*\n(?:---\n.*?^---\n|(?::\w+:[^\n]*\n)*)(.*?)^\1[ ]*$",
    re.MULTILINE | re.DOTALL,
)
_OURS = re.compile(r"cell-\d+")
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


_folder = Path()


def install(folder: Path) -> None:
    """Have failing checks of the pages in a folder told and skipped after a change, in the notebook that runs here."""
    from IPython import get_ipython

    global _folder
    _folder = folder
    shell: Any = get_ipython()
    if shell is not None and not any(isinstance(each, _Checks) for each in shell.ast_transformers):
        shell.ast_transformers.append(_Checks())


def skips(words: str) -> bool:
    """Whether a failing check is skipped, which is told: it is the page's, and another cell was run before it.

    Nothing is read before a check fails, so that a page of the book depends on no other for it.
    """
    from IPython import get_ipython

    shell: Any = get_ipython()
    ran = [cell.strip() for cell in shell.history_manager.input_hist_raw if cell.strip()]
    cells = cells_of(_folder)
    if not ran or ran[-1] not in cells or cells.issuperset(ran):
        return False
    print(f"Skipped, for it holds with the page's own parameters: {words[:80]}")
    return True


def cells_of(folder: Path) -> frozenset[str]:
    """The code cells of the pages in a folder, and of the copies for a class: those but for answers and tests."""
    cells = set[str]()
    for page in folder.glob("*.md"):
        text = page.read_text(encoding="utf-8", errors="replace")
        cells |= {match[2].strip() for match in _CELL.finditer(text)}
    for copy in folder.glob("*.ipynb"):
        try:
            cells |= {*map(_source, filter(_is_ours, json.loads(copy.read_text("utf-8"))["cells"]))}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue  # another program's file, or one that is being written
    return frozenset(cells)


def _is_ours(cell: dict[str, Any]) -> bool:
    metadata = cell.get("metadata", {})
    return (
        cell["cell_type"] == "code"
        and _OURS.fullmatch(cell.get("id", "")) is not None
        and "nbgrader" not in metadata
        and "raises-exception" not in metadata.get("tags", ())
    )


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"]).strip()


class _Checks(ast.NodeTransformer):
    """Asks of each assertion of a cell that fails whether it is skipped."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        return node if isinstance(node, _INNER) else super().generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        words = " ".join(ast.unparse(node.test).split())
        asked = f"__import__({__name__!r}, fromlist=['skips']).skips({words!r})"
        handler = ast.parse(f"try: pass\nexcept AssertionError:\n    if not {asked}: raise").body[0]
        assert isinstance(handler, ast.Try)
        handler.body = [node]
        return ast.fix_missing_locations(ast.copy_location(handler, node))
