"""Files that never end, or that are a thousand times larger than they look, are refused before they are read."""

import gzip
import io
import os
import subprocess
import sys
import zipfile
import zlib

import numpy as np
import pytest
from refusals import refused

from benchbook.assess.densities.posterior_files import read_log_likelihood
from benchbook.errors import BenchbookError
from benchbook.files import gunzip, read_file, refuse_large_archive, unzip

BOMB = b"0" * (1 << 22)


@pytest.mark.parametrize("text", [b"", b"a", BOMB])
def test_what_was_packed_is_unpacked(text):
    assert gunzip(gzip.compress(text), "it") == text
    assert gunzip(gzip.compress(text) + gzip.compress(b"more"), "it") == text + b"more"


def test_what_is_larger_unpacked_is_refused_before_all_of_it_is_there():
    refused(BenchbookError, "more than 1 MB", gunzip, gzip.compress(BOMB), "it", 1 << 20)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", BOMB)
    with zipfile.ZipFile(packed) as archive:
        assert unzip(archive, "a", "it") == BOMB
        refused(BenchbookError, "more than 1 MB", unzip, archive, "a", "it", 1 << 20)


@pytest.mark.parametrize("cut", [1, 5, 12, -1, -9])
def test_what_is_cut_short_or_damaged_is_no_data(cut):
    with pytest.raises((EOFError, zlib.error)):
        gunzip(gzip.compress(b"some text that is packed")[:cut], "it")


def test_an_archive_of_numpy_says_how_large_it_is(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", a=np.zeros(1 << 18))
    refuse_large_archive(tmp_path / "a.npz", 3 << 20)
    refused(BenchbookError, "more than 1 MB", refuse_large_archive, tmp_path / "a.npz", 1 << 20)


def test_a_file_is_read_up_to_a_size(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert read_file(tmp_path / "a", "plan", 5) == b"12345"
    refused(BenchbookError, "5 bytes, more than 4", read_file, tmp_path / "a", "plan", 4)
    refused(BenchbookError, r"no plan .*b", read_file, tmp_path / "b", "plan", 4)
    refused(BenchbookError, "cannot be read", read_file, tmp_path, "plan", 4)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
@pytest.mark.timeout(20)
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "p.toml")
    refused(BenchbookError, "it is a pipe", read_file, tmp_path / "p.toml", "plan", 4)
    refused(BenchbookError, "a device or a socket", read_file, "/dev/zero", "plan", 4)


def test_tables_that_unpack_to_gigabytes_take_less_than_one(tmp_path):
    resource = pytest.importorskip("resource")
    path = tmp_path / "b.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"a,b,y\n")
        for _ in range(1100):
            file.write(b"0,0,0\n" * 170_000)
    made = subprocess.run(
        [sys.executable, "-m", "benchbook", "datasets", "add", str(path), "--target", "y"],
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30)),
    )
    assert made.returncode == 2, made.stderr
    assert "more than 200 MB" in made.stderr


def test_log_likelihoods_that_unpack_to_more_than_memory_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("benchbook.assess.densities.posterior_files._MOST_UNPACKED", 1 << 20)
    np.savez_compressed(tmp_path / "a.npz", a=np.zeros((2, 100, 1000)))
    refused(BenchbookError, "more than 1 MB", read_log_likelihood, tmp_path / "a.npz")
