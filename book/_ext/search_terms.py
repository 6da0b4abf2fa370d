"""The line of search terms below a title: grey on the page, and an entry of the index for each term.

A chapter has a title of its own and, in a line of italics below it, the words by which others know its subject. The
search puts entries of the index before words in the text, so whoever looks for one of them finds the chapter.
"""

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


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx, whose domain of the index looks at a page after this."""
    app.connect("doctree-read", _mark, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
