"""Small faults of a line of code: a sign, a limit, a constant, made in the text of a module one at a time."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

_OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.Pow: ("**", "*"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
}
_NAMES = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "argmin": "argmax",
    "argmax": "argmin",
    "floor": "ceil",
    "ceil": "floor",
    "any": "all",
    "all": "any",
    "sqrt": "abs",
    "median": "mean",
}
_LOOK = re.compile(
    r"mark_\w+|Axis|Scale|Legend|Header|Title|Tooltip|properties|param|facet|binding_\w+|configure\w*|value|panels"
    r"|Fault|FaultyInput|BenchbookError"
)
"""Calls whose arguments are the look of a chart or a message."""


class Mutant(NamedTuple):
    """A text between two places of a file, and what stands there instead; ``function`` is the one around it."""

    file: str
    function: str
    line: int
    start: int
    end: int
    before: str
    after: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What stays when lines are added above."""
        return self.file, self.function, self.before, self.after


def spoilt(source: str, mutant: Mutant) -> str:
    """The source with the fault."""
    return source[: mutant.start] + mutant.after + source[mutant.end :]


def mutants(file: str, source: str) -> list[Mutant]:
    """All small faults of a module, in the order of the text.

    Left alone are annotations, docstrings, what is raised, messages, and how a chart looks.
    """
    tree = ast.parse(source)
    starts = [0]
    for text in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(text))
    lines = source.splitlines(keepends=True)

    def at(line: int, column: int) -> int:
        """The place of a column, which ast counts in bytes."""
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    results = []
    for function, node in _nodes(tree, ""):
        for start, end, after in _faults(node, source, at):
            # what stands around it, so that two equal signs of a line are two faults
            left = source.rfind("\n", 0, start) + 1
            right = source.find("\n", end)
            before = source[left:start].lstrip() + "⟦" + source[start:end] + "⟧" + source[end:right]
            results.append(Mutant(file, function, node.lineno, start, end, before, after))
    return sorted(results, key=lambda one: (one.start, one.after))


def _nodes(node: ast.AST, function: str) -> Iterator[tuple[str, ast.expr]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Raise | ast.Import | ast.ImportFrom | ast.JoinedStr | ast.Assert):
            continue
        if isinstance(child, ast.Call) and _LOOK.fullmatch(_name(child.func)):
            continue
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            inner = f"{function}.{child.name}" if function else child.name
            for part in child.body:
                yield from _nodes(ast.Module([part], []), inner)
            continue
        if isinstance(child, ast.AnnAssign):
            if child.value is not None:
                yield from _nodes(ast.Expression(child.value), function)
            continue
        if isinstance(child, ast.If) and _name(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.keyword) and child.arg in (
            "strict",
            "cache",
            "keepdims",
            "maintain_order",
            "layout",
            "spacing",
            "xtol",
            "rtol",
        ):
            continue
        if isinstance(child, ast.expr):
            yield function, child
        yield from _nodes(child, function)


def _name(node: ast.expr) -> str:
    return getattr(node, "id", getattr(node, "attr", ""))


def _faults(
    node: ast.expr, source: str, at: Callable[[int, int], int]
) -> Iterator[tuple[int, int, str]]:
    """Where a text is replaced, and by what."""
    start, end = (at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset))
    if isinstance(node, ast.BinOp):
        yield from _between(node.left, node.op, node.right, source, at)
    elif isinstance(node, ast.Compare):
        terms = [node.left, *node.comparators]
        for left, sign, right in zip(terms, node.ops, terms[1:], strict=False):
            yield from _between(left, sign, right, source, at)
    elif isinstance(node, ast.BoolOp):
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield from _between(left, node.op, right, source, at)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        sign = 1 if isinstance(node.op, ast.USub) else len("not")
        yield start, end, f"({source[start + sign : end].lstrip()})"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield start, end, str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield start, end, str(node.value + 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, float):
        yield start, end, repr(2.0 * node.value or 1.0)
    elif isinstance(node, ast.Name | ast.Attribute) and _name(node) in _NAMES:
        yield end - len(_name(node)), end, _NAMES[_name(node)]


def _between(
    left: ast.expr, sign: ast.AST, right: ast.expr, source: str, at: Callable[[int, int], int]
) -> Iterator[tuple[int, int, str]]:
    """The sign between two terms, where it stands without a bracket or comment that has one too."""
    if type(sign) not in _OPERATORS:
        return
    text, other = _OPERATORS[type(sign)]
    start, end = (
        at(left.end_lineno, left.end_col_offset),
        at(right.lineno, right.col_offset),
    )
    gap = source[start:end]
    if gap.count(text) == 1:
        index = start + gap.index(text)
        yield index, index + len(text), other
