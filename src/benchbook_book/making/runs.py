"""Run pages: parameterised notebooks that papermill executes before the book is rendered."""

from __future__ import annotations

import difflib
import functools
import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import as_completed
from dataclasses import replace
from pathlib import Path

from nbformat import NotebookNode

from benchbook import files, studies
from benchbook.errors import BenchbookError
from benchbook.progress import bar
from benchbook.show.numbers import seconds
from benchbook_book.making import dependencies, inputs, kernels
from benchbook_book.making.manifest import PROFILES, RunPage, read
from benchbook_book.pages.show import page_parameters

manifest = read


def execute(
    profile: str = "quick", only: Sequence[str] | None = None, force: bool = False
) -> list[Path]:
    """Execute the run pages of a profile that are not current, and give the paths of all of them.

    A page is current when nothing it depends on has changed: its template and parameters, all that was read while it
    was executed (modules, cards, files of the archive, which data is at hand), the installed versions, and the user's
    own runs that it shows. Pages of another profile stay while they are current.

    Args:
        profile: "quick" for a few pages, "full" for all.
        only: slugs to execute instead of a profile.
        force: execute pages that are current too.

    Raises:
        BenchbookError: a slug or a profile that there is not; or a page failed: all failures are reported together, and
            the other pages are written.
    """
    root = inputs.checkout()
    inputs.check_tools(root)
    runs = {run.slug: run for run in manifest(root / "book" / "runs" / "runs.toml")}
    chosen = _chosen(runs, profile, only)
    why = _why(root, runs.values())
    if only is None:
        _tidy(root, [run for run in runs.values() if run in chosen or not why[run.slug]])
    due = [run for run in chosen if force or why[run.slug]]
    with (
        inputs.alone(root / "_build" / "papermill", "executing run pages"),
        inputs.environment(root),
    ):
        failures = _execute_all(root, due, why)
    if failures:
        raise BenchbookError("\n\n".join(failures))
    return [root / run.page for run in chosen]


def execute_with(slug: str, words: Sequence[tuple[str, str]], out: Path) -> None:
    """Execute one run page with other parameters, and write it as a notebook outside the book.

    Args:
        slug: the page of the manifest whose template and parameters are taken.
        words: names and values of parameters; a name that stands for a list may come several times.
        out: the notebook; it is written when the whole page has been executed.

    Raises:
        BenchbookError: no such page, no such parameter, or the page failed.
    """
    import jupytext

    root = inputs.checkout()
    inputs.check_tools(root)
    [run] = _chosen({run.slug: run for run in manifest()}, "quick", [slug])
    source = page_parameters.cell_of(jupytext.read(root / run.source)).source
    given = page_parameters.from_words(words, source)
    mine = replace(run, parameters={**run.parameters, **given})
    # A folder for each notebook, so that several are made at once.
    mark = hashlib.sha256(str(out.resolve()).encode()).hexdigest()[:8]
    work = root / "_build" / "papermill" / f"{slug}-{mark}"
    with (
        inputs.alone(work, "executing a run page"),
        inputs.environment(root),
        kernels.workers(1) as pool,
    ):
        page = pool.submit(_executed, root, mine, "", work / "mine.trace", work).result()
    shutil.rmtree(work, ignore_errors=True)
    _write(page, mine, out)


def _chosen(runs: dict[str, RunPage], profile: str, only: Sequence[str] | None) -> list[RunPage]:
    if only is not None:
        for slug in only:
            if slug not in runs:
                near = difflib.get_close_matches(slug, runs, n=3, cutoff=0.4)
                nearest = f"Nearest: {', '.join(near)}. " if near else ""
                raise BenchbookError(
                    f"no run page is called {slug!r}. {nearest}`benchbook book list` names them all."
                )
        return [runs[slug] for slug in dict.fromkeys(only)]
    if profile not in PROFILES:
        raise BenchbookError(f"a profile is {' or '.join(PROFILES)}, not {profile!r}")
    return [run for run in runs.values() if profile == "full" or run.profile == "quick"]


def _key(root: Path, run: RunPage) -> str:
    return inputs.digest(root, [root / run.source], json.dumps(run.describe(), sort_keys=True))


def _state(run: RunPage) -> str:
    """Digest of the user's own runs that a page shows; it may add to them while it is executed."""
    requested = {
        "prototask": run.parameters.get("prototask"),
        "methods": run.parameters.get("methods"),
    }
    if "problem" in run.parameters:
        requested["prototask"] = f"*{run.parameters['problem']}[123]/partition"
    if "task" in run.parameters:
        requested["prototask"] = run.parameters["task"].rpartition("/")[0]
    if requested["prototask"] is None:
        return ""
    folder = inputs.kernel_environment(inputs.checkout())["BENCHBOOK_RUNS"]
    records = studies.Archive(Path(folder)).records(**requested)
    lines = records.select("method", "task", "instance", "seed", "identity", "digest", "status")
    return hashlib.sha256(repr(sorted(lines.rows(), key=repr)).encode()).hexdigest()


def _why(root: Path, runs: Iterable[RunPage]) -> dict[str, str]:
    """By the slug of a run why its page is not current; an empty text when it is."""
    present, conditions = dependencies.Present(root), inputs.conditions(root)
    return {
        run.slug: _stale(root, run)
        or present.differs(dependencies.recall(_record(root, run)), _mark(root, run), conditions)
        for run in runs
    }


def _stale(root: Path, run: RunPage) -> str:
    """What is wrong with a page that is looked at by itself."""
    try:
        mark = json.loads((root / run.page).read_text(encoding="utf8"))["metadata"]["benchbook"]
        return "" if mark["state"] == _state(run) else "your own runs have changed"
    except (OSError, ValueError, KeyError):
        return "it is new"


def _mark(root: Path, run: RunPage) -> str:
    """What ties a record to a page: the page itself, its template and its parameters."""
    return (
        inputs.digest(root, [root / run.page], _key(root, run))
        if (root / run.page).is_file()
        else ""
    )


def _record(root: Path, run: RunPage) -> Path:
    return inputs.records(root) / f"run-{run.slug}.json"


def _tidy(root: Path, keep: list[RunPage]) -> None:
    """Remove run pages that the manifest does not know or that show what is no longer so."""
    retained = {root / run.page for run in keep}
    for page in (root / "book" / "runs").glob("run-*.ipynb"):
        if page not in retained:
            page.unlink()


def _execute_all(root: Path, runs: list[RunPage], why: dict[str, str]) -> list[str]:
    """Execute pages several at a time; what went wrong, a text for each page."""
    failures, present = [], dependencies.Present(root, time.time())
    with (
        bar(total=len(runs), label="run pages", unit="page") as progress,
        kernels.workers(inputs.kernels()) as pool,
    ):
        began = time.perf_counter()
        under_way = {
            pool.submit(_execute_one, root, run, present): run
            for run in inputs.by_turns(runs, lambda run: run.template)
        }
        for future in as_completed(under_way):
            run = under_way[future]
            try:
                took = f"executed in {seconds(future.result())}; {why[run.slug] or 'as asked'}"
            except BenchbookError as error:
                failures.append(str(error))
                took = f"failed after {seconds(time.perf_counter() - began)}"
            progress.write(f"run page {run.slug}: {took}", file=sys.stderr)
            progress.update()
    return failures


def _execute_one(root: Path, run: RunPage, present: dependencies.Present) -> float:
    """Execute one page and put it in its place; seconds it took. ``present`` knows the state of what it reads."""
    began = time.perf_counter()
    trace = inputs.records(root) / f"run-{run.slug}.trace"
    page = _executed(root, run, run.slug, trace, root / "_build" / "papermill")
    page.metadata["benchbook"] = {"state": _state(run), "slug": run.slug, "title": run.title}
    _write(page, run, root / run.page)
    read = dependencies.gathered(trace, root / run.source, present)
    dependencies.Record(_mark(root, run), inputs.conditions(root), read).write(_record(root, run))
    return time.perf_counter() - began


def _executed(root: Path, run: RunPage, slug: str, trace: Path, work: Path) -> NotebookNode:
    """The page as a notebook with its outputs, made in ``work``; ``slug`` is empty for one outside the book."""
    import nbformat
    from papermill.exceptions import PapermillExecutionError

    staged, result = work / f"{run.slug}.ipynb", work / f"{run.slug}.out.ipynb"
    nbformat.write(_staged(root, run, slug), staged)
    try:
        kernels.retry(lambda: _papermill(root, staged, result, trace))
    except PapermillExecutionError as error:
        raise BenchbookError(
            f"run page {run.slug} failed in cell {error.exec_count}: {error.ename}: {error.evalue}\n"
            f"The notebook with the whole traceback is {result.relative_to(root)}."
        ) from error
    return nbformat.read(result, as_version=4)


def _write(page: NotebookNode, run: RunPage, path: Path) -> None:
    import nbformat

    if "papermill" in page.metadata:  # where the checkout lies is nobody's business
        page.metadata["papermill"].update(input_path=run.source.as_posix(), output_path=path.name)
    with files.atomic(path) as scratch:
        nbformat.write(page, scratch)


def _staged(root: Path, run: RunPage, slug: str) -> NotebookNode:
    """The template as a notebook with the run's parameters in place of its own."""
    import jupytext

    notebook = jupytext.read(root / run.source)
    cell = page_parameters.cell_of(notebook)
    cell.source = page_parameters.with_values(cell.source, {**run.parameters, "slug": slug})
    cell.metadata["tags"] = [*cell.metadata["tags"], "hide-input"]
    cell.metadata["mystnb"] = {
        "code_prompt_show": "Show the parameters of this page",
        "code_prompt_hide": "Hide the parameters",
    }
    return notebook


def _papermill(root: Path, staged: Path, result: Path, trace: Path) -> None:
    import papermill

    _stay()
    trace.parent.mkdir(parents=True, exist_ok=True)
    trace.unlink(missing_ok=True)
    papermill.execute_notebook(
        str(staged),
        str(result),
        progress_bar=False,
        start_timeout=30,
        log_output=False,
        kernel_manager_class=kernels.manager({**os.environ, kernels.RECORD: str(trace)}),
        resources={"metadata": {"path": str(root)}},
    )


@functools.cache
def _stay() -> None:
    """Let papermill read and write files without moving the process: once is enough.

    It moves to the folder where a notebook was begun for as long as a file takes, and keeps that folder for all threads
    together: of several notebooks at once one moves to where another was begun, perhaps long ago.
    """
    from papermill.iorw import LocalHandler, papermill_io

    class Still(LocalHandler):  # type: ignore[misc,unused-ignore]
        def cwd(self, new_path: str | None) -> None:
            """Stay, whatever is asked."""

    papermill_io.register("local", Still())
