"""Answers to the exercises: a right one that is written otherwise passes, an untouched or empty one gets nothing."""

import ast
import contextlib
import functools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from benchbook_book.making import execution, questions
from benchbook_book.making.exercise_list import chapters, name_of
from benchbook_book.making.exercises import checkout, for_nbgrader, for_student
from benchbook_book.making.questions import AnswerName, Question

ANSWERS = {
    "delve/dataset-to-instance": {
        "exr-instance-easy": """
from types import SimpleNamespace
blocks = range(4)
large = SimpleNamespace(
    train=[4096 + 1024 * i + np.arange(1024) for i in blocks],
    test=[1024 * i + np.arange(1024) for i in blocks])
""",
        "exr-instance-medium": """
gains = np.zeros(128)
gains[:12] = 3000.0
middle = sorted(gains)[64]
""",
    },
    "delve/convergence": {
        "exr-convergence-easy": """
x = np.random.default_rng(5).normal(size=400)
turned = x.copy()
turned[200:] *= -1
passed = ("second half turned", "independent")
series = dict(zip(("independent", "sorted", "second half turned"), (x, sorted(x), turned)))
series["sorted"] = np.array(series["sorted"])
""",
    },
    "delve/generators": {
        "ex-generators-arithmetic": "least = 1 - 0.75 * 0.60",
        "ex-generators-kurtosis": """
from scipy.stats import kurtosis as excess
kurtosis = lambda e: excess(e, fisher=False)
y, base = np.random.default_rng(1).uniform(size=1000), 0.0 * np.ones(1000)
found = {"normal": 3.0, "uniform": 1.8}
""",
    },
    "delve/methods": {"exr-methods-easy": "factors = (np.array([4, 2, 1]) / 4.0) ** 4"},
    "delve/planning": {
        "ex-observed-power": """
from scipy.stats import nct, t as student
edge = student.ppf(0.975, 7)
observed = nct.sf(edge, 7, edge) + nct.cdf(-edge, 7, edge)
""",
    },
    "delve/task-arrays": {
        "ex-array-partners": "noisy = 8 * 5 // 2\ndial = 8 * 4",
    },
    "proben1/linear": {
        "exr-p1-linear-easy": """
class Soybean:
    connections = 19 * (82 + 1)

soybean = Soybean()
""",
        "exr-shortcuts-easy": "before = 1 - 0.9**42\nafter = 1 - (1 - 0.1 / 42) ** 42",
        "exr-shortcuts-hard": """
from scipy.stats import t as student
rng = np.random.default_rng(3)
rates = []
values = rng.normal(0, 0.05, (2000, 14))[:, :, None] + rng.normal(0, 0.001**0.5, (2000, 14, 3))
for x in (values.reshape(2000, -1), values.mean(axis=2)):
    n = x.shape[1]
    t = x.mean(axis=1) / (x.std(axis=1, ddof=1) / n**0.5)
    rates.append(np.mean(abs(t) > student.isf(0.05, n - 1)))
alarms = rates
""",
    },
    "proben1/problems": {
        "exr-problems-easy": "half = sum(p * np.log2(1 / p) for p in (0.5, 0.25, 0.25))\nequal = np.log2(3)",
    },
    "proben1/representation": {
        "exr-representation-easy": """
target = np.array([2.0, 5.0, 2.0])
A = np.c_[np.ones(3), np.eye(3)]
fitted = A @ np.linalg.pinv(A) @ target
""",
        "exr-representation-medium": """
design = np.array([[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]])
lost = np.array([1.0, -1, -1, 1])
""",
    },
    "proben1/reproduction": {
        "exr-tables-easy": """
naive = 0.003 / np.sqrt(0.001**2 / 10)
fair = 0.003 / np.sqrt((0.001**2 + 0.01**2 / 3) / 10 + 0.01**2 / 12)
""",
        "exr-tables-hard": "d = 0.64 / 0.21\nk = 60 * 0.21 / d",
        "exr-hide-hard": """
from scipy.stats import ttest_ind
rng = np.random.default_rng(4)
def alarm():
    logs = rng.normal(0, 0.05, 5)[:, None] + rng.normal(0, 0.1, (5, 60))
    order = logs.mean(axis=1).argsort()
    return ttest_ind(logs[order[0]], logs[order[-1]]).pvalue < 0.1
alarms = np.array([alarm() for _ in range(200)])
""",
    },
    "proben1/partitions": {
        "exr-p1-partitions-medium": """
alone, each = 1537, 6037
side = 100 * 1.96 * (0.16 / alone) ** 0.5
low, high = 20 - side, 20 + side
""",
    },
    "uncertainty/lift": {
        "exr-uncertainty-lift-medium": """
y = np.repeat([0, 1], [70_000, 30_000])
best = 1 - np.log(0.3)
""",
        "exr-uncertainty-lift-hard": "best = [0, 1, 2, 3, 4]",
    },
    "uncertainty/losses-classes": {
        "exr-uncertainty-classes-easy": """
paid = {(k, p): -(k * np.log(p) + (100 - k) * np.log1p(-p)) / 100
        for k in (93, 99) for p in (0.9, 0.99)}
""",
        "exr-uncertainty-classes-medium": """
grid = np.linspace(0, 1, 401)
cost = lambda p, a: 0.7 * (1 - p) ** a + 0.3 * p**a
stated = [float(min(grid, key=lambda p: cost(p, a))) for a in (1, 1.5, 2, 3)]
""",
    },
    "uncertainty/calibration": {
        "exr-uncertainty-calibration-easy": """
from scipy import stats
y = np.random.default_rng(2).normal(size=10_000)
u = stats.t(3, scale=3**-0.5).cdf(y)
density = [np.mean((k / 10 <= u) & (u < (k + 1) / 10)) * 10 for k in range(10)]
ends = np.mean((u < 0.005) | (u > 0.995))
""",
    },
    "synthesis/cross-validation": {
        "ex-cv-repetition-gain": """
se = lambda once: (once + 1 / 9) ** 0.5
widths = np.array([se(1 / 30), se(1 / 100), se(0)]) / se(1 / 10)
""",
    },
    "synthesis/next-monday": {
        "exr-next-monday-sentence": "error = np.std([1] * 870 + [0] * 130) / 1000**0.5",
    },
    "uncertainty/quantiles": {
        "exr-uncertainty-quantiles-easy": """
from collections import namedtuple
a, q = np.array((0.25, 0.75)), np.array((10.0, 14.0))
density = (a[1] - a[0]) / (q[1] - q[0])
tail = namedtuple("Tail", "height scale")(density, 0.25 / density)
beyond = 0.25 * np.exp(-(20 - 14) / tail.scale)
""",
        "exr-uncertainty-quantiles-medium": """
off = lambda a, z=0.1: a * a * (1 - a) / z
worst = 0.67
""",
    },
    "uncertainty/tasks": {
        "exr-uncertainty-tasks-easy": """
from scipy import stats
entropy = lambda p: stats.entropy([p, 1 - p], base=10)
""",
    },
    "uncertainty/why": {
        "exr-uncertainty-why-hard": """
def weighted(p, y):
    return -np.log(p if y else 1 - p)
costs = np.arange(1, 100) / 100
weight = 1 / costs + 1 / (1 - costs)
""",
    },
    "uncertainty/results": {
        "winners-jensen": """
alone = np.log(2 * np.pi * np.array([1, 100])) / 2
together = -np.log(np.mean([1, 0.1]) / (2 * np.pi) ** 0.5)
""",
    },
    "predictive-densities/expected-utility": {
        "exr-densities-bootstrap-other": """
rng = np.random.default_rng(2)
efron = np.array([np.bincount(rng.integers(0, 25, 25), minlength=25) for _ in range(4000)]) / 25
gaps = rng.exponential(size=(4000, 25))
dirichlet = gaps / gaps.sum(axis=1, keepdims=True)
""",
    },
    "predictive-densities/folds": {
        "exr-densities-folds-many": "whole, part = 1 + 9 / 400, 1 + 9 / 320",
        "exr-densities-folds-classes": "dealt = np.full(200, 10 - 6)",
    },
    "predictive-densities/importance": {
        "exr-densities-importance-limits": """
from types import SimpleNamespace
found = SimpleNamespace(reliable=[True], effective=[1000.0], k_hat=[float("-inf")])
""",
    },
}


@functools.cache
def asked(chapter: str) -> dict[str, tuple[Question, tuple[str, ...]]]:
    """The questions of a chapter by label, each with the cells of the chapter before it."""
    from myst_nb.core.read import read_myst_markdown_notebook

    path = checkout() / "book" / f"{chapter}.md"
    text = path.read_text(encoding="utf-8")
    code = iter([cell.source for cell in execution.read(path).cells if cell.cell_type == "code"])
    bare: Any = read_myst_markdown_notebook(questions.without_solutions(text), path=str(path))
    kept, level = questions.solutions(text), questions.levels(text)
    before, earlier, found = [], [], {}
    for cell in (cell for cell in bare.cells if cell.cell_type == "code"):
        label = questions.place(cell.source)
        if label is None:
            before.append(next(code))
            continue
        count, words = kept[label]
        cells = [next(code) for _ in range(count)]
        one = questions.question(label, level.get(label, ""), words, cells, before, earlier)
        found[label] = (one, tuple(before))
        earlier += cells
    return found


def needed(cells: tuple[str, ...], code: str) -> Iterator[ast.stmt]:
    """The statements of cells on which code depends: those that bind or change what it loads."""
    wanted = questions._loaded(ast.parse(code))
    statements = [one for cell in cells for one in questions._tree(cell).body]
    chosen: set[int] = set()
    count = -1
    while count < len(chosen):  # a function may load what is bound after it
        count = len(chosen)
        for index, statement in reversed([*enumerate(statements)]):
            if index not in chosen and bound_by(statement) & wanted:
                chosen.add(index)
                names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
                wanted |= {name.id for name in names if isinstance(name.ctx, ast.Load)}
                wanted |= {
                    name.id
                    for node in ast.walk(statement)
                    if isinstance(node, ast.AugAssign)
                    for name in ast.walk(node.target)
                    if isinstance(name, ast.Name)
                }
    return (statements[index] for index in sorted(chosen))


def bound_by(statement: ast.stmt) -> set[str]:
    """The names that a statement binds, and those whose values it changes in place."""
    module = ast.Module([statement], [])
    bound = {name for name, _ in (*questions._made(module), *questions._imports(module))}
    if isinstance(statement, ast.ClassDef):
        bound.add(statement.name)
    for node in ast.walk(statement):
        part: ast.AST = node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr not in ("append", "extend", "update", "add", "register"):
                continue
            part = node.func.value
        elif not isinstance(getattr(node, "ctx", None), ast.Store):
            continue
        while isinstance(part, ast.Attribute | ast.Subscript):
            part = part.value
        if isinstance(part, ast.Name) and part is not node:
            bound.add(part.id)
    return bound


EMPTY = ("nothing", 0.0, float("nan"), "input")


def emptiest(one: AnswerName, kind: Any, inputs: dict[str, Any]) -> Any:
    """The emptiest answer of a form: as little as it can have, zeros, NaN, or what the question gives already.

    Args:
        one: what is asked. kind: one of ``EMPTY``. inputs: the names that a student has, and the numbers of the words.
    """
    match = questions._FORM.fullmatch(one.form)
    number = kind if isinstance(kind, float) else 0.0 if kind == "nothing" else inputs["number"]
    if match["plain"] == "function":
        return lambda *given, **named: given[0] if kind == "input" and given else number
    if match["plain"]:
        return {"number": number, "whole number": 0 if number != number else int(number)}.get(
            match["plain"], ""
        )
    for value in inputs["values"] if kind == "input" else ():
        with contextlib.suppress(Exception):
            exec(f"{questions.IMPORT}\n{one.check}", {one.name: value})
            return value
    few = 0 if kind == "nothing" else 3
    words = re.split(", ", match["columns"] or match["attributes"] or "")
    if match["columns"]:
        return pl.DataFrame({word: [number] * few for word in words})
    if match["attributes"]:
        return SimpleNamespace(**dict.fromkeys(words, [] if kind == "nothing" else number))
    if one.form.startswith("array"):
        return np.full(ast.literal_eval(match["shape"] or f"({few},)"), number)
    if one.form.startswith("dict"):
        return dict.fromkeys(
            ast.literal_eval(f"({match['keys']},)") if match["keys"] else (), number
        )
    row = dict.fromkeys(ast.literal_eval(f"({match['row']},)"), number) if match["row"] else number
    return pl.DataFrame() if one.form == "table" else [row] * int(match["length"] or few)


def passed(chapter: str, label: str, found: dict[str, Any]) -> list[str]:
    """The parts of a question for which some of the emptiest answers gets points, and which; [] as it should be."""
    one, before = asked(chapter)[label]
    cells = [cell.source for cell in for_nbgrader(one)[1:]]
    values: dict[str, Any] = {"np": np, **found}
    prelude = ast.Module(list(needed(before, "\n".join(cells))), [])
    exec(compile(prelude, chapter, "exec"), values)
    path = checkout() / "book" / f"{chapter}.md"
    words = (
        path.read_text(encoding="utf-8").partition(f":label: {label}\n")[2].partition("\n```")[0]
    )
    wrong = []
    for number in {
        float(text) for text in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", words)
    } | {1.0}:
        for kind in EMPTY if number == 1.0 else EMPTY[-1:]:
            inputs = {"number": number, "values": [*values.values()]}
            answer = {each.name: emptiest(each, kind, inputs) for each in one.answers}
            for part, cell in zip(one.parts, cells, strict=True):
                try:
                    exec(cell, values | answer)
                except NameError:
                    raise
                except Exception:
                    continue
                wrong.append(f"{label}, {part.answers[-1].name}: {kind}, {answer}"[:300])
    return wrong


def graded(chapter: str, label: str, answer: str, monkeypatch) -> None:
    """Do as nbgrader does with an answer; an exception when it gets no points."""
    one, before = asked(chapter)[label]
    tests = "\n".join(cell.source for cell in for_nbgrader(one)[1:])
    folder = checkout() / "book" / Path(chapter).parent
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    values: dict[str, Any] = {"np": np}
    prelude = ast.Module(list(needed(before, f"{answer}\n{tests}")), [])
    exec(compile(prelude, chapter, "exec"), values)
    exec(answer, values)
    exec(tests, values)


EVERY = [(chapter, label) for chapter, each in ANSWERS.items() for label in each]


def test_there_are_answers_to_questions_of_all_parts():
    assert len(EVERY) >= 20
    parts = {chapter.partition("/")[0] for chapter, _ in EVERY}
    assert parts == {"delve", "proben1", "uncertainty", "predictive-densities", "synthesis"}


@pytest.mark.parametrize(("chapter", "label"), EVERY, ids=[label for _, label in EVERY])
def test_another_right_answer_gets_its_points(chapter, label, monkeypatch):
    graded(chapter, label, ANSWERS[chapter][label], monkeypatch)


@pytest.mark.parametrize(("chapter", "label"), EVERY, ids=[label for _, label in EVERY])
def test_an_untouched_copy_gets_none(chapter, label, monkeypatch):
    one, _ = asked(chapter)[label]
    with pytest.raises((AssertionError, TypeError)):
        graded(chapter, label, "\n".join(one.stubs), monkeypatch)


@pytest.mark.slow
@pytest.mark.timeout(700)
@pytest.mark.parametrize("chapter", [name_of(path) for path in chapters()])
def test_an_empty_answer_gets_no_points(chapter, monkeypatch):
    """Each part of each question of each chapter that is graded automatically."""
    folder = checkout() / "book" / Path(chapter).parent
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    graded_ones = [label for label, (one, _) in asked(chapter).items() if one.answers]
    assert [wrong for label in graded_ones for wrong in passed(chapter, label, {})] == []


def test_no_visible_check_passes_what_is_untouched_and_none_holds_a_test():
    """But for functions: whether they are right is hidden."""
    count = 0
    for path in chapters():
        for one, _ in asked(name_of(path)).values():
            if not one.answers:
                continue
            count += 1
            student = for_student(one)[0].source
            parts = [
                cell.source.partition("### BEGIN HIDDEN TESTS") for cell in for_nbgrader(one)[1:]
            ]
            visible = "\n".join(shown for shown, _, _ in parts)
            assert not [test for test in one.tests if test in student or test in visible], path
            assert all(each.line in student for each in one.answers), path
            if any(each.form != "function" for each in one.answers):
                with pytest.raises(AssertionError, match=r" is to be: "):
                    exec("\n".join([*one.stubs, visible]), {})
    assert count > 120
