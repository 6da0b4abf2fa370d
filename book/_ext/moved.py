"""Pages that are not there any more lead to those that took their place, so that old links still work.

A link to a place on such a page leads to that place, which has kept its name.
"""

from html import escape
from pathlib import Path
from posixpath import relpath
from typing import Any

MOVED = {
    "book/synthesis/index": "book/index",
    "book/guide/read-it": "book/guide/run-it#sec-read-it",
    "book/guide/week-1": "book/guide/weeks#week-1",
    "book/guide/week-2": "book/guide/weeks#week-2",
    "book/guide/week-3": "book/guide/weeks#week-3",
    "book/guide/week-4": "book/guide/weeks#week-4",
    "book/guide/week-5": "book/guide/weeks#week-5",
    "book/guide/week-6": "book/guide/weeks#week-6",
    "book/guide/your-own-loss": "book/guide/your-own-method#sec-your-own-loss",
    "book/predictive-densities/bootstrap": "book/predictive-densities/expected-utility#sec-densities-bootstrap",
    "book/proben1/form": "book/proben1/why-rules#sec-form",
    "book/proben1/shortcuts": "book/proben1/linear#sec-shortcuts",
    "book/reference/notation": "book/reference/glossary#sec-notation",
    "book/reference/api/benchbook-2-losses": "book/reference/api/benchbook-1-predictive#sec-api-losses",
    "book/reference/api/benchbook-4-tasks": "book/reference/api/benchbook-3-datasets#sec-api-tasks",
    "book/reference/api/benchbook-7-charts": "book/reference/api/benchbook-6-methods#sec-api-charts",
    "book/reference/api/benchbook-8-studies": "book/reference/api/benchbook-6-methods#sec-api-studies",
    "book/reference/api/benchbook-9-challenge": "book/reference/api/benchbook-9-book#sec-api-challenge",
    "book/reference/api/benchbook-9-checklist": "book/reference/api/benchbook-9-book#sec-api-form",
    "book/reference/api/benchbook-9-show": "book/reference/api/benchbook-9-book#sec-api-show",
    "book/reference/constants": "book/reference/methods#sec-constants",
    "book/reference/data/bank": "book/reference/data/delve#family-bank",
    "book/reference/data/kin": "book/reference/data/delve#family-kin",
    "book/reference/data/pumadyn": "book/reference/data/delve#family-pumadyn",
    "book/uncertainty/task-catalysis": "book/uncertainty/tasks#sec-task-catalysis",
    "book/uncertainty/task-gatineau": "book/uncertainty/tasks#sec-task-gatineau",
    "book/uncertainty/task-gaze": "book/uncertainty/tasks#sec-task-gaze",
    "book/uncertainty/task-outaouais": "book/uncertainty/tasks#sec-task-outaouais",
    "book/uncertainty/task-stereopsis": "book/uncertainty/tasks#sec-task-stereopsis",
}
"""Page that went to the page that has its subject now, and to the place on it, from the top of the book."""


def _write(app: Any, error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    for old, new in MOVED.items():
        place = Path(app.outdir) / f"{old}.html"
        page, mark, section = new.partition("#")
        way = relpath(f"{page}.html", str(Path(old).parent))
        target = escape(way + mark + section)
        if not place.parent.is_dir():  # a book of other parts
            continue
        place.write_text(
            '<!doctype html><html lang="en"><meta charset="utf-8">'
            f'<meta http-equiv="refresh" content="0; url={target}">'
            f'<script>if (location.hash) location.replace("{way}" + location.hash)</script>'
            f'<title>Moved</title><p>This page has moved: <a href="{target}">go on</a>.</p></html>\n',
            encoding="utf8",
        )


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("build-finished", _write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
