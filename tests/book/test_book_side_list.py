"""The list of pages that the theme makes for one page, turned into that of another, is what it makes for the other."""

import sys
from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

EXTENSIONS = Path(__file__).resolve().parents[2] / "book" / "_ext"
TOC = """format: jb-book
root: index
parts:
- caption: One
  chapters:
  - file: one/plain
  - file: one/above
    sections:
    - file: one/below
      sections:
      - file: deep/down
- caption: Two
  chapters:
  - file: two/other
"""
PAGES = ("index", "one/plain", "one/above", "one/below", "deep/down", "two/other")


@pytest.fixture(scope="module")
def side_list():
    sys.path.insert(0, str(EXTENSIONS))
    import side_list

    yield side_list
    sys.path.remove(str(EXTENSIONS))


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """The list of each page as the theme alone makes it, by the place of the page."""
    source = tmp_path_factory.mktemp("book")
    (source / "_toc.yml").write_text(TOC)
    for page in PAGES:
        path = source / f"{page}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# The page {page}\n")
    with docutils_namespace():
        options = {"extensions": ["myst_parser", "sphinx_external_toc"], "html_theme": "sphinx_book_theme",
                   "html_theme_options": {"home_page_in_toc": False, "show_navbar_depth": 1}}
        app = Sphinx(source, None, source / "html", source / "trees", "html", options, status=None, warning=None)
        app.build()
    return {f"{page}.html": listed((source / "html" / f"{page}.html").read_text(encoding="utf8")) for page in PAGES}


def listed(page):
    begin = page.index(">", page.index('<div class="bd-toc-item')) + 1
    return page[begin:page.index("</nav>", begin)]


@pytest.mark.parametrize("first", PAGES)
def test_one_list_serves_all_pages(side_list, theirs, first):
    assert len(set(theirs.values())) == len(PAGES)
    lines = side_list.unmarked(theirs[f"{first}.html"], f"{first}.html")
    assert {own: side_list.marked_for(lines, own) for own in theirs} == theirs
