"""The runs of the archive behind a page, one click away from it.

What a page has read was written down when it was executed. At its end stand the prototasks whose archived runs it read;
each leads to a text with a row for every run of the archive: its method, task and instance, the seed, and the mean of
each of its losses over the test cases. Tables of simulations are shown as they are.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

import polars as pl

from benchbook import studies
from benchbook.bookmaking import ahead

FOLDER = "_archived"
_ARCHIVE, _SIMULATED = "data/archive/", "data/simulated/"
_ROWS = 500
_TOLD = ("training_error", "validation_error", "test_error", "total_epochs")
"""What runs on partitions tell of themselves, which reports are made of."""


def sources(root: Path, chapter: Path) -> list[str]:
    """The prototasks, and the tables of simulations, that a page has read from the archive."""
    names = set()
    for name in ahead.what_was_read(root, chapter).get("file", {}):
        inner = name.removeprefix(_ARCHIVE)
        if name.startswith(_SIMULATED):
            names.add(name)
        elif inner != name and "/" in inner and name.endswith(".parquet") and not name.endswith("+cases.parquet"):
            names.add(inner.rpartition("/")[0] if _is_of_runs(root / name) else inner)
    return sorted(names)


def _is_of_runs(path: Path) -> bool:
    try:
        return {"method", "task", "form"} <= set(pl.read_parquet_schema(path))
    except (OSError, pl.exceptions.PolarsError):
        return False


def rows(archive: studies.Archive, prototask: str) -> pl.DataFrame:
    """A line for every run on a prototask: what it is, and the mean of each of its losses.

    Returns:
        method, task, instance, seed, cases, a column for each loss, and what runs on partitions tell of themselves.
    """
    by = ["method", "task", "instance"]
    losses = archive.losses(prototask=prototask).group_by(*by, "loss").agg(
        cases=pl.len(), value=pl.col("value").mean()).sort("loss")
    wide = losses.pivot("loss", index=[*by, "cases"], values="value")
    records = archive.records(tasks=f"{prototask}/*").select(*by, "seed", "cost")
    told = pl.DataFrame([{name: json.loads(cost or "{}").get(name) for name in _TOLD} for cost in records["cost"]],
                        schema=dict.fromkeys(_TOLD, pl.Float64))
    found = records.drop("cost").hstack([column for column in told if column.null_count() < told.height])
    return found.join(wide, on=by, how="left").sort(by)


def text(root: Path, name: str) -> str:
    """The rows of a source as a table of text."""
    archive = studies.Archive(root / _ARCHIVE)
    if name.endswith(".parquet"):
        table = pl.read_parquet(_file(root, name)).head(_ROWS)
        table = table.select(column for column in table if not column.dtype.is_nested() and column.dtype != pl.Binary)
        above = f"The table {name}, at most its first {_ROWS} rows."
    else:
        table = rows(archive, name)
        above = (f"The archived runs on {name}: a row for each run, each loss its mean over the test cases. The losses "
                 f"case by case: benchbook.studies.Archive(\"data/archive\").losses(prototask={name!r}).")
    return f"{above}\n\n{table.write_csv(float_precision=5)}"


def _file(root: Path, name: str) -> Path:
    return root / (name if name.startswith(_SIMULATED) else _ARCHIVE + name)


def _place(name: str) -> str:
    return f"{FOLDER}/{name.removesuffix('.parquet')}.txt"


def _write(app: Any, error: Exception | None) -> None:
    """Write the texts that pages link to, where runs have come since."""
    if error is not None or app.builder.format != "html":
        return
    root, out = Path(app.srcdir), Path(app.outdir)
    pages = [Path(app.env.doc2path(name)) for name in app.env.found_docs]
    for name in sorted({name for page in pages if page.suffix == ".md" for name in sources(root, page)}):
        target, folder = out / _place(name), _file(root, name)
        kept = target.stat().st_mtime if target.is_file() else 0.0
        if any(path.stat().st_mtime > kept for path in (folder.glob("*.parquet") if folder.is_dir() else [folder])):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text(root, name), encoding="utf8")


def block(names: list[str], link: Any) -> str:
    """The list at the end of a page, in HTML; nothing without names."""
    lines = "".join(f'<li><a href="{escape(link(_place(name), 1))}"><code>{escape(name)}</code></a></li>'
                    for name in names)
    count = f"{len(names)} source{'s' * (len(names) != 1)}"
    return (f'<details class="bb-provenance bb-archived"><summary>From the archive: the runs behind this page, {count}'
            f"</summary><ul>{lines}</ul></details>" if names else "")


def _insert(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    path = Path(app.env.doc2path(pagename)) if doctree is not None else None
    if path is not None and path.suffix == ".md":
        context["body"] = (context.get("body") or "") + block(sources(Path(app.srcdir), path), context["pathto"])


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("html-page-context", _insert)
    app.connect("build-finished", _write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
