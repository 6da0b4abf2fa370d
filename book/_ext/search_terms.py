"""The line of search terms below a title: grey on the page, and an entry of the index for each term.

A chapter has a title of its own and, in a line of italics below it, the words by which others know its subject. The
search puts entries of the index before words in the text, so whoever looks for one of them finds the chapter.
"""

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes

CLASS = "bb-terms"


def line_of_terms(doctree: nodes.document) -> nodes.paragraph | None:
    """The paragraph in italics that comes next after the title of a page, where there is one."""
    top = next(iter(doctree.findall(nodes.section)), None)
    if top is None or len(top.children) < 2 or not isinstance(top[1], nodes.paragraph):
        return None
    line = top[1]
    return line if len(line) == 1 and isinstance(line[0], nodes.emphasis) else None


def _mark(app: Any, doctree: nodes.document) -> None:
    line = line_of_terms(doctree)
    if line is None:
        return
    line["classes"].append(CLASS)
    target = f"terms-{nodes.make_id(app.env.docname)}"
    line["ids"].append(target)
    terms = [term.strip() for term in line.astext().split(",")]
    entries = [("single", term, target, "main", None) for term in terms]
    line.parent.insert(1, addnodes.index(entries=entries))


def _kept(app: Any) -> list[Any]:
    """Give the search the entries of pages that are not written again: Sphinx keeps their words and forgets these."""
    before = Path(app.outdir, "searchindex.js")
    indexer = getattr(app.builder, "indexer", None)
    if indexer is not None and before.is_file():
        index = json.loads(before.read_text(encoding="utf8").partition("(")[2].rpartition(")")[0])
        known, kept = indexer._index_entries, {}
        for word, places in index["indexentries"].items():
            for number, target, main in places:
                kept.setdefault(index["docnames"][number], []).append(
                    (word, target, "main" if main else "")
                )
        for page in (kept.keys() & indexer._titles.keys()) - known.keys():
            known[page] = kept[page]
    return []


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx, whose domain of the index looks at a page after this."""
    app.connect("doctree-read", _mark, priority=900)
    app.connect(
        "html-collect-pages", _kept
    )  # all pages are written by then, and the index of words is not
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
