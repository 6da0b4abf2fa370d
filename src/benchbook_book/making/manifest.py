"""``book/runs/runs.toml``: which parameterised notebooks the book executes, and with what."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook.errors import Fault, FaultyInput
from benchbook.toml_files import read_toml
from benchbook_book.making import inputs

PROFILES = ("quick", "full")
_REQUIRED = ("slug", "template", "title", "shows", "profile", "needs", "parameters")


@dataclass(frozen=True)
class RunPage:
    """One run page: a template, its parameters, and what its reader will see."""

    slug: str
    template: str
    title: str
    shows: str
    profile: str
    needs: str
    parameters: dict[str, Any]

    @property
    def source(self) -> Path:
        """The template, below the checkout."""
        return Path("book", "runs", "templates", f"{self.template}.py")

    @property
    def page(self) -> Path:
        """The executed notebook, below the checkout."""
        return Path("book", "runs", f"run-{self.slug}.ipynb")

    def describe(self) -> dict[str, Any]:
        """The run as plain values, for a listing or as JSON."""
        return {
            "slug": self.slug,
            "profile": self.profile,
            "title": self.title,
            "shows": self.shows,
            "needs": self.needs,
            "template": self.source.as_posix(),
            "page": self.page.as_posix(),
            "parameters": dict(self.parameters),
        }


def read(path: Path | None = None) -> tuple[RunPage, ...]:
    """The runs of a manifest, in its order.

    Raises:
        FaultyInput: a run lacks a key, has one that is unknown, repeats a slug, or names a template that is not there.
    """
    path = path or inputs.checkout() / "book" / "runs" / "runs.toml"
    entries = read_toml(path, "manifest of run pages").get("run", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise FaultyInput(
            str(path), [Fault("run", repr(entries), "write [[run]], a table for each run page")]
        )
    faults = [
        fault for index, entry in enumerate(entries) for fault in _faults(index, entry, path.parent)
    ]
    slugs = [str(entry.get("slug")) for entry in entries]
    faults += [
        Fault(f"run {slug!r}", "twice", "a slug stands once")
        for slug in sorted(set(slugs))
        if slugs.count(slug) > 1
    ]
    if faults:
        raise FaultyInput(
            str(path), faults, "See the first lines of that file for what each key means."
        )
    return tuple(RunPage(**entry) for entry in entries)


def _faults(place: int, entry: dict[str, Any], folder: Path) -> list[Fault]:
    where = f"run {entry.get('slug', place)!r}"
    faults = [
        Fault(where, f"no {key!r}", f"a run has {', '.join(_REQUIRED)}")
        for key in _REQUIRED
        if key not in entry
    ]
    faults += [
        Fault(where, f"{key!r}", f"a run has {', '.join(_REQUIRED)} and nothing else")
        for key in entry
        if key not in _REQUIRED
    ]
    if entry.get("profile", "quick") not in PROFILES:
        faults.append(
            Fault(
                where, f"profile {entry['profile']!r}", f"a profile is one of {', '.join(PROFILES)}"
            )
        )
    if "template" in entry and not (folder / "templates" / f"{entry['template']}.py").is_file():
        faults.append(
            Fault(
                where, f"template {entry['template']!r}", f"templates lie in {folder / 'templates'}"
            )
        )
    return faults
