"""All pairs at once against the direct formula, where it is easy and where digits are at stake."""

import numpy as np
import pytest

from benchbook.assess.anova.atomic import all_squares, pair_squares
from benchbook.assess.anova.squares import components, mean_squares, significance


@pytest.mark.parametrize("scheme", ["hierarchical", "common"])
def test_pairs_are_the_differences_formed_one_by_one(rng, scheme):
    losses = (
        rng.exponential(size=(6, 5, 40)) + rng.normal(size=(6, 5, 1)) + rng.normal(size=(1, 1, 40))
    )
    result = all_squares(losses, scheme)
    parts, test = components(result.paired), significance(result.paired, result.scale)
    for pair, (a, b) in enumerate(zip(result.first, result.second, strict=True)):
        wanted = mean_squares(losses[a] - losses[b], scheme)
        assert test.p[pair] == pytest.approx(float(significance(wanted).p), rel=1e-10)
        assert parts.standard_error[pair] == pytest.approx(
            float(components(wanted).standard_error), rel=1e-10
        )
        assert parts.residual[pair] == pytest.approx(float(components(wanted).residual), rel=1e-10)


@pytest.mark.parametrize("scheme", ["hierarchical", "common"])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_methods_that_hardly_differ_keep_their_digits(rng, scheme, offset):
    base = offset + rng.normal(size=(4, 50))
    change = rng.normal(size=(4, 50)) * 1e-6
    change = (base + change) - base
    result = all_squares(np.stack([base, base + change, rng.normal(size=(4, 50))]), scheme)
    wanted = mean_squares(change, scheme)
    assert result.paired.residual[0] == pytest.approx(
        float(wanted.residual), rel=1e-6 if offset else 1e-9
    )
    tolerance = 0.1 if offset else 1e-7
    assert result.paired.between_instances[0] == pytest.approx(
        float(wanted.between_instances), rel=tolerance
    )


def test_inner_products_alone_would_lose_them(rng):
    """Negative control: without forming close differences the small sum of squares drowns in rounding."""
    base = rng.normal(size=400)
    rows = np.stack([base, base + 1e-9 * rng.normal(size=400)])
    rows -= rows.mean(axis=1, keepdims=True)
    wanted = ((rows[0] - rows[1]) ** 2).sum()
    inner = rows @ rows.T
    naive = inner[0, 0] + inner[1, 1] - 2 * inner[0, 1]
    assert abs(naive - wanted) > 0.5 * wanted
    assert pair_squares(rows, np.array([0]), np.array([1]))[0] == pytest.approx(wanted, rel=1e-12)


def test_alike_means_the_same_everywhere(rng):
    losses = rng.normal(size=(3, 4, 10))
    losses[2] = losses[0]
    result = all_squares(losses, "common")
    assert result.alike.tolist() == [False, True, False]
