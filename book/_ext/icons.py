"""The theme's icons as a style sheet of a few kilobytes, in place of its script with all of Font Awesome.

The script is 1.5 MB, is read before a page is shown, and looks at everything that is added to a page later: each mark
of each chart. The pages use a dozen of its icons. They are read from it, and drawn by the browser as masks.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

NAMES = (
    "angle-left",
    "angle-right",
    "arrow-up",
    "bars",
    "chevron-down",
    "circle-half-stroke",
    "download",
    "file",
    "file-pdf",
    "list",
    "magnifying-glass",
    "moon",
    "sun",
)
"""All that the templates of the theme name; the crawl of the built book fails on one that is not here."""

_SHAPE = r'[{{,]"?{name}"?:\[(\d+),(\d+),\[[^\]]*\],"[0-9a-f]+","([^"]+)"\]'
_SHARED = (
    'content:"";display:block;height:1em;background:currentColor;forced-color-adjust:none;'
    "-webkit-mask:var(--bb-icon) center/contain no-repeat;mask:var(--bb-icon) center/contain no-repeat"
)


def style_sheet(script: str, names: Iterable[str] = NAMES) -> str:
    """The icons of those names in Font Awesome's script, as CSS.

    Raises:
        ValueError: the script does not have an icon.
    """
    chosen = tuple(names)
    rules = [f"{','.join(f'.fa-{name}::before' for name in chosen)}{{{_SHARED}}}"]
    for name in chosen:
        shapes = re.findall(_SHAPE.format(name=re.escape(name)), script)
        if not shapes:
            raise ValueError(
                f"the theme's fontawesome.js has no icon called {name}; see what its templates use"
            )
        width, height, path = shapes[-1]  # the outlined icons come first, the solid ones after them
        picture = quote(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
            f'<path d="{path}"/></svg>',
            safe=" =:/,'()",
        )
        rules.append(
            f'.fa-{name}::before{{--bb-icon:url("data:image/svg+xml,{picture}");'
            f"width:{int(width) / int(height):.4g}em}}"
        )
    return (
        "/* Icons of Font Awesome Free (fontawesome.com), CC BY 4.0 */\n" + "\n".join(rules) + "\n"
    )


def vendor(folder: Path) -> None:
    """Write ``icons.css`` into ``folder``, and an empty script that takes the place of the theme's."""
    import pydata_sphinx_theme

    theme = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
    (folder / "scripts").mkdir(parents=True, exist_ok=True)
    (folder / "scripts" / "fontawesome.js").write_text(
        "/* The icons are in icons.css. */\n", encoding="utf8"
    )
    script = (theme / "scripts" / "fontawesome.js").read_text(encoding="utf8")
    (folder / "icons.css").write_text(style_sheet(script), encoding="utf8")


def remove_unused(static: Path) -> None:
    """Remove what the theme brings and no browser asks for: maps for debugging, and fonts in an old form.

    Boxes such as notes and warnings have their icons from the fonts in the new form.
    """
    for path in [*static.rglob("*.map"), *(static / "vendor" / "fontawesome").rglob("*.ttf")]:
        path.unlink()


def _prepare(app: Any, config: Any) -> None:
    vendor(
        Path(app.doctreedir).parent / "vendor_static"
    )  # which ``offline`` makes a folder of static files


def _tidy(app: Any, error: Exception | None) -> None:
    if error is None:
        remove_unused(Path(app.outdir) / "_static")


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("config-inited", _prepare)
    app.connect("build-finished", _tidy)
    app.add_css_file("icons.css")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
