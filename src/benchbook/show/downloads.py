"""Tables that a page offers as files, carried by the page itself."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import polars as pl

from benchbook.show.html import Html, escape, shell, stack


def downloads(frames: Mapping[str, tuple[str, pl.DataFrame]]) -> Html:
    """A line of links to tables as CSV files, numbers with six digits; empty tables are left out.

    Args:
        frames: by the name of the file, without its ending: what it holds, in words, and the table.
    """
    full = {name: pair for name, pair in frames.items() if not pair[1].is_empty()}
    links = " · ".join(
        f"{link_to(name, words, frame)} ({frame.height:,} lines)"
        for name, (words, frame) in full.items()
    )
    text = "; ".join(f"{name}.csv: {words}" for name, (words, _) in full.items())
    return Html(f"<p><strong>Take away</strong> {links}</p>" if links else "", text)


def link_to(name: str, words: str, frame: pl.DataFrame) -> str:
    """A link, in HTML, to a table as a CSV file, numbers with six digits; lists are left out.

    Args:
        name: of the file, without its ending. words: of the link. frame: the table.
    """
    plain = frame.select(pl.exclude(pl.List, pl.Struct, pl.Object)).with_columns(
        pl.col(pl.Float64).round_sig_figs(6)
    )
    data = b64encode(plain.write_csv().encode()).decode()
    return (
        f'<a download="{escape(name)}.csv" href="data:text/csv;base64,{data}">{escape(words)}</a>'
    )


def run_again(slug: str, options: str, parameters: Mapping[str, Any]) -> Html:
    """The parameters of a run page, and the command that makes it again with others where the page is in the book.

    Args:
        slug: the page's name in the manifest; "" for one that is not in the book.
        options: of the command.
        parameters: of the page; what is empty or 0 is left out.
    """
    used = ", ".join(
        f"<code>{escape(name)}={escape(repr(value))}</code>"
        for name, value in parameters.items()
        if value
    )
    made = Html(f"<p><strong>Made with</strong> {used}.</p>", f"made with {dict(parameters)}")
    if not slug:
        return made
    command = f"benchbook book run {slug} {options} --out mine.ipynb"
    again = f"<p><strong>Run it again with</strong> other parameters:</p>{shell([command])}"
    return stack(made, Html(again, command))
