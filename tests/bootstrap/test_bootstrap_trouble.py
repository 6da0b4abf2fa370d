"""What the user is told when the set-up fails."""

import errno
import re
import shutil
import sys

import pytest

from checkout import environment, places, trouble
from checkout.trouble import DISK, HASHES, NETWORK, PERMISSION, UNKNOWN, Trouble, diagnose

OFFLINE = """\
WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError(<HTTPSConnection>: Failed to establish
a new connection: [Errno -3] Temporary failure in name resolution')': /simple/numpy/
ERROR: Could not find a version that satisfies the requirement numpy==2.4.6 (from versions: none)
ERROR: No matching distribution found for numpy==2.4.6
"""


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        (OFFLINE, NETWORK),
        ("ReadTimeoutError: HTTPSConnectionPool: Read timed out.", NETWORK),
        ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'))", NETWORK),
        ("ERROR: HTTP error 503 while getting numpy", NETWORK),
        (
            "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
            DISK,
        ),
        ("OSError: [Errno 122] Disk quota exceeded", DISK),
        (
            "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/x'",
            PERMISSION,
        ),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", HASHES),
        ("Segmentation fault", UNKNOWN),
    ],
)
def test_advice_follows_from_what_pip_said(said, advice):
    assert diagnose(said) == advice.format(
        machine=trouble.machine(), python=f"python3.{sys.version_info[1]}"
    )


def test_a_package_without_a_ready_made_file_is_named_with_the_machine():
    output = diagnose("ERROR: No matching distribution found for llvmlite==0.50.0")
    assert "no ready-made llvmlite for this machine" in output
    assert trouble.machine() in output


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, DISK),
        (errno.EROFS, PERMISSION),
        (errno.EACCES, PERMISSION),
        (errno.ENOENT, None),
    ],
)
def test_errors_of_the_file_system_have_advice_when_the_user_can_mend_them(number, advice):
    assert trouble.explain(OSError(number, "as the system says it")) == advice


@pytest.mark.parametrize(
    ("system", "processor", "pointer", "libc", "word"),
    [
        ("Darwin", "x86_64", 8, "", "Intel Macs"),
        ("Linux", "x86_64", 8, "musl", "musl"),
        ("Linux", "i686", 4, "glibc", "32-bit"),
        ("Windows", "x86", 4, "", "32-bit"),
    ],
)
def test_machines_without_numba_are_told_so_before_anything_is_installed(
    system, processor, pointer, libc, word
):
    assert word in trouble.unsuitable_machine(system, processor, pointer, libc)


@pytest.mark.parametrize(
    ("system", "processor", "libc"),
    [
        ("Linux", "x86_64", "glibc"),
        ("Linux", "aarch64", "glibc"),
        ("Darwin", "arm64", ""),
        ("Windows", "AMD64", ""),
    ],
)
def test_machines_with_numba_are_let_pass(system, processor, libc):
    assert trouble.unsuitable_machine(system, processor, 8, libc) == ""


def test_a_module_of_which_only_an_empty_folder_is_left_counts_as_missing(tmp_path, monkeypatch):
    (tmp_path / "emptied").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert trouble.missing_modules(("json", "emptied", "no_such_module")) == [
        "emptied",
        "no_such_module",
    ]


def test_debian_is_told_the_package_to_install():
    command = f"sudo apt install python3.{sys.version_info[1]}-venv"
    assert command in trouble.advice_for_missing(["ensurepip"], debian=True)
    elsewhere = trouble.advice_for_missing(["venv", "ensurepip"], debian=False)
    assert "apt" not in elsewhere
    assert "without venv and ensurepip" in elsewhere


def test_too_small_a_disk_is_found_out_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(trouble, "missing_modules", lambda names: [])
    monkeypatch.setattr(
        shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(10**12, 10**12 - 10**6, 10**6)
    )
    with pytest.raises(Trouble, match="disk is full"):
        trouble.check_machine(tmp_path)


def test_a_failed_command_shows_its_last_lines_and_the_advice(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "ROOT", tmp_path)
    program = (
        "print('first')\nfor i in range(20): print('line', i)\n"
        "print('Ignoring x: markers')\nprint('[Errno 28] ' * 40)\nraise SystemExit(3)"
    )
    with pytest.raises(Trouble) as raised:
        environment._call([sys.executable, "-c", program])
    message = str(raised.value)
    assert DISK in message
    assert "line 19" in message
    assert "first" not in message
    assert "Ignoring" not in message
    assert max(map(len, message.splitlines())) < 175
    assert not re.search("Traceback", message)
