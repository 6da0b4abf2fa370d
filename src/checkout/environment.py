"""The environment ``.venv``: made from the locks, stamped when it is whole, made again when it is not."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checkout import places
from checkout.trouble import Trouble, check_machine, diagnose

LOCK = places.ROOT / "requirements.txt"
DEV_LOCK = places.ROOT / "requirements-dev.txt"
LAB_LOCK = places.ROOT / "requirements-lab.txt"
SLIDES_LOCK = places.ROOT / "requirements-slides.txt"
STAMP = places.VENV / "benchbook-stamp.json"
_LAST_LINES = 8
_WIDTH = 160
_SHARES = 3
"""So many pips share a lock: each waits for the index most of the time."""
_FEW = 20
"""With no more packages than that one pip does."""
_OF_NO_USE = ("Ignoring ", "WARNING: Location ")


def say(message: str) -> None:
    """Tell the user how far things are."""
    print(message, flush=True)


def digest_of(*parts: str | Path) -> str:
    """A hash of texts and of the contents of files."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update((part.read_bytes() if isinstance(part, Path) else part.encode()) + b"\0")
    return digest.hexdigest()


def wanted() -> dict[str, str]:
    """What each part of the environment must have been made from to be of use now.

    A virtual environment is tied to its own path and to the Python it was made with, so both count.
    """
    base = f"{places.ROOT}\n{sys.base_prefix}\n{sys.version}"
    return {
        "packages": digest_of(base, LOCK),
        "project": digest_of(
            places.ROOT / "pyproject.toml", places.ROOT / "src" / "benchbook" / "version.py"
        ),
        **{name: digest_of(lock) for name, (lock, _) in extras().items()},
    }


def extras() -> dict[str, tuple[Path, str]]:
    """What can be added to the packages: the lock of each, and what it is for."""
    return {
        "tools": (DEV_LOCK, "the tools for tests and checks"),
        "lab": (LAB_LOCK, "JupyterLab"),
        "slides": (SLIDES_LOCK, "reveal.js"),
    }


def installed() -> list[str]:
    """The names of the metadata folders of what is installed, without the project itself."""
    where = "Lib/site-packages" if sys.platform == "win32" else "lib/python*/site-packages"
    result = places.VENV.glob(f"{where}/*.dist-info")
    return sorted(path.name for path in result if not path.name.startswith("benchbook-"))


def read_stamp() -> dict[str, str]:
    """Which parts of the environment are whole. A missing, damaged or outlived stamp vouches for nothing."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf8"))
        parts, gone = dict(stamp["parts"]), set(stamp["installed"]) - set(installed())
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return parts if not gone and interpreter_works() else {}


def write_stamp(parts: dict[str, str]) -> None:
    """Vouch for these parts."""
    scratch = STAMP.with_suffix(".part")
    scratch.write_text(
        json.dumps({"parts": parts, "installed": installed()}, indent=1), encoding="utf8"
    )
    os.replace(scratch, STAMP)


def interpreter_works() -> bool:
    """Whether the Python of the environment starts; it does not once the Python it came from was removed."""
    try:
        return (
            subprocess.run(
                [places.PYTHON, "-I", "-c", ""], capture_output=True, check=False
            ).returncode
            == 0
        )
    except OSError:
        return False


def make(*added: str) -> None:
    """Bring the environment up to date, with what is to be added to it.

    Args:
        added: names of ``extras``.

    Raises:
        Trouble: it cannot be made, and no half of it is left; or ``.venv`` is a link, and nothing was done.
    """
    want = wanted()
    needed = ("packages", "project", *added)
    have = read_stamp()
    if all(have.get(part) == want[part] for part in needed):
        return
    target = places.VENV.resolve()
    if target != places.VENV.parent.resolve() / places.VENV.name:
        raise Trouble(
            f"{places.VENV} is a link to {target}, and an environment that others may use is not emptied. Remove the "
            "link and run the same command again; it makes an environment here."
        )
    with _alone():
        have = read_stamp()
        if have.get("packages") != want["packages"]:
            _build_packages()
            have = {"packages": want["packages"]}
            write_stamp(have)
        if have.get("project") != want["project"]:
            _pip("install", "--no-deps", "--no-build-isolation", "--editable", str(places.ROOT))
            have["project"] = want["project"]
            write_stamp(have)
        for name in added:
            if have.get(name) != want[name]:
                _install(*extras()[name])
                have[name] = want[name]
                write_stamp(have)


def _build_packages() -> None:
    check_machine(places.ROOT)
    if places.VENV.exists():
        say("The environment in .venv is out of date or damaged; it is made again.")
    try:
        base = getattr(sys, "_base_executable", None) or sys.executable
        _call([base, "-m", "venv", "--clear", str(places.VENV)])
        _install(LOCK, "the packages of the book")
    except BaseException:
        shutil.rmtree(places.VENV, ignore_errors=True)
        raise


def _install(lock: Path, what: str) -> None:
    count = sum(1 for line in lock.read_text(encoding="utf8").splitlines() if "==" in line)
    say(f"Installing {what}: {count} at most, from {lock.name} ...")
    start = time.perf_counter()
    result: Counter[str] = Counter()
    # Without dependencies, for a share lacks those that are in another; the lock has all of them.
    words = (
        "install",
        "--require-hashes",
        "--no-deps",
        "--only-binary=:all:",
        "--no-compile",
        "--progress-bar=off",
    )
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(_SHARES) as pool:
        dealt = shares(lock, Path(folder))
        for installed_share in [
            pool.submit(_pip, *words, "-r", str(share), found=result) for share in dealt
        ]:
            installed_share.result()
    # On all cores; pip uses one. Nobody imports the tests of packages, nor what does not compile, such as templates.
    subprocess.run(
        [places.PYTHON, "-m", "compileall", "-q", "-j", "0", "-x", r"[/\\]tests[/\\]", places.VENV],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    say(f"  installed in {time.perf_counter() - start:.0f} s")


def shares(lock: Path, folder: Path) -> list[Path]:
    """The lock dealt out to several files in ``folder``, every package with its digests; itself where it is short."""
    entries: list[str] = []
    for line in lock.read_text(encoding="utf8").splitlines(keepends=True):
        if line[0].isalnum():
            entries.append(line)
        elif entries:
            entries[-1] += line
    if len(entries) <= _FEW:
        return [lock]
    dealt = [folder / f"{lock.stem}-{number}.txt" for number in range(_SHARES)]
    for number, share in enumerate(dealt):
        share.write_text("".join(entries[number::_SHARES]), encoding="utf8")
    return dealt


def _pip(*arguments: str, found: Counter[str] | None = None) -> None:
    _call([str(places.PYTHON), "-m", "pip", *arguments], found)


def _call(command: list[str], found: Counter[str] | None = None) -> None:
    """Run a command of the set-up; show a count of packages on a terminal, and advice when it fails.

    ``found`` counts the packages of several commands at once.
    """
    environment = places.variables(os.environ)
    environment.setdefault("PIP_RETRIES", "2")
    lines: list[str] = []
    found = Counter() if found is None else found
    watched = sys.stdout.isatty()
    with subprocess.Popen(
        command,
        cwd=places.ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf8",
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            found["packages"] += line.startswith("Collecting ")
            if watched and line.startswith(("Collecting ", "Installing ")):
                doing = "found" if line.startswith("Collecting ") else "found, now unpacking"
                print(f"\r  {found['packages']} {doing} ", end="", flush=True)
    if watched and found["packages"]:
        print("\r" + " " * 40, end="\r", flush=True)
    if process.returncode:
        raise Trouble(f"{last_lines(lines)}\n\n{diagnose(''.join(lines))}")


def last_lines(lines: list[str]) -> str:
    """The end of what a failed command said, without what is of no use to the reader."""
    telling = [line.rstrip() for line in lines if line.strip() and not line.startswith(_OF_NO_USE)]
    ends = telling[-_LAST_LINES:]
    return "\n".join(
        "  | " + (line if len(line) <= _WIDTH else line[:_WIDTH] + " ...") for line in ends
    )


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Let one set-up at a time work on the checkout, so that ``make -j book test`` is safe."""
    places.BUILD.mkdir(exist_ok=True)
    with (places.BUILD / "setup.lock").open("a+b") as handle:
        if sys.platform == "win32":
            import msvcrt

            handle.seek(0)
            msvcrt.locking(handle.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("Another command is making the environment; waiting for it ...")
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield
