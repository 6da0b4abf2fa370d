"""A held text that differs is shown with its difference and the command that writes it anew."""

import sys

import pytest
from printed import held, lasting

ONLY_THERE = sys.version_info[:2] == (3, 11) and sys.platform == "linux"


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("b", ("has another text 'b'", "-two", "+too", " three")),
        ("c", ("has no text 'c'", "+too", "+three")),
    ],
)
def test_what_differs_is_shown(tmp_path, monkeypatch, key, shown):
    monkeypatch.delenv("BENCHBOOK_PRINT", raising=False)
    file = tmp_path / "texts.txt"
    file.write_text("$ a\none\n$ b\ntwo\nthree\n", encoding="utf8")
    held(file, "b", "two\nthree\n")
    if not ONLY_THERE:
        return
    with pytest.raises(pytest.fail.Exception) as caught:
        held(file, key, "too\nthree\n")
    lines = str(caught.value).splitlines()
    assert shown[0] in lines[0]
    assert set(shown[1:]) <= set(lines)
    command = 'BENCHBOOK_PRINT=1 make test ARGS="tests/base/test_base_held.py -n0"'
    assert lines[-1] == f"If the change is meant, edit sentences.txt or run {command}"


@pytest.mark.parametrize(
    "source", ["def (", "x = (" * 500, "import nothing_like_this", "\tx\n y", "x = 1\0"]
)
def test_the_words_of_python_itself_are_not_held(source):
    """They differ between versions; the name of the error and the line are."""
    try:
        exec(source, {})
    except (SyntaxError, ImportError, ValueError, RecursionError, MemoryError) as error:
        words = str(error)
        kind = type(error).__name__
    if kind in ("ValueError", "MemoryError"):
        return
    text = f"cannot import m.py: {kind}: {words} (line 1)\nand {kind}: {words}\nlast\n"
    expected = (
        f"cannot import m.py: {kind}: WORDS OF PYTHON (line 1)\nand {kind}: WORDS OF PYTHON\nlast\n"
    )
    assert lasting(text) == expected
