"""Lesson plans: what they take from the chapters is right, and what they name is there."""

import re
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from mdit_py_plugins.anchors.index import slugify

from benchbook.cli import app
from benchbook_book.making import lessons
from benchbook_book.making.lessons import Section, sections

CHAPTER = """# A chapter

Before the first section.

## One of *two*

{words}

**Predict before you look.** Which of
them?

```{{code-cell}} ipython3
:tags: [remove-cell]
unseen = 1
```

```{{code-cell}} ipython3
---
tags: [hide-input]
---
## not a heading
seen = 1
```

## Exercises

```{{exercise}} Easy: one
:label: ex-one
Ask.
```
"""
_LINK = re.compile(r"\]\(/book/([\w/-]+)\.md#([^)]+)\)")
_SCRIPT = re.compile(r"^:::\{dropdown\} A script for (.+)\n((?:\|.*\n)+):::$", re.MULTILINE)
_MINUTES = re.compile(r"^\| (\d+) \|", re.MULTILINE)


@pytest.fixture(scope="module")
def weeks(repository: Path) -> dict[int, str]:
    return lessons.weeks(text_of(repository, "guide/weeks"))


def chapters_of(week: str) -> list[str]:
    return re.findall(
        r"^([\w-]+/[\w-]+)$",
        week.partition("```{lesson-minutes}")[2].partition("```")[0],
        re.MULTILINE,
    )


def test_a_marking_sheet_has_a_column_for_every_question_of_the_week_and_a_line_for_every_student(
    weeks, tmp_path
):
    names, sheet = tmp_path / "names.txt", tmp_path / "sheet.csv"
    names.write_text("\ufeffAda\n\n Ben, B. \n=1+1\n", encoding="utf-8")
    for number, week in weeks.items():
        asked = week.partition("### Marking sheet")[2].partition("\n### ")[0]
        lines = re.findall(r"^\| .+ \| (\d+) \|", asked, re.MULTILINE)
        sheet.unlink(missing_ok=True)
        written = CliRunner().invoke(
            app, ["book", "marking", str(number), "--students", str(names), "--out", str(sheet)]
        )
        assert written.exit_code == 0, written.output
        table = pl.read_csv(sheet)
        assert table["student"].to_list() == ["full marks", "Ada", "Ben, B.", "'=1+1"]
        assert len(lines) >= 6
        assert table.row(0)[1:] == tuple(map(int, lines))
        assert table[1:, 1:].null_count().sum_horizontal().item() == 3 * len(lines)
        assert not [
            name for name in table.columns if "{" in name or name.startswith(("ex-", "exr-"))
        ]


@pytest.mark.parametrize(
    ("names", "word"), [("Ada\nBen\nAda\n", "Ada twice"), ("\n \n", "no name")]
)
def test_a_marking_sheet_needs_names_that_can_be_told_apart_and_replaces_no_other(
    names, word, tmp_path
):
    listed, sheet = tmp_path / "names.txt", tmp_path / "sheet.csv"
    listed.write_text(names, encoding="utf-8")
    command = ["book", "marking", "4", "--students", str(listed), "--out", str(sheet)]
    refused = CliRunner().invoke(app, command)
    assert refused.exit_code == 2
    assert word in refused.output
    assert not sheet.exists()
    listed.write_text("Ada\n", encoding="utf-8")
    sheet.write_text("marks", encoding="utf-8")
    assert CliRunner().invoke(app, command).exit_code != 0
    assert sheet.read_text(encoding="utf-8") == "marks"


def text_of(repository: Path, chapter: str) -> str:
    return (repository / "book" / f"{chapter}.md").read_text(encoding="utf8")


def test_a_section_has_its_words_what_is_shown_and_what_is_asked():
    [one] = sections(CHAPTER.format(words="word " * 260))
    assert (one.title, one.shown) == ("One of *two*", 1)
    assert one.predictions == ("**Predict before you look.** Which of them?",)
    assert one.words == 260 + 7


@pytest.mark.parametrize(
    ("words", "shown", "predictions", "minutes"),
    [(0, 0, 0, 0), (130, 0, 0, 1), (131, 0, 0, 2), (0, 2, 0, 2), (0, 0, 2, 4), (260, 1, 1, 5)],
)
def test_130_words_or_a_result_take_a_minute_and_a_prediction_two(
    words, shown, predictions, minutes
):
    assert Section("s", words, shown, ("p",) * predictions).minutes == minutes


def test_there_are_six_weeks_with_the_chapters_of_the_plan(weeks, repository):
    plan = (
        text_of(repository, "guide/teach")
        .partition("For six weeks")[2]
        .partition("## A class challenge")[0]
    )
    assert [
        re.findall(r"\{doc\}`/book/([\w/-]+)`", line)
        for line in re.findall(r"^\d\..*$", plan, re.MULTILINE)
    ] == [chapters_of(week) for week in weeks.values()]
    assert list(weeks) == [1, 2, 3, 4, 5, 6]


def test_every_section_and_exercise_that_a_plan_names_is_there(weeks, repository):
    for week in weeks.values():
        chapters = chapters_of(week)
        links = _LINK.findall(week)
        assert len(links) >= 10
        titles = {
            name: {slugify(each.title) for each in sections(text_of(repository, name))}
            for name in chapters
        }
        assert [link for link in links if link[1] not in titles.get(link[0], ())] == []
        labels = [
            label
            for name in chapters
            for label in re.findall(
                r"^:label: (exr?-[\w-]+)$", text_of(repository, name), re.MULTILINE
            )
        ]
        assert sorted(set(re.findall(r"\{ref\}`(exr?-[\w-]+)`", week))) == sorted(labels), (
            "an exercise without marks"
        )


def test_scripts_last_as_long_as_they_say(weeks):
    for name, week in weeks.items():
        lasts = {
            title: sum(map(int, _MINUTES.findall(table))) for title, table in _SCRIPT.findall(week)
        }
        assert lasts == {"two hours": 120, "ninety minutes": 90}, name


def test_what_a_chapter_asks_to_predict_is_in_the_plan(weeks, repository):
    for week in weeks.values():
        listed = week.partition("```{lesson-predictions}")[2].partition("```")[0].split()
        asking = [
            name
            for name in chapters_of(week)
            if any(each.predictions for each in sections(text_of(repository, name)))
        ]
        assert listed == asking


def test_every_question_has_an_answer(weeks):
    for name, week in weeks.items():
        bank = week.partition("### Questions and answers")[2]
        found = re.findall(r"^:::\{dropdown\} (\d)\. .+[?.]\n(.+)\n:::$", bank, re.MULTILINE)
        assert [number for number, _ in found] == list("123456"), name
