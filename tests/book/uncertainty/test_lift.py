"""Rankings and their lift: equal losses, areas from ranks, broken ties."""

import numpy as np
import pytest

from benchbook.losses.lift_area import lift_area, lift_curve, lift_loss


def test_two_rankings_have_one_loss_and_different_tops(page, rng):
    result = page.equal_rankings(1000, 0.1, 0.4, rng)
    assert result.y.sum() == 100
    assert lift_loss(result.some_well, result.y) == pytest.approx(
        lift_loss(result.all_little, result.y), abs=2e-3
    )
    top = [
        result.y[np.argsort(-score)[:50]].sum() for score in (result.some_well, result.all_little)
    ]
    assert top[0] > top[1]
    # 40 of the 100 positives are known, and stand 4 standard deviations above the others
    assert 36 <= np.sum(result.some_well[result.y == 1] > 2.0) <= 46
    assert np.sum(result.some_well[result.y == 0] > 2.0) < 40


def test_ranks_alone_give_the_area(page, rng):
    y, score = rng.integers(2, size=60), rng.normal(size=60)
    assert page.area_of_ranks(y[np.argsort(-score)]) == pytest.approx(
        lift_area(lift_curve(score, y)), rel=1e-12
    )


def test_ties_broken_by_chance_lie_around_the_average(page, rng):
    y, score = rng.integers(2, size=40), rng.integers(3, size=40)
    drawn = page.broken_ties(score, y, 400, rng)
    assert abs(drawn.mean() - lift_loss(score, y)) < 4 * drawn.std(ddof=1) / 20
    assert np.ptp(page.broken_ties(np.arange(40), y, 5, rng)) == 0.0


def test_curves_take_every_so_many_cases(page):
    table = page.curves({"a": [4.0, 3.0, 2.0, 1.0]}, [1, 0, 1, 0], 2)
    assert table["share"].to_list() == [0.5, 1.0]
    assert table["found"].to_list() == [0.5, 1.0]
