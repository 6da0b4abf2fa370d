"""Kernels are forked from a process that has loaded the libraries; what their pages depend on is written down."""

import json
import os
import sys
import threading
import time
from multiprocessing import forkserver
from pathlib import Path

import pytest
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from nbformat.v4 import new_code_cell, new_notebook

from benchbook_book.making import dependencies, kernels

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only")


@pytest.fixture(autouse=True)
def _own_fork_server():
    """Other tests of this process may have started one, which has loaded other modules."""
    forkserver._forkserver._stop()


def executed(code, folder, **variables):
    """What a cell prints."""
    client = NotebookClient(
        new_notebook(cells=[new_code_cell(code)]),
        kernel_manager_class=kernels.manager({**os.environ, **variables}),
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    kernels.retry(client.execute)
    return json.loads("".join(output.text for output in client.nb.cells[0].outputs))


def test_kernels_have_the_libraries_and_all_else_of_their_own(tmp_path):
    look = (
        "import json, os, sys\n"
        "print(json.dumps([os.getpid(), os.getppid(), os.getsid(0), os.getcwd(), os.environ.get('MINE'),\n"
        "                  {'altair', 'numba', 'benchbook'} <= set(sys.modules)]))"
    )
    first, second = executed(look, tmp_path), executed(look, tmp_path, MINE="ä")
    assert first[1] == second[1] != os.getpid(), "one parent"
    assert first[0] == first[2] != second[0] == second[2], "each leads a session"
    assert first[3:] == [str(tmp_path), None, True]
    assert second[4] == "ä"
    until = time.monotonic() + 20
    while Path(f"/proc/{first[0]}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not Path(f"/proc/{first[0]}").exists(), "it has ended"


def test_the_modules_files_runs_and_processes_of_a_page_are_written_down(tmp_path):
    (tmp_path / "_build").mkdir()
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "_helper.py").write_text("import lazy_inner\n")
    (tmp_path / "part" / "lazy_inner.py").write_text("")
    for name in ("a.txt", "table.csv", "_build/made.txt", "archive/x.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\n1\n")
    code = (
        "import sys, json, polars, _helper\nopen('../a.txt').read(); open('../new.txt', 'w').close()\n"
        "open('../_build/made.txt').read(); open('../archive/x.txt').read()\n"
        "polars.read_csv('../table.csv')\n"
        "sys.audit('benchbook.archive', json.dumps([{!r}, 'boston/price', None, None]))\nprint(1)"
    ).format(str(tmp_path / "archive"))
    trace = tmp_path / "_build" / "trace.json"
    executed(code, tmp_path / "part", **{kernels.RECORD: str(trace)})
    present = dependencies.Present(tmp_path)
    read = dependencies.gathered(trace, tmp_path / "part" / "page.md", present)
    assert list(read["file"]) == ["a.txt", "part/_helper.py", "part/lazy_inner.py", "table.csv"]
    assert list(read["archive"]) == ['["archive", "boston/price", null, null]']
    assert "folder" not in read
    code = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', ''])\nprint(1)"
    executed(code, tmp_path / "part", **{kernels.RECORD: str(trace)})
    read = dependencies.gathered(trace, tmp_path / "part" / "page.md", present)
    assert list(read["folder"]) == ["data", "src/benchbook", "src/benchbook_book"], (
        "with other processes, on everything"
    )


def test_a_file_that_changes_while_its_page_is_executed_makes_it_due(tmp_path):
    began = time.time() - 1
    (tmp_path / "a.txt").write_text("new")
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps({"file": [str(tmp_path / "a.txt")], "archive": [], "data": []}))
    read = dependencies.gathered(trace, tmp_path / "p.md", dependencies.Present(tmp_path, began))
    record = dependencies.Record("code", "", read)
    assert dependencies.Present(tmp_path).differs(record, "code", "") == "file a.txt has changed"


def test_the_death_of_a_kernel_is_noticed(tmp_path):
    with pytest.raises(DeadKernelError):
        executed("import os\nos.kill(os.getpid(), 9)", tmp_path)
    assert executed("print(6 * 7)", tmp_path) == 42


def test_after_a_failure_no_thread_and_no_kernel_goes_on(tmp_path):
    began, ended = tmp_path / "began", []

    def wait():
        try:
            code = f"import time\nopen({str(began)!r}, 'w').close()\ntime.sleep(600)"
            executed(code, tmp_path)
        except RuntimeError:
            ended.append("kernel")

    def interrupted():
        with kernels.workers(1) as pool:
            pool.submit(wait)
            while not began.exists():
                time.sleep(0.02)
            raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert ended == ["kernel"]
    assert threading.active_count() <= before + 1
