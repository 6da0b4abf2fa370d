"""Sentences of held texts that are held once (``plugins/printed.py``)."""

from pathlib import Path

import printed
import pytest

TESTS = Path(__file__).parents[1]


def test_every_sentence_is_used_and_every_text_can_be_read() -> None:
    used = set[str]()
    for file in TESTS.rglob("*.txt"):
        if codes := {code for code, _ in printed.CODED.findall(file.read_text(encoding="utf8"))}:
            used |= codes
            assert printed.read(file)
    assert used == printed.sentences().keys(), "a sentence that no text has any more goes"


def test_a_line_its_sentence_and_its_code_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "rate: found 'a; b'; must be at least 0.5, in a file such as t.csv"
    words, values = printed.sentence(line)
    assert words == "{}: found {}; must be at least {} in a file such as {}"
    assert values == ["rate", "'a; b'", "0.5,", "t.csv"]
    monkeypatch.setattr(printed, "sentences", lambda: {"00beef": words})
    no_values = line.replace("rate", "rate ~ ")
    file = printed.coded({"a": f"{line}\n", "b": f"{no_values}\n"})
    assert file == f"$ a\n~00beef rate ~ 'a; b' ~ 0.5, ~ t.csv\n$ b\n{no_values}\n"
    assert printed.CODED.sub(printed.in_words, file) == f"$ a\n{line}\n$ b\n{no_values}\n"
