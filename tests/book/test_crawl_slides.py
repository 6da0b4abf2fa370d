"""The decks of the lesson plans in a browser, without a network: turned page by page, at two widths."""

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from benchbook_book.making import decks, inputs

pytestmark = [pytest.mark.crawl, pytest.mark.timeout(600)]
NAME = "delve/planning"


@contextmanager
def started() -> Iterator:
    from playwright.sync_api import sync_playwright

    program = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if program is None:
        pytest.fail("the crawl needs a browser, and there is none: apt-get install --yes chromium")
    with sync_playwright() as playwright:
        result = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield result
        result.close()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *said: object) -> None:
        pass


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[str]:
    """Where the decks of all chapters of the plan are served."""
    folder = tmp_path_factory.mktemp("slides")
    root = inputs.checkout()
    assert len(decks.write(folder, decks.of_plan(root), root)) == 13
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


# Formulas are as wide as the slide at most, and no sentence that has come is below its foot.
_WHOLE = """() => [...Reveal.getCurrentSlide().querySelectorAll('div.math, p.fragment.visible')].every(one =>
    one.scrollWidth <= one.clientWidth + 1 && one.getBoundingClientRect().top < innerHeight - 20)"""


@pytest.mark.parametrize(
    ("name", "width"), [(NAME, 1280), (NAME, 400), ("uncertainty/losses-numbers", 1024)]
)
def test_a_deck_is_turned_from_its_first_slide_to_its_last(served, name, width):
    with started() as browser:
        page = browser.new_page(viewport={"width": width, "height": 720})
        errors, requests = [], []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{served}/{name}.html")
        page.wait_for_function(
            "() => window.Reveal && Reveal.isReady() && document.querySelector('mjx-container')"
        )
        page.evaluate("() => MathJax.startup.promise")
        total = page.evaluate("() => Reveal.getTotalSlides()")
        assert total > 8
        seen = set()
        for _ in range(4 * total):
            seen.add(page.evaluate("() => Reveal.getSlidePastCount()"))
            wide = page.evaluate(
                "() => { const s = Reveal.getCurrentSlide(); return s.scrollWidth - s.clientWidth; }"
            )
            assert wide <= 1
            assert width < 1000 or page.evaluate(_WHOLE), page.url
            if page.evaluate("() => Reveal.isLastSlide()"):
                break
            page.keyboard.press("ArrowRight")
        assert page.evaluate("() => Reveal.isLastSlide()")
        assert len(seen) == total
        assert errors == []
        assert [url for url in requests if not url.startswith(served)] == []
        page.close()


def test_no_slide_of_any_deck_is_taller_than_its_window_but_for_words_that_come_later(served):
    with started() as browser:
        page, low = browser.new_page(viewport={"width": 1280, "height": 720}), []
        for name in decks.of_plan(inputs.checkout()):
            page.goto(f"{served}/{name}.html")
            page.wait_for_function("() => window.Reveal && Reveal.isReady()")
            for index in range(page.evaluate("() => Reveal.getTotalSlides()")):
                page.evaluate("place => Reveal.slide(place)", index)
                page.wait_for_function("""() => [...Reveal.getCurrentSlide().querySelectorAll('.vega-chart')].every(
                    one => one.querySelector('svg, canvas'))""")
                if not page.evaluate("""() => { const slide = Reveal.getCurrentSlide();
                        return slide.querySelector('p.fragment') || slide.scrollHeight <= slide.clientHeight + 1; }"""):
                    low.append(f"{name} {index + 1}")
        assert low == []
        page.close()


def test_a_chart_of_a_deck_answers_and_the_speaker_has_notes(served):
    with started() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{served}/{NAME}.html")
        page.wait_for_function("() => window.Reveal && Reveal.isReady()")
        index = page.evaluate(
            "() => Reveal.getSlides().findIndex(one => one.querySelector('.vega-chart'))"
        )
        page.evaluate("place => Reveal.slide(place)", index)
        chart = page.locator("section.present .vega-chart")
        page.wait_for_function(
            "() => document.querySelector('section.present .vega-chart').chartView"
        )
        slider = chart.locator("input[type=range]").first
        before = chart.locator("svg").first.inner_html()
        slider.focus()
        for _ in range(3):
            page.keyboard.press("ArrowLeft")
        page.wait_for_timeout(300)
        assert chart.locator("svg").first.inner_html() != before
        assert (
            page.evaluate(
                "() => Reveal.getSlides().filter(one => one.querySelector('aside.notes')).length"
            )
            > 8
        )
        assert page.evaluate("() => Reveal.hasPlugin('notes')")
        page.wait_for_function("() => document.querySelector('aside.notes mjx-container')")
        page.evaluate("() => MathJax.startup.promise")
        assert page.locator("aside.notes mjx-assistive-mml").count() == 0, (
            "seen twice in the window of the notes"
        )
        page.close()
