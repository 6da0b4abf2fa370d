"""Render the book with Sphinx as Jupyter Book sets it up: what has changed only, on all cores.

Which pages have changed is for Sphinx to say. This module says when it must not be trusted: from scratch when what all
pages have in common has changed or a page has left the book, all pages written again when the last attempt did not come
to its end, and those read again that complained, or a second build would pass because nobody looked.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchbook import files
from benchbook_book.making import inputs

_PLACE = re.compile(r"^(.+?)\.(?:md|ipynb)(?::\d*)?: (?:WARNING|ERROR|CRITICAL): ")


@dataclass(frozen=True)
class _Last:
    """What the last rendering was made with, whether it came to its end, and which pages it complained of."""

    frame: str
    look: str
    ended: bool
    complained: list[str]


def begin(root: Path) -> bool:
    """Clear away what cannot be built upon, and say whether all pages have to be written, not only what has changed."""
    last, frame, look = _recall(root), _frame(root), _look(root)
    if last is None or last.frame != frame:
        for folder in ("html", ".doctrees", "jupyter_execute"):
            shutil.rmtree(root / "_build" / folder, ignore_errors=True)
        last = _Last(frame, "", False, [])
    everything = not last.ended or last.look != look
    _remember(root, _Last(frame, look, False, last.complained))
    for page in last.complained:
        read_again(root, page)
    return everything


def read_again(root: Path, page: str) -> None:
    """Have Sphinx read a page again at the next rendering, as it does with those whose parsed text is gone."""
    (root / "_build" / ".doctrees" / f"{page}.doctree").unlink(missing_ok=True)


def end(root: Path, warnings: Sequence[str], whole: bool) -> None:
    """Remember how it went: whether all pages were written, and which of them to look at again."""
    last = _recall(root)
    if last is None:
        return
    places = [match[1] if (match := _PLACE.match(line)) else "" for line in warnings]
    if all(places):
        _remember(root, _Last(last.frame, last.look, whole, sorted(set(places))))
    else:  # a warning that belongs to no page shows again from scratch only
        _state(root).unlink()


def _state(root: Path) -> Path:
    return root / "_build" / "rendering.json"


def _recall(root: Path) -> _Last | None:
    try:
        return _Last(**json.loads(_state(root).read_text(encoding="utf8")))
    except (OSError, ValueError, TypeError):
        return None


def _remember(root: Path, last: _Last) -> None:
    with files.atomic(_state(root)) as scratch:
        scratch.write_text(json.dumps(asdict(last)), encoding="utf8")


def _frame(root: Path) -> str:
    """Digest of what all pages are read with: the set-up, our extensions, the references, and which pages there are."""
    book = root / "book"
    common = [
        path
        for path in (
            root / "_config.yml",
            root / "_toc.yml",
            *inputs.tree(book / "_ext", book / "_templates"),
            *sorted(book.rglob("*.bib")),
        )
        if path.is_file()
    ]
    pages = sorted(
        path.relative_to(root).as_posix()
        for path in book.rglob("*")
        if path.suffix in (".md", ".ipynb")
    )
    return inputs.digest(root, common, inputs.conditions(root), *pages)


def _look(root: Path) -> str:
    """Digest of the style sheets and scripts, whose digests every page names."""
    return inputs.digest(root, inputs.tree(root / "book" / "_static"))


def load(root: Path) -> None:
    """Import what Sphinx will import, and make what each process that it forks would make for itself: seconds."""
    config, _ = importlib.import_module("jupyter_book.config").get_final_config(
        user_yaml=root / "_config.yml", cli_config=_overrides(root), sourcedir=root, validate=False
    )
    for name in (
        *config["extensions"],
        "jupyter_book.sphinx",
        "sphinx.builders.html",
        "sphinx_book_theme",
    ):
        importlib.import_module(name)
    nbformat = importlib.import_module("nbformat")
    nbformat.validate(
        nbformat.v4.new_notebook()
    )  # whose validator is compiled for the first notebook


def _overrides(root: Path) -> dict[str, Any]:
    return {
        "external_toc_path": str(root / "_toc.yml"),
        "latex_individualpages": False,
        "nitpicky": True,
    }


def main(root: Path, everything: bool, strict: bool) -> int:
    """Run Sphinx: 0, or 1 after warnings that count as errors, or 2 when it did not come to its end."""
    from jupyter_book.sphinx import build_sphinx

    ended = build_sphinx(  # which counts itself among the jobs when it writes pages
        str(root),
        str(root / "_build" / "html"),
        noconfig=True,
        path_config=str(root / "_config.yml"),
        confoverrides=_overrides(root),
        warningiserror=strict,
        keep_going=True,
        force_all=everything,
        jobs=inputs.workers() + 1,
    )
    return ended if isinstance(ended, int) else 2


if __name__ == "__main__":
    gc.disable()  # it would look through all pages read so far again and again, which takes a fifth of the time
    _root = Path(sys.argv[1])
    load(_root)
    _code = main(_root, *json.loads(_how)) if (_how := sys.stdin.read()) else 0
    sys.stdout.flush()
    os._exit(_code)  # to take apart all that Sphinx holds takes seconds
