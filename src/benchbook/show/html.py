"""Pieces of a page: HTML for the book, plain text everywhere else."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass

_INTERVAL = re.compile(r"([\[(][-−]?[\d.]+,) ([-−]?[\d.]+[\])])")
_MODULE = re.compile(r"\b[a-z]\w+(?:\.[a-z]\w+){2,}")


@dataclass(frozen=True, repr=False)
class Html:
    """What a cell shows: ``html`` in the book and in a notebook, ``text`` in a terminal."""

    html: str
    text: str

    def __bool__(self) -> bool:
        return bool(self.html)

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def escape(value: object) -> str:
    """The value's text, safe in an element and in a quoted attribute."""
    return html.escape(str(value), quote=True)


def inline(text: str) -> str:
    """HTML of one line of prose in which `code`, **strong** words and addresses are marked up.

    No line ends inside an interval, and one may end after a dot of a module's name.
    """
    parts = re.split(r"(`+[^`]+`+|\*\*[^*]+\*\*|https?://[^\s<>)\"']+[^\s<>)\"'.,;])", text)
    for index, part in enumerate(parts):
        if part.startswith("`"):
            parts[index] = f"<code>{escape(part.strip('`'))}</code>"
        elif part.startswith("**"):
            parts[index] = f"<strong>{escape(part.strip('*'))}</strong>"
        elif re.match(r"https?://", part):
            parts[index] = f'<a href="{escape(part)}">{escape(part)}</a>'
        else:
            whole = escape(_INTERVAL.sub("\\1\N{NO-BREAK SPACE}\\2", part))
            parts[index] = _MODULE.sub(lambda name: name[0].replace(".", ".<wbr>"), whole)
    return "".join(parts)


def facts(named: Mapping[str, object]) -> Html:
    """Names and what there is to say of each, in two columns; an empty text leaves its name out."""
    retained = {name: str(value) for name, value in named.items() if str(value)}
    listed = "\n".join(
        f"<dt>{escape(name)}</dt>\n<dd><p>{inline(value)}</p></dd>"
        for name, value in retained.items()
    )
    return Html(
        f'<dl class="bb-facts">{listed}</dl>',
        "\n".join(f"{name}: {value}" for name, value in retained.items()),
    )


def stack(*pieces: Html) -> Html:
    """Pieces one below the other; empty ones leave no trace."""
    retained = [piece for piece in pieces if piece]
    return Html(
        "\n".join(piece.html for piece in retained), "\n\n".join(piece.text for piece in retained)
    )


def fold(summary: str, *pieces: Html) -> Html:
    """Pieces behind a line that opens them, for what only some readers want; nothing when all of them are empty."""
    inner = stack(*pieces)
    if not inner:
        return inner
    return Html(
        f'<details class="bb-fold"><summary>{inline(summary)}</summary>{inner.html}</details>',
        f"{summary}\n{inner.text}",
    )


def paragraph(text: str) -> Html:
    """A paragraph of prose in which `code` and addresses are marked up; nothing for an empty text."""
    return Html(f"<p>{inline(text)}</p>", text) if text else Html("", "")


def admonition(
    title: str, paragraphs: list[str], kind: str = "note", commands: list[str] | None = None
) -> Html:
    """A box of the theme's own kind ("note", "tip", "warning", ...), its commands in a block that can be copied."""
    body = "".join(f"<p>{inline(paragraph)}</p>" for paragraph in paragraphs) + shell(
        commands or []
    )
    text = "\n".join([title, *paragraphs, *(f"    {command}" for command in commands or [])])
    return Html(
        f'<div class="admonition {kind}"><p class="admonition-title">{escape(title)}</p>{body}</div>',
        text,
    )


def shell(commands: list[str]) -> str:
    """HTML of commands to type, one a line; nothing for none."""
    if not commands:
        return ""
    lines = escape("\n".join(commands))
    return f'<div class="highlight-shell notranslate"><div class="highlight"><pre>{lines}\n</pre></div></div>'
