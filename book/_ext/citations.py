"""Citations with round brackets: Neal (1998) in the text, (Neal, 1998) beside it."""

import functools
from dataclasses import dataclass, field
from typing import Any

from pybtex import plugin
from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style.referencing import BracketStyle
from sphinxcontrib.bibtex.style.referencing.author_year import AuthorYearReferenceStyle


def _round() -> BracketStyle:
    return BracketStyle(left="(", right=")")


@dataclass
class RoundAuthorYear(AuthorYearReferenceStyle):
    """Author and year, in round brackets."""

    bracket_parenthetical: BracketStyle = field(default_factory=_round)
    bracket_textual: BracketStyle = field(default_factory=_round)
    bracket_author: BracketStyle = field(default_factory=_round)
    bracket_label: BracketStyle = field(default_factory=_round)
    bracket_year: BracketStyle = field(default_factory=_round)


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    register_plugin("sphinxcontrib.bibtex.style.referencing", "author_year_round", RoundAuthorYear)
    # Pybtex looks through all installed packages for every citation, a hundredth of a second each.
    plugin.find_plugin = functools.cache(plugin.find_plugin)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
