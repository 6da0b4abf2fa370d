"""Costs of decisions: by hand on a few cases, and the identity that ties their area to the Brier loss."""

import numpy as np
import pytest
from scipy import special

from benchbook import losses
from benchbook.predictive import Categorical


def test_who_believes_more_than_acting_costs_acts(page):
    stated, event = [0.9, 0.3, 0.1], [1, 0, 1]
    assert page.decision_cost(stated, event, [0.2, 0.5, 0.95]).tolist() == pytest.approx(
        [(0.2 + 0.2 + 1) / 3, (0.5 + 0 + 1) / 3, (1 + 0 + 1) / 3]
    )
    assert page.decision_cost([0.4], [0.4], 0.4).tolist() == [
        0.4
    ]  # at the threshold both cost the same


def test_the_area_above_who_knows_all_is_half_the_brier_loss(page, rng):
    stated, event = rng.random(300), rng.integers(2, size=300)
    fine = (np.arange(4000) + 0.5) / 4000
    area = page.regret_curves({"a": stated}, event, fine)["regret"].mean()
    brier = (
        losses.get("BRIER")
        .per_case(Categorical(np.column_stack([1 - stated, stated])), event)
        .mean()
    )
    assert area == pytest.approx(brier / 2, abs=1e-3)


def test_no_forecaster_costs_less_than_the_true_chances(page, rng):
    chance, grid = rng.random(500), np.arange(1, 20) / 20
    curves = page.regret_curves(
        {
            "true": chance,
            "bold": special.expit(4 * special.logit(chance)),
            "other": rng.random(500),
        },
        chance,
        grid,
    )
    wide = curves.pivot("forecaster", index="threshold", values="regret")
    assert (wide["bold"] - wide["true"]).min() >= -1e-12
    assert (wide["other"] - wide["true"]).min() > 0
