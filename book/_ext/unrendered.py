"""A role that was not understood is a fault of its page: nobody wants to read ``{glue:text}`` in a sentence.

Where a role stands inside backquotes, or where a cell writes one into a sentence of its own, Markdown shows it as it
is, and does not complain. So every page is searched when it has been resolved, with what its cells have put out.
"""

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.util import logging

ROLE = re.compile(r"\{(?:glue(?::\w+)?|term|doc|ref|numref|eq|math|cite(?::\w+)?|download|abbr)\}")
_SHOWN_AS_WRITTEN = (nodes.literal_block, nodes.math, nodes.math_block, nodes.comment)
_QUOTING = "book/reference/api/"  # what docstrings tell of roles stands in backquotes there, and means to be read
_CODE = re.compile(r"<(script|style|pre|code)\b.*?</\1>", re.DOTALL)


def left(doctree: nodes.document) -> Iterator[tuple[nodes.Node, str]]:
    """Every role that a page shows as it was written, with the node that shows it."""
    for text in doctree.findall(nodes.Text):
        parent = text.parent
        if isinstance(parent, nodes.raw):
            shown = _CODE.sub("", str(text)) if "html" in parent.get("format", "").split() else ""
        else:
            shown = "" if isinstance(parent, _SHOWN_AS_WRITTEN) else str(text)
        for role in ROLE.findall(shown):
            yield parent, role


def _complain(app: Any, doctree: nodes.document, docname: str) -> None:
    if docname.startswith(_QUOTING):
        return
    for node, role in left(doctree):
        while node.line is None and node.parent is not None:
            node = node.parent
        place = (docname, node.line) if node.line else docname
        logging.getLogger(__name__).warning(
            "the page shows %s as it was written: write a role outside of backquotes and of text that a cell makes",
            role,
            location=place,
            type="benchbook",
            subtype="role",
        )


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("doctree-resolved", _complain)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
