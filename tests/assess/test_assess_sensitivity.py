"""Total effects of functions whose variance is known."""

import numpy as np
import pytest

from benchbook import assess
from benchbook.seeds import generator


def uniform(cases, rng):
    return rng.uniform(-1, 1, (cases, 3))


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: 2.0 * x[:, 0] + x[:, 1], [0.8, 0.2, 0.0]),  # variances 4 : 1
        (lambda x: x[:, 0] * x[:, 1], [1.0, 1.0, 0.0]),  # nothing is left without either
        (lambda x: x[:, 0] + np.sqrt(3.0) * x[:, 1] * x[:, 2], [0.5, 0.5, 0.5]),
    ],
)
def test_total_effects_of_functions_whose_variance_is_known(function, expected):
    result = assess.total_effects(uniform, function, generator(1, "effects"), cases=20_000)
    np.testing.assert_allclose(result, expected, atol=0.03)


def test_total_effects_do_not_see_unit_or_origin():
    plain, moved = (
        assess.total_effects(
            uniform,
            lambda x, a=a, b=b: a * np.sin(x[:, 0] + x[:, 1]) + b,
            generator(1, "same"),
            500,
        )
        for a, b in ((1.0, 0.0), (-7.0, 100.0))
    )
    np.testing.assert_allclose(plain, moved, atol=1e-12)
    assert plain[2] == 0.0


def test_each_input_gets_new_values_of_its_own():
    """Of f = a + b with variances 1 : 9 the shares are 0.1 and 0.9; another column has another size."""

    def draw(cases, rng):
        return uniform(cases, rng)[:, :2] * [1.0, 3.0]

    result = assess.total_effects(draw, lambda x: x.sum(axis=1), generator(1, "own"), cases=20_000)
    np.testing.assert_allclose(result, [0.1, 0.9], atol=0.03)
