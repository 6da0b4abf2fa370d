"""Prose of a chapter as plain Markdown, which every notebook shows: the book's roles, labels and boxes are resolved."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

_ROLE = re.compile(r"(?<!`)\{([a-z:]+)\}`([^`]+)`")
_AIMED = re.compile(r"(.*?)\s*<([^<>]+)>", re.DOTALL)
_LABEL = re.compile(r"^\(([\w-]+)\)=[ ]*\n", re.MULTILINE)
_LABELLED = re.compile(r"^\(([\w-]+)\)=[ ]*\n+#+ (.+)$", re.MULTILINE)
_EQUATION = re.compile(r"^(\$\$)[ ]*\(([\w-]+)\)[ ]*$", re.MULTILINE)
_BOX = re.compile(
    r"^(`{3,})\{(exercise|admonition|note|tip|warning|important)\}([^\n]*)\n"
    r"((?::\w+:[^\n]*\n)*)\n*(.*?)^\1[ ]*$",
    re.MULTILINE | re.DOTALL,
)
_INCLUDED = re.compile(r"^(`{3,})\{literalinclude\} (\S+)\n(.*?)^\1[ ]*$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_GLUED = "application/papermill.record/text/plain"


class Book:
    """What the chapters of a book may refer to: one another's titles, labelled headings, and works.

    Args:
        root: the checkout.
    """

    def __init__(self, root: Path) -> None:
        self.folder = root / "book"
        self._headings: dict[Path, dict[str, str]] = {}

    def heading(self, label: str, source: Path) -> str | None:
        """The heading with that label, looked for in the part of the page that names it first; None when there is none.

        Pages are read until one has it, and no further: who made something of a page depends on what was read for it.
        """
        for path in sorted(
            self.folder.rglob("*.md"), key=lambda path: (path.parent != source.parent, path)
        ):
            if path not in self._headings:
                self._headings[path] = dict(_LABELLED.findall(path.read_text(encoding="utf-8")))
            if label in self._headings[path]:
                return self._headings[path][label]
        return None

    def title(self, name: str, source: Path) -> str:
        """The title of the page that another names, from the root or from its own folder."""
        path = self.folder.parent / name[1:] if name.startswith("/") else source.parent / name
        path = path.with_name(f"{path.name}.md")
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        return match[1].strip() if (match := _TITLE.search(text)) else name

    @cached_property
    def _works(self) -> Any:
        from pybtex.database import parse_file

        return parse_file(str(self.folder / "references.bib")).entries

    def work(self, key: str, brackets: bool) -> str:
        """A work by the names of its authors and its year."""
        entry = self._works[key]
        names = [
            " ".join(map(str, [*item.rich_prelast_names, *item.rich_last_names]))
            for item in entry.persons.get("author", entry.persons.get("editor", ()))
        ]
        who = (
            names[0]
            if len(names) == 1
            else f"{names[0]} and {names[1]}"
            if len(names) == 2
            else f"{names[0]} et al."
        )
        year = entry.fields.get("year", "no year")
        return f"{who}, {year}" if brackets else f"{who} ({year})"


def glued(notebook: NotebookNode) -> dict[str, str]:
    """The values that an executed notebook names for its prose."""
    labels = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            name = output.get("metadata", {}).get("scrapbook", {}).get("name")
            if name is not None:
                labels[name] = _value(output["data"].get(_GLUED, ""))
    return labels


def _value(text: str) -> str:
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
    return value if isinstance(value, str) else text


class Prose:
    """Makes the prose of one chapter plain.

    Args:
        book: what there is to refer to.
        source: the path of the chapter.
        values: what its cells have named for its prose.
    """

    def __init__(self, book: Book, source: Path, values: Mapping[str, str]) -> None:
        self._book, self._source, self._values = book, source, values
        text = source.read_text(encoding="utf-8")
        self._equations = {
            label: count for count, (_, label) in enumerate(_EQUATION.findall(text), 1)
        }
        self._figures: dict[str, int] = {}
        self._roles: dict[str, Callable[[str, str], str]] = {
            "glue:text": lambda words, aim: self._values.get(aim, f"`{aim}`"),
            "term": lambda words, aim: f"*{words}*",
            "download": lambda words, aim: f"`{words}`",
            "doc": lambda words, aim: words if words != aim else f"*{book.title(aim, source)}*",
            "ref": lambda words, aim: (
                words if words != aim else f"*{book.heading(aim, source) or aim}*"
            ),
            "eq": lambda words, aim: (
                f"({self._equations[aim]})" if aim in self._equations else "an equation of the book"
            ),
            "numref": lambda words, aim: self._numbered(aim),
            "cite:t": lambda words, aim: "; ".join(
                book.work(key.strip(), False) for key in aim.split(",")
            ),
            "cite:p": lambda words, aim: (
                f"({'; '.join(book.work(key.strip(), True) for key in aim.split(','))})"
            ),
        }

    def number_figures(self, names: list[str]) -> None:
        """Number the figures of the chapter, in their order."""
        self._figures = {name: count for count, name in enumerate(names, 1)}

    def plain(self, text: str) -> str:
        """Plain Markdown for MyST."""
        text = _INCLUDED.sub(self._include, text)
        text = _BOX.sub(_box, text)
        text = _LABEL.sub("", text)
        text = _EQUATION.sub(r"\1", text)
        return _ROLE.sub(self._role, text).strip()

    def caption(self, name: str, text: str) -> str:
        """The line below a figure."""
        return f"**Figure {self._figures[name]}.** {self.plain(text)}"

    def _role(self, match: re.Match[str]) -> str:
        if match[1] not in self._roles:
            return match[0]
        aimed = _AIMED.fullmatch(match[2])
        return self._roles[match[1]](*(aimed.groups() if aimed else (match[2], match[2])))

    def _numbered(self, name: str) -> str:
        if name in self._figures:
            return f"Figure {self._figures[name]}"
        heading = self._book.heading(name, self._source)
        return f"*{heading}*" if heading else "a figure of the book"

    def _include(self, found: re.Match[str]) -> str:
        path = (
            self._book.folder.parent / found[2][1:]
            if found[2].startswith("/")
            else self._source.parent / found[2]
        )
        language = match[1] if (match := re.search(r":language: (\w+)", found[3])) else ""
        return f"{found[1]}{language}\n{path.read_text(encoding='utf-8').rstrip()}\n{found[1]}"


def _box(match: re.Match[str]) -> str:
    title, body = match[3].strip(), match[5].strip()
    if match[2] == "exercise":
        return f"### {title}\n\n{body}" if title else f"### Exercise\n\n{body}"
    if ":class: dropdown" in match[4]:  # folded there too: a hint is for who opens it
        return (
            f"<details><summary>{title or match[2].capitalize()}</summary>\n\n{body}\n\n</details>"
        )
    lines = [f"**{title or match[2].capitalize()}**", "", *body.splitlines()]
    return "\n".join(f"> {line}".rstrip() for line in lines)
