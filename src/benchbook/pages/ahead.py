"""Execute the chapters that are due before Jupyter Book asks for them, several at a time.

Jupyter Book executes one chapter after another. It looks into its cache first, so what is executed here is only read
there. A chapter that fails here is left alone: Jupyter Book executes it again, and reports what went wrong and where.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from benchbook.pages import inputs
from benchbook.pages.numbers import seconds
from benchbook.progress import bar

_AT_ONCE = 2
_TIMEOUT = 600


def execute(root: Path) -> None:
    """Execute every chapter of the book that its cache does not hold, two at a time, and put it there."""
    with opened(inputs.execution_cache(root)) as cache:
        _execute_due(root, cache)


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[Any]:
    """An execution cache, its database closed at the end: jupyter-cache leaves that to the end of the process."""
    from jupyter_cache import get_cache

    cache = get_cache(folder)
    try:
        yield cache
    finally:
        cache.db.dispose()


def _execute_due(root: Path, cache: Any) -> None:
    chapters = [chapter for chapter in _chapters(root) if _is_due(cache, chapter)]
    # Threads, not processes: kernels started by one process draw their ports from one pool.
    with bar(total=len(chapters), label="chapters", unit="page") as progress, ThreadPoolExecutor(_AT_ONCE) as pool:
        under_way = {pool.submit(_executed, root, chapter): chapter for chapter in chapters}
        try:
            for done in as_completed(under_way):
                chapter = under_way[done].relative_to(root).with_suffix("")
                with contextlib.suppress(Exception):
                    notebook, took = done.result()
                    _keep(cache, under_way[done], notebook, took)
                    progress.write(f"chapter {chapter.as_posix()}: executed in {seconds(took)}", file=sys.stderr)
                progress.update()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # what has not begun is not begun
            raise


def _chapters(root: Path) -> list[Path]:
    """The Markdown pages that the table of contents names."""
    from sphinx_external_toc.parsing import parse_toc_yaml

    documents = parse_toc_yaml(root / "_toc.yml").values()
    named = {str(item) for document in documents for tree in document.subtrees for item in tree.items}
    named.update(document.docname for document in documents)
    return sorted({path for name in named for path in root.glob(f"{name}.md")})


def _is_due(cache: Any, chapter: Path) -> bool:
    """Whether a page has cells to execute that the cache does not hold."""
    from myst_nb.core.read import is_myst_markdown_notebook

    if not is_myst_markdown_notebook(chapter.read_text(encoding="utf8")):
        return False
    try:
        cache.match_cache_notebook(_read(chapter))
    except KeyError:
        return True
    return False


def _read(chapter: Path) -> Any:
    from myst_nb.core.read import read_myst_markdown_notebook

    return read_myst_markdown_notebook(chapter.read_text(encoding="utf8"), add_source_map=True, path=str(chapter))


def _executed(root: Path, chapter: Path) -> tuple[Any, float]:
    """The chapter with its outputs, and the seconds it took; its runs go to a folder of its own."""
    from nbclient import NotebookClient

    began, notebook = time.perf_counter(), _read(chapter)
    store = inputs.chapter_runs(root) / "_".join(chapter.relative_to(root).with_suffix("").parts)
    environment = {**os.environ, **inputs.kernel_environment(root), "BENCHBOOK_RUNS": str(store)}
    client = NotebookClient(  # without times, which would make cells that the cache does not know
        notebook, timeout=_TIMEOUT, record_timing=False, resources={"metadata": {"path": str(chapter.parent)}})
    try:
        client.execute(env=environment)
    finally:
        with contextlib.suppress(RuntimeError):  # there is none when the kernel did not start
            asyncio.get_event_loop().close()
    return notebook, time.perf_counter() - began


def _keep(cache: Any, chapter: Path, notebook: Any, took: float) -> None:
    from jupyter_cache.base import CacheBundleIn

    bundle = CacheBundleIn(notebook, str(chapter), data={"execution_seconds": took})
    cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
