"""What is known of a method without importing a user's file here: scores are made in this process."""

from __future__ import annotations

import hashlib
import inspect
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from benchbook.apart import returned
from benchbook.errors import BenchbookError
from benchbook.methods import settings
from benchbook.methods.base import Method, refuse_faulty, settings_text
from benchbook.methods.conformance import CheckResult, check
from benchbook.methods.described import CodePlace, Description, describe
from benchbook.methods.programs import is_command, spec_parts
from benchbook.methods.registry import from_outside, get, loaded, refuse_taken, source_of
from benchbook.tasks.recoding import encoding_text
from benchbook.version import __version__

PATIENCE = 120.0
"""Seconds that the import of a user's file may take."""
_known: dict[tuple[str, str, object], Description] = {}


def declared(spec: str) -> Method | Description:
    """What a method says of itself: the method, or, of one of a user's file or module, its description.

    The file is imported in a process of its own, which sends back texts and numbers, and once only while it does not
    change. Who is at home, in a notebook, has the method itself by ``get``.

    Args:
        spec: as ``get`` takes it.

    Raises:
        BenchbookError: as ``get``; or the import took too long, or ended the process.
    """
    path = source_of(spec)
    if path is None:
        return get(spec)
    file = os.path.abspath(os.path.expanduser(path))
    key = (file + spec.removeprefix(path), os.getcwd(), _state(path))
    if key not in _known:
        text = returned(f"importing {spec}", _declaration, spec, seconds=PATIENCE)
        try:
            made = _description(text, file if path.endswith(".py") else "")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BenchbookError(
                f"importing {spec} failed: what the process sent is no answer"
            ) from error
        refuse_faulty(made)
        refuse_taken(made, spec)
        _known[key] = made
    return _known[key]


def identity(spec: str) -> str:
    """Which text of a method is meant, so that an edited method is run again.

    A registered method is known by the version of the package and a digest of the file that defines it; a method
    from a user's file or module by a digest of that file; a program by its command line and encoding. Files that
    those import are not looked at. A variant is known by its method and its settings. The identity is empty, and
    equals no other, when the source is not to be had (typed into a notebook).

    Raises:
        BenchbookError: as ``declared``.
    """
    if is_command(spec):
        options, command = spec_parts(spec)
        encoding = f" encoding={options['encoding']}" if "encoding" in options else ""
        return f"command {_digest(f'command:{command}{encoding}'.encode())}"
    method = declared(spec)
    origin = getattr(method, "origin", None)
    file = source_file(origin or method)
    try:
        text = "" if file is None else f"{file.name} {_digest(file.read_bytes())}"
    except OSError:
        text = ""
    if not text:
        return ""
    if not isinstance(method, Description):
        text = f"benchbook {__version__} {text}"
    return text if origin is None else f"{text} {_digest(settings_text(method).encode())}"


def source_file(method: Method | Description) -> Path | None:
    """The file that a method is from; None when it is from none."""
    file = (
        method.file
        if isinstance(method, Description)
        else getattr(_defining_module(method), "__file__", None)
    )
    return Path(file) if file else None


def _defining_module(method: Method) -> ModuleType | None:
    """The module of the methods room that holds this very object, else the one its function or class is from."""
    for name, module in list(sys.modules.items()):
        if name.startswith("benchbook.methods.") and any(
            thing is method for thing in vars(module).values()
        ):
            return module
    return inspect.getmodule(getattr(method, "procedure", type(method)))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def checked(spec: str) -> list[CheckResult]:
    """The conformance suite on a method, in a process of its own when it is of a user's file; see ``check``."""
    if not from_outside(spec):
        return check(get(spec))
    declared(spec)  # what hangs when it is imported is told, and not waited for
    return [
        CheckResult(str(name), bool(passed), str(message))
        for name, passed, message in returned(f"checking {spec}", _findings, spec)
    ]


def _state(place: str) -> object:
    """What changes when a file does; None where there is none."""
    try:
        result = os.stat(os.path.expanduser(place))
    except (OSError, ValueError):
        return None
    return result.st_mtime_ns, result.st_size


def _description(said: Mapping[str, Any], file: str) -> Description:
    """A description as it came from another process, of a method from ``file`` where this process knows it; what is no
    description raises some error."""
    return Description(
        str(said["name"]),
        frozenset(map(str, said["kinds"])),
        str(said["description"]),
        str(said["source"]),
        str(said["text"]),
        tuple(
            settings.Setting(
                str(item["name"]),
                _tuples(item["value"]),
                str(item["allowed"]),
                str(item["meaning"]),
            )
            for item in said["settings"]
        ),
        tuple(
            CodePlace(str(item["name"]), str(item["file"]), int(item["line"]))
            for item in said["calls"]
        ),
        None if said["origin"] is None else _description(said["origin"], file),
        file or str(said["file"]),
        encoding_text(str(said["encoding"])),
    )


def _tuples(value: object) -> Any:
    """Lists, which JSON makes of them, as the tuples that settings have."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


# -- in the process of the file ---------------------------------------------------------------------------------------


def _declaration(spec: str) -> dict[str, Any]:
    result = describe(loaded(spec))
    return _plain(result, getattr(sys.modules.get(source_of(spec) or ""), "__file__", None) or "")


def _plain(found: Description, file: str) -> dict[str, Any]:
    values = settings.plain(found.settings)
    return vars(found) | {
        "kinds": sorted(found.kinds),
        "calls": [vars(item) for item in found.calls],
        "settings": [vars(setting) | {"value": values[setting.name]} for setting in found.settings],
        "origin": found.origin and _plain(found.origin, file),
        "file": file,
    }


def _findings(spec: str) -> list[tuple[str, bool, str]]:
    return [(item.name, item.passed, item.message) for item in check(loaded(spec))]
