"""A hostile folder or zip is told what is wrong with it; nothing outside is read, nothing written, memory bounded."""

import io
import os
import stat
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest

from benchbook.errors import BenchbookError, FaultyInput
from benchbook_book.course.challenge import SubmissionLimits
from benchbook_book.course.challenge.container import Folder
from benchbook_book.course.challenge.findings import Findings, Unreadable

GAUSSIAN = {"task": "fuel/test", "file": "a.txt", "kind": "gaussian"}
NUMBERS = "\n".join(f"car-{i} 1 1" for i in range(8))


@pytest.fixture
def packed(sent, tmp_path):
    """A zip of a good submission and of other things, given as names and contents or as ZipInfo and contents."""

    def pack(
        *others: tuple[str | zipfile.ZipInfo, bytes], top: str = "", numbers: str = NUMBERS
    ) -> Path:
        path = tmp_path / "sent.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{top}manifest.toml", sent.manifest(GAUSSIAN))
            archive.writestr(f"{top}a.txt", numbers)
            for name, content in others:
                archive.writestr(name, content)
        return path

    return pack


def unix(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr, info.create_system = mode << 16, 3
    return info


def test_a_good_zip_is_valid_with_a_folder_of_its_own_and_a_desktops_dust(sent, packed):
    assert sent.said(packed()).endswith("is valid")
    dusty = packed(
        ("mine/.DS_Store", b"x"),
        ("__MACOSX/mine/._a.txt", b"x"),
        (unix("mine/more/", 0o40755), b""),
        top="mine/",
    )
    assert sent.said(dusty).endswith("is valid")
    assert "remark: not named in the manifest and not read: 'code.py'" in sent.said(
        packed(("code.py", b"exit()"))
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../up.txt", "found '../up.txt'; must not climb out of the submission"),
        ("b/../../up.txt", "must not climb out of the submission"),
        ("/etc/passwd", "must be a path inside the submission, not an absolute one"),
        ("C:\\up.txt", "must be a path inside the submission, not an absolute one"),
        ("b\\up.txt", "must have / between folders, not a backslash"),
        ("a.txt:stream", "without a colon"),
        ("b//c.txt", "must not have empty parts"),
        ("1/2/3/4/5.txt", "must not lie more than 3 folders deep"),
        ("x" * 300, "must be a name of 1 to 255 printable characters"),
        ("new\nline", r"found 'new\nline'; must be a name of 1 to 255 printable"),
        ("nul.txt", "must not be the name of a device"),
        ("A.TXT", "another file named 'a.txt'; must differ in more than upper and lower case"),
        ("inner.zip", "found an archive or compressed file; must be unpacked: nothing is nested"),
        ("numbers.tar.gz", "nothing is nested"),
        (
            unix("link", stat.S_IFLNK | 0o777),
            "link: found a symbolic link; must be the file itself",
        ),
        (
            unix("dev", stat.S_IFCHR | 0o666),
            "dev: found a device, pipe or folder; must be a plain file",
        ),
    ],
)
def test_a_bad_thing_in_a_zip_is_told(sent, packed, name, said):
    assert said in sent.said(packed((name, b"/etc/passwd")))


def test_the_same_name_twice_is_told(sent, packed):
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = packed(("a.txt", b"other"))
    assert "a.txt, name: found another file named 'a.txt'" in sent.said(path)


def test_other_packings_are_told(sent, packed):
    info = zipfile.ZipInfo("b.txt")
    info.compress_type = zipfile.ZIP_BZIP2
    assert "found compression method 12; must be stored or deflated" in sent.said(
        packed((info, b"1"))
    )
    path = packed()
    raw = bytearray(path.read_bytes())
    raw[raw.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(raw)
    assert "a.txt: found an encrypted file; must be packed without a password" in sent.said(path)


def bomb(size: int, declared: int | None = None) -> bytes:
    """A zip whose file a.txt unpacks to ``size`` zeros, a multiple of a MiB, and declares as many or others."""
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = pack.compress(bytes(1 << 20)) + pack.flush(zlib.Z_FULL_FLUSH)
    data = block * (size >> 20) + pack.flush()
    declared = size if declared is None else declared
    sizes = struct.pack("<HHHIII", 8, 0, 0, 0, len(data), declared)
    local = (
        b"PK\x03\x04"
        + struct.pack("<HH", 20, 0)
        + sizes
        + struct.pack("<HH", 5, 0)
        + b"a.txt"
        + data
    )
    entry = (
        b"PK\x01\x02"
        + struct.pack("<HHH", 20, 20, 0)
        + sizes
        + struct.pack("<HHHHHII", 5, 0, 0, 0, 0, 0, 0)
    )
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry) + 5, len(local), 0)
    return local + entry + b"a.txt" + end


def with_manifest(sent, raw: bytes, path: Path) -> Path:
    path.write_bytes(raw)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("manifest.toml", sent.manifest(GAUSSIAN))
    return path


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (None, "a.txt: found a size of 2 GiB; must be at most 64 MiB unpacked"),
        (1000, "a.txt: found a file that cannot be read (Bad CRC-32"),
    ],
)
def test_two_gigabytes_of_zeros_cost_no_memory(sent, tmp_path, declared, said):
    path = with_manifest(sent, bomb(2 << 30, declared), tmp_path / "bomb.zip")
    assert path.stat().st_size < 3 << 20
    tracemalloc.start()
    reported = sent.said(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert said in reported
    assert peak < 8 << 20


@pytest.mark.parametrize(
    "limit", ["total", "file", "manifest", "line", "packed", "entries", "depth"]
)
def test_limits_may_be_reached_and_not_exceeded(sent, packed, limit):
    sizes = [len(sent.manifest(GAUSSIAN)), len(NUMBERS)]
    sent.put("manifest.toml", sent.manifest(GAUSSIAN))
    sent.put("a.txt", NUMBERS)
    path = packed() if limit == "packed" else sent.folder
    exact = {"total": sum(sizes), "file": max(sizes), "manifest": sizes[0], "line": 10}
    exact |= {"packed": path.stat().st_size, "entries": 2, "depth": 1}
    assert sent.said(path, **{limit: exact[limit]}).endswith("is valid")
    assert "fault" in sent.said(path, **{limit: exact[limit] - 1})


def test_a_long_list_of_contents_is_not_read(sent, tmp_path):
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(1500):
            archive.writestr(f"{number:04}" + "x" * 100, "")
    assert "found 1500 files and folders; must be at most 1000" in sent.said(path)
    assert "its list of contents is longer than 128 KiB" in sent.said(path, packed=1 << 20)
    assert "found a zip file of" in sent.said(path, packed=1000)


@pytest.mark.parametrize("raw", [b"", b"PK", b"PK\x05\x06" + bytes(18), b"hello" * 100])
def test_what_is_no_zip_is_told(sent, tmp_path, raw):
    path = tmp_path / "x.zip"
    path.write_bytes(raw)
    assert "fault: " in sent.said(path)


def test_a_bad_folder_is_told(sent, tmp_path):
    (tmp_path / "secret.txt").write_text(NUMBERS)
    sent.put(
        "manifest.toml",
        sent.manifest(GAUSSIAN, GAUSSIAN | {"task": "fuel/validation", "file": "b/c.txt"}),
    )
    os.symlink(tmp_path / "secret.txt", sent.folder / "a.txt")
    os.symlink(tmp_path, sent.folder / "b")
    os.mkfifo(sent.folder / "pipe")
    sent.put("1/2/3/4/deep.txt", "")
    sent.put("x.zip", b"PK\x03\x04")
    assert "6 faults in 6 places" in sent.said()
    assert "found more than 3 files and folders" in sent.said(entries=3)


@pytest.mark.parametrize("other", ["link", "pipe"])
def test_a_file_that_is_no_file_any_more_is_not_read(sent, tmp_path, monkeypatch, other):
    sent.put("manifest.toml", sent.manifest(GAUSSIAN))
    path = sent.put("a.txt", NUMBERS)
    found, scandir = Folder(sent.folder, Findings(9), SubmissionLimits()), os.scandir
    assert found.read_bytes("a.txt") == NUMBERS.encode()
    path.unlink()
    os.mkfifo(path) if other == "pipe" else path.symlink_to(sent.folder / "manifest.toml")
    with pytest.raises(Unreadable, match="plain file" if other == "pipe" else "symbolic links"):
        found.read_bytes("a.txt")
    monkeypatch.setattr(
        os, "scandir", lambda path: scandir(path if path.name == "sent" else "none")
    )
    sent.put("b/c.txt", "1")
    assert "b: found a folder that cannot be read (No such file or directory)" in sent.said()


def test_the_manifest_may_be_missing_or_a_link(sent, tmp_path):
    sent.put("Manifest.toml", "")
    output = sent.said()
    assert (
        "manifest.toml: found no such file; must be at the top of the submission; found 'Manifest.toml'"
        in output
    )
    (sent.folder / "Manifest.toml").unlink()
    os.symlink("/etc/passwd", sent.folder / "manifest.toml")
    assert "manifest.toml: found a symbolic link" in sent.said()


def test_nothing_at_the_path_and_devices_are_told(sent, tmp_path):
    with pytest.raises(BenchbookError, match="there is no submission"):
        sent.check(tmp_path / "none")
    assert "found a device, pipe or socket; must be a folder or a zip file" in sent.said(
        Path("/dev/zero")
    )


def test_a_check_writes_nothing_and_runs_nothing(sent, packed, tmp_path, monkeypatch):
    path = packed(("numpy.py", b"raise SystemExit"), ("sitecustomize.py", b"raise SystemExit"))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    monkeypatch.chdir(tmp_path)
    assert sent.said(path).endswith("is valid")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_reading_raises_with_all_faults(sent):
    from benchbook_book.course import challenge

    sent.put("manifest.toml", sent.manifest(GAUSSIAN))
    sent.put("a.txt", NUMBERS.replace("1 1", "nan 0"))
    with pytest.raises(FaultyInput) as caught:
        challenge.read(sent.folder, sent.organiser, SubmissionLimits(kept=10))
    assert len(caught.value.faults) == 11
    assert str(caught.value.faults[-1]) == "a.txt: found 6 faults more; are counted and not listed"
    assert io.StringIO(str(caught.value)).readline().endswith("11 faults\n")
    with pytest.raises(FaultyInput) as caught:
        challenge.read(sent.folder, sent.organiser, SubmissionLimits(kept=16))
    assert len(caught.value.faults) == 16
