"""What a user wants of a table."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchbook.datasets.user.guess import Wishes


@dataclass(frozen=True)
class TableRequest:
    """What the user wants of a table; what is left out is guessed.

    Attributes:
        target: the column to predict; of a .dt file its outputs.
        name: of the dataset; the file's when left out.
        kind: "real" or "class".
        drop: columns that are no inputs.
        group: the column that says which cases belong together, such as the person who was measured.
        time: the column that says when a case was measured.
        wishes: what the columns are.
    """

    target: str = ""
    name: str = ""
    kind: str = ""
    drop: tuple[str, ...] = ()
    group: str = ""
    time: str = ""
    wishes: Wishes = field(default_factory=Wishes)
