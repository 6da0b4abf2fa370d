"""Numbers that more than one page says are one number, or the build fails.

``agreeing.toml`` beside this file lists them by the names under which pages glue them. When all pages have been read,
what they have glued is compared: numbers as far as the page with the fewest decimals prints them, other words letter by
letter.
"""

import ast
import contextlib
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sphinx.util import logging

from benchbook.words import NUMBERS

LIST = Path(__file__).with_name("agreeing.toml")
_WORDS = ("none", *NUMBERS[1:])


def value(text: str) -> tuple[float, float] | None:
    """The number that a text prints, and half a unit of its last place; None for a text that is not a number.

    "1,024", "12 %", "−0.5" and the words up to "twelve" are numbers.
    """
    if text in _WORDS:
        return float(_WORDS.index(text)), 0.5
    bare = text.replace("−", "-").replace(",", "").replace(" ", "")
    scale = 0.01 if bare.endswith("%") else 1.0
    bare = bare.rstrip("%")
    try:
        number = float(bare)
    except ValueError:
        return None
    places = len(bare.partition(".")[2])
    return number * scale, 0.5 * 10.0**-places * scale


def agree(texts: Sequence[str]) -> bool:
    """Whether all of these can be one number, or are one text."""
    values = [value(text) for text in texts]
    known = [one for one in values if one is not None]
    if len(known) < len(values):
        return len(set(texts)) == 1
    coarse = max(half for _, half in known)
    numbers = [number for number, _ in known]
    # Two that were rounded one from the other are at most half a unit of the coarser apart.
    apart, alike = max(numbers) - min(numbers), len({half for _, half in known}) == 1
    return apart <= (1e-9 if alike else 1 + 1e-9) * coarse


def glued(folder: Path, page: str) -> dict[str, str] | None:
    """What a page has glued, as texts; None when it is no part of this build."""
    path = folder / "book" / f"{page}.glue.json"
    if not path.is_file():
        return None
    found = {}
    for name, output in json.loads(path.read_text(encoding="utf8")).items():
        text = "".join(output["data"].get("text/plain", ""))
        with contextlib.suppress(SyntaxError, ValueError):
            text = str(ast.literal_eval(text))
        found[name] = text
    return found


def listed() -> list[dict[str, Any]]:
    """The numbers of the list: ``what`` each is, and where it is ``said``, as "page: name"."""
    return list(tomllib.loads(LIST.read_text(encoding="utf8"))["number"])


def faults(
    numbers: Sequence[Mapping[str, Any]], page: Callable[[str], dict[str, str] | None]
) -> Iterator[tuple[str, str]]:
    """The page to look at and what is wrong, for every number that pages do not agree on or do not say.

    Args:
        numbers: as ``listed``.
        page: what the page of that name has glued, None for one that is not in the build.
    """
    for one in numbers:
        said = {}
        for place in one["said"]:
            where, _, name = place.partition(": ")
            there = page(where)
            if there is None:
                continue
            if name in there:
                said[place] = there[name]
            else:
                yield (
                    where,
                    f"glues nothing named {name!r}: mend its place in book/_ext/agreeing.toml ({one['what']})",
                )
        if said and not agree(list(said.values())):
            several = ", ".join(f"{text} ({place})" for place, text in said.items())
            yield (
                next(iter(said)).partition(": ")[0],
                (
                    f"pages disagree on {one['what']}: {several}; let one function compute it for all of them"
                ),
            )


def _complain(app: Any, env: Any) -> None:
    folder = Path(env.mystnb_config.output_folder)
    known: dict[str, dict[str, str] | None] = {}

    def page(name: str) -> dict[str, str] | None:
        if name not in known:
            known[name] = glued(folder, name) if f"book/{name}" in env.found_docs else None
        return known[name]

    for name, fault in faults(listed(), page):
        logging.getLogger(__name__).warning(
            fault, location=f"book/{name}", type="benchbook", subtype="agreeing"
        )


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("env-check-consistency", _complain)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
