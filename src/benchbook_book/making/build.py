"""Build the book: the run pages first, then the chapters, then the pages; nothing at all when nothing has changed."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchbook import datasets, files
from benchbook.datasets import lookup
from benchbook.errors import BenchbookError
from benchbook.progress import bar
from benchbook.show.numbers import seconds
from benchbook.words import counted
from benchbook_book.making import execution, inputs, rendering, runs

_SPHINX = ["-m", "benchbook_book.making.rendering"]
_PROGRESS = re.compile(r"^(reading sources|writing output)\.\.\. \[ *(\d+)%\] *(.*)")
_WARNING = re.compile(r"\b(WARNING|ERROR|CRITICAL): ")


def build(profile: str = "quick", strict: bool = True) -> Path:
    """Execute the run pages that are due and render the book; the path of its first page.

    Args:
        profile: which run pages to execute, "quick" or "full".
        strict: let a warning of Sphinx fail the build.

    Raises:
        BenchbookError: a page failed, the build ended with warnings and ``strict`` is on, nothing can be written below
            ``_build``, or another process is building.
    """
    began = time.perf_counter()
    root = inputs.checkout()
    inputs.check_tools(root)
    index, stamp = root / "_build" / "html" / "index.html", root / "_build" / "book.json"
    with inputs.alone(root / "_build", "building the book"), contextlib.ExitStack() as stack:
        _bring_data()
        runs.execute(profile)
        state = {"inputs": digest_of_book(root), "strict": strict}
        if index.is_file() and _recall(stamp) in (state, {**state, "strict": True}):
            print("The book is up to date.")
        else:
            stamp.unlink(missing_ok=True)
            sphinx = stack.enter_context(_sphinx(root))
            execution.execute(root)
            _render(root, strict, sphinx)
            if (root / "src" / "benchbook" / "version.py").is_file():
                offer(root)
            _remember(stamp, state)
            print(f"The book was built in {seconds(time.perf_counter() - began)}.")
    if absent := len(datasets.published()) - len(inputs.at_hand()):
        print(
            f"{counted(absent, 'published data set')} not available: their pages say how to get them."
        )
    print(f"Open {index.as_uri()}")
    return index


def offer(root: Path) -> None:
    """Put the package, as a wheel and as a source archive, beside the pages, for whoever reads them without a checkout.

    Raises:
        BenchbookError: hatchling, which makes both, failed.
    """
    folder = root / "_build" / "html" / "downloads"
    command = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        "wheel",
        "-t",
        "sdist",
        "-d",
        str(folder),
    ]
    shutil.rmtree(folder, ignore_errors=True)
    made = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if made.returncode:
        raise BenchbookError(
            f"the package for readers was not built: {made.stderr.strip()[-2000:]}"
        )


def _bring_data() -> None:
    """Download the published data that is not available, once for all pages, which download nothing themselves."""
    for reason in lookup.bring(map(datasets.card, datasets.published())):
        print(f"No more data could be downloaded: {reason}", file=sys.stderr)
    inputs.at_hand.cache_clear()


def digest_of_book(root: Path) -> str:
    """Digest of everything the rendered book depends on, the executed run pages included."""
    places = ("_config.yml", "_toc.yml", "book", "src/benchbook", "src/benchbook_book", "data")
    sources = (
        path
        for path in inputs.tree(*(root / position for position in places))
        if path.suffix != ".pyc"
    )
    return inputs.digest(root, sources, inputs.conditions(root), *inputs.at_hand())


def _recall(stamp: Path) -> object:
    try:
        return json.loads(stamp.read_text(encoding="utf8"))
    except (OSError, ValueError):
        return None


def _remember(stamp: Path, state: object) -> None:
    with files.atomic(stamp) as scratch:
        scratch.write_text(json.dumps(state), encoding="utf8")


def _sphinx(root: Path) -> subprocess.Popen[str]:
    """A process that loads Sphinx, while chapters are executed, and then waits to be told how to render."""
    return subprocess.Popen(
        [sys.executable, *_SPHINX, str(root)],
        cwd=root,
        stdin=subprocess.PIPE,
        env={**os.environ, **inputs.kernel_environment(root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf8",
        errors="replace",
    )


def _render(root: Path, strict: bool, sphinx: subprocess.Popen[str]) -> None:
    """Let that process render the book; raise with what it said when it fails."""
    lines, code = _sphinx_output(root, rendering.begin(root), strict, sphinx)
    warnings = list(
        dict.fromkeys(
            line.replace(f"{root}{os.sep}", "") for line in lines if _WARNING.search(line)
        )
    )
    whole = code in (0, 1) and (root / "_build" / "html" / "index.html").is_file()
    rendering.end(root, warnings, whole)
    for line in warnings:
        print(line, file=sys.stderr)
    if code or not whole:
        last = "\n".join(lines[-25:])
        text = (
            f"with {len(warnings)} warnings, listed above"
            if warnings
            else f"; its last words:\n{last}"
        )
        raise BenchbookError(
            f"the book was not built: Sphinx ended {text}\nAll it said is in {_log(root)}."
        )


def _log(root: Path) -> Path:
    return root / "_build" / "book.log"


def _sphinx_output(
    root: Path, everything: bool, strict: bool, sphinx: subprocess.Popen[str]
) -> tuple[list[str], int]:
    """What Sphinx says, line by line, and its exit code."""
    assert sphinx.stdin is not None
    assert sphinx.stdout is not None
    with contextlib.suppress(BrokenPipeError):  # it has ended already, and has said why
        sphinx.stdin.write(json.dumps([everything, strict]))
        sphinx.stdin.close()
    with _log(root).open("w", encoding="utf8") as record:
        lines = list(_shown(_copied(sphinx.stdout, record)))
    return lines, sphinx.wait()


def _copied(lines: Iterator[str], record: object) -> Iterator[str]:
    for line in lines:
        plain = execution.COLOUR.sub("", line).rstrip()
        print(plain, file=record)  # type: ignore[call-overload]
        yield plain


def _shown(lines: Iterator[str]) -> Iterator[str]:
    """Pass the lines on while a bar tells how far the build is."""
    with bar(total=200, label="book", unit="%") as progress:
        for line in lines:
            if match := _PROGRESS.match(line):
                progress.n = int(match[2]) + (100 if match[1] == "writing output" else 0)
                progress.set_postfix_str(f"{match[1].split()[0]} {match[3]}")
            yield line
