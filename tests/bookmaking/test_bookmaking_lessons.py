"""Lesson plans: what they take from the chapters is right, and what they name is there."""

import re
from pathlib import Path

import pytest
from mdit_py_plugins.anchors.index import slugify

from benchbook.bookmaking.lessons import sections

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
_SCRIPT = re.compile(r"^## (Two hours|Ninety minutes)\n\n((?:\|.*\n)+)", re.MULTILINE)
_MINUTES = re.compile(r"^\| (\d+) \|", re.MULTILINE)


@pytest.fixture(scope="module")
def weeks(repository: Path) -> dict[str, str]:
    paths = sorted((repository / "book" / "guide").glob("week-*.md"))
    return {path.stem: path.read_text(encoding="utf8") for path in paths}


def chapters_of(week: str) -> list[str]:
    return re.findall(r"^([\w-]+/[\w-]+)$", week.partition("```{lesson-minutes}")[2].partition("```")[0], re.MULTILINE)


def text_of(repository: Path, chapter: str) -> str:
    return (repository / "book" / f"{chapter}.md").read_text(encoding="utf8")


def test_a_section_has_its_words_what_is_shown_and_what_is_asked():
    [one] = sections(CHAPTER.format(words="word " * 260))
    assert (one.title, one.shown) == ("One of *two*", 1)
    assert one.predictions == ("**Predict before you look.** Which of them?",)
    assert one.minutes == 2 + 1 + 2 + 1  # a few words more than two minutes
    [short] = sections(CHAPTER.format(words="word " * 10))
    assert short.minutes == one.minutes - 2


def test_there_are_six_weeks_with_the_chapters_of_the_plan(weeks, repository):
    plan = text_of(repository, "guide/teach").partition("For six weeks")[2].partition("## A class challenge")[0]
    assert [re.findall(r"\{doc\}`/book/([\w/-]+)`", line) for line in re.findall(r"^\d\..*$", plan, re.MULTILINE)] == [
        chapters_of(week) for week in weeks.values()]
    assert len(weeks) == 6


def test_every_section_and_exercise_that_a_plan_names_is_there(weeks, repository):
    for week in weeks.values():
        chapters = chapters_of(week)
        links = _LINK.findall(week)
        assert len(links) >= 10
        titles = {name: {slugify(each.title) for each in sections(text_of(repository, name))} for name in chapters}
        assert [link for link in links if link[1] not in titles.get(link[0], ())] == []
        labels = [label for name in chapters
                  for label in re.findall(r"^:label: (exr?-[\w-]+)$", text_of(repository, name), re.MULTILINE)]
        assert sorted(set(re.findall(r"\{ref\}`(exr?-[\w-]+)`", week))) == sorted(labels), "an exercise without marks"


def test_scripts_last_as_long_as_they_say(weeks):
    for name, week in weeks.items():
        lasts = {title: sum(map(int, _MINUTES.findall(table))) for title, table in _SCRIPT.findall(week)}
        assert lasts == {"Two hours": 120, "Ninety minutes": 90}, name


def test_what_a_chapter_asks_to_predict_is_in_the_plan(weeks, repository):
    for week in weeks.values():
        listed = week.partition("```{lesson-predictions}")[2].partition("```")[0].split()
        asking = [name for name in chapters_of(week)
                  if any(each.predictions for each in sections(text_of(repository, name)))]
        assert listed == asking


def test_every_question_has_an_answer(weeks):
    for name, week in weeks.items():
        bank = week.partition("## Questions and answers")[2]
        found = re.findall(r"^:::\{dropdown\} (\d)\. .+[?.]\n(.+)\n:::$", bank, re.MULTILINE)
        assert [number for number, _ in found] == list("123456"), name
