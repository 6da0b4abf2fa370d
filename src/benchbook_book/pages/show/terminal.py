"""A page that shows what a reader would type and what the command line answers."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys

from benchbook.datasets.user.places import home
from benchbook.errors import BenchbookError
from benchbook.show.html import Html, escape
from benchbook.studies import archive_path, runs_path

_MODULES = ("benchbook", "jupytext", "papermill")
_WIDE = {"COLUMNS": "10000"}  # a page breaks sentences where it ends, and the command does not
_TABLE = re.compile(r"^.+\n *---+(?: +---+)+ *\n(?:.*\S  .*\n?)*", re.MULTILINE)


def command(line: str, code: int = 0) -> None:
    """Run one command line with this interpreter and show it with its output, as a terminal would.

    Sentences are as wide as the page; a table keeps its columns and is moved sideways where it is wider.

    Args:
        line: begins with ``benchbook``, ``jupytext`` or ``papermill``.
        code: the exit code that the page expects.

    Raises:
        BenchbookError: the command is another one, or ended with another exit code.
    """
    from IPython.display import display

    name, *arguments = shlex.split(line)
    if name not in _MODULES:
        raise BenchbookError(f"a page can show {', '.join(_MODULES)}, not {name!r}")
    process = subprocess.run(
        [sys.executable, "-m", name, *arguments],
        check=False,
        text=True,
        env=os.environ | _WIDE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if process.returncode != code:
        raise BenchbookError(
            f"`{line}` ended with exit code {process.returncode}, not {code}:\n{process.stdout}"
        )
    text = process.stdout.replace(str(runs_path()), os.path.join("~", "benchbook-runs"))
    text = text.replace(str(home()), os.path.join("~", ".config", "benchbook"))
    text = (
        f"$ {line}\n{text.replace(str(archive_path()), os.path.join('data', 'archive'))}".rstrip()
    )
    marked = _TABLE.sub(r'<span class="bb-columns" tabindex="0">\g<0></span>', escape(text))
    display(Html(f'<pre class="bb-terminal">{marked}</pre>', text))
