"""Pieces of a page: HTML for the book, plain text everywhere else."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class Html:
    """What a cell shows: ``html`` in the book and in a notebook, ``text`` in a terminal."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def escape(value: object) -> str:
    """The value's text, safe in an element and in a quoted attribute."""
    return html.escape(str(value), quote=True)


def inline(text: str) -> str:
    """HTML of one line of prose in which `code` and addresses are marked up."""
    parts = re.split(r"(`+[^`]+`+|https?://[^\s<>)\"']+[^\s<>)\"'.,;])", text)
    for place, part in enumerate(parts):
        if part.startswith("`"):
            parts[place] = f"<code>{escape(part.strip('`'))}</code>"
        elif re.match(r"https?://", part):
            parts[place] = f'<a href="{escape(part)}">{escape(part)}</a>'
        else:
            parts[place] = escape(part)
    return "".join(parts)


def admonition(title: str, paragraphs: list[str], kind: str = "note", commands: list[str] | None = None) -> Html:
    """A box of the theme's own kind ("note", "tip", "warning", ...), its commands in a block that can be copied."""
    body = "".join(f"<p>{inline(paragraph)}</p>" for paragraph in paragraphs) + shell(commands or [])
    text = "\n".join([title, *paragraphs, *(f"    {command}" for command in commands or [])])
    return Html(f'<div class="admonition {kind}"><p class="admonition-title">{escape(title)}</p>{body}</div>', text)


def shell(commands: list[str]) -> str:
    """HTML of commands to type, one a line; nothing for none."""
    if not commands:
        return ""
    lines = escape("\n".join(commands))
    return f'<div class="highlight-shell notranslate"><div class="highlight"><pre>{lines}\n</pre></div></div>'
