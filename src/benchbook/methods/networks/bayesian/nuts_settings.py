"""The settings of NUTS, without the libraries that it needs."""

from __future__ import annotations

from dataclasses import dataclass

from benchbook.methods.settings import setting


@dataclass(frozen=True)
class NutsSettings:
    """What NUTS does.

    A chain begins with z standard normal, and logarithms of precisions normal about that of ``start_sd``.
    """

    chains: int = setting(2, "chains, enough to compare one with another", least=1)
    warmup: int = setting(500, "states that tune steps and masses, and are thrown away", least=1)
    kept: int = setting(500, "states kept of each chain", least=4)
    acceptance: float = setting(0.9, "what the tuning aims at", above=0, below=1)
    depth: int = setting(
        10, "a trajectory has at most 2 to this power steps, less one", least=1, most=20
    )
    start_sd: float = setting(0.5, "standard deviations to begin with", above=0)
