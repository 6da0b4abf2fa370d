"""The list of all pages beside each page, made once for the book and not once for each page.

Sphinx resolves the whole table of contents anew for every page, a sixth of a second each, and the theme parses it to
make its own of it, which takes as long. From page to page no more differs than the way to the others, and which entries
are the page and what it is below. So the list is made for the first page that is written, and the others get that one
with their own ways and marks.
"""

import posixpath
import re
from typing import Any

from sphinx.util.osutil import relative_uri

_TEMPLATE = "sbt-sidebar-nav.html"
_ENTRY = re.compile(
    r'^<li class="toctree-l(\d)(?: has-children)?"><a class="reference internal" href="([^"#]+)">'
)
_MARKS = (
    (' class="current"', ""),
    ('<ul class="current nav', '<ul class="nav'),
    (' open="open"', ""),
    ('<a class="current reference', '<a class="reference'),
)
_TOGGLE = re.compile(r'(<a [^>]*>(.*?)</a><details(?: open="open")?>)<summary>')
_TAG = re.compile(r"<[^>]*>")
_MARKED = re.compile(r'(?<="toctree-l\d) current active')


def toggles_named(made: str) -> str:
    """A list whose toggles have names to be heard: "Pages below Synthesis"."""
    return _TOGGLE.sub(
        lambda found: (
            f'{found[1]}<summary aria-label="Pages below {_TAG.sub("", found[2]).strip()}">'
        ),
        made,
    )


def unmarked(made: str, own: str) -> list[str]:
    """The lines of a list as the theme made it for the page at ``own``, without its marks, each way from the root."""
    made = _MARKED.sub("", made)
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
    made = [
        line.replace(f'href="{entry[2]}"', f'href="{relative_uri(own, entry[2])}"', 1)
        if entry
        else line
        for line, entry in zip(lines, entries, strict=True)
    ]
    places = [place for place, entry in enumerate(entries) if entry and entry[2] == own]
    if not places:
        return "\n".join(made)
    [last] = places
    made[last] = re.sub(
        r'<a class="reference internal" href="[^"]*">',
        '<a class="current reference internal" href="#">',
        made[last],
        count=1,
    )
    above = 99
    for place in range(last, -1, -1):
        if (entry := entries[place]) and int(
            entry[1]
        ) < above:  # the page, and then each one that it is below
            above = int(entry[1])
            made[place] = made[place].replace(
                f'"toctree-l{above}', f'"toctree-l{above} current active', 1
            )
            made[place] = made[place].replace("<details>", '<details open="open">', 1)
            if place != last:
                made[place] = re.sub("<ul>$", '<ul class="current">', made[place])
        elif made[place] == '<ul class="nav bd-sidenav">':  # the part
            made[place] = '<ul class="current nav bd-sidenav">'
            break
    return "\n".join(made)


def _not_looked_at(
    app: Any, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Hide the list from the theme, which would make it to see whether there is anything in it."""
    context["bb_listed"] = _TEMPLATE in (context.get("sidebars") or ())
    if context["bb_listed"]:
        context["sidebars"] = [each for each in context["sidebars"] if each != _TEMPLATE]


def _for_page(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if not context["bb_listed"]:
        return
    theirs, own = context["generate_toctree_html"], app.builder.get_target_uri(page)

    def made(kind: str, **options: Any) -> Any:
        if kind != "sidebar" or options.get("collapse", True):  # what is shown depends on the page
            return theirs(kind, **options)
        asked = repr(sorted(options.items()))
        if asked not in app.bb_side_lists:
            app.bb_side_lists[asked] = unmarked(toggles_named(str(theirs(kind, **options))), own)
        return marked(app.bb_side_lists[asked], own)

    context["generate_toctree_html"] = made
    context["sidebars"] = [*context["sidebars"], _TEMPLATE]


def _begin(app: Any) -> None:
    app.bb_side_lists = {}


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx; the theme is at 500."""
    app.connect("builder-inited", _begin)
    app.connect("html-page-context", _not_looked_at, priority=400)
    app.connect("html-page-context", _for_page, priority=600)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
