"""Losses of one's own: a function in a file, checked before any run, and never taken for another loss."""

import json
import subprocess
import sys

import numpy as np
import pytest

from benchbook import losses, studies
from benchbook.errors import BenchbookError, FaultyInput, UnknownName
from benchbook.losses.own import loss, named
from benchbook.predictive import Gaussian

TASK = "kin-8nm-sim/dist/std.64"
FILE = """
from benchbook.losses.own import loss

@loss(unit="euro")
def missed(prediction, targets):
    "What it costs to be wrong."
    return {factor} * abs(prediction.median() - targets)
"""


@pytest.fixture
def mine(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(FILE.format(factor=3.0))
    return file


def test_it_is_what_the_function_says(mine):
    made = named(f"{mine}:missed")
    assert made.per_case(Gaussian([1.0, 2.0], [1.0, 1.0]), [3.0, 2.0]).tolist() == [6.0, 0.0]
    assert (made.unit, made.description) == ("euro", "What it costs to be wrong.")
    assert losses.get(made.code) is made is named(f"{mine}:missed")


def test_it_may_come_from_a_module_on_the_path(mine, monkeypatch):
    monkeypatch.syspath_prepend(mine.parent)
    mine.rename(mine.with_name("costs_of_mine.py"))
    assert named("costs_of_mine:missed").unit == "euro"
    with pytest.raises(
        BenchbookError, match=r"costs_of_mine has no loss 'hit'; losses in it: missed"
    ):
        named("costs_of_mine:hit")
    with pytest.raises(BenchbookError, match="no module 'nothing_there'"):
        named("nothing_there:hit")


def test_what_was_asked_for_once_is_found_and_not_listed(mine):
    before = losses.available()
    made = [named(f"{mine}:missed"), named("PB12.5"), named("is77")]
    assert losses.available() == before
    assert [losses.get(item.code) for item in made] == made
    assert named("pb12.5") is made[1]


def test_its_code_changes_with_its_text_and_the_values_with_it(mine, tmp_path):
    runs = tmp_path / "runs"

    def mean():
        code = named(f"{mine}:missed").code
        plan = studies.Plan("trial", 1, ["lin-1"], [TASK], instances=1, losses=[code])
        summary = studies.run(plan, runs, workers=1, progress=False, keep_predictions=True)
        return code, len(summary.done), studies.Archive(runs).losses(code=code)["value"].mean()

    first, ran, before = mean()
    mine.write_text(FILE.format(factor=6.0))
    second, again, after = mean()
    assert first != second
    assert (ran, again) == (1, 0)
    assert after == pytest.approx(2 * before)
    assert first.startswith("missed@")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("S", {}),
        ("crps", {}),
        ("PB10", {}),
        ("is80", {}),
        ("no blanks", {}),
        ("fine", {"applies_to": "numbers"}),
    ],
)
def test_a_code_of_the_package_and_other_words_are_refused(code, words):
    with pytest.raises(FaultyInput):
        loss(code=code, **words)(lambda prediction, targets: targets)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("targets.mean()", r"returned shape \(\) for 4 cases"),
        ("targets * float('nan')", "returned NaN"),
        ("targets / targets.missing", "raised AttributeError"),
        ("abs(targets - targets.mean())", "changes with the cases beside it"),
    ],
)
def test_a_loss_that_cannot_be_is_refused_before_anything_is_run(tmp_path, body, said):
    file = tmp_path / "mine.py"
    file.write_text(
        f"from benchbook.losses.own import loss\n\n@loss()\ndef bad(prediction, targets):\n"
        f"    return {body}\n"
    )
    with pytest.raises(BenchbookError, match=said):
        named(f"{file}:bad")


def test_a_name_that_is_no_loss_lists_those_there_are(mine):
    with pytest.raises(BenchbookError, match="losses in it: missed"):
        named(f"{mine}:mist")
    with pytest.raises(UnknownName):
        named("QQ")


def test_any_level_and_any_coverage_have_a_loss():
    prediction, targets = Gaussian([0.0], [1.0]), [2.0]
    low, high = prediction.interval(0.8)
    assert named("IS80").per_case(prediction, targets)[0] == pytest.approx(
        float((high - low)[0] + 10 * (2 - high[0]))
    )
    assert named("PB10").per_case(prediction, targets)[0] == pytest.approx(
        0.1 * (2.0 - float(prediction.quantile([0.1])[0, 0]))
    )
    assert named("PB05") is losses.get("PB05")
    assert losses.get("is80") is named("IS80")
    assert "IS80" not in losses.available()
    with pytest.raises(UnknownName):
        named("PB0")


def test_an_interval_loss_is_its_width_and_a_fine_for_misses(rng):
    """The parts are counted here by hand: misses of a calibrated prediction are 1 - coverage, its width is known."""
    prediction, targets = (
        Gaussian(np.zeros(4000), np.full(4000, 4.0)),
        rng.normal(scale=2.0, size=4000),
    )
    low, high = prediction.interval(0.8)
    missed, width = losses.get("MI80")(prediction, targets), losses.get("WI80")(prediction, targets)
    assert missed.tolist() == [
        float(not a <= y <= b) for a, y, b in zip(low, targets, high, strict=True)
    ]
    assert missed.mean() == pytest.approx(0.2, abs=0.025)
    np.testing.assert_allclose(width, 2 * 2.0 * 1.2815515655446004)
    fine = losses.get("IS80")(prediction, targets) - width
    assert ((fine > 0) == (missed > 0)).all()
    narrow = Gaussian(np.zeros(4000), np.full(4000, 1.0))
    assert losses.get("MI80")(narrow, targets).mean() > 0.4


def test_the_command_compares_by_it_and_refuses_what_is_no_loss(mine, tmp_path):
    def command(*words):
        return subprocess.run(
            [
                sys.executable,
                "-m",
                "benchbook",
                *words,
                "-t",
                TASK,
                "--out",
                str(tmp_path / "runs"),
            ],
            capture_output=True,
            text=True,
            check=False,
        )

    (tmp_path / "runs").mkdir()
    refused = command("run", "-m", "lin-1", "--loss", "QQ")
    assert refused.returncode == 2
    assert not any((tmp_path / "runs").iterdir())
    assert command("run", "-m", "lin-1", "-m", "knn-cv-1", "--no-compare").returncode == 0
    finished = command(
        "compare", "-m", "lin-1", "-m", "knn-cv-1", "--loss", f"{mine}:missed", "--json"
    )
    assert finished.returncode == 0, finished.stderr
    frame = studies.Archive(tmp_path / "runs").losses(methods="lin-1", code="A")
    expected = next(row for row in json.loads(finished.stdout)["table"] if row["method"] == "lin-1")
    assert expected["mean"] == pytest.approx(3 * frame["value"].mean())
    assert np.isfinite(expected["se"])


def test_a_loss_that_writes_into_the_targets_is_refused():
    @loss(code="writes")
    def writes(prediction, targets):
        targets[:] = 0
        return np.abs(targets)

    with pytest.raises(BenchbookError, match=r"read-only; change a copy"):
        writes.per_case(Gaussian([1.0], [1.0]), [3.0])


def test_a_loss_cannot_make_the_targets_writeable():
    @loss(code="forces")
    def forces(prediction, targets):
        targets.setflags(write=True)
        return targets

    with pytest.raises(BenchbookError, match="raised ValueError"):
        forces.per_case(Gaussian([1.0], [1.0]), [3.0])


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (np.ma.masked_array([1.0, 2.0], [True, False]), "returned NaN"),
        (["a", "b"], "values of type"),
        (np.array([1j, 2]), "values of type complex128"),
        (None, "returned"),
        ([1.0, [2.0]], "unequal length"),
        (3.0, r"shape \(\)"),
    ],
)
def test_what_are_no_numbers_for_the_cases_is_refused_in_words(returned, words):
    @loss(code="odd")
    def odd(prediction, targets):
        return returned

    with pytest.raises(BenchbookError, match=words):
        odd.per_case(Gaussian([1.0, 2.0], [1.0, 1.0]), [3.0, 4.0])
