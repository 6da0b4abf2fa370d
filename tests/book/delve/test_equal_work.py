"""Ensembles cut at equal work: which ones change, and what they lose."""

import polars as pl
import pytest

from benchbook import studies

ON = ["task", "method", "instance"]


def archived(name, method):
    """The record of the first run of a method on a task."""
    place = studies.Archive(studies.archive_path())
    return place.records(tasks=[name], methods=[method]).filter(instance=0).row(0, named=True)


def test_a_network_that_was_chosen_within_the_limit_stays(page):
    cost = (
        '{"selected_iterations": [%d, 5], "steps": [0.2, 0.4], "abandoned_iterations": [1000, 0]}'
    )
    assert page.stays(cost % (page.LIMIT - 1000))
    assert not page.stays(cost % (page.LIMIT - 999))


def test_the_file_has_just_the_runs_that_the_limit_changes(page):
    assert pl.read_csv(page.PATH).select(ON).rows() == [
        tuple(run[name] for name in ON) for run in page.changed()
    ]


@pytest.mark.parametrize("method", ["mlp-bgd-1", "mlp-bgd-2", "mlp-bgd-2b", "mlp-bgd-3"])
def test_a_run_that_does_not_change_has_the_archived_loss(page, method):
    run = archived("kin-8nm-sim/dist/std.128", method)
    assert page.stays(run["cost"]) or method == "mlp-bgd-3"
    losses = studies.Archive(studies.archive_path()).losses(
        tasks=[run["task"]], methods=[method], code="S"
    )
    kept = losses.filter(instance=0)["value"].mean()
    wanted = pl.read_csv(page.PATH).filter(task=run["task"], method=method, instance=0)["mean"]
    assert page.cut(run) == pytest.approx(wanted.item() if len(wanted) else kept, rel=2e-3)


def test_a_start_that_is_given_up_spends_its_iterations(page, rng):
    inputs, start = rng.normal(size=(40, 3)), rng.uniform(-0.01, 0.01, 76)
    cases = [inputs[:30], inputs[:30, 0], inputs[30:], inputs[30:, 0]]
    descent = page.BatchDescent()
    _, whole = page.trained(start, cases, descent, 0.2, 2000, False)
    _, short = page.trained(start, cases, descent, 0.2, 30, False)
    _, given_up = page.trained(start, cases, descent, 1e6, 30, False)
    assert short <= 30 < whole
    assert given_up <= 30
