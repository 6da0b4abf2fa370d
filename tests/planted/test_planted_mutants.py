"""The faults that are planted: what they are, what is left alone, and that excused ones still exist."""

import ast
import tomllib
from pathlib import Path

import pytest
from mutants import mutants, spoilt

SOURCE = '''
"""A sentence with 1 and 2."""
import x
LIMIT = -0.05
NAMES: dict[int, str] = {}

class Thing:
    share: float = 0.5

    def of(self, a, b=1):
        """Not 3 < 4."""
        if a <= b and not b:
            raise ValueError(f"{a + 1}")
        chart.mark_rule(dx=7)
        zip(a, b, strict=False)
        return min(a, b) + np.sqrt(a) * 2**b
'''


def found(source: str) -> list[tuple[str, str, str]]:
    return [
        (one.function, source[one.start : one.end], one.after) for one in mutants("x.py", source)
    ]


def test_signs_limits_constants_and_functions_are_spoilt_and_nothing_else():
    assert sorted(found(SOURCE)) == sorted(
        [
            ("", "-0.05", "(0.05)"),
            ("", "0.05", "0.1"),
            ("Thing", "0.5", "1.0"),
            ("Thing.of", "<=", "<"),
            ("Thing.of", "and", "or"),
            ("Thing.of", "not b", "(b)"),
            ("Thing.of", "min", "max"),
            ("Thing.of", "+", "-"),
            ("Thing.of", "sqrt", "abs"),
            ("Thing.of", "*", "/"),
            ("Thing.of", "2", "3"),
            ("Thing.of", "**", "*"),
        ]
    )


@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        ("y = -(a + b)", "y = ((a + b))"),
        ("y = a - (b)", "y = a + (b)"),
        ("y = ((a) - b)", "y = ((a) + b)"),
        ("s = 'ä€'; y = a > b", "s = 'ä€'; y = a >= b"),
        ("y = a < b < c", "y = a < b <= c"),
    ],
)
def test_a_fault_stands_where_the_sign_stood(source, outcome):
    made = [spoilt(source, one) for one in mutants("x.py", source)]
    assert outcome in made
    for one in made:
        ast.parse(one)


def test_every_fault_of_a_module_is_python_and_differs(repository):
    for name in ("src/benchbook/folds.py", "src/benchbook/assess/multiplicity.py"):
        source = (repository / name).read_text(encoding="utf8")
        made = mutants(name, source)
        assert len({one.key for one in made}) == len(made) > 20
        for one in made:
            text = spoilt(source, one)
            assert text != source
            ast.parse(text)


def test_every_fault_that_is_excused_can_still_be_made_and_has_a_reason(repository):
    listed = tomllib.loads(
        Path(__file__).with_name("survivors.toml").read_text(encoding="utf8")
    ).get("survivor", [])
    keys: dict[str, set[tuple[str, str, str, str]]] = {}
    for one in listed:
        assert len(one["reason"]) > 10
        file = one["file"]
        if file not in keys:
            source = (repository / file).read_text(encoding="utf8")
            keys[file] = {mutant.key for mutant in mutants(file, source)}
        assert (file, one["function"], one["before"], one["after"]) in keys[file], one
