"""Two chapters of the book that was built, printed by the browser of this machine."""

import re

import pytest

from benchbook_book.making import printed


@pytest.mark.crawl
@pytest.mark.timeout(300)
def test_chapters_are_printed_with_pages_links_and_an_outline(tmp_path):
    path = printed.write(tmp_path / "two.pdf", ["delve/planning", "delve/expected-loss"])
    pdf = path.read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) > 15
    assert len(re.findall(rb"/Subtype\s*/Link", pdf)) > 10
    assert b"/Outlines" in pdf
    assert b"/Dest" in pdf
