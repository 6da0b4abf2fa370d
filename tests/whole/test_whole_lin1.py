"""The expected loss of lin-1 on published data, worked out again from the files with numpy and scipy alone.

Nothing of the package takes part in the second computation but the name of the file: the reading, the order, the split,
the normalisation, the fit, the losses and the statistics are done anew, as the papers have them.
"""

import gzip
import math

import numpy as np
import pytest
from scipy import stats

from benchbook import assess, studies, tasks


def published(name: str) -> np.ndarray:
    """The numbers of a published file, found the way the registry says, one case a row."""
    from benchbook import datasets

    relative = datasets.card(name).files[0].path
    for folder in datasets.search_path():
        for path in (folder / relative, folder / f"{relative}.gz"):
            if path.exists():
                data = (
                    gzip.decompress(path.read_bytes())
                    if path.suffix == ".gz"
                    else path.read_bytes()
                )
                lines = data.decode().replace("\\\n", " ").splitlines()
                return np.array([line.split() for line in lines if line.strip()], dtype=float)
    raise AssertionError(f"{relative} is at hand but in none of {datasets.search_path()}")


def normalised(train: np.ndarray, values: np.ndarray) -> np.ndarray:
    """nm-abs: minus the median, over the average absolute deviation from it (divisor n - 1), of the training cases."""
    median = np.median(train, axis=0)
    deviation = np.abs(train - median).sum(axis=0) / (len(train) - 1)
    return (values - median) / np.where(deviation > 0, deviation, 1.0)


def losses_of_least_squares(train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Squared errors on the original scale; the target is the last column."""
    z_train, z_test = normalised(train, train), normalised(train, test)
    design = np.column_stack([np.ones(len(train)), z_train[:, :-1]])
    coefficients, *_ = np.linalg.lstsq(design, z_train[:, -1], rcond=None)
    z_guess = np.column_stack([np.ones(len(test)), z_test[:, :-1]]) @ coefficients
    median = np.median(train[:, -1])
    guess = median + z_guess * np.abs(train[:, -1] - median).sum() / (len(train) - 1)
    return (guess - test[:, -1]) ** 2


def by_the_package(task: str, tmp_path) -> assess.Estimate:
    plan = studies.Plan("whole", seed=1, methods=["lin-1"], tasks=[task], losses=["S"])
    studies.run(plan, tmp_path, workers=1, progress=False)
    frame = studies.Archive(tmp_path).losses(tasks=[task], code="S")
    losses = [
        part["value"].to_numpy()
        for _, part in sorted(frame.group_by("instance"), key=lambda pair: pair[0])
    ]
    return assess.expected_loss(losses, tasks.get(task).prototask.test_set_selection)


@pytest.mark.parametrize(("size", "instances"), [(128, 8), (1024, 4)])
def test_kin_8nm(real_data, tmp_path, size, instances):
    real_data("kin-8nm")
    cases = published("kin-8nm")
    assert cases.shape == (8192, 9)
    block = 4096 // instances
    losses = np.array(
        [
            losses_of_least_squares(
                cases[4096 + i * size : 4096 + (i + 1) * size], cases[i * block : (i + 1) * block]
            )
            for i in range(instances)
        ]
    )
    result = by_the_package(f"kin-8nm/dist/std.{size}", tmp_path)
    assert result.mean == pytest.approx(losses.mean(), rel=1e-10)

    residual = losses.var(axis=1, ddof=1).mean()
    between = max(block * losses.mean(axis=1).var(ddof=1) - residual, 0.0) / block
    assert result.standard_error == pytest.approx(
        math.sqrt(between / instances + residual / losses.size), rel=1e-9
    )
    assert tasks.standard(f"kin-8nm/dist/std.{size}", "S") == pytest.approx(
        cases[:4096, -1].var(ddof=1), rel=1e-12
    )


def test_kin_8nm_differs_when_the_test_cases_take_part_in_the_normalisation(real_data):
    real_data("kin-8nm")
    cases = published("kin-8nm")
    train, test = cases[4096:4224], cases[:512]
    shifted = test.copy()
    shifted[:, 0] += 0.01
    honest = losses_of_least_squares(train, test)
    assert not np.allclose(honest, losses_of_least_squares(train, shifted), rtol=1e-6), (
        "the oracle sees its inputs"
    )


@pytest.mark.parametrize(("size", "instances"), [(32, 8), (64, 4), (128, 2)])
def test_boston_price(real_data, tmp_path, size, instances):
    real_data("boston-price")
    cases = published("boston-price")
    assert cases.shape == (506, 14)
    pool = cases[:250]
    losses = np.array(
        [
            losses_of_least_squares(cases[250 + i * size : 250 + (i + 1) * size], pool)
            for i in range(instances)
        ]
    )
    result = by_the_package(f"boston/price/std.{size}", tmp_path)
    assert result.mean == pytest.approx(losses.mean(), rel=1e-8)

    count = losses.size
    effect_a, effect_b = losses.mean(axis=1) - losses.mean(), losses.mean(axis=0) - losses.mean()
    rest = losses - losses.mean() - effect_a[:, None] - effect_b
    ms_a, ms_b = 250 * (effect_a**2).sum() / (instances - 1), instances * (effect_b**2).sum() / 249
    ms_e = (rest**2).sum() / ((instances - 1) * 249)
    variance = (
        max(ms_a - ms_e, 0) / 250 / instances + max(ms_b - ms_e, 0) / instances / 250 + ms_e / count
    )
    assert result.standard_error == pytest.approx(math.sqrt(variance), rel=1e-7)


def test_the_paired_t_test_of_two_archived_methods_is_scipys(tmp_path):
    task = "kin-8nm-sim/dist/std.128"
    plan = studies.Plan("whole", seed=1, methods=["lin-1", "knn-cv-1"], tasks=[task], losses=["S"])
    studies.run(plan, tmp_path, workers=1, progress=False)
    frame = studies.Archive(tmp_path).losses(tasks=[task], code="S")
    means = assess.instance_means(frame).sort("method", "instance")
    lin, knn = (means.filter(method=name)["mean"].to_numpy() for name in ("lin-1", "knn-cv-1"))
    row = assess.comparisons(frame).filter(method="lin-1").row(0, named=True)
    expected = stats.ttest_rel(lin, knn)
    assert row["p"] == pytest.approx(expected.pvalue, rel=1e-9)
    assert row["statistic"] == pytest.approx(expected.statistic, rel=1e-9)
