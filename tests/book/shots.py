"""Take pictures of pages of the built book, wide and narrow, light and dark.

    python tests/book/shots.py index reference/glossary --out /tmp/shots

A page is named as in _build/html/book, without its suffix.
"""

import argparse
import shutil
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

BOOK = Path(__file__).resolve().parents[2] / "_build" / "html" / "book"


def save(page: Page, folder: Path, name: str, height: int) -> None:
    """Save the whole page as one picture, or as pieces of a height."""
    if not height:
        page.screenshot(path=folder / f"{name}.png", full_page=True)
        return
    whole, width = page.evaluate("[document.documentElement.scrollHeight, innerWidth]")
    page.set_viewport_size({"width": width, "height": whole})
    page.wait_for_timeout(400)
    for index, top in enumerate(range(0, whole, height), start=1):
        clip = {"x": 0, "y": top, "width": width, "height": min(height, whole - top)}
        page.screenshot(path=folder / f"{name}-{index}.png", clip=clip)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="+", help="pages, such as index or delve/task-arrays")
    parser.add_argument(
        "--out", type=Path, default=Path("_build/shots"), help="folder for the pictures"
    )
    parser.add_argument("--widths", type=int, nargs="+", default=[1280, 400])
    parser.add_argument("--modes", nargs="+", default=["light", "dark"])
    parser.add_argument(
        "--pieces",
        type=int,
        default=0,
        metavar="HEIGHT",
        help="cut a long page into pieces this high",
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    program = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for mode in options.modes:
            for width in options.widths:
                context = browser.new_context(
                    viewport={"width": width, "height": 900}, color_scheme=mode
                )
                page = context.new_page()
                for name in options.pages:
                    page.set_viewport_size({"width": width, "height": 900})
                    page.goto((BOOK / f"{name}.html").as_uri())
                    for chart in page.locator(
                        "div.vega-chart"
                    ).all():  # each is drawn when it is near
                        chart.scroll_into_view_if_needed()
                        page.wait_for_timeout(100)
                    page.evaluate("scrollTo(0, 0)")
                    page.wait_for_timeout(1200)
                    save(
                        page,
                        options.out,
                        f"{name.replace('/', '-')}-{width}-{mode}",
                        options.pieces,
                    )
                context.close()
        browser.close()


if __name__ == "__main__":
    main()
