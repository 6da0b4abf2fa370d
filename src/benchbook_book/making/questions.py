"""The exercises of a chapter as questions to a student: what to make, what is asserted of it, and the solution.

A solution says it in comments that stand for themselves, one for each name that its assertions speak of::

    # noisy: whole number; pairs of tasks that differ in noise alone

Where a line is full it goes on below, indented by two more blanks. An assertion whose message begins with "plausible"
says what a student may see, such as the range in which an answer has to be; all others are hidden.

The forms: ``number``, ``whole number``, ``text``, ``function``, ``list``, ``list of 3``, ``list of 3 numbers``, ``list
of numbers``, ``list of 3 dicts with keys 'a', 'b'``, ``dict``, ``dict with keys 'a', 2``, ``array``, ``array of shape
(3, 4)``, ``table with columns a, b``, ``object with mean, sd``. A list may as well be a tuple, an array or a column.
"""

from __future__ import annotations

import ast
import functools
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchbook.errors import BenchbookError

IMPORT = "from numbers import Integral, Real"
_LINE = re.compile(r"^# (\w+): ([^\n]+(?:\n#   [^\n]+)*)\n?", re.MULTILINE)
_NEXT = "\n#   "
_COLUMN = 79
_FORM = re.compile(
    r"(?P<plain>number|whole number|text|function)"
    r"|list(?: of (?P<length>\d+))?(?: ?(?:of )?(?P<numbers>numbers))?"
    r"(?: ?(?:of )?dicts with keys (?P<row>.+))?"
    r"|dict(?: with keys (?P<keys>.+))?"
    r"|array(?: of shape (?P<shape>\(.+\)))?"
    r"|table(?: with columns (?P<columns>.+))?"
    r"|object with (?P<attributes>.+)"
)
_PLAIN = {
    "number": "isinstance({0}, Real)",
    "whole number": "isinstance({0}, Integral)",
    "text": "isinstance({0}, str)",
    "function": "callable({0})",
}


@dataclass(frozen=True)
class AnswerName:
    """A name that an answer has to make, its form, and what it means."""

    name: str
    form: str
    meaning: str

    @property
    def line(self) -> str:
        """What a student reads of it, and where it is long several lines."""
        words = f"# {self.name}: {self.form}; {self.meaning}"
        return _NEXT.join(textwrap.wrap(words, _COLUMN - 4, break_on_hyphens=False))

    @property
    def check(self) -> str:
        """An assertion of the form alone; it says nothing of the value.

        Raises:
            BenchbookError: the form is none of those above.
        """
        condition = " and ".join(_conditions(self))
        return f'assert {condition}, "{self.name} is to be: {self.form}"'


def answer_names(source: str) -> list[AnswerName]:
    """The names that a cell of a solution says it makes."""
    parts = (_parts(match) for match in _LINE.finditer(source))
    return [part for part in parts if part is not None]


def without_lines(source: str) -> str:
    """The cell without these comments."""
    return _LINE.sub(lambda match: match[0] if _parts(match) is None else "", source)


def _parts(match: re.Match[str]) -> AnswerName | None:
    """What a comment asks for; None for another comment."""
    form, mark, meaning = match[2].replace(_NEXT, " ").partition("; ")
    return AnswerName(match[1], form, meaning) if mark else None


def _conditions(answer: AnswerName) -> list[str]:
    name, result = answer.name, _FORM.fullmatch(answer.form)
    if result is None:
        raise BenchbookError(
            f"{answer.name} has the form {answer.form!r}, which is none of those known"
        )
    if result["plain"]:
        return [_PLAIN[result["plain"]].format(name)]
    kind = answer.form.partition(" ")[0]
    if kind == "list":
        return _of_list(name, result)
    if kind == "array":
        return [
            f"getattr({name}, 'shape', ()) {'== ' + result['shape'] if result['shape'] else '!= ()'}"
        ]
    if kind == "dict":
        return [f"isinstance({name}, dict)", *_having(name, result["keys"])]
    words = re.split(r", ", result["columns"] or result["attributes"] or "")
    if kind == "table":
        wanted = f"{_set(words)} <= set({name}.columns)" if result["columns"] else ""
        return [f"hasattr({name}, 'columns')", *filter(None, [wanted])]
    return [f"hasattr({name}, {word!r})" for word in words]


def _of_list(name: str, found: re.Match[str]) -> list[str]:
    conditions = [f"hasattr({name}, '__len__')"]
    if found["length"]:
        conditions.append(f"len({name}) == {found['length']}")
    if found["numbers"]:
        conditions.append(f"all(isinstance(each, Real) for each in {name})")
    if found["row"]:
        conditions.append(f"all({_keys(found['row'])} <= set(each) for each in {name})")
    return conditions


def _having(name: str, keys: str | None) -> list[str]:
    return [f"{_keys(keys)} <= set({name})"] if keys else []


def _keys(text: str) -> str:
    return _set(ast.literal_eval(f"({text},)"))


def _set(words: Iterable[object]) -> str:
    """A set as it is written, in the order of the words."""
    return f"{{{', '.join(map(repr, words))}}}"


_BETWEEN = re.compile(
    r"^(`{3,})\{solution-start\}[ ]*(\S+).*?^\1[ ]*\n(.*?)^`{3,}\{solution-end\}\n`{3,}[ ]*$\n?",
    re.MULTILINE | re.DOTALL,
)
_WHOLE = re.compile(
    r"^(`{3,})\{solution\}[ ]*(\S+)[^\n]*\n(?::[^\n]*\n)*(.*?)^\1[ ]*$\n?", re.MULTILINE | re.DOTALL
)
_CODE = re.compile(r"^(`{3,})\{code-cell\}.*?^\1[ ]*$\n?", re.MULTILINE | re.DOTALL)
_PLACE = "answer to "
_LEVEL = re.compile(
    r"^`{3,}\{exercise\}[ ]*([^\n]*)\n:label: (\S+)\n+(.*?)^`{3,}", re.MULTILINE | re.DOTALL
)
_SCOPES = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.FunctionDef)
POINTS = {"easy": 1, "medium": 2, "hard": 3}


@dataclass(frozen=True)
class Part:
    """Names of a question that are tested together: assertions that a student sees, hidden ones, and their points."""

    answers: tuple[AnswerName, ...]
    plausible: tuple[str, ...]
    tests: tuple[str, ...]
    points: float


@dataclass(frozen=True)
class Question:
    """One exercise.

    ``code`` are the cells of its solution and ``words`` the prose in it. ``answers`` are names that a student has to
    define, with form and meaning, ``tests`` the assertions that speak of their values, ``plausible`` those that a
    student sees, ``imports`` what these need, ``stubs`` a line or two to begin with for each name, so that none which
    the chapter has already answers the question. Without ``answers`` nothing can be tested.
    """

    label: str
    level: str
    words: str
    code: tuple[str, ...]
    answers: tuple[AnswerName, ...] = ()
    tests: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    stubs: tuple[str, ...] = ()
    plausible: tuple[str, ...] = ()

    @property
    def parts(self) -> list[Part]:
        """What gets points of its own: each name with a test that speaks of it and of none after it.

        A name without one, such as a function by which another is computed, belongs to the part that tests it.
        """
        places = {each.name: index for index, each in enumerate(self.answers)}
        by = [_loaded(ast.parse(test)) & places.keys() for test in self.tests]
        last = [max((places[name] for name in names), default=0) for names in by]
        own = sorted(set(last))
        of = {
            name: index
            if index in own
            else min(at for at, names in zip(last, by, strict=True) if name in names)
            for name, index in places.items()
        }
        whole, rest = divmod(100 * self.points, len(own))
        return [
            Part(
                tuple(each for each in self.answers if of[each.name] == index),
                tuple(
                    test
                    for test in self.plausible
                    if max((of[name] for name in _loaded(ast.parse(test)) & of.keys()), default=0)
                    == index
                ),
                tuple(test for test, at in zip(self.tests, last, strict=True) if at == index),
                (whole + (number < rest)) / 100,
            )
            for number, index in enumerate(own)
        ]

    @property
    def points(self) -> int:
        """One for an easy exercise, two for a medium one, three for a hard one."""
        return POINTS.get(self.level, 1)

    @property
    def solution(self) -> str:
        """The code of the solution, without what is tested anyway, and its prose as comments."""
        cells = [
            without_lines(_parted(source)[0]) if self.answers else source for source in self.code
        ]
        lines = [
            f"# {line}".rstrip()
            for part in self.words.splitlines()
            for line in textwrap.wrap(part, 100) or [""]
        ]
        return "\n\n".join(
            part for part in (*(cell.strip() for cell in cells), "\n".join(lines)) if part
        )


def without_solutions(text: str) -> str:
    """A chapter with a cell in place of each solution that says which one it was."""
    for pattern in (_BETWEEN, _WHOLE):
        text = pattern.sub(rf"```{{code-cell}} ipython3\n{_PLACE}\2\n```\n", text)
    return text


def place(source: str) -> str | None:
    """The label of the exercise whose solution a cell stands for; None for other cells."""
    return source.strip().removeprefix(_PLACE) if source.startswith(_PLACE) else None


def solutions(text: str) -> dict[str, tuple[int, str]]:
    """How many code cells the solution of each exercise of a chapter has, and its prose, by label."""
    matches = [match for pattern in (_BETWEEN, _WHOLE) for match in pattern.finditer(text)]
    return {
        match[2]: (len(_CODE.findall(match[3])), _CODE.sub("", match[3]).strip())
        for match in matches
    }


def levels(text: str) -> dict[str, str]:
    """easy, medium or hard for each exercise of a chapter, by label; empty where it does not say."""
    words = {label: title or body.replace("**", "") for title, label, body in _LEVEL.findall(text)}
    return {
        label: re.split(r"[:.]", word, maxsplit=1)[0].strip().lower()
        for label, word in words.items()
    }


def question(
    label: str,
    level: str,
    words: str,
    code: Sequence[str],
    before: Sequence[str],
    earlier: Sequence[str],
) -> Question:
    """A question from the solution of an exercise.

    Args:
        label, level: of the exercise.
        words, code: the prose and the code cells of the solution.
        before: the chapter's code cells that a student has.
        earlier: the code cells of the solutions before this one, which may have imported what this one needs.
    """
    every = [test for source in code for test in _parted(source)[1]]
    plausible = tuple(test for test in every if _is_plausible(test))
    tests = [test for test in every if test not in plausible]
    needed = {name for test in tests for name in _loaded(ast.parse(test))}
    made = {name: stub for source in code for name, stub in _made(_tree(source))}
    texts = {each.name: each for source in code for each in answer_names(source)}
    if missing := [name for name in made if name in needed - texts.keys()]:
        raise BenchbookError(
            f"the solution of {label} tests {', '.join(missing)}; say in it what each is, in a comment such as "
            f"`# {missing[0]}: number; what it means`"
        )
    requested = tuple(texts[name] for name in made if name in needed)
    if not requested:
        return Question(label, level, words, tuple(code))
    known = {name for source in before for name in _bound(source)}
    imports = {
        name: line
        for source in (*earlier, *code)
        for name, line in _imports(_tree(source))
        if name in needed - known
    }
    lines, stubs = (
        tuple(dict.fromkeys(imports.values())),
        tuple(made[item.name] for item in requested),
    )
    return Question(
        label, level, words, tuple(code), requested, tuple(tests), lines, stubs, plausible
    )


def _tree(source: str) -> ast.Module:
    """The program of a cell; an empty one for what only a notebook understands."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.Module([], [])


def _parted(source: str) -> tuple[str, list[str]]:
    """A cell without its assertions, and these."""
    lines, tests = source.splitlines(), []
    for statement in reversed(_tree(source).body):
        if _asserts(statement):
            chosen = slice(statement.lineno - 1, statement.end_lineno)
            tests.append("\n".join(lines[chosen]))
            del lines[chosen]
    return "\n".join(lines), tests[::-1]


def _is_plausible(test: str) -> bool:
    """Whether a student sees this assertion."""
    match ast.parse(test).body:
        case [ast.Assert(msg=ast.Constant(value=str(message)))]:
            return message.startswith("plausible")
    return False


def _asserts(statement: ast.stmt) -> bool:
    """An assertion, or several under a condition: the question may be about data that is not available."""
    return isinstance(statement, ast.Assert) or (
        isinstance(statement, ast.If)
        and not statement.orelse
        and all(map(_asserts, statement.body))
    )


def _loaded(tree: ast.AST) -> set[str]:
    """The names that an assertion takes from outside of it; those of its comprehensions are its own."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    own = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return {node.id for node in names if isinstance(node.ctx, ast.Load)} - own


def _made(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that a cell makes, imports left out, each with a beginning for a student."""
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            yield statement.name, f"def {statement.name}({ast.unparse(statement.args)}):\n    ..."
        else:
            yield from ((name, f"{name} = ...") for name in _stored(statement))


def _stored(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement stores where it stands, in their order; those inside comprehensions stay there."""
    inner = {
        id(name)
        for node in ast.walk(statement)
        if isinstance(node, _SCOPES)
        for name in ast.walk(node)
    }
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in inner:
            yield node.id


@functools.cache
def _bound(source: str) -> frozenset[str]:
    """All names that a cell binds; every question after it asks."""
    tree = _tree(source)
    return frozenset(name for name, _ in (*_made(tree), *_imports(tree)))


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that a cell imports, each with the statement."""
    for statement in tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                item: ast.AST = type(statement)(**{**vars(statement), "names": [alias]})
                yield (alias.asname or alias.name).partition(".")[0], ast.unparse(item)
