"""Directives for the pages that list what the project has: run pages, data sets, the library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from api import Api
from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

_ORIGINS = {
    "natural": "Natural data: measured or recorded, not made for a purpose of ours.",
    "cultivated": "Cultivated data: natural in origin, prepared by somebody for learning methods.",
    "simulated": "Simulated data: from a simulation of something real.",
    "artificial": "Artificial data: from a formula.",
}
_MIB = 2**20


class RunPages(SphinxDirective):
    """``{run-pages}``: the manifest as a list, with a link to every page that has been executed."""

    def run(self) -> list[nodes.Node]:
        from benchbook.pages.manifest import read

        root = Path(self.env.srcdir)
        self.env.note_dependency(str(root / "book" / "runs" / "runs.toml"))
        return [_definitions([self._entry(root, run) for run in read(root / "book" / "runs" / "runs.toml")])]

    def _entry(self, root: Path, run: Any) -> tuple[list[nodes.Node], list[nodes.Node]]:
        executed = (root / run.page).is_file()
        name = run.page.with_suffix("").as_posix()
        term = _page(self.env.docname, name, run.title) if executed else nodes.Text(run.title)
        about = [nodes.paragraph("", run.shows)]
        if not executed:
            command = nodes.literal(text=f"benchbook book run {run.slug}")
            about.append(nodes.paragraph("", "", nodes.Text("Not executed in this build. To have it: "), command,
                                         nodes.Text(f", or build with the profile {run.profile}.")))
        return [term], about


class DatasetCards(SphinxDirective):
    """``{dataset-cards}``: a section for every family, with the card of each of its data sets."""

    def run(self) -> list[nodes.Node]:
        from benchbook import datasets

        cards = [datasets.card(name) for name in datasets.available()]
        families: dict[str, list[Any]] = {}
        for card in cards:
            families.setdefault(card.family or card.name, []).append(card)
        found: list[nodes.Node] = []
        for family, members in sorted(families.items()):
            section = nodes.section(ids=[nodes.make_id(f"family-{family}")])
            section += nodes.title(text=family)
            section.extend(self._card(card, datasets.at_hand(card.name)) for card in members)
            self.state.document.note_explicit_target(section)
            found.append(section)
        return found

    def _card(self, card: Any, at_hand: bool) -> nodes.section:
        section = nodes.section(ids=[nodes.make_id(f"data-{card.name}")])
        section += nodes.title("", "", nodes.literal(text=card.name))
        section += nodes.paragraph("", "", nodes.strong(text=f"{card.title}. "), nodes.Text(card.description))
        section += _fields(_facts(card, at_hand))
        section.extend(nodes.paragraph("", note) for note in card.notes)
        section += _attributes(card)
        self.state.document.note_explicit_target(section)
        return section


def _facts(card: Any, at_hand: bool) -> list[tuple[str, str]]:
    """Name and text of what a card says, without what it leaves empty."""
    if card.simulated_here:
        here = "made by this project, from a seed; any number of cases"
    else:
        here = "at hand on the machine that built this book" if at_hand else "not at hand on the machine that built this book"
    size = sum(file.bytes for file in card.files)
    files = f"{len(card.files)}, {size / _MIB:.2f} MiB, with pinned addresses and sha256" if card.files else ""
    facts = [("Cases", f"{card.shape.cases:,}, with {card.shape.attributes} attributes"), ("Usually predicted", ", ".join(card.targets)),
             ("Origin", card.origin), ("Usage", f"{card.usage} (graded by {card.usage_from})" if card.usage_from else card.usage),
             ("Where", here), ("Source", card.source), ("Citation", card.citation), ("Licence", card.licence),
             ("Files", files), ("Order of cases", card.row_order)]
    return [(name, text) for name, text in facts if text]


def _attributes(card: Any) -> nodes.container:
    """The attributes, folded: some data sets have over a hundred."""
    from benchbook.datasets import format_range

    rows = [(str(item.index), item.name, item.nature, _cut(format_range(item.range)), " ".join(filter(None, (
        item.comment, f"[{item.unit}]" if item.unit else "")))) for item in card.attributes]
    fold = nodes.container(classes=["bb-fold"])
    fold += nodes.raw("", f"<details><summary>The {len(rows)} attributes</summary>", format="html")
    fold += _table(("", "attribute", "nature", "range", "meaning"), rows)
    fold += nodes.raw("", "</details>", format="html")
    return fold


def _cut(text: str, longest: int = 60) -> str:
    return text if len(text) <= longest else f"{text[:longest].rpartition(',')[0]}, ..."


def _table(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> nodes.table:
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in headings), cols=len(headings))
    for kind, lines in ((nodes.thead, [headings]), (nodes.tbody, rows)):
        group += kind("", *(nodes.row("", *(nodes.entry("", nodes.paragraph("", cell)) for cell in line)) for line in lines))
    return nodes.table("", group)


def _fields(facts: list[tuple[str, str]]) -> nodes.field_list:
    return nodes.field_list("", *(
        nodes.field("", nodes.field_name(text=name), nodes.field_body("", nodes.paragraph("", "", *_linked(text))))
        for name, text in facts), classes=["bb-facts"])


def _linked(text: str) -> list[nodes.Node]:
    """The text, its addresses made links."""
    words: list[nodes.Node] = []
    for place, word in enumerate(text.split(" ")):
        space = " " if place else ""
        if word.startswith(("http://", "https://")):
            bare = word.rstrip(".,;)")
            words += [nodes.Text(space), nodes.reference("", bare, refuri=bare), nodes.Text(word[len(bare):])]
        else:
            words.append(nodes.Text(space + word))
    return words


def _definitions(entries: list[tuple[list[nodes.Node], list[nodes.Node]]]) -> nodes.definition_list:
    return nodes.definition_list("", *(
        nodes.definition_list_item("", nodes.term("", "", *term), nodes.definition("", *about)) for term, about in entries))


def _page(here: str, there: str, title: str) -> addnodes.pending_xref:
    return addnodes.pending_xref("", nodes.inline(text=title), refdomain="std", reftype="doc", refdoc=here,
                                 reftarget=f"/{there}", refexplicit=True, refwarn=True)


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("run-pages", RunPages)
    app.add_directive("dataset-cards", DatasetCards)
    app.add_directive("api", Api)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
