"""Random generators derived from names, so that a run is the same alone or in a crowd."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, *names: str | int) -> np.random.Generator:
    """A generator that depends on the study's seed and on the names given, and on nothing else.

    Args:
        seed: the study's seed, a non-negative integer.
        names: what the stream is for, for example the task, the instance number and the method.
    """
    text = "\x1f".join(str(name) for name in names)
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence([seed, *(int(word) for word in words)]))
