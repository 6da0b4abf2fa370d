"""Kernels are forked from a process that has loaded the libraries: as if they were started, and none is left over."""

import json
import os
import re
import sys
import time
from pathlib import Path

import pytest
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from nbformat.v4 import new_code_cell, new_notebook

from benchbook.bookmaking import kernel, reads

forking = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only")
LOOK = """import json, os, sys
loaded = [name for name in ("altair", "numba", "benchbook") if name in sys.modules]
print(json.dumps([os.getpid(), os.getppid(), os.getsid(0), os.getcwd(), os.environ.get("MINE"), loaded,
                  len(os.listdir("/proc/self/fd")),
                  [open(f"/proc/{os.getppid()}/task/{task}/comm").read().strip()
                   for task in os.listdir(f"/proc/{os.getppid()}/task")]]))
"""


@pytest.fixture(scope="module")
def server():
    with kernel.fork_server({**os.environ, "MINE": "the server's"}, kernels=3) as address:
        yield address


@pytest.fixture
def notebook(server, tmp_path):
    """A client for a notebook of one cell, whose kernel gets the variables."""

    def make(code, folder=tmp_path, **variables):
        manager = kernel.kernel_manager({**os.environ, **variables}, server)
        return NotebookClient(
            new_notebook(cells=[new_code_cell(code)]),
            kernel_manager_class=manager,
            kernel_name="python3",
            resources={"metadata": {"path": str(folder)}},
        )

    return make


def printed(client):
    return json.loads("".join(output.text for output in client.nb.cells[0].outputs))


def _untimed(text):
    """Without seconds and dates, in which two runs differ."""
    return re.sub(r"\d[\d.:-]*( m?s\b)?", "#", text)


def ends(process, seconds=20):
    """Whether a process that is none of ours is over within some seconds."""
    until = time.monotonic() + seconds
    while Path(f"/proc/{process}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    return not Path(f"/proc/{process}").exists()


@forking
def test_kernels_have_the_libraries_and_all_else_of_their_own(notebook, tmp_path):
    folder = tmp_path / "Füße und Hände"
    folder.mkdir()
    clients = [notebook(LOOK), notebook(LOOK, folder, MINE="ä \udcff")]
    for client in clients:
        client.execute()
    first, second = map(printed, clients)
    assert (first[1], len({first[0], second[0]})) == (second[1], 2), "one parent, two processes"
    assert [first[2], second[2]] == [first[0], second[0]], "each leads a session"
    assert (first[3], second[3]) == (str(tmp_path), str(folder))
    assert (first[4], second[4]) == (None, "ä \udcff")
    assert first[5] == ["altair", "numba", "benchbook"]
    assert first[6] == second[6], "no file of another kernel is open"
    assert len(first[7]) <= 2, "the server has no thread that a kernel would lose"
    assert all(name.startswith("polars-ooc") for name in first[7][1:]), (
        "but the one of tables on disk, which sleeps"
    )
    assert ends(first[0])


@forking
def test_what_a_kernel_reads_is_recorded_and_what_it_came_with(notebook, tmp_path):
    trace = tmp_path / "trace"
    table = tmp_path / "a.csv"
    table.write_text("x\n1\n")
    variables = reads.recording({}, trace)
    notebook(
        f"import polars, benchbook.seeds\npolars.read_csv({str(table)!r})", **variables
    ).execute()
    names = {
        name for kind, name in map(json.loads, trace.read_text().splitlines()) if kind == "file"
    }
    import altair

    import benchbook

    assert {str(table), benchbook.__file__, altair.__file__} <= {*names, *map(reads._source, names)}
    assert not {name for name in names if "/forking/" in name}


@forking
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("benchbook --version", 0),
        ("benchbook methods show lin-2", 2),
        ("benchbook run -m mine.py:mine -t a/b/std.1", 2),
        ("benchbook methods show mine.py:mine", 0),
        (
            "benchbook run -m mine.py:mine -m base-1 -t kin-8nm-sim/dist/std.64 --instances 1 --workers 2 --no-compare",
            0,
        ),
    ],
)
def test_a_command_that_a_page_shows_is_forked_and_says_what_a_fresh_process_says(
    notebook, tmp_path, line, code
):
    (tmp_path / "mine.py").write_text(
        "import sys\nfrom benchbook import methods\nprint(len(sys.argv), sys.path[0])\n"
        "@methods.method(name='mine', kinds={'real'})\ndef mine(instance, rng):\n"
        "    return methods.get('lin-1').predict(instance, rng)\n"
    )
    shown = f"from benchbook.show.terminal import command\ncommand({line!r}, {code})"
    said = []
    for place in ("fork", "fresh"):
        variables = {
            "BENCHBOOK_RUNS": str(tmp_path / place),
            "BENCHBOOK_READS": str(tmp_path / f"{place}.reads"),
        }
        client = notebook(
            shown if place == "fork" else f"import os\ndel os.environ['BENCHBOOK_FORK']\n{shown}",
            **variables,
        )
        client.execute()
        said.append(["".join(output.data["text/plain"]) for output in client.nb.cells[0].outputs])
    assert said[0][0].startswith(f"$ {line}")
    assert [_untimed(text) for text in said[0]] == [_untimed(text) for text in said[1]]


@forking
def test_a_kernel_is_interrupted_and_its_death_is_noticed(notebook):
    client = notebook(
        "import time\ntry:\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    print('\"stopped\"')"
    )
    client.timeout, client.interrupt_on_timeout = 2, True
    client.execute()
    assert printed(client) == "stopped"
    with pytest.raises(DeadKernelError):
        notebook("import os\nos.kill(os.getpid(), 9)").execute()
    client = notebook("print(6 * 7)")
    client.execute()
    assert printed(client) == 42


@forking
def test_a_kernel_ends_with_the_process_that_stands_in_for_it(notebook):
    client = notebook("import os\nprint(os.getpid())")
    with client.setup_kernel():
        client.execute_cell(client.nb.cells[0], 0)
        client.km.provisioner.process.kill()
        assert ends(printed(client))


@forking
def test_kernels_end_with_their_server(tmp_path):
    with kernel.fork_server(os.environ, kernels=3) as address:
        manager = kernel.kernel_manager(dict(os.environ), address)
        client = NotebookClient(
            new_notebook(cells=[new_code_cell("import os\nprint(os.getpid())")]),
            kernel_manager_class=manager,
            kernel_name="python3",
        )
        leaving = client.setup_kernel()
        leaving.__enter__()
        client.execute_cell(client.nb.cells[0], 0)
    assert ends(printed(client))
    assert client.km.provisioner.process.wait(20) != 0
    leaving.__exit__(None, None, None)
    assert not Path(address).exists()


@pytest.mark.parametrize("kernels", [1, 2])
def test_for_a_few_kernels_nothing_is_loaded_ahead(kernels):
    with kernel.fork_server(os.environ, kernels) as address:
        assert address == ""


def test_where_processes_cannot_be_waited_for_each_kernel_is_started_by_itself(monkeypatch):
    monkeypatch.setattr(kernel.sys, "platform", "darwin")
    with kernel.fork_server(os.environ, 100) as address:
        assert address == ""
    manager = kernel.kernel_manager({}, address)(kernel_name="python3")
    assert "ipykernel_launcher" in manager.format_kernel_cmd()


@forking
def test_one_server_does_for_all_within_and_knows_since_when():
    before = time.time()
    with kernel.kept():
        with kernel.fork_server(os.environ, 1) as none, kernel.fork_server(os.environ, 3) as first:
            assert none == ""
            began = kernel.loaded_since()
        with kernel.fork_server(os.environ, 5) as second:
            assert second == first
            assert Path(first).exists()
            assert before <= began == kernel.loaded_since() <= time.time()
    assert not Path(first).exists()
    assert kernel.loaded_since() > began
