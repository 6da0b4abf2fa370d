"""The exercises for a class: copies of the chapters as notebooks, with a place to answer for every solution.

A notebook shows what the book shows: the numbers in the prose and the figures of the executed chapter. For students
each solution is replaced by one cell that says what to make, and checks its form. For nbgrader the solutions stay,
marked for its ``generate_assignment`` to remove; the checks of form are visible and some of plausible values, and
what else is asserted of values is hidden, because an assertion often is the answer. Each quantity has its own points.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from benchbook.errors import BenchbookError
from benchbook.files import atomic, zipped
from benchbook.progress import bar
from benchbook_book.making import execution
from benchbook_book.making.exercise_list import chapters, has_exercises, name_of
from benchbook_book.making.inputs import check_tools, checkout
from benchbook_book.making.plain import Book, Prose, glued
from benchbook_book.making.questions import (
    IMPORT,
    AnswerName,
    Question,
    levels,
    place,
    question,
    solutions,
    without_solutions,
)

_HIDDEN = {"remove-cell", "remove-input", "hide-input", "hide-cell"}
_AWAY = re.compile(
    r"\.\./([\w-]+/[\w-]+\.(?:py|toml|awk|csv))\b"
)  # a file of another part, in code
# nbgrader waits 30 seconds for a cell by itself; the first call of a compiled loop alone may take them.
_COURSE = (
    'c = get_config()  # noqa: F821\nc.CourseDirectory.course_id = "benchbook"\n'
    "c.ExecutePreprocessor.timeout = 900\n"
)


def write(
    out: Path, names: Sequence[str] = (), *, nbgrader: bool = False, packed: bool = False
) -> list[Path]:
    """Write notebooks of the chapters for a class, under the same folders, with the files that their cells open.

    The outputs are those of the book that was built; a chapter that was not, or has changed since, is executed.

    Args:
        out: the folder; with ``packed`` the zip.
        names: chapters such as ``delve/planning``; all that have exercises when left out.
        nbgrader: write the folder of a course instead: ``source/CHAPTER/`` with marked solutions and tests.
        packed: write one zip.

    Returns:
        The paths of the notebooks, or that of the zip.

    Raises:
        BenchbookError: a chapter that is not there, has no exercises, or fails when it is executed.
    """
    root = checkout()
    known = {name: root / "book" / f"{name}.md" for name in names} or {
        name_of(path): path for path in chapters()
    }
    if unknown := [name for name, path in known.items() if not has_exercises(path)]:
        raise BenchbookError(
            f"no chapter with exercises is called {', '.join(unknown)}; `benchbook book exercises` "
            "lists those there are"
        )
    check_tools(root)
    book, files = Book(root), {"nbgrader_config.py": _COURSE.encode()} if nbgrader else {}
    with bar(total=len(known), label="chapters", unit="page") as progress:
        for name in known:
            made = notebook(
                known[name].read_text(encoding="utf-8"),
                known[name],
                book,
                execution.with_outputs(root, known[name]),
                for_nbgrader if nbgrader else for_student,
            )
            folder, _, last = name.rpartition("/")
            folder = f"source/{name.replace('/', '-')}" if nbgrader else folder
            for cell in made.cells:
                if cell.cell_type == "code":  # what it reads of other parts lies beside it
                    cell.source = _AWAY.sub(lambda found: found[1].rpartition("/")[2], cell.source)
            files[f"{folder}/{last}.ipynb"] = (nbformat.writes(made) + "\n").encode()
            files |= {f"{folder}/{each.name}": each.read_bytes() for each in _beside(known[name])}
            progress.update()
    if packed:
        return [_pack(out, files)]
    for place_, content in files.items():
        (out / place_).parent.mkdir(parents=True, exist_ok=True)
        with atomic(out / place_) as scratch:
            scratch.write_bytes(content)
    return [out / each for each in files if each.endswith(".ipynb")]


def _pack(path: Path, files: dict[str, bytes]) -> Path:
    """Write a zip: the same bytes for the same files."""
    path = path.with_name(path.name if path.suffix == ".zip" else f"{path.name}.zip")
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic(path) as scratch:
        scratch.write_bytes(zipped(dict(sorted(files.items()))))
    return path


def _beside(source: Path) -> list[Path]:
    """The files beside a chapter that it names, those that these name, and those of other parts that its code reads."""
    left = [
        path for path in sorted(source.parent.iterdir()) if path.suffix in (".py", ".toml", ".awk")
    ]
    files, texts = [], [source.read_text(encoding="utf-8")]
    while texts:
        text = texts.pop()
        for path in [each for each in left if _named(each, text)]:
            left.remove(path)
            files.append(path)
            texts.append(path.read_text(encoding="utf-8"))
    away = (
        source.parent.parent / each for each in _AWAY.findall(source.read_text(encoding="utf-8"))
    )
    return sorted({*files, *filter(Path.is_file, away)})


def _named(path: Path, text: str) -> bool:
    imported = path.suffix == ".py" and re.search(
        rf"^\s*(?:from|import) {path.stem}\b", text, re.MULTILINE
    )
    return bool(imported) or path.name in text


def notebook(
    text: str, source: Path, book: Book, executed: Any, answer: Callable[[Question], list[Any]]
) -> Any:
    """A chapter as a notebook in plain Markdown, its outputs kept, with cells of another kind for its solutions.

    Args:
        text: the chapter, whose code cells are those of ``executed``.
        source: where it lies.
        book: what it may refer to.
        executed: the chapter as an executed notebook.
        answer: makes the cells that stand for a solution, such as ``for_student``.
    """
    from myst_nb.core.read import read_myst_markdown_notebook

    read: Any = read_myst_markdown_notebook(without_solutions(text), path=str(source))
    finished = iter([cell for cell in executed.cells if cell.cell_type == "code"])
    prose, retained, level = Prose(book, source, glued(executed)), solutions(text), levels(text)
    prose.number_figures([name for cell in read.cells if (name := _figure(cell).get("name"))])
    cells: list[Any] = []
    before: list[str] = []
    earlier: list[str] = []
    for cell in read.cells:
        label = place(cell.source) if cell.cell_type == "code" else None
        if label is not None:
            count, words = retained[label]
            code = [next(finished).source for _ in range(count)]
            cells += answer(
                question(label, level.get(label, ""), prose.plain(words), code, before, earlier)
            )
            earlier += code
        elif cell.cell_type == "code":
            before.append(cell.source)
            cells += _kept(cell, next(finished), prose)
        else:
            cells.append(nbformat.v4.new_markdown_cell(prose.plain(cell.source)))
    for count, cell in enumerate(cells):
        cell["id"] = f"cell-{count}"
    return nbformat.v4.new_notebook(
        cells=cells,
        metadata={
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
    )


def _figure(cell: NotebookNode) -> dict[str, str]:
    figure = (cell.metadata.get("mystnb") or {}).get("figure")
    return figure if isinstance(figure, dict) else {}


def _kept(cell: NotebookNode, executed: NotebookNode, prose: Prose) -> list[Any]:
    """A cell of the chapter with what it showed, and the caption of its figure."""
    tags, figure = set(cell.metadata.get("tags", ())), _figure(cell)
    shown = [
        output
        for output in executed.get("outputs", ())
        if "scrapbook" not in output.get("metadata", {})
    ]
    if tags & {"remove-cell", "remove-output"}:
        shown = []
    metadata = {"jupyter": {"source_hidden": True}} if tags & _HIDDEN else {}
    made = [nbformat.v4.new_code_cell(cell.source, outputs=shown, metadata=metadata)]
    if figure.get("caption"):
        made.append(nbformat.v4.new_markdown_cell(prose.caption(figure["name"], figure["caption"])))
    return made


def for_student(exercise: Question) -> list[Any]:
    """One cell to answer in, with checks of the answer's form; words where only words are asked for.

    A notebook is run to its end although questions are open.
    """
    if not exercise.code:
        return [nbformat.v4.new_markdown_cell("*Your answer:*")]
    if not exercise.answers:
        return [nbformat.v4.new_code_cell("# Your answer.\n")]
    lines = [
        _TASK,
        *_said(exercise),
        *exercise.stubs,
        "",
        *_checks(exercise.answers, exercise.plausible),
    ]
    return [nbformat.v4.new_code_cell("\n".join(lines), metadata={"tags": ["raises-exception"]})]


def for_nbgrader(exercise: Question) -> list[Any]:
    """The solution between nbgrader's marks, and the tests of each part; or marked by hand."""
    name, points = re.sub(r"[^\w-]", "-", exercise.label), exercise.points
    if not exercise.code:
        return [
            nbformat.v4.new_markdown_cell(exercise.words, metadata=_marks(name, points, True, True))
        ]
    body = f"### BEGIN SOLUTION\n{exercise.solution}\n### END SOLUTION"
    if not exercise.answers:
        return [nbformat.v4.new_code_cell(body, metadata=_marks(name, points, True, True))]
    open_ = "\n".join([_TASK, *_said(exercise), *exercise.stubs, body])
    parts = exercise.parts
    return [
        nbformat.v4.new_code_cell(open_, metadata=_marks(name, None, False, True)),
        *(
            nbformat.v4.new_code_cell(
                "\n".join(
                    [
                        *_checks(part.answers, part.plausible),
                        "### BEGIN HIDDEN TESTS",
                        *exercise.imports,
                        *part.tests,
                        "### END HIDDEN TESTS",
                    ]
                ),
                metadata=_marks(
                    f"{name}-{part.answers[-1].name}-tests" if len(parts) > 1 else f"{name}-tests",
                    part.points,
                    True,
                    False,
                ),
            )
            for part in parts
        ),
    ]


_TASK = "# Your answer: make what follows."


def _said(exercise: Question) -> list[str]:
    return [each.line for each in exercise.answers]


def _checks(answers: Sequence[AnswerName], plausible: Sequence[str]) -> list[str]:
    """What is visible of the tests: the form, and between which values an answer may be."""
    lines = ["# Its form:", IMPORT, *(each.check for each in answers)]
    return [*lines, "# Plausible values:", *plausible] if plausible else lines


def _marks(name: str, points: float | None, grade: bool, solution: bool) -> dict[str, Any]:
    """nbgrader's metadata, in the third form of its schema."""
    texts = {
        "schema_version": 3,
        "grade_id": name,
        "grade": grade,
        "solution": solution,
        "locked": grade and not solution,
        "task": False,
    }
    return {"nbgrader": texts if points is None else {**texts, "points": points}}
