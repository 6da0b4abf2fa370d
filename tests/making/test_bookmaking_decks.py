"""Decks are written with all that they load, and served until somebody has seen enough."""

import http.server
import re

import pytest

from benchbook.errors import BenchbookError
from benchbook_book.making import decks


def test_decks_are_written_with_what_they_load(tmp_path, monkeypatch):
    static = tmp_path / "_build" / "html" / "_static"
    for path in (
        "favicon.svg",
        "pygments.css",
        "charts.css",
        "charts.js",
        "mathjax/tex-svg-full.js",
        "vega/vega-bundle-1.2.js",
    ):
        (static / path).parent.mkdir(parents=True, exist_ok=True)
        (static / path).write_text(path)
    reveal = tmp_path / "reveal"
    for path in ("dist/reveal.js", "dist/reveal.css", "plugin/notes/notes.js", "LICENSE"):
        (reveal / path).parent.mkdir(parents=True, exist_ok=True)
        (reveal / path).write_text(path)
    page = tmp_path / "_build" / "html" / "book" / "part" / "one.html"
    page.parent.mkdir(parents=True)
    page.write_text(
        '<script src="../../_static/vega/vega-bundle-1.2.js"></script>'
        "<article><section><h1>One</h1><p>Is it so?</p></section></article>"
    )
    monkeypatch.setattr(decks, "_reveal", lambda: reveal)
    [path] = decks.write(tmp_path / "out", ["part/one"], tmp_path)
    loaded = re.findall(r'(?:src|href)="([^"]+)"', path.read_text())
    assert len(loaded) > 8
    assert [one for one in loaded if not (path.parent / one).is_file()] == []
    with pytest.raises(BenchbookError, match=r"none of part/two, part/three.*make book"):
        decks.write(tmp_path / "out", ["part/two", "part/one", "part/three"], tmp_path)
    page.with_name("four.html").write_text("<p>no chapter</p>")
    path.unlink()
    with pytest.raises(BenchbookError, match=r"part/four is no rendered chapter[^$]*The 1 other"):
        decks.write(tmp_path / "out", ["part/four", "part/one"], tmp_path)
    assert path.is_file(), "one faulty deck stops itself alone"


def test_decks_are_of_the_chapters_of_all_weeks_in_their_order(tmp_path):
    guide = tmp_path / "book" / "guide"
    guide.mkdir(parents=True)
    for name, weeks in (("weeks", ("z/a\na/b", "c/d")), ("teach", ("e/f",))):
        plans = (f"## Week\n\n```{{lesson-minutes}}\n{listed}\n```\n" for listed in weeks)
        (guide / f"{name}.md").write_text("# Weeks\n\n" + "\n".join(plans))
    assert decks.of_plan(tmp_path) == ["z/a", "a/b", "c/d"]


def test_decks_are_served_until_ctrl_c(tmp_path, monkeypatch):
    seen = []

    def interrupted(server):
        seen.append((server.server_address[0], server.RequestHandlerClass.keywords["directory"]))
        raise KeyboardInterrupt

    monkeypatch.setattr(http.server.ThreadingHTTPServer, "serve_forever", interrupted)
    decks.serve(tmp_path, 0)
    assert seen == [("127.0.0.1", str(tmp_path))]
