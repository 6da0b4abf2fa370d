"""The pages of the built book, opened from disk in a browser that has no network.

The book has to be built first (``make book``); then ``make test ARGS="-m crawl --dist loadfile"``: the pages are opened
by two browsers at once, by one process that sees them all. ``BENCHBOOK_CRAWL=2/3`` opens the second third of the pages
and those that no crawl leaves out. Links are followed on all pages, without a browser.
"""

import os
import shutil
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from benchbook.method_names import in_words

pytestmark = [pytest.mark.crawl, pytest.mark.timeout(600)]

HTML = Path(__file__).resolve().parents[2] / "_build" / "html"
WAYS = ("file:", "data:", "blob:", "about:")

OVERFLOW = """() => {
    const room = document.documentElement.clientWidth, wide = [];
    for (const node of document.querySelectorAll('.bd-article-container *')) {
        const box = node.getBoundingClientRect();
        if (box.width === 0 || box.right <= room + 1) { continue; }
        let outer = node.parentElement;
        while (outer && getComputedStyle(outer).overflowX === 'visible') { outer = outer.parentElement; }
        if (!outer || outer === document.body || outer === document.documentElement) {
            wide.push(`${node.tagName}.${node.className} to ${Math.round(box.right)}`);
        }
    }
    return document.documentElement.scrollWidth > room ? ['the page itself', ...wide] : wide;
}"""
CHARTS = """() => [...document.querySelectorAll('div.vega-chart')].map(chart => {
    const svg = chart.querySelector('.vega-stage svg');
    const box = svg ? svg.getBoundingClientRect() : {width: 0, height: 0};
    const told = chart.querySelector('.vega-view[role="img"]');
    return {width: box.width, height: box.height, marks: svg ? svg.querySelectorAll('path, text').length : 0,
            shown: svg ? svg.querySelectorAll('.role-mark > *').length : 0,
            live: Boolean(chart.dataset.drawn), described: told ? told.getAttribute('aria-label') : ''};
})"""
MATHS = """() => [document.querySelectorAll('.math').length, document.querySelectorAll('mjx-container').length,
    [...document.querySelectorAll('mjx-container [data-mjx-error]')].map(node => node.dataset.mjxError)]"""
ICONS = """() => [...document.querySelectorAll('[class*="fa-"]')].filter(icon => icon.getClientRects().length
    && !getComputedStyle(icon, '::before').maskImage.startsWith('url(')).map(icon => icon.className)"""
EARLY = """() => [...document.querySelectorAll('div.vega-chart')].filter(box => box.chartSpec
    && box.getBoundingClientRect().top > 2 * window.innerHeight).length"""
SETTLED = """place => { const box = document.querySelectorAll('div.vega-chart')[place]; box.scrollIntoView();
    return box.dataset.drawn || box.dataset.failed; }"""
RUN_OUT = """() => [...document.querySelectorAll('.vega-stage svg .role-legend text')].filter(name =>
    name.getBoundingClientRect().right > name.closest('svg').getBoundingClientRect().right + 1)
    .map(name => name.textContent)"""
TINY = """() => [...document.querySelectorAll('.vega-stage svg')].filter(svg => svg.checkVisibility()).flatMap(svg =>
    [...svg.querySelectorAll('text')].filter(text => {
        const matrix = text.getScreenCTM(), size = parseFloat(getComputedStyle(text).fontSize);
        return text.textContent && size * Math.hypot(matrix.a, matrix.b) < 9;
    }).slice(0, 3).map(text => text.textContent))"""
SHRUNK = """() => [...document.querySelectorAll('div.vega-chart')].map((box, place) => [place, box.clientWidth,
    (box.querySelector('.vega-stage svg') || box).getAttribute('width')])
    .filter(([, room, drawn]) => room && drawn > 1.2 * room).map(told => told.join(' '))"""
IMAGES = "() => [...document.images].filter(img => !(img.complete && img.naturalWidth)).map(img => img.src)"
UNDESCRIBED = "() => [...document.querySelectorAll('article img')].filter(img => !img.alt).map(img => img.src)"
ALWAYS = (
    "book/index.html",
    "book/runs/index.html",
    "book/runs/run-kin-8nm-sim.html",
    "book/reference/data.html",
    "book/reference/glossary.html",
    "book/reference/errata.html",
    "book/delve/task-arrays.html",
    "book/delve/expected-loss.html",
    "book/delve/study.html",
    "book/proben1/modern.html",
)

LEGENDS = """() => [...document.querySelectorAll('div.vega-chart')].map((box, place) => {
    const param = ((box.chartSpec || {}).params || []).find(one => one.bind === 'legend');
    return param ? [place, param.select.fields[0]] : null;
}).filter(Boolean)"""
OPACITIES = """([place, field]) => {
    const found = {}, box = document.querySelectorAll('div.vega-chart')[place];
    for (const node of box.querySelectorAll('.role-mark path, .role-mark line')) {
        const item = node.__data__, datum = item && item.datum;
        if (!datum || datum[field] == null || item.opacity === undefined) { continue; }
        found[datum[field]] = Math.max(found[datum[field]] || 0, item.opacity);
    }
    return found;
}"""

CUT_LABELS = """() => [...document.querySelectorAll('div.vega-chart .vega-stage svg text')]
    .map(text => text.textContent).filter(text => text.endsWith('…'))"""
POINTED_AT = """() => [...document.querySelectorAll('div.vega-chart')].map((box, place) => [box, place])
    .filter(([box]) => JSON.stringify(box.chartSpec || {}).includes('"on":"pointerover"')).map(([, place]) => place)"""
ON_MARKS = """place => {
    const marks = document.querySelectorAll('div.vega-chart')[place].querySelectorAll('.role-mark path');
    return [...marks].filter(mark => mark.getTotalLength()).map(mark => {
        const box = mark.getBoundingClientRect(), third = mark.getPointAtLength(mark.getTotalLength() / 3);
        if (Math.max(box.width, box.height) < 40) { return [box.x + box.width / 2, box.y + box.height / 2]; }
        const place = third.matrixTransform(mark.getScreenCTM());
        return [place.x, place.y];
    }).filter(([x, y]) => x > 0 && y > 0 && y < window.innerHeight);
}"""
DRAWN = "place => document.querySelectorAll('div.vega-chart')[place].querySelector('.vega-stage svg').outerHTML"


LONG, LAST = "book/delve/why-assessments-fail.html", "take-aways"
MOVED = """() => new Promise(tell => { let sum = 0; new PerformanceObserver(list => list.getEntries().forEach(
    each => { sum += each.hadRecentInput ? 0 : each.value; })).observe({type: 'layout-shift', buffered: true});
    setTimeout(() => tell(sum), 300); })"""
AXE = Path(str(files("axe_playwright_python"))) / "axe.min.js"
RULES = [
    "aria-hidden-focus",
    "aria-input-field-name",
    "aria-roles",
    "aria-toggle-field-name",
    "button-name",
    "duplicate-id-aria",
    "image-alt",
    "input-button-name",
    "label",
    "link-name",
    "nested-interactive",
    "role-img-alt",
    "select-name",
    "summary-name",
    "svg-img-alt",
]
BARRIERS = """rules => axe.run(document, {runOnly: rules, resultTypes: ['violations']}).then(told =>
    told.violations.map(each => `${each.id}: ${each.nodes.length}, such as ${each.nodes[0].html.slice(0, 200)}`))"""


@dataclass
class Seen:
    """What one page did when it was opened."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    charts: list[dict] = field(default_factory=list)
    drawn_too_early: int = 0
    bare_icons: list[str] = field(default_factory=list)
    maths: tuple = (0, 0, ())
    broken_images: list[str] = field(default_factory=list)
    undescribed_images: list[str] = field(default_factory=list)
    wide: list[str] = field(default_factory=list)
    legends: list[tuple[int, str]] = field(default_factory=list)
    dead_legends: list[str] = field(default_factory=list)
    cut_labels: list[str] = field(default_factory=list)
    deaf_charts: list[int] = field(default_factory=list)
    run_out: list[str] = field(default_factory=list)
    tiny: list[str] = field(default_factory=list)
    shrunk: list[str] = field(default_factory=list)
    barriers: list[str] = field(default_factory=list)


class Written(HTMLParser):
    """What a page says without a browser: where it leads, and which of its places can be led to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.ids: set[str] = {""}
        self.twice: set[str] = set()
        self.formulas = self.mathjax = False
        self.feed(path.read_text(encoding="utf8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        reported = dict(attrs)
        if reported.get("id") in self.ids:
            self.twice.add(str(reported["id"]))
        self.ids.add(reported.get("id") or "")
        self.formulas |= "math" in (reported.get("class") or "").split()
        self.mathjax |= tag == "script" and "mathjax" in (reported.get("src") or "")
        self.names.update(
            reported[key] for key in ("id", "name")[: 1 + (tag == "a")] if reported.get(key)
        )
        if tag == "a" and reported.get("href"):
            self.links.append(reported["href"])


def leads_on(path: Path) -> bool:
    """Whether a page only leads to the one that took its place."""
    return 'http-equiv="refresh"' in path.read_text("utf8")[:300]


def pages() -> list[Path]:
    return [path for path in sorted((HTML / "book").rglob("*.html")) if not leads_on(path)]


def share() -> list[Path]:
    """The pages to open: all, or those of the share that was asked for and those that no crawl leaves out."""
    number, _, count = os.environ.get("BENCHBOOK_CRAWL", "1/1").partition("/")
    part = set(pages()[int(number) - 1 :: int(count)])
    return [path for path in pages() if path in part or path.relative_to(HTML).as_posix() in ALWAYS]


BROWSERS = 2


@contextmanager
def started() -> Iterator:
    """A browser of its own for the thread that asks."""
    from playwright.sync_api import sync_playwright

    if not (HTML / "index.html").is_file():
        pytest.fail(f"there is no book in {HTML}; build it first: make book")
    program = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if program is None:
        pytest.fail("the crawl needs a browser, and there is none: apt-get install --yes chromium")
    with sync_playwright() as playwright:
        args = [
            "--no-sandbox",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--disable-background-networking",
        ]
        result = playwright.chromium.launch(executable_path=program, args=args)
        yield result
        result.close()


@pytest.fixture
def browser() -> Iterator:
    with started() as result:
        yield result


def complains(kind: str, text: str) -> bool:
    """Whether what a page writes to the console is a fault.

    Vega remarks that a scale has no data yet where a layer shows only what is pointed at: so does such a layer begin.
    """
    return kind in ("error", "warning") and not text.startswith("WARN Infinite extent for field")


def draw_all(page) -> None:
    """Come near every chart, so that it is drawn; what is folded is opened for it, and stays open."""
    page.evaluate(
        "() => document.querySelectorAll('details:not([open])').forEach(one => "
        "{ one.open = one.dataset.folded = true; })"
    )
    for index in range(page.locator("div.vega-chart").count()):
        page.wait_for_function(SETTLED, arg=index)


def fold_again(page) -> None:
    page.evaluate(
        "() => document.querySelectorAll('details[data-folded]').forEach(one => { one.open = false; })"
    )


def brightest(found: dict[str, float]) -> set[str]:
    """Which names stand out: those whose marks are more opaque than the faintest; none where all are alike.

    A chart's data have the codes of methods, and its legend their names.
    """
    return {in_words(name) for name, value in found.items() if value > min(found.values())}


def clicked(
    page, place: int, column: str, label: int, beside: Collection[str] = ()
) -> tuple[str, set[str]]:
    """The text of a label that is clicked, with shift where names are lit already, and what stands out then.

    A busy machine takes its time to draw: what is to come is waited for.
    """
    text = page.locator("div.vega-chart").nth(place).locator(".role-legend-label text").nth(label)
    text.click(modifiers=["Shift"] if beside else [])
    name = text.text_content()
    until = time.monotonic() + 5
    while (lit := brightest(page.evaluate(OPACITIES, [place, column]))) != {
        name,
        *beside,
    } and time.monotonic() < until:
        page.wait_for_timeout(50)
    return name, lit


def dead_legends(page, legends: list[tuple[int, str]]) -> list[str]:
    """What is wrong with clicks on the legends of these charts."""
    wrong = []
    for legend, column in legends:
        first, alone = clicked(page, legend, column, label=1)
        if alone != {first}:
            wrong.append(f"chart {legend + 1}: a click on {first} brings out {sorted(alone)}")
        elif len(page.evaluate(OPACITIES, [legend, column])) > 2:
            second, both = clicked(page, legend, column, label=0, beside=alone)
            if both != {first, second}:
                wrong.append(
                    f"chart {legend + 1}: {second} is not added with shift: {sorted(both)}"
                )
    return wrong


def deaf_charts(page, most: int = 40) -> list[int]:
    """Charts that promise to answer to the pointer, and change at none of up to so many of their marks."""
    return [index + 1 for index in page.evaluate(POINTED_AT) if not answers(page, index, most)]


def answers(page, place: int, most: int) -> bool:
    page.locator("div.vega-chart").nth(place).scroll_into_view_if_needed()
    page.mouse.move(1, 1)
    still, marks = page.evaluate(DRAWN, place), page.evaluate(ON_MARKS, place)
    for x, y in marks[:: max(1, len(marks) // most)]:
        page.mouse.move(x, y)
        page.wait_for_timeout(50)
        if page.evaluate(DRAWN, place) != still:
            return True
    return False


def open_page(browser, path: Path) -> Seen:
    """Open a page wide, let it settle, then make the window narrow, and wide again."""
    seen = Seen()
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.on(
        "console",
        lambda said: seen.errors.append(said.text) if complains(said.type, said.text) else None,
    )
    page.on("requestfailed", lambda request: seen.errors.append(f"not loaded: {request.url}"))
    page.goto(path.as_uri(), wait_until="load")
    seen.drawn_too_early, seen.bare_icons = page.evaluate(EARLY), page.evaluate(ICONS)
    draw_all(page)
    seen.legends = page.evaluate(LEGENDS)
    seen.cut_labels, seen.deaf_charts = page.evaluate(CUT_LABELS), deaf_charts(page)
    seen.dead_legends = dead_legends(page, seen.legends)
    fold_again(page)
    page.wait_for_function(
        "() => !document.querySelector('.math') || document.querySelector('mjx-container')"
    )
    page.wait_for_timeout(100)
    seen.charts, seen.maths = page.evaluate(CHARTS), page.evaluate(MATHS)
    seen.broken_images, seen.undescribed_images = page.evaluate(IMAGES), page.evaluate(UNDESCRIBED)
    seen.barriers = barriers(page)
    page.set_viewport_size({"width": 400, "height": 800})
    page.wait_for_timeout(100)
    seen.wide = page.evaluate(OVERFLOW)
    seen.tiny = left_over(page, TINY)
    seen.run_out = page.evaluate(RUN_OUT)
    page.set_viewport_size({"width": 1280, "height": 900})
    seen.shrunk = left_over(page, SHRUNK)
    page.close()
    return seen


def barriers(page) -> list[str]:
    """What axe finds serious, such as a toggle or a picture without a name."""
    page.evaluate(f"var module = undefined; {AXE.read_text(encoding='utf8')}")
    return page.evaluate(BARRIERS, RULES)


def left_over(page, faulty: str) -> list[str]:
    """What is wrong with charts when a busy machine has had the time that it needs to draw them anew."""
    for _ in range(8):
        page.wait_for_timeout(400)
        if not (result := page.evaluate(faulty)):
            break
    return result


def open_pages(paths: list[Path]) -> dict[Path, Seen]:
    with started() as browser:
        return {path: open_page(browser, path) for path in paths}


@pytest.fixture(scope="module")
def book() -> dict[Path, Seen]:
    shares = [share()[first::BROWSERS] for first in range(BROWSERS)]
    with ThreadPoolExecutor(BROWSERS) as pool:
        return {
            path: seen for result in pool.map(open_pages, shares) for path, seen in result.items()
        }


@pytest.fixture(scope="module")
def texts() -> dict[Path, Written]:
    return {path: Written(path) for path in sorted((HTML / "book").rglob("*.html"))}


def faults(book: dict[Path, Seen], find) -> list[str]:
    """What ``find`` says of any page, with the name of the page."""
    return [
        f"{path.relative_to(HTML)}: {fault}" for path, seen in book.items() for fault in find(seen)
    ]


def test_the_book_has_its_pages(book: dict[Path, Seen]) -> None:
    assert len(pages()) > 100
    assert set(ALWAYS) <= {path.relative_to(HTML).as_posix() for path in book}


def test_the_shares_of_crawls_make_up_the_book(monkeypatch) -> None:
    seen: set[Path] = set()
    for number in (1, 2, 3):
        monkeypatch.setenv("BENCHBOOK_CRAWL", f"{number}/3")
        assert 0 < len(share()) < len(pages()) / 2
        seen |= set(share())
    assert seen == set(pages())


def test_no_request_leaves_the_machine(book: dict[Path, Seen]) -> None:
    assert (
        faults(book, lambda seen: [url for url in seen.requests if not url.startswith(WAYS)]) == []
    )


def test_no_page_complains(book: dict[Path, Seen]) -> None:
    assert faults(book, lambda seen: seen.errors) == []


def test_every_chart_is_drawn_and_described(book: dict[Path, Seen]) -> None:
    drawn = [chart for seen in book.values() for chart in seen.charts]
    assert len(drawn) >= 2
    assert (
        faults(
            book,
            lambda seen: [
                chart
                for chart in seen.charts
                if not chart["live"]
                or len(chart["described"]) < 40
                or chart["marks"] < 5
                or chart["shown"] < 1
                or min(chart["width"], chart["height"]) < 50
            ],
        )
        == []
    )


def test_charts_far_below_wait_for_the_reader(book: dict[Path, Seen]) -> None:
    assert max(len(seen.charts) for seen in book.values()) > 3
    assert faults(book, lambda seen: [seen.drawn_too_early] if seen.drawn_too_early else []) == []


def test_nothing_bars_a_reader_without_a_mouse_or_a_screen(book: dict[Path, Seen]) -> None:
    assert faults(book, lambda seen: seen.barriers) == []


def test_no_name_stands_twice_in_a_page(texts: dict[Path, Written]) -> None:
    assert [f"{path.name}: {name}" for path, text in texts.items() for name in text.twice] == []


def test_pages_without_formulas_do_not_load_mathjax(texts: dict[Path, Written]) -> None:
    assert {text.mathjax for text in texts.values()} == {True, False}
    assert [path.name for path, text in texts.items() if text.mathjax != text.formulas] == []


def test_a_page_keeps_the_room_of_its_charts(browser) -> None:
    """A link to the end of a page leads there on a telephone, and little moves when charts are drawn."""
    page = browser.new_page(viewport={"width": 400, "height": 800})
    page.goto(f"{(HTML / LONG).as_uri()}#{LAST}")
    page.wait_for_timeout(3000)
    assert page.evaluate(MOVED) < 0.1
    assert (
        0 <= page.evaluate(f"document.getElementById('{LAST}').getBoundingClientRect().top") < 300
    )
    page.close()


def test_icons_are_drawn(book: dict[Path, Seen]) -> None:
    assert faults(book, lambda seen: seen.bare_icons) == []


def test_mathematics_is_set(book: dict[Path, Seen]) -> None:
    assert sum(seen.maths[0] for seen in book.values()) > 50
    assert (
        faults(
            book,
            lambda seen: (
                [] if seen.maths[0] <= seen.maths[1] and not seen.maths[2] else [seen.maths]
            ),
        )
        == []
    )


def test_images_load_and_are_described(book: dict[Path, Seen]) -> None:
    assert faults(book, lambda seen: seen.broken_images + seen.undescribed_images) == []


def dangling(pages: dict[Path, Written]) -> list[str]:
    """The links inside the book that lead nowhere, with the name of the page."""
    missing = []
    for path, written in pages.items():
        for link in dict.fromkeys(written.links):
            parts = urlsplit(urljoin(path.as_uri(), link))
            target, index = Path(unquote(parts.path)), unquote(parts.fragment)
            if parts.scheme == "file" and (
                not target.is_file()
                or (index and target in pages and index not in pages[target].names)
            ):
                missing.append(f"{path.name}: {link}")
    return missing


def test_links_inside_the_book_lead_somewhere(texts: dict[Path, Written]) -> None:
    assert sum(len(written.links) for written in texts.values()) > 1000
    assert dangling(texts) == []


def test_nothing_is_wider_than_a_telephone(book: dict[Path, Seen]) -> None:
    assert faults(book, lambda seen: seen.wide) == []


def test_on_a_telephone_legends_are_read_whole(book: dict[Path, Seen]) -> None:
    assert faults(book, lambda seen: seen.run_out) == []


def test_on_a_telephone_the_letters_of_charts_can_be_read(book: dict[Path, Seen]) -> None:
    assert faults(book, lambda seen: seen.tiny) == []


def test_a_chart_fills_a_window_that_has_become_wider(book: dict[Path, Seen]) -> None:
    assert faults(book, lambda seen: seen.shrunk) == []


def test_no_page_and_no_book_is_heavy() -> None:
    megabyte = 1_000_000
    assert [path.name for path in pages() if path.stat().st_size > megabyte] == []
    read = [path for path in HTML.rglob("*") if path.is_file() and path.parent.name != "downloads"]
    assert sum(path.stat().st_size for path in read) < 45 * megabyte


def test_every_page_can_be_reached(texts: dict[Path, Written]) -> None:
    targets = {
        Path(unquote(urlsplit(urljoin(path.as_uri(), link)).path))
        for path, written in texts.items()
        for link in written.links
    }
    assert [path.name for path in texts if path not in targets and not leads_on(path)] == []


def test_a_click_on_a_legend_brings_out_what_it_names(book: dict[Path, Seen]) -> None:
    assert sum(bool(seen.legends) for seen in book.values()) >= 3
    assert faults(book, lambda seen: seen.dead_legends) == []


def test_charts_that_are_to_be_pointed_at_answer(book: dict[Path, Seen]) -> None:
    assert faults(book, lambda seen: seen.deaf_charts) == []


def test_labels_of_charts_are_whole(book: dict[Path, Seen]) -> None:
    assert faults(book, lambda seen: seen.cut_labels) == []


def test_the_dark_page_is_dark(browser) -> None:
    page = browser.new_page(color_scheme="light")
    page.goto((HTML / "book" / "index.html").as_uri())
    look = "() => getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(look)
    for _ in range(3):
        page.locator(".theme-switch-button").first.click()
        if page.evaluate("() => document.documentElement.dataset.theme") == "dark":
            break
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"
    assert (
        sum(int(part) for part in page.evaluate(look).strip("rgba()").split(",")[:3])
        < 120
        < sum(int(part) for part in light.strip("rgba()").split(",")[:3])
    )
    page.close()


def test_search_finds_a_word(browser) -> None:
    page = browser.new_page()
    page.goto(f"{(HTML / 'search.html').as_uri()}?q=hierarchical")
    page.wait_for_selector("#search-results ul.search li")
    result = page.locator("#search-results ul.search li a").all_inner_texts()
    assert any("Glossary" in title for title in result)
    page.close()


def test_the_first_page_leads_to_the_book(browser) -> None:
    page = browser.new_page()
    page.goto((HTML / "index.html").as_uri())
    page.wait_for_url("**/book/index.html")
    assert page.locator("h1").count() >= 1
    page.close()


def test_the_crawl_sees_what_is_wrong(browser, tmp_path) -> None:
    """The negative control: a page with one fault of each kind."""
    bad = tmp_path / "bad.html"
    bad.write_text("""<html><body><div class="bd-article-container"><article>
        <div style="width: 2000px">wide</div><img src="nowhere.png"><a href="lost.html">lost</a>
        <a href="#nowhere">lost</a> <a href="#here" id="here">found</a>
        <i class="fa-solid fa-ghost">icon</i> <details><summary></summary>folded</details>
        <div class="vega-chart" data-failed="1"><div class="vega-view" role="img"></div></div>
        <div class="vega-chart" data-drawn="1"><div class="vega-stage"><svg width="3000" style="width: 90px">
        <g class="role-legend"><text x="500">far out</text></g><text font-size="8">small</text></svg></div></div>
        <script src="https://example.org/x.js"></script><script>console.error("ouch"); console.warn("hm");
        throw new Error("bang")</script>
        </article></div></body></html>""")
    seen = open_page(browser, bad)
    assert "https://example.org/x.js" in seen.requests
    assert {"ouch", "hm", "bang"} <= set(seen.errors)
    assert [chart["live"] for chart in seen.charts] == [False, True]
    assert seen.run_out == ["far out"]
    assert seen.tiny == ["small"]
    assert {told.partition(":")[0] for told in seen.barriers} >= {"image-alt", "summary-name"}
    assert [reported.split()[0] for reported in seen.shrunk] == ["1"]
    assert seen.bare_icons == ["fa-solid fa-ghost"]
    assert len(seen.broken_images) == len(seen.undescribed_images) == 1
    assert dangling({bad: Written(bad)}) == ["bad.html: lost.html", "bad.html: #nowhere"]
    assert any("DIV" in node for node in seen.wide)
