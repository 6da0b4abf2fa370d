"""The plain loops that take the place of vector instructions when what they lean on is missing from numba."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HIDDEN = {
    "a module's name": "numba.core.registry:cpu_target",
    "a function of numba's": "numba.core.cgutils:get_or_insert_function",
    "a method": "numba.core.base:BaseContext.get_dummy_value",
    "a function of llvmlite's": "llvmlite.binding:add_symbol",
}
HIDE = """
import importlib, sys, warnings
import numba, numba.core.registry
module, _, path = sys.argv[1].partition(":")
*above, name = path.split(".")
owner = importlib.import_module(module)
for part in above:
    owner = getattr(owner, part)
numba.core.registry.cpu_target.target_context  # numba's own work with what is hidden is done
kept = getattr(owner, name)
delattr(owner, name)
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    from benchbook.kernels import products
setattr(owner, name, kept)
assert name in products.PLAIN and len(found) == 1 and name in str(found[0].message), (products.PLAIN, found)
"""
GRADIENTS = """
import numpy as np
from benchbook.kernels import mlp
from benchbook.methods.networks.early_stopping import gradient
rng = np.random.default_rng(5)
for n, d, h, direct in [(100, 33, 15, True), (7, 8, 4, False), (64, 1, 1, True)]:
    inputs, targets = rng.normal(size=(n, d)), rng.normal(size=n)
    weights = rng.normal(size=h * (d + 2) + 1 + (d if direct else 0))
    slope, across = np.empty_like(weights), np.ascontiguousarray(inputs.T)
    error = mlp.gradient(weights, inputs, across, targets, h, direct, slope, np.empty((h, n)), np.empty(n))
    right, plain = gradient(weights, inputs, targets, h)
    np.testing.assert_allclose(error, right, rtol=1e-12)
    np.testing.assert_allclose(slope, plain, rtol=1e-10, atol=1e-12)
"""
THE_SAME_TESTS = """
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *sys.argv[2:]]))
"""


def run(script, *arguments, cache):
    """In a process of its own, with kernels compiled anew: those of vector instructions are of no use to it."""
    process = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
    )
    assert process.returncode == 0, process.stdout + process.stderr


@pytest.mark.parametrize("name", HIDDEN.values(), ids=HIDDEN)
def test_the_package_does_without_any_part_of_numba_that_is_not_documented(name, tmp_path):
    run(HIDE, name, cache=tmp_path)


def test_a_networks_gradient_is_right_by_plain_loops(tmp_path):
    run(HIDE + GRADIENTS, HIDDEN["a module's name"], cache=tmp_path)


@pytest.mark.slow
def test_kernels_pass_their_tests_by_plain_loops(tmp_path):
    """The tests of the kernels that sum products and of the functions made of multiply-adds, once more."""
    here = Path(__file__).parent
    files = [
        here / "test_kernels_products.py",
        here / "test_kernels_activations.py",
        here / "test_kernels_mlp.py",
    ]
    own_processes = "not shorter_vectors and not run_to_run"  # which hide nothing
    run(
        HIDE + THE_SAME_TESTS,
        HIDDEN["a module's name"],
        *map(str, files),
        "-k",
        own_processes,
        cache=tmp_path,
    )


def test_the_machine_that_tests_has_vector_instructions():
    from benchbook.kernels import products, vector_products

    assert not products.PLAIN
    assert products.add_product is vector_products.add_product
    assert np.issubdtype(type(vector_products.LANES), np.integer)
