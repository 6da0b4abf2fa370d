"""How much of its computation each chapter shows: the measures of a literate program, printed for every chapter."""

import ast
import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import jupytext
import pytest

BOOK = Path(__file__).resolve().parents[2] / "book"
PARTS = ("delve", "proben1", "uncertainty", "predictive-densities", "synthesis", "today")
UNSEEN, LINES = 0.35, 40


def chapters() -> list[Path]:
    """The pages of all parts but the doors, which have a figure, three findings and no code."""
    found = [path for part in PARTS for path in sorted((BOOK / part).glob("*.md"))]
    return [path for path in found if path.name != "index.md"]


@dataclass
class Shown:
    """The cells of a page outside solutions, by whether their code can be seen, and the lines that are always seen."""

    name: str
    visible: int = 0
    foldable: int = 0
    unseen: int = 0
    lines: int = 0

    @property
    def cells(self) -> int:
        return self.visible + self.foldable + self.unseen


def cells(path: Path) -> Iterator:
    """The code cells of a page outside solutions."""
    within = False
    for cell in jupytext.read(path).cells:
        if cell.cell_type == "markdown":
            for line in cell.source.splitlines():
                within = (within or "{solution-start}" in line) and "{solution-end}" not in line
        elif not within:
            yield cell


def count(path: Path) -> Shown:
    shown = Shown(path.relative_to(BOOK).as_posix())
    for cell in cells(path):
        tags = " ".join(cell.metadata.get("tags", []))
        if "remove-" in tags:
            shown.unseen += 1
        elif "hide-" in tags:
            shown.foldable += 1
        else:
            shown.visible += 1
            shown.lines += sum(bool(line.strip()) for line in cell.source.splitlines())
    return shown


@pytest.fixture(scope="module")
def pages() -> list[Shown]:
    counted = [count(path) for path in chapters()]
    return [shown for shown in counted if shown.cells]


def test_the_book_shows_its_program(pages):
    for shown in pages:
        print(
            f"{shown.name:45} visible {shown.visible:3}  foldable {shown.foldable:3}  unseen {shown.unseen:3}  "
            f"lines {shown.lines:4}"
        )
    cells = sum(shown.cells for shown in pages)
    unseen = sum(shown.unseen for shown in pages) / cells
    lines = statistics.median(shown.lines for shown in pages)
    print(f"of {cells} cells {unseen:.0%} cannot be seen; a chapter shows {lines:g} lines")
    assert unseen <= UNSEEN
    assert lines >= LINES


def test_every_chapter_shows_its_program(pages):
    short = [
        (shown.name, shown.unseen, shown.cells, shown.lines)
        for shown in pages
        if shown.unseen > UNSEEN * shown.cells or shown.lines < LINES
    ]
    assert short == []


def test_no_figure_hides_the_lines_that_drew_it():
    hidden = [
        f"{path.relative_to(BOOK)}: {cell.metadata['mystnb']['figure'].get('name')}"
        for path in chapters()
        for cell in cells(path)
        if "figure" in cell.metadata.get("mystnb", {})
        and "remove-input" in cell.metadata.get("tags", [])
    ]
    assert hidden == []


# Found by name in a registry, so that an import tells nothing of their use.
REGISTRIES = (
    "benchbook.methods.",
    "benchbook.losses.",
    "benchbook.datasets.families.",
    "benchbook.kernels.",
    # Public statistics, which a reader's own study imports too.
    "benchbook.assess.planning",
    "benchbook.assess.simulations",
)
MODULES_ALONE = 0
PROSE = 0


def modules() -> dict[str, Path]:
    """The files of the package by the names they are imported by."""
    source = BOOK.parent / "src"
    return {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path
        for path in source.glob("benchbook*/**/*.py")
    }


def imported(
    tree: ast.AST, known: dict[str, Path], words: dict[tuple[str, str], str]
) -> Iterator[str]:
    """The modules of the package that a piece of code takes something from, by import or as ``room.word``."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in known:
            yield node.module
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                names[alias.asname or alias.name] = inner if inner in known else ""
                yield inner if inner in known else words.get((node.module, alias.name), node.module)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and names.get(node.value.id)
        ):
            room = names[node.value.id]
            yield (
                f"{room}.{node.attr}"
                if f"{room}.{node.attr}" in known
                else words.get((room, node.attr), room)
            )


def trees() -> Iterator[tuple[str, ast.AST]]:
    """All code of the package and the book, with what it belongs to: a module, or a chapter with its helper."""
    for name, path in modules().items():
        if path.name != "__init__.py":
            yield f"module {name}", ast.parse(path.read_text(encoding="utf8"))
    for path in BOOK.rglob("*.py"):
        kind = {"templates": "template", "_ext": "extension"}.get(path.parent.name, "chapter")
        yield (
            f"{kind} {path.parent.name}/{path.stem.strip('_').replace('_', '-')}",
            ast.parse(path.read_text(encoding="utf8")),
        )
    for path in BOOK.rglob("*.md"):
        text = path.read_text(encoding="utf8")
        if "{code-cell}" in text:
            code = "\n".join(
                cell.source
                for cell in jupytext.reads(text, fmt="md:myst").cells
                if cell.cell_type == "code" and not re.search(r"^[%!]", cell.source, re.MULTILINE)
            )
            yield f"chapter {path.parent.name}/{path.stem}", ast.parse(code)


def users() -> dict[str, set[str]]:
    """By module of the package, who takes something from it: modules, templates of pages, chapters with helpers."""
    known, result = modules(), {}
    words = {}  # what a room offers -> the module that has it
    for name, path in known.items():
        if path.name == "__init__.py":
            words |= {
                (name, alias.asname or alias.name): node.module
                for node in ast.walk(ast.parse(path.read_text(encoding="utf8")))
                if isinstance(node, ast.ImportFrom)
                for alias in node.names
                if node.module in known
            }
    for who, tree in trees():
        for name in imported(tree, known, words):
            result.setdefault(name, set()).add(who)
    for name in words.values():
        result.setdefault(name, set()).add("room")  # a public word, for any page and any runner
    return {name: using - {f"module {name}"} for name, using in result.items()}


def alone(found: dict[str, set[str]]) -> list[str]:
    """The modules of which one chapter alone takes something."""
    return sorted(
        name
        for name, using in found.items()
        if len(using) == 1
        and next(iter(using)).startswith("chapter")
        and not name.startswith(REGISTRIES)
    )


def prose(text: str) -> Iterator[str]:
    """Strings of a module that are sentences of more than one line; no docstrings, errors, or HTML and CSS."""

    def within(node: ast.AST) -> Iterator[str]:
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.Raise) or (
                isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant)
            ):
                continue
            if isinstance(inner, ast.JoinedStr | ast.Constant):
                parts = inner.values if isinstance(inner, ast.JoinedStr) else [inner]
                words = "".join(
                    part.value if isinstance(part, ast.Constant) else "x"
                    for part in parts
                    if not isinstance(part, ast.Constant) or isinstance(part.value, str)
                )
                if (
                    inner.end_lineno > inner.lineno
                    and len(re.findall(r"[A-Za-z]{2,}", words)) > 12
                    and (words.lstrip()[:1] not in "<:{")
                    and "font:" not in words
                ):
                    yield words
            else:
                yield from within(inner)

    yield from within(ast.parse(text))


def test_the_measures_of_the_whole_book(pages, capsys):
    """One look at all of them: what is seen, how much, what the package has for one page, and prose in it."""
    cells = sum(shown.cells for shown in pages)
    single = alone(users())
    sentences = [
        (name, words)
        for name, path in modules().items()
        if name.split(".")[1:2] in (["show"], ["charts"])
        for words in prose(path.read_text(encoding="utf8"))
    ]
    with capsys.disabled():
        print(
            f"\nalways visible {sum(shown.visible for shown in pages) / cells:.0%}, "
            f"to unfold {sum(shown.foldable for shown in pages) / cells:.0%}, "
            f"unseen {sum(shown.unseen for shown in pages) / cells:.0%} of {cells} cells; at most "
            f"{max(shown.unseen / shown.cells for shown in pages):.0%} unseen in a chapter; lines shown: median "
            f"{statistics.median(shown.lines for shown in pages):g}, least {min(shown.lines for shown in pages)}; "
            f"modules for one page: {len(single)}; prose of more than a line in show and charts: {len(sentences)}"
        )
    assert len(single) <= MODULES_ALONE, single
    assert len(sentences) <= PROSE, sentences


def test_the_measures_see_what_they_count():
    known = {"benchbook.a": Path("__init__.py"), "benchbook.a.b": Path(), "benchbook.a.c": Path()}
    words = {("benchbook.a", "word"): "benchbook.a.c"}
    tree = ast.parse("from benchbook import a as x\nfrom benchbook.a import b, word\nb.thing")
    assert set(imported(tree, {**known, "benchbook": Path()}, words)) == {
        "benchbook",
        "benchbook.a",
        "benchbook.a.b",
        "benchbook.a.c",
    }
    assert alone(
        {
            "benchbook.a.b": {"chapter p/q"},
            "benchbook.a.c": {"chapter p/q", "room"},
            "benchbook.losses.d": {"chapter p/q"},
            "benchbook.e": {"template t"},
        }
    ) == ["benchbook.a.b"]
    text = "these are the words of a sentence that a page would say and it has many more words"
    assert list(prose(f'def f():\n    return ("{text} "\n            "and more")')) == [
        f"{text} and more"
    ]
    assert (
        list(
            prose(
                f'"""{text}\n{text}"""\nraise ValueError("{text} "\n    "and more")\nx = "{text}"'
            )
        )
        == []
    )
