"""Execute the chapters that are due with nbclient, several at a time, into the cache in which Jupyter Book looks.

Jupyter Book's own cache, jupyter-cache, knows a chapter by its cells, their captions and tags included. Which of its
entries are still good is decided here, by the code of the chapter and by what it depends on: an entry that is not is
removed before anything else, and where captions or tags alone have changed the outputs are kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from nbformat import NotebookNode

from benchbook.errors import BenchbookError
from benchbook.progress import bar
from benchbook.show.numbers import seconds
from benchbook_book.making import dependencies, inputs, kernels, rendering

if TYPE_CHECKING:
    from jupyter_cache.base import JupyterCacheAbstract
    from jupyter_cache.cache.db import NbCacheRecord

_TIMEOUT = 600
COLOUR = re.compile(r"\x1b\[[0-9;]*[a-zA-Z]")
_OBEYED = {"raises-exception", "skip-execution"}


@dataclass(frozen=True)
class Chapter:
    """A chapter with cells: its file, its notebook, the digest of its code, its key in the cache, and why it is due."""

    path: Path
    notebook: NotebookNode
    code: str
    entry: str
    why: str


def execute(root: Path) -> None:
    """Execute every chapter of the book that its cache does not hold as it would be made now, and put it there.

    Raises:
        BenchbookError: chapters failed: all failures are reported together, and the other chapters are kept.
    """
    with inputs.environment(root), opened(inputs.execution_cache(root)) as cache:
        every = looked_through(root, cache)
        for chapter in every:
            if not chapter.why:
                _carry_over(root, cache, chapter)
        failures = _execute_due(root, cache, [chapter for chapter in every if chapter.why])
        entries = {entry.hashkey for entry in cache.list_cache_records()}
        _forget(cache, entries - {chapter.entry for chapter in every})
    if failures:
        raise BenchbookError("\n\n".join(failures))


def with_outputs(root: Path, path: Path) -> NotebookNode:
    """A chapter's notebook with its outputs: those of the book where they are still good, else executed and not kept.

    Raises:
        BenchbookError: the chapter has no cells, or failed.
    """
    notebook = read(path)
    if notebook is None:
        raise BenchbookError(f"{path} has no cells to execute")
    code, conditions = _code(notebook), inputs.conditions(root)
    record = dependencies.recall(_record(root, path))
    if (
        record is not None
        and inputs.execution_cache(root).is_dir()
        and not dependencies.Present(root).differs(record, code, conditions)
    ):
        with opened(inputs.execution_cache(root)) as cache:
            for entry in cache.list_cache_records():
                if entry.hashkey == record.entry:
                    _fill(notebook, cache, entry)
                    return notebook
    with tempfile.TemporaryDirectory() as folder, inputs.environment(root):
        try:
            _run(path, notebook, kernels.manager({**os.environ, "BENCHBOOK_RUNS": folder}))
        except Exception as error:
            raise BenchbookError(
                _failure(root, Chapter(path, notebook, code, "", ""), error)
            ) from error
    return notebook


def _fill(notebook: NotebookNode, cache: JupyterCacheAbstract, entry: NbCacheRecord) -> None:
    """Put the outputs of an entry of the cache into a notebook with the same code."""
    outputs = (
        cell for cell in cache.get_cache_bundle(entry.pk).nb.cells if cell.cell_type == "code"
    )
    for cell, executed in zip(
        (cell for cell in notebook.cells if cell.cell_type == "code"), outputs, strict=True
    ):
        cell.outputs, cell.execution_count = executed.outputs, executed.execution_count


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[JupyterCacheAbstract]:
    """An execution cache, its database closed at the end: jupyter-cache leaves that to the end of the process."""
    from jupyter_cache import get_cache

    cache = get_cache(folder)
    try:
        yield cache
    finally:
        cache.db.dispose()


def _execute_due(root: Path, cache: object, chapters: list[Chapter]) -> list[str]:
    """Execute chapters several at a time, and put them into the cache; what went wrong, a text for each chapter."""
    _forget(cache, {chapter.entry for chapter in chapters})
    failures, present = [], dependencies.Present(root, time.time())
    long_first = sorted(chapters, key=_size, reverse=True)
    with (
        bar(total=len(chapters), label="chapters", unit="page") as progress,
        kernels.workers(inputs.kernels()) as pool,
    ):
        under_way = {
            pool.submit(_executed, root, chapter, present): chapter
            for chapter in inputs.by_turns(long_first, lambda chapter: chapter.path.parent)
        }
        for future in as_completed(under_way):
            chapter = under_way[future]
            try:
                record, took = future.result()
                _keep(root, cache, chapter, record, took)
                rendering.read_again(root, _name(root, chapter.path))
                outcome = f"executed in {seconds(took)}; {chapter.why}"
            except Exception as error:
                failures.append(_failure(root, chapter, error))
                outcome = "failed"
            progress.write(f"chapter {_name(root, chapter.path)}: {outcome}", file=sys.stderr)
            progress.update()
    return sorted(failures)


def _size(chapter: Chapter) -> int:
    """Of its code, in characters: a guess at how long it will take."""
    return sum(len(cell.source) for cell in chapter.notebook.cells if cell.cell_type == "code")


def _failure(root: Path, chapter: Chapter, error: Exception) -> str:
    """Which cell of a chapter failed, and what the kernel says of it."""
    lines = zip(
        chapter.notebook.cells, chapter.notebook.metadata.get("source_map", ()), strict=False
    )
    failed = (
        line
        for cell, line in lines
        if any(item.output_type == "error" for item in cell.get("outputs", ()))
    )
    where = f" in the cell at line {line}" if (line := next(failed, 0)) else ""
    return f"{chapter.path.relative_to(root).as_posix()} failed{where}:\n{COLOUR.sub('', str(error)).strip()}"


def looked_through(root: Path, cache: JupyterCacheAbstract) -> list[Chapter]:
    """The chapters that have cells, and which of them have outputs that are lost or are not what they would be now."""
    present, conditions = dependencies.Present(root), inputs.conditions(root)
    stored = {entry.hashkey for entry in cache.list_cache_records()}
    chapters = []
    for path in _chapters(root):
        if (notebook := read(path)) is not None:
            code = _code(notebook)
            record = dependencies.recall(_record(root, path))
            why = present.differs(
                record if record and record.entry in stored else None, code, conditions
            )
            chapters.append(
                Chapter(path, notebook, code, cache.create_hashed_notebook(notebook)[1], why)
            )
    return chapters


def dependencies_of(root: Path, chapter: Path) -> dict[str, dict[str, str]]:
    """What a chapter depended on when it was executed last, by kind and name; nothing without cells."""
    record = dependencies.recall(_record(root, chapter))
    return record.read if record else {}


def _code(notebook: NotebookNode) -> str:
    """Digest of what a kernel gets to see of a notebook."""
    cells = [
        [cell.source, sorted(_OBEYED.intersection(cell.metadata.get("tags", ())))]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]
    return hashlib.sha256(
        json.dumps([notebook.metadata.get("kernelspec", {}), cells]).encode()
    ).hexdigest()


def _carry_over(root: Path, cache: JupyterCacheAbstract, chapter: Chapter) -> None:
    """Put the outputs of a chapter where they are looked for when no more than captions or tags have changed."""
    record = dependencies.recall(_record(root, chapter.path))
    if record is None or record.entry == chapter.entry:
        return
    [retained] = [entry for entry in cache.list_cache_records() if entry.hashkey == record.entry]
    _fill(chapter.notebook, cache, retained)
    _keep(
        root,
        cache,
        chapter,
        replace(record, entry=chapter.entry),
        retained.data["execution_seconds"],
    )


def _chapters(root: Path) -> list[Path]:
    """The Markdown pages that the table of contents names."""
    from sphinx_external_toc.parsing import parse_toc_yaml

    documents = parse_toc_yaml(root / "_toc.yml").values()
    named = {
        str(item) for document in documents for tree in document.subtrees for item in tree.items
    }
    named.update(document.docname for document in documents)
    return sorted({path for name in named for path in root.glob(f"{name}.md")})


def _name(root: Path, chapter: Path) -> str:
    return chapter.relative_to(root).with_suffix("").as_posix()


def _record(root: Path, chapter: Path) -> Path:
    return inputs.records(root) / f"{_name(root, chapter).replace('/', '+')}.json"


def _forget(cache: JupyterCacheAbstract, codes: set[str]) -> None:
    """Take entries out of the cache, so that nobody finds what has become wrong."""
    for entry in cache.list_cache_records():
        if entry.hashkey in codes:
            with contextlib.suppress(KeyError):  # its file is gone already
                cache.remove_cache(entry.pk)


def read(chapter: Path) -> NotebookNode | None:
    """The notebook of a page; None when it has no cells to execute."""
    from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

    text = chapter.read_text(encoding="utf8")
    if not is_myst_markdown_notebook(text):
        return None
    return read_myst_markdown_notebook(text, add_source_map=True, path=str(chapter))


def _executed(
    root: Path,
    chapter: Chapter,
    present: dependencies.Present,
) -> tuple[dependencies.Record, float]:
    """Execute a chapter; what it has read, of which ``present`` knows the state, and the seconds it took.

    Its runs go to a folder of its own.
    """
    began = time.perf_counter()
    name = _name(root, chapter.path).replace("/", "+")
    store, trace = inputs.chapter_runs(root) / name, inputs.records(root) / f"{name}.trace"
    shutil.rmtree(store, ignore_errors=True)
    trace.parent.mkdir(parents=True, exist_ok=True)
    trace.unlink(missing_ok=True)
    variables = {**os.environ, "BENCHBOOK_RUNS": str(store), kernels.RECORD: str(trace)}
    _run(chapter.path, chapter.notebook, kernels.manager(variables))
    read = dependencies.gathered(trace, chapter.path, present)
    record = dependencies.Record(chapter.code, inputs.conditions(root), read, chapter.entry)
    return record, time.perf_counter() - began


def _run(path: Path, notebook: NotebookNode, manager: object) -> None:
    """Execute the cells of a chapter, in its folder."""
    from nbclient import NotebookClient

    client = NotebookClient(  # without times, which would make cells that the cache does not know
        notebook,
        timeout=_TIMEOUT,
        record_timing=False,
        kernel_manager_class=manager,
        resources={"metadata": {"path": str(path.parent)}},
    )
    kernels.retry(client.execute)


def _keep(
    root: Path,
    cache: JupyterCacheAbstract,
    chapter: Chapter,
    record: dependencies.Record,
    took: float,
) -> None:
    from jupyter_cache.base import CacheBundleIn

    bundle = CacheBundleIn(chapter.notebook, str(chapter.path), data={"execution_seconds": took})
    cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
    record.write(_record(root, chapter.path))
