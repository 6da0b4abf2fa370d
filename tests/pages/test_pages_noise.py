"""What the page on bank computes: answers live, standard deviations by group, the day's noise, losses without ties."""

import numpy as np
import polars as pl
import pytest

from benchbook import studies, tasks
from benchbook.datasets import families
from benchbook.pages import noise
from benchbook.predictive import Mixture
from benchbook.seeds import generator

PROTOTASK = "bank-8nm-sim/rej"
TASK = f"{PROTOTASK}/std.64"


@pytest.fixture(scope="module")
def instance():
    return tasks.instance(TASK, 0)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archive")
    plan = studies.Plan("toy", seed=1, methods=["lin-1", "base-1"], tasks=[TASK], instances=2)
    studies.run(plan, folder, workers=1, progress=False)
    return folder


@pytest.mark.parametrize("warped", [False, True])
def test_an_answer_is_for_the_test_cases_and_repeats(instance, warped):
    one, again = (noise.answered(instance, 1, times=0.03, warped=warped) for _ in range(2))
    assert len(one.prediction) == len(instance.test_inputs)
    assert one.prediction == again.prediction
    assert (one.maps is not None) == warped
    trace = one.trace()
    assert trace["passes"].is_sorted()
    assert trace["value"][-1] == one.chain.noise[-1]
    if warped:
        assert len(one.choice) == len(one.chain.drawn)


def test_targets_are_those_of_the_scorer_on_the_encoded_scale(instance):
    target, held = instance.encoding.target, tasks.Scorer(TASK, 0).targets
    np.testing.assert_allclose(noise.encoded_targets(instance) * target.scale + target.centre, held)


def test_the_days_noise_is_the_spread_of_days(instance):
    task = tasks.get(TASK)
    inputs = np.column_stack([task.cases.columns[name][instance.case_ids] for name in task.prototask.inputs])
    days = [families.find("bank-8nm-sim").noisy("bank-8nm-sim", inputs.astype(float), generator(1, "days", str(day)))
            for day in range(2)]
    expected = np.abs(days[0] - days[1]) / np.sqrt(2) / instance.encoding.target.scale
    np.testing.assert_allclose(noise.daily_noise(instance, 2, 1), expected, atol=1e-12)


def test_groups_follow_the_prediction_and_hold_root_mean_squares():
    mean, sd = np.array([3.0, 1.0, 2.0, 4.0]), np.array([0.3, 0.1, 0.2, 0.4])
    prediction = Mixture(np.ones(1), mean[:, None], sd[:, None] ** 2)
    found = noise.by_group(prediction, mean + np.array([1.0, -2.0, 0.0, 5.0]), 10 * sd, "one", groups=2)
    values = {(group, kind): value for group, kind, value in found.select("group", "kind", "value").iter_rows()}
    assert values[1, "stated"] == pytest.approx(np.sqrt((0.01 + 0.04) / 2))
    assert values[1, "seen"] == pytest.approx(np.sqrt((4.0 + 0.0) / 2))
    assert values[2, "the day's noise"] == pytest.approx(np.sqrt((9.0 + 16.0) / 2))
    assert found.filter(group=2)["low"].to_list() == [3.0] * 3
    assert noise.by_group(prediction, mean, None, "one", groups=4)["kind"].n_unique() == 2


def test_losses_are_assessed_on_their_own_scale(archive):
    expected, compared = noise.assessed(PROTOTASK, ["lin-1", "base-1", "mlp-mc-1"], "L", archive)
    losses = studies.Archive(archive).losses(prototask=PROTOTASK, code="L")
    for name in ("lin-1", "base-1"):
        mean = losses.filter(method=name)["value"].mean()
        assert expected.filter(method=name)["mean"][0] == pytest.approx(mean)
    assert compared.filter(method="lin-1", other="base-1").height == 1


def test_cases_at_the_least_target_are_set_apart(archive):
    line = noise.above_the_least(PROTOTASK, "lin-1", "base-1", archive).row(0, named=True)
    losses = studies.Archive(archive).losses(prototask=PROTOTASK, code="L").pivot(
        "method", index=["instance", "case"], values="value")
    targets = tasks.get(TASK).cases.columns["rej"][losses["case"].to_numpy()]
    more = (losses["lin-1"] - losses["base-1"]).to_numpy()
    assert line["all"] == pytest.approx(more.mean())
    assert line["others"] == pytest.approx(more[targets > 0].mean())
    assert line["tied"] == pytest.approx(np.mean(targets == 0))
    assert 0.02 < line["tied"] < 0.2


def test_an_archive_that_lacks_them_gives_no_lines(archive, tmp_path):
    assert noise.above_the_least(PROTOTASK, "lin-1", "gp-map-1", archive).is_empty()
    assert noise.above_the_least(PROTOTASK, "lin-1", "base-1", tmp_path).columns == ["task", "all", "others", "tied"]
    assert all(isinstance(table, pl.DataFrame) and table.is_empty()
               for table in noise.assessed(PROTOTASK, ["lin-1"], "L", tmp_path))
