"""What the notebooks of the book import: its tables, its code listings, its provenance, its named numbers."""

from benchbook.show.bounds import bounds, variance_by, with_bounds
from benchbook.show.html import Html
from benchbook.show.notebook import glue, heading, result, setup
from benchbook.show.numbers import number, p_value, with_error
from benchbook.show.origins import data_source, missing, papermill_command, provenance, which_data
from benchbook.show.page_parameters import parameters
from benchbook.show.prototask import assessed, definition, encoding
from benchbook.show.source import code
from benchbook.show.tables import table

__all__ = [
    "Html",
    "assessed",
    "bounds",
    "code",
    "data_source",
    "definition",
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
    "setup",
    "table",
    "variance_by",
    "which_data",
    "with_bounds",
    "with_error",
]
