"""Compiled loops that an older version of the package left behind do not stop a newer one."""

import os
import subprocess
import sys
from pathlib import Path

import benchbook.kernels

OLD = """
from typing import NamedTuple
from numba import njit

class Old(NamedTuple):
    value: float

@njit(cache=True)
def doubled(pair):
    return 2.0 * pair.value
"""


def test_a_renamed_class_of_an_argument_is_compiled_anew(tmp_path):
    """The same loop, its class renamed, in a copy of the room's first file: without the removal numba cannot read."""
    room = tmp_path / "room"
    room.mkdir()

    def run(name: str, head: str) -> subprocess.CompletedProcess[str]:
        (room / "__init__.py").write_text(head)
        (room / "loop.py").write_text(OLD.replace("Old", name))
        environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
        return subprocess.run(
            [sys.executable, "-c", f"from room import loop; print(loop.doubled(loop.{name}(2.0)))"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    # The other name is longer: of two files of the same second Python asks for the size alone.
    ours = Path(benchbook.kernels.__file__).read_text(encoding="utf-8")
    assert run("Old", "").stdout == "4.0\n"
    assert "Can't get attribute 'Old'" in run("Renamed", "").stderr
    assert run("Renamed", ours).stdout == "4.0\n"
