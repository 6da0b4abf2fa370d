"""Numbers that several pages say: planted disagreements are found, and the list knows the pages that it is about."""

import json
import re
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

BOOK = Path(__file__).resolve().parents[2] / "book"
CLOSING = (
    "delve/learned",
    "uncertainty/discussion",
    "predictive-densities/learned",
)
PROSE = {
    "the size of the wheel in MB": r"(?:wheel|file) of about (\d+) MB",
    "submissions of the challenge": r"(?:sent|from|has) (\d+) (?:entries|submissions)",
}
"""What the text itself says on more than one page, without a cell."""


@pytest.fixture(scope="module")
def lists():
    return tomllib.loads((BOOK / "_ext" / "agreeing.toml").read_text(encoding="utf8"))


@pytest.mark.parametrize(
    "texts",
    [
        ("8", "8"),
        ("0.71", "0.715"),
        ("0.72", "0.715"),
        ("16.4", "16"),
        ("1", "one"),
        ("95%", "0.95"),
        ("−0.5", "-0.50"),
        ("1,024", "1024"),
        ("no verdict", "no verdict"),
        ("95 %", "95.3%"),
    ],
)
def test_one_number_in_two_prints(agreeing, texts):
    assert agreeing.agree(texts)
    assert agreeing.agree(texts[::-1])


@pytest.mark.parametrize(
    "texts",
    [
        ("8", "9"),
        ("0.70", "0.715"),
        ("16.4", "17"),
        ("1", "two"),
        ("95%", "95"),
        ("0.5", "−0.5"),
        ("0.31", "0.32"),
        ("no verdict", "a verdict"),
        ("no verdict", "0"),
        ("95 %", "95.6%"),
    ],
)
def test_two_numbers(agreeing, texts):
    assert not agreeing.agree(texts)
    assert not agreeing.agree(texts[::-1])


def test_a_planted_disagreement_is_found_and_a_name_that_went(agreeing, tmp_path):
    def write(page, **values):
        path = tmp_path / "book" / f"{page}.glue.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            json.dumps(
                {name: {"data": {"text/plain": repr(text)}} for name, text in values.items()}
            )
        )

    numbers = [{"what": "the tally", "said": ["a/one: held", "b/two: also", "c/not-built: held"]}]

    def found():
        return list(agreeing.faults(numbers, lambda page: agreeing.glued(tmp_path, page)))

    write("a/one", held="19")
    write("b/two", also=19)
    assert found() == []
    write("b/two", also="20")
    assert found() == [
        (
            "a/one",
            "pages disagree on the tally: 19 (a/one: held), 20 (b/two: also); let one function "
            "compute it for all of them",
        )
    ]
    write("b/two", other="19")
    assert found() == [
        (
            "b/two",
            "glues nothing named 'also': mend its place in book/_ext/agreeing.toml (the tally)",
        )
    ]


def test_the_build_warns_of_pages_that_it_has(agreeing, tmp_path, monkeypatch):
    location = tmp_path / "book" / "delve" / "study.glue.json"
    location.parent.mkdir(parents=True)
    location.write_text("{}")
    heard = []
    monkeypatch.setattr(
        agreeing.logging,
        "getLogger",
        lambda name: SimpleNamespace(
            warning=lambda fault, **where: heard.append((fault, tuple(where.values())))
        ),
    )
    env = SimpleNamespace(
        mystnb_config=SimpleNamespace(output_folder=str(tmp_path)), found_docs={"book/delve/study"}
    )
    agreeing._complain(None, env)
    assert {where for _, where in heard} == {("book/delve/study", "benchbook", "agreeing")}
    assert heard[0][0].startswith("glues nothing named 'q1-tasks'")
    env.found_docs = set()
    heard.clear()
    agreeing._complain(None, env)
    assert heard == []


def test_every_number_of_the_list_is_said_on_two_pages_that_are_there(lists):
    for item in lists["number"]:
        pages = {location.partition(": ")[0] for location in item["said"]}
        assert len(pages) > 1, item["what"]
        assert len(set(item["said"])) == len(item["said"]), item["what"]
    places = [location.partition(": ") for entry in lists["number"] for location in entry["said"]]
    texts = {page: (BOOK / f"{page}.md").read_text(encoding="utf8") for page, _, _ in places}
    assert [(page, name) for page, _, name in places if f"`{name}`" not in texts[page]] == []


@pytest.mark.parametrize("page", CLOSING)
def test_what_a_closing_page_says_is_compared_or_said_there_alone(page, lists):
    compared = [location for item in lists["number"] for location in item["said"]]
    output = set(
        re.findall(r"\{glue:text\}`([^`]+)`", (BOOK / f"{page}.md").read_text(encoding="utf8"))
    )
    known = [
        location.partition(": ")[2]
        for location in (*compared, *lists["once"])
        if location.startswith(f"{page}: ")
    ]
    assert sorted(known) == sorted(output)


@pytest.mark.parametrize("what", PROSE)
def test_prose_says_the_same_on_every_page(what):
    files = [BOOK.parent / "README.md", *BOOK.rglob("*.md")]
    results = {
        path.name: set(re.findall(PROSE[what], path.read_text(encoding="utf8"))) for path in files
    }
    results = {name: numbers for name, numbers in results.items() if numbers}
    assert len(results) > 1
    assert len(set.union(*results.values())) == 1, results
