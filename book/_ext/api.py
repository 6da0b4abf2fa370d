"""The ``api`` directive: the public names of a room, from their docstrings.

Sphinx's own autodoc would make every type a cross-reference and every docstring reStructuredText; this reads them as
what they are, plain prose with headed lists. A page has the first paragraph, the parameters and the results;
``help()`` has all, the errors too.
"""

import dataclasses
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from benchbook_book.making import inputs

_HEADED = re.compile(
    r"^(Args|Arguments|Returns|Yields|Raises|Attributes|Example|Examples|Note|Notes|Source):$"
)
_ENTRY = re.compile(r"^(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*)(?: \([^)]*\))?: +(.*)$", re.DOTALL)
_INLINE = re.compile(
    r"(:\w+(?::\w+)?:`[^`]+`|``.+?``|`[^`]+`|\$[^$]+\$|(?<![\w*])\*[A-Za-z][^*]*\*(?![\w*]))"
)
_FORMULA = ".. math::"
_WIDTH = 88


class Api(SphinxDirective):
    """``{api} benchbook.losses``: what ``__all__`` of that module names, each with its signature and its docstring."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env.dependencies[self.env.docname].update(
            inputs.shown_by_directives(Path(self.env.srcdir))
        )
        module = importlib.import_module(self.arguments[0])
        room = self.arguments[0].rpartition(".")[2]
        # Not inspect.getdoc: it takes an example's indentation away when all lines but the first have one.
        found: list[nodes.Node] = list(_body((module.__doc__ or "").strip()))
        for name in sorted(
            module.__all__, key=lambda name: (_rank(getattr(module, name)), name.lower())
        ):
            found.append(self._section(module, room, name))
        return found

    def _section(self, module: Any, room: str, name: str) -> nodes.section:
        thing = getattr(module, name)
        # A class may have the name of a function but for its first letter, and identifiers have no case.
        kind = "class-" if inspect.isclass(thing) else ""
        section = nodes.section(ids=[nodes.make_id(f"{room}-{kind}{name}")])
        title = nodes.title("", "", nodes.literal(text=f"{room}.{name}"))
        section += title
        if inspect.isclass(thing):
            section += _signature(f"class {name}{_parameters(thing)}")
            section.extend(_body(essentials(inspect.getdoc(thing) or "")))
            section.extend(_members(thing, module))
        elif callable(thing):
            section += _signature(f"{name}{_parameters(thing)}")
            section.extend(_body(essentials(inspect.getdoc(thing) or "")))
        elif inspect.ismodule(thing):
            section.extend(_body(essentials(inspect.getdoc(thing) or "")))
        else:
            section += _signature(f"{name} = {_short(thing)}")
        self.state.document.note_explicit_target(section)
        return section


def _rank(thing: Any) -> int:
    """Functions first, then classes, then modules and constants."""
    return 1 if inspect.isclass(thing) else 0 if callable(thing) else 2


def _short(thing: Any) -> str:
    text = repr(thing)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}..."


def _parameters(thing: Any) -> str:
    """The signature, on one line when it fits, else a parameter a line."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    kept = [
        parameter for name, parameter in signature.parameters.items() if name not in ("self", "cls")
    ]
    after = signature.empty if inspect.isclass(thing) else signature.return_annotation
    signature = signature.replace(parameters=kept, return_annotation=after)
    line = _plain(str(signature))
    if len(line) <= _WIDTH or not kept:
        return line
    parts, last = [], None
    for parameter in kept:
        if parameter.kind is parameter.KEYWORD_ONLY and last not in (
            parameter.KEYWORD_ONLY,
            parameter.VAR_POSITIONAL,
        ):
            parts.append("*")
        parts.append(_plain(str(parameter)))
        last = parameter.kind
    after = "" if signature.return_annotation is signature.empty else line.rpartition(") ->")[2]
    return "(\n    " + ",\n    ".join(parts) + ",\n)" + (f" ->{after}" if after else "")


def _plain(signature: str) -> str:
    signature = re.sub(r"<(?:function|class) '?([\w.]+)'?[^>]*>", r"\1", signature)
    signature = re.sub(
        r"<dataclasses\._MISSING_TYPE[^>]*>", "MISSING", signature
    )  # its address is another each time
    signature = re.sub(r"<([A-Z]\w*\.\w+): [^>]*>", r"\1", signature).replace("<factory>", "...")
    signature = re.sub(r"ForwardRef\('([^']*)'(?:, [^)]*)?\)", r"\1", signature)
    signature = re.sub(r"(: |-> )(['\"])((?:(?!\2).)+)\2", r"\1\3", signature)
    return (
        re.sub(r"\bbenchbook\w*\.", "", signature)
        .replace("NDArray[np.", "Array[")
        .replace("collections.abc.", "")
    )


def _signature(text: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language="python", classes=["bb-signature"])


def _members(thing: type, module: Any) -> list[nodes.Node]:
    """The public methods and properties of a class, a line each; those of bases that are not public themselves, too."""
    listed = nodes.definition_list(classes=["bb-members"])
    fields = (
        {field.name for field in dataclasses.fields(thing)}
        if dataclasses.is_dataclass(thing)
        else set()
    )
    others = [getattr(module, name) for name in module.__all__ if name != thing.__name__]
    members: dict[str, Any] = {}
    for base in reversed(thing.__mro__):
        if base.__module__.startswith("benchbook") and not any(base is each for each in others):
            members |= vars(base)
    for name, member in members.items():
        if name.startswith("_") or name in fields:
            continue
        inner = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        described = callable(inner) or isinstance(inner, property) or hasattr(inner, "func")
        about = inspect.getdoc(inner) if described else None
        if about is None:
            continue
        shown = re.sub(r"\s+", " ", f"{name}{_parameters(inner)}" if callable(inner) else name)
        item = nodes.definition_list_item()
        item += nodes.term("", "", nodes.literal(text=shown.replace("( ", "(").replace(", )", ")")))
        item += nodes.definition("", *_body(about.split("\n\n")[0]))
        listed += item
    return [listed] if len(listed) else []


def essentials(docstring: str) -> str:
    """A docstring's first paragraph, with the formula or list that it announces, and its lists but the errors."""
    blocks = [block for block in re.split(r"\n[ \t]*\n", docstring) if block.strip()]
    kept: list[str] = []
    retain = True
    for number, block in enumerate(blocks):
        first = block.strip("\n").split("\n")[0]
        if number == 0:
            retain = True
        elif match := _HEADED.match(first.strip()):
            retain = match[1] != "Raises"
        elif not block.startswith(" "):
            retain = number == 1 and blocks[0].rstrip().endswith(":")
        if retain:
            kept.append(block)
    return "\n\n".join(kept)


def _body(docstring: str) -> Iterator[nodes.Node]:
    """The nodes of a docstring: paragraphs, indented formulas, bullet lists, and headed lists of names."""
    blocks = [block for block in re.split(r"\n[ \t]*\n", docstring) if block.strip()]
    place = 0
    while place < len(blocks):
        lines = blocks[place].strip("\n").split("\n")
        if match := _HEADED.match(lines[0].strip()):
            rest = "\n".join(lines[1:])
            while not rest.strip() or (
                place + 1 < len(blocks) and blocks[place + 1].startswith(" ")
            ):
                place += 1
                if place >= len(blocks):
                    break
                rest = f"{rest}\n\n{blocks[place]}" if rest.strip() else blocks[place]
            yield from _headed(match[1], textwrap.dedent(rest))
        elif lines[0].lstrip().startswith(_FORMULA):
            text = "\n".join(lines).strip().removeprefix(_FORMULA).strip()
            yield nodes.math_block(text, text, nowrap=False, number=None, label=None)
        elif lines[0].startswith((" ", "\t")):
            text = textwrap.dedent("\n".join(lines))
            yield nodes.literal_block(text, text, language="text")
        elif lines[0].lstrip().startswith(("* ", "- ")):
            yield _bullets(lines)
        else:
            yield from _lead_in(lines)
        place += 1


def _lead_in(lines: list[str]) -> Iterator[nodes.Node]:
    """A paragraph; indented lines that follow it without a gap are a block of their own."""
    turn = next(
        (place for place, line in enumerate(lines) if line.startswith((" ", "* ", "- ")) and place),
        len(lines),
    )
    yield _paragraph(" ".join(line.strip() for line in lines[:turn]))
    if turn == len(lines):
        return
    if lines[turn].startswith(" "):
        text = textwrap.dedent("\n".join(lines[turn:]))
        yield nodes.literal_block(text, text, language="text")
    else:
        yield _bullets(lines[turn:])


def _bullets(lines: list[str]) -> nodes.bullet_list:
    text = "\n".join(line.removeprefix(" ") if line.startswith(" *") else line for line in lines)
    items = [
        " ".join(item.split())
        for item in re.split(r"^[*-] ", text, flags=re.MULTILINE)
        if item.strip()
    ]
    return nodes.bullet_list("", *(nodes.list_item("", _paragraph(item)) for item in items))


def _headed(heading: str, text: str) -> Iterator[nodes.Node]:
    """``Args:`` and its like: a definition list when its lines are "name: text", otherwise a block."""
    yield nodes.paragraph("", "", nodes.strong(text=heading.replace("Args", "Parameters")))
    if heading.startswith("Example"):
        yield nodes.literal_block(text, text, language="python")
        return
    entries = re.split(r"\n(?=\S)", text)
    if not all(_ENTRY.match(entry) for entry in entries):
        yield from _body(text)
        return
    listed = nodes.definition_list(classes=["bb-members"])
    for entry in entries:
        name, about = _ENTRY.match(entry).groups()  # type: ignore[union-attr]
        item = nodes.definition_list_item("", nodes.term("", "", nodes.literal(text=name)))
        item += nodes.definition("", _paragraph(" ".join(about.split())))
        listed += item
    yield listed


def _paragraph(text: str) -> nodes.paragraph:
    found = nodes.paragraph()
    for part in _INLINE.split(text):
        if part.startswith("$") and part.endswith("$") and len(part) > 2:
            found += nodes.math(text=part.strip("$"))
        elif part.startswith(":math:`"):
            found += nodes.math(text=part.split("`")[1])
        elif part.startswith("*") and part.endswith("*") and len(part) > 2:
            found += nodes.emphasis(text=part.strip("*"))
        elif part.startswith(":") and part.endswith("`"):
            found += nodes.literal(text=part.split("`")[1].lstrip("~").rpartition(".")[2])
        elif part.startswith("`") and part.endswith("`"):
            found += nodes.literal(text=part.strip("`"))
        elif part:
            found += nodes.Text(part)
    return found
