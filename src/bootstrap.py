"""From a clean clone to the book: ``python3 src/bootstrap.py book``.

Only the standard library is needed. This file is written so that any Python from 2.7 on can read it: an old one must
live long enough to say what is wrong. The work itself is done in the package ``checkout`` beside this file.
"""

from __future__ import print_function

import os
import sys

OLDEST = (3, 11)
PROVED = ("python3.13", "python3.12", "python3.11")


def newer_pythons(path):
    """The names of Pythons on the search path ``path`` that are known to do, newest first."""
    folders = path.split(os.pathsep)
    return [
        name
        for name in PROVED
        if any(os.access(os.path.join(folder, name), os.X_OK) for folder in folders)
    ]


def complaint(version, found, command="book"):
    """What to tell the user of Python ``version`` when it is too old, else nothing.

    ``found`` are the names of newer Pythons on this machine, ``command`` is what the user asked for.
    """
    if tuple(version[:2]) >= OLDEST:
        return ""
    oldest = "%d.%d" % OLDEST
    this = "%d.%d.%d" % tuple(version[:3])
    lines = [
        "benchbook needs Python %s or newer; this is Python %s (%s)."
        % (oldest, this, sys.executable)
    ]
    if found:
        name = found[0]
        lines.append("A newer one is on this machine. Use it:")
    else:
        name = "python" + oldest
        lines.append(
            "Install one, from your system's packages or from https://www.python.org/downloads/, then:"
        )
    lines += [
        "    make %s PYTHON=%s" % (command, name),
        "or, without make:",
        "    %s src/bootstrap.py %s" % (name, command),
    ]
    return "\n".join(lines)


def main():
    """Check the Python, then hand over."""
    wrong = complaint(sys.version_info, newer_pythons(os.environ.get("PATH", "")), *sys.argv[1:2])
    if wrong:
        sys.exit(wrong)
    from checkout.commands import main as run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
