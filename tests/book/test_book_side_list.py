"""The list of pages that the theme makes for one page, turned into that of another, is what it makes for the other."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

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
MAKE = """
import json
import sys
from sphinx.application import Sphinx

def keep(app, page, template, context, doctree):
    if page in pages:
        lists[f"{page}.html"] = str(context["generate_toctree_html"](
            "sidebar", 0, 1, collapse=False, includehidden=True, titles_only=True, maxdepth=4))

source, *pages = sys.argv[1:]
lists = {}
app = Sphinx(source, None, f"{source}/html", f"{source}/trees", "html",
             {"extensions": ["myst_parser", "sphinx_external_toc"], "html_theme": "sphinx_book_theme"},
             status=None, warning=None)
app.connect("html-page-context", keep, priority=600)
app.build()
print(json.dumps(lists))
"""
"""In a process of its own: Sphinx leaves traces in the one that it ran in."""
PAGES = ("index", "one/plain", "one/above", "one/below", "deep/down", "two/other")


@pytest.fixture(scope="module")
def side_list():
    sys.path.insert(0, str(EXTENSIONS))
    import side_list

    yield side_list
    sys.path.remove(str(EXTENSIONS))


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """The list of each page as the theme makes it, by the place of the page."""
    source = tmp_path_factory.mktemp("book")
    (source / "_toc.yml").write_text(TOC)
    for page in PAGES:
        path = source / f"{page}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# The page {page}\n\n## A section\n")
    made = subprocess.run(
        [sys.executable, "-c", MAKE, str(source), *PAGES],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(made.stdout)


@pytest.mark.parametrize("first", PAGES)
def test_one_list_serves_all_pages(side_list, theirs, first):
    assert len(set(theirs.values())) == len(PAGES)
    lines = side_list.unmarked(theirs[f"{first}.html"], f"{first}.html")
    assert {own: side_list.marked(lines, own) for own in theirs} == theirs
