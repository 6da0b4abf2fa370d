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
    "proben1/learned",
    "uncertainty/discussion",
    "predictive-densities/learned",
)
PROSE = {
    "the size of the wheel in MB": r"(?:wheel|file) of about (\d+) MB",
    "submissions of the challenge": r"(?:sent|from|has) (\d+) (?:entries|submissions)",
}
"""What the text itself says on more than one page, without a cell."""


@pytest.fixture
def agreeing(monkeypatch):
    monkeypatch.syspath_prepend(BOOK / "_ext")
    import agreeing

    return agreeing


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
    place = tmp_path / "book" / "delve" / "study.glue.json"
    place.parent.mkdir(parents=True)
    place.write_text("{}")
    heard = []
    monkeypatch.setattr(
        agreeing.logging,
        "getLogger",
        lambda name: SimpleNamespace(
            warning=lambda fault, **where: heard.append((fault, where["location"]))
        ),
    )
    env = SimpleNamespace(
        mystnb_config=SimpleNamespace(output_folder=str(tmp_path)), found_docs={"book/delve/study"}
    )
    agreeing._complain(None, env)
    assert {where for _, where in heard} == {"book/delve/study"}
    assert heard[0][0].startswith("glues nothing named 'q1-better'")
    env.found_docs = set()
    heard.clear()
    agreeing._complain(None, env)
    assert heard == []


def test_every_number_of_the_list_is_said_on_two_pages_that_are_there(lists):
    for one in lists["number"]:
        pages = {place.partition(": ")[0] for place in one["said"]}
        assert len(pages) > 1, one["what"]
        assert len(set(one["said"])) == len(one["said"]), one["what"]
    places = [place.partition(": ") for one in lists["number"] for place in one["said"]]
    texts = {page: (BOOK / f"{page}.md").read_text(encoding="utf8") for page, _, _ in places}
    assert [(page, name) for page, _, name in places if f"`{name}`" not in texts[page]] == []


@pytest.mark.parametrize("page", CLOSING)
def test_what_a_closing_page_says_is_compared_or_said_there_alone(page, lists):
    compared = [place for one in lists["number"] for place in one["said"]]
    said = set(
        re.findall(r"\{glue:text\}`([^`]+)`", (BOOK / f"{page}.md").read_text(encoding="utf8"))
    )
    known = [
        place.partition(": ")[2]
        for place in (*compared, *lists["once"])
        if place.startswith(f"{page}: ")
    ]
    assert sorted(known) == sorted(said)


@pytest.mark.parametrize("what", PROSE)
def test_prose_says_the_same_on_every_page(what):
    files = [BOOK.parent / "README.md", *BOOK.rglob("*.md")]
    found = {
        path.name: set(re.findall(PROSE[what], path.read_text(encoding="utf8"))) for path in files
    }
    found = {name: numbers for name, numbers in found.items() if numbers}
    assert len(found) > 1
    assert len(set.union(*found.values())) == 1, found
