"""Forms on pages: what is shown is what was found."""

import re
import tomllib

import pytest

from benchbook_book import form as checklist
from benchbook_book.pages.show import proben1_form as form


@pytest.fixture(scope="module")
def page(chapter):
    return chapter("proben1/form")


def test_a_passed_form_is_shown_with_its_sentence_and_its_text(made):
    passed = checklist.check(made.tables())
    shown = form.shown(passed)
    assert checklist.sentence(passed) in shown.text
    assert checklist.toml(passed.values) in shown.text
    assert "x / (1 + |x|)" in shown.html
    assert "&quot;PROBEN1&quot;" in shown.html
    assert "no remarks" in shown.html
    assert "bb-warning" not in shown.html


def test_warnings_stand_beside_the_sentence(made):
    shown = form.shown(checklist.check(made.changed({"error.half": True})))
    assert "1 with a remark" in shown.text
    assert (
        '<li class="bb-warning"><strong>Remark: error.half.</strong> The error without'
        in shown.html
    )


def test_findings_are_listed_with_what_they_are(made):
    given = made.changed({"error.half": True, "stopping.state": "best on test cases"})
    shown = form.listed(checklist.findings(given))
    assert '<li class="bb-fault"><strong>Refused: stopping.state.</strong>' in shown.html
    assert shown.html.count("<li") == 2
    assert not form.listed(())


def test_a_review_shows_every_line_and_every_finding_below_its_line(page, made):
    text = (made.folder / "many-faults.toml").read_text(encoding="utf8")
    review = page.reviewed(text)
    result = checklist.findings(tomllib.loads(text), checklist.toml_line_numbers(text))
    items = re.findall(
        r"<li data-line=\"\d*\" class=\"(.*?)\"><code>(.*?)</code>(.*?)</li>", review.html
    )
    assert len(items) == len(text.rstrip().splitlines()) + 1, "one more for what has no line"
    assert sum(rest.count("<p ") for _, _, rest in items) == len(result)
    for finding in result:
        kind, _, notes = items[(finding.line or len(items)) - 1]
        assert kind == ("bb-fault" if "bb-fault" in notes else "bb-warning")
        assert f"{finding.key}.</strong>" in notes
    assert "Refused: model.</strong> Missing. Write a table [model]" in items[-1][2]
    assert review.text.count("    ^ ") == len(result)


def test_a_brief_review_leaves_out_lines_without_a_finding(page, made):
    text = (made.folder / "many-faults.toml").read_text(encoding="utf8")
    whole, brief = page.reviewed(text), page.reviewed(text, brief=True)
    numbers = [int(number) for number in re.findall(r"data-line=\"(\d+)\"", brief.html)]
    lines = text.splitlines()
    assert brief.html.count("<p ") == whole.html.count("<p ")
    assert numbers == sorted(set(numbers))
    first = ["[split]", 'test_used_for = ["results", "choosing the state"]', "[encoding]"]
    assert [lines[number - 1] for number in numbers][:3] == first
    assert brief.text.count("    ^ ") == whole.text.count("    ^ ")


def test_a_good_report_has_nothing_below_its_lines(page, made):
    review = page.reviewed((made.folder / "sound-1994.toml").read_text(encoding="utf8"))
    assert "<p" not in review.html
    assert "0 faults and 0 remarks" in review.html


def test_the_reports_beside_the_chapters_are_what_the_chapters_say(page):
    assert checklist.check(tomllib.loads(page.example("good-report.toml"))).warnings == ()
    for name, least in (("bad-report.toml", 20), ("report-to-mend.toml", 5)):
        faults = [
            finding
            for finding in checklist.findings(tomllib.loads(page.example(name)))
            if not finding.warning
        ]
        assert len(faults) >= least


def test_every_rule_is_in_the_table_and_ours_are_marked(page):
    text = page.rules().text
    for rule in checklist.RULES.values():
        assert rule.name in text
    assert text.count(", ours") == sum(rule.ours for rule in checklist.RULES.values())
