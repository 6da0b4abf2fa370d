"""The first cell of a page, and numbers that its prose can name."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import polars as pl

from benchbook.method_names import in_words
from benchbook.show.html import Html, inline
from benchbook.show.numbers import formatted
from benchbook.show.tables import table

_SHOWN = 12
_began = time.perf_counter()


def setup() -> None:
    """Prepare a page: the book's charts, tables and number formats. Call it first; durations count from here."""
    global _began
    import numpy as np
    from tqdm import TqdmWarning

    from benchbook import charts

    _began = time.perf_counter()
    # A library that looks for a notebook's progress bars complains on the page when there are none.
    warnings.filterwarnings("ignore", category=TqdmWarning)
    charts.enable()
    np.set_printoptions(precision=4, suppress=True, linewidth=100)
    pl.Config.set_fmt_float("mixed")
    pl.Config.set_tbl_hide_dataframe_shape(True)
    pl.Config.set_tbl_rows(_SHOWN)
    _tables_in_our_style(pl.DataFrame)


def _tables_in_our_style(frame: type) -> None:
    """Show a bare frame at the end of a cell as ``table`` would, its first lines only."""
    from IPython import get_ipython

    shell = get_ipython()
    if shell is not None:
        shell.display_formatter.formatters["text/html"].for_type(
            frame, lambda shown: table(shown, limit=_SHOWN).html
        )


def seconds_since_setup() -> float:
    """Seconds since the page called ``setup``."""
    return time.perf_counter() - _began


@dataclass(frozen=True, repr=False)
class _Plain:
    text: str

    def __repr__(self) -> str:
        return repr(self.text)  # a page reads a bare number again, and would say 0.3 for 0.30


def glue(name: str, value: object, fmt: str = "") -> None:
    """Name a value so that prose can say it: ``{glue:text}`name` `` in MyST.

    Args:
        name: the name, unique in its page.
        value: a number, a text, or anything with a representation of its own (a chart, a table); None is said to be
            "not available".
        fmt: how to write it, such as ".3f", "," or "+.1%"; without it the page may format the number itself.
    """
    from myst_nb import glue as remember

    if value is None:
        value = _Plain("not available")
    elif fmt:
        value = _Plain(formatted(value, fmt))
    elif isinstance(value, str):
        value = _Plain(value)
    remember(name, value, display=False)


RESULT = "result"
"""The name by which a page keeps its result."""


def result(sentence: str) -> Html | None:
    """Show the result of a page in one sentence, methods by their names, and keep it for lists of pages.

    Nothing is shown for an empty text.
    """
    if not sentence:
        return None
    sentence = in_words(sentence)
    sentence = sentence[0].upper() + sentence[1:]
    glue(RESULT, sentence)
    return Html(
        f'<p class="bb-result"><strong>Result.</strong> {inline(sentence)}</p>',
        f"Result. {sentence}",
    )


def heading(text: str) -> Html:
    """The heading of a run page: its result in a few words. In the book it is the title."""
    text = in_words(text)
    return Html(f"<h1>{inline(text)}</h1>", text)
