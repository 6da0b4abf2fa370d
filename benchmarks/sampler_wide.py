"""As ``sampler.py``, with 32 inputs: a part's sums over 16 cases weigh more."""

from __future__ import annotations

from collections.abc import Callable

import sampler

NAME = "chain of mlp-mc-3, 64 cases x 32 inputs x 15 hidden units"
UNIT = sampler.UNIT
GOALS = {"seconds": 120e-9 * 64 * sampler.PASSES}
SMALLEST = sampler.SMALLEST

check = sampler.check


def build(
    cases: int = 64, width: int = 32, passes: int = sampler.PASSES
) -> dict[str, Callable[[], object]]:
    """The contenders, ours first."""
    return sampler.build(cases, width, passes)
