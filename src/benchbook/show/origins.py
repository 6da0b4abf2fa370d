"""Where a page comes from and how to make it again; and what to say when its data is not available."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import polars as pl

from benchbook import datasets, studies
from benchbook.show.html import Html, admonition, escape, inline, shell, stack
from benchbook.show.notebook import seconds_since_setup
from benchbook.show.numbers import seconds
from benchbook.words import listed

_SOURCES = {
    "published": "the published cases, read on this machine",
    "re-created": "re-created by this project's own generator, not the published cases",
    "missing": "published cases that are not available on this machine",
    "your own": "added on this machine, not published by this project",
}

_SETTINGS = "those of `benchbook methods show NAME`, for each method"

_TITLED = 3
"""Missing data sets are named with their titles when there are at most so many."""


def data_source(dataset: str) -> str:
    """Which data a page shows: "published", "re-created" (made by this project), "your own" (the user's) or
    "missing"."""
    card = datasets.card(dataset)
    if card.simulated_here:
        return "re-created"
    if card.folder is not None:
        return "your own"
    return "published" if datasets.at_hand(dataset) else "missing"


def which_data(dataset: str, *others: str, card_page: str = "../reference/data.html") -> Html:
    """One line for the top of a page: published or re-created data, with the way to the data card.

    Args:
        dataset: its name.
        others: data sets that the page uses where they are at hand; a box names those that are missing.
        card_page: address of the page with the cards, seen from this page.
    """
    card, source = datasets.card(dataset), data_source(dataset)
    link = f'on <a href="{escape(card_page)}#{escape(_anchor(dataset))}">its card</a>'
    if card.folder is not None:
        link = f"shown by <code>benchbook datasets show {escape(dataset)}</code>"
    line = Html(
        f'<p class="bb-source bb-{source.replace(" ", "-")}"><strong>{source.capitalize()} data.</strong> '
        f"{escape(card.title)} (<code>{escape(dataset)}</code>): {_SOURCES[source]}. What is known about it is "
        f"{link}.</p>",
        f"{source} data: {card.title} ({dataset}), {_SOURCES[source]}.",
    )
    return stack(line, missing(*others))


def _anchor(dataset: str) -> str:
    """The anchor of a card on the data page, as docutils makes it of the name."""
    return "-".join(filter(None, re.split(r"[^a-z0-9]+", f"data-{dataset}".lower())))


def missing(*names: str) -> Html:
    """A box that says which of these data sets are missing and how to get them; empty when all are at hand."""
    gone = [name for name in names if not datasets.at_hand(name)]
    if not gone:
        return Html("", "")
    titles = len(gone) <= _TITLED
    named = listed([f"`{name}`{f' ({datasets.card(name).title})' * titles}" for name in gone])
    paragraphs = [
        f"This page is about data that is not on this machine: {named}.",
        "What needs the cases is left out, or shown with other data.",
        "Download the files from their pinned addresses (each is checked), or point BENCHBOOK_DATA at their folder.",
        "Then build the book again.",
    ]
    commands = [
        f"benchbook datasets fetch {' '.join(gone)}",
        "export BENCHBOOK_DATA=/folder/with/data",
        "benchbook book build",
    ]
    return admonition("Data that is not available", paragraphs, "warning", commands)


def provenance(
    losses: pl.DataFrame | None = None,
    *,
    seed: int | None = None,
    data: Sequence[str] = (),
    slug: str = "",
    template: str = "",
    parameters: Mapping[str, Any] | None = None,
    command: str = "",
) -> Html:
    """A folded block at the end of a page: what made it, from what, and the commands that make it again.

    Args:
        losses: a frame of case losses with columns task, instance and digest; the tasks' digests are taken from it.
        seed: the seed that the page's random streams derive from.
        data: names of the data sets it shows.
        slug: the page's name in ``book/runs/runs.toml``, for a run page.
        template: the notebook behind it, below the checkout, for a run page.
        parameters: its parameters, for a run page.
        command: what makes it again, for a page outside the book.
    """
    made = studies.provenance()
    facts = {
        "made": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, in {seconds(seconds_since_setup())}",
        "package": f"benchbook {made['benchbook']}, {_commit(made['commit'])}",
        "libraries": ", ".join([f"Python {made['python']}", *_versions(made["libraries"])]),
        "machine": f"{platform.system()} {platform.machine()}{', ' if made['cpu'] else ''}{made['cpu']}",
        **({"seed": str(seed)} if seed is not None else {}),
        **{f"data {name}": _SOURCES[data_source(name)] for name in data},
        **({"settings": _SETTINGS} if losses is not None else {}),
        **{
            f"digest of {task}": text
            for task, text in (_digests(losses) if losses is not None else {}).items()
        },
    }
    reproduce = [command] if command else _commands(slug, template, parameters or {})
    listed = "".join(
        f"<dt>{escape(name)}</dt><dd>{inline(value)}</dd>" for name, value in facts.items()
    )
    body = (
        f'<details class="bb-provenance"><summary>Provenance: how this page was made, and how to make it again'
        f"</summary><dl>{listed}</dl><p>To make this page "
        f"again{'' if command else ', from the top of a checkout'}:</p>"
        f"{shell(reproduce)}</details>"
    )
    lines = [f"{name}: {value}" for name, value in facts.items()]
    return Html(
        body,
        "\n".join(
            [*lines, "to make this page again:", *(f"    {command}" for command in reproduce)]
        ),
    )


def papermill_command(template: str, parameters: Mapping[str, Any]) -> str:
    """The command line that runs the template with these parameters, without any of this package's machinery.

    Papermill reads notebooks only, so jupytext turns the template into one on the way.
    """
    options = []
    for name, value in parameters.items():
        if isinstance(value, list | tuple):
            listed = ", ".join(str(item) for item in value)
            options.append(f"-y {shlex.quote(f'{name}: [{listed}]')}")
        else:
            options.append(f"-p {name} {shlex.quote(str(value))}")
    return " ".join(
        [f"jupytext --to ipynb --output - {template} | papermill", *options, "- mine.ipynb"]
    )


def _commands(slug: str, template: str, parameters: Mapping[str, Any]) -> list[str]:
    commands = [f"benchbook book run {slug} --force"] if slug else []
    commands += [papermill_command(template, parameters)] if template else []
    return commands or ["make book"]


def _versions(libraries: str) -> list[str]:
    return [f"{name} {version}" for name, version in json.loads(libraries).items()]


def _commit(text: str) -> str:
    """The commit in words, with what was changed since, as studies note it."""
    commit, changed, parts = text.partition("+changes")
    if commit == "unknown":
        return "not from a git checkout"
    where = [f"the {part}" for part in parts.removeprefix(":").split(",") if part]
    changes = f" with changes{f' of {listed(where)}' if where else ''} that were not committed"
    return f"commit {commit[:12]}{changes if changed else ''}"


def _digests(losses: pl.DataFrame) -> dict[str, str]:
    """One short digest a task: of the digests of its instances, in their order."""
    rows = losses.select("task", "instance", "digest").unique().sort("task", "instance")
    return {
        str(task[0]): hashlib.sha256("".join(part["digest"]).encode()).hexdigest()[:12]
        for task, part in rows.group_by("task", maintain_order=True)
    }
