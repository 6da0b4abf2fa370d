"""Bad input for every command, one line each: what is given, and what must be said of it.

The modules beside this file hold the lines, in tables ``BAD`` of (name, files, command, says) and, where the exit code
is not 2, the code; with 1 failed runs are kept in ``runs``. ``files`` has the content of every file by its name: text,
bytes, None for a folder, or a function that makes the file at the path it is given. ``says`` is what the message must
contain, one text or several; ``said.txt`` has all of it. What is accepted, hangs, shows a traceback or leaves something
behind fails.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from command_lines import invoke
from printed import held

ROOT = Path(__file__).parents[2]
SAID = Path(__file__).with_name("said.txt")
"""All that each line prints, word for word."""
LONGEST = 20_000
"""Characters of the longest message."""
SLIPS = ("Traceback", "[Errno", "object has no attribute", "Error: Error", " at 0x")
"""What a message of the house does not contain."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "bad" in metafunc.fixturenames:
        table = metafunc.module.BAD
        metafunc.parametrize("bad", table, ids=[line[0] for line in table])


def pytest_itemcollected(item: pytest.Item) -> None:
    if "bad" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.timeout(60))  # what takes longer hangs; the machine may be busy


def put(folder: Path, files: Mapping[str, Any]) -> None:
    """Make the files of one line of a table."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir()
        elif callable(content):
            content(path)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())


def tree(folder: Path) -> dict[str, str]:
    """Everything below a folder, with the digest of every file."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else ""
        for path in folder.rglob("*")
    }


def _kept(name: str) -> bool:
    """Whether it is a failed run that was kept, as it must be, in the folder ``runs`` of a line."""
    path = Path(name)
    return (
        path.parts[:2] == ("here", "runs")
        and path.suffix in ("", ".parquet")
        and not path.name.startswith(".")
    )


def say(key: str, text: str) -> None:
    """Hold all that is printed word for word."""
    held(SAID, key, text.replace(str(ROOT), "CHECKOUT"))


@pytest.fixture(scope="session")
def said() -> Callable[[str, str], None]:
    """Hold a text word for word."""
    return say


@pytest.fixture
def refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    forked: None,
    request: pytest.FixtureRequest,
) -> Callable[..., str]:
    """Give one line of a table to the command line; returns all that was printed."""
    monkeypatch.setenv("BENCHBOOK_OFFLINE", "1")
    for variable in ("RUNS", "ARCHIVE", "CACHE"):
        monkeypatch.setenv(f"BENCHBOOK_{variable}", str(tmp_path / variable.lower()))
    monkeypatch.setenv("BENCHBOOK_DATA", "")
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def give(line: Sequence[Any]) -> str:
        _, files, command, says, *code = line
        put(folder, files)
        before = tree(tmp_path)
        result = invoke(shlex.split(command) if isinstance(command, str) else list(command))
        text = f"{command!s:.200}: exit code {result.exit_code}\n{result.output[:3000]}\n{result.exception!r:.300}"
        assert result.exception is None or isinstance(result.exception, SystemExit), text
        assert result.exit_code == (code[0] if code else 2), text
        for words in [says] if isinstance(says, str) else says:
            assert words in result.output, f"{words!r} is not said\n{text}"
        assert not [slip for slip in SLIPS if slip in result.output], text
        assert len(result.output) <= LONGEST, f"{len(result.output)} characters\n{text}"
        after = {
            name: digest
            for name, digest in tree(tmp_path).items()
            if not (code == [1] and _kept(name))
        }
        assert after == before, f"{set(after) ^ set(before) or 'files'} changed\n{text}"
        if "bad" in request.fixturenames:
            key = f"{request.module.__name__.rpartition('_')[2]}: {request.node.callspec.id}"
            say(key, result.output.replace(str(tmp_path), "HERE"))
        return result.output

    return give
