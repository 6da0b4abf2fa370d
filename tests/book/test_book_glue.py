"""Numbers that a page names are said on it, and what it says was named."""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

import jupytext

BOOK = Path(__file__).resolve().parents[2] / "book"
_SAID = re.compile(r"\{glue:\w*\}`([^`:]+)`")


@dataclass
class Glue:
    """The names that a page makes, literally or by a pattern, whether it makes others, and those that it says."""

    names: set[str] = field(default_factory=set)
    patterns: set[str] = field(default_factory=set)
    others: bool = False
    said: set[str] = field(default_factory=set)

    @property
    def unused(self) -> set[str]:
        """Names and patterns of which nothing is said."""
        return self.names - self.said | {one for one in self.patterns
                                         if not any(re.fullmatch(one, name) for name in self.said)}

    @property
    def unknown(self) -> set[str]:
        """What is said and not made, as far as the text of the page can tell."""
        made = {name for name in self.said if any(re.fullmatch(one, name) for one in self.patterns)}
        return set() if self.others else self.said - self.names - made


def read(text: str) -> Glue:
    """The glue of a page."""
    found = Glue(said=set(_SAID.findall(text)))  # captions, which are no part of a cell's source, included
    for cell in jupytext.reads(text, fmt="md:myst").cells:
        if cell.cell_type != "code":
            continue
        for call in ast.walk(ast.parse(cell.source)):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "show.glue":
                name = call.args[0]
                if isinstance(name, ast.Constant):
                    found.names.add(str(name.value))
                elif isinstance(name, ast.JoinedStr):
                    found.patterns.add("".join(re.escape(part.value) if isinstance(part, ast.Constant) else ".*"
                                               for part in name.values))
                else:
                    found.others = True
    return found


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


def test_what_is_made_and_not_said_is_found_and_what_is_said_and_not_made():
    page = read(PAGE)
    assert page.unused == {"idle", r"high\-.*"}
    assert page.unknown == {"lost"}
    assert read(PAGE.replace('"idle"', "word")).unknown == set()


def test_every_name_of_the_book_is_made_and_said():
    pages = {path.relative_to(BOOK).as_posix(): read(path.read_text(encoding="utf8"))
             for path in sorted(BOOK.rglob("*.md"))}
    assert sum(len(page.names) for page in pages.values()) > 500
    assert {name: page.unused for name, page in pages.items() if page.unused} == {}
    assert {name: page.unknown for name, page in pages.items() if page.unknown} == {}
