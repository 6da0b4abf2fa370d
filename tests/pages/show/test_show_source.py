"""Code listings show the library as it is, within their length."""

import inspect

import pytest

from benchbook import seeds
from benchbook.errors import BenchbookError
from benchbook.show import numbers, tables
from benchbook_book.pages import show
from benchbook_book.pages.show import source


def test_a_function_is_shown_without_its_docstring_and_with_its_place():
    made = show.code(seeds.generator)
    assert "def generator(seed: int, *names: str | int)" in made.text
    assert "SeedSequence" in made.text
    assert "Args:" not in made.text
    first = inspect.getsourcelines(seeds.generator)[1]
    assert f"benchbook/seeds.py, lines {first}–" in made.text
    assert '<div class="highlight">' in made.html


def test_the_docstring_is_shown_when_asked_for():
    assert "Args:" in show.code(seeds.generator, docstring=True).text


def test_what_is_left_is_still_the_program():
    made = show.code(numbers.with_error, max_lines=200)
    names = dict(vars(numbers))
    exec(made.text, names)
    assert names["with_error"](84.81, 9.3) == numbers.with_error(84.81, 9.3)


def test_a_long_function_is_cut_and_says_so():
    whole = show.code(tables.table, max_lines=10_000).text.splitlines()
    cut = show.code(tables.table, max_lines=10).text.splitlines()
    assert len(cut) == 11
    assert cut[:9] == whole[:9]
    assert f"{len(whole) - 1 - 9} more lines in benchbook/show/tables.py" in cut[9]


def test_methods_decorators_and_classes_are_shown():
    assert "@dataclass" in show.code(tables._Plan, max_lines=60).text
    assert show.code(tables._Plan.heading).text.startswith("def heading")


def test_a_compiled_kernel_shows_what_it_was_compiled_from():
    class Compiled:
        py_func = staticmethod(seeds.generator)

    assert "def generator" in show.code(Compiled()).text


def test_what_has_no_source_is_refused():
    with pytest.raises(BenchbookError, match="has no Python source"):
        show.code(len)


def test_a_one_line_body_and_a_body_of_a_docstring_alone_survive():
    assert source._without_docstring('def f():\n    """Say."""\n') == 'def f():\n    """Say."""\n'
    assert (
        source._without_docstring('def f():\n    """Say."""\n    return 1\n')
        == "def f():\n    return 1"
    )


def test_a_listing_of_just_so_many_lines_is_whole_and_its_last_line_is_named():
    lines, first = inspect.getsourcelines(numbers._exponent)
    whole = show.code(numbers._exponent, len(lines), docstring=True).text
    assert (
        whole.splitlines()[-1]
        == f"# benchbook/show/numbers.py, lines {first}–{first + len(lines) - 1}"
    )
    assert "more lines" not in whole
    assert "more lines" in show.code(numbers._exponent, len(lines) - 1, docstring=True).text
    decorated = 'class A:\n    """Say."""\n    @property\n    def b(self): ...\n'
    assert source._without_docstring(decorated) == "class A:\n    @property\n    def b(self): ..."
