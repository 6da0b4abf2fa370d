"""On a page without a number figures and exercises count from 1; Sphinx counts them through all such pages.

The chapters of the core track are numbered. While Sphinx numbers figures, any other page is taken as if its name were
its number.
"""

from typing import Any


def _lend(app: Any, env: Any) -> list[str]:
    parsed = env.get_doctree

    def numbered(name: str) -> Any:
        if name != env.config.root_doc:  # it is asked for when sections are numbered, too
            env.toc_secnumbers.setdefault(name, {"": (name,)})
        return parsed(name)

    env.get_doctree = numbered
    for (
        name,
        kinds,
    ) in env.toc_fignumbers.items():  # as Sphinx will number them, to see what changed
        for numbers in kinds.values():
            numbers.update({label: (name, *own) for label, own in numbers.items() if len(own) == 1})
    return []


def _take_back(app: Any, env: Any) -> list[str]:
    del env.get_doctree
    for name, numbers in list(env.toc_secnumbers.items()):
        if numbers == {"": (name,)}:
            del env.toc_secnumbers[name]
    for name, kinds in env.toc_fignumbers.items():
        for numbers in kinds.values():
            numbers.update({label: own[1:] for label, own in numbers.items() if own[0] == name})
    return []


def setup(app: Any) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("env-get-updated", _lend, priority=499)  # Sphinx numbers at 500
    app.connect("env-get-updated", _take_back, priority=501)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
