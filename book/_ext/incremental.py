"""Write all pages again when anything has changed that pages show of each other: titles, numbers, labels, references.

Sphinx writes the pages that it has read again, and those whose table of contents or own numbers have changed.
"""

import hashlib
import json
from typing import Any

_SERIAL = "sphinx_multitoc_numbering"


def _begin(app: Any) -> None:
    # It works on the merged environment only, and does not say so.
    if _SERIAL in app.extensions:
        app.extensions[_SERIAL].parallel_read_safe = True


def _to_be_written(app: Any, env: Any) -> list[str]:
    """Called when all pages have been read: which of the others have to be written, too."""
    shared, before = _shared(env), getattr(env, "bb_shared", "")
    env.bb_shared = shared
    return [] if shared == before else sorted(env.found_docs)


def _shared(env: Any) -> str:
    """Digest of all that a page may show of another."""
    cited = env.domaindata.get("cite", {})
    shared = {
        "titles": {name: title.pformat() for name, title in env.titles.items()},
        "sections": env.toc_secnumbers,
        "figures": env.toc_fignumbers,
        "labels": {name: data for name, data in env.domaindata.items() if name != "cite"},
        "citations": [
            (one.citation_id, one.key, one.formatted_entry.label)
            for one in cited.get("citations", ())
        ],
        "exercises": getattr(env, "sphinx_exercise_registry", {}),
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


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("builder-inited", _begin)
    app.connect(
        "env-get-updated", _to_be_written, priority=900
    )  # when sections and figures have got their numbers
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
