"""What the notebooks of the book import: its tables, its code listings, its provenance, its named numbers."""

from benchbook.pages.html import Html
from benchbook.pages.notebook import glue, parameters, setup
from benchbook.pages.numbers import number, p_value, with_doubt
from benchbook.pages.origins import data_source, missing, papermill_command, provenance, which_data
from benchbook.pages.prototask import Assessed, assessed
from benchbook.pages.source import code
from benchbook.pages.tables import table

__all__ = [
    "Assessed", "Html", "assessed", "code", "data_source", "glue", "missing", "number", "p_value", "papermill_command",
    "parameters", "provenance", "setup", "table", "which_data", "with_doubt",
]
