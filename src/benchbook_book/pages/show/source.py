"""The library's own code, shown where it is explained."""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path
from typing import Any

from benchbook.errors import BenchbookError
from benchbook.show.html import Html, escape


def code(obj: Any, max_lines: int = 25, *, docstring: bool = False) -> Html:
    """The source of a function or class of the library, highlighted, with the place where it stands.

    Args:
        obj: a function, a method or a class; a compiled kernel shows the function it was compiled from.
        max_lines: how many lines to show; the rest is counted and named by its place.
        docstring: show its docstring too; the page usually says the same in more words.

    Raises:
        BenchbookError: the object has no Python source.
    """
    plain = inspect.unwrap(getattr(obj, "py_func", obj))
    try:
        lines, first = inspect.getsourcelines(plain)
        path = Path(str(inspect.getsourcefile(plain)))
    except (OSError, TypeError) as error:
        raise BenchbookError(f"{obj!r} has no Python source to show: {error}") from error
    text = textwrap.dedent("".join(lines))
    retained = (text if docstring else _without_docstring(text)).rstrip().splitlines()
    where = f"{_below_source(path)}, lines {first}–{first + len(lines) - 1}"
    if len(retained) > max_lines:
        more = len(retained) - max_lines + 1
        retained = [*retained[: max_lines - 1], f"# ... {more} more lines in {_below_source(path)}"]
    shown = "\n".join(retained)
    return Html(
        f'<figure class="bb-code">{_highlighted(shown)}<figcaption><code>{escape(where)}</code></figcaption>'
        "</figure>",
        f"{shown}\n# {where}",
    )


def _without_docstring(text: str) -> str:
    node = ast.parse(text).body[0]
    if (
        not isinstance(node, ast.FunctionDef | ast.ClassDef)
        or ast.get_docstring(node) is None
        or len(node.body) < 2
    ):
        return text
    lines = text.splitlines()
    before, after = node.body[0], node.body[1]
    decorators = getattr(after, "decorator_list", None)
    resume = decorators[0].lineno if decorators else after.lineno
    start = before.lineno - 1
    return "\n".join([*lines[:start], *lines[min(int(before.end_lineno or start), resume - 1) :]])


def _highlighted(text: str) -> str:
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    body = highlight(text, PythonLexer(), HtmlFormatter(cssclass="highlight"))
    return f'<div class="highlight-python notranslate">{body}</div>'


def _below_source(path: Path) -> str:
    parts = path.parts
    above = [at for at, part in enumerate(parts) if part in ("benchbook", "benchbook_book")]
    return "/".join(parts[above[-1] :]) if above else path.name
