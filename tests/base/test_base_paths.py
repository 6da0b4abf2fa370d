"""Modules and files that are named in texts are there: in registries, messages, docstrings, pages and settings."""

import re
import symtable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOTTED = re.compile(r"(?<![\w./])(benchbook(?:_book)?(?:\.\w+)+)(?::([\w.]+))?")
FILE = re.compile(r"(?<![\w.])(?:src/)?(benchbook(?:_book)?/[\w/]+\.py)\b")
NO_MODULES = {
    "benchbook.backup": "a format of files",
    "benchbook.commands": "a group of entry points",
    "benchbook.pdf": "a file",
    "benchbook.predictive": "a format of files, too",
    "benchbook.server": "a name in logs",
    "benchbook.bytes": "a key in files",
    "benchbook.sha256": "a key in files",
    "benchbook.submission": "a format of files",
}


@cache
def names(module: str) -> frozenset[str]:
    """What a module defines or imports, inside its classes and functions too; nothing when there is no such module."""
    stem = ROOT / "src" / Path(*module.split("."))
    path = next(
        (path for path in (stem / "__init__.py", stem.with_suffix(".py")) if path.is_file()), None
    )
    if path is None:
        return frozenset()
    table = symtable.symtable(path.read_text(encoding="utf8"), str(path), "exec")
    inner = (child.get_identifiers() for child in table.get_children())
    return frozenset({"__name__", "__file__"}.union(table.get_identifiers(), *inner))


def is_there(dotted: str, inner: str = "") -> bool:
    """Whether a name leads to a module, or to what one defines."""
    module, rest = dotted, [*inner.split(".")] if inner else []
    while not names(module):
        module, _, last = module.rpartition(".")
        if not module:
            return False
        rest.insert(0, last)
    searched = "__getattr__" in names(module) and module != "benchbook"
    return not rest or searched or rest[0] in names(module)


def astray(text: str) -> list[str]:
    """The modules, functions and files named in a text that are not there."""
    dotted = [found.groups("") for found in DOTTED.finditer(text)]
    files = [name for name in FILE.findall(text) if not (ROOT / "src" / name).is_file()]
    return files + [
        ":".join(filter(None, pair))
        for pair in dotted
        if pair[0] not in NO_MODULES and not is_there(*pair)
    ]


@pytest.mark.parametrize(
    "pattern",
    ["src/**/*.py", "src/**/*.mako", "book/**/*.md", "book/**/*.py", "book/**/*.toml", "benchmarks/**/*.*",
     "data/*.*", "data/*/*.md", "data/studies/*", "*.md", "*.toml", ".ci/*", ".github/**/*.yml"],
)  # fmt: skip
def test_what_is_named_is_there(pattern):
    suffixes = (".py", ".md", ".toml", ".mako", ".yml", ".json", "")
    paths = [
        path for path in sorted(ROOT.glob(pattern)) if path.suffix in suffixes and path.is_file()
    ]
    assert paths
    found = {
        path.relative_to(ROOT).as_posix(): wrong
        for path in paths
        if path.name != "CHANGELOG.md" and (wrong := astray(path.read_text(encoding="utf8")))
    }
    assert found == {}


def test_what_is_not_there_is_found():
    assert astray("`benchbook.losses.get`, benchbook.assess:holm, src/benchbook/files.py") == []
    wrong = [
        "benchbook/no.py",
        "benchbook.nowhere",
        "benchbook.files:none",
        "benchbook_book.form.none",
    ]
    assert astray(" ".join(wrong)) == wrong
