"""The program of a page, beside the page: its source, its helper, and a notebook that runs in JupyterLab.

A line below the title of each chapter leads there. What is shown are copies with the ending ``.txt``, because browsers
hand other endings to another program instead of showing them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import jupytext
import nbformat

FOLDER = "_program"
_CELL = re.compile(r"^```+\{code-cell\}", re.MULTILINE)
_HELPER = re.compile(r"^(?:from|import) (_\w+)\b", re.MULTILINE)
_AT_HOME = """\
# This copy of the chapter works in the chapter's own folder, where its helpers are.
import os

from benchbook.bookmaking.inputs import checkout

os.chdir(checkout() / {folder!r})"""


def chapters(app: Any) -> Iterator[tuple[str, Path]]:
    """The pages that have code, by name, with the place of their text."""
    for name in sorted(app.env.found_docs):
        path = Path(app.env.doc2path(name))
        if path.suffix == ".md" and _CELL.search(path.read_text(encoding="utf8")):
            yield name, path


def helpers(path: Path) -> list[Path]:
    """The modules beside a chapter that it imports."""
    names = dict.fromkeys(_HELPER.findall(path.read_text(encoding="utf8")))
    return [
        path.with_name(f"{name}.py") for name in names if path.with_name(f"{name}.py").is_file()
    ]


def notebook(path: Path, folder: str) -> str:
    """A chapter as a notebook that can be run wherever it was put, with the environment of the checkout."""
    made = jupytext.read(path)
    made.cells.insert(0, nbformat.v4.new_code_cell(_AT_HOME.format(folder=folder), id="at-home"))
    for count, cell in enumerate(made.cells[1:]):
        cell["id"] = f"cell-{count}"
    return str(jupytext.writes(made, fmt="ipynb"))


def _copy(text: str, target: Path) -> None:
    if not target.is_file() or target.read_text(encoding="utf8") != text:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf8")


def _write_beside(out: Path, name: str, path: Path) -> None:
    """What a page links to, where it is not there or older than the page."""
    target = out / FOLDER / f"{name}.ipynb"
    for source in (path, *helpers(path)):
        _copy(source.read_text(encoding="utf8"), target.with_name(f"{source.name}.txt"))
    if not target.is_file() or target.stat().st_mtime < path.stat().st_mtime:
        _copy(notebook(path, Path(name).parent.as_posix()), target)


def _write(app: Any, error: Exception | None) -> None:
    """Write what all pages link to: where a page was not written, a helper of it may have changed."""
    if error is not None or app.builder.format != "html":
        return
    for name, path in chapters(app):
        _write_beside(Path(app.outdir), name, path)
    for path in (Path(app.outdir) / "_sources").rglob("*.ipynb"):
        _copy(without_outputs(path.read_text(encoding="utf8")), path)


def without_outputs(text: str) -> str:
    """A run page's notebook to take away: its results stand on the page, and would double the size of the site."""
    found = nbformat.reads(text, as_version=4)
    for cell in found.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return str(nbformat.writes(found))


def _line(name: str, path: Path, link: Any) -> str:
    """The line below the title, in HTML."""
    folder = f"{FOLDER}/{Path(name).parent.as_posix()}"
    sources = [
        f'<a href="{escape(link(f"{folder}/{one.name}.txt", 1))}">{words}</a>'
        for one, words in [
            (path, "Source of this page"),
            *((one, f"<code>{one.name}</code>") for one in helpers(path)),
        ]
    ]
    copy = f'<a href="{escape(link(f"{FOLDER}/{name}.ipynb", 1))}" download>Notebook</a>'
    command = f'In JupyterLab: <code class="bb-command">make lab PAGE={escape(name)}.md</code>'
    switch = '<button type="button" class="bb-all-code" hidden>Show all code</button>'
    parts = " ".join(f"<span>{part}</span>" for part in [*sources, copy, command])
    return f'<p class="bb-program">{parts} {switch}</p>'


def _insert(
    app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    body, path = (
        context.get("body") or "",
        Path(app.env.doc2path(pagename)) if doctree is not None else None,
    )
    if path is None or path.suffix != ".md" or not _CELL.search(path.read_text(encoding="utf8")):
        return
    _write_beside(Path(app.outdir), pagename, path)
    context["body"] = body.replace("</h1>", "</h1>\n" + _line(pagename, path, context["pathto"]), 1)


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("html-page-context", _insert)
    app.connect("build-finished", _write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
