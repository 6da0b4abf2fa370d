"""The commands of ``python3 src/bootstrap.py``."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

from checkout import environment, places
from checkout.trouble import Trouble, explain

_MOST_WORKERS = 8
_LAB_SETTINGS = {
    "@jupyterlab/docmanager-extension:plugin": {
        "defaultViewers": dict.fromkeys(("markdown", "myst"), "Jupytext Notebook")
    },
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false"
    },  # nothing is asked of the network
}
_TOOL_CACHES = (".pytest_cache", ".ruff_cache", ".mypy_cache", ".hypothesis")


def call(*command: str | Path) -> int:
    """Run a command in the environment and return its exit code; Ctrl-C is left to the command, which tidies up."""
    parts = [str(part) for part in command]
    with subprocess.Popen(parts, cwd=places.ROOT, env=places.variables(os.environ)) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue


def book(options: argparse.Namespace) -> int:
    """Execute the parameterised runs and render the book; warnings are errors."""
    environment.make()
    return call(places.PYTHON, "-m", "benchbook", "book", "build", "--profile", options.profile)


def slides(options: argparse.Namespace) -> int:
    """Build the book and make its slides; what follows the command is handed to ``benchbook book slides``."""
    environment.make("slides")
    return call(places.PYTHON, "-m", "benchbook", "book", "build") or call(
        places.PYTHON, "-m", "benchbook", "book", "slides", *options.rest
    )


def pdf(options: argparse.Namespace) -> int:
    """Build the book and print its core track and studies; arguments go to ``benchbook book pdf``."""
    environment.make("tools")
    return call(places.PYTHON, "-m", "benchbook", "book", "build") or call(
        places.PYTHON, "-m", "benchbook", "book", "pdf", *options.rest
    )


def workers() -> int:
    """How many processes the tests are spread over: as many as the cores this process may use, eight at most."""
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return min(_MOST_WORKERS, cores)


_NOT_OF_THE_INSTRUMENT = (
    *("book", "course", "form", "making", "pages"),
    *("benchmarks", "bootstrap", "planted"),
)
"""Folders of tests: of the book and its classroom, and of the checkout."""


def without_others(word: str) -> list[str]:
    """What pytest leaves out when it is to test the ``instrument`` alone, or the ``book``, which is all else."""
    folders = sorted(path.name for path in (places.ROOT / "tests").iterdir() if path.is_dir())
    return [
        f"--ignore=tests/{name}"
        for name in folders
        if (name in _NOT_OF_THE_INSTRUMENT) == (word == "instrument")
    ]


def test(options: argparse.Namespace) -> int:
    """Run the default tests, or those of the instrument or book; what else follows is handed to pytest."""
    environment.make("tools")
    return call(
        places.PYTHON, "-m", "pytest", "-n", str(workers()), "--dist", "worksteal", *options.rest
    )


def test_full(options: argparse.Namespace) -> int:
    """Run the tests, those marked full included; what follows the command is handed to pytest."""
    options.rest = ["-m", "not crawl and not slow", *options.rest]
    return test(options)


def test_all(options: argparse.Namespace) -> int:
    """Run the tests, those marked full or slow included; what follows the command is handed to pytest."""
    options.rest = ["-m", "not crawl", "--timeout", "3600", *options.rest]
    return test(options)


IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"
"""import-linter, which cannot be called as a module."""


def style(options: argparse.Namespace) -> int:
    """Check style alone, and that imports go downwards only, which takes about a second."""
    environment.make("tools")
    ruff = (places.PYTHON, "-m", "ruff")
    return (
        call(*ruff, "check", ".")
        | call(*ruff, "format", "--check", ".")
        | call(places.PYTHON, "-c", IMPORTS, "--no-cache")
    )


def types(options: argparse.Namespace) -> int:
    """Check types alone, of the package and of what lies beside the chapters."""
    environment.make("tools")
    return call(places.PYTHON, "-m", "mypy")


def lint(options: argparse.Namespace) -> int:
    """Check style and types."""
    return style(options) | types(options)


def bench(options: argparse.Namespace) -> int:
    """Run the benchmarks; what follows the command is handed to their runner."""
    environment.make("tools")
    return call(places.PYTHON, places.ROOT / "benchmarks" / "run.py", *options.rest)


def run(options: argparse.Namespace) -> int:
    """Run any command inside the environment, as in ``run benchbook tasks list``; a shell when none is named."""
    environment.make()
    shell = (
        os.environ.get("COMSPEC", "cmd.exe")
        if os.name == "nt"
        else os.environ.get("SHELL", "/bin/sh")
    )
    command = options.rest or [shell]
    program = shutil.which(command[0], path=places.variables(os.environ)["PATH"])
    if program is None:
        raise Trouble(
            f"there is no command {command[0]!r}, neither in the environment nor on this machine"
        )
    return call(program, *command[1:])


def lab(options: argparse.Namespace) -> int:
    """Open the book, or one page of it, in JupyterLab: a chapter is a notebook whose cells can be changed and run."""
    environment.make("lab")
    page = Path(os.path.relpath(places.ROOT / options.page, places.ROOT))
    if not (places.ROOT / page).exists():
        raise Trouble(
            f"there is no page {options.page}; name one as it lies in the checkout, "
            "such as book/delve/expected-loss.md"
        )
    settings = places.VENV / "share" / "jupyter" / "lab" / "settings" / "overrides.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps(_LAB_SETTINGS), encoding="utf8")
    words = ["--no-browser"] * options.no_browser + ["--allow-root"] * (
        hasattr(os, "geteuid") and os.geteuid() == 0
    )
    return call(
        places.PYTHON,
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={places.ROOT}",
        f"--port={options.port}",
        f"--LabApp.default_url=/lab/tree/{quote(page.as_posix())}",
        *words,
    )


def setup(options: argparse.Namespace) -> int:
    """Make the environment with all tools, and do nothing else."""
    environment.make("tools")
    environment.say(f"The environment is ready: {places.VENV}")
    return 0


def clean(options: argparse.Namespace) -> int:
    """Remove the environment and all that was built, but not the runs of your own methods, nor what links lead to."""
    runs = places.BUILD / "runs"
    doomed = [places.VENV, *(places.ROOT / name for name in _TOOL_CACHES)]
    if places.BUILD.is_symlink():
        doomed.append(places.BUILD)
    else:
        doomed += [path for path in places.BUILD.glob("*") if path != runs]
    doomed += places.ROOT.glob("book/runs/**/run-*.ipynb")
    for path in doomed:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    if runs.exists():
        environment.say(
            f"Kept: {runs} (the runs of your own methods; remove it by hand if you do not need them)"
        )
    elif places.BUILD.exists():
        places.BUILD.rmdir()
    return 0


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "book": book,
    "test": test,
    "test-full": test_full,
    "test-all": test_all,
    "lint": lint,
    "style": style,
    "types": types,
    "bench": bench,
    "lab": lab,
    "slides": slides,
    "pdf": pdf,
    "run": run,
    "setup": setup,
    "clean": clean,
}
_TESTS = ("test", "test-full", "test-all")
_HANDS_ON = (*_TESTS, "bench", "slides", "pdf", "run")


def parser() -> argparse.ArgumentParser:
    """The command line, without what ``test``, ``bench`` and ``run`` hand on."""
    top = argparse.ArgumentParser(
        prog="bootstrap.py", description="Make the environment, then do one thing in it."
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, function in COMMANDS.items():
        text = (function.__doc__ or "").strip()
        usage = f"bootstrap.py {name} ..." if name in _HANDS_ON else None
        command = commands.add_parser(name, help=text, description=text, usage=usage)
        if name == "book":
            command.add_argument(
                "--profile",
                choices=("quick", "full"),
                default="quick",
                help="which runs to execute: a few (the default) or all",
            )
        if name == "lab":
            command.add_argument(
                "page", nargs="?", default="book", help="such as book/delve/expected-loss.md"
            )
            command.add_argument(
                "--no-browser", action="store_true", help="say the address, and open no browser"
            )
            command.add_argument(
                "--port", type=int, default=8888, help="the next free one is taken (8888)"
            )
    return top


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    rest = list(arguments[1:]) if arguments and arguments[0] in _HANDS_ON else []
    if rest and (arguments[0] in _TESTS or rest[0] not in ("-h", "--help")):
        arguments = arguments[:1]
    options = parser().parse_args(arguments)
    rest = rest[1:] if rest[:1] == ["--"] else rest
    if arguments and arguments[0] in _TESTS and rest[:1] in (["instrument"], ["book"]):
        rest = [*without_others(rest[0]), *rest[1:]]
    options.rest = rest
    return options


def main(arguments: Sequence[str]) -> int:
    """Do what the command line asks; return the exit code."""
    options = parse(arguments)
    try:
        places.prune_kernel_caches()
        return COMMANDS[options.command](options)
    except Trouble as trouble:
        print(f"\n{trouble}", file=sys.stderr)
    except OSError as error:
        advice = explain(error)
        if advice is None:
            raise
        print(f"\n{error}\n{advice}", file=sys.stderr)
    except KeyboardInterrupt:
        print("\ninterrupted; run the same command again to go on", file=sys.stderr)
        return 130
    return 1
