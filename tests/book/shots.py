"""Take pictures of pages of the built book, wide and narrow, light and dark.

    python tests/book/shots.py index reference/notation --out /tmp/shots

A page is named as in _build/html/book, without its suffix.
"""

import argparse
import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

BOOK = Path(__file__).resolve().parents[2] / "_build" / "html" / "book"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", help="pages, such as index or delve/task-arrays")
    parser.add_argument("--out", type=Path, default=Path("_build/shots"), help="folder for the pictures")
    parser.add_argument("--widths", type=int, nargs="+", default=[1280, 400])
    parser.add_argument("--modes", nargs="+", default=["light", "dark"])
    parser.add_argument("--view", action="store_true", help="only what fits on one screen, not the whole page")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for mode in asked.modes:
            for width in asked.widths:
                context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=mode)
                page = context.new_page()
                for name in asked.pages:
                    page.goto((BOOK / f"{name}.html").as_uri())
                    page.wait_for_timeout(1200)
                    picture = asked.out / f"{name.replace('/', '-')}-{width}-{mode}.png"
                    page.screenshot(path=picture, full_page=not asked.view)
                    print(picture)
                context.close()
        browser.close()


if __name__ == "__main__":
    main()
