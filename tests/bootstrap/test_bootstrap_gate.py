"""The first file that Python reads: any Python must be able to, and an old one must be told what to do."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import bootstrap

SOURCE = Path(bootstrap.__file__)


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 6, 15), (3, 10, 13)])
def test_an_old_python_is_named_with_what_is_needed_and_what_to_do(version):
    message = bootstrap.complaint(version, [])
    assert ".".join(map(str, version)) in message
    assert "needs Python 3.11 or newer" in message
    assert "python3.11 src/bootstrap.py book" in message
    assert "https://www.python.org/downloads/" in message


def test_a_newer_python_on_the_machine_is_offered_for_the_command_the_user_gave():
    message = bootstrap.complaint((3, 8, 1), ["python3.12", "python3.11"], "test")
    assert "make test PYTHON=python3.12" in message
    assert "python3.12 src/bootstrap.py test" in message
    assert "python.org" not in message


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 13, 2), (4, 0, 0)])
def test_a_new_enough_python_is_not_complained_about(version):
    assert bootstrap.complaint(version, []) == ""


def test_newer_pythons_are_looked_for_along_the_whole_search_path(tmp_path):
    first, second = tmp_path / "a folder", tmp_path / "b"
    for folder, name in ((first, "python3.11"), (second, "python3.13"), (second, "python3.10")):
        folder.mkdir(exist_ok=True)
        (folder / name).touch(mode=0o755)
    (second / "python3.12").touch(mode=0o644)
    search = f"{first}:{second}" if sys.platform != "win32" else f"{first};{second}"
    assert bootstrap.newer_pythons(search) == ["python3.13", "python3.11"]


def test_the_file_uses_no_syntax_that_python_2_lacks():
    """Negative control included: the same check finds the newer syntax of the package it hands over to."""

    def modern(source: str) -> list[str]:
        results = []
        for node in ast.walk(ast.parse(source)):
            if isinstance(
                node,
                ast.JoinedStr
                | ast.AnnAssign
                | ast.NamedExpr
                | ast.AsyncFunctionDef
                | ast.Match
                | ast.Nonlocal
                | ast.YieldFrom,
            ):
                results.append(type(node).__name__)
            elif isinstance(node, ast.FunctionDef) and (
                node.returns or node.args.kwonlyargs or node.args.posonlyargs
            ):
                results.append("signature")
        return results

    assert modern(SOURCE.read_text(encoding="utf8")) == []
    assert "JoinedStr" in modern(
        (SOURCE.parent / "checkout" / "environment.py").read_text(encoding="utf8")
    )


def test_the_command_line_says_what_it_can_do():
    shown = subprocess.run(
        [sys.executable, str(SOURCE), "--help"], capture_output=True, text=True, check=True
    ).stdout
    for command in ("book", "test", "lint", "bench", "run", "setup", "clean"):
        assert f"    {command} " in shown
