"""Arrays that nobody can write to, however hard they try."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The array over memory that cannot be made writeable again; one that is such already is returned as it is.

    A flag alone can be set back by whoever reaches the array that owns the memory; here bytes own it.
    """
    if not array.size:  # nothing to write to
        return array
    owner: Any = array
    while isinstance(owner, np.ndarray) and not owner.flags.writeable:
        owner = owner.base
    if isinstance(owner, bytes) and array.flags.c_contiguous:
        return array
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)
