"""The book on paper: nothing to click on but links, which lead to where their targets are printed."""

import builtins
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from benchbook.errors import BenchbookError
from benchbook_book.making import printed
from benchbook_book.making.printed import CORE, _from_top, pages, volume

CHAPTER = """<html><body><nav>elsewhere</nav><article>
<section id="top"><h1>{title}<a class="headerlink" href="#top">#</a></h1>
<p><a href="{other}.html#top">there</a> <a href="#top">here</a>
<a href="{other}.html">all</a> <a href="../guide/teach.html">not printed</a> <a href="https://example.org">far</a></p>
<div class="cell tag_hide-input"><details class="hide above-input">
<summary>Show</summary><pre>folded()</pre></details></div>
<div class="vega-chart"><div class="vega-view" role="img"><svg id="kept"><path id="clip"></path></svg></div>
<script type="application/json">{{}}</script></div><button>Press</button>
<details class="bb-fold"><summary>More</summary><p>unfolded</p></details><img src="../../_images/x.svg">
</section></article></body></html>"""


@pytest.fixture
def html(tmp_path: Path) -> Path:
    for name, other in (("one", "two"), ("two", "one")):
        path = tmp_path / "book" / "part" / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CHAPTER.format(title=name, other=other))
    return tmp_path


def test_a_volume_holds_the_chapters_and_nothing_to_click_on_but_links(html):
    page = BeautifulSoup(
        volume(html, {"A part": ["book/part/one", "book/part/two"]}), "html.parser"
    )
    assert [title.get_text() for title in page.find_all("h1")] == [
        "Contents",
        "A part",
        "one",
        "two",
    ]
    assert page.select("body script, button, nav nav") == []
    assert "folded()" not in page.get_text()
    assert len(page.select(".vega-view > svg#kept")) == 2
    assert len(page.select("details[open]")) == 2
    names = [
        one["id"]
        for one in page.find_all(id=True)
        if one.find_parent("svg") is None and one.name != "svg"
    ]
    assert len(names) == len(set(names))
    first = page.find("article")
    assert [link["href"] for link in first.find_all("a")] == [
        "#page-1-top",
        "#page-0-top",
        "#page-1",
        "https://example.org",
    ]
    assert "not printed" in first.get_text()
    assert first.img["src"] == "_images/x.svg"
    inside = [
        link["href"].removeprefix("#")
        for link in page.find_all("a")
        if link["href"].startswith("#")
    ]
    assert len(inside) == 8
    assert set(inside) <= set(names)


def test_pages_that_are_not_rendered_are_named_together(html):
    with pytest.raises(BenchbookError, match=r"book/part/x, book/part/y.*make book"):
        volume(html, {"A part": ["book/part/x", "book/part/one", "book/part/y"]})


def test_core_track_and_studies_are_those_of_the_table_of_contents(repository):
    found = pages(repository)
    assert len(found[CORE]) == 8
    assert {"Is one method better?", "What must a report state?"} < set(found)
    names = [name for part in found.values() for name in part]
    assert len(names) == len(set(names)) > 60
    assert [name for name in names if not (repository / f"{name}.md").is_file()] == []
    assert "book/proben1/problems" in names


def test_without_a_browser_the_command_says_so(html, monkeypatch):
    monkeypatch.setattr(printed.shutil, "which", lambda name: None)
    with pytest.raises(BenchbookError, match="no Chromium on this machine"):
        printed._print(html / "print.html", html / "out.pdf")
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("playwright"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(printed.shutil, "which", lambda name: "/a/browser")
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(BenchbookError, match="no Playwright"):
        printed._print(html / "print.html", html / "out.pdf")


def test_the_page_that_is_printed_from_is_taken_away_even_after_a_failure(tmp_path, monkeypatch):
    page = tmp_path / "_build" / "html" / "print.html"
    page.parent.mkdir(parents=True)
    read = []

    def fail(source, out):
        read.append(source.read_text())
        raise BenchbookError("no paper")

    for name, instead in (
        ("check_tools", lambda root: None),
        ("pages", lambda root: {}),
        ("volume", lambda folder, parts: "all chapters"),
        ("_print", fail),
    ):
        monkeypatch.setattr(printed, name, instead)
    with pytest.raises(BenchbookError, match="no paper"):
        printed.write(tmp_path / "out.pdf", (), tmp_path)
    assert read == ["all chapters"]
    assert not page.exists()


def test_a_chapter_of_no_part_is_refused_by_name(repository):
    with pytest.raises(BenchbookError, match=r"book/delve/none, book/guide/teach"):
        printed.write(
            repository / "never.pdf", ["guide/teach", "delve/none", "delve/planning"], repository
        )
    assert not (repository / "never.pdf").exists()


@pytest.mark.parametrize(
    ("name", "path", "place"),
    [
        ("book/delve/a", "b.html", "book/delve/b.html"),
        ("book/delve/a", "./b.html", "book/delve/b.html"),
        ("book/delve/a", "../c/./b.png", "book/c/b.png"),
        ("book/delve/a", "../../_images/b.png", "_images/b.png"),
    ],
)
def test_a_path_is_counted_from_the_top_of_the_book(name, path, place):
    assert _from_top(name, path) == place
