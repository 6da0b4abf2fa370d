"""Progress on anything that may take over two seconds; silent when nobody is watching."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from tqdm import tqdm

T = TypeVar("T")


def bar(
    items: Iterable[T] | None = None,
    *,
    total: int | None = None,
    label: str = "",
    unit: str = "it",
    shown: bool | None = None,
    delay: float = 2,
) -> tqdm[T]:
    """A tqdm bar on standard error that appears after some seconds.

    Args:
        items: what to iterate over; leave it out to call ``update`` by hand inside a ``with`` block.
        total: how many steps there are, when ``items`` cannot say.
        label: what the bar counts, in a word or two.
        unit: the name of one step.
        shown: whether there is one; None: on a terminal. delay: seconds before it appears.
    """
    from tqdm import tqdm

    return tqdm(
        items,
        total=total,
        desc=label,
        unit=unit,
        delay=delay,
        leave=False,
        file=sys.stderr,
        disable=not (sys.stderr.isatty() if shown is None else shown),
        dynamic_ncols=True,
    )
