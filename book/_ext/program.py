"""The program of a page, beside the page: its source, its helper, and a notebook that runs in JupyterLab.

One menu at the top right leads there. What is shown are copies with the ending ``.txt``, because browsers
hand other endings to another program instead of showing them.
"""

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
_LABEL = "This page as code, and on paper"
_ICON = '<span aria-hidden="true">&lt;/&gt;</span>'
_PRINT = '<button type="button" onclick="window.print()">Print or save as PDF</button>'
_AT_HOME = """\
# This copy of the chapter works in the chapter's own folder, where its helpers are.
import os

from benchbook_book.making.inputs import checkout

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


def _entries(name: str, path: Path, link: Any) -> list[str]:
    """What the menu of a page with code has, in HTML."""
    folder = f"{FOLDER}/{Path(name).parent.as_posix()}"
    return [
        f'<a href="{escape(link(f"{FOLDER}/{name}.ipynb", 1))}" download>Notebook (.ipynb)</a>',
        *(
            f'<a href="{escape(link(f"{folder}/{one.name}.txt", 1))}">{words}</a>'
            for one, words in [
                (path, "Source of this page (.md)"),
                *((one, f"Helper <code>{one.name}</code>") for one in helpers(path)),
            ]
        ),
        f'<span>In JupyterLab:<br><code class="bb-command">make lab PAGE={escape(name)}.md</code></span>',
        '<button type="button" class="bb-all-code" hidden>Show all code</button>',
    ]


def _menu(entries: list[str]) -> str:
    items = "".join(f"<li>{entry}</li>" for entry in [*entries, _PRINT])
    summary = f'<summary aria-label="{_LABEL}" title="{_LABEL}">{_ICON}</summary>'
    return f'<details class="bb-menu">{summary}<ul>{items}</ul></details>'


def _insert(
    app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    path = Path(app.env.doc2path(pagename)) if doctree is not None else None
    if path is None:
        return
    entries = []
    if path.suffix == ".md" and _CELL.search(path.read_text(encoding="utf8")):
        _write_beside(Path(app.outdir), pagename, path)
        entries = _entries(pagename, path, context["pathto"])
    elif context.get("ipynb_source") or path.suffix == ".ipynb":
        source = context["pathto"](f"_sources/{context['sourcename']}", 1)
        entries = [f'<a href="{escape(source)}" download>Notebook (.ipynb)</a>']
    context["bb_menu"] = _menu(entries)


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("html-page-context", _insert)
    app.connect("build-finished", _write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
