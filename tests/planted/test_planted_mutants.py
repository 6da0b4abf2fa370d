"""The faults that are planted: what they are, what is left alone, and that excused ones still exist."""

import ast
import json
import tomllib
from pathlib import Path

import plant
import pytest
from mutants import Mutant, mutants, spoilt
from traced import function

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
        (mutant.function, source[mutant.start : mutant.end], mutant.after)
        for mutant in mutants("x.py", source)
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
    made = [spoilt(source, mutant) for mutant in mutants("x.py", source)]
    assert outcome in made
    for text in made:
        ast.parse(text)


def test_every_fault_of_a_module_is_python_and_differs(repository):
    for name in ("src/benchbook/folds.py", "src/benchbook/assess/multiplicity.py"):
        source = (repository / name).read_text(encoding="utf8")
        made = mutants(name, source)
        assert len({mutant.key for mutant in made}) == len(made) > 20
        for mutant in made:
            text = spoilt(source, mutant)
            assert text != source
            ast.parse(text)


def test_every_fault_that_is_excused_can_still_be_made_and_has_a_reason(repository):
    """One whose file has been moved or taken out counts as long as some module has the line."""
    listed = tomllib.loads(Path(plant.SURVIVORS).read_text(encoding="utf8"))["survivor"]
    every = plant.excused(listed)
    assert all(len(item["reason"]) > 10 for item in listed)
    known: dict[str, set[tuple[str, str, str]]] = {}
    for file, _ in every:
        if (repository / file).exists():
            source = (repository / file).read_text(encoding="utf8")
            known[file] = {mutant.key[1:] for mutant in mutants(file, source)}
    gone = [key for file, key in every if key not in known.get(file, {key})]
    assert gone == [], "take these out of survivors.toml, or give them their new lines"


@pytest.mark.parametrize("part", plant.PARTS)
def test_every_area_has_modules_and_tests(part, repository):
    for _, modules, folders in plant.PARTS[part].values():
        assert list(repository.glob(modules))
        assert all(list((repository / folder).rglob("test_*.py")) for folder in folders)


def test_a_fault_is_excused_in_its_file_and_anywhere_when_that_is_gone():
    here, rest = "src/benchbook/folds.py", ("f", "a ⟦<⟧ b", "<=")
    mutant = Mutant("src/benchbook/other.py", rest[0], 1, 0, 1, *rest[1:])
    assert plant.counts(mutant, [(here, rest)])
    assert not plant.counts(mutant._replace(file=here), [(here, rest)])
    assert not plant.counts(mutant, [("src/benchbook/is_gone.py", rest)])


def test_the_sample_stays_when_another_fault_comes_and_goes(monkeypatch):
    def drawn():
        return {mutant.key for _, mutant in plant.sample(areas, 40, 3)}

    areas = {"folds": (1, "src/benchbook/folds.py", ())}
    before = drawn()
    every = plant.mutants
    monkeypatch.setattr(plant, "mutants", lambda *source: every(*source)[5:])
    assert len(before) == 40
    assert len(before & drawn()) >= 35


def test_tests_that_call_a_function_are_seen_with_the_methods_and_functions_around(tmp_path):
    assert [function(name) for name in ("f", "A.f.<locals>.<lambda>", "f.<locals>.g", "<module>")] == [
        "f", "A.f", "f.g", "",
    ]  # fmt: skip
    calls = tmp_path / "calls.json"
    calls.write_text(
        json.dumps(
            {
                "tests/x/test_dear.py::a": [0.5, [["src/m.py", "f"]]],
                "tests/x/test_other.py::b": [0.01, [["src/m.py", "f"], ["src/m.py", "g"]]],
                "tests/x/test_m.py::c": [0.02, [["src/m.py", "f"]]],
            }
        )
    )
    known, (item,) = plant.Calls(calls), mutants("src/m.py", "def g():\n    return 1\n")
    assert known.of(item, []) == ["tests/x/test_other.py::b"]
    assert known.of(item._replace(function="f"), ["tests/x/test_m.py"])[0].endswith("b")
    assert [test[-1] for test in known.of(item._replace(function=""), [])] == ["b", "c", "a"]
