"""What a process reads is written down, and a change of any of it is seen."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchbook.bookmaking import reads
from benchbook.datasets import registry


@pytest.fixture
def read(tmp_path):
    """Run a program in a folder and give what it has read, by kind, with names counted from that folder."""

    def run(program, **variables):
        trace = tmp_path / "_build" / "program.trace"
        environment = reads.recording({**os.environ, **variables}, trace)
        subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment, check=True)
        return reads.gathered(trace, reads.Present(tmp_path))

    return run


def write(folder, name, text="1\n"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_files_that_are_opened_count_and_those_that_are_written_do_not(tmp_path, read):
    for name in ("a.txt", "b.bin", "c.npy", "d.txt", "e.txt"):
        write(tmp_path, name)
    found = read(
        "import os, io, pathlib\n"
        "open('a.txt').read(); pathlib.Path('b.bin').read_bytes(); io.open('c.npy', 'rb').read()\n"
        "os.close(os.open('d.txt', os.O_RDONLY)); open('e.txt', 'a').write('x'); open('new', 'w').write('x')"
    )
    assert list(found["file"]) == ["a.txt", "b.bin", "c.npy", "d.txt"]


def test_modules_count_under_the_name_of_their_source_compiled_or_not(tmp_path, read):
    write(tmp_path, "package/__init__.py")
    write(tmp_path, "package/inner.py", "def late():\n    import package.lazy\n")
    write(tmp_path, "package/lazy.py")
    write(tmp_path, "package/unused.py")
    program = "import importlib\nimportlib.import_module('package.in' + 'ner').late()"
    first = read(program, PYTHONDONTWRITEBYTECODE="")
    assert list(first["file"]) == ["package/__init__.py", "package/inner.py", "package/lazy.py"]
    assert (tmp_path / "package" / "__pycache__").is_dir()
    assert read(program) == first


def test_folders_count_that_are_listed_by_anybody_but_the_import_system(tmp_path, read):
    for name in ("a/1.txt", "b/2.txt", "c/3.txt", "plug/__init__.py", "plug/in.py"):
        write(tmp_path, name)
    found = read(
        "import glob, os, pathlib, pkgutil, plug\n"
        "os.listdir('a'); list(pathlib.Path('b').rglob('*')); glob.glob('c/*')"
    )
    assert list(found["folder"]) == ["a", "b", "c"]
    found = read("import pkgutil, plug\nlist(pkgutil.iter_modules(plug.__path__))")
    assert list(found["folder"]) == ["plug"]
    found = read(
        "import importlib.metadata as found\nprint(found.version('numpy'), found.entry_points())"
    )
    assert "folder" not in found


def test_what_polars_opens_by_itself_counts(tmp_path, read):
    import polars as pl

    frame = pl.DataFrame({"x": [1]})
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_csv(tmp_path / "b.csv")
    (tmp_path / "many").mkdir()
    frame.write_parquet(tmp_path / "many" / "1.parquet")
    found = read(
        "import pathlib\nimport polars as pl\npl.read_parquet(pathlib.Path('a.parquet'))\n"
        "pl.scan_csv(['b.csv']).collect()\npl.read_parquet('many/*.parquet')"
    )
    assert list(found["file"]) == ["a.parquet", "b.csv", "many/1.parquet"]
    assert list(found["folder"]) == ["many"]


def test_processes_that_a_page_starts_are_listened_to(tmp_path, read):
    for name in ("child.py", "fork.txt", "in/cat.txt", "shell.txt"):
        write(tmp_path, name, "" if name.endswith(".py") else "1")
    found = read(
        "import os, subprocess, sys\n"
        "subprocess.run([sys.executable, '-P', 'child.py'])\n"
        "subprocess.run(['cat', 'cat.txt'], cwd='in', stdout=subprocess.DEVNULL)\n"
        "subprocess.run('cat < /dev/null shell.txt', shell=True, stdout=subprocess.DEVNULL)\n"
        "if (child := os.fork()) == 0:\n    open('fork.txt').read(); os._exit(0)\n"
        "os.waitpid(child, 0)"
    )
    assert list(found["file"]) == ["child.py", "fork.txt", "in/cat.txt", "shell.txt"]


def test_what_belongs_to_the_system_or_was_made_by_the_build_does_not_count(tmp_path, read):
    for name in ("_build/x", ".git/x", ".venv/x", "book/__pycache__/x", "book/.x.part"):
        write(tmp_path, name)
    program = "import json, email.message\nfor name in ({!r}): open(name).read()"
    names = ["/etc/hosts", *(str(path) for path in tmp_path.rglob("*") if path.is_file())]
    assert read(program.format(names)) == {}


def test_a_file_of_parts_counts_by_the_parts_that_were_asked_for(read):
    found = read(
        "from benchbook import datasets, tasks\ndatasets.card('abalone')\n"
        "tasks.prototask('kin-8nm-sim/dist')\ndatasets.at_hand('proben1-cancer1')"
    )
    assert list(found["card"]) == ["abalone", "kin-8nm-sim", "proben1-cancer1"]
    assert list(found["prototask"]) == ["kin-8nm-sim/dist"]
    assert list(found["published"]) == [
        file.path for file in registry.card("proben1-cancer1").files
    ]
    assert not any(name.endswith(".toml") for name in found["file"])
    present = reads.Present(Path())
    assert (
        present.state("card", "abalone")
        == found["card"]["abalone"]
        != present.state("card", "adult")
    )


def test_a_file_of_parts_counts_as_a_whole_for_who_reads_it_otherwise(read):
    found = read(
        "from benchbook import datasets\ndatasets.card('abalone')\ndatasets.registry_path().read_text()"
    )
    assert any(name.endswith("registry.toml") for name in found["file"])


def test_of_the_chapters_whose_exercises_are_listed_nothing_else_counts(read):
    found = read("from benchbook.bookmaking.exercise_list import listed\nlisted()")
    assert found["exercises"] == {"all": reads.Present(Path()).state("exercises", "all")}
    assert not any(name.endswith(".md") for name in found["file"])


def test_every_name_counts_where_an_unknown_one_was_asked_for(read):
    found = read(
        "from benchbook import datasets, errors\ntry:\n    datasets.card('abalona')\n"
        "except errors.UnknownName:\n    pass"
    )
    assert found["card"] == {"abalona": reads.Present(Path()).state("card", "no such")}
    assert list(found["datasets"]) == ["names"]


def test_all_modules_of_the_package_are_written_down(read, tmp_path):
    """The negative side of precision: nothing that was imported is missing, even through registries."""
    found = read(
        "import sys, json\nfrom benchbook import losses, methods, show, tasks\n"
        "methods.get('lin-1'); losses.get('S'); tasks.get('kin-8nm-sim/dist/std.64')\n"
        "files = [m.__file__ for n, m in sys.modules.items() if n.startswith('benchbook') and m.__file__]\n"
        "open('modules.json', 'w').write(json.dumps(files))"
    )
    modules = json.loads((tmp_path / "modules.json").read_text())
    assert len(modules) > 150
    assert set(modules) <= set(found["file"])
    folders = {Path(name).name for name in found["folder"]}
    assert {"methods", "losses"} <= folders, (
        "a module that is added to a registry makes its readers due"
    )


def test_what_changes_while_a_page_is_executed_is_never_relied_on(tmp_path):
    path = write(tmp_path, "a.txt")
    trace = write(tmp_path, "_build/t", json.dumps(["file", str(path)]) + "\n")
    early, late = (
        reads.Present(tmp_path, time.time() - 60),
        reads.Present(tmp_path, time.time() + 60),
    )
    assert reads.gathered(trace, early)["file"]["a.txt"] == reads.UNSTEADY
    assert reads.gathered(trace, late)["file"]["a.txt"] == reads.Present(tmp_path).state(
        "file", "a.txt"
    )
    assert reads.Present(tmp_path).state("file", "a.txt") != reads.UNSTEADY


def test_what_was_seen_in_two_states_is_never_relied_on(tmp_path):
    lines = [["part", "published", "x.data", state] for state in ("missing", "at hand")]
    trace = write(tmp_path, "t", "".join(json.dumps(line) + "\n" for line in lines))
    assert reads.gathered(trace, reads.Present(tmp_path)) == {
        "published": {"x.data": reads.UNSTEADY}
    }


def test_a_record_differs_when_anything_does(tmp_path):
    path = write(tmp_path, "a.txt")
    (tmp_path / "folder").mkdir()
    state = reads.Present(tmp_path).state
    record = reads.Record(
        "code",
        "conditions",
        {
            "file": {"a.txt": state("file", "a.txt"), "gone.txt": reads.ABSENT},
            "folder": {"folder": state("folder", "folder")},
            "card": {"abalone": state("card", "abalone")},
        },
    )
    record.write(tmp_path / "record.json")
    kept = reads.recall(tmp_path / "record.json")
    assert kept == record

    def differs(code="code", conditions="conditions"):
        return reads.Present(tmp_path).differs(kept, code, conditions)

    assert differs() == ""
    assert differs(code="other") == "its code has changed"
    assert differs(conditions="other") == "the installed libraries have changed"
    os.utime(path, (1, 1))
    write(tmp_path, "folder/.x.part")
    assert differs() == ""
    write(tmp_path, "gone.txt")
    assert differs() == "gone.txt has changed"
    (tmp_path / "gone.txt").unlink()
    write(tmp_path, "folder/new")
    assert differs() == "folder has changed"
    (tmp_path / "folder" / "new").unlink()
    path.unlink()
    assert differs() == "a.txt has changed"


def test_a_card_that_changes_is_seen(monkeypatch):
    before = reads.Present(Path()).state("card", "abalone")
    cards = dict(registry.cards()[0])
    monkeypatch.setattr(registry, "cards", lambda: (cards, {}))
    assert reads.Present(Path()).state("card", "abalone") == before
    cards["abalone"] = cards["adult"]
    assert reads.Present(Path()).state("card", "abalone") != before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"code": "x"}'])
def test_a_damaged_record_is_no_record(tmp_path, text):
    assert reads.recall(write(tmp_path, "record.json", text)) is None
    assert reads.recall(tmp_path / "none.json") is None
    assert reads.Present(tmp_path).differs(None, "code", "conditions") == "it is new"


def test_a_part_that_nobody_can_look_up_is_a_fault_of_ours():
    with pytest.raises(LookupError, match="'colour'"):
        reads.Present(Path()).state("colour", "red")
