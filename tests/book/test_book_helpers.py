"""Every function of a chapter's helper, and every chart, that a page calls is called by a test too."""

import ast
import re
from pathlib import Path

import pytest

from benchbook import charts

BOOK = Path(__file__).resolve().parents[2] / "book"
PAGES = sorted(BOOK.glob("*/*.md"))


def code(page):
    """The text of the code cells."""
    return "\n".join(re.findall(r"^```\{code-cell\}.*?^```", page.read_text("utf8"), re.M | re.S))


def functions(helper):
    tree = ast.parse(helper.read_text(encoding="utf8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.fixture(scope="module")
def tested():
    """The words of all tests."""
    tests = Path(__file__).resolve().parents[1].rglob("test_*.py")
    return {word for path in tests for word in re.findall(r"\w+", path.read_text(encoding="utf8"))}


def test_what_a_page_calls_of_its_helpers_is_called_by_a_test(tested):
    called = {}
    for page in PAGES:
        text = page.read_text(encoding="utf8")
        helpers = [
            page.parent / f"{name}.py" for name in re.findall(r"^from (_\w+) im", text, re.M)
        ]
        own = set().union(*map(functions, helpers)) & set(re.findall(r"\w+", code(page)))
        called[page.relative_to(BOOK).as_posix()] = own
    assert {page: own - tested for page, own in called.items() if own - tested} == {}
    assert sum(map(len, called.values())) > 200


def test_what_a_page_draws_is_drawn_by_a_test(tested):
    texts = "\n".join(map(code, PAGES))
    assert set(re.findall(r"\bcharts\.([a-z]\w+)\(", texts)) & set(vars(charts)) <= tested
