"""Methods of one's own that cannot be loaded, that fail in every way there is, or that answer nonsense."""

import json

import pytest

TASK = "kin-8nm-sim/dist/std.64"
HEAD = """\
import numpy as np
from benchbook.methods import method
from benchbook.predictive import Gaussian, Point


def fine(instance):
    count = len(instance.test_inputs)
    return Gaussian(np.zeros(count), np.ones(count))

"""
RUN = f"run -m m.py:mine -t {TASK} --instances 1 --workers 1 --out runs --no-compare"
FAILED = f"failed: mine on {TASK}#0"


def mine(body: str, before: str = "", name: str = "mine") -> dict[str, object]:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    defined = f'@method(name={name!r})\ndef mine(instance, rng):\n    """Mine."""\n'
    return {"m.py": f"{HEAD}{before}\n\n{defined}{lines}"}


def error(base: str, body: str = "pass") -> str:
    return f"class Odd({base}):\n    {body}\n"


def thing(**changed: str) -> dict[str, object]:
    """An object with the members of a method, some of them written otherwise."""
    members = {"name": '"mine"', "description": '"Mine."', "kinds": 'frozenset({"real"})'} | changed
    lines = "".join(f"    {name} = {value}\n" for name, value in members.items())
    predicts = "    def predict(self, instance, rng):\n        return fine(instance)\n"
    return {"m.py": f"{HEAD}\nclass Mine:\n{lines}\n{predicts}\nmine = Mine()\n"}


def module(text: str | bytes) -> dict[str, object]:
    return {"m.py": text}


LOADING = [
    ("no such file", {}, RUN, "no such file: m.py (looked from"),
    ("a folder", {"m.py": None}, RUN, "no such file: m.py"),
    ("a name that is too long", {}, RUN.replace("m.py", "m" * 300 + ".py"), "File name too long"),
    (
        "the home of nobody",
        {},
        RUN.replace("m.py", "~nobody-here/m.py"),
        "no such file: ~nobody-here/m.py",
    ),
    (
        "bytes that are no text",
        {},
        ["run", "-m", "m\udcff.py:mine", "-t", TASK],
        "no such file: m\\udcff.py",
    ),
    (
        "no such name",
        mine("return fine(instance)"),
        RUN.replace(":mine", ":mime"),
        "nearest names in it: mine",
    ),
    ("nothing in it", module(""), RUN.replace(":mine", ""), "it defines no method"),
    (
        "two methods and no name",
        {
            "m.py": str(mine("return fine(instance)")["m.py"])
            + "\n\n@method()\ndef other(i, r): ..."
        },
        RUN.replace(":mine", ""),
        "methods in it: mine, other",
    ),
    ("bad syntax", module("def ("), RUN, ("cannot import", "SyntaxError", "(line 1)")),
    ("a zero byte", module(b"x = 1\0"), RUN, "a zero byte (line 1); a module is text"),
    ("no text", module(b"x = '\xff'"), RUN, "SyntaxError"),
    ("brackets without end", module("x = " + "(" * 5000), RUN, "too many nested parentheses"),
    (
        "a module that is missing",
        module("import nothing_like_this"),
        RUN,
        "No module named 'nothing_like_this' (line 1)",
    ),
    ("an error on import", module("1 / 0"), RUN, "ZeroDivisionError: division by zero (line 1)"),
    ("an end on import", module("import sys\nsys.exit(0)"), RUN, "SystemExit: 0 (line 2)"),
    (
        "an interrupt of its own on import",
        module("raise KeyboardInterrupt"),
        RUN,
        "KeyboardInterrupt (line 1)",
    ),
    (
        "an error that is no Exception on import",
        module(error("BaseException") + "raise Odd('odd')"),
        RUN,
        "Odd: odd",
    ),
    ("a surrogate on import", module("raise ValueError('\\udc80')"), RUN, "ValueError: \\udc80"),
    (
        "a message of a million letters on import",
        module("raise ValueError('x' * 10**6)"),
        RUN,
        "characters)",
    ),
    ("imports of itself", module("import m\nfrom m import mine"), RUN, "cannot import"),
    (
        "a plain function",
        module("def mine(instance, rng): ..."),
        RUN,
        "put `@methods.method(name='mine'",
    ),
    (
        "a class",
        module(str(thing()["m.py"]).replace("mine = Mine()", "mine = Mine")),
        RUN,
        "make an object of it",
    ),
    ("a number", module("mine = 3"), RUN, "is not a method but int"),
    ("a name that is a number", thing(name="3"), RUN, "name: found 3; use up to 64 letters"),
    (
        "an empty name",
        mine("return fine(instance)", name=""),
        RUN,
        "name: found ''; use up to 64 letters",
    ),
    ("a name with a slash", mine("return fine(instance)", name="a/b"), RUN, "name: found 'a/b'"),
    (
        "a name with an end of line",
        mine("return fine(instance)", name="a\nb"),
        RUN,
        "name: found 'a\\nb'",
    ),
    (
        "a name of 65 letters",
        mine("return fine(instance)", name="a" * 65),
        RUN,
        "use up to 64 letters",
    ),
    (
        "the name of an archived method",
        mine("return fine(instance)", name="lin-1"),
        RUN,
        "m.py:mine is called 'lin-1', and so is a method of this book; give it another name",
    ),
    (
        "the name of an archived method, checked",
        mine("return fine(instance)", name="lin-1"),
        "method check m.py",
        "lin-1",
    ),
    (
        "a description that is none",
        thing(description="None"),
        RUN,
        "description: found None; one sentence",
    ),
    ("kinds that are a number", thing(kinds="3"), RUN, "kinds: found 3; say which targets"),
    ("kinds that are lists", thing(kinds="[['real']]"), RUN, "kinds: found [['real']]"),
    ("an unknown kind", thing(kinds="{'reel'}"), RUN, "kinds: found {'reel'}"),
    (
        "a name that raises",
        thing(name="property(lambda self: 1 / 0)"),
        RUN,
        "ZeroDivisionError: division by zero",
    ),
    (
        "a name that interrupts",
        {
            "m.py": str(thing()["m.py"]).replace(
                '    name = "mine"',
                "    @property\n    def name(self):\n        raise KeyboardInterrupt",
            )
        },
        RUN,
        "KeyboardInterrupt",
    ),
    (
        "a module that is not there",
        {},
        RUN.replace("m.py", "nothing.like.this"),
        "no module 'nothing.like.this' on the path",
    ),
    ("a module without a name", {}, RUN.replace("m.py", ""), "'' is no name of a module"),
    ("a module above", {}, RUN.replace("m.py", "..m"), "'..m' is no name of a module"),
    (
        "a module that is no method",
        {},
        "run -m os:path -t " + TASK,
        "os:path is not a method but module",
    ),
    (
        "two methods of one name",
        mine("return fine(instance)") | {"n.py": mine("return fine(instance)")["m.py"]},
        RUN + " -m n.py:mine",
        "a method called 'mine' is there already, from 'm.py:mine'",
    ),
]

FAILING = [
    (
        "an error",
        mine("raise ValueError('no luck')"),
        RUN,
        (FAILED, "raised ValueError: no luck", "m.py, line"),
        1,
    ),
    (
        "an interrupt of its own",
        mine("raise KeyboardInterrupt('mine')"),
        RUN,
        (FAILED, "KeyboardInterrupt: mine"),
        1,
    ),
    ("an end", mine("raise SystemExit(3)"), RUN, (FAILED, "raised SystemExit: 3"), 1),
    (
        "the end of a generator",
        mine("raise GeneratorExit"),
        RUN,
        (FAILED, "raised GeneratorExit ("),
        1,
    ),
    (
        "the end of an iteration",
        mine("raise StopIteration"),
        RUN,
        (FAILED, "raised StopIteration ("),
        1,
    ),
    (
        "an error that is no Exception",
        mine("raise Odd('odd')", error("BaseException")),
        RUN,
        (FAILED, "Odd: odd"),
        1,
    ),
    (
        "several errors",
        mine("raise ExceptionGroup('all', [ValueError('b')])"),
        RUN,
        (FAILED, "ExceptionGroup: all"),
        1,
    ),
    (
        "errors that are no Exceptions",
        mine("raise BaseExceptionGroup('all', [Odd()])", error("BaseException")),
        RUN,
        (FAILED, "BaseExceptionGroup: all"),
        1,
    ),
    (
        "a surrogate in the message",
        mine("raise ValueError('a\\udc80b')"),
        RUN,
        (FAILED, "ValueError: a\\udc80b"),
        1,
    ),
    (
        "a surrogate in a message of the house",
        mine("from benchbook.errors import BenchbookError\nraise BenchbookError('a\\udc80b')"),
        RUN,
        (FAILED, "a\\udc80b"),
        1,
    ),
    (
        "control characters in the message",
        mine("raise ValueError('a\\x1b[2Jb\\0')"),
        RUN,
        (FAILED, "a\\x1b[2Jb\\x00"),
        1,
    ),
    (
        "a message of five million letters",
        mine("raise ValueError('x' * 5_000_000)"),
        RUN,
        (FAILED, "(5000000 characters)"),
        1,
    ),
    (
        "a message that raises",
        mine("raise Odd()", error("Exception", "def __str__(self): raise ValueError('no')")),
        RUN,
        (FAILED, "raised Odd: its message cannot be read"),
        1,
    ),
    (
        "a message that is a number",
        mine("raise Odd()", error("Exception", "def __str__(self): return 3")),
        RUN,
        (FAILED, "raised Odd: its message cannot be read"),
        1,
    ),
    ("calls without end", mine("return mine(instance, rng)"), RUN, (FAILED, "RecursionError"), 1),
    (
        "more memory than there is",
        mine("return np.zeros(10**15)"),
        RUN,
        (FAILED, "Unable to allocate"),
        1,
    ),
    (
        "nothing",
        mine("return None"),
        RUN,
        (FAILED, "returned NoneType; it must return a predictive"),
        1,
    ),
    (
        "a class instead of an object",
        mine("return Gaussian"),
        RUN,
        (FAILED, "it must return a predictive"),
        1,
    ),
    ("a generator", mine("yield fine(instance)"), RUN, (FAILED, "returned generator"), 1),
    ("three things", mine("return 1, 2, 3"), RUN, (FAILED, "returned tuple"), 1),
    (
        "no numbers",
        mine("n = len(instance.test_inputs)\nreturn Gaussian(np.full(n, np.nan), np.ones(n))"),
        RUN,
        (FAILED, "case 0, mean: found nan; must be finite"),
        1,
    ),
    (
        "negative variances",
        mine("n = len(instance.test_inputs)\nreturn Gaussian(np.zeros(n), -np.ones(n))"),
        RUN,
        (FAILED, "case 0, variance: found -1"),
        1,
    ),
    (
        "one case only",
        mine("return Gaussian(np.zeros(1), np.ones(1))"),
        RUN,
        (FAILED, "predicted 1 cases, there are 512"),
        1,
    ),
    (
        "classes for numbers",
        mine(
            "from benchbook.predictive import Categorical\n"
            "return Categorical(np.full((len(instance.test_inputs), 2), 0.5))"
        ),
        RUN,
        (FAILED, "returned a categorical distribution for a real target"),
        1,
    ),
    (
        "changed training cases",
        mine("instance.train_inputs[:] = 0\nreturn fine(instance)"),
        RUN,
        (FAILED, "read-only"),
        1,
    ),
    (
        "diagnostics that are no table",
        mine("return fine(instance), [1]"),
        RUN,
        (FAILED, "they are a dict of numbers"),
        1,
    ),
    (
        "diagnostics that are arrays",
        mine("return fine(instance), {'a': np.zeros(3)}"),
        RUN,
        (FAILED, "'a'"),
        1,
    ),
    (
        "complex diagnostics",
        mine("return fine(instance), {'a': 1j}"),
        RUN,
        (FAILED, "neither numbers nor short texts"),
        1,
    ),
    (
        "diagnostics without names",
        mine("return fine(instance), {1: 1, 'a': 2}"),
        RUN,
        (FAILED, "names that are texts: 1"),
        1,
    ),
    (
        "diagnostics of 101 letters",
        mine("return fine(instance), {'a': 'x' * 101}"),
        RUN,
        (FAILED, "'a'"),
        1,
    ),
]

PROGRAM = f"-t {TASK} --instances 1 --workers 1 --out runs --no-compare"
PLACES = "{train} {test} {guess}"


def program(command: str) -> list[str]:
    return ["run", "--command", command, *PROGRAM.split()]


PROGRAMS = [
    ("no command", {}, program(""), "write for example"),
    (
        "a command without places",
        {},
        program("ls"),
        "the command 'ls' lacks {train} and {test} and {guess}",
    ),
    ("an open quote", {}, program(f"'x {PLACES}"), "No closing quotation"),
    (
        "a name of an archived method",
        {"lin-1.sh": ""},
        program(f"sh lin-1.sh {PLACES}"),
        "is called 'lin-1', and so is",
    ),
    ("no such program", {}, program(f"./nothing {PLACES}"), "there is no program './nothing'", 1),
    (
        "a program that is not to be executed",
        {"x.sh": ""},
        program(f"./x.sh {PLACES}"),
        "chmod +x",
        1,
    ),
    ("a zero byte in a command", {}, program(f"a\0b {PLACES}"), "a zero byte"),
    (
        "a program that fails",
        {},
        program(f"false {PLACES}"),
        "'false' ended with exit code 1; it wrote nothing",
        1,
    ),
    (
        "a program that says why",
        {"x.sh": "echo because >&2\nexit 3"},
        program(f"sh x.sh {PLACES}"),
        "exit code 3; its last line on standard error: because",
        1,
    ),
    (
        "a program that says bytes",
        {"x.sh": "printf '\\377\\000' >&2\nexit 3"},
        program(f"sh x.sh {PLACES}"),
        "its last line on standard error: \ufffd\\x00",
        1,
    ),
    (
        "a program that kills itself",
        {"x.sh": "kill -9 $$"},
        program(f"sh x.sh {PLACES}"),
        "signal 9",
        1,
    ),
    ("no guesses", {}, program(f"true {PLACES}"), "there is no guess file", 1),
    (
        "guesses that are no text",
        {"x.sh": "printf '\\377' > $3"},
        program(f"sh x.sh {PLACES}"),
        "cannot be read as text",
        1,
    ),
    (
        "guesses for some cases",
        {"x.sh": "echo 1 > $3"},
        program(f"sh x.sh {PLACES}"),
        "one for each of the 512",
        1,
    ),
    (
        "guesses that are words",
        {"x.sh": "sed 's/.*/many/' $2 > $3"},
        program(f"sh x.sh {PLACES}"),
        "'many'; a finite",
        1,
    ),
    (
        "guesses with underscores",
        {"x.sh": "sed 's/.*/1_0/' $2 > $3"},
        program(f"sh x.sh {PLACES}"),
        "'1_0'; a finite",
        1,
    ),
    (
        "guesses in a folder",
        {"x.sh": "mkdir $3"},
        program(f"sh x.sh {PLACES}"),
        "there is no guess file",
        1,
    ),
    (
        "guesses in a pipe",
        {"x.sh": "mkfifo $3"},
        program(f"sh x.sh {PLACES}"),
        "there is no guess file",
        1,
    ),
]

CHECKED = [
    (f"{name}, checked", given, "method check m.py:mine", "checks passed", 1)
    for name, given, _, _, _ in FAILING[:4]
    + FAILING[5:6]
    + FAILING[8:9]
    + FAILING[12:13]
    + FAILING[16:17]
]

BAD = [*LOADING, *FAILING, *PROGRAMS, *CHECKED]


def test_bad_input_is_refused(bad, refused):
    refused(bad)


@pytest.mark.parametrize(
    "body",
    [
        "import os\nos.chdir('/')",
        "print('hello')",
        "np.seterr(all='raise')",
        "import warnings\nwarnings.simplefilter('error')",
    ],
    ids=["folder", "print", "numpy", "warnings"],
)
def test_what_a_method_does_to_its_process_does_not_reach_the_study(body, tmp_path, monkeypatch):
    from click.testing import CliRunner

    from benchbook.cli import app

    (tmp_path / "m.py").write_text(str(mine(f"{body}\nreturn fine(instance)")["m.py"]))
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(
        app, [*RUN.replace("--instances 1", "--instances 2").split(), "--json"]
    )
    assert json.loads(result.stdout)["summary"]["done"] == 2
    assert (
        len(
            [
                path
                for path in (tmp_path / "runs" / "runs").rglob("*.parquet")
                if "mine" in path.parts
            ]
        )
        == 2
    )
    assert result.exit_code == 0
