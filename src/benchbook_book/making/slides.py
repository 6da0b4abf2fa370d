"""Decks of slides from rendered chapters: the sentences that a chapter names, its figures and tables, its questions.

A chapter names its sentences in its front matter, by the words with which they begin:

    slides:
      - The first goes to
      - Ask of any p-value

A deck is made from the rendered page, so that numbers, references and formulas are those of the book. What is shown:
these sentences, figures, tables, displayed formulas, what is to be predicted, and code of cells tagged ``slide``; cells
tagged ``no-slide`` are left out. All other prose becomes the speaker's notes of the slide before it. A section that
names nothing shows its first sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

import yaml  # type: ignore[import-untyped]
from bs4 import BeautifulSoup, Tag

from benchbook.errors import BenchbookError

_LEFT_OUT = ("Exercises", "What was reproduced")
_MOST_WORDS = 80
_BESIDE = 35
_FORMULA = 25  # a displayed formula takes the room of so many words
_FRONT = re.compile(r"\A---\n(.*?)^---$", re.MULTILINE | re.DOTALL)
_SPACES = re.compile(r"\s+")
_STAND_IN = re.compile(r"\0(\d+)\0")
_LAST = re.compile(r"\0(\d+)\0$")


@dataclass
class Slide:
    """One slide: its heading, what is shown (HTML), the speaker's notes (HTML), and how many words its sentences have.

    ``full`` is a slide with a chart, a table or code on it, ``asks`` one that asks for a prediction.
    """

    heading: str
    shown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    said: int = 0
    full: bool = False
    asks: bool = False

    def takes(self, sentences: Sequence[str]) -> bool:
        """Whether there is room for these: nothing stands beside a question, and little below a chart or a table."""
        return not self.asks and self.said + len(_words(sentences)) <= (
            _BESIDE if self.full else _MOST_WORDS
        )


def _words(html: Sequence[str]) -> list[str]:
    return re.sub(r"<[^>]*>", " ", " ".join(html)).split()


def named_sentences(source: str) -> list[str]:
    """The beginnings of the sentences that a chapter names in its front matter."""
    front = _FRONT.match(source)
    return (
        [str(words) for words in (yaml.safe_load(front[1]) or {}).get("slides", ())]
        if front
        else []
    )


def slides(page: str, named: Sequence[str] = (), name: str = "the page") -> list[Slide]:
    """The slides of a chapter.

    Args:
        page: the rendered page, HTML.
        named: with which words the sentences begin that are to be shown.
        name: of the chapter, for what is raised.

    Raises:
        BenchbookError: the page has no chapter in it, or sentences are named that it does not have.
    """
    top = BeautifulSoup(page, "html.parser").select_one("article section")
    if top is None or top.find("h1") is None:
        raise BenchbookError(
            f"{name} is no rendered chapter: it has no title inside an article; "
            "`make book` renders it"
        )
    _tidy(top)
    wanted = _Wanted(named)
    made = [_title(top)]
    for part in top.find_all("section", recursive=False):
        if (heading := _heading(part)) not in _LEFT_OUT:
            made += _of_section(part, heading, wanted)
    if missing := wanted.missing():
        raise BenchbookError(
            f"{name} names sentences for its slides that it does not have: "
            f"{'; '.join(missing)}. Mend `slides:` in the front matter of the chapter, or, if it was "
            "changed after the book was built, run `make book`"
        )
    return made


class _Wanted:
    """The sentences that are to be shown, and which of them have been met."""

    def __init__(self, named: Sequence[str]) -> None:
        self._open = {_plain(words): words for words in named}

    def take(self, sentence: str) -> bool:
        """Whether a sentence is wanted."""
        text = _plain(BeautifulSoup(sentence, "html.parser").get_text())
        matching = [words for words in self._open if text.startswith(words)]
        for words in matching:
            del self._open[words]
        return bool(matching)

    def missing(self) -> list[str]:
        """What was not met."""
        return [f"“{words}”" for words in self._open.values()]


def _plain(text: str) -> str:
    text = _SPACES.sub(" ", text).strip().lower()
    for odd, usual in (("’", "'"), ("‘", "'"), ("“", '"'), ("”", '"'), ("*", ""), ("`", "")):
        text = text.replace(odd, usual)
    return text


def _tidy(top: Tag) -> None:
    """Take away what a slide has no use for; links lead nowhere, so their words alone stay."""
    for gone in top.select(
        "a.headerlink, p.bb-terms, button, details, div.solution, .tag_no-slide, "
        ".section-number, .caption-number, span.eqno, script:not([type='application/json'])"
    ):
        gone.decompose()
    for link in top.find_all("a"):
        link.unwrap()
    for marked in top.find_all(id=True):
        if not marked.find_parent("svg") and marked.name != "svg":
            del marked["id"]


def _heading(part: Tag) -> str:
    heading = part.find(re.compile("^h[1-6]$"))
    return heading.decode_contents().strip() if isinstance(heading, Tag) else ""


def _title(top: Tag) -> Slide:
    paragraphs = [
        child for child in top.find_all("p", recursive=False) if child.get_text(strip=True)
    ]
    first = _sentences(paragraphs[0].decode_contents())[0] if paragraphs else ""
    return Slide(
        _heading(top),
        [f"<p>{first}</p>"] if first else [],
        [str(paragraph) for paragraph in paragraphs],
    )


def _of_section(part: Tag, heading: str, wanted: _Wanted) -> list[Slide]:
    made = [Slide(heading)]
    for block in _blocks(part):
        _place(block, made, wanted, everything=heading.startswith("Take"))
    made = [item for item in made if item.shown or item.notes]
    if made and not any(item.shown for item in made):
        first = next(
            iter(BeautifulSoup(made[0].notes[0], "html.parser").find_all(["p", "li"])), None
        )
        if first is not None:
            made[0].shown.append(f"<p>{_sentences(first.decode_contents())[0]}</p>")
    return _joined(made)


def _joined(made: list[Slide]) -> list[Slide]:
    """A slide that shows nothing is no slide: its notes go to the one before, or after it."""
    retained: list[Slide] = []
    waiting: list[str] = []
    for item in made:
        if item.shown:
            item.notes[:0], waiting = waiting, []
            retained.append(item)
        elif retained:
            retained[-1].notes += item.notes
        else:
            waiting += item.notes
    return retained


def _blocks(part: Tag) -> Iterator[Tag]:
    """The blocks of a section in order, those of its subsections too."""
    for child in part.find_all(True, recursive=False):
        if child.name == "section":
            yield from _blocks(child)
        elif not re.match("h[1-6]$", child.name) and not (
            child.name == "span" and not child.get_text(strip=True)
        ):
            yield child


def _text(block: Tag) -> str | None:
    """The HTML of a block of prose, None for others."""
    return block.decode() if block.name in ("p", "ol", "ul", "dl", "blockquote") else None


def _place(block: Tag, made: list[Slide], wanted: _Wanted, everything: bool) -> None:
    """Put a block on the last slide or a new one, or into its notes."""
    heading, prose = made[-1].heading, _text(block)
    if prose is not None:
        parts = _shown_sentences(block, wanted, everything)
        question = block.find("strong", string=re.compile("^Predict before")) is not None
        if parts and made[-1].shown and (question or not made[-1].takes(parts)):
            made.append(Slide(heading))
        made[-1].said += len(_words(parts))
        made[-1].shown += (
            [part.replace("<p>", '<p class="fragment">') for part in parts]
            if made[-1].full
            else parts
        )
        made[-1].asks |= question
        if not (question or everything):
            made[-1].notes.append(prose)
    elif "math" in (block.get("class") or ()):
        if made[-1].full or made[-1].asks:
            made.append(Slide(heading))
        made[-1].said += _FORMULA
        made[-1].shown.append(str(block))
    elif "cell" in (block.get("class") or ()):
        _place_cell(block, made)
    elif block.find(["table", "figure"]) or block.name in ("table", "figure"):
        _begin(made).shown.append(str(block))
    elif block.get_text(strip=True):
        made[-1].notes.append(str(block))


def _begin(made: list[Slide]) -> Slide:
    """A slide for something large: the last one if it has sentences at most, few of them."""
    if made[-1].full or made[-1].asks or made[-1].said > _BESIDE:
        made.append(Slide(made[-1].heading))
    made[-1].full = True
    return made[-1]


def _place_cell(cell: Tag, made: list[Slide]) -> None:
    code, outputs = cell.select_one(".cell_input"), cell.select_one(".cell_output")
    if code is not None and "tag_slide" in (cell.get("class") or ()):
        _begin(made).shown.append(str(code))
    for output in outputs.find_all(True, recursive=False) if outputs is not None else ():
        if output.select_one(".vega-chart, table"):
            slide = _begin(made)
            for caption in output.select("figcaption"):
                slide.notes.append(f"<p>{caption.get_text(' ', strip=True)}</p>")
                caption.decompose()
            slide.shown.append(str(output))
        elif "tag_slide" in (cell.get("class") or ()):
            made[-1].shown.append(str(output))


def _shown_sentences(block: Tag, wanted: _Wanted, everything: bool) -> list[str]:
    """The sentences of a block that are to be shown, each a paragraph."""
    if block.find("strong", string=re.compile("^Predict before")):
        for sentence in _sentences(block.decode_contents()):
            wanted.take(sentence)
        return [f'<p class="question">{block.decode_contents()}</p>']
    parts = [item for item in block.find_all("li")] or [block]
    sentences = [sentence for part in parts for sentence in _sentences(part.decode_contents())]
    return [f"<p>{sentence}</p>" for sentence in sentences if wanted.take(sentence) or everything]


def _sentences(html: str) -> list[str]:
    """The sentences of a paragraph, with their markup whole."""
    soup = BeautifulSoup(html, "html.parser")
    retained = soup.find_all(True, recursive=False)
    for number, tag in enumerate(retained):
        tag.replace_with(f"\0{number}\0")
    text, parts = _SPACES.sub(" ", str(soup)).strip(), [""]
    for piece in re.split(r" (?=[“‘(A-Z\d\0])", text):
        parts[-1] = f"{parts[-1]} {piece}".strip()
        last = _LAST.search(piece)
        if (retained[int(last[1])].get_text() if last else piece)[-1:] in (".", "!", "?"):
            parts.append("")
    return [
        _STAND_IN.sub(lambda found: str(retained[int(found[1])]), part) for part in parts if part
    ]


def deck(page: str, named: Sequence[str] = (), name: str = "deck") -> str:
    """A deck as an HTML page for reveal.js; what it loads lies in ``assets`` one folder up from the deck's own.

    Args:
        page: the rendered chapter.
        named: as in ``slides``.
        name: of the chapter, such as ``delve/planning``.

    Raises:
        BenchbookError: as ``slides``.
    """
    made = slides(page, named, name)
    up = "../" * name.count("/")
    sections = "\n".join(_section(item, first=not index) for index, item in enumerate(made))
    title = escape(BeautifulSoup(made[0].heading, "html.parser").get_text())
    vega = sorted(set(re.findall(r"vega-bundle-[\w.-]+?\.js", page)))
    files = [*vega, *(["charts.js"] if vega else [])]
    charts = "".join(f'<script defer src="{up}assets/{file}"></script>\n' for file in files)
    return _PAGE.format(title=title, up=up, sections=sections, charts=charts)


def _section(one: Slide, first: bool) -> str:
    level = "h1" if first else "h2"
    notes = f'<aside class="notes">{"".join(one.notes)}</aside>' if one.notes else ""
    kind = " first" if first else " large" if one.full else ""
    shown = "".join(one.shown)
    return f'<section class="bd-article{kind}"><{level}>{one.heading}</{level}>{shown}{notes}</section>'


_PAGE = """<!DOCTYPE html>
<html lang="en" data-theme="light" data-mode="light">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="{up}assets/favicon.svg">
<link rel="stylesheet" href="{up}assets/reveal.css">
<link rel="stylesheet" href="{up}assets/pygments.css">
<link rel="stylesheet" href="{up}assets/charts.css">
<link rel="stylesheet" href="{up}assets/slides.css">
</head>
<body>
<div class="reveal"><div class="slides">
{sections}
</div></div>
<script>window.MathJax = {{"options": {{"processHtmlClass": "math"}}}};</script>
<script defer src="{up}assets/tex-svg-full.js"></script>
<script src="{up}assets/reveal.js"></script>
<script src="{up}assets/notes.js"></script>
{charts}<script src="{up}assets/slides.js"></script>
</body>
</html>
"""
