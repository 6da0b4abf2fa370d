"""A method's libraries have one thread while it runs, and afterwards as many as before."""

import os
import subprocess
import sys

SCRIPT = """
from threadpoolctl import threadpool_info
from benchbook.methods.shared.threads import one_thread

def threads():
    return [library["num_threads"] for library in threadpool_info()]

with one_thread():
    before = threads()
    assert set(before) == {1}, before
assert set(threads()) == {2}, threads()
import sklearn.ensemble  # brings another library
assert len(threads()) > len(before)
with one_thread():
    assert set(threads()) == {1}
    with one_thread():
        assert set(threads()) == {1}
    assert set(threads()) == {1}
assert set(threads()) == {2}
"""


def test_libraries_that_come_later_are_held_too_and_all_are_let_go():
    subprocess.run(
        [sys.executable, "-c", SCRIPT],
        check=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"},
    )
