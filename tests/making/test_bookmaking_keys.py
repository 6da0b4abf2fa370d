"""What pages are kept by, component by component: each that counts changes the key, and nothing else does."""

import json
import os
from dataclasses import replace
from types import SimpleNamespace

import nbformat
import polars as pl
import pytest

from benchbook_book.making import dependencies, execution, inputs, kernels, runs
from benchbook_book.making.dependencies import Present, Record
from benchbook_book.making.manifest import RunPage


def notebook(*cells, kernel="python3"):
    made = [
        (nbformat.v4.new_code_cell if kind == "code" else nbformat.v4.new_markdown_cell)(
            source, metadata={"tags": tags}
        )
        for kind, source, *tags in cells
    ]
    return nbformat.v4.new_notebook(
        cells=made, metadata={"kernelspec": {"name": kernel, "display_name": "x"}}
    )


SOUND = (("code", "a"), ("markdown", "words"), ("code", "b", "hide-input", "raises-exception"))


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (notebook(("code", "A"), *SOUND[1:]), False),
        (notebook(*SOUND[:2], ("code", "b", "hide-input")), False),
        (notebook(*SOUND[:2], ("code", "b", "hide-input", "skip-execution")), False),
        (notebook(*SOUND, kernel="other"), False),
        (notebook(*SOUND[::-1]), False),
        (notebook(*SOUND[:2]), False),
        (notebook(SOUND[0], ("markdown", "other"), SOUND[2]), True),
        (notebook(*SOUND[:2], ("code", "b", "raises-exception", "remove-input")), True),
    ],
)
def test_the_code_of_a_chapter_is_its_cells_their_tags_and_the_kernel(other, same):
    assert (execution._code(other) == execution._code(notebook(*SOUND))) == same


PAGE = RunPage("s", "t", "T", "shows", "quick", "n", {"prototask": "a/b", "methods": ["m"]})


@pytest.fixture
def root(tmp_path):
    (tmp_path / "book" / "runs" / "templates").mkdir(parents=True)
    for name in ("t", "u"):
        (tmp_path / "book" / "runs" / "templates" / f"{name}.py").write_text("x = 1\n")
    return tmp_path


@pytest.mark.parametrize(
    "change",
    [
        {"slug": "r"},
        {"template": "u"},
        {"title": "U"},
        {"shows": "other"},
        {"profile": "full"},
        {"needs": "m"},
        {"parameters": {"prototask": "a/b", "methods": ["n"]}},
    ],
    ids=str,
)
def test_a_run_page_is_kept_by_its_template_and_every_part_of_its_entry(root, change):
    turned = replace(PAGE, parameters=dict(reversed(PAGE.parameters.items())))
    assert runs._key(root, turned) == runs._key(root, PAGE)
    assert runs._key(root, PAGE) != runs._key(root, replace(PAGE, **change))
    (root / PAGE.page).write_text("{}")
    before = runs._mark(root, PAGE)
    (root / PAGE.source).write_text("x = 2\n")
    after = runs._mark(root, PAGE)
    (root / PAGE.page).write_text("{ }")
    assert len({before, after, runs._mark(root, PAGE)}) == 3
    (root / PAGE.page).unlink()
    assert runs._mark(root, PAGE) == ""


RECORDS = pl.DataFrame(
    {
        "method": ["m", "m"],
        "task": "t",
        "instance": [0, 1],
        "seed": 1,
        "identity": "i",
        "digest": "d",
        "status": "ok",
        "seconds": 1.0,
    }
)


def test_the_state_of_ones_own_runs_is_all_that_a_page_shows_of_them(monkeypatch, tmp_path):
    held, asked = [RECORDS], []
    archive = SimpleNamespace(records=lambda **requested: asked.append(requested) or held[0])
    monkeypatch.setattr(runs.studies, "Archive", lambda folder: archive)
    monkeypatch.setattr(inputs, "checkout", lambda: tmp_path)
    first = runs._state(PAGE)
    for column in RECORDS.columns:
        value = 7 if RECORDS.schema[column].is_numeric() else "x"
        held[0] = RECORDS.with_columns(pl.lit(value).cast(RECORDS.schema[column]).alias(column))
        assert (runs._state(PAGE) == first) == (column == "seconds"), column
    held[0] = RECORDS.reverse()
    assert runs._state(PAGE) == first
    for parameters in ({"problem": "cancer"}, {"task": "a/cv/random-10", "methods": ["n"]}):
        runs._state(replace(PAGE, parameters=parameters))
    assert [(item["prototask"], item["methods"]) for item in (asked[0], *asked[-2:])] == [
        ("a/b", ["m"]),
        ("*cancer[123]/partition", None),
        ("a/cv", ["n"]),
    ]
    assert runs._state(replace(PAGE, parameters={})) == ""


def test_the_state_of_files_and_folders(tmp_path):
    for name in ("folder/a.py", "folder/b.txt", "folder/c.pyc", "folder/__pycache__/d.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
        os.utime(tmp_path / name, (100, 100))

    def state(kind, name, since=float("inf")):
        return Present(tmp_path, since).state(kind, name)

    assert state("file", "folder/x.py") == "absent"
    assert state("file", "folder/a.py") == state("file", "folder/a.py", 100.5)
    assert state("file", "folder/a.py", 100) == "changed"
    before = state("folder", "folder")
    for name, same in (("c.pyc", True), ("__pycache__/d.py", True), ("b.txt", False)):
        (tmp_path / "folder" / name).write_text("other")
        assert (state("folder", "folder") == before) == same
    before = state("folder", "folder")
    (tmp_path / "folder" / "e").write_text("")
    assert state("folder", "folder") != before


def test_the_state_of_published_data_is_whether_it_is_there(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_DATA", str(tmp_path))
    monkeypatch.setenv("BENCHBOOK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(inputs, "at_hand", lambda: ("abalone", "adult"))
    (tmp_path / "a.data.gz").write_bytes(b"")
    states = [Present(tmp_path).state("data", name) for name in ("a.data", "b.data", "*")]
    assert states == ["at hand", "absent", "abalone\nadult"]


def test_why_a_page_is_due(tmp_path):
    (tmp_path / "a").write_text("1")
    present = Present(tmp_path)
    record = Record(
        "code", "conditions", {"file": {"a": present.state("file", "a"), "b": "absent"}}
    )
    found = [
        present.differs(one, code, conditions)
        for one, code, conditions in (
            (None, "code", "conditions"),
            (record, "other", "conditions"),
            (record, "code", "other"),
            (record, "code", "conditions"),
            (replace(record, read={"file": {"b": "absent", "a": "x"}}), "code", "conditions"),
        )
    ]
    assert found == [
        "it is new",
        "its code has changed",
        "the installed libraries have changed",
        "",
        "file a has changed",
    ]
    record.write(tmp_path / "deep" / "r.json")
    assert dependencies.recall(tmp_path / "deep" / "r.json") == record
    (tmp_path / "deep" / "r.json").write_text('{"code": 1}')
    assert dependencies.recall(tmp_path / "deep" / "r.json") is None


@pytest.mark.parametrize("processes", [False, True])
def test_what_a_kernel_has_read_is_gathered_by_kind(tmp_path, processes):
    inside = (
        "src/a.py",
        "data/archive/x.parquet",
        "book/p/_h.py",
        "_build/b",
        "src/c.pyc",
        "d/.ipynb_checkpoints/e",
    )
    for name in (*inside, "book/p/_other.py", "data/archive/t/p/m.parquet"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    noted = {
        "data": ["adult.data", "iris.data"],
        "file": [*(str(tmp_path / name) for name in inside), "/etc/hosts"],
        "archive": [json.dumps([str(tmp_path / "data/archive"), "t/p", None, None])],
    }
    if processes:
        noted["processes"] = ["python"]
    trace = tmp_path / "trace"
    trace.write_text(json.dumps(noted))
    read = dependencies.gathered(trace, tmp_path / "book/p/page.md", Present(tmp_path))
    assert sorted(read["file"]) == [
        "book/p/_h.py",
        *(["book/p/_other.py"] if processes else []),
        "src/a.py",
    ]
    assert list(read["archive"]) == ['["data/archive", "t/p", null, null]']
    assert sorted(read.get("folder", ())) == (
        ["data", "src/benchbook", "src/benchbook_book"] if processes else []
    )
    assert sorted(read["data"]) == (["*"] if processes else ["adult.data", "iris.data"])
    trace.unlink()
    lost = dependencies.gathered(trace, tmp_path / "book/p/page.md", Present(tmp_path))
    assert sorted(lost) == ["data", "file", "folder"]


def test_a_kernel_that_did_not_start_is_tried_twice_more():
    for message, tries in (("Kernel died before replying to kernel_info", 3), ("other", 1)):
        made = []

        def attempt(made=made, message=message):
            made.append(1)
            raise RuntimeError(message)

        with pytest.raises(RuntimeError, match=message):
            kernels.retry(attempt)
        assert len(made) == tries
    once = []

    def second(once=once):
        once.append(1)
        if len(once) == 1:
            raise RuntimeError("Kernel didn't respond in 60 seconds")

    kernels.retry(second)
    assert len(once) == 2


@pytest.mark.parametrize(
    ("event", "given", "noted"),
    [
        ("open", ("a.csv", "r", os.O_RDONLY), {"file": {os.path.abspath("a.csv")}}),
        ("open", ("a.csv", "w", os.O_WRONLY), {}),
        ("open", ("a.csv", "r+", os.O_RDWR), {}),
        ("open", (3, "r", os.O_RDONLY), {}),
        ("benchbook.archive", ("asked",), {"archive": {"asked"}}),
        ("benchbook.datasets", ("adult.data",), {"data": {"adult.data"}}),
        ("subprocess.Popen", (kernels.sys.executable, []), {"processes": {kernels.sys.executable}}),
        (
            "subprocess.Popen",
            ("sh", [kernels.sys.executable]),
            {"processes": {kernels.sys.executable}},
        ),
        ("subprocess.Popen", ("sh", ["-c", kernels.sys.executable]), {}),
    ],
)
def test_what_a_kernel_opens_and_starts_is_noted(event, given, noted):
    opened = {"file": set(), "archive": set(), "data": set()}
    kernels._note(opened, event, given)
    assert {kind: names for kind, names in opened.items() if names} == noted


def test_pages_take_turns_by_their_folders():
    assert list(inputs.by_turns(["a1", "a2", "a3", "b1", "c1", "c2"], lambda page: page[0])) == [
        "a1",
        "b1",
        "c1",
        "a2",
        "c2",
        "a3",
    ]
