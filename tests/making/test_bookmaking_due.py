"""Exactly the chapters are executed again that depend on what has changed: a small book, executed once."""

import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchbook.datasets import registry
from benchbook.errors import BenchbookError
from benchbook.studies import Archive
from benchbook.tasks import registry as prototasks
from benchbook_book.making import execution, inputs

SOURCE = Path(__file__).resolve().parents[2]
ARCHIVE = "data/archive"
SECONDS = itertools.count(1)  # the interpreter takes two files for one where size and second agree
HEAD = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# A page

A sentence.

"""
CELL = "```{{code-cell}} ipython3\n:tags: [remove-input]\n{}\n```\n"
CELLS = {
    "helper": "from _helper import number\nprint(number())",
    "kernel": "from benchbook.kernels import toy\nprint(toy.double(2))",
    "archive": "from benchbook import studies\nprint(studies.gather('uci-cancer/challenge', 'base-1').height)",
    "records": "from benchbook import studies\nfrom benchbook.assess import proben1\n"
    "print(studies.overlay().records(prototask='uci-card/*').height)",
    "card": "from benchbook import datasets\nprint(datasets.card('abalone').title)",
    "data": "from benchbook import datasets\nprint(datasets.at_hand('adult'))",
    "task": "from benchbook import tasks\nprint(tasks.prototask('kin-8nm-sim/dist').target)",
}
MODULES = (
    "import json, sys\nfiles = [module.__file__ for name, module in sys.modules.items()\n"
    "         if name.split('.')[0] in ('benchbook', '_helper') and module.__file__]\nprint(json.dumps(files))"
)


def write(root, name, text):
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


def lay_out(root):
    """A checkout with a package of its own, so that its modules can be changed."""
    shutil.copytree(SOURCE / "src" / "benchbook", root / "src" / "benchbook")
    publish(root, "base-1")
    for name in (
        "data/registry.toml",
        "data/prototasks.toml",
        "requirements.txt",
        "pyproject.toml",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / name, root / name)
    write(root, "src/benchbook/kernels/toy.py", "def double(x):\n    return 2 * x\n")
    write(
        root, "book/part/_helper.py", "from _inner import one\n\n\ndef number():\n    return one\n"
    )
    write(root, "book/part/_inner.py", "one = 1\n")
    write(root, "book/part/_other.py", "two = 2\n")
    write(root, "book/index.md", "# The book\n")
    write(root, "_toc.yml", "format: jb-book\nroot: book/index\nchapters:\n- glob: book/part/*\n")
    for name, code in CELLS.items():
        write(root, f"book/part/{name}.md", HEAD + CELL.format(code) + CELL.format(MODULES))


def publish(root, method):
    """Put archived runs of a method on two prototasks into the archive of the small book."""
    archive = Archive(root / ARCHIVE)
    archive.publish(
        SOURCE / ARCHIVE, tasks=["uci-cancer/challenge", "uci-card/challenge"], methods=method
    )


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("book")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHBOOK_DATA", str(root / "published"))
        patch.setenv("BENCHBOOK_CACHE", str(root / "cache"))
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        patch.setattr(registry, "registry_path", lambda: root / "data" / "registry.toml")
        patch.setattr(prototasks, "prototasks_path", lambda: root / "data" / "prototasks.toml")
        lay_out(root)
        execute(root)
        yield root
    forget()


def forget():
    registry.cards.cache_clear()
    registry.of_registry.cache_clear()
    prototasks.declared.cache_clear()
    prototasks.names.cache_clear()
    inputs.at_hand.cache_clear()


def execute(root):
    """In a process of its own, with the package of the small book: kernels are forked from one that has loaded it."""
    code = "import pathlib\nfrom benchbook_book.making import execution\nexecution.execute(pathlib.Path.cwd())"
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    subprocess.run([sys.executable, "-c", code], cwd=root, env=environment, check=True)


def due(root):
    """The names of the chapters that would be executed now."""
    forget()
    return {chapter.path.stem for chapter in looked_through(root) if chapter.why}


def looked_through(root):
    with execution.opened(inputs.execution_cache(root)) as cache:
        return execution.looked_through(root, cache)


def shown(root, name):
    """What Jupyter Book would show below the first cell of a chapter."""
    notebook = held(root, execution.read(root / "book" / "part" / f"{name}.md"))
    return next(cell for cell in notebook.cells if cell.cell_type == "code").outputs[0].text


def held(root, notebook):
    with execution.opened(inputs.execution_cache(root)) as cache:
        return cache.merge_match_into_notebook(notebook)[1]


@pytest.fixture
def changed(root):
    """Put something in place of a text in a file, or a text into a new one; all is put back afterwards."""
    before = {}

    def put(path, content):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        second = next(SECONDS)
        os.utime(path, (second, second))

    def change(name, old, new=""):
        path = root / name
        before.setdefault(path, path.read_bytes() if path.exists() else None)
        text = path.read_text() if path.exists() else old
        assert old in text
        put(path, text.replace(old, new).encode())

    yield change
    for path, content in before.items():
        if content is None:
            path.unlink()
        else:
            put(path, content)
    assert due(root) == set()


def test_nothing_is_due_when_nothing_has_changed(root):
    assert due(root) == set()


@pytest.mark.parametrize(
    ("name", "old", "new", "pages"),
    [
        ("book/part/card.md", "A sentence.", "Another sentence.", set()),
        ("book/part/card.md", "[remove-input]", "[hide-input]", set()),
        ("book/part/card.md", "[remove-input]", "[raises-exception]", {"card"}),
        ("book/part/card.md", "'abalone'", "'adult'", {"card"}),
        ("book/part/_helper.py", "return one", "return one + 1", {"helper"}),
        ("book/part/_inner.py", "one = 1", "one = 2", {"helper"}),
        ("book/part/_other.py", "two = 2", "two = 3", set()),
        ("src/benchbook/kernels/toy.py", "2 * x", "x + x", {"kernel"}),
        ("src/benchbook/assess/proben1/__init__.py", '"""', '"""Now: ', {"records"}),
        (
            "src/benchbook/errors.py",
            "class ",
            "class  ",
            set(CELLS),
        ),  # what pages are shown by is loaded for all of them
        ("src/benchbook/cli/catalogue.py", "def ", "def  ", set()),
        ("data/registry.toml", "Age of abalone", "The age of abalone", {"card", "data", "task"}),
        (
            "data/prototasks.toml",
            "training-set-sizes = [64,",
            "training-set-sizes = [32, 64,",
            {"task"},
        ),
    ],
)
def test_a_change_of_a_file_makes_exactly_its_readers_due(root, changed, name, old, new, pages):
    changed(name, old, new)
    assert due(root) == pages


@pytest.mark.parametrize(("dataset", "page"), [("uci-cancer", "archive"), ("uci-card", "records")])
def test_a_file_of_the_archive_that_changes_makes_its_readers_due(root, dataset, page):
    path = root / ARCHIVE / dataset / "challenge" / "base-1.parquet"
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"x")
    assert due(root) == {page}
    path.write_bytes(content)
    assert due(root) == set()


def test_runs_that_come_to_the_archive_make_those_pages_due_that_asked_for_them(root):
    before = root / "before"
    shutil.copytree(root / ARCHIVE, before)
    publish(root, "forest-1")
    assert due(root) == {"records"}
    shutil.rmtree(root / ARCHIVE)
    before.rename(root / ARCHIVE)
    assert due(root) == set()


@pytest.mark.parametrize(("dataset", "pages"), [("adult", {"data"}), ("abalone", set())])
def test_data_that_becomes_available_makes_those_pages_due_that_looked_for_it(
    root, changed, dataset, pages
):
    changed(f"published/{registry.card(dataset).files[0].path}", "x", "x")
    assert due(root) == pages


def test_an_entry_that_is_due_is_found_by_nobody(root, changed, monkeypatch):
    """What Jupyter Book finds in the cache it shows, so nothing may be left there when the execution fails."""
    assert shown(root, "kernel") == "4\n"
    changed("src/benchbook/kernels/toy.py", "2 * x", "3 * x")
    with monkeypatch.context() as failing:
        failing.setattr(execution, "_executed", lambda *given: 1 / 0)
        with pytest.raises(BenchbookError, match=r"book/part/kernel\.md failed"):
            execution.execute(root)
    with pytest.raises(KeyError):
        shown(root, "kernel")
    execute(root)
    assert shown(root, "kernel") == "6\n"
    changed("src/benchbook/kernels/toy.py", "3 * x", "2 * x")
    execute(root)


def test_outputs_are_kept_when_tags_alone_have_changed_and_back(root, changed, monkeypatch):
    monkeypatch.setattr(execution, "_executed", lambda *given: 1 / 0)
    for old, new in itertools.permutations(["[remove-input]", "[hide-input]"]):
        changed("book/part/kernel.md", old, new)
        execution.execute(root)
        assert shown(root, "kernel") == "4\n"


def test_the_right_outputs_are_shown_when_code_comes_back_under_other_tags(root, changed):
    """Outputs from before a change of the package must not come back with the tags that they had then."""
    changed("book/part/kernel.md", "[remove-input]", "[hide-input]")
    changed("src/benchbook/kernels/toy.py", "2 * x", "3 * x")
    execute(root)
    changed("book/part/kernel.md", "[hide-input]", "[remove-input]")
    execute(root)
    assert shown(root, "kernel") == "6\n"
    changed("src/benchbook/kernels/toy.py", "3 * x", "2 * x")
    execute(root)


def test_every_module_that_was_imported_is_in_the_record(root):
    for chapter in looked_through(root):
        modules = json.loads(held(root, chapter.notebook).cells[-1].outputs[0].text)
        read = execution.dependencies_of(root, chapter.path)["file"]
        assert modules
        assert {Path(module).relative_to(root).as_posix() for module in modules} <= set(read)
