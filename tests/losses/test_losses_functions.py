"""Losses as functions of predictions and targets, without a task."""

import pkgutil
import subprocess
import sys

import numpy as np
import pytest

from benchbook import losses
from benchbook.errors import FaultyInput, Undefined
from benchbook.predictive import Gaussian, Outputs, StudentT, StudentTMixture

Y = np.array([0.3, -1.0, 2.0])
NORMAL = Gaussian([0.0, 0.5, 1.0], [1.0, 2.0, 0.5])


def test_every_loss_is_a_function_by_its_code() -> None:
    for code in losses.available():
        if code.lower().isidentifier():
            assert getattr(losses, code.lower()) is losses.get(code)
            assert code.lower() in dir(losses)


def test_no_file_of_the_package_hides_a_loss() -> None:
    files = {iter_module.name for iter_module in pkgutil.iter_modules(losses.__path__)}
    assert not files & set(losses.functions())


def test_all_losses_are_found_whichever_file_is_imported_first() -> None:
    text = "import benchbook.losses.challenge; from benchbook import losses; print(*losses.available())"
    process = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True
    )
    assert "NLPD" in process.stdout.split()


@pytest.mark.parametrize("code", ["CRPS", "NLPD", "S", "A", "PB50"])
def test_a_function_gives_the_loss_of_every_case(code: str) -> None:
    assert np.array_equal(
        getattr(losses, code.lower())(NORMAL, Y), losses.get(code).per_case(NORMAL, Y)
    )


def test_plain_arrays_are_guesses_probabilities_and_outputs() -> None:
    guesses = np.array([0.0, 0.0, 1.0])
    assert np.allclose(losses.squared_error(guesses, Y), (Y - guesses) ** 2)
    assert np.allclose(losses.crps(guesses.tolist(), Y.tolist()), np.abs(Y - guesses))
    share = np.array([[0.25, 0.75], [0.5, 0.5]])
    assert np.allclose(losses.nlp(share, [1, 0]), -np.log([0.75, 0.5]))
    wanted = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert np.allclose(losses.e(share, wanted), losses.get("E").per_case(Outputs(share), wanted))


def test_a_set_loss_is_one_number() -> None:
    result = losses.nmse(NORMAL, Y)
    assert isinstance(result, float)
    assert np.isclose(result, np.mean((Y - NORMAL.mean()) ** 2) / Y.var(ddof=1))


def test_names_are_those_of_the_losses_and_none_is_shared() -> None:
    assert losses.absolute_error is losses.get("A")
    assert "pinball_loss" not in losses.functions()  # three levels have that name


def test_arrays_that_fit_no_prediction_are_refused() -> None:
    with pytest.raises(FaultyInput, match=r"shape \(2,\).*probabilities \[J, C\]"):
        losses.brier([0.2, 0.8], [1, 0])
    with pytest.raises(FaultyInput, match=r"shape \(2, 2\).*numbers \[J\]"):
        losses.crps([[0.2, 0.8], [0.5, 0.5]], [1.0, 0.0])
    with pytest.raises(FaultyInput, match=r"3 numbers|shape \(2,\)|2 targets"):
        losses.crps(NORMAL, Y[:2])
    with pytest.raises(Undefined):
        losses.nlpd([0.0, 1.0, 2.0], Y)


def test_an_unknown_function_names_those_there_are() -> None:
    with pytest.raises(AttributeError, match="crps, crpsfair"):
        _ = losses.crpss


def test_a_loss_and_a_distribution_say_what_they_are() -> None:
    assert repr(losses.get("nlpd")).startswith("<loss NLPD: negative log predictive density")
    page = NORMAL._repr_html_()
    assert "Gaussian, 3 cases" in page
    assert "0.5 to 2" in page


def test_both_student_ts_call_their_degrees_of_freedom_df() -> None:
    item, several = StudentT([0.0], [1.0], df=4.0), StudentTMixture([1.0], [[0.0]], [1.0], df=[4.0])
    assert item.df[0] == several.df[0, 0] == 4.0
    assert np.allclose(item.variance(), several.variance())
