"""The book on paper: core track and studies as one page of HTML with still figures, which a browser prints to PDF."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml  # type: ignore[import-untyped]
from bs4 import BeautifulSoup, Tag

from benchbook import files
from benchbook.errors import BenchbookError
from benchbook.version import __version__
from benchbook_book.making.inputs import check_tools, checkout

CORE, STUDIES = "Core: one evening", "Studies"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PATIENCE = 600_000  # milliseconds: some thousand formulas are set before anything is printed
_NOT_ON_PAPER = (
    "a.headerlink, button, script, input, .vega-save, .vega-bindings, "
    "details.bb-provenance, details.above-input, details.hide.below-input, "
    ".tag_hide-input > .cell_input, .bb-picture"
)
# Widths are those of paper by now. Numbers and single words stay on their line, what is wider is made as small as it
# must be, a chart that would be too small to read gets most of a page, and a table of less than half a page stays
# whole.
_FIT = """() => {
    document.querySelectorAll(':is(th, td)').forEach(cell => {
        const text = cell.textContent.trim();
        if (/^(\\S{1,24}|[\\d\\s.,±+−×%⁻⁰¹²³⁴-⁹-]+)$/.test(text)) { cell.style.whiteSpace = 'nowrap'; }
    });
    document.querySelectorAll('.vega-view svg').forEach(one => {
        if (one.clientHeight < 0.75 * one.viewBox.baseVal.height) { one.style.maxHeight = '200mm'; }
    });
    document.querySelectorAll('table, div.math mjx-container').forEach(one => {
        const number = one.closest('div.math')?.querySelector('.eqno');
        const room = one.closest('section, article').clientWidth - 2 * (number ? number.offsetWidth + 8 : 0);
        const wide = one.scrollWidth;
        if (wide > room + 1) { one.style.zoom = Math.max(0.35, room / wide); }
    });
    document.querySelectorAll('table').forEach(one => {
        if (one.getBoundingClientRect().height < 450) { one.style.breakInside = 'avoid'; }
    });
}"""


def pages(root: Path) -> dict[str, list[str]]:
    """The pages of the core track and of each study, in the order of the table of contents; ``book/delve/planning``."""
    contents = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf8"))
    parts = {part["caption"]: part["chapters"] for part in contents["parts"]}
    found = {CORE: list(_names(root, parts[CORE]))}
    for study in parts[STUDIES]:
        names = list(_names(root, [study]))
        found[study.get("title", names[0].split("/")[1].title())] = names
    return found


def _names(root: Path, entries: Sequence[dict[str, Any]]) -> Iterator[str]:
    for entry in entries:
        if "glob" in entry:
            paths = root.glob(f"{entry['glob']}.md")
            yield from sorted(path.relative_to(root).with_suffix("").as_posix() for path in paths)
        else:
            yield entry["file"]
        yield from _names(root, entry.get("sections", ()))


def volume(html: Path, parts: dict[str, list[str]]) -> str:
    """The parts as one HTML page, to lie in the folder of the rendered book; links between its pages stay links.

    Args:
        html: the folder of the rendered book.
        parts: the names of the pages of each part.

    Raises:
        BenchbookError: naming every page that is not rendered.
    """
    names = [name for part in parts.values() for name in part]
    if absent := [name for name in names if not (html / f"{name}.html").is_file()]:
        raise BenchbookError(
            f"these pages are not rendered: {', '.join(absent)}. Build the book first: `make book`"
        )
    marks = {name: f"page-{number}" for number, name in enumerate(names)}
    body, contents = [], []
    for caption, part in parts.items():
        body.append(f'<h1 class="part">{escape(caption)}</h1>')
        contents.append(f"<li><strong>{escape(caption)}</strong></li>")
        for name in part:
            chapter = _chapter(html, name, marks)
            title = chapter.find("h1")
            words = title.get_text().strip() if isinstance(title, Tag) else name
            contents.append(f'<li><a href="#{marks[name]}">{escape(words)}</a></li>')
            body.append(
                f'<article class="bd-article" id="{marks[name]}">{chapter.decode()}</article>'
            )
    return _VOLUME.format(
        version=__version__,
        contents="".join(contents),
        body="\n".join(body),
        style=Path(__file__).with_name("deck").joinpath("print.css").read_text(encoding="utf8"),
    )


def _chapter(html: Path, name: str, marks: dict[str, str]) -> Tag:
    """A chapter for paper: nothing to click on but links, names of its own, nothing folded."""
    top = BeautifulSoup(
        (html / f"{name}.html").read_text(encoding="utf8"), "html.parser"
    ).select_one("article section")
    if top is None:
        raise BenchbookError(f"{name} has no text inside an article; `make book` renders it again")
    for gone in top.select(_NOT_ON_PAPER):
        gone.decompose()
    for fold in top.find_all("details"):
        fold["open"] = ""
    for picture in top.find_all("img", src=True):
        picture["src"] = _from_top(name, str(picture["src"]))
    for marked in [top, *top.find_all(id=True)]:
        if marked.get("id") and marked.name != "svg" and marked.find_parent("svg") is None:
            marked["id"] = f"{marks[name]}-{marked['id']}"
    for link in top.find_all("a", href=True):
        _lead(link, name, marks)
    return top


def _lead(link: Tag, name: str, marks: dict[str, str]) -> None:
    """Let a link lead to where its target stands in print, or be words alone where that is not printed."""
    parts = urlsplit(str(link["href"]))
    if parts.scheme:
        return
    target = _from_top(name, unquote(parts.path)).removesuffix(".html") if parts.path else name
    if target in marks:
        link["href"] = f"#{marks[target]}" + (
            f"-{unquote(parts.fragment)}" if parts.fragment else ""
        )
    else:
        link.unwrap()


def _from_top(name: str, path: str) -> str:
    """A path that is meant from a page, as it is from the top of the book."""
    parts: list[str] = name.split("/")[:-1]
    for step in path.split("/"):
        if step == "..":
            parts = parts[:-1]
        elif step != ".":
            parts.append(step)
    return "/".join(parts)


def write(out: Path, names: Sequence[str] = (), root: Path | None = None) -> Path:
    """Print core track and studies, or some of their chapters, to a PDF with page numbers, an outline and links.

    Args:
        out: the file.
        names: chapters such as ``delve/planning``; all of core track and studies when left out.
        root: the checkout whose book was built.

    Raises:
        BenchbookError: the book was not built, a chapter is in neither, or no browser is installed.
    """
    root = root or checkout()
    check_tools(root)
    parts = pages(root)
    if names:
        wanted = {f"book/{name}" for name in names}
        if unknown := wanted.difference(*parts.values()):
            raise BenchbookError(
                f"neither in the core track nor in a study: {', '.join(sorted(unknown))}; name chapters as they lie "
                "under book/, such as delve/planning"
            )
        parts = {
            caption: [name for name in part if name in wanted] for caption, part in parts.items()
        }
    text = volume(
        root / "_build" / "html", {caption: part for caption, part in parts.items() if part}
    )
    page = root / "_build" / "html" / "print.html"
    page.write_text(text, encoding="utf8")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with files.atomic(out) as scratch:
            _print(page, scratch)
    finally:
        page.unlink()
    return out


def _print(page: Path, out: Path) -> None:
    program = next(filter(None, map(shutil.which, _BROWSERS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sync_playwright = None  # type: ignore[assignment]
    if program is None or sync_playwright is None:
        lacking = (
            "no Chromium on this machine"
            if program is None
            else "no Playwright, which `make pdf` installs"
        )
        raise BenchbookError(
            f"a PDF is printed by a browser, and there is {lacking}. "
            "On Debian: apt-get install chromium; then `make pdf`"
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"], timeout=_PATIENCE
        )
        sheet = browser.new_page(viewport={"width": 658, "height": 960})
        sheet.set_default_timeout(_PATIENCE)
        sheet.emulate_media(media="print")
        sheet.goto(page.as_uri(), wait_until="load")
        sheet.wait_for_function(
            "() => window.MathJax && MathJax.startup && MathJax.startup.promise"
        )
        sheet.evaluate("() => MathJax.startup.promise")
        sheet.evaluate(_FIT)
        sheet.pdf(
            path=str(out),
            prefer_css_page_size=True,
            outline=True,
            tagged=True,
            print_background=True,
        )
        browser.close()


_VOLUME = """<!DOCTYPE html>
<html lang="en" data-theme="light" data-mode="light">
<head><meta charset="utf-8"><title>benchbook</title>
<link rel="stylesheet" href="_static/pygments.css">
<link rel="stylesheet" href="_static/charts.css">
<style>{style}</style>
<script>window.MathJax = {{"options": {{"processHtmlClass": "math", "enableMenu": false}}}};</script>
<script defer src="_static/mathjax/tex-svg-full.js"></script>
</head>
<body>
<header><p class="title">benchbook</p><p>How good is a learning method, and how sure can we be?</p>
<p>Core track and studies, version {version}, printed from the book that was built. Charts stand as they are first seen;
code that is folded on the screen is left out. The text is free under CC BY 4.0, the code under the MIT
licence.</p></header>
<nav><h1>Contents</h1><ul>{contents}</ul></nav>
{body}
</body>
</html>
"""
