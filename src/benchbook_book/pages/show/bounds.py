"""What a board says of the settings behind its places: bounds that were active, and whose variance a density has."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from benchbook import studies
from benchbook.show.html import Html, paragraph
from benchbook.studies import active_bounds

_LIBRARY = ("catboost-1", "catboost-stopped-", "ngboost-")
_MODEL = (
    "lin-",
    "mlp-mc-",
    "mlp-nuts-",
    "gp-",
    "vl-",
    "deep-ensemble-",
    "laplace-",
    "mdn-",
    "gated-experts-",
)


def bounds(tasks: Sequence[str], methods: Sequence[str] | None = None) -> Html:
    """The bounds of ours that were active in more than a fifth of a method's runs on the tasks of a page.

    Args:
        tasks: names or patterns. methods: those of the page; all that were run there when left out.
    """
    records = archived(tasks, methods)
    return paragraph(sentence(active_bounds.remarks(records)))


def archived(tasks: Sequence[str], methods: Sequence[str] | None = None) -> pl.DataFrame:
    """The records of the runs of the archive and of that of today's learners, one for each run."""
    folder = studies.archive_path()
    archive = studies.Overlay(folder, folder.parent / "today")
    return archive.records(tasks=list(tasks), methods=None if methods is None else list(methods))


def sentence(remarks: dict[str, str]) -> str:
    """What is to be said of methods with active bounds."""
    if not remarks:
        return "No bound of ours was active in more than a fifth of any method's runs here."
    told = "; ".join(f"`{method}`: {text.replace('; ', ', ')}" for method, text in remarks.items())
    return f"Active in more than a fifth of the runs, so that places may hang on them: {told}."


def with_bounds(board: pl.DataFrame, remarks: dict[str, str]) -> pl.DataFrame:
    """A board with the remark on each method's active bounds in the column ``bounds``, for ``remarks`` of a table."""
    return board.with_columns(
        bounds=pl.col("method").replace_strict(remarks, default=None, return_dtype=pl.String)
    )


def variance_by(method: str) -> str:
    """Who says how sure a method is: "library", "model" where that is the method's own, or "ours".

    Ours are the error of folds or of held-out cases as the variance of points, the tails of quantiles and the gaps
    between them, and grids of noise.
    """
    if method.startswith(_LIBRARY):
        return "library"
    return "model" if method.startswith(_MODEL) else "ours"
