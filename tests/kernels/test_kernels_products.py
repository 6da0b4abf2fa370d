"""The sums written as vector instructions against plain ones, on every remainder, and that they touch nothing else."""

import itertools
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from llvmlite import binding
from numba import njit

from benchbook.kernels import products


@njit
def multiply(a, b, b_at, b_step, c, c_at, c_step, sizes, first, fresh):
    m, k, n = sizes
    products.add_product(a, 0, b, b_at, b_step, c, c_at, c_step, m, k, n, first, 1, fresh)


@njit
def inner(a, b, at, length):
    return products.inner(a, at, b, at, length)


@njit
def back(values, residuals, at, weight, length):
    return products.back_through_tanh(values, at, residuals, at, weight, length)


@njit
def multiply_add(a, b, c):
    return products.multiply_add(a, b, c)


def one_product(rng, m, k, n, fresh):
    """A product inside of larger arrays of NaN: nothing around B may count, nothing around C may change."""
    a, b, first = rng.normal(size=(m, k)), rng.normal(size=(k, n)), rng.normal(size=m + 1)
    right, out = np.full((k + 1, n + 5), np.nan), np.full((m + 2, n + 3), np.nan)
    right[:k, 2 : n + 2] = b
    start = np.broadcast_to(first[1:, None], (m, n)) if fresh else rng.normal(size=(m, n))
    out[1 : m + 1, 1 : n + 1] = np.nan if fresh else start
    multiply(a, right, 2, n + 5, out, n + 4, n + 3, (m, k, n), first, fresh)
    assert np.isnan(out).sum() == out.size - m * n
    result = out[1 : m + 1, 1 : n + 1]
    np.testing.assert_allclose(result, start + a @ b, rtol=1e-12, atol=1e-13)
    return a, b, start, result


@pytest.mark.parametrize("fresh", [0, 1])
def test_product_of_every_remainder_is_the_plain_one(rng, fresh):
    for m, n in itertools.product(range(1, 13), range(1, 50)):
        one_product(rng, m, 1 + (m + n) % 4, n, fresh)


@pytest.mark.parametrize(
    "sizes", [(1, 1000, 1), (25, 32, 64), (25, 64, 33), (16, 129, 7), (200, 5, 200)]
)
def test_larger_products_are_the_plain_ones(rng, sizes):
    one_product(rng, *sizes, 0)


def test_every_number_is_summed_one_term_after_the_other(rng):
    """So that it is the same however many lanes there are: a fused multiply-add for each term, or two roundings."""
    a, b, start, result = one_product(rng, 3, 20, 43, 0)
    for i, j in itertools.product(range(3), range(43)):
        total = start[i, j]
        for left, right in zip(a[i], b[:, j], strict=True):
            exact = Fraction(left) * Fraction(right) + Fraction(total)
            total = float(exact) if products.FUSED else total + left * right
        assert result[i, j] == total


def test_a_fused_multiply_add_rounds_once():
    a = 1.0 + 2.0**-30
    expected = 2.0**-60 if products.FUSED else 0.0
    assert multiply_add(a, a, -(1.0 + 2.0**-29)) == expected


@pytest.mark.parametrize("length", [*range(25), 1000])
def test_sums_along_one_array_of_every_remainder(rng, length):
    a, b = np.full((2, length + 4), np.nan)
    a[2 : length + 2], b[2 : length + 2] = rng.normal(size=(2, length))
    values, residuals = a[2 : length + 2].copy(), b[2 : length + 2].copy()
    assert inner(a, b, 2, length) == pytest.approx(values @ residuals, rel=1e-12, abs=1e-13)
    sums = back(a, b, 2, 0.7, length)
    delta = 0.7 * residuals * (1 - values**2)
    np.testing.assert_allclose(a[2 : length + 2], delta, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(sums, [delta.sum(), residuals @ values], rtol=1e-12, atol=1e-13)
    assert np.isnan(a).sum() == 4
    np.testing.assert_array_equal(b[2 : length + 2], residuals)


HASH = """
import hashlib
import numpy as np
from benchbook.kernels import mlp, vector_products
rng, digest = np.random.default_rng(5), hashlib.sha256()
for n, d, h in [(100, 33, 15), (7, 8, 4)]:
    inputs, targets, weights = rng.normal(size=(n, d)), rng.normal(size=n), rng.normal(size=h * (d + 2) + 1 + d)
    slope, t = np.empty_like(weights), np.ascontiguousarray(inputs.T)
    error = mlp.gradient(weights, inputs, t, targets, h, True, slope, np.empty((h, n)), np.empty(n))
    digest.update(slope.tobytes() + np.float64(error).tobytes())
print(vector_products.WIDE, vector_products.FUSED, digest.hexdigest())
"""


def gradients(**settings):
    process = subprocess.run(
        [sys.executable, "-c", HASH],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **settings},
    )
    return process.stdout.split()


@pytest.mark.skipif(
    not binding.get_host_cpu_features().get("avx2"), reason="compiles for an x86-64 with AVX2"
)
def test_shorter_vectors_and_fewer_registers_give_the_same_bits():
    """The gradient as compiled for this machine and as for one with AVX2; one without fused multiply-adds differs."""
    native, short = (
        gradients(),
        gradients(NUMBA_CPU_NAME="haswell", NUMBA_CPU_FEATURES="+avx,+avx2,+fma"),
    )
    assert short[0] == "1"
    assert native[1:] == short[1:]
    old = gradients(NUMBA_CPU_NAME="x86-64", NUMBA_CPU_FEATURES="")
    assert old[1] == "False"
    assert old[2] != native[2]
