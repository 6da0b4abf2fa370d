"""What a session and a notebook show of a task and of its instances: a few lines of facts."""

from __future__ import annotations

from html import escape


class Shown:
    """Something with a name and facts, shown as lines in a session and as a table in a notebook."""

    @property
    def name(self) -> str:
        """What it is called."""
        raise NotImplementedError

    def _facts(self) -> list[tuple[str, str]]:
        """What a reader wants to know of it first."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n  ".join(
            [
                f"{type(self).__name__} {self.name}",
                *(f"{key}: {value}" for key, value in self._facts()),
            ]
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(key)}</th><td>{escape(value)}</td></tr>"
            for key, value in self._facts()
        )
        return f"<table><caption>{escape(self.name)}</caption>{rows}</table>"
