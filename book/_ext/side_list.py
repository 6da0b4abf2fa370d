"""The list of all pages beside each page, made once for the book and not once for each page.

Sphinx resolves the whole table of contents anew for every page, a sixth of a second each. From page to page no more
differs than the way to the others, and which entries are the page and what it is below. So Sphinx makes the list for
the first page that is written, and the others get that one with their own ways and marks.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

from sphinx.util.osutil import relative_uri

_ENTRY = re.compile(r'^<li class="toctree-l(\d)"><a class="reference internal" href="([^"#]+)">')
_MARKS = (('<ul class="current">', "<ul>"), (' current"><a class="', '"><a class="'),
          ('<a class="current reference', '<a class="reference'))


def unmarked(made: str, own: str) -> list[str]:
    """The lines of a list as Sphinx made it for the page at ``own``, without its marks, each way from the root."""
    for marked, plain in _MARKS:
        made = made.replace(marked, plain)
    lines = []
    for line in made.replace('href="#"', f'href="{posixpath.basename(own)}"').split("\n"):
        if entry := _ENTRY.match(line):
            way = posixpath.normpath(posixpath.join(posixpath.dirname(own), entry[2]))
            line = line.replace(f'href="{entry[2]}"', f'href="{way}"', 1)
        lines.append(line)
    return lines


def marked(lines: list[str], own: str) -> str:
    """The list for the page at ``own``, whether or not it is in it."""
    entries = [_ENTRY.match(line) for line in lines]
    made = [line.replace(f'href="{entry[2]}"', f'href="{relative_uri(own, entry[2])}"', 1) if entry else line
            for line, entry in zip(lines, entries, strict=True)]
    places = [place for place, entry in enumerate(entries) if entry and entry[2] == own]
    if not places:
        return "\n".join(made)
    [last] = places
    made[last] = re.sub(r'<a class="reference internal" href="[^"]*">',
                        '<a class="current reference internal" href="#">', made[last], count=1)
    above = 99
    for place in range(last, -1, -1):
        if (entry := entries[place]) and int(entry[1]) < above:  # the page, and then each one that it is below
            above = int(entry[1])
            made[place] = made[place].replace(f'"toctree-l{above}"', f'"toctree-l{above} current"', 1)
            if place != last:
                made[place] = re.sub("<ul>$", '<ul class="current">', made[place])
        elif made[place] == "<ul>":  # the part
            made[place] = '<ul class="current">'
            break
    return "\n".join(made)


def _for_page(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    theirs, own = context.get("toctree"), app.builder.get_target_uri(page)
    if theirs is None:
        return

    def made(**options: Any) -> str:
        if options.get("collapse", True):  # what is shown depends on the page
            return str(theirs(**options))
        asked = repr(sorted(options.items()))
        if asked not in app.bb_side_lists:
            app.bb_side_lists[asked] = unmarked(theirs(**options), own)
        return marked(app.bb_side_lists[asked], own)

    context["toctree"] = made


def _begin(app: Any) -> None:
    app.bb_side_lists = {}


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("builder-inited", _begin)
    app.connect("html-page-context", _for_page, priority=400)  # before the theme asks for the list
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
