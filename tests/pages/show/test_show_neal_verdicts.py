"""The kept verdicts are those that the archive gives, and pages quote them instead of judging anew."""

import json
import re

import pytest

from benchbook.errors import BenchbookError
from benchbook_book.pages.show import neal, neal_verdicts
from benchbook_book.pages.show.statements import STATEMENTS
from benchbook_book.pages.verdicts import Claim, Counted, Part, Statement

QUOTING = {"early-stopping.md", "convergence.md", "bank.md", "learned.md", "study.md"}


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Kept verdicts that a test may spoil."""
    copy = tmp_path / "neal-verdicts.json"
    copy.write_text(neal_verdicts.path().read_text(encoding="utf8"), encoding="utf8")
    monkeypatch.setattr(neal_verdicts, "path", lambda: copy)
    neal_verdicts.kept.cache_clear()
    yield copy
    neal_verdicts.kept.cache_clear()


def test_the_kept_verdicts_are_those_of_the_archive():
    """The one that holds all pages together: made again from the whole study, verdicts and counts are the same."""
    result, own, whole = (
        neal_verdicts.outcomes(study)
        for study in (
            neal_verdicts.on_recreated(),
            neal_verdicts.on_published(),
            neal_verdicts.on_recreated(neal.PROTOTASKS),
        )
    )
    stale = f"run `{neal_verdicts.COMMAND}`, and read again what chapters say of the verdicts that have changed"
    assert neal_verdicts.made(result, own, whole) == neal_verdicts.kept(), stale


def test_no_chapter_judges_the_papers_statements_by_itself(repository):
    """A chapter that reads a part of the archive would count other comparisons than its neighbour."""
    pages = {
        path.name: path.read_text(encoding="utf8")
        for path in (repository / "book" / "delve").glob("*.md")
    }
    assert set(pages) >= QUOTING
    assert not [
        name
        for name, text in pages.items()
        if re.search(r"import .*STATEMENTS|statements import", text)
    ]
    assert [name for name, text in pages.items() if "judge(" in text] == [
        "learned.md"
    ]  # a statement of one's own
    assert "neal_verdicts.made(found, own, whole) == neal_verdicts.kept()" in pages["learned.md"]
    for name in QUOTING - {"learned.md", "study.md"}:
        assert "neal_verdicts.quoted(" in pages[name]


def test_every_page_that_quotes_a_statement_has_the_same_words_of_it():
    first = neal_verdicts.quoted("bank-", "long-bank", caption="one").text
    second = neal_verdicts.quoted("long-", caption="other").text
    lines = [
        next(
            line for line in text.splitlines() if "On bank with 8 inputs more passes" in line
        ).split()
        for text in (first, second)
    ]
    assert lines[0] == lines[1]


def test_what_was_counted_stands_in_the_quotation():
    entry = neal_verdicts.kept()["bank-samplers"]["parts"][0]
    text = neal_verdicts.quoted("bank-samplers", caption="").text
    assert f"{entry['for']} for, {entry['against']} against, {entry['open']} open" in text
    assert neal_verdicts.kept()["bank-samplers"]["verdict"] in text
    assert "(Emended: " in text


def test_a_statement_without_a_verdict_is_refused(elsewhere):
    entries = json.loads(elsewhere.read_text(encoding="utf8"))
    entries["bgd-17"] = entries.pop("bgd-2")
    elsewhere.write_text(json.dumps(entries), encoding="utf8")
    with pytest.raises(BenchbookError, match="bgd-17, bgd-2"):
        neal_verdicts.kept()


def test_own_data_bears_the_names_of_its_re_creation():
    tasks = {task.rpartition("/")[0] for task in neal_verdicts.on_published().means["task"]}
    assert tasks == set(neal.PUBLISHED)


def test_what_the_dataset_that_is_set_apart_would_change_stands_beside():
    whole = {item.key: item for several in STATEMENTS.values() for item in several}
    early = neal_verdicts.kept()["early"]
    assert (early["verdict"], early["all six"]["verdict"]) == ("undecided", "reproduced")
    assert (
        neal_verdicts.with_the_one_apart(whole["early"]) == "reproduced: 13 for, 0 against, 17 open"
    )
    assert neal_verdicts.with_the_one_apart(whole["kin-alike"]) == ""
    assert "with bank-32nm-sim" in neal_verdicts.quoted("bank-", caption="").text
    assert "with bank-32nm-sim" not in neal_verdicts.quoted("kin-", caption="").text


def test_what_cannot_be_tested_there_is_said():
    wide = next(item for item in STATEMENTS["kin"] if item.key == "kin-plain")
    assert neal_verdicts.own_data_verdict(wide) == "not tested"
    small = next(item for item in STATEMENTS["pumadyn"] if item.key == "puma-static-good")
    assert neal_verdicts.own_data_verdict(small).startswith("reproduced: 6 for")


@pytest.mark.parametrize(
    ("part", "result", "said"),
    [
        (Part((Counted("runs", None),), 0.5), (3, 5, 0), "3 of 8 (38 %)"),
        (
            Part((Claim("a", "b", ()),), 0.5, below=0.5),
            (3, 1, 2),
            "3 better, 1 worse, 2 open (asked: fewer than 50 % better)",
        ),
        (Part((Claim("a", "b", ()),), 0.5), (3, 1, 2), "3 for, 1 against, 2 open"),
        (
            Part((Claim("a", "b", (), factor=0.8), Claim("a", "b", (), factor=0.5)), 0.5),
            (3, 1, 2),
            "3 for, 1 against, 2 open (asked: ratio below 0.5 and 0.8)",
        ),
        (Part((Claim("a", "b", ()),), 0.5), (0, 0, 0), "nothing to count"),
    ],
)
def test_counts_in_words(part, result, said):
    statement = Statement("k", "l", "w", (part, part), "study", "d")
    entry = dict(zip(("for", "against", "open"), result, strict=True))
    assert neal_verdicts.counts(statement, [entry, entry]) == f"{said}; {said}"
