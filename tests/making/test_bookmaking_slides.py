"""Slides: what a chapter names is shown, the rest is said, and nothing is lost; charts stay alive."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from benchbook.errors import BenchbookError
from benchbook_book.making.decks import of_book, of_plan
from benchbook_book.making.slides import (
    Slide,
    _begin,
    _joined,
    _place,
    _plain,
    deck,
    named_sentences,
    slides,
)

CHART = (
    '<div class="vega-chart"><div class="vega-view" role="img"></div>'
    '<script type="application/json">{"a": 1}</script></div>'
)
PAGE = f"""<html><head><script src="../../_static/vega/vega-bundle-1.2.js?v=3"></script></head><body><article>
<section id="a-title"><span id="sec"></span>
<h1><span class="section-number">2. </span>A title<a class="headerlink">#</a></h1>
<p class="bb-terms">Search terms</p><p>Is it so? We shall see.</p>
<section id="one"><h2>One</h2>
<p>Not this.
The <a href="x.html">method's</a> loss is <span class="math">\\(x\\)</span>, no less. <em>Nor that.</em> Last.</p>
<p><strong>Predict before you look.</strong> Which one?</p>
<div class="math">\\[y\\]</div>
<div class="cell"><div class="cell_input"><pre>unseen()</pre></div><div class="cell_output">
<figure id="fig"><div class="output">{CHART}</div>
<figcaption><span class="caption-number">Fig. 1 </span>About it.</figcaption></figure>
<details class="bb-fold"><summary>All rules</summary><table><tr><td>folded</td></tr></table></details></div></div>
<p>It was the first.</p></section>
<section><h2>Two</h2><p>Only notes here. And more.</p>
<div class="cell tag_slide"><div class="cell_input"><pre>seen()</pre></div></div>
<div class="cell tag_no-slide"><div class="cell_output"><table><tr><td>skipped</td></tr></table></div></div></section>
<section><h2>Exercises</h2><p>Do it.</p></section>
<section><h2>Take-aways</h2><ul><li>First.</li><li>Second. Third.</li></ul></section>
</section></article></body></html>"""
NAMED = ("The method's loss", "It was")


def text(html: str) -> str:
    return " ".join(BeautifulSoup(html, "html.parser").get_text(" ").split())


def test_a_deck_shows_what_is_named_and_says_the_rest():
    made = slides(PAGE, NAMED)
    assert [one.heading for one in made] == ["A title", "One", "One", "One", "Two", "Take-aways"]
    shown = [text(" ".join(one.shown)) for one in made]
    assert shown[0] == "Is it so?"
    assert shown[1] == "The method's loss is \\(x\\) , no less."
    assert shown[2] == "Predict before you look. Which one?", (
        "a question stands alone, before its answer"
    )
    assert "\\[y\\]" in shown[3]
    assert "It was the first." in shown[3]
    assert "About it." not in shown[3]
    assert shown[4] == "seen()"
    assert shown[5] == "First. Second. Third."
    assert "Last." in text(made[1].notes[0])
    assert [text(note) for note in made[3].notes] == ["About it.", "It was the first."]
    assert "unseen" not in str(made)
    assert "skipped" not in str(made)
    assert "All rules" not in str(made), "what is folded on the page"
    assert "Do it" not in str(made)
    assert "href" not in str(made)


def test_a_section_that_names_nothing_shows_its_first_sentence():
    page = PAGE.replace('<div class="cell tag_slide">', '<div class="cell">')
    assert text(" ".join(slides(page, NAMED)[4].shown)) == "Only notes here."
    asked = page.replace(
        "And more.</p>", "And more.</p><p><strong>Predict before.</strong> Which?</p>"
    )
    made = slides(asked, NAMED)[4]
    assert (text(" ".join(made.shown)), text(made.notes[0])) == (
        "Predict before. Which?",
        "Only notes here. And more.",
    )


def test_a_deck_is_a_page_with_notes_and_live_charts():
    page = BeautifulSoup(deck(PAGE, NAMED, "part/one"), "html.parser")
    for name, up in (("one", ""), ("part/one", "../"), ("part/of/one", "../../")):
        assert f'href="{up}assets/slides.css"' in deck(PAGE, NAMED, name)
    sections = page.select(".reveal > .slides > section")
    assert len(sections) == 6
    assert [bool(one.select_one("aside.notes")) for one in sections] == [
        True,
        True,
        False,
        True,
        True,
        False,
    ]
    assert [one.find(re.compile("^h[1-6]$")).name for one in sections] == ["h1", *["h2"] * 5]
    assert page.select_one(".vega-chart > script[type='application/json']").string == '{"a": 1}'
    loaded = [one["src"] for one in page.find_all("script", src=True)] + [
        one["href"] for one in page.find_all("link")
    ]
    assert {"../assets/vega-bundle-1.2.js", "../assets/charts.js", "../assets/reveal.js"} <= set(
        loaded
    )
    assert all(one.startswith("../assets/") for one in loaded)
    assert page.title.string == "A title"
    assert "charts.js" not in deck(PAGE.replace("vega-bundle", "other"), NAMED)


@pytest.mark.parametrize(
    ("slide", "count"),
    [
        (Slide("a", said=35), 1),
        (Slide("a", said=36), 2),
        (Slide("a", full=True), 2),
        (Slide("a", asks=True), 2),
    ],
)
def test_what_is_large_begins_a_slide_unless_little_stands_there(slide, count):
    made = [slide]
    assert _begin(made).full
    assert (len(made), made[-1].heading) == (count, "a")


def test_notes_of_slides_that_show_nothing_go_to_their_neighbours_once():
    def slide(number, shown=True):
        return Slide("a", ["shown"] * shown, [f"n{number}"])

    made = _joined([slide(0, False), slide(1), slide(2, False), slide(3)])
    assert [item.notes for item in made] == [["n0", "n1", "n2"], ["n3"]]


def test_a_sentence_that_two_names_begin_meets_both_and_a_formula_takes_room():
    assert len(slides(PAGE, (*NAMED, "The method's"))) == 6
    long = PAGE.replace("It was the first.", f"It was {'long ' * 52}.")
    counts = [len(slides(page, NAMED)) for page in (PAGE, long, long.replace(CHART, ""))]
    assert counts[0] < counts[1]


@pytest.mark.parametrize(
    ("page", "named", "said"),
    [
        (PAGE, ("The method's loss", "Nobody wrote", "Nor this"), "“Nobody wrote”; “Nor this”"),
        ("<article><p>No chapter.</p></article>", (), "no title inside an article"),
    ],
)
def test_a_fault_says_which_chapter_and_what(page, named, said):
    with pytest.raises(BenchbookError, match=said) as raised:
        slides(page, named, "delve/planning")
    assert "delve/planning" in str(raised.value)


def plain(source: str) -> str:
    """The prose of a chapter, as far as the first words of a sentence need it."""
    prose = re.sub(r"\{[\w:]+\}`([^`<]*?)(?: <[^`]*>)?`", r"\1", source.partition("\n---\n")[2])
    return _plain(prose)


def test_the_chapters_of_the_plan_name_sentences_that_they_have(repository: Path):
    names = of_plan(repository)
    assert len(names) == 12
    for name in names:
        source = (repository / "book" / f"{name}.md").read_text(encoding="utf8")
        named = named_sentences(source)
        assert len(named) > 4, name
    assert set(names) < set(of_book(repository))


def test_every_page_that_names_sentences_for_its_slides_has_them(repository: Path):
    sources = {
        path.name: path.read_text(encoding="utf8") for path in (repository / "book").rglob("*.md")
    }
    named = {name: named_sentences(source) for name, source in sources.items()}
    assert sum(map(bool, named.values())) >= 15
    missing = {
        name: [words for words in named[name] if _plain(words) not in plain(source)]
        for name, source in sources.items()
    }
    assert {name: words for name, words in missing.items() if words} == {}


@pytest.mark.parametrize(
    ("slide", "words", "fits"),
    [
        (Slide("h", said=60), 20, True),
        (Slide("h", said=60), 21, False),
        (Slide("h", said=30), 50, True),
        (Slide("h", said=30), 51, False),
        (Slide("h", said=30, full=True), 5, True),
        (Slide("h", said=30, full=True), 6, False),
        (Slide("h", asks=True), 1, False),
    ],
)
def test_a_slide_takes_few_sentences_and_fewer_beside_a_chart(slide, words, fits):
    assert slide.takes([f"<p class='x y'>{'word ' * words}</p>"]) == fits
    assert slide.takes(["<p>word</p>"] * words) == fits


@pytest.mark.parametrize(
    ("last", "count", "said"),
    [
        (Slide("h", ["a"]), 1, 25),
        (Slide("h", ["a"], full=True), 2, 25),
        (Slide("h", ["a"], asks=True), 2, 25),
    ],
)
def test_a_formula_stands_beside_neither_a_chart_nor_a_question(last, count, said):
    block, made = BeautifulSoup('<div class="math">x</div>', "html.parser").div, [last]
    _place(block, made, None, False)
    assert (len(made), made[-1].said, made[-1].shown[-1]) == (count, said, str(block))


@pytest.mark.parametrize(
    ("last", "same"),
    [
        (Slide("h", said=35), True),
        (Slide("h", said=36), False),
        (Slide("h", full=True), False),
        (Slide("h", asks=True), False),
    ],
)
def test_something_large_begins_a_slide_unless_the_last_has_few_sentences(last, same):
    made = [last]
    assert (_begin(made) is last) == same
    assert (made[-1].full, made[-1].heading) == (True, "h")


def test_notes_of_what_shows_nothing_go_to_the_slide_before_or_after():
    parts = ([], ["a"]), (["x"], ["b"]), ([], ["c"]), (["y"], ["d"])
    made = _joined([Slide("h", shown, notes) for shown, notes in parts])
    assert [(one.shown, one.notes) for one in made] == [(["x"], ["a", "b", "c"]), (["y"], ["d"])]
