"""What can go wrong while the environment is made, and what the user is told to do about it."""

from __future__ import annotations

import errno
import importlib.util
import platform
import re
import shutil
import struct
import sys
from pathlib import Path


class Trouble(Exception):
    """Something the user can mend. It is printed without a traceback."""


DISK = "The disk is full. The environment needs 1.5 GB; free some space and run the same command again."
PERMISSION = """\
The checkout cannot be written to. Clone the project into a folder of your own, or mend its permissions, and run the
same command again."""
NETWORK = """\
pip could not reach its package index. Run the same command again when the network is back.
Behind a proxy, set HTTPS_PROXY; with a mirror of your own, set PIP_INDEX_URL.
Without any network: in a checkout on a machine of the same kind ({machine}) that has one, run
    {python} -m pip download --only-binary=:all: -r requirements.txt -r requirements-dev.txt -d wheels
then copy the folder wheels into this checkout and set PIP_NO_INDEX=1 and PIP_FIND_LINKS=wheels for the same command."""
HASHES = """\
A file that pip was given for a package is not one of those that were published, or was damaged on its way: its digest
is not in the lock, and it was not installed. Remove the copies there are (python3 -m pip cache purge; the folder of
wheels, if you have one), and run the same command again. If it is refused again, tell who runs the index or proxy."""
NO_WHEEL = """\
pip found no ready-made {name} for this machine ({machine}).
Python 3.11, 3.12 and 3.13 on 64-bit Linux (glibc), Windows and Apple silicon have one; use one of these. If yours is
such a machine, the index or the folder of wheels that pip is told to use (pip config list) does not carry it."""
UNKNOWN = "The set-up failed in a way that this script does not know; the last lines of what was said are above."
_NEEDED_BYTES = 1_500_000_000

_SIGNS = (
    (HASHES, r"do not match the hashes|hashes are required in --require-hashes mode"),
    (DISK, r"no space left on device|disk quota exceeded|errno 28\b|errno 122\b"),
    (PERMISSION, r"permission denied|read-only file system|errno 13\b|errno 30\b"),
    (
        NETWORK,
        r"newconnectionerror|name resolution|name or service not known|getaddrinfo failed|nodename nor servname"
        r"|network is unreachable|no route to host|connection (refused|reset|aborted|broken)|proxyerror|timed out"
        r"|timeouterror|sslerror|certificate_verify_failed|incompleteread|maxretryerror"
        r"|http error (403|407|5\d\d)",
    ),
    (NO_WHEEL, r"no matching distribution found for|is not a supported wheel"),
)


def machine() -> str:
    """The machine and its Python in a few words, such as ``Linux x86_64, Python 3.11.7``."""
    return f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"


def diagnose(output: str) -> str:
    """Advice for what pip or venv said in ``output`` before it failed."""
    for advice, pattern in _SIGNS:
        if re.search(pattern, output, re.IGNORECASE):
            name = re.search(r"no matching distribution found for ([\w.-]+)", output, re.IGNORECASE)
            python = f"python{sys.version_info[0]}.{sys.version_info[1]}"
            return advice.format(
                name=name.group(1) if name else "package", machine=machine(), python=python
            )
    return UNKNOWN


def explain(error: OSError) -> str | None:
    """Advice for an error of the file system, or nothing when it is of another kind."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DISK
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return PERMISSION
    return None


def unsuitable_machine(system: str, processor: str, pointer_bytes: int, libc: str) -> str:
    """Why the environment cannot be made on such a machine, or nothing when it can."""
    if pointer_bytes < 8:
        return "This is a 32-bit Python, and numba has no ready-made package for it. Install a 64-bit Python."
    if system == "Darwin" and processor == "x86_64":
        return (
            "This Python is built for Intel Macs, and numba has no ready-made package for them any more.\n"
            "On an Apple silicon Mac, install a native (arm64) Python; on an Intel Mac, use Linux in a container."
        )
    if system == "Linux" and libc == "musl":
        return (
            "This Linux uses the musl C library (as Alpine does), and numba has no ready-made package for it.\n"
            "Use a distribution with glibc: Debian, Ubuntu, Fedora and most others."
        )
    return ""


def check_machine(folder: Path) -> None:
    """Raise ``Trouble`` when no environment can be made in ``folder`` with this Python on this machine."""
    libc = (
        "glibc"
        if platform.libc_ver()[0] == "glibc"
        else "musl"
        if any(Path("/lib").glob("ld-musl-*"))
        else ""
    )
    wrong = unsuitable_machine(platform.system(), platform.machine(), struct.calcsize("P"), libc)
    if wrong:
        raise Trouble(wrong)
    missing = missing_modules(("venv", "ensurepip"))
    if missing:
        raise Trouble(advice_for_missing(missing, Path("/etc/debian_version").exists()))
    if shutil.disk_usage(folder).free < _NEEDED_BYTES:
        raise Trouble(DISK)


def missing_modules(names: tuple[str, ...]) -> list[str]:
    """Which of these modules of the standard library this Python was installed without."""
    specs = {name: importlib.util.find_spec(name) for name in names}
    return [name for name, spec in specs.items() if spec is None or spec.origin is None]


def advice_for_missing(missing: list[str], debian: bool) -> str:
    """What to do when this Python lacks ``venv`` or ``ensurepip``."""
    lines = [f"This Python ({sys.executable}) was installed without {' and '.join(missing)}."]
    if debian:
        lines += [
            "Debian and Ubuntu keep it in a package of its own. Install it, and run the same command again:",
            f"    sudo apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv",
        ]
    else:
        lines += [
            "Install your system's full Python, or the one from https://www.python.org/downloads/, and run",
            "the same command again.",
        ]
    return "\n".join(lines)
