"""Chapters are executed ahead of Jupyter Book, into the cache in which it looks."""

import contextlib
import time
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import nbformat
import pytest

from benchbook.errors import BenchbookError
from benchbook_book.making import execution, inputs, kernels
from benchbook_book.making.dependencies import Record

HEAD = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# A page

```{code-cell} ipython3
:tags: [remove-input]

"""


@pytest.fixture
def root(tmp_path):
    texts = {
        "_toc.yml": "format: jb-book\nroot: book/index\nchapters:\n- file: book/good\n- glob: book/bad*\n",
        "book/index.md": "# No cells\n",
        "book/good.md": f"{HEAD}import os\nprint(6 * 7, os.environ['BENCHBOOK_OFFLINE'])\n```\n",
        "book/bad1.md": f"{HEAD}1 / 0\n```\n",
        "book/draft.md": f"{HEAD}open('seen', 'w')\n```\n",
        "src/benchbook/x.py": "",
        "data/registry.toml": "",
        "requirements.txt": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_what_jupyter_book_will_ask_for_is_in_its_cache(root):
    from myst_nb.core.read import read_myst_markdown_notebook

    with pytest.raises(BenchbookError):
        execution.execute(root)
    asked = read_myst_markdown_notebook(
        (root / "book" / "good.md").read_text(), path=str(root / "book" / "good.md")
    )
    with execution.opened(inputs.execution_cache(root)) as cache:
        _, merged = cache.merge_match_into_notebook(asked)
        left = [record.uri for record in cache.list_cache_records()]
        assert cache.db.pool.checkedin() == 1
    assert cache.db.pool.checkedin() == 0, "no connection to the database is left open"
    texts = [cell.outputs[0].text for cell in merged.cells if cell.cell_type == "code"]
    assert texts == ["42 1\n"], "the cell is executed, and may not download anything"
    assert left == [str(root / "book" / "good.md")], (
        "what a chapter that failed has printed is not kept"
    )
    assert not (root / "book" / "seen").exists(), (
        "a page that the table of contents does not name is not executed"
    )


def test_all_chapters_that_failed_are_told_with_the_line_of_their_cell(root):
    (root / "book" / "bad2.md").write_text(
        f"{HEAD}print('before')\n```\n\n```{{code-cell}}\nlost\n```\n"
    )
    with pytest.raises(BenchbookError) as error:
        execution.execute(root)
    first, second = str(error.value).split("\n\nbook/bad2.md")
    assert first.startswith("book/bad1.md failed in the cell at line 8:\n")
    assert "ZeroDivisionError: division by zero" in first
    assert second.startswith(" failed in the cell at line 14:\n")
    assert "NameError: name 'lost' is not defined" in second
    assert "\x1b" not in first + second


def chapter(name, source, why):
    cells = [nbformat.v4.new_markdown_cell("word " * 99), nbformat.v4.new_code_cell(source)]
    return execution.Chapter(
        Path(name), nbformat.v4.new_notebook(cells=cells), "code", f"key of {name}", why
    )


def test_chapters_begin_with_the_most_code_and_each_is_reported_as_it_ends(monkeypatch):
    begun, retained, again, progress = [], [], [], MagicMock()
    progress.__enter__.return_value = progress
    entries = [SimpleNamespace(hashkey=f"key of {name}.md", pk=name) for name in ("a/b", "z")]
    cache = MagicMock(list_cache_records=lambda: entries)

    def submit(call, root, chapter, present):
        begun.append(chapter.path.stem)
        assert present._since <= time.time()
        future = Future()
        try:
            future.set_result(call(root, chapter, present))
        except Exception as error:
            future.set_exception(error)
        return future

    def executed(root, chapter, present):
        if "fails" in chapter.why:
            raise ValueError("out of ink")
        return "record", 0.25

    monkeypatch.setattr(execution, "_executed", executed)
    monkeypatch.setattr(execution, "_keep", lambda *given: retained.append(given))
    monkeypatch.setattr(execution.rendering, "read_again", lambda *given: again.append(given))
    monkeypatch.setattr(execution, "bar", began := MagicMock(return_value=progress))
    monkeypatch.setattr(
        execution.kernels,
        "workers",
        lambda count: contextlib.nullcontext(SimpleNamespace(submit=submit)),
    )
    chapters = [
        chapter("a/d.md", "x = 1", "it fails"),
        chapter("a/b.md", "x = 1 + 1", "it is new"),
        chapter("c/e.md", "x", "fails too"),
    ]
    failures = execution._execute_due(Path(), cache, chapters)
    assert begun == ["b", "e", "d"], "one of each folder in turn"
    assert failures == ["a/d.md failed:\nout of ink", "c/e.md failed:\nout of ink"]
    assert retained == [(Path(), cache, chapters[1], "record", 0.25)]
    assert again == [(Path(), "a/b")]
    assert [call.args for call in cache.remove_cache.call_args_list] == [("a/b",)]
    began.assert_called_once_with(total=3, label="chapters", unit="page")
    assert progress.update.call_count == 3
    assert sorted(call.args[0] for call in progress.write.call_args_list) == [
        "chapter a/b: executed in 0.25 s; it is new",
        "chapter a/d: failed",
        "chapter c/e: failed",
    ]


def test_outputs_go_along_when_captions_or_tags_alone_have_changed(tmp_path, monkeypatch):
    def kept(hashkey, took, text):
        output = nbformat.v4.new_output("stream", text=text)
        cell = nbformat.v4.new_code_cell("x", outputs=[output], execution_count=4)
        bundle = SimpleNamespace(nb=nbformat.v4.new_notebook(cells=[cell]))
        data = {"execution_seconds": took}
        return SimpleNamespace(hashkey=hashkey, pk=hashkey, data=data, bundle=bundle)

    entries, retained = [kept("other", 9.0, "wrong"), kept("before", 2.5, "right")], []
    cache = SimpleNamespace(
        list_cache_records=lambda: entries,
        get_cache_bundle=lambda pk: next(item.bundle for item in entries if item.pk == pk),
    )
    monkeypatch.setattr(execution, "_keep", lambda *given: retained.append(given))
    item = chapter(tmp_path / "book/a.md", "x", "")
    path = execution._record(tmp_path, item.path)
    assert path == inputs.records(tmp_path) / "book+a.json"
    execution._carry_over(tmp_path, cache, item)
    record = Record("code", "conditions", {"file": {"a": "b"}}, item.entry)
    record.write(path)
    execution._carry_over(tmp_path, cache, item)
    assert retained == []
    replace(record, entry="before").write(path)
    execution._carry_over(tmp_path, cache, item)
    assert retained == [(tmp_path, cache, item, record, 2.5)]
    (output,) = item.notebook.cells[1].outputs
    assert (output.text, item.notebook.cells[1].execution_count) == ("right", 4)


def test_a_chapter_has_runs_of_its_own_and_its_record_what_it_was_made_from(tmp_path, monkeypatch):
    item = chapter(tmp_path / "book/p/a.md", "x", "")
    store, trace = (
        inputs.chapter_runs(tmp_path) / "book+p+a",
        inputs.records(tmp_path) / "book+p+a.trace",
    )
    for left in (store / "before", trace):
        left.parent.mkdir(parents=True, exist_ok=True)
        left.write_text("{}")

    def run(path, notebook, variables):
        assert (path, notebook) == (item.path, item.notebook)
        assert not store.exists()
        assert not trace.exists()
        assert (variables["BENCHBOOK_RUNS"], variables[kernels.RECORD]) == (str(store), str(trace))

    def gathered(*given):
        assert given == (trace, item.path, "present")
        return {"file": {"a": "b"}}

    monkeypatch.setattr(execution, "_run", run)
    monkeypatch.setattr(kernels, "manager", lambda variables: variables)
    monkeypatch.setattr(inputs, "conditions", lambda root: "conditions")
    monkeypatch.setattr(execution.dependencies, "gathered", gathered)
    record, took = execution._executed(tmp_path, item, "present")
    assert record == Record("code", "conditions", {"file": {"a": "b"}}, item.entry)
    assert 0 <= took < 60


def test_entries_that_no_chapter_has_are_forgotten_and_failures_told_together(
    tmp_path, monkeypatch
):
    due, carried = [], []
    chapters = [chapter(f"{name}.md", "x", why) for name, why in (("a", ""), ("b", "it is new"))]
    entries = [SimpleNamespace(hashkey=f"key of {name}.md", pk=name) for name in ("a", "b", "old")]
    cache = MagicMock(list_cache_records=lambda: entries)
    monkeypatch.setattr(execution, "opened", lambda folder: contextlib.nullcontext(cache))
    monkeypatch.setattr(execution, "looked_through", lambda root, cache: chapters)
    monkeypatch.setattr(execution, "_carry_over", lambda *given: carried.append(given[2]))
    monkeypatch.setattr(
        execution, "_execute_due", lambda *given: due.extend(given[2]) or ["one", "two"]
    )
    monkeypatch.setattr(inputs, "environment", lambda root: contextlib.nullcontext())
    with pytest.raises(BenchbookError, match=r"^one\n\ntwo$"):
        execution.execute(tmp_path)
    assert (carried, due) == ([chapters[0]], [chapters[1]])
    assert [call.args for call in cache.remove_cache.call_args_list] == [("old",)]


def test_a_chapter_is_due_when_its_outputs_are_lost_or_would_be_others(tmp_path, monkeypatch):
    names = ("kept", "lost", "new", "other", "empty")
    for name in names[:2]:
        record = Record("code", "conditions", {}, f"entry of {name}")
        record.write(execution._record(tmp_path, tmp_path / f"{name}.md"))
    Record("before", "conditions", {}, "entry of kept").write(
        execution._record(tmp_path, tmp_path / "other.md")
    )
    monkeypatch.setattr(
        execution, "_chapters", lambda root: [root / f"{each}.md" for each in names]
    )
    monkeypatch.setattr(execution, "read", lambda path: None if path.stem == "empty" else path.stem)
    monkeypatch.setattr(execution, "_code", lambda notebook: "code")
    monkeypatch.setattr(inputs, "conditions", lambda root: "conditions")
    cache = SimpleNamespace(
        list_cache_records=lambda: [SimpleNamespace(hashkey="entry of kept")],
        create_hashed_notebook=lambda notebook: ("", f"key of {notebook}"),
    )
    found = execution.looked_through(tmp_path, cache)
    assert [(item.path.stem, item.notebook, item.code, item.entry) for item in found] == [
        (name, name, "code", f"key of {name}") for name in names[:4]
    ]
    assert [item.why for item in found] == ["", "it is new", "it is new", "its code has changed"]
