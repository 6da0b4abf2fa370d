"""The scorer: test targets, losses on the original scale, and the constants of the standard scale."""

import numpy as np
import pytest
from refusals import refused

from benchbook import datasets, losses, tasks
from benchbook.errors import BenchbookError, FaultyInput, UnknownName
from benchbook.losses import SetLoss
from benchbook.predictive import Categorical, Gaussian, Point

REAL, CLASS = "line/double/std.3", "people/verdict/std.7"


def test_targets_by_hand(world):
    # y = 2 x and the test cases of instance 2 are 4 and 5.
    assert tasks.Scorer(REAL, 2).targets.tolist() == [8.0, 10.0]
    assert tasks.Scorer(REAL, 2).case_ids.tolist() == [4, 5]


def test_class_targets_are_indices(world):
    scorer = tasks.Scorer(CLASS, 0)
    words = datasets.load("people").cases["verdict"].to_list()
    classes = tasks.get(CLASS).cases.classes
    assert [classes[code] for code in scorer.targets] == [words[case] for case in scorer.case_ids]
    assert scorer.targets.dtype.kind == "i"


def test_losses_by_hand(world):
    result = tasks.Scorer(REAL, 2).losses(Gaussian([7.0, 13.0], [1.0, 4.0]))
    assert list(result) == ["S", "A", "L"]
    assert result["S"].tolist() == [1.0, 9.0]
    assert result["A"].tolist() == [1.0, 3.0]
    np.testing.assert_allclose(
        result["L"], [0.5 * np.log(2 * np.pi) + 0.5, 0.5 * np.log(8 * np.pi) + 9 / 8], rtol=1e-14
    )


def test_losses_are_on_the_original_scale(world):
    """A method that is right on the encoded scale has no loss; one that errs by 1 there errs by the scale."""
    instance, scorer = (
        tasks.instance("people/height/std.7", 0),
        tasks.Scorer("people/height/std.7", 0),
    )
    target = instance.encoding.target
    coded = (scorer.targets - target.centre) / target.scale
    np.testing.assert_allclose(scorer.losses(instance.decode(Point(coded)))["S"], 0, atol=1e-20)
    np.testing.assert_allclose(
        scorer.losses(instance.decode(Point(coded + 1)))["A"], target.scale, rtol=1e-12
    )


def test_point_guess_has_no_log_loss(world):
    scorer = tasks.Scorer(REAL, 0)
    assert list(scorer.losses(Point([0.0, 0.0]))) == ["S", "A"]
    assert list(scorer.losses(Point([0.0, 0.0]), ["L", "A"])) == ["A"]


def test_class_losses(world):
    scorer = tasks.Scorer(CLASS, 0)
    result = scorer.losses(Categorical(np.eye(4)[scorer.targets] * 0.6 + 0.1))
    assert list(result) == ["Z", "Q", "L"]
    assert result["Z"].tolist() == [0.0] * 12
    np.testing.assert_allclose(result["L"], -np.log(0.7), rtol=1e-14)


def test_wrong_number_of_cases(world):
    with pytest.raises(FaultyInput, match="one prediction for each of the 2 test cases"):
        tasks.Scorer(REAL, 0).losses(Point([0.0]))


def test_wrong_kind_of_prediction(world):
    with pytest.raises(FaultyInput, match="found categorical; a prediction of a real target"):
        tasks.Scorer(REAL, 0).losses(Categorical([[0.5, 0.5]] * 2))


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        (REAL, "Z", "is for class targets, and line/double/std.3 has a real target; use S, A, L"),
        (CLASS, "S", "is for real targets"),
    ],
)
def test_loss_for_another_kind_of_target(world, name, code, said):
    scorer = tasks.Scorer(name, 0)
    suited = Point([0.0, 0.0]) if scorer.kind == "real" else Categorical(np.full((12, 4), 0.25))
    refused(BenchbookError, said, scorer.losses, suited, [code])


def test_set_loss_is_refused(world, monkeypatch):
    class Count(SetLoss):
        code, applies_to = "COUNT", "both"

        def of_set(self, pred, y):
            return float(len(y))

    monkeypatch.setattr(losses, "get", lambda code: Count())
    with pytest.raises(BenchbookError, match="one number for a whole test set"):
        tasks.Scorer(REAL, 0).losses(Point([0.0, 0.0]), ["COUNT"])


def test_unknown_loss(world):
    refused(UnknownName, "unknown loss 'B'", tasks.Scorer(REAL, 0).losses, Point([0.0, 0.0]), ["B"])


def test_no_such_instance(world):
    refused(BenchbookError, "numbered 0 to 3", tasks.Scorer, REAL, 4)


def test_standard_joins_the_hierarchical_blocks(world):
    # Blocks 0..1, 2..3, 4..5, 6..7 (8 to 10 are not used): y = 0, 2, ..., 14.
    assert tasks.all_test_targets(REAL).tolist() == [2.0 * case for case in range(8)]
    y = 2.0 * np.arange(8)
    assert tasks.standard(REAL, "S") == pytest.approx(y.var(ddof=1), rel=1e-14)
    assert tasks.standard(REAL, "A") == pytest.approx(np.abs(y - 7).sum() / 7, rel=1e-14)
    assert tasks.standard(REAL, "L") == pytest.approx(
        0.5 * (np.log(2 * np.pi * y.var(ddof=1)) + 1), rel=1e-14
    )


def test_standard_takes_the_common_set_once(world):
    scorer = tasks.Scorer(CLASS, 0)
    shares = np.bincount(scorer.targets) / 12
    assert tasks.all_test_targets(CLASS).tolist() == scorer.targets.tolist()
    assert tasks.standard(CLASS, "Z") == pytest.approx(1 - shares.max(), rel=1e-14)
    assert tasks.standard(CLASS, "Q") == pytest.approx(1 - (shares**2).sum(), rel=1e-14)
