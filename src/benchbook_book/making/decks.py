"""Decks of slides as files and in a browser: of which chapters, written with all that they load, and served.

What stands on a slide is the business of ``slides``.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Sequence
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from benchbook.errors import BenchbookError
from benchbook_book.making import lessons
from benchbook_book.making.inputs import check_tools, checkout
from benchbook_book.making.printed import pages
from benchbook_book.making.slides import deck, named_sentences

HOST = "127.0.0.1"


def of_plan(root: Path) -> list[str]:
    """The chapters of the lesson plans, in their order."""
    return lessons.chapters((root / "book" / "guide" / "weeks.md").read_text(encoding="utf8"))


def of_book(root: Path) -> list[str]:
    """All chapters of the core track and of the studies, in the order of the table of contents."""
    names = [name.removeprefix("book/") for part in pages(root).values() for name in part]
    return [name for name in names if not name.endswith("/index")]


def write(out: Path, names: Sequence[str] = (), root: Path | None = None) -> list[Path]:
    """Write the decks of chapters, with all they need: they are shown without a network.

    Args:
        out: the folder.
        names: chapters such as ``delve/planning``; those of the lesson plans when left out.
        root: the checkout whose book was built.

    Returns:
        The paths of the decks.

    Raises:
        BenchbookError: all chapters that are not rendered; reveal.js or the tools for pages are not installed. All
            whose slides name what is not there, after the other decks were written.
    """
    root = root or checkout()
    check_tools(root)
    names = list(names) or of_plan(root)
    html = root / "_build" / "html"
    if absent := [name for name in names if not (html / "book" / f"{name}.html").is_file()]:
        raise BenchbookError(
            f"slides are made from rendered chapters, and there are none of {', '.join(absent)} in "
            f"{html}: build the book first (`make book`), and name chapters as they lie under book/"
        )
    faults, decks = [], {}
    for name in names:
        source = root / "book" / f"{name}.md"
        try:
            decks[name] = deck(
                (html / "book" / f"{name}.html").read_text(encoding="utf8"),
                named_sentences(source.read_text(encoding="utf8")) if source.is_file() else (),
                name,
            )
        except BenchbookError as error:
            faults.append(str(error))
    _assets(html / "_static", out / "assets")
    written = [_written(out / f"{name}.html", text) for name, text in decks.items()]
    if faults:
        raise BenchbookError("\n".join([*faults, f"The {len(written)} other decks were written."]))
    return written


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf8")
    return path


def _assets(static: Path, folder: Path) -> None:
    """Copy what decks load: reveal.js, the charts' library and MathJax of the book, and our own style."""
    reveal, own = _reveal(), Path(__file__).with_name("deck")
    sources = [
        reveal / "dist" / "reveal.js",
        reveal / "dist" / "reveal.css",
        reveal / "plugin" / "notes" / "notes.js",
        reveal / "LICENSE",
        static / "favicon.svg",
        static / "pygments.css",
        static / "charts.css",
        static / "charts.js",
        static / "mathjax" / "tex-svg-full.js",
        *sorted((static / "vega").glob("vega-bundle-*.js")),
        own / "slides.css",
        own / "slides.js",
    ]
    folder.mkdir(parents=True, exist_ok=True)
    for source in sources:
        (folder / source.name).write_bytes(source.read_bytes())


def _reveal() -> Path:
    """The folder of reveal.js, as the package sphinx-revealjs brings it.

    Raises:
        BenchbookError: it is not installed.
    """
    spec = importlib.util.find_spec("sphinx_revealjs")
    folder = Path(spec.origin).parent / "_static" / "revealjs" if spec and spec.origin else None
    if folder is None or not (folder / "dist" / "reveal.js").is_file():
        raise BenchbookError(
            "slides are shown with reveal.js, which the package sphinx-revealjs brings and which is "
            "not installed here: `make slides` (without make: `python3 src/bootstrap.py slides`) "
            "installs it"
        )
    return folder


def serve(folder: Path, port: int = 8000) -> None:
    """Serve decks to this machine until Ctrl-C, which ends it."""
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer((HOST, port), handler) as server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
