"""The gaming chapter's claim on a few cases of the re-created gaze task, and the charts of spikes."""

import numpy as np
import polars as pl
import pytest

from benchbook.predictive import Gaussian


@pytest.fixture(scope="module")
def table(page):
    """Twenty cases, an honest Gaussian, and gamblers with a poorer one or with nothing."""
    rng = np.random.default_rng(7)
    centre = rng.uniform(200, 800, 20)
    y = np.rint(centre + 30 * rng.normal(size=20))
    poor = Gaussian(centre + 60 * rng.normal(size=20), np.full(20, 90.0**2))
    return page.Table(
        y,
        {"honest": Gaussian(centre, np.full(20, 900.0))},
        {
            "poor": page.pixel_mass(poor),
            "blind": np.full((20, page.PIXELS.size), 1 / page.PIXELS.size),
        },
    )


def test_each_halving_is_worth_ln_2_by_nlpd_and_nothing_by_crps_and_cells(page, table):
    sweep = page.sweep(table, range(1, 9))
    for name in table.weight:
        rows = sweep.filter(player=name).sort("exponent")
        assert rows["NLPD"].diff().drop_nulls().to_numpy() == pytest.approx(-np.log(2), abs=1e-6)
        assert np.ptp(rows["CRPS"].to_numpy()) < 0.001
        assert np.ptp(rows["cells"].to_numpy()) < 1e-9
    assert sweep.filter(player="honest")["NLPD"].n_unique() == 1


def test_pixels_share_all_of_the_probability(table):
    assert table.weight["poor"].sum(axis=1) == pytest.approx(np.ones(20))
    assert (table.weight["poor"] > 0).all()


def test_the_window_shows_whole_pieces_around_the_target(page, table):
    pieces = page.window(table, "poor", 3, (1, 6))
    for k in (1, 6):
        part = pieces.filter(exponent=k)
        assert part["spike"].sum() == 5
        assert (
            part.filter(spike=True).select(width=part["right"].max() - part["left"].min())["width"][
                0
            ]
            == 5.0
        )
        spike = part.filter(spike=True).row(2, named=True)
        assert (spike["left"] + spike["right"]) / 2 == pytest.approx(table.y[3])
        assert spike["right"] - spike["left"] == pytest.approx(2.0**-k)
    assert page.smooth(table, 3)["density"].max() < 0.02


def test_inspection_flags_spikes_and_no_honest_player(page, table):
    spikes = page.hidden_spikes(table.weight["poor"], 0.9, 2.0**-12)
    result = page.inspections({**table.honest, "spikes": spikes}, table.y, 5)
    assert result["suspicious"].to_list() == [False, True]


def test_hidden_spikes_keep_the_probability_of_pixels(page, table):
    from benchbook.losses.gaming import log_cell_mass

    few = page.hidden_spikes(table.weight["poor"], 0.01, 2.0**-10)
    inside = table.weight["poor"][np.arange(20), (table.y - page.PIXELS[0]).astype(int)]
    assert np.exp(log_cell_mass(few, table.y, 1.0)) == pytest.approx(inside, rel=1e-6)


def test_players_sit_at_the_task_s_own_table(page):
    result = page.players("base-1", "lin-1", 1)
    assert result.y.size == 427
    assert list(result.honest) == ["true distribution", "base-1 (honest)"]
    assert list(result.weight) == ["lin-1 (spikes)", "blind (spikes)"]
    law, base = (page.judged(pred, result.y)["NLPD"] for pred in result.honest.values())
    assert law < base - 1


def test_what_lies_between_spikes_is_not_counted_in_the_middle_of_the_cells(page, table):
    """The tails beyond the first and the last pixel made 13 % of a tenth."""
    weight = np.full((len(table.y), page.PIXELS.size), 1.0 / page.PIXELS.size)
    result = page.inspections({"even": page.hidden_spikes(weight, 1e-6, 2.0**-20)}, table.y, 8)
    assert result["core"].item() == pytest.approx(0.1, abs=0.002)


def test_the_mass_of_pixels_is_that_of_their_cells(page):
    assert (page.PIXELS[0], page.PIXELS[-1]) == (page.gaze.LEAST, page.gaze.MOST)
    pred = Gaussian(np.array([500.0]), np.array([900.0]))
    mass = page.pixel_mass(pred)[0]
    at = int(np.flatnonzero(page.PIXELS == 510)[0])
    cell = pred.cdf(np.array([510.5])) - pred.cdf(np.array([509.5]))
    assert mass[at] == pytest.approx(cell.item(), rel=0.01)
    assert mass.sum() == pytest.approx(1.0)


SWEEP = pl.DataFrame(
    [
        {
            "player": name,
            "exponent": k,
            "width": 2.0**-k,
            "NLPD": start - fall * k,
            "CRPS": crps,
            "cells": start,
        }
        for name, start, fall, crps in (("fair", 5.0, 0.0, 20.0), ("sly", 6.0, 0.693, 40.0))
        for k in (1, 2, 3)
    ]
)
PIECES = pl.DataFrame(
    [
        {
            "exponent": k,
            "left": 7.0 - 2.0**-k / 2,
            "right": 7.0 + 2.0**-k / 2,
            "density": 0.01 * 2.0**k,
            "spike": True,
        }
        for k in (1, 2, 3)
    ]
    + [{"exponent": 1, "left": 6.5, "right": 6.75, "density": 1e-6, "spike": False}]
)
SMOOTH = pl.DataFrame({"player": ["fair"] * 2, "x": [6.5, 7.5], "density": [0.01, 0.01]})


def test_drawn(page):
    page.narrowed_spikes(PIECES, SMOOTH, SWEEP, "sly", 7.0, 3)
    page.loss_panels(SWEEP, {"NLPD": "NLPD (nats)", "CRPS": "CRPS (pixels)"})
