"""Finding losses, adding one, and what each says of itself."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refused

from benchbook import losses, studies
from benchbook.errors import BenchbookError, FaultyInput, Undefined, UnknownName
from benchbook.losses import DistributionLoss, Loss, PointLoss, SetLoss
from benchbook.losses.registry import Registry
from benchbook.predictive import Categorical, Gaussian, Point, Predictive

PINBALL = '''
import numpy as np

from benchbook.losses import PointLoss


class Pinball(PointLoss):
    """The pinball loss at level 0.9."""

    code = "P90"
    name = "pinball loss at 0.9"
    description = "Asymmetric absolute error, least for the 0.9 quantile."
    applies_to = "real"
    unit = "target unit"
    proper = "proper"
    source = "Koenker and Bassett (1978)"

    def guess(self, pred):
        return pred.quantile([0.9])[:, 0]

    def of_guess(self, guess, y):
        return np.maximum(0.9 * (y - guess), -0.1 * (y - guess))


loss = Pinball()
'''


class WorstError(SetLoss):
    """The largest absolute error of a set."""

    code = "WORST"
    name = "worst error"
    description = "The largest distance between a target and the median."
    applies_to = "real"
    unit = "target unit"
    proper = "no"
    source = "this test"

    def of_set(self, pred: Predictive, y: np.ndarray) -> float:
        return np.abs(y - pred.median()).max()


@pytest.fixture
def registry() -> Registry:
    return Registry("benchbook.losses")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose files count as files of benchbook/losses/."""
    monkeypatch.setattr(losses, "__path__", [*losses.__path__, str(tmp_path)])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith("benchbook.losses."):
            del sys.modules[name]
            delattr(losses, name.rpartition(".")[2])


def test_delves_losses_are_there() -> None:
    assert set(losses.available()) >= {"A", "S", "L", "Z", "Q"}
    assert list(losses.available()) == sorted(losses.available())


@pytest.mark.parametrize("code", losses.available())
def test_every_loss_describes_itself(code: str) -> None:
    loss = losses.get(code)
    assert isinstance(loss, Loss)
    assert loss.code == code
    assert loss.orientation == "smaller is better"
    assert all((loss.name, loss.description.endswith("."), loss.unit, loss.source))
    assert type(loss).__doc__


def test_adding_a_loss_is_one_file(folder: Path, registry: Registry) -> None:
    shipped = Registry(
        "benchbook.losses"
    ).available()  # not losses.available(): other tests add losses of their own
    (folder / "pinball.py").write_text(PINBALL)
    assert set(registry.available()) == {*shipped, "P90"}
    loss = registry.get("P90")
    pred = Gaussian([0.0, 0.0], [1.0, 1.0])
    guess = loss.guess(pred)
    assert np.allclose(loss.per_case(pred, guess + np.array([1.0, -1.0])), [0.9, 0.1])
    refused(Undefined, "loss P90 has no standard scale", loss.standard, [1.0, 2.0])


def test_threads_that_ask_at_once_all_find_everything(folder: Path) -> None:
    (folder / "pinball.py").write_text("import time\ntime.sleep(0.2)\n" + PINBALL)
    registry = Registry("benchbook.losses")
    with ThreadPoolExecutor(4) as pool:
        results = [
            finished.result() for finished in [pool.submit(registry.get, "P90") for _ in range(4)]
        ]
    assert {loss.code for loss in results} == {"P90"}
    assert len({id(loss) for loss in results}) == 1


def test_a_loss_file_that_cannot_be_imported_is_named(folder: Path, registry: Registry) -> None:
    shipped = Registry("benchbook.losses").available()
    (folder / "broken_loss.py").write_text("import nothing_of_that_name")
    with pytest.raises(
        BenchbookError,
        match=r"benchbook\.losses\.broken_loss cannot be imported \(ModuleNotFoundError",
    ):
        registry.available()
    (folder / "broken_loss.py").unlink()
    assert registry.available() == shipped


def test_an_unknown_loss_gives_the_nearest(registry: Registry) -> None:
    registry.register(WorstError())
    refused(UnknownName, r"unknown loss 'WORTS'\. Nearest: WORST", registry.get, "WORTS")


def test_registering_twice(registry: Registry) -> None:
    loss = WorstError()
    assert registry.register(loss) is registry.register(loss) is registry.get("WORST")
    with pytest.raises(
        BenchbookError, match=r"the loss code 'WORST' .* is taken by WorstError \(worst error\)"
    ):
        registry.register(WorstError())
    assert registry.get("WORST") is loss


def test_a_loss_that_does_not_describe_itself_is_refused_with_all_faults(
    registry: Registry,
) -> None:
    class Vague(WorstError):
        code = ""
        name = None  # type: ignore[assignment]
        applies_to = "numbers"  # type: ignore[assignment]
        proper = "maybe"  # type: ignore[assignment]
        orientation = "larger is better"

    with pytest.raises(FaultyInput) as caught:
        registry.register(Vague())
    assert [fault.where for fault in caught.value.faults] == [
        "code",
        "name",
        "applies_to",
        "proper",
        "orientation",
    ]
    assert "must be one of 'real', 'class', 'both'" in str(caught.value)
    with pytest.raises(FaultyInput, match="must be an instance of a class derived from Loss"):
        registry.register(WorstError)  # type: ignore[arg-type]


def test_a_standard_scale_needs_its_rule(registry: Registry) -> None:
    class Unruly(WorstError):
        code = "U"
        applies_to = "both"
        standard_rule = "divide"

    with pytest.raises(FaultyInput) as caught:
        registry.register(Unruly())
    assert [fault.where for fault in caught.value.faults] == ["_standard_real", "_standard_class"]


def test_a_set_loss_lives_in_the_registry(registry: Registry) -> None:
    registry.register(WorstError())
    loss = registry.get("WORST")
    pred = Gaussian([0.0, 1.0], [1.0, 1.0])
    assert loss.is_set
    assert loss.per_set(pred, [3.0, -1.5]) == 3.0
    assert isinstance(loss.per_set(pred, [3.0, -1.5]), float)
    with pytest.raises(Undefined, match="one number for a whole set of cases; use per_set"):
        loss.per_case(pred, [3.0, -1.5])
    refused(Undefined, "no guess for one case", loss.guess, pred)
    refused(FaultyInput, "case 0, y: found nan", loss.per_set, pred, [np.nan, 0.0])


def test_a_loss_of_cases_has_no_number_for_a_set() -> None:
    with pytest.raises(Undefined, match="use per_case, and take the mean"):
        losses.get("S").per_set(Point([1.0]), [1.0])


WRONG: list[tuple[str, Any, Any, type[BenchbookError], str]] = [
    (
        "S",
        Gaussian([1.0, 2.0], [1.0, 1.0]),
        [1.0],
        FaultyInput,
        r"targets for loss S: .*\n.*shape \(1,\)",
    ),
    ("A", Gaussian([1.0, 2.0], [1.0, 1.0]), [np.inf, np.nan], FaultyInput, "loss A: 2 faults"),
    (
        "L",
        Categorical([[0.5, 0.5]]),
        [2],
        FaultyInput,
        "case 0, y: found 2.0; must be a class index",
    ),
    (
        "Z",
        Gaussian([1.0], [1.0]),
        [1.0],
        Undefined,
        "loss Z is for class targets; a gaussian prediction",
    ),
    ("Q", Gaussian([1.0], [1.0]), [1.0], Undefined, "loss Q is for class targets"),
    (
        "S",
        Categorical([[0.5, 0.5]]),
        [0],
        Undefined,
        "loss S is for real targets; a categorical prediction",
    ),
    (
        "S",
        np.array([1.0]),
        [1.0],
        BenchbookError,
        "loss S needs a predictive distribution; it was given ndarray",
    ),
    ("L", Point([1.0]), [1.0], Undefined, "a point distribution has no density"),
]


@pytest.mark.parametrize(("code", "pred", "y", "error", "message"), WRONG)
def test_what_does_not_fit_is_said(
    code: str, pred: Any, y: Any, error: type[BenchbookError], message: str
) -> None:
    refused(error, message, losses.get(code).per_case, pred, y)


@pytest.mark.parametrize("code", ["L", "Q"])
def test_losses_of_distributions_have_no_guess(code: str) -> None:
    with pytest.raises(Undefined, match="judges a whole distribution"):
        losses.get(code).guess(Categorical([[0.5, 0.5]]))


def test_the_three_shapes_are_abstract() -> None:
    for shape in (PointLoss, DistributionLoss, SetLoss):
        with pytest.raises(TypeError, match="abstract"):
            shape()  # type: ignore[abstract]


def test_a_code_is_found_whether_its_letters_are_large_or_small():
    assert losses.get("nlpd") is losses.get("NLPD")
    assert losses.get("NMSE") is losses.get("nMSE")
    assert studies.Plan("p", 1, ["lin-1"], ["kin-8nm-sim/dist/std.64"], losses=["s"]).losses == (
        "S",
    )
    with pytest.raises(UnknownName):
        losses.get("nlpdd")
