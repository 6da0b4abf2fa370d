"""Maps of pages: a list of links, each with a sentence and the first picture of the page that it leads to.

The pictures are taken from the pages as they were written, when all of them are.
"""

import re
from html import escape, unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

FOLDER = "_pictures"
_CHART = re.compile(
    r'<div class="vega-view" role="img" aria-label="([^"]*)"[^>]*>\s*(<svg\b.*?</svg>)', re.DOTALL
)
_PLACE = re.compile(r'<span class="bb-picture" data-page="([^"]*)">.*?</span>', re.DOTALL)
_LONGEST = 160


class ChapterMap(SphinxDirective):
    """``{chapter-map}``: a line for each page, its path from the top of the book, a bar, and a sentence about it."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        listed = nodes.container(classes=["bb-map"])
        for line in filter(str.strip, self.content):
            name, bar, text = (part.strip() for part in line.partition("|"))
            if not bar or not text:
                raise self.error(f"a line of a map is a page, a bar and a sentence, not {line!r}")
            if name not in self.env.found_docs:
                raise self.error(f"there is no page {name!r}")
            listed += entry(self.env, name, self.parse_inline(text)[0])
        return [listed]


def entry(env: Any, name: str, about: list[nodes.Node], title: str = "") -> nodes.container:
    """One page of a map; its title is that of the page when none is given."""
    link = addnodes.pending_xref(
        "",
        nodes.inline(text=title or name),
        refdomain="std",
        reftype="doc",
        reftarget=f"/{name}",
        refdoc=env.docname,
        refexplicit=bool(title),
        refwarn=True,
    )
    place = f'<span class="bb-picture" data-page="{escape(name)}"></span>'
    words = nodes.container(
        "",
        nodes.paragraph("", "", link, classes=["bb-map-title"]),
        nodes.paragraph("", "", *about),
        classes=["bb-map-words"],
    )
    return nodes.container("", nodes.raw("", place, format="html"), words, classes=["bb-map-entry"])


def first_picture(page: str) -> tuple[str, str] | None:
    """The first chart of a page as a still picture, and what it shows, in few words."""
    found = _CHART.search(page)
    if found is None:
        return None
    about = re.split(r"(?<=[.:])\s", unescape(found[1]), maxsplit=1)[0].rstrip(":")
    return found[2], about if len(about) <= _LONGEST else f"{about[:_LONGEST].rsplit(' ', 1)[0]} …"


def _tall(svg: str) -> bool:
    """Whether a picture is higher than wide, so that only its upper part can be seen when it is small."""
    width, height = (
        re.search(rf'^<svg\b[^>]*\s{side}="([\d.]+)', svg) for side in ("width", "height")
    )
    return bool(width and height) and float(height[1]) > float(width[1])


def _fill(app: Any, error: Exception | None) -> None:
    """Put the pictures of all pages into the maps."""
    if error is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    for name in app.env.found_docs:
        path = out / f"{name}.html"
        text = path.read_text(encoding="utf8") if path.is_file() else ""
        if 'class="bb-picture"' in text:
            filled = _PLACE.sub(
                lambda found, here=path: _picture(out, here, unescape(found[1])), text
            )
            path.write_text(filled, encoding="utf8")


def _picture(out: Path, here: Path, name: str) -> str:
    page, target = out / f"{name}.html", out / FOLDER / f"{name}.svg"
    found = first_picture(page.read_text(encoding="utf8")) if page.is_file() else None
    inner = ""
    if found is not None:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(found[0], encoding="utf8")
        up = "../" * (len(here.relative_to(out).parts) - 1)
        tall = ' class="bb-tall"' if _tall(found[0]) else ""
        inner = f'<img src="{up}{FOLDER}/{escape(name)}.svg" alt="{escape(found[1])}"{tall}>'
    return f'<span class="bb-picture" data-page="{escape(name)}">{inner}</span>'


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("chapter-map", ChapterMap)
    app.connect("build-finished", _fill)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
