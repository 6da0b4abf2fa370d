"""Where a page comes from and how to make it again; and what to say when its data is not at hand."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import platform
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from benchbook import __version__
from benchbook.errors import BenchbookError
from benchbook.pages import inputs
from benchbook.pages.html import Html, admonition, escape, inline, shell
from benchbook.pages.notebook import seconds_since_setup
from benchbook.pages.numbers import seconds

_PACKAGES = ("numpy", "scipy", "polars", "numba", "scikit-learn", "altair")
_SOURCES = {
    "published": "the published cases, read on this machine",
    "re-created": "re-created by this project's own generator, not the published cases",
    "missing": "published cases that are not at hand on this machine",
}


def data_source(dataset: str) -> str:
    """Which data a page shows under this name: "published", "re-created" (names that end in -sim) or "missing"."""
    if dataset.endswith("-sim"):
        return "re-created"
    return "published" if dataset in inputs.at_hand() else "missing"


def which_data(dataset: str) -> Html:
    """One line for the top of a page: published or re-created, with the way to the data card."""
    from benchbook import datasets

    card, source = datasets.card(dataset), data_source(dataset)
    line = f"{dataset}: {_SOURCES[source]}."
    return Html(f'<p class="bb-source bb-{source}"><strong>{source.capitalize()} data.</strong> {escape(card.title)} '
                f'(<code>{escape(dataset)}</code>): {_SOURCES[source]}.</p>', line)


def missing(dataset: str) -> Html:
    """A box that says which data set is missing and how to get it; empty when the data is at hand."""
    from benchbook import datasets

    if dataset.endswith("-sim") or datasets.at_hand(dataset):
        return Html("", "")
    card = datasets.card(dataset)
    paragraphs = [
        f"This page is about `{dataset}` ({card.title}), which is not on this machine, so its results cannot be shown.",
        "Fetch it from its pinned address; its checksum is verified. Or point BENCHBOOK_DATA at a folder that has it. "
        "Then build the book again.",
    ]
    commands = [f"benchbook datasets fetch {dataset}", "export BENCHBOOK_DATA=/folder/with/data", "benchbook book build"]
    return admonition(f"{dataset} is not at hand", paragraphs, "warning", commands)


def provenance(
    losses: pl.DataFrame | None = None,
    *,
    seed: int | None = None,
    data: Sequence[str] = (),
    slug: str = "",
    template: str = "",
    parameters: Mapping[str, Any] | None = None,
) -> Html:
    """A folded block at the end of a page: what made it, from what, and the commands that make it again.

    Args:
        losses: a frame of case losses with columns task, instance and digest; the tasks' digests are taken from it.
        seed: the seed that the page's random streams derive from.
        data: names of the data sets it shows.
        slug: the page's name in ``book/runs/runs.toml``, for a run page.
        template: the notebook behind it, below the checkout, for a run page.
        parameters: its parameters, for a run page.
    """
    facts = {
        "made": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, in {seconds(seconds_since_setup())}",
        "package": f"benchbook {__version__}, {_commit()}",
        "libraries": ", ".join([f"Python {platform.python_version()}", *_versions()]),
        "machine": f"{platform.system()} {platform.machine()}",
        **({"seed": str(seed)} if seed is not None else {}),
        **{f"data {name}": _SOURCES[data_source(name)] for name in data},
        **{f"digest of {task}": text for task, text in (_digests(losses) if losses is not None else {}).items()},
    }
    reproduce = _commands(slug, template, parameters or {})
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{inline(value)}</dd>" for name, value in facts.items())
    body = (f'<details class="bb-provenance"><summary>Provenance: how this page was made, and how to make it again'
            f"</summary><dl>{listed}</dl><p>To make this page again, from the top of a checkout:</p>"
            f"{shell(reproduce)}</details>")
    lines = [f"{name}: {value}" for name, value in facts.items()]
    return Html(body, "\n".join([*lines, "to make this page again:", *(f"    {command}" for command in reproduce)]))


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
    return " ".join([f"jupytext --to ipynb --output - {template} | papermill", *options, "- mine.ipynb"])


def _commands(slug: str, template: str, parameters: Mapping[str, Any]) -> list[str]:
    commands = [f"benchbook book run {slug} --force"] if slug else []
    commands += [papermill_command(template, parameters)] if template else []
    return commands or ["make book"]


def _versions() -> list[str]:
    return [f"{name} {importlib.metadata.version(name)}" for name in _PACKAGES]


@functools.cache
def _commit() -> str:
    """The commit of the checkout and whether files of it were changed since."""
    try:
        root = inputs.checkout()
        head = _git(root, "rev-parse", "--short=12", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    except (BenchbookError, OSError, subprocess.CalledProcessError):
        return "not from a git checkout"
    return f"commit {head}{' with changes that are not committed' if changed else ''}"


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _digests(losses: pl.DataFrame) -> dict[str, str]:
    """One short digest a task: of the digests of its instances, in their order."""
    rows = losses.select("task", "instance", "digest").unique().sort("task", "instance")
    return {str(task[0]): hashlib.sha256("".join(part["digest"]).encode()).hexdigest()[:12]
            for task, part in rows.group_by("task", maintain_order=True)}
