"""Pages of task arrays: who is best, how sure, and what is said when losses are missing."""

import re
from base64 import b64decode

import numpy as np
import polars as pl
import pytest

from benchbook import assess, tasks

NAMES = ("lin-1", "mlp-bgd-1", "own-9")
TASKS = [
    task
    for task in tasks.arrays()["kin"]
    if task.startswith(("kin-8fm", "kin-8nm")) and not task.endswith("512")
]


@pytest.fixture
def made(page):
    def build(level, tasks_of=TASKS, names=NAMES, seed=3):
        """An array whose methods have the expected losses ``level(method, task)``."""
        rng, parts = np.random.default_rng(seed), []
        for task in tasks_of:
            for name in names:
                values = level(name, task) + 0.02 * rng.normal(size=(4, 12))
                parts.append(
                    pl.DataFrame(
                        {
                            "method": name,
                            "task": task,
                            "instance": np.repeat(np.arange(4), 12),
                            "case": np.arange(48),
                            "loss": "S",
                            "value": values.ravel(),
                            "digest": np.repeat(list("abcd"), 12),
                        }
                    )
                )
        frame = pl.concat(parts)
        return page.TaskArray(
            "kin", *assess.assessment(frame, "hierarchical", lambda task, code: 1.0), (), frame
        )

    return build


def linear_where_linear(name, task):
    line = 0.1 if "-8f" in task else 0.6
    return {"lin-1": line, "mlp-bgd-1": 0.3, "own-9": 0.9}[name]


def test_the_best_method_is_found_on_every_task(made):
    best = made(linear_where_linear).best
    assert best.select("dataset", "best").unique().sort("dataset").rows() == [
        ("kin-8fm-sim", "lin-1"),
        ("kin-8nm-sim", "mlp-bgd-1"),
    ]
    assert best["training_cases"].to_list() == [64, 128, 256, 1024] * 2
    assert best["p"].max() < 0.01
    assert best["equals"].list.len().sum() == 0
    np.testing.assert_allclose(best.filter(dataset="kin-8nm-sim")["behind"], 2.0, rtol=0.1)


def test_equal_methods_are_counted_as_such(made):
    level = {"lin-1": 0.3, "mlp-bgd-1": 0.3, "own-9": 0.9}
    result = made(lambda name, task: level[name])
    assert result.best["equals"].list.len().mean() > 0.6
    assert " + 1" in str(result.best_table())


def test_ratios_and_profile_are_geometric_means(made):
    result = made(linear_where_linear)
    assert result.ratios.group_by("task").agg(pl.col("ratio").min())["ratio"].to_list() == [
        1.0
    ] * len(TASKS)
    profile = {line["method"]: line for line in result.profile.to_dicts()}
    assert profile["lin-1"]["fairly linear"] == pytest.approx(1.0)
    assert profile["lin-1"]["non-linear"] == pytest.approx(2.0, rel=0.05)
    assert profile["lin-1"]["all tasks"] == pytest.approx(2**0.5, rel=0.05)
    assert profile["mlp-bgd-1"]["fairly linear"] == pytest.approx(3.0, rel=0.05)
    assert profile["lin-1"]["32 inputs"] is None
    assert "32 inputs" not in str(result.profile_table())


def test_the_error_of_a_ratio_is_that_of_two_paired_means(made):
    result = made(linear_where_linear)
    for task in TASKS:
        mean, error = (
            dict(result.expected.filter(task=task).select("method", name).rows())
            for name in ("mean", "standard_error")
        )
        best = min(mean, key=mean.get)
        shown = dict(result.ratios.filter(task=task).select("method", "error").rows())
        assert shown.pop(best) == 0.0
        for name, value in shown.items():
            gap = result.compared.filter(task=task, method=name, other=best)["standard_error"][0]
            shared = (error[name] ** 2 + error[best] ** 2 - gap**2) / 2
            variance = (
                (error[name] / mean[name]) ** 2
                + (error[best] / mean[best]) ** 2
                - 2 * shared / (mean[name] * mean[best])
            )
            assert value == pytest.approx(max(variance, 0.0) ** 0.5)


def test_a_method_with_gaps_is_not_averaged(page, made):
    whole = made(linear_where_linear)
    gap = (pl.col("method") == "own-9") & (pl.col("task") == TASKS[0])
    result = page.TaskArray(
        "kin", whole.expected.filter(~gap), whole.compared.filter(~gap), (), whole.digests
    )
    assert set(result.profile["method"]) == {"lin-1", "mlp-bgd-1"}


def test_methods_of_the_study_come_first_and_leaders_stand_out(made):
    result = made(linear_where_linear, names=("own-9", "lin-1", "mlp-bgd-1"))
    assert result.methods[-1] == "own-9"
    assert set(result.leaders()) == {"lin-1", "mlp-bgd-1"}


def test_the_file_of_losses_has_every_dataset_and_method(made):
    result = made(linear_where_linear)
    [data] = re.findall(r"base64,([^\"]+)", result.losses_file().html)
    lines = pl.read_csv(b64decode(data))
    expected = result.expected["standardised_mean"].sort().to_list()
    assert lines["loss"].sort().to_list() == pytest.approx(expected, rel=1e-5)
    assert set(lines["method"]) == set(NAMES)
    named = lines.select(pl.format("{}/dist/std.{}", "dataset", "training_cases")).to_series()
    assert set(named) == set(TASKS)
    assert "kin-32nh-sim" in str(result.about())
    assert "lin-1" in result.curves(floors={}).to_dict()["description"]


def test_an_empty_archive_is_said(page, tmp_path):
    result = page.task_array("bank", tmp_path)
    for shown in (
        result.curves(),
        result.best_table(),
        result.losses_file(),
        result.profile_table(),
    ):
        assert "no losses" in str(shown)


def test_the_archive_of_the_book_is_read(page):
    result = page.task_array("kin")
    assert {"lin-1", "mlp-bgd-1"} <= set(result.methods)
    assert set(result.best["best"]) <= set(result.methods)
    assert result.best["loss"].is_between(0, 1.3).all()
    assert "kin-8nm-sim" in str(result.best_table())


def test_bands_are_shown_with_remarks(page, made, monkeypatch):
    measured = {name: page.datasets.bands(name, 300) for name in ("kin-8nm-sim", "kin-8fm-sim")}
    result = made(linear_where_linear)
    result.__dict__["bands"] = measured
    text = str(result.bands_table())
    assert "moderate" in text
    assert ("(*)" in text) is any(not item.linearity_within for item in measured.values())


def test_effects_are_of_one_thing_alone(made):
    """Ratios that multiply: linearity by 4, noise by 1/2, nothing else."""
    every = [task for task in tasks.arrays()["kin"] if task.endswith((".64", ".1024"))]

    def level(name, task):
        return (
            1.0
            if name == "lin-1"
            else (0.8 if "n" in task.split("-")[1] else 3.2) * (2 if "h-sim" in task else 1)
        )

    results = {
        line["factor"]: line
        for line in made(level, every, ("lin-1", "mlp-bgd-1"))
        .effects("lin-1", "mlp-bgd-1")
        .to_dicts()
    }
    assert results["linearity"]["change"] == pytest.approx(4.0, rel=0.05)
    assert results["noise"]["change"] == pytest.approx(0.5, rel=0.05)
    assert results["inputs"]["change"] == pytest.approx(1.0, rel=0.05)
    assert results["training cases"]["change"] == pytest.approx(1.0, rel=0.05)
    assert {line["pairs"] for line in results.values()} == {8}
    assert results["linearity"]["ratio_high"] == pytest.approx(
        results["linearity"]["ratio_low"] * 4, rel=0.05
    )


def test_effects_need_partners_and_both_methods(made):
    result = made(linear_where_linear)
    assert result.effects("lin-1", "mlp-bgd-1")["factor"].to_list() == [
        "linearity",
        "training cases",
    ]
    assert result.effects("lin-1", "mlp-bgd-1").filter(factor="linearity")["pairs"].item() == 4
    assert result.effects("lin-1", "other").is_empty()


def test_without_a_standard_ratios_and_the_best_are_the_same(page, made):
    whole = made(linear_where_linear)
    bare = whole.expected.with_columns(
        standardised_mean=pl.lit(None, pl.Float64),
        standardised_standard_error=pl.lit(None, pl.Float64),
    )
    result = page.TaskArray("kin", bare, whole.compared, (), whole.digests)
    assert result.best.equals(whole.best)
    assert result.ratios.equals(whole.ratios)


def test_the_error_of_a_log_ratio_is_that_of_paired_instances(page):
    """Against the delta method on the instances themselves: z_i = a_i/ā - b_i/b̄ has the variance that is asked for."""
    rng = np.random.default_rng(4)
    luck = rng.normal(size=8)
    first, two = (level * (1 + 0.05 * luck + 0.02 * rng.normal(size=8)) for level in (1.0, 2.0))

    def error(values):
        return values.std(ddof=1) / np.sqrt(8)

    frame = pl.DataFrame(
        {
            "mean": [first.mean()],
            "standard_error": [error(first)],
            "other_mean": [two.mean()],
            "other_error": [error(two)],
            "gap": [error(first - two)],
        }
    )
    result = frame.select(page._of_log_ratio()).item()
    assert result == pytest.approx(error(first / first.mean() - two / two.mean()))
    assert result < 0.7 * np.hypot(error(first) / first.mean(), error(two) / two.mean())


def test_doubt_stands_beside_profiles_and_effects(made):
    every = [task for task in tasks.arrays()["kin"] if task.endswith((".64", ".1024"))]
    result = made(
        lambda name, task: 1.0 if name == "lin-1" else 2.0 if "-32" in task else 0.5, every
    )
    errors = result.profile_errors
    assert errors["method"].to_list() == result.profile["method"].to_list()
    best = result.ratios.filter(pl.col("ratio") == 1.0)
    assert best["error"].to_list() == [0.0] * best.height
    line = result.effects("lin-1", "mlp-bgd-1").filter(factor="inputs").row(0, named=True)
    assert line["least"] <= line["change"] <= line["most"]
    assert 0 < line["error"] < 0.1 * line["change"]
    assert " ± " in str(result.profile_table())
