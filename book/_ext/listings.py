"""Directives for the pages that list what the project has: run pages, data sets, the library."""

import json
import re
from ast import literal_eval
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import polars as pl
from api import Api
from docutils import nodes
from maps import entry
from sphinx.util.docutils import SphinxDirective

from benchbook.show.notebook import RESULT
from benchbook.words import listed as join_words
from benchbook_book.making import inputs

_MIB = 2**20
_ATTRIBUTES = 8
"""How many attributes a card shows; its file has all."""
PAGES = {
    "delve": "kin-* pumadyn-* bank-* abalone adult boston boston-price census-house comp-activ* image-seg "
    "letter titanic",
    "proben1": "proben1-* sklearn-* shootout-* uci-cancer uci-card uci-diabetes uci-flare uci-gene uci-glass "
    "uci-heart* uci-horse uci-mushroom uci-soybean uci-thyroid uci-wine",
    "challenge": "catalysis-* gatineau-* gaze-* outaouais-* stereopsis-*",
    "others": "*",
}
"""Pages of ``book/reference/data`` and the names of their datasets; a dataset is on the first that names it."""


class RunPages(SphinxDirective):
    """``{run-pages} task``: the runs of these templates, with picture and link where the page has been executed."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        from benchbook_book.making.manifest import read

        root = Path(self.env.srcdir)
        self.env.dependencies[self.env.docname].update(
            inputs.shown_by_directives(Path(self.env.srcdir))
        )
        runs = [
            run
            for run in read(root / "book" / "runs" / "runs.toml")
            if run.template in self.arguments[0].split()
        ]
        if not runs:
            raise self.error(f"there are no runs of {self.arguments[0]}")
        executed = [run for run in runs if (root / run.page).is_file()]
        listed = nodes.container(classes=["bb-map"])
        listed.extend(self._entry(root, run) for run in executed)
        others = [self._other(run) for run in runs if run not in executed]
        return [*([listed] if executed else []), *([_definitions(others)] if others else [])]

    def _entry(self, root: Path, run: Any) -> nodes.Node:
        """A page that was executed: what it shows, and what came out."""
        self.env.note_dependency(run.page.as_posix())
        about: list[nodes.Node] = [nodes.Text(run.shows)]
        if result := result_of(root / run.page):
            words = (
                nodes.literal(text=piece[1:-1]) if piece.startswith("`") else nodes.Text(piece)
                for piece in re.split(r"(`[^`]+`)", result)
                if piece
            )
            about += [nodes.Text(" "), nodes.inline("", "", *words, classes=["bb-outcome"])]
        return entry(self.env, run.page.with_suffix("").as_posix(), about, run.title)

    def _other(self, run: Any) -> tuple[list[nodes.Node], list[nodes.Node]]:
        """A page that was not executed: how to have it."""
        command = nodes.literal(text=f"benchbook book run {run.slug}")
        how = nodes.paragraph(
            "",
            "",
            nodes.Text("Not executed in this build. To have it: "),
            command,
            nodes.Text(f", or build with the profile {run.profile}."),
        )
        return [nodes.Text(run.title)], [nodes.paragraph("", run.shows), how]


def result_of(page: Path) -> str:
    """The sentence that an executed page has kept as its result (``show.result``); empty when it has none."""
    for cell in json.loads(page.read_text(encoding="utf8"))["cells"]:
        for output in cell.get("outputs", ()):
            if output.get("metadata", {}).get("scrapbook", {}).get("name") == RESULT:
                [text] = [
                    data for kind, data in output["data"].items() if kind.endswith("text/plain")
                ]
                return str(literal_eval("".join(text)))
    return ""


class DatasetCards(SphinxDirective):
    """``{dataset-cards} kin``: the cards of a page's datasets.

    Datasets that differ in nothing but the order of their cases share a card.
    """

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        self.env.dependencies[self.env.docname].update(
            inputs.shown_by_directives(Path(self.env.srcdir))
        )
        families, self.before = _families(self), dict[str, Any]()
        common = _common([group for groups in families.values() for group in groups])
        sections = [
            section
            for family, groups in families.items()
            for section in self._family(family, groups, common)
        ]
        return [*sections, *_stated_once(common)]

    def _family(
        self, family: str, groups: list[list[Any]], common: dict[str, int]
    ) -> list[nodes.section]:
        cards = [self._card(group, common) for group in groups]
        if len(cards) == 1:
            return cards
        section = nodes.section(
            "", nodes.title(text=f"The {family} datasets"), ids=[nodes.make_id(f"family-{family}")]
        )
        section.extend(cards)
        self.state.document.note_explicit_target(section)
        return [section]

    def _card(self, group: list[Any], common: dict[str, int]) -> nodes.section:
        card = group[0]
        section = nodes.section(
            "", nodes.title(text=_names(group)), ids=[_anchor(one) for one in group]
        )
        section += nodes.paragraph(
            "", "", nodes.strong(text=f"{_title(card)}. "), nodes.Text(card.description)
        )
        remarks = _remarks(group)
        numbers = sorted(common[text] for text in remarks if text in common)
        section += _fields(_facts(group))
        section.extend(
            nodes.paragraph("", "", *_linked(text)) for text in remarks if text not in common
        )
        if numbers:
            section += _see_shared(numbers)
        section += _attributes(card, self.before)
        self.state.document.note_explicit_target(section)
        return section


class DatasetIndex(SphinxDirective):
    """``{dataset-index} kin``: a line for each card of a page, with a link to it; where it stands has the card's
    anchor."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env.dependencies[self.env.docname].update(
            inputs.shown_by_directives(Path(self.env.srcdir))
        )
        page = self.arguments[0]
        groups = [group for groups in _families(self).values() for group in groups]
        return [_overview(groups, f"{self.env.docname.rpartition('/')[2]}/{page}.html")]


def _families(directive: SphinxDirective) -> dict[str, list[list[Any]]]:
    """The cards of the page that a directive names, by family."""
    from benchbook import datasets

    page = directive.arguments[0]
    if page not in PAGES:
        raise directive.error(
            f"there is no page {page!r} of datasets; there are {', '.join(PAGES)}"
        )
    families: dict[str, list[list[Any]]] = {}
    for group in _grouped(
        [datasets.card(name) for name in datasets.published() if page_of(name) == page]
    ):
        families.setdefault(group[0].family or group[0].name, []).append(group)
    return families


def page_of(name: str) -> str:
    """The page of ``PAGES`` that has a dataset's card."""
    return next(
        page
        for page, patterns in PAGES.items()
        if any(fnmatchcase(name, pattern) for pattern in patterns.split())
    )


def _anchor(card: Any) -> str:
    return str(nodes.make_id(f"data-{card.name}"))


def _title(card: Any) -> str:
    return re.sub(r", permutation \d+$", "", card.title)


def _names(group: list[Any]) -> str:
    return ", ".join(card.name for card in group)


def _grouped(cards: list[Any]) -> list[list[Any]]:
    """The cards, those together that say the same of all but the order of their cases."""
    groups: dict[str, list[Any]] = {}
    for card in cards:
        same = {
            key: value
            for key, value in card.describe().items()
            if key not in ("name", "title", "files", "row_order")
        }
        groups.setdefault(repr([_title(card), same]), []).append(card)
    return list(groups.values())


def _overview(groups: list[list[Any]], page: str) -> nodes.table:
    """One line a card, with a link to it on a page."""
    from benchbook import datasets

    lines = []
    for group in groups:
        links = [
            piece
            for card in group
            for piece in (
                nodes.Text(", "),
                nodes.reference(
                    "",
                    card.name,
                    refuri=f"{page}#{_anchor(card)}",
                    internal=True,
                    ids=[_anchor(card)],
                ),
            )
        ][1:]
        available = "yes" if all(datasets.at_hand(card.name) for card in group) else "no"
        here = "made here" if group[0].simulated_here else available
        shape = group[0].shape
        lines.append(
            (
                links,
                _title(group[0]),
                f"{shape.cases:,}",
                str(shape.attributes),
                group[0].usage,
                here,
            )
        )
    return _table(
        ("name", "title", "cases", "attributes", "usage", "available"), lines, numbers=(2, 3)
    )


def _facts(group: list[Any]) -> list[tuple[str, str]]:
    """Name and text of what the cards of a group say in a few words."""
    card, files = group[0], [file for one in group for file in one.files]
    size = sum(file.bytes for file in files) / _MIB
    return [
        ("Cases", f"{card.shape.cases:,}, with {card.shape.attributes} attributes"),
        ("Target", ", ".join(card.targets)),
        ("Origin", f"{card.origin}; {card.usage} data (graded by {card.usage_from})"),
        *([("Files", f"{len(files)}, {size:.2f} MiB")] if files else []),
    ]


def _remarks(group: list[Any]) -> list[str]:
    """What the cards of a group say in sentences: whence the data is, and what to know about it."""
    card = group[0]
    orders: dict[str, list[str]] = {}
    for one in group:
        orders.setdefault(one.row_order, []).append(one.name)
    remarks = [
        f"{heading}: {text}"
        for heading, text in (
            ("Source", card.source),
            ("Citation", card.citation),
            ("Licence", card.licence),
            *((_order_of(names, group), text) for text, names in orders.items()),
        )
        if text
    ]
    return [*remarks, *card.notes]


def _order_of(names: list[str], group: list[Any]) -> str:
    of = f" of {join_words(names)}" if len(names) < len(group) else ""
    return f"Order of cases{of}"


def _common(groups: list[list[Any]]) -> dict[str, int]:
    """Numbers of the sentences that several cards of a page share, in the order in which they come."""
    counts = Counter(text for group in groups for text in _remarks(group))
    return {
        text: number
        for number, text in enumerate((text for text, times in counts.items() if times > 1), 1)
    }


def _stated_once(common: dict[str, int]) -> list[nodes.Node]:
    """The section of what several cards share, which a card names by numbers."""
    if not common:
        return []
    items = [
        nodes.list_item("", nodes.paragraph("", "", *_linked(text)), ids=[f"shared-{number}"])
        for text, number in common.items()
    ]
    title = nodes.title(text="What several cards share")
    listed = nodes.enumerated_list("", *items, enumtype="arabic", prefix="", suffix=".")
    return [nodes.section("", title, listed, ids=["shared"])]


def _see_shared(numbers: list[int]) -> nodes.paragraph:
    """Links from a card to what it shares with others."""
    links = [
        piece
        for number in numbers
        for piece in (
            nodes.Text(", "),
            nodes.reference("", str(number), refid=f"shared-{number}", internal=True),
        )
    ]
    return nodes.paragraph("", "", nodes.Text("Shared statements: "), *links[1:], nodes.Text("."))


def _attributes(card: Any, before: dict[str, Any]) -> nodes.Node:
    """The attributes, folded: the first of them, and all as a file, some data sets have a thousand; or a link to the
    card ``before`` this one that has the same."""
    from benchbook.datasets import format_range
    from benchbook.show.downloads import link_to

    rows = [
        {
            "": str(item.index),
            "attribute": item.name,
            "nature": item.nature,
            "range": format_range(item.range),
            "meaning": " ".join(
                filter(None, (item.comment, f"[{item.unit}]" if item.unit else ""))
            ),
        }
        for item in card.attributes
    ]
    same = before.setdefault(repr(rows), card)
    if same is not card:
        link = nodes.reference("", same.name, refid=_anchor(same), internal=True)
        return nodes.paragraph(
            "", "", nodes.Text("The attributes are those of "), link, nodes.Text(".")
        )
    part = "" if len(rows) <= _ATTRIBUTES else f", the first {_ATTRIBUTES} of them"
    fold = nodes.container()
    fold += nodes.raw(
        "",
        f"<details class='bb-fold'><summary>The {len(rows)} attributes{part}</summary>",
        format="html",
    )
    fold += _table(
        tuple(rows[0]),
        [
            (*tuple(row.values())[:3], _cut(row["range"]), row["meaning"])
            for row in rows[:_ATTRIBUTES]
        ],
    )
    if part:
        link = link_to(f"{card.name}-attributes", f"All {len(rows)} as CSV", pl.DataFrame(rows))
        fold += nodes.raw("", f'<p class="bb-note">{link}</p>', format="html")
    fold += nodes.raw("", "</details>", format="html")
    return fold


def _cut(text: str, longest: int = 60) -> str:
    if len(text) <= longest:
        return text
    end = max(text.rfind(" ", 0, longest), text.rfind(",", 0, longest))
    return f"{text[: end if end > 0 else longest].rstrip(' ,')} ..."


def _table(
    headings: tuple[str, ...], rows: Sequence[Sequence[Any]], numbers: tuple[int, ...] = ()
) -> nodes.table:
    """A table of texts and of lists of nodes; ``numbers`` are the columns to set flush right."""

    def entry(place: int, cell: Any) -> nodes.entry:
        inner = cell if isinstance(cell, list) else [nodes.Text(cell)]
        return nodes.entry(
            "", nodes.paragraph("", "", *inner), classes=["num"] if place in numbers else []
        )

    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in headings), cols=len(headings))
    for kind, lines in ((nodes.thead, [headings]), (nodes.tbody, rows)):
        group += kind(
            "",
            *(nodes.row("", *(entry(*numbered) for numbered in enumerate(line))) for line in lines),
        )
    return nodes.table("", group)


def _fields(facts: list[tuple[str, str]]) -> nodes.field_list:
    return nodes.field_list(
        "",
        *(
            nodes.field(
                "",
                nodes.field_name(text=name),
                nodes.field_body("", nodes.paragraph("", "", *_linked(text))),
            )
            for name, text in facts
        ),
        classes=["bb-facts"],
    )


def _linked(text: str) -> list[nodes.Node]:
    """The text, its addresses made links."""
    words: list[nodes.Node] = []
    for place, word in enumerate(text.split(" ")):
        space = " " if place else ""
        if word.startswith(("http://", "https://")):
            bare = word.rstrip(".,;)")
            words += [
                nodes.Text(space),
                nodes.reference("", bare, refuri=bare),
                nodes.Text(word[len(bare) :]),
            ]
        else:
            words.append(nodes.Text(space + word))
    return words


def _definitions(entries: list[tuple[list[nodes.Node], list[nodes.Node]]]) -> nodes.definition_list:
    items = [
        nodes.definition_list_item("", nodes.term("", "", *term), nodes.definition("", *about))
        for term, about in entries
    ]
    return nodes.definition_list("", *items)


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("run-pages", RunPages)
    app.add_directive("dataset-cards", DatasetCards)
    app.add_directive("dataset-index", DatasetIndex)
    app.add_directive("api", Api)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
