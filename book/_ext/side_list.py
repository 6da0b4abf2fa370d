"""The list of all pages beside each page, made once for the book and not once for each page.

The theme resolves the whole table of contents anew for every page, a sixth of a second each. From page to page no more
differs than the way to the others, and which entry is the page's own. So the theme makes the list for the first page
that is written, and the others get that one with their own ways and marks.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

from sphinx.util.osutil import relative_uri

_ENTRY = re.compile(r'^<li class="toctree-l(\d)([^"]*)"><a class="((?:current )?)reference internal" href="([^"]*)">',
                    re.MULTILINE)
_MARKED = ((' current active', ''), ('<a class="current reference', '<a class="reference'),
           ('<details open="open">', '<details>'), ('<ul class="current">', '<ul>'),
           ('<ul class="current nav bd-sidenav">', '<ul class="nav bd-sidenav">'))


def unmarked(made: str, own: str) -> list[str]:
    """The lines of a list as the theme made it for the page at ``own``, without its marks, each way from the root."""
    for marked, plain in _MARKED:
        made = made.replace(marked, plain)

    def rooted(entry: re.Match[str]) -> str:
        level, more, _, way = entry.groups()
        way = own if way == "#" else posixpath.normpath(posixpath.join(posixpath.dirname(own), way))
        return f'<li class="toctree-l{level}{more}"><a class="reference internal" href="{way}">'

    return _ENTRY.sub(rooted, made).split("\n")


def marked_for(lines: list[str], own: str) -> str:
    """The list for the page at ``own``, which may be in it or not."""
    found = [_ENTRY.match(line) for line in lines]
    made = [line.replace(f'href="{entry[4]}"', f'href="{relative_uri(own, entry[4])}"', 1) if entry else line
            for line, entry in zip(lines, found, strict=True)]
    place = next((number for number, entry in enumerate(found) if entry and entry[4] == own), None)
    if place is None:
        return "\n".join(made)
    made[place] = re.sub(r'<a class="reference internal" href="[^"]*">', '<a class="current reference internal" href="#">',
                         made[place], count=1)
    deeper = int(found[place][1]) + 1  # type: ignore[index]
    for number in range(place, -1, -1):
        entry = found[number]
        if entry and int(entry[1]) < deeper:
            deeper = int(entry[1])
            made[number] = made[number].replace(f"toctree-l{deeper}", f"toctree-l{deeper} current active", 1).replace(
                "<details>", '<details open="open">', 1)
            if number != place:
                made[number] = re.sub("<ul>$", '<ul class="current">', made[number])
        elif '<ul class="nav bd-sidenav">' in made[number]:
            made[number] = made[number].replace('<ul class="nav', '<ul class="current nav', 1)
            break
    return "\n".join(made)


def _for_page(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    theirs, own = context.get("generate_toctree_html"), app.builder.get_target_uri(page)
    if theirs is None:
        return

    def made(kind: str, **options: Any) -> Any:
        if kind != "sidebar":
            return theirs(kind, **options)
        asked = repr(sorted(options.items()))
        if asked not in app.bb_side_lists:
            app.bb_side_lists[asked] = unmarked(str(theirs(kind, **options)), own)
        return marked_for(app.bb_side_lists[asked], own)

    context["generate_toctree_html"] = made


def _begin(app: Any) -> None:
    app.bb_side_lists = {}


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("builder-inited", _begin)
    app.connect("html-page-context", _for_page, priority=900)  # when the theme has put its own there
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
