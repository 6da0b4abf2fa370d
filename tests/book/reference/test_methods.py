"""The page of methods has a place for each: its own cells are executed."""

import jupytext

from benchbook import methods


def test_every_method_has_one_family(repository):
    notebook = jupytext.read(repository / "book/reference/methods.md")
    first, *_ = (cell.source for cell in notebook.cells if cell.cell_type == "code")
    page = {}
    exec(compile(first, "book/reference/methods.md", "exec"), page)
    assert set(page["family_of"]) == set(methods.available())
    assert set(page["FAMILIES"]) == {family for (family,) in page["family_of"].values()}
