"""The sums of ``vector_products`` as plain loops, for releases of numba that cannot be given vector instructions.

The functions take and return the same; each says here only what it computes. Arrays lie by rows without gaps.
"""

from numba import njit

FUSED = False


@njit(cache=True, error_model="numpy")
def multiply_add(a, b, c):
    """a b + c."""
    return a * b + c


@njit(cache=True, error_model="numpy")
def add_product(a, a_at, b, b_at, b_step, c, c_at, c_step, m, k, n, first, first_at, fresh):
    """C <- C + A B, or S + A B where ``fresh``."""
    left, right, out, start = a.ravel(), b.ravel(), c.ravel(), first.ravel()  # views, not copies
    for i in range(m):
        row = c_at + i * c_step
        if fresh != 0:
            for j in range(n):
                out[row + j] = start[first_at + i]
        for p in range(k):
            factor, line = left[a_at + i * k + p], b_at + p * b_step
            for j in range(n):
                out[row + j] += factor * right[line + j]


@njit(cache=True, error_model="numpy")
def inner(a, a_at, b, b_at, length):
    """sum_i a_i b_i."""
    left, right, total = a.ravel(), b.ravel(), 0.0
    for i in range(length):
        total += left[a_at + i] * right[b_at + i]
    return total


@njit(cache=True, error_model="numpy")
def back_through_tanh(values, at, residuals, residuals_at, weight, length):
    """delta_c = r_c v (1 - y_c^2) in the place of y_c; returns sum_c delta_c and sum_c r_c y_c."""
    places, errors, deltas, products = values.ravel(), residuals.ravel(), 0.0, 0.0
    for c in range(length):
        value, error = places[at + c], errors[residuals_at + c]
        delta = error * weight * (1.0 - value * value)
        places[at + c] = delta
        deltas += delta
        products += error * value
    return deltas, products
