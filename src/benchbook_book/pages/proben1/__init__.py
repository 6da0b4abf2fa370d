"""PROBEN1's own files made again from the originals, and its printed results beside ours."""

from benchbook_book.pages.proben1.originals import PROBLEMS, Original, original
from benchbook_book.pages.proben1.rebuild import File, RebuiltProblem, columns, compare, rebuilt

__all__ = [
    "PROBLEMS",
    "File",
    "Original",
    "RebuiltProblem",
    "columns",
    "compare",
    "original",
    "rebuilt",
]
