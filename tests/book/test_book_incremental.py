"""A book that was changed and rendered again is the book that is rendered from scratch."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
FRONT = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

"""
CELL = "```{code-cell} ipython3\nfrom myst_nb import glue\nglue('n', 1)\n```\n"
PAGES = {
    "index": "# The book\n\nBegin with {doc}`part/a`.\n",
    "part/a": "(sec-a)=\n# First title\n\n$$x^2$$ (eq-a)\n\n```{exercise} Hard: think\n:label: ex-a\nThink.\n```\n",
    "part/b": "# B\n\nSee {ref}`sec-a`, {eq}`eq-a`, {numref}`sec-a`, {ref}`ex-a` and {cite:t}`neal1998assessing`.\n",
    "part/c": f"{FRONT}# C\n\nThe value is {{glue:text}}`n:d`.\n\n{CELL}",
    "part/e": "# E\n\nA sentence.\n",
    "part/f": "# F\n\n{term}`word`\n",
    "part/g": "# G\n\n```{glossary}\nword\n  A.\n```\n",
    "part/h": "# H\n\n```{api} benchbook.predictive\n```\n",
    "part/i": "# I\n\n```{bibliography}\n```\n",
}
STEPS = Path(__file__).with_name("render_in_steps.py")


def lay_out(root, pages):
    for name in (
        "_config.yml",
        "book/_ext",
        "book/_static",
        "book/references.bib",
        "data/registry.toml",
    ):
        source, place = REPOSITORY / name, root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, place)
    (root / "src").mkdir()
    (root / "src" / "benchbook").symlink_to(REPOSITORY / "src" / "benchbook")
    (root / "book" / "runs").mkdir()
    (root / "book" / "runs" / "runs.toml").write_text("")
    chapters = "".join(f"  - file: book/{name}\n" for name in pages if name != "index")
    head = "format: jb-book\nroot: book/index\nparts:\n- numbered: true\n  chapters:\n"
    (root / "_toc.yml").write_text(head + chapters)
    for name, text in pages.items():
        (root / "book" / f"{name}.md").parent.mkdir(exist_ok=True)
        (root / "book" / f"{name}.md").write_text(text)


def run(root, *steps):
    done = subprocess.run(
        [sys.executable, str(STEPS), str(root), json.dumps(steps)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "src")},
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return json.loads(done.stdout.rpartition("WRITTEN ")[2])


def pages_of(root):
    """All pages, without the digests of style sheets: two are copied too late to have one at the first rendering."""
    html = root / "_build" / "html"
    return {
        path.relative_to(html).as_posix(): re.sub(r"\.css\?v=\w+", ".css", path.read_text())
        for path in html.rglob("*.html")
    }


@pytest.mark.timeout(600)
def test_pages_are_written_again_where_it_shows_and_only_there(tmp_path):
    every = sorted(PAGES)
    lay_out(tmp_path / "one", PAGES)
    first, nothing, text, outputs, cards, title = run(
        tmp_path / "one",
        ("outputs", 1),
        ("nothing", None),
        ("text", ["part/e", "A sentence.", "Another one."]),
        ("outputs", 2),
        ("touch", "data/registry.toml"),
        ("text", ["part/a", "First title", "Second title"]),
    )
    assert (first, nothing) == (every, [])
    assert text == ["index", "part/e"]
    assert outputs == ["index", "part/c"]
    assert cards == ["index", "part/h"], "a directive may show what has changed there"
    assert title == every, "the navigation of all pages shows the title"
    changed = {
        **PAGES,
        "part/a": PAGES["part/a"].replace("First", "Second"),
        "part/e": PAGES["part/e"].replace("A sentence.", "Another one."),
    }
    lay_out(tmp_path / "two", changed)
    run(tmp_path / "two", ("outputs", 2))
    assert pages_of(tmp_path / "one") == pages_of(tmp_path / "two")


@pytest.mark.timeout(600)
def test_a_page_that_is_not_written_again_is_still_found_by_the_words_below_its_title(tmp_path):
    lay_out(tmp_path, {**PAGES, "part/b": "# B\n\n*word of the field, other word*\n\nText.\n"})
    search = tmp_path / "_build" / "html" / "searchindex.js"

    def found():
        index = json.loads(search.read_text()[len("Search.setIndex(") : -1])
        return {
            word: [index["docnames"][page[0]] for page in pages]
            for word, pages in index["indexentries"].items()
        }

    run(tmp_path, ("outputs", 1))
    before = found()
    assert before["word of the field"] == before["other word"] == ["book/part/b"]
    _, written = run(tmp_path, ("outputs", 1), ("text", ["part/e", "A sentence.", "Another one."]))
    assert "part/b" not in written
    assert found() == before
