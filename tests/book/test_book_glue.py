"""Numbers that a page names are said on it, what it says was named, and the pages it leads to are there."""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

import jupytext

from benchbook.bookmaking.glue_names import pattern, where

BOOK = Path(__file__).resolve().parents[2] / "book"
PAGES = [
    path for path in sorted(BOOK.rglob("*.md")) if ".ipynb_checkpoints" not in path.parts
]  # JupyterLab's copies
NAMED_BY_CODE = [
    "delve/bank",
    "delve/convergence",
    "delve/generators",
    "delve/learned",
    "delve/study",
    "delve/task-arrays",
    "predictive-densities/concrete",
    "predictive-densities/forest",
    "proben1/architectures",
    "proben1/reproduction",
    "synthesis/tested-blind",
    "today/benchmark",
    "today/calibration",
    "today/settings",
    "today/tiers",
]
"""Pages of which some names are made by f-strings or variables; none may be added."""
_LED_TO = re.compile(r"\{doc\}`(?:[^`<]*<)?([^`<>]+)>?`")
_SAID = re.compile(r"\{glue:\w*\}`([^`:]+)`")


@dataclass
class Glue:
    """The names that a page makes, literally or by a pattern, whether it makes others, and those that it says.

    Others come from variables; they stand somewhere on the page as texts or patterns of texts, or in a module beside.
    """

    names: set[str] = field(default_factory=set)
    patterns: set[str] = field(default_factory=set)
    others: bool = False
    texts: set[str] = field(default_factory=set)
    said: set[str] = field(default_factory=set)

    @property
    def unused(self) -> set[str]:
        """Names and patterns of which nothing is said."""
        return self.names - self.said | {
            item
            for item in self.patterns
            if not any(re.fullmatch(item, name) for name in self.said)
        }

    @property
    def unknown(self) -> set[str]:
        """What is said and not made, as far as the text of the page can tell."""
        known = self.patterns | (self.texts if self.others else set())
        made = {name for name in self.said if any(re.fullmatch(item, name) for item in known)}
        return self.said - self.names - made


def read(text: str, beside: str = "") -> Glue:
    """The glue of a page, with the source of the modules beside it."""
    result = Glue(
        said=set(_SAID.findall(text))
    )  # captions, which are no part of a cell's source, included
    cells = [
        cell.source
        for cell in jupytext.reads(text, fmt="md:myst").cells
        if cell.cell_type == "code"
    ]
    for source in [*cells, beside]:
        for call in ast.walk(ast.parse(source)):
            if isinstance(call, ast.Constant | ast.JoinedStr) and re.search(
                r"\w{3}|-", text := pattern(call)
            ):
                result.texts.add(text)
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "show.glue":
                name = call.args[0]
                if isinstance(name, ast.Constant):
                    result.names.add(str(name.value))
                elif isinstance(name, ast.JoinedStr):
                    result.patterns.add(pattern(name))
                else:
                    result.others = True
                    if not isinstance(name, ast.Name):
                        result.texts.add(".*")  # a name that is computed may be any
    return result


PAGE = """\
Said: {glue:text}`mean`, {glue:text}`low-1`, {glue:text}`lost`.

```{code-cell} ipython3
show.glue("mean", 1)
show.glue("idle", 1)
for k in range(2):
    show.glue(f"low-{k}", k)
    show.glue(f"high-{k}", k)
```
"""


def beside(path: Path) -> str:
    """The source of a page's own modules."""
    text = path.read_text(encoding="utf8")
    own = (
        path.with_name(f"{name}.py")
        for name in set(re.findall(r"^(?:from|import) (_\w+)", text, re.MULTILINE))
    )
    return "\n".join(module.read_text(encoding="utf8") for module in own)


def test_what_is_made_and_not_said_is_found_and_what_is_said_and_not_made():
    page = read(PAGE)
    assert page.unused == {"idle", r"high\-.*"}
    assert page.unknown == {"lost"}
    assert read(PAGE.replace('"idle"', "word")).unknown == {"lost"}
    assert read(PAGE.replace('"idle"', '{1: "lost"}[1]')).unknown == set()


def test_every_name_of_the_book_is_made_and_said():
    pages = {
        path.relative_to(BOOK).as_posix(): read(path.read_text(encoding="utf8"), beside(path))
        for path in PAGES
    }
    assert sum(len(page.names) for page in pages.values()) > 500
    assert {name: page.unused for name, page in pages.items() if page.unused} == {}
    assert {name: page.unknown for name, page in pages.items() if page.unknown} == {}


def test_no_page_shows_marks_of_an_editor():
    marks = re.compile(r"^(!! |@@\d|<<<<<<< |>>>>>>> )", re.MULTILINE)
    assert [path.name for path in PAGES if marks.search(path.read_text(encoding="utf8"))] == []


def test_every_page_that_is_led_to_by_name_is_there():
    led = [
        (path, target)
        for path in PAGES
        if "templates" not in path.parts
        for target in _LED_TO.findall(path.read_text(encoding="utf8"))
    ]
    assert len(led) > 100
    places = [
        (path, target, BOOK.parent / target[1:] if target.startswith("/") else path.parent / target)
        for path, target in led
    ]
    assert [
        (path.name, target)
        for path, target, position in places
        if not any(
            position.with_name(position.name + ending).is_file() for ending in (".md", ".ipynb")
        )
    ] == []


def test_no_further_page_makes_names_by_code():
    made = {
        path.relative_to(BOOK).with_suffix("").as_posix()
        for path in PAGES
        if (glue := read(path.read_text())).patterns or glue.others
    }
    assert made <= set(NAMED_BY_CODE), "write the names out, so that they can be searched for"


def test_the_call_is_found_that_glues_a_literal_name_an_f_string_or_a_variable(tmp_path):
    page = (
        "# A\n\n{glue:text}`a` and {glue:text}`low-b:.1f`\nand {glue:text}`c`.\n\n"
        "```{code-cell} ipython3\n:tags: [remove-input]\nshow.glue('a', 1)\nfor end in ('low', 'high'):\n"
        "    show.glue(f'{end}-b', 2)\nfor name, value in {'c': 3}.items():\n    show.glue(name, value)\n```\n"
    )
    (tmp_path / "book" / "part").mkdir(parents=True)
    (tmp_path / "book" / "part" / "page.md").write_text(page)
    (tmp_path / "book" / "other.md").write_text(page.replace("-b:", "-d:").replace("`c`", ""))
    found = {
        name: [(row["page"], row["line"], row["shown"]) for row in where(name, tmp_path)]
        for name in ("a", "low-b", "c", "b")
    }
    assert found == {
        "a": [("book/other.md", 8, "3"), ("book/part/page.md", 8, "3")],
        "low-b": [("book/part/page.md", 10, "3")],
        "c": [("book/part/page.md", 12, "4")],
        "b": [],
    }
