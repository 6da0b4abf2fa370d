"""Number sections and figures from outlines of the pages, which takes a tenth of the time.

At every build Sphinx unpickles the parsed text of every page and asks each of its nodes whether it has a number. So an
outline is kept of each page when it is read: sections, tables of contents and what may have a number. While Sphinx
numbers, it is handed the outlines.

The chapters of the core track are numbered. On a page without a number, figures and exercises count from 1; Sphinx
would count them through all such pages. So such a page is handed out as if its name were its number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes


def _outlines(env: Any) -> dict[str, nodes.Element]:
    if not hasattr(env, "bb_outlines"):
        env.bb_outlines = {}
    return env.bb_outlines  # type: ignore[no-any-return]


def _outline(app: Any, node: nodes.Element) -> Iterator[nodes.Node]:
    """What is below a node and counts, in its order: sections in sections, figures with their captions."""
    for child in filter(lambda child: isinstance(child, nodes.Element), node.children):
        if isinstance(child, nodes.section):
            kept = nodes.section(ids=list(child["ids"]))
            kept.extend(_outline(app, child))
            yield kept
        elif isinstance(child, addnodes.toctree):
            yield child.deepcopy()
        elif any(domain.get_enumerable_node_type(child) for domain in app.env.domains.values()):
            kept = child.copy()
            kept.extend(
                text.deepcopy() for text in child.children if isinstance(text, nodes.TextElement)
            )
            kept.extend(_outline(app, child))
            yield kept
        else:
            yield from _outline(app, child)


def _remember(app: Any, doctree: Any) -> None:
    outline = nodes.container()
    outline.extend(_outline(app, doctree))
    for node in outline.findall():
        node.document = None  # or the whole page would be kept with it
    _outlines(app.env)[app.env.docname] = outline


def _purge(app: Any, env: Any, name: str) -> None:
    _outlines(env).pop(name, None)


def _merge(app: Any, env: Any, names: list[str], other: Any) -> None:
    _outlines(env).update(
        {name: _outlines(other)[name] for name in names if name in _outlines(other)}
    )


def _lend(app: Any, env: Any) -> list[str]:
    def outline(name: str) -> nodes.Element:
        if name != env.config.root_doc:  # it is asked for when sections are numbered, too
            env.toc_secnumbers.setdefault(name, {"": (name,)})
        return _outlines(env)[name]

    env.get_doctree = outline
    for (
        name,
        kinds,
    ) in env.toc_fignumbers.items():  # as Sphinx will number them, to see what changed
        for numbers in kinds.values():
            numbers.update({one: (name, *own) for one, own in numbers.items() if len(own) == 1})
    return []


def _take_back(app: Any, env: Any) -> list[str]:
    del env.get_doctree
    for name, numbers in list(env.toc_secnumbers.items()):
        if numbers == {"": (name,)}:
            del env.toc_secnumbers[name]
    for name, kinds in env.toc_fignumbers.items():
        for numbers in kinds.values():
            numbers.update({one: own[1:] for one, own in numbers.items() if own[0] == name})
    return []


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect(
        "doctree-read", _remember, priority=990
    )  # after those that add tables of contents and exercises
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    app.connect("env-get-updated", _lend, priority=499)  # Sphinx numbers at 500
    app.connect("env-get-updated", _take_back, priority=501)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
