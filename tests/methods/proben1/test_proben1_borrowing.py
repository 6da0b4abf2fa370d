"""Arrays lent to compiled loops."""

import numpy as np
import pytest
from numba import njit

from benchbook.kernels.rprop import borrow


@njit
def scale(array):
    lent = borrow(array)
    part = lent[1:3]
    part *= 2
    return lent.shape


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_a_borrowed_array_is_the_same_memory(dtype):
    array = np.ones((4, 3), dtype)
    assert scale(array) == (4, 3)
    np.testing.assert_array_equal(array[:, 0], [1, 2, 2, 1])
