"""A page begins."""

from __future__ import annotations

from pathlib import Path

from benchbook.show import notebook
from benchbook_book.pages.show import own_checks


def setup() -> None:
    """Prepare a page of the book: charts, tables and number formats, and checks that hold for its own code only."""
    notebook.setup()
    own_checks.install(Path.cwd())
