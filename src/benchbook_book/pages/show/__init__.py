"""What the notebooks of the book import: its tables, its code listings, its provenance, its named numbers."""

from benchbook.show import html as html
from benchbook.show.downloads import downloads, run_again
from benchbook.show.html import Html
from benchbook.show.notebook import glue, heading, result
from benchbook.show.numbers import number, p_value, with_error
from benchbook.show.origins import data_source, missing, papermill_command, provenance, which_data
from benchbook.show.tables import table
from benchbook_book.pages.show.bounds import bounds, variance_by, with_bounds
from benchbook_book.pages.show.page import setup
from benchbook_book.pages.show.page_parameters import parameters
from benchbook_book.pages.show.prototask import assessed, definition, encoding
from benchbook_book.pages.show.source import code

__all__ = [
    "Html",
    "assessed",
    "bounds",
    "code",
    "data_source",
    "definition",
    "downloads",
    "encoding",
    "glue",
    "heading",
    "missing",
    "number",
    "p_value",
    "papermill_command",
    "parameters",
    "provenance",
    "result",
    "run_again",
    "setup",
    "table",
    "variance_by",
    "which_data",
    "with_bounds",
    "with_error",
]
