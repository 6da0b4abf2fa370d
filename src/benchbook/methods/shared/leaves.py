"""The fewest cases of a tree's leaf: one rule for all trees of the book."""

from __future__ import annotations

SHARE, FLOOR = 10, 5


def fewest_cases(leaf: int, cases: int) -> int:
    r"""The library's own number, but at most a tenth of the cases, or five where that is more.

    .. math:: \min\{\ell, \max(5, \lfloor N/10 \rfloor)\}

    Leaves of 20 make a constant of 32 cases: no split leaves 20 on both sides. The rule is ours.

    Args:
        leaf: l, the number that is the library's default or was asked for. cases: N, those the trees are grown on.
    """
    return min(leaf, max(FLOOR, cases // SHARE))
