"""Copies of the chapters for students: the exercises stay, their solutions are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchbook.bookmaking.inputs import check_tools, checkout
from benchbook.errors import BenchbookError
from benchbook.files import atomic

_BETWEEN = re.compile(r"^(`{3,})\{solution-start\}.*?^`{3,}\{solution-end\}\n`{3,}[ ]*$\n?", re.MULTILINE | re.DOTALL)
_WHOLE = re.compile(r"^(`{3,})\{solution\}.*?^\1[ ]*$\n?", re.MULTILINE | re.DOTALL)
_EXERCISE = re.compile(r"^(`{3,})\{exercise\}([^\n]*)\n(.*?)^\1[ ]*$", re.MULTILINE | re.DOTALL)
_PLACE = "```{code-cell} ipython3\n# Your answer.\n```\n"


def stripped(text: str) -> str:
    """A chapter with an empty cell in place of every solution."""
    return _WHOLE.sub(_PLACE, _BETWEEN.sub(_PLACE, text))


def chapters() -> list[Path]:
    """The chapters that have exercises, in the order of their paths."""
    return [path for path in sorted((checkout() / "book").rglob("*.md"))
            if "runs" not in path.parts and _EXERCISE.search(path.read_text(encoding="utf-8"))]


def listed() -> list[dict[str, str]]:
    """A line for each exercise: ``chapter``, ``level`` (easy, medium, hard) and ``title`` or first words."""
    return [{"chapter": path.relative_to(checkout() / "book").with_suffix("").as_posix(), **line}
            for path in chapters() for line in _exercises(path.read_text(encoding="utf-8"))]


def _exercises(text: str) -> Iterator[dict[str, str]]:
    for found in _EXERCISE.finditer(text):
        body = " ".join(line for line in found[3].splitlines() if not line.startswith(":")).strip()
        said = found[2].strip() or body.replace("**", "")
        level, _, rest = said.partition(":" if found[2].strip() else ".")
        yield {"level": level.strip().lower(), "title": " ".join(rest.split())[:70]}


def write(out: Path, names: Sequence[str] = ()) -> list[Path]:
    """Write notebooks of the chapters without solutions, under the same folders.

    Args:
        out: the folder.
        names: chapters such as ``delve/planning``; all that have exercises when left out.

    Returns:
        The paths of the notebooks.

    Raises:
        BenchbookError: a chapter that is not there, or has no exercises.
    """
    known = {path.relative_to(checkout() / "book").with_suffix("").as_posix(): path for path in chapters()}
    if unknown := [name for name in names if name not in known]:
        raise BenchbookError(f"no chapter with exercises is called {', '.join(unknown)}; `benchbook book exercises` "
                             "lists those there are")
    check_tools(checkout())
    return [_notebook(known[name], out / f"{name}.ipynb") for name in names or known]


def _notebook(source: Path, path: Path) -> Path:
    import nbformat
    from myst_nb.core.read import read_myst_markdown_notebook

    text = stripped(source.read_text(encoding="utf-8"))
    notebook: Any = read_myst_markdown_notebook(text, path=str(source))
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic(path) as scratch:
        nbformat.write(notebook, scratch)
    for beside in source.parent.iterdir():  # files that the chapter's cells open
        if beside.suffix in (".py", ".toml", ".awk"):
            (path.parent / beside.name).write_bytes(beside.read_bytes())
    return path
