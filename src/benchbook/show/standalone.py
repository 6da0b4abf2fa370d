"""A page that stands alone: one HTML file that needs nothing else, no script and no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchbook.charts.kit import light
from benchbook.charts.kit.output import picture, specification
from benchbook.errors import BenchbookError
from benchbook.files import atomic
from benchbook.show.html import Html, escape

if TYPE_CHECKING:
    from altair.typing import ChartType

_MARK = '<meta name="generator" content="benchbook">'
_OLD_MARK = '<meta name="generator" content="benchbook assess">'
_STYLE = """
body { font: 16px/1.55 system-ui, sans-serif; max-width: 74rem; margin: 2rem auto; padding: 0 1rem; }
body { color: #1c1c1c; background: #fff; }
h1, h2 { line-height: 1.2; }
h2 { margin-top: 2.2rem; }
code { font-size: .92em; }
table { border-collapse: collapse; margin: 1rem 0; font-size: .92rem; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
caption { position: sticky; left: 0; max-width: min(44rem, 100vw - 2rem); }
th, td { padding: .2rem .7rem .2rem 0; border-bottom: 1px solid #ccc; text-align: left; }
.num { text-align: right; font-variant-numeric: tabular-nums; }
td, tbody th { white-space: nowrap; }
thead th { vertical-align: bottom; }
figure { margin: 1rem 0; overflow-x: auto; }
blockquote { border-left: 3px solid #888; margin: 1rem 0; padding-left: 1rem; }
details { margin: .8rem 0; }
summary { cursor: pointer; }
dt { font-weight: 600; }
dd { margin: 0 0 .4rem 1rem; }
dd p { margin: 0; overflow-wrap: anywhere; }
pre { overflow-x: auto; background: #f3f3f3; padding: .6rem; }
.bb-table { overflow-x: auto; }
@media (prefers-color-scheme: dark) {
  body { color: #e6e6e6; background: #17191c; }
  a { color: #8ab4f8; }
  th, td { border-color: #45494f; }
  pre { background: #24272b; }
}
"""


def write(path: str | Path, title: str, contents: Sequence[Html | str]) -> Path:
    """Write a page; a page of ours that is there is replaced, and nothing is left half-written.

    Raises:
        BenchbookError: there is a file that is no such page, or nothing can be written there.
    """
    path = Path(path)
    refuse_others(path)
    with atomic(path) as scratch:
        scratch.write_text(document(title, contents), encoding="utf8")
    return path


def refuse_others(path: Path) -> None:
    """Refuse to write over a file that is no page of benchbook.

    Raises:
        BenchbookError: it is none, or its name does not end in .html.
    """
    if path.suffix.lower() not in (".html", ".htm"):
        raise BenchbookError(f"the page {path} must end in .html")
    start = path.read_bytes()[:2000] if path.is_file() else _MARK.encode()
    if path.is_dir() or not any(mark.encode() in start for mark in (_MARK, _OLD_MARK)):
        raise BenchbookError(f"{path} exists and is no page of benchbook; choose another name")


def document(title: str, contents: Sequence[Html | str]) -> str:
    """A whole HTML file that needs nothing else: a heading, and pieces of pages one after the other."""
    body = "\n".join(part if isinstance(part, str) else part.html for part in contents)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{_MARK}\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style></head>\n<body><h1>{escape(title)}</h1>\n{body}\n"
        "</body></html>\n"
    )


def figure(chart: ChartType | Html) -> Html:
    """A chart as a picture with its alternative text; pieces of a page stay what they are."""
    if isinstance(chart, Html):
        return chart
    spec = specification(chart)
    words = str(spec.get("description", "Chart"))
    drawn = light.picture(picture(spec)).replace(
        "<svg ", '<svg style="max-width:100%;height:auto" ', 1
    )
    return Html(f'<figure role="img" aria-label="{escape(words)}">{drawn}</figure>', words)
