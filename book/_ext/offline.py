"""Everything a page needs lies beside it: charts, mathematics, footer; and stale outputs are never shown."""

import importlib.metadata
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import vl_convert

_HEAD = (  # The theme logs an error when no mode was ever chosen; without scripts its own default must stay as it is.
    "(function (root) {"
    "var dark = window.matchMedia('(prefers-color-scheme: dark)').matches;"
    "if (!root.dataset.mode) { root.dataset.mode = 'auto'; }"
    "if (!root.dataset.theme) { root.dataset.theme = dark ? 'dark' : 'light'; }"
    "})(document.documentElement);"
)
_LICENCE = "https://creativecommons.org/licenses/by/4.0/"


def _prepare(app: Any, config: Any) -> None:
    root = Path(app.srcdir)
    source = str(root / "src")
    others = [
        path
        for path in os.environ.get("PYTHONPATH", "").split(os.pathsep)
        if path and path != source
    ]
    os.environ["PYTHONPATH"] = os.pathsep.join([source, *others])
    if source not in sys.path:
        sys.path.insert(0, source)
    from benchbook import __version__
    from benchbook_book.making.inputs import chapter_runs, execution_cache

    build = Path(app.doctreedir).parent
    # Chapters show the archive and what they run themselves, never the reader's own runs; and they leave none there.
    os.environ["BENCHBOOK_RUNS"] = str(chapter_runs(root))
    shutil.rmtree(chapter_runs(root), ignore_errors=True)
    config.nb_execution_cache_path = str(execution_cache(root))
    app.vega_bundle = _vendor(build / "vendor_static")
    config.html_static_path = [*config.html_static_path, str(build / "vendor_static")]
    config.mathjax_path = "mathjax/tex-svg-full.js"
    config.version = config.release = __version__
    config.html_theme_options["extra_footer"] = (
        f"<p>benchbook {__version__}. The code is free under the MIT licence, the text under "
        f'<a href="{_LICENCE}" rel="license">CC BY 4.0</a>.</p>'
    )


def _vendor(folder: Path) -> str:
    """Put the chart library and MathJax into ``folder``; give the chart library's name there."""
    name = f"vega/vega-bundle-{importlib.metadata.version('vl-convert-python')}.js"
    vega, mathjax = folder / name, folder / "mathjax" / "tex-svg-full.js"
    if not vega.exists():
        vega.parent.mkdir(parents=True, exist_ok=True)
        # In a function of its own: as a plain script the bundle would leak names such as `n` and `t`.
        vega.write_text(
            "(function(){" + vl_convert.javascript_bundle() + "\n})();\n", encoding="utf8"
        )
    if not mathjax.exists():
        mathjax.parent.mkdir(parents=True, exist_ok=True)
        shipped = importlib.metadata.distribution("sphinx-mathjax-offline").locate_file(
            "sphinx-mathjax-offline/static/mathjax/tex-svg-full.js"
        )
        mathjax.write_bytes(Path(str(shipped)).read_bytes())
    return name


def _page_assets(
    app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    if 'class="vega-chart"' in (context.get("body") or ""):
        app.add_js_file(app.vega_bundle, loading_method="defer")
        app.add_js_file("charts.js", loading_method="defer")
    # Live kernels are always on in Jupyter Book 1 and there are none here. In place: add_js_file appends to this list.
    context["script_files"][:] = [
        script
        for script in context["script_files"]
        if "thebe" not in f"{script.filename} {script.attributes.get('body', '')}".lower()
    ]


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("config-inited", _prepare)
    app.connect("html-page-context", _page_assets)
    app.add_js_file(None, body=_HEAD, priority=1)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
