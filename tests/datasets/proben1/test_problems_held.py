"""What is guessed of one's own tables, how they are dealt out and written, and what is refused: ``held.txt`` beside."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from printed import held, outcome

from benchbook.datasets import card, proben1
from benchbook_book.pages.proben1 import summaries


def guessed(fitted=True, outputs=(), cases=20, **columns):
    """A case: the specification that is guessed for columns, each a function of the number of a case."""
    given = {name: [make(case) for case in range(cases)] for name, make in columns.items()}
    given["y"] = ["u", "v"] * (cases // 2)
    table = proben1.WordTable("t", given, tuple(range(cases)))
    return lambda: proben1.guess(table, outputs, fitted=fitted).partition("\n\n")[2]


def read(text, *options):
    """A case: delimited text as a table of words."""
    return lambda: vars(proben1.read_table(text.encode(), "t", *options))


def written(inputs, targets, counts, **options):
    """A case: the text of a file."""
    return lambda: proben1.dt_text(inputs, targets, counts, **options)


def counts(cases, *shares):
    return lambda: [proben1.counts_of(number, *shares) for number in cases]


SPEC = """
[[input]]
attribute = "a"
kind = "real"
range = "training cases"
missing = "mean"
[[output]]
attribute = "b"
kind = "binary"
values = ["0", "1"]
[[output]]
attribute = "c"
kind = "nominal"
values = ["u", "v", "w"]
"""


def encoded(text, out="m.dt", **options):
    """A case: a table encoded by a specification: what is returned, and the files."""

    def encode():
        table = proben1.read_table(text.encode(), "t.csv")
        made = proben1.encode_table(
            table, proben1.read_spec(SPEC.encode(), "s"), out, permutations=2, **options
        )
        files = {
            path.name: path.read_text().replace("\n", "|") for path in sorted(Path().glob("m*"))
        }
        return [made.counts, list(made.orders), made.rows, made.left_out, made.absent(), files]

    return encode


def beside(name, folder=False):
    """A case: a table encoded where there is a file that is read, or a folder."""

    def encode():
        Path(name).mkdir() if folder else Path(name).touch()
        return encoded(ROWS, read=("s.toml", "m2.dt"))()

    return encode


ROWS = "a,b,c\n1,0,u\n2,1,?\n2,?,u\n3,1,v\n?,0,u\n5,0,v\n6,1,w\n"
SHARES = ("60/20/20", "50/25/24", "50/50/0", "1e1/45/45", "100")
SAID = {
    "few missing": guessed(a=lambda at: at / 2 if at else None, b=lambda at: "pqr"[at % 3] if at else None),
    "more missing": guessed(a=lambda at: at / 2 if at > 1 else None),
    "few missing in all": guessed(
        False, a=lambda at: at / 2 if at else None, b=lambda at: "pqqr"[at % 4] if at else None
    ),
    "classes of numbers": guessed(True, ("a", "b"), 42, a=lambda at: at % 20, b=lambda at: at % 21),
    "halves": guessed(True, ("a",), a=lambda at: at % 4 / 2),
    "running numbers": guessed(True, (), 10, a=lambda at: at, b=lambda at: at + (at > 4), my_id=lambda at: at * at),
    "eight numbers": guessed(True, (), 8, a=lambda at: at),
    "codes": guessed(
        True, (), 42, a=lambda at: f"{at % 21:02d}", b=lambda at: f"{at % 20:02d}", c=lambda at: at % 21 + 1
    ),
    "many words": guessed(True, (), 42, a=lambda at: f"w{at % 20}", b=lambda at: f"w{at % 21}", c=lambda at: f"w{at}"),
    "nearly a word each": guessed(a=lambda at: f"w{at or 1}"),
    "words in an order": guessed(a=lambda at: ("large", "S", "medium")[at % 3], b=lambda at: "ab"[at % 2] * (at % 3)),
    "one word and none": guessed(a=lambda at: "x", b=lambda at: None),
    "dates": guessed(a=lambda at: f"2024-01-{at + 1:02d}", b=lambda at: f"{at + 1}/1/24 10:00"),
    "none left": guessed(True, ("y",)),
    "names twice": guessed(True, ("y", "y", "z"), a=lambda at: at),
    "semicolons": read('a; b\n1;"2;3"\n\n ?;NA\n'),
    "quotes behind blanks": read('a, b\n1, "2,3"\n'),
    "a bar": read("a|b,c|d\n1|2|nan\n"),
    "blanks": read("a  b\n1\t null\n"),
    "a mark before names": read("\ufeffa,b\n1,2\n"),
    "without a heading": read("1,2\n3,x\n", ",", ("x",), False),
    "names that are missing": read("a,,a,a\n1,2\n"),
    "a heading alone": read("a,b\n"),
    **{f"separator {sign!r}": read("a,b\n1,2\n", sign) for sign in (",,", '"', "\n", "\0")},
    **{f"shares {text}": lambda text=text: proben1.parse_shares(text) for text in SHARES},
    "counts": counts((5, 7, 8, 9), (60.0, 20.0, 20.0)),
    "too few to count": counts((3,), (90.0, 5.0, 5.0)),
    "standard counts": counts(range(4, 12)),
    "too few for standard counts": counts((3,)),
    "destinations": lambda: [
        str(path) for name in ("a1.dt", "a.dt", "f/a", "1.dt", "a11") for path in proben1.destinations(name, 2)
    ],
    "orders": lambda: [[list(one) for one in proben1.orders_of(5, 3, 1, first)] for first in (False, True)],
    "six digits": written([[0.1234567, -0.0]], [[1e-9]], (1, 0, 0)),
    "all digits": written([[0.1234567, 2.5]], [[1.0]], (0, 1, 0), exact=True, boolean_outputs=True),
    "faulty examples": written([[0.5, np.inf]], [[2.0], [1.0]], (0, 0, 0), boolean_outputs=True),
    "examples of other shapes": written([1.0], [[1.0]], (1, 1)),
    "examples without columns": written([[]], [[1.0]], (2, -1, 0)),
    "no examples": written(np.empty((0, 1)), np.empty((0, 1)), (0, 0, 0)),
    "a table in its order": encoded(ROWS, keep_first=True),
    "a table in other orders": encoded(ROWS, seed=3, shares=(40.0, 40.0, 20.0)),
    "a faulty table": encoded(ROWS.replace("5,0", "x,2")),
    "no targets": encoded("a,b,c\n1,0,?\n"),
    "a table on a file that is read": beside("m2.dt"),
    "a table on a folder": beside("m1.dt", True),
    "a fit by least squares": lambda: summaries.least_squares("sklearn-wine1"),
    "facts": lambda: summaries.facts("sklearn-wine2"),
    "portions": lambda: summaries.portions("sklearn-diabetes1"),
    "one output is no classes": lambda: summaries.is_classification(
        replace(card("sklearn-wine1"), targets=card("sklearn-wine1").targets[:1])
    ),
    "entropy": lambda: [summaries.entropy(np.array(sizes)) for sizes in ([1, 1], [1, 3, 0], [5.0, 0.5])],
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_what_is_made_and_said(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    held(Path(__file__).with_name("held.txt"), name, outcome(SAID[name]))
