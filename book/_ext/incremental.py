"""Read and write again the pages that need it, and those only.

Sphinx reads a page again when its file is newer than its last reading, and writes what it has read. That misses pages
whose outputs alone have changed, files that were put back with an older date, and all that a page shows of others:
their titles in the navigation, numbers of sections and figures, labels. So three things are added here:

* a page is read again when its text, a file that it includes, the outputs of its cells, or for pages made by our own
  directives anything in the package, is not what it was at its last reading, whatever the clocks say;
* all pages are written again when anything has changed that pages show of each other;
* pages that complained are read again, or a second build would pass because nobody looked.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from myst_nb.ext.glue.utils import PendingGlueReference

_SERIAL = "sphinx_multitoc_numbering"


def _begin(app: Any) -> None:
    # It works on the merged environment only, and does not say so.
    if _SERIAL in app.extensions:
        app.extensions[_SERIAL].parallel_read_safe = True
    outputs = Path(app.srcdir) / "_build" / "reads" / "outputs.json"
    app.bb_outputs = json.loads(outputs.read_text(encoding="utf8")) if outputs.is_file() else {}
    app.bb_package = ""


def _book(env: Any) -> dict[str, dict[str, Any]]:
    """What is kept of each page from one build to the next: text, state, whether it shows the package, whose values."""
    if not hasattr(env, "bb_pages"):
        env.bb_pages = {}
    return env.bb_pages  # type: ignore[no-any-return]


def _outdated(
    app: Any, env: Any, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    known = _book(env)
    complained = set(app.config.bb_complained)
    return [
        name
        for name in env.found_docs - added - changed
        if name in complained
        or name not in known
        or known[name].get("state") != _state(app, env, name)
    ]


def _remember_text(app: Any, name: str, content: list[str]) -> None:
    _book(app.env)[name] = {"text": _digest_of(Path(app.env.doc2path(name)))}


def _remember_uses(app: Any, doctree: Any) -> None:
    page = _book(app.env)[app.env.docname]
    page["package"] = bool(app.env.temp_data.get("bb_shows_package"))
    page["values"] = sorted({node.refdoc for node in doctree.findall(PendingGlueReference)})


def _purge(app: Any, env: Any, name: str) -> None:
    _book(env).pop(name, None)


def _merge(app: Any, env: Any, names: list[str], other: Any) -> None:
    _book(env).update({name: _book(other)[name] for name in names if name in _book(other)})


def _to_be_written(app: Any, env: Any) -> list[str]:
    """Called when all pages have been read: which of the others have to be written, too."""
    for name, page in _book(env).items():
        if "state" not in page:
            page["state"] = _state(app, env, name, page["text"])
    shared, before = _shared(app, env), getattr(env, "bb_shared", "")
    env.bb_shared = shared
    return [] if shared == before else sorted(env.found_docs)


def _state(app: Any, env: Any, name: str, text: str = "") -> str:
    page = _book(env)[name]
    parts = [text or _digest_of(Path(env.doc2path(name))), app.bb_outputs.get(name, "")]
    parts += [
        _digest_of(Path(app.srcdir) / file) for file in sorted(env.dependencies.get(name, ()))
    ]
    if page.get("package"):
        parts.append(_package(app))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _package(app: Any) -> str:
    """Digest of what our own directives show: docstrings, the cards, which data is at hand, which runs there are."""
    if not app.bb_package:
        from benchbook.bookmaking import inputs

        root = Path(app.srcdir)
        places = (
            root / "src" / "benchbook",
            root / "data" / "registry.toml",
            root / "book" / "runs" / "runs.toml",
        )
        files = [path for path in inputs.tree(*places) if path.suffix != ".pyc"]
        app.bb_package = inputs.digest(root, files, *inputs.at_hand())
    return str(app.bb_package)


def _shared(app: Any, env: Any) -> str:
    """Digest of all that a page may show of another."""
    values = {name for page in _book(env).values() for name in page.get("values", ())}
    folder, cited = Path(env.mystnb_config.output_folder), env.domaindata.get("cite", {})
    shared = {
        "titles": {name: title.pformat() for name, title in env.titles.items()},
        "sections": env.toc_secnumbers,
        "figures": env.toc_fignumbers,
        "labels": {name: data for name, data in env.domaindata.items() if name != "cite"},
        "cited": {
            (ref.docname, target.key)
            for ref in cited.get("citation_refs", ())
            for target in ref.targets
        },
        "citations": [
            (one.citation_id, one.key, one.formatted_entry.label)
            for one in cited.get("citations", ())
        ],
        "exercises": getattr(env, "sphinx_exercise_registry", {}),
        "values": {name: _digest_of(folder / f"{name}.glue.json") for name in values},
    }
    return hashlib.sha256(json.dumps(_plain(shared), sort_keys=True).encode()).hexdigest()


def _plain(data: Any) -> Any:
    """Nested data as JSON knows it, in an order that does not depend on who was read first."""
    if isinstance(data, dict):
        return {str(key): _plain(value) for key, value in data.items()}
    if isinstance(data, set | frozenset):
        return sorted(map(str, data))
    if isinstance(data, list | tuple):
        return [_plain(value) for value in data]
    return data.pformat() if hasattr(data, "pformat") else str(data)


def _digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_config_value("bb_complained", [], "")
    app.connect("builder-inited", _begin)
    app.connect("env-get-outdated", _outdated)
    app.connect("source-read", _remember_text)
    app.connect("doctree-read", _remember_uses)
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    app.connect(
        "env-get-updated", _to_be_written, priority=900
    )  # when sections and figures have got their numbers
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
