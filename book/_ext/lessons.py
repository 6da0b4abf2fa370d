"""Lesson plans take from the chapters what can be taken: minutes for each section, and what is to be predicted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class _FromChapters(SphinxDirective):
    """A directive whose lines name chapters, such as ``delve/planning``; the page is read again when they change."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes("\n".join(self.lines()))  # type: ignore[no-any-return]

    def chapters(self) -> Iterator[tuple[str, str]]:
        """The name of each chapter, and its text."""
        for name in filter(None, map(str.strip, self.content)):
            path = Path(self.env.srcdir) / "book" / f"{name}.md"
            if not path.is_file():
                raise self.error(
                    f"there is no chapter {name!r}; name one as it lies under book/, without its suffix"
                )
            self.env.note_dependency(str(path))
            yield name, path.read_text(encoding="utf8")

    def lines(self) -> Iterator[str]:
        """The Markdown that stands in place of the directive."""
        raise NotImplementedError


class Minutes(_FromChapters):
    """``{lesson-minutes}``: a table of the sections of the chapters, with minutes for each."""

    def lines(self) -> Iterator[str]:
        from benchbook_book.making.lessons import sections

        yield from ("| chapter | section | minutes |", "|---|---|--:|")
        total = 0
        for name, text in self.chapters():
            link = f"{{doc}}`/book/{name}`"
            for each in sections(text):
                total += each.minutes
                yield f"| {link} | {_to(name, each.title)} | {each.minutes} |"
                link = ""
        yield f"| all | | **{total}** |"


class Predictions(_FromChapters):
    """``{lesson-predictions}``: what the chapters ask to predict, with the section in which they do."""

    def lines(self) -> Iterator[str]:
        from benchbook_book.making.lessons import sections

        for name, text in self.chapters():
            for each in sections(text):
                yield from (f"* {_to(name, each.title)}: {said}" for said in each.predictions)


def _to(name: str, title: str) -> str:
    from mdit_py_plugins.anchors.index import slugify

    return f"[{title}](/book/{name}.md#{slugify(title)})"


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("lesson-minutes", Minutes)
    app.add_directive("lesson-predictions", Predictions)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
