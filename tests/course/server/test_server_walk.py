"""A class walks through the pages in a browser, wide and narrow: register, a faulty upload, a good one, the board."""

import shutil
import socket
import threading
import time

import pytest
import uvicorn

from benchbook_book.course.server import holding
from benchbook_book.course.server.app import application

DATABASES = ["sqlite"]

pytestmark = [pytest.mark.crawl, pytest.mark.timeout(300)]


@pytest.fixture
def address(held):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    server = uvicorn.Server(
        uvicorn.Config(
            application(held.store, held.rules, scoring=False), port=port, log_level="error"
        )
    )
    stop = threading.Event()

    def score():
        while not stop.is_set():
            held.settle()
            time.sleep(0.1)

    threads = [threading.Thread(target=server.run), threading.Thread(target=score)]
    for thread in threads:
        thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    stop.set()
    server.should_exit = True
    for thread in threads:
        thread.join()


@pytest.fixture(scope="module")
def chromium():
    api = pytest.importorskip("playwright.sync_api")
    program = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if program is None:
        pytest.skip("there is no browser here")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


def follow(page, link):
    """Click it and wait for its page, which a click alone does not."""
    with page.expect_navigation():
        link.click()


@pytest.mark.parametrize(("width", "scripts"), [(1280, True), (400, False)])
def test_a_participant_registers_submits_and_reads_the_board(
    held, address, chromium, tmp_path, width, scripts
):
    with held.store.writing() as session:
        ((_, token),) = holding.invite(session, count=1)
    held.browser("Ada").submit(held.zipped("validation", shift=10, spread=80, name="wide"))
    context = chromium.new_context(
        viewport={"width": width, "height": 900},
        java_script_enabled=scripts,
        color_scheme="light" if scripts else "dark",
    )
    page, output = context.new_page(), []
    page.on("console", lambda message: message.type == "error" and output.append(message.text))

    def look(name):
        if scripts:
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
            assert page.evaluate(
                "[...document.querySelectorAll('input:not([type=hidden]), textarea')]"
                ".every(field => field.labels.length)"
            ), name
            assert page.evaluate(
                "[...document.querySelectorAll('.words')]"
                ".every(table => table.scrollWidth <= table.clientWidth)"
            ), name
        page.screenshot(path=tmp_path / f"{name}-{width}.png", full_page=True)

    page.goto(f"{address}/c/flats")
    page.get_by_label("Your token").fill(token)
    look("login")
    follow(page, page.get_by_role("button", name="Sign in"))
    page.get_by_label("Name").fill("Walker")
    look("name")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    follow(page, page.get_by_role("link", name="Flats & rents"))
    look("challenge")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the cases").click()
    assert download.value.suggested_filename == "flats.zip"
    for name, payload in (("bad", b"PK no zip"), ("good", held.zipped("validation", name="walk"))):
        (tmp_path / f"{name}.zip").write_bytes(payload)
        follow(page, page.get_by_role("link", name="Submit"))
        page.get_by_label("A zip with").set_input_files(tmp_path / f"{name}.zip")
        look("submit")
        follow(page, page.get_by_role("button", name="Send"))
        page.get_by_text(
            {"bad": "Nothing was scored", "good": "Information gained"}[name]
        ).wait_for(timeout=30_000)
        look(f"submission-{name}")
    follow(page, page.get_by_role("link", name="My submissions"))
    assert page.locator("tbody tr").count() == 2
    look("mine")
    deadline = time.monotonic() + 30
    while True:
        follow(page, page.get_by_role("link", name="Leaderboard"))
        if page.get_by_role("rowheader", name="walk").count() or time.monotonic() > deadline:
            break
        time.sleep(0.3)
    entries = page.locator("main .scroll").first.locator("tbody tr th")
    assert entries.all_inner_texts() == ["walk", "wide", "baseline"]
    follow(page, page.get_by_role("link", name="nMSE"))
    assert "by=nMSE" in page.url
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("nMSE")
    assert (
        page.locator("figure img").evaluate("image => image.naturalWidth") > 100
        if scripts
        else True
    )
    look("board")
    follow(page, page.get_by_role("link", name="Methods"))
    look("methods")
    follow(page, page.get_by_role("button", name="Sign out"))
    assert page.get_by_role("link", name="Sign in", exact=True).count() == 1
    context.close()
    assert output == []


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_an_organiser_looks_at_everything(held, address, chromium, tmp_path, width, scheme):
    held.browser("Ada").submit(held.zipped("validation"))
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{address}/login")
    page.get_by_label("Your token").fill(held.boss)
    follow(page, page.get_by_role("button", name="Sign in"))
    follow(page, page.get_by_role("link", name="Organise"))
    page.get_by_label("Names, one a line").fill(f"Guest {width}")
    follow(page, page.get_by_role("button", name="Make tokens"))
    assert page.locator("code").first.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.screenshot(path=tmp_path / f"organise-{width}.png", full_page=True)
    follow(page, page.get_by_role("link", name="Flats & rents"))
    page.get_by_label("Message of the day").fill("Three days left")
    follow(page, page.get_by_role("button", name="Change"))
    page.screenshot(path=tmp_path / f"organise-one-{width}.png", full_page=True)
    follow(page, page.get_by_role("link", name="As participants see it"))
    assert page.get_by_text("Three days left").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()
