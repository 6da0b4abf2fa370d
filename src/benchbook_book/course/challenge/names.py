"""Names of files in a submission: which are refused, which are only dust, and which are the same to some machine."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_DUST = {".ds_store", "thumbs.db", "desktop.ini"}
_DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)),
}
_PACKED = (
    ".zip",
    ".gz",
    ".tgz",
    ".tar",
    ".bz2",
    ".xz",
    ".7z",
    ".rar",
    ".zst",
    ".lz4",
    ".br",
    ".jar",
    ".whl",
    ".z",
)
_MAGIC = (
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ\x00",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!",
    b"\x28\xb5\x2f\xfd",
    b"\x04\x22\x4d\x18",
)


def broken_rule(name: str, depth: int) -> str | None:
    """The rule that a name breaks; None for one that is harmless on every system.

    Args:
        name: with "/" between folders.
        depth: how many folders deep a file may lie.
    """
    parts = name.replace("\\", "/").split("/")
    if not name or len(name) > 255 or not name.isprintable():
        return "must be a name of 1 to 255 printable characters"
    if name.startswith(("/", "\\")) or ":" in name:
        return "must be a path inside the submission, not an absolute one, without a colon"
    if "\\" in name:
        return "must have / between folders, not a backslash"
    if ".." in parts:
        return "must not climb out of the submission with .."
    if "" in parts or "." in parts:
        return "must not have empty parts or parts that are a single dot"
    if len(parts) > depth:
        return f"must not lie more than {depth - 1} folders deep"
    if any(
        part.partition(".")[0].strip().lower() in _DEVICES or part[-1] in " ." for part in parts
    ):
        return "must not be the name of a device, and must not end with a blank or a dot"
    return None


def dust(name: str) -> bool:
    """Whether it is a file that a desktop leaves behind, of no meaning."""
    parts = name.lower().split("/")
    return parts[0] == "__macosx" or parts[-1] in _DUST or parts[-1].startswith("._")


def packed(name: str) -> bool:
    """Whether a name is that of an archive or a compressed file."""
    return name.lower().endswith(_PACKED)


def looks_packed(start: bytes) -> bool:
    """Whether the first bytes of a file are those of an archive or a compressed file."""
    return start.startswith(_MAGIC)


def same(name: str) -> str:
    """What names have in common that some file system takes for the same."""
    return unicodedata.normalize("NFC", name).casefold()


def root(names: Iterable[str], wanted: str) -> str:
    """The one folder in which all lies, with its slash, when the file wanted is there and not at the top; else ""."""
    names = list(names)
    tops = {name.partition("/")[0] for name in names}
    if wanted in names or len(tops) != 1:
        return ""
    folder = f"{tops.pop()}/"
    return folder if f"{folder}{wanted}" in names else ""
