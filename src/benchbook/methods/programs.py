"""Any program as a method: it reads two files and writes one."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.methods import settings
from benchbook.methods.base import refuse_faulty
from benchbook.tasks import delve
from benchbook.tasks.recoding import encoding_text

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

PLACES = ("train", "test", "guess", "seed")
_NEEDED = ("train", "test", "guess")
_LARGEST_SEED = 2**31


@dataclass(frozen=True)
class CommandMethod:
    """A method made from a command by ``from_command``."""

    name: str
    description: str
    kinds: frozenset[str]
    words: tuple[str, ...]
    timeout: float | None = None
    encoding: str = ""

    def predict(self, instance: TaskInstance, rng: np.random.Generator) -> Predictive:
        with tempfile.TemporaryDirectory(prefix="benchbook-") as folder:
            train, test = delve.write_instance(instance, folder)
            guess = Path(folder) / "guess"
            places = {
                "train": str(train),
                "test": str(test),
                "guess": str(guess),
                "seed": str(rng.integers(_LARGEST_SEED)),
            }
            _run(
                [_fill(word, places) for word in self.words], Path(folder) / "stderr", self.timeout
            )
            return delve.read_guess(guess, instance)


def _run(words: list[str], stderr: Path, timeout: float | None) -> None:
    """Run a program to its end; one that is late or interrupted is stopped with all that it started."""
    with stderr.open("wb") as text:
        process = _start(words, text)
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            late = f"{words[0]!r} was stopped after {timeout:g} seconds; allow it more, or give it less to do"
            raise BenchbookError(late) from None
        finally:
            if process.poll() is None:
                _stop(process)
    if code:
        lines = [
            line.strip() for line in stderr.read_text(errors="replace").splitlines() if line.strip()
        ]
        last = (
            f"its last line on standard error: {lines[-1]}"
            if lines
            else "it wrote nothing to standard error"
        )
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        raise BenchbookError(f"{words[0]!r} ended with {how}; {last}")


def _start(words: list[str], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            start_new_session=True,
            env=_environment(),
        )
    except FileNotFoundError:
        raise BenchbookError(
            f"there is no program {words[0]!r} (looked from {Path.cwd()})"
        ) from None
    except PermissionError:
        raise BenchbookError(
            f"{words[0]!r} cannot be executed; make it executable with chmod +x"
        ) from None
    except OSError as error:
        raise BenchbookError(
            f"{words[0]!r} cannot be executed: {error.strerror}; has a script a first line "
            "such as #!/bin/sh?"
        ) from None


def _environment() -> dict[str, str]:
    """What a program is told of its surroundings: nothing of where data, archives and runs are."""
    return {name: value for name, value in os.environ.items() if not name.startswith("BENCHBOOK_")}


def _stop(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def from_command(
    command: str,
    *,
    name: str | None = None,
    description: str = "",
    kinds: Collection[str] = ("real", "class"),
    timeout: float | None = None,
    encoding: str | Mapping[str, str] = "",
) -> CommandMethod:
    """A method from a program in any language.

    For each task instance the program is run once, from the current folder, without a shell and without environment
    variables that begin with ``BENCHBOOK_``, which say where data is. It reads the training cases (inputs, then the
    target, one case a line, blank-separated) and the test inputs, in its encoding, and writes one line for each test
    case, in that encoding too: a guess, or mean and variance; for C classes a class index or C probabilities (see
    ``tasks.delve.read_guess``).

    Args:
        command: with {train}, {test} and {guess} where the paths of the three files go, and {seed} for a number from
            the seed of the run if the program wants one; quoted as for a shell.
        name: the method's name; when left out, that of the last file in the command ("mine" for "python3 mine.py ..."),
            or of the program.
        description: one sentence; the command when left out.
        kinds: the targets it can predict.
        timeout: seconds after which it is stopped; no limit when left out.
        encoding: the encoding that it asks for, "copy" for raw values (``tasks.encoding_text``); that of the task when
            left out.

    Raises:
        BenchbookError: the command cannot be read, or lacks one of the three places.
    """
    if "\0" in command:
        raise BenchbookError(f"the command {command!r} has a zero byte in it, which no command has")
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise BenchbookError(f"the command {command!r} cannot be read: {error}") from None
    missing = [
        f"{{{index}}}" for index in _NEEDED if not any(f"{{{index}}}" in word for word in words)
    ]
    if missing:
        raise BenchbookError(
            f"the command {command!r} lacks {' and '.join(missing)}; write for example "
            "'./mine {train} {test} {guess}'"
        )
    files = [word for word in words if Path(word).is_file()] or [words[0]]
    own = name or re.sub(r"[^A-Za-z0-9._-]", "-", Path(files[-1]).stem).lstrip("._-")
    made = CommandMethod(
        own, description or command, frozenset(kinds), words, timeout, encoding_text(encoding)
    )
    refuse_faulty(made)
    return made


def is_command(spec: str) -> bool:
    """Whether a method is meant that is a program: "command: ..." or "command[name=mine]: ..."."""
    return spec.startswith(("command:", "command["))


def command_spec(command: str, name: str | None = None, encoding: str = "") -> str:
    """What ``methods.get`` finds a program by, under a name of its own and with an encoding where they are given."""
    given = [f"name={name}"] * (name is not None) + [f"encoding={encoding}"] * bool(encoding)
    options = f"[{', '.join(given)}]" if given else ""
    return f"command{options}:{command}"


def spec_parts(spec: str) -> tuple[dict[str, str], str]:
    """The options (name, encoding) and the command of what ``command_spec`` made.

    Raises:
        BenchbookError: the brackets are not closed, or hold other things.
    """
    if spec.startswith("command:"):
        return {}, spec.removeprefix("command:")
    head, closed, command = spec.partition("]:")
    options = settings.split(head + "]")[1] if closed else {"": ""}
    if options.keys() - {"name", "encoding"}:
        raise BenchbookError(
            f"method {spec}: write for example command[name=mine-2, encoding=copy]: ./mine "
            "{train} {test} {guess}"
        )
    return {key: str(value) for key, value in options.items()}, command


def from_spec(spec: str) -> CommandMethod:
    """A method from "command: ./mine {train} {test} {guess}", or "command[name=mine-2, encoding=copy]: ...".

    Raises:
        BenchbookError: as ``from_command``, or what is in the brackets means nothing.
    """
    options, command = spec_parts(spec)
    return from_command(
        command.strip(), name=options.get("name"), encoding=options.get("encoding", "")
    )


def _fill(word: str, places: dict[str, str]) -> str:
    for index in PLACES:
        word = word.replace(f"{{{index}}}", places[index])
    return word
