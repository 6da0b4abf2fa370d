"""Only files whose digests the lock has are installed. pip itself is asked, without a network; it installs nothing."""

import hashlib
import os
import sys
import zipfile

import pytest

from checkout import environment, places
from checkout.trouble import HASHES, Trouble

FILES = {
    "METADATA": "Metadata-Version: 2.1\nName: nothing-at-all\nVersion: 1.0\n",
    "WHEEL": "Wheel-Version: 1.0\nTag: py3-none-any\n",
    "RECORD": "",
}


@pytest.fixture
def offline(tmp_path, monkeypatch):
    """A checkout in a path that pip would take apart, with a folder of wheels that has one; returns its wheel."""
    root = tmp_path / "a clone with spaces"
    wheels = root / "wheels"
    wheels.mkdir(parents=True)
    monkeypatch.setattr(places, "ROOT", root)
    monkeypatch.setattr(places, "PYTHON", sys.executable)
    for name, value in {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": "wheels",
        "PIP_DRY_RUN": "1",
        "PIP_CONFIG_FILE": os.devnull,
    }.items():
        monkeypatch.setenv(name, value)
    wheel = wheels / "nothing_at_all-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in FILES.items():
            archive.writestr(f"nothing_at_all-1.0.dist-info/{name}", text)
    return wheel


def install(line):
    lock = places.ROOT / "requirements.txt"
    lock.write_text(f"{line}\n", encoding="utf8")
    environment._install(lock, "nothing")


def digest(wheel):
    return f"--hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}"


@pytest.mark.parametrize("elsewhere", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_folder_of_wheels_is_enough(offline, tmp_path, monkeypatch, elsewhere):
    monkeypatch.chdir(tmp_path if elsewhere else places.ROOT)
    install(f"nothing-at-all==1.0 {digest(offline)}")


def test_a_file_that_differs_is_refused(offline):
    before = digest(offline)
    with zipfile.ZipFile(offline, "a") as archive:
        archive.writestr("stowaway.py", "")
    with pytest.raises(Trouble) as caught:
        install(f"nothing-at-all==1.0 {before}")
    assert HASHES in str(caught.value)
    assert "nothing-at-all" in str(caught.value)


def test_a_lock_without_digests_is_refused(offline):
    with pytest.raises(Trouble, match="Hashes are required"):
        install("nothing-at-all==1.0")


def test_a_package_that_the_folder_of_wheels_lacks_is_named(offline):
    with pytest.raises(Trouble, match="pip found no ready-made something-else"):
        install(f"something-else==1.0 {digest(offline)}")
