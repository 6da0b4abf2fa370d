"""Notebooks for a class: numbers and figures stay, solutions go, and the form of an answer is checked."""

import ast
import builtins
import importlib.util
import re
import zipfile

import nbformat
import pytest
from click.testing import CliRunner
from nbclient import NotebookClient

from benchbook.cli import app
from benchbook.errors import BenchbookError
from benchbook_book.making import execution, exercises
from benchbook_book.making.exercise_list import chapters, listed, name_of
from benchbook_book.making.exercises import for_nbgrader, for_student, notebook, write
from benchbook_book.making.plain import Book
from benchbook_book.making.questions import (
    Question,
    _parted,
    answer_names,
    question,
    without_solutions,
)

CHAPTER = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

(sec-small)=
# A chapter

Half of {eq}`eq-half` is {glue:text}`half`, a {term}`share <shares>`; {numref}`fig-one`, {doc}`other`, {ref}`sec-small`,
{cite:t}`two2001` and {cite:p}`two2001`.

$$ (eq-half)
x = 2
$$

```{code-cell} ipython3
:tags: [remove-cell]

from myst_nb import glue
from _helper import SIZE
assert open("../other/said.toml").read() == "size = 4"
glue("half", SIZE / 4, display=False)
```

```{code-cell} ipython3
---
mystnb:
  figure:
    name: fig-one
    caption: What {glue:text}`half` looks like.
---
SIZE
```

```{exercise} Medium: one
:label: ex-one

How large is the root of {glue:text}`half`?
```

```{admonition} Hint
:class: dropdown
Multiply it by *itself*.
```

````{solution-start} ex-one
:class: dropdown
````

Secret words.

```{code-cell} ipython3
# root: function; of a value and steps: its square root
# secret: list of 2 numbers; the roots of 0 and of a half
from math import sqrt

def root(value, steps=3):
    return sqrt(value)

secret = [root(0.5 * each) for each in range(2)]
assert root(4.0) == 2
assert 0 <= min(secret) <= max(secret) < 1, "plausible: roots of less than one"
secret
assert sqrt(2) * root(0.5) == pytest_like(secret)[0] if False else secret[1] ** 2 > 0.49
```

````{solution-end}
````

```{exercise} Hard: two
:label: ex-two

In words.
```

```{solution} ex-two
:class: dropdown
Secret too.
```

```{exercise} Easy: three
:label: ex-three

Print something.
```

````{solution-start} ex-three
````

```{code-cell} ipython3
print("secret")
```

````{solution-end}
````

## Take-aways
"""
BIB = "@book{two2001, author = {One, A. and de Two, B.}, title = {T}, year = {2001}}\n"


@pytest.fixture
def root(tmp_path, monkeypatch):
    texts = {
        "_config.yml": "",
        "book/part/small.md": CHAPTER,
        "book/part/other.md": "# Another page\n",
        "book/references.bib": BIB,
        "book/part/_helper.py": "from _inner import SIZE\n",
        "book/part/_inner.py": "SIZE = 2\n",
        "book/part/_unused.py": "",
        "src/benchbook/x.py": "",
        "book/other/said.toml": "size = 4",
        "requirements.txt": "",
    }
    for name, text in texts.items():
        (tmp_path / "made" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "made" / name).write_text(text)
    monkeypatch.setattr(exercises, "checkout", lambda: tmp_path / "made")
    return tmp_path / "made"


def run(made, folder):
    """Execute a notebook as JupyterLab would, from first to last; its cells that failed."""
    NotebookClient(made, timeout=60, resources={"metadata": {"path": str(folder)}}).execute()
    return [
        cell
        for cell in made.cells
        if any(one.output_type == "error" for one in cell.get("outputs", ()))
    ]


def test_a_student_gets_numbers_figures_and_a_cell_with_a_check_of_form(root, tmp_path):
    [path] = write(tmp_path / "class", ["part/small"])
    folder = path.parent
    assert sorted(each.name for each in folder.iterdir()) == [
        "_helper.py",
        "_inner.py",
        "said.toml",
        "small.ipynb",
    ]
    made = nbformat.read(path, as_version=4)
    nbformat.validate(made)
    words = "\n\n".join(cell.source for cell in made.cells if cell.cell_type == "markdown")
    assert (
        "# A chapter\n\nHalf of (1) is 0.5, a *share*; Figure 1, *Another page*, *A chapter*,\n"
        "One and de Two (2001) and (One and de Two, 2001).\n\n$$\nx = 2\n$$"
    ) in words
    assert "**Figure 1.** What 0.5 looks like." in words
    assert "### Medium: one\n\nHow large is the root of 0.5?" in words
    assert "<details><summary>Hint</summary>\n\nMultiply it by *itself*.\n\n</details>" in words
    assert [cell.outputs[0].data["text/plain"] for cell in made.cells if cell.get("outputs")] == [
        "2"
    ]
    assert "ecret words" not in str(made)
    assert "return sqrt" not in str(made)
    [answer] = [cell for cell in made.cells if "raises-exception" in cell.metadata.get("tags", ())]
    assert answer.source.startswith(
        "# Your answer: make what follows.\n"
        "# root: function; of a value and steps: its square root\n"
        "# secret: list of 2 numbers; the roots of 0 and of a half\n"
        "def root(value, steps=3):\n    ...\nsecret = ...\n\n# Its form:\n"
    )
    assert [cell.source for cell in run(made, folder)] == [answer.source], "all the rest runs"
    assert "0.49" not in answer.source
    assert "root(4.0)" not in answer.source
    assert '"plausible: roots of less than one"' in answer.source
    answer.source = answer.source.replace("    ...", "    return value**0.5").replace(
        "= ...", "= [0, root(0.5)]"
    )
    assert run(made, folder) == []


def test_assignments_hold_marked_solutions_and_tests_and_pass_them(root, tmp_path):
    (packed,) = write(tmp_path / "course", ["part/small"], nbgrader=True, packed=True)
    with zipfile.ZipFile(packed) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path / "course")
    folder = tmp_path / "course" / "source" / "part-small"
    config = (tmp_path / "course" / "nbgrader_config.py").read_text()
    assert "course_id" in config
    assert "timeout = 900" in config
    made = nbformat.read(folder / "small.ipynb", as_version=4)
    nbformat.validate(made)
    marked = {
        cell.metadata.nbgrader.grade_id: cell for cell in made.cells if "nbgrader" in cell.metadata
    }
    assert {name: cell.metadata.nbgrader.get("points") for name, cell in marked.items()} == {
        "ex-one": None,
        "ex-one-root-tests": 1,
        "ex-one-secret-tests": 1,
        "ex-two": 3,
        "ex-three": 1,
    }
    visible, hidden = marked["ex-one-secret-tests"].source.split("### BEGIN HIDDEN TESTS\n")
    assert "# Plausible values:\nassert 0 <= min(secret)" in visible
    assert visible.count("assert") == 2
    assert hidden.count("assert") == 1
    assert "root(4.0)" in marked["ex-one-root-tests"].source
    assert "0.49" not in visible
    assert hidden.endswith("### END HIDDEN TESTS")
    assert "# Secret words.\n### END SOLUTION" in marked["ex-one"].source
    assert marked["ex-two"].source == "Secret too."
    assert run(made, folder) == []


@pytest.fixture(scope="module")
def unexecuted():
    """Every chapter as a notebook for students and one for nbgrader, without outputs."""
    book = Book(exercises.checkout())
    return {
        path: [
            notebook(path.read_text(encoding="utf-8"), path, book, cells, answer)
            for answer in (for_student, for_nbgrader)
        ]
        for path in chapters()
        for cells in [execution.read(path)]
    }


def test_no_markup_of_the_book_and_no_solution_is_left_in_any_chapter(unexecuted):
    assert len(unexecuted) > 50
    for path, (student, _) in unexecuted.items():
        words = "\n\n".join(cell.source for cell in student.cells if cell.cell_type == "markdown")
        bare = re.sub(r"^(`{3,}).*?^\1", "", words, flags=re.MULTILINE | re.DOTALL)
        assert not re.search(
            r"\{[a-z:]+\}`|^`{3,}\{|^\([\w-]+\)=|^:label:|^\$\$ \(", bare, re.MULTILINE
        ), path
        assert "solution-" not in words, path
        assert words.count("\n### ") >= path.read_text(encoding="utf-8").count("{exercise}"), path


def names(tree):
    """The names that a cell binds anywhere in it, and those that it loads."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in found if isinstance(node.ctx, ast.Store)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {(one.asname or one.name).partition(".")[0] for one in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return bound, {node.id for node in found if isinstance(node.ctx, ast.Load)}


def test_every_assertion_can_be_satisfied_with_what_a_student_has(unexecuted):
    asserted = 0
    for path, (_, assignment) in unexecuted.items():
        known = set(dir(builtins))
        for cell in (cell for cell in assignment.cells if cell.cell_type == "code"):
            tree = ast.parse(re.sub(r"^[%!].*$", "", cell.source, flags=re.MULTILINE))
            bound, loaded = names(tree)
            known |= bound
            if cell.metadata.get("nbgrader", {}).get("grade_id", "").endswith("-tests"):
                asserted += 1
                assert not loaded - known, path
    assert asserted > 120


def test_a_student_without_solutions_has_every_name_that_the_chapter_uses(unexecuted):
    """Neither a name that only a solution makes, nor one that an answer left open has overwritten."""
    for path, (student, _) in unexecuted.items():
        open_, known = set(), {*dir(builtins), "get_ipython"}
        for source in (cell.source for cell in student.cells if cell.cell_type == "code"):
            if source.startswith("# Your answer"):
                open_ |= {one.name for one in answer_names(source)}
                continue
            tree = ast.parse(re.sub(r"^(\s*)[%!].*$", r"\1pass", source, flags=re.MULTILINE))
            bound, loaded = names(tree)
            assert not loaded - bound - known, (path, "names that only a solution makes")
            assert not (loaded - bound) & open_, (path, "names that an open answer has overwritten")
            known |= bound
            open_ -= bound


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("chapter", [name_of(path) for path in chapters()])
def test_a_students_copy_fails_at_open_questions_alone(chapter, tmp_path, monkeypatch):
    """Every cell of every chapter from first to last, where the copy lies, as JupyterLab's "Run All" does."""
    monkeypatch.setattr(execution, "with_outputs", lambda root, path: execution.read(path))
    [path] = write(tmp_path, [chapter])
    made = nbformat.read(path, as_version=4)
    NotebookClient(
        made, timeout=800, allow_errors=True, resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    outputs = [(cell, one) for cell in made.cells for one in cell.get("outputs", ())]
    failed = [cell.source for cell, one in outputs if one.output_type == "error"]
    assert [source for source in failed if not source.startswith("# Your answer")] == []
    printed = "".join(one.text for _, one in outputs if one.output_type == "stream")
    assert "Skipped, for it holds" not in printed


@pytest.mark.parametrize(
    ("tags", "shown"), [([], 1), (["hide-input"], 1), (["remove-cell"], 0), (["remove-output"], 0)]
)
def test_what_a_page_removes_is_not_shown_to_students(tags, shown):
    cell = nbformat.v4.new_code_cell("x = 1", metadata={"tags": tags})
    output = nbformat.v4.new_output("stream", text="1")
    (made,) = exercises._kept(cell, {"outputs": [output]}, None)
    assert len(made.outputs) == shown


def test_a_label_is_looked_for_in_the_part_of_the_page_first(tmp_path):
    for part, heading in (("a", "Of another part"), ("b", "Of this part")):
        (tmp_path / "book" / part).mkdir(parents=True)
        (tmp_path / "book" / part / "page.md").write_text(f"(same)=\n## {heading}\n")
    source = tmp_path / "book" / "b" / "page.md"
    assert Book(tmp_path).heading("same", source) == "Of this part"


def test_names_of_authors_are_written_as_they_are_spelt():
    book = Book(exercises.checkout())
    assert book.work("quinonero2006evaluating", True) == "Quiñonero-Candela et al., 2006"
    assert book.work("hernandez2015probabilistic", False) == "Hernández-Lobato and Adams (2015)"


def test_nbgraders_marks_are_as_its_schema_has_them(unexecuted):
    for path, (_, assignment) in unexecuted.items():
        nbformat.validate(assignment)
        found = [
            (cell, cell.metadata["nbgrader"])
            for cell in assignment.cells
            if "nbgrader" in cell.metadata
        ]
        names = [said["grade_id"] for _, said in found]
        assert len(set(names)) == len(names) >= (1 if path.parent.name == "guide" else 2), path
        for cell, said in found:
            assert re.fullmatch(r"[A-Za-z0-9_-]+", said["grade_id"])
            assert set(said) - {"points"} == {
                "schema_version",
                "grade_id",
                "grade",
                "solution",
                "locked",
                "task",
            }
            assert said["schema_version"] == 3
            assert said["grade"] == ("points" in said)
            assert said["grade"] or said["solution"]
            assert said["locked"] == (not said["solution"])
            if cell.cell_type == "code":
                kind = "HIDDEN TESTS" if not said["solution"] else "SOLUTION"
                assert (
                    cell.source.count(f"### BEGIN {kind}")
                    == cell.source.count(f"### END {kind}")
                    == 1
                )
                ast.parse(re.sub(r"^[%!].*$", "", cell.source, flags=re.MULTILINE))


@pytest.mark.skipif(
    importlib.util.find_spec("nbgrader") is None, reason="nbgrader is not installed"
)
def test_nbgrader_accepts_an_assignment_and_releases_it_without_solutions(
    root, tmp_path, monkeypatch
):
    from nbgrader.apps import NbGraderAPI
    from nbgrader.validator import Validator
    from traitlets.config import Config

    course = tmp_path / "course"
    [source] = write(course, ["part/small"], nbgrader=True)
    monkeypatch.chdir(source.parent)
    assert set(Validator().validate(str(source))) <= {"type_changed"}
    monkeypatch.chdir(course)
    config = Config()
    config.CourseDirectory.root = str(course)
    outcome = NbGraderAPI(config=config).generate_assignment("part-small")
    assert outcome["success"], outcome.get("log")
    release = course / "release" / "part-small" / "small.ipynb"
    text = release.read_text()
    assert "ecret words" not in text
    assert "HIDDEN" not in text
    monkeypatch.chdir(release.parent)
    assert "failed" in Validator().validate(str(release))


def test_a_question_is_what_its_assertions_speak_of():
    code = [
        "import numpy as np",
        "# best: list of 2 numbers; the best\n# rows: number; how many\n"
        "best = [x for x in (1, 2)]\nrows = 3\nassert best\nif here:\n    assert rows > limit",
    ]
    asked = question("one", "easy", "Why.", code, ["limit = here = 1\nrows = 2"], [])
    assert [one.line for one in asked.answers] == code[1].splitlines()[:2]
    assert asked.stubs == ("best = ...", "rows = ...")
    assert asked.tests == ("assert best", "if here:\n    assert rows > limit")
    assert asked.solution == "import numpy as np\n\nbest = [x for x in (1, 2)]\nrows = 3\n\n# Why."
    said = "# rows: list of 1; four\n"
    again = question(
        "one", "easy", "", [f"{said}rows = [4]\nassert rows[0] == 4"], ["rows = [4]"], []
    )
    assert again.stubs == ("rows = ...",), "what the chapter has already made is no answer"
    assert "rows = ...\n### BEGIN SOLUTION\nrows = [4]" in for_nbgrader(again)[0].source
    assert for_nbgrader(again)[1].source.startswith("# Its form:\n")
    computed = question(
        "two", "easy", "", ["for x in (1, 2):\n    y = 2 * x\n    assert y"], [], []
    )
    assert computed.answers == (), (
        "what is asserted inside a solution cannot be asserted outside of it"
    )
    assert "assert y" in computed.solution


def test_a_test_brings_the_imports_that_the_chapter_before_it_lacks():
    code = [
        "import os.path\nfrom math import sqrt\n# x: number; one\nx = 1\nassert sqrt(x) > os.a * pi"
    ]
    asked = question("one", "easy", "", code, ["from math import pi"], ["from math import pi, sin"])
    assert asked.imports == ("import os.path", "from math import sqrt")
    assert question("one", "easy", "", code, [], ["from math import pi as pi, sin"]).imports == (
        "from math import pi as pi",
        *asked.imports,
    )


def test_a_solution_that_tests_a_name_says_what_it_is():
    code = ["best = 2\nrows = [x for best in (1, 2)]\nassert [1 for best in rows]"]
    with pytest.raises(BenchbookError, match="the solution of one tests rows; say in it what"):
        question("one", "easy", "", code, [], [])
    code = ["# rows: nothing; what it means\nrows = 1\nassert rows"]
    with pytest.raises(BenchbookError, match="rows has the form 'nothing', which is none"):
        for_student(question("one", "easy", "", code, [], []))


def test_solutions_become_places_and_the_rest_stays():
    found = without_solutions(CHAPTER)
    assert "ecret" not in found
    assert found.count("answer to ex-") == 3
    assert found.endswith("## Take-aways\n")


def test_what_is_wrong_is_told(root, tmp_path):
    with pytest.raises(BenchbookError, match="part/none"):
        write(tmp_path, ["part/none"])
    (root / "book" / "part" / "small.md").write_text(CHAPTER.replace("SIZE / 4", "SIZE / 0"))
    with pytest.raises(
        BenchbookError, match=r"small.md failed in the cell at line 1\d:\n(.|\n)*ZeroDivisionError"
    ):
        write(tmp_path, ["part/small"])
    result = CliRunner().invoke(app, ["book", "exercises", "--zip"])
    assert result.exit_code == 2
    assert "--out" in result.output


def test_the_list_says_how_hard():
    lines = [
        line
        for line in listed()
        if line["chapter"] in ("guide/your-own-method", "synthesis/four-answers")
    ]
    assert [line["level"] for line in lines] == ["easy", "medium", "hard"] * 2
    assert lines[3]["title"] == "the fifth answer"


@pytest.mark.parametrize(("level", "points"), [("easy", 1), ("medium", 2), ("hard", 3), ("", 1)])
def test_points_follow_from_the_level(level, points):
    assert Question("l", level, "", ()).points == points


def test_assertions_are_taken_out_of_a_cell_in_their_order():
    source = "a = 1\nassert a\nif a:\n    assert a == 1\nif a:\n    assert a\nelse:\n    b = 2\nassert (\n    a\n)"
    rest, tests = _parted(source)
    assert rest == "a = 1\nif a:\n    assert a\nelse:\n    b = 2"
    assert tests == ["assert a", "if a:\n    assert a == 1", "assert (\n    a\n)"]
    words = Question("l", "easy", "word " * 25, ("x = 1",)).solution
    assert max(map(len, words.splitlines())) == 102 - 1
    assert words.startswith("x = 1\n\n# word")
