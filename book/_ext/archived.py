"""The runs of the archive behind a page, one click away from it.

What a page asked for was written down when it was executed. At its end stand the prototasks whose archived runs it
asked for; each leads to a text with a row for every run of the archive: its method, task and instance, the seed, and
the mean of each of its losses over the test cases. Tables of simulations are shown as they are.
"""

import functools
import json
import subprocess
import sys
from html import escape
from pathlib import Path
from typing import Any

import polars as pl

from benchbook import files, studies
from benchbook.errors import BenchbookError
from benchbook.studies import Choice
from benchbook_book.making import dependencies, execution, inputs

FOLDER = "_archived"
_ARCHIVE, _SIMULATED = "data/archive", "data/simulated/"
_ROWS = 500
_TOLD = ("training_error", "validation_error", "test_error", "total_epochs")
"""What runs on partitions tell of themselves, which reports are made of."""


def sources(root: Path, page: Path) -> list[str]:
    """What a page has read: the prototasks that it asked the archives for, and the tables of simulations.

    Prototasks of another archive than the book's are named with its folder. Who asked for whatever there is is not
    meant: that would be all prototasks.
    """
    read = _what_was_read(root, page)
    names = {
        name
        for name in read.get("file", {})
        if name.startswith(_SIMULATED) and name.endswith(".parquet")
    }
    for folder, *asked in map(json.loads, read.get("archive", {})):
        choice = Choice(*asked)
        if (choice.prototask, choice.tasks) != (None, None):
            tasks = choice.of(_known(root, folder))["task"].unique()
            above = "" if folder == _ARCHIVE else f"{folder}/"
            names.update(above + task.rpartition("/")[0] for task in tasks)
    return sorted(names)


def _what_was_read(root: Path, page: Path) -> dict[str, dict[str, str]]:
    """By a chapter, or by a run page, when it was executed last."""
    if page.suffix == ".md":
        return execution.dependencies_of(root, page)
    record = dependencies.recall(inputs.records(root) / f"{page.stem}.json")
    return record.read if record else {}


@functools.cache
def _known(root: Path, folder: str) -> pl.DataFrame:
    return studies.Archive(root / folder).records().select("method", "task").unique()


def rows(archive: studies.Archive, prototask: str) -> pl.DataFrame:
    """A line for every run on a prototask: what it is, and the mean of each of its losses.

    Returns:
        method, task, instance, seed, cases, a column for each loss, and what runs on partitions tell of themselves.
    """
    by = ["method", "task", "instance"]
    records, blocks = archive.read(Choice(prototask))
    losses = pl.DataFrame(
        [(*block.key, block.loss, len(block.values), block.values.mean()) for block in blocks],
        schema=[*by, "loss", "cases", "value"],
        orient="row",
    ).sort("loss")
    wide = losses.pivot("loss", index=[*by, "cases"], values="value")
    records = records.select(*by, "seed", "cost")
    costs = (json.loads(cost or "{}") for cost in records["cost"])
    told = pl.DataFrame(
        [[cost.get(name) for name in _TOLD] for cost in costs],
        schema=dict.fromkeys(_TOLD, pl.Float64),
        orient="row",
    )
    found = records.drop("cost").hstack(
        [column for column in told if column.null_count() < told.height]
    )
    return found.join(wide, on=by, how="left").sort(by)


def text(root: Path, name: str) -> str:
    """The rows of a source as a table of text."""
    if name.startswith(_SIMULATED):
        table = pl.read_parquet(root / name).head(_ROWS)
        table = table.select(
            column for column in table if not column.dtype.is_nested() and column.dtype != pl.Binary
        )
        above = f"The table {name}, at most its first {_ROWS} rows."
    else:
        folder, prototask = _archived(name)
        table = rows(studies.Archive(root / folder), prototask)
        above = (
            f"The archived runs on {prototask}: a row for each run, each loss its mean over the test cases. The "
            f'losses case by case: benchbook.studies.Archive("{folder}").losses(prototask={prototask!r}).'
        )
    return f"{above}\n\n{table.write_csv(float_precision=5)}"


def _archived(name: str) -> tuple[str, str]:
    """The archive and the prototask of a source."""
    data, _, rest = name.partition("/")
    folder, _, prototask = rest.partition("/")
    return (f"{data}/{folder}", prototask) if data == "data" else (_ARCHIVE, name)


def _files(root: Path, name: str) -> list[Path]:
    """The files that a source is in."""
    return (
        [root / name]
        if name.startswith(_SIMULATED)
        else list(root.joinpath(*_archived(name)).glob("*.parquet"))
    )


def _place(name: str) -> str:
    return f"{FOLDER}/{name.removesuffix('.parquet')}.txt"


def _held(env: Any) -> dict[str, list[str]]:
    """The sources of each page, found when it was read: it is read again when it has been executed again.

    Not when it is written: the first page is written by the process from which those are forked that write the others,
    and Polars, once used there, waits in them for threads that they do not have.
    """
    if not hasattr(env, "bb_sources"):
        env.bb_sources = {}
    return env.bb_sources  # type: ignore[no-any-return]


def _hold(app: Any, doctree: Any) -> None:
    name = app.env.docname
    _held(app.env)[name] = sources(Path(app.srcdir), Path(app.env.doc2path(name)))


def _purge(app: Any, env: Any, name: str) -> None:
    _held(env).pop(name, None)


def _merge(app: Any, env: Any, names: list[str], other: Any) -> None:
    _held(env).update({name: _held(other)[name] for name in names if name in _held(other)})


def _due(root: Path, out: Path, names: set[str]) -> list[str]:
    """The sources whose runs have changed since their texts were written."""
    kept = {
        name: target.stat().st_mtime if (target := out / _place(name)).is_file() else 0.0
        for name in names
    }
    return sorted(
        name
        for name in names
        if any(path.stat().st_mtime > kept[name] for path in _files(root, name))
    )


def _begin(app: Any, env: Any) -> None:
    """Have the texts that pages link to written, where runs have come since, while the pages are."""
    root, out = Path(app.srcdir), Path(app.outdir)
    due = _due(root, out, {name for names in _held(env).values() for name in names})
    if due and app.builder.format == "html":
        app.bb_texts = subprocess.Popen(
            [sys.executable, "-P", __file__, root, out], stdin=subprocess.PIPE, text=True
        )
        app.bb_texts.stdin.write(json.dumps(due))
        app.bb_texts.stdin.close()


def _wait(app: Any, error: Exception | None) -> None:
    process = getattr(app, "bb_texts", None)
    if process is not None and process.wait() and error is None:
        raise BenchbookError(
            "the texts with the archived runs behind the pages could not be written; see above"
        )


def block(names: list[str], link: Any) -> str:
    """The list at the end of a page, in HTML; nothing without names."""
    lines = "".join(
        f'<li><a href="{escape(link(_place(name), 1))}"><code>{escape(name)}</code></a></li>'
        for name in names
    )
    count = f"{len(names)} source{'s' * (len(names) != 1)}"
    return (
        f'<details class="bb-provenance bb-archived"><summary>From the archive: the runs behind this page, {count}'
        f"</summary><ul>{lines}</ul></details>"
        if names
        else ""
    )


def _insert(
    app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    if names := _held(app.env).get(pagename):
        context["body"] = (context.get("body") or "") + block(names, context["pathto"])


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("doctree-read", _hold)
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    app.connect("env-updated", _begin)
    app.connect("html-page-context", _insert)
    app.connect("build-finished", _wait)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def main(root: Path, out: Path) -> None:
    """Write the texts of the sources that standard input names."""
    for name in json.load(sys.stdin):
        with files.atomic(out / _place(name)) as scratch:
            scratch.write_text(text(root, name), encoding="utf8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
