"""As ``mlp_gradient.py``, with few cases and inputs: tanh, and what libraries do besides arithmetic, weigh more."""

from __future__ import annotations

from collections.abc import Callable

import mlp_gradient

NAME = "gradient of a tanh network, 128 cases x 8 inputs x 25 hidden units, float64"
PEERS = mlp_gradient.PEERS
GOALS = {"torch": 20.0, "scikit-learn": 14.0, "BlackJAX": 3.2, "limit": 0.75}
SMALLEST = mlp_gradient.SMALLEST

check = mlp_gradient.check


def build(cases: int = 128, width: int = 8, hidden: int = 25) -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each call makes all passes and returns the error per case after the last."""
    return mlp_gradient.build(cases, width, hidden)
