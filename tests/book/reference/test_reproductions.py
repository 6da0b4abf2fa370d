"""The table of reproductions: every line leads to a page of the book."""

import pytest

from benchbook.errors import FaultyInput


def test_every_link_leads_to_a_page_of_the_book(page, repository):
    listed = (repository / "_toc.yml").read_text(encoding="utf-8")
    pages = set(page.rows()["page"])
    assert len(pages) > 10
    assert {
        name
        for name in pages
        if not (repository / "book" / f"{name}.md").is_file()
        or f"file: book/{name}\n" not in listed
    } == set()


def test_every_work_has_its_lines_and_its_misses_are_told(page):
    assert page.rows().group_by("work").len()["len"].min() >= 4
    assert page.counted()["not"] >= 1
    assert sum(page.counted().values()) == page.linked().height


def test_faulty_lines_are_refused_together(page):
    with pytest.raises(FaultyInput) as refused:
        page.checked(
            [
                {"work": "DELVE", "what": "all", "status": "done", "why": "so", "page": "index"},
                {"work": "DELVE"},
            ]
        )
    assert len(refused.value.faults) == 5
    assert set(page.STATUS) >= set(page.rows()["status"])
