"""The parameters of a run page: the cell that holds them, and other values for them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchbook.errors import Fault, FaultyInput

if TYPE_CHECKING:
    from nbformat import NotebookNode

TAG = "parameters"
_INJECTED = "# Parameters"


def cell_of(notebook: NotebookNode) -> Any:
    """The cell with the parameters; every template has one."""
    return next(cell for cell in notebook.cells if TAG in cell.metadata.get("tags", []))


def parameters() -> bool:
    """Check the parameters that papermill has put into this page, and say whether it has put some there.

    Papermill puts them into a cell of their own behind the cell with the page's own, and whatever they are named.

    Raises:
        FaultyInput: some are not among the page's own, or one is a list where the page's is none, or the other way
            round; all of them are named, and what there is to set.
    """
    from IPython import get_ipython

    shell = get_ipython()
    cells = [] if shell is None else list(shell.user_ns["In"])
    places = [index for index, cell in enumerate(cells) if cell.lstrip().startswith(_INJECTED)]
    if not places:
        return False
    source = cells[places[0] - 1]
    own, given = _assignments(source), _assignments(cells[places[-1]])
    _refuse(
        [
            Fault(f"parameter {name!r}", ast.unparse(value), rule)
            for name, value in given.items()
            if (rule := _rule_broken(name, value, own))
        ],
        source,
    )
    return True


def with_values(source: str, values: Mapping[str, Any]) -> str:
    """The cell with other values for some of its parameters; its comments stay.

    Raises:
        FaultyInput: the cell has no parameter of such a name; all of them are named.
    """
    from papermill.translators import PythonTranslator

    nodes = _assignments(source)
    _refuse(
        [_unknown(name, repr(value)) for name, value in values.items() if name not in nodes], source
    )
    lines = source.encode().splitlines(keepends=True)
    for name in sorted(values, key=lambda name: nodes[name].lineno, reverse=True):
        node = nodes[name]
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        text = PythonTranslator.translate(values[name]).encode()
        lines[first : last + 1] = [
            lines[first][: node.col_offset] + text + lines[last][node.end_col_offset :]
        ]
    return b"".join(lines).decode()


def from_words(words: Sequence[tuple[str, str]], source: str) -> dict[str, Any]:
    """Values for parameters of a cell, each of the type that the cell has; a list is made of all words of its name.

    Raises:
        FaultyInput: names that the cell does not have, or values of another type: all of them are named.
    """
    own = {name: ast.literal_eval(node) for name, node in _assignments(source).items()}
    given: dict[str, Any] = {}
    faults = []
    for name, word in words:
        if name not in own:
            faults.append(_unknown(name, repr(word)))
        elif isinstance(own[name], list):
            given.setdefault(name, []).append(word)
        elif name in given:
            faults.append(Fault(f"parameter {name!r}", "it twice", "give it one value"))
        else:
            try:
                given[name] = type(own[name])(word)
            except ValueError:
                faults.append(Fault(f"parameter {name!r}", repr(word), "write a whole number"))
    _refuse(faults, source)
    return given


def _assignments(source: str) -> dict[str, ast.expr]:
    """The names that a cell assigns, with what it assigns to them."""
    return {
        target.id: line.value
        for line in ast.parse(source).body
        if isinstance(line, ast.Assign)
        for target in line.targets
        if isinstance(target, ast.Name)
    }


_NO_SUCH = "the page has no parameter of this name"


def _unknown(name: str, value: str) -> Fault:
    return Fault(f"parameter {name!r}", value, _NO_SUCH)


def _rule_broken(name: str, value: ast.expr, own: Mapping[str, ast.expr]) -> str:
    """What is wrong with a parameter from papermill; an empty text when nothing is."""
    if name not in own:
        return _NO_SUCH
    if isinstance(own[name], ast.List) == isinstance(value, ast.List):
        return ""
    if isinstance(value, ast.List):
        return "write one value, not a list"
    return f"write a list, such as -y '{name}: [{ast.literal_eval(value)!s}]'"


def _refuse(faults: list[Fault], source: str) -> None:
    if faults:
        lines = (f"  {name} = {ast.unparse(node)}" for name, node in _assignments(source).items())
        raise FaultyInput(
            "the parameters of this page",
            faults,
            "It has, with these values:\n" + "\n".join(lines),
        )
