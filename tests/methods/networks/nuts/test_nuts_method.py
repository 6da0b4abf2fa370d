"""The method as the registry, a user without the extra, and an archive see it."""

import subprocess
import sys

import numpy as np
import pytest

from benchbook import methods
from benchbook.errors import BenchbookError
from benchbook.methods.extras import MissingExtra
from benchbook.methods.networks.nuts import diagnose
from benchbook.seeds import generator


@pytest.fixture
def without_numpyro(monkeypatch):
    for name in {
        "numpyro",
        "numpyro.infer.hmc",
        *(name for name in sys.modules if name.startswith("numpyro.")),
    }:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "benchbook.methods.networks.bayesian.nuts", raising=False)


def test_without_the_extra_it_says_how_to_get_it(without_numpyro, make_instance, rng):
    inputs = rng.normal(size=(10, 2))
    instance = make_instance(inputs, inputs[:, 0], inputs[:3])
    with pytest.raises(
        MissingExtra, match=r"mlp-nuts-1 needs NumPyro.*pip install 'benchbook\[nuts\]'"
    ):
        methods.get("mlp-nuts-1").predict(instance, generator(1))
    with pytest.raises(methods.MethodFailed, match=r"mlp-nuts-1 .*pip install 'benchbook\[nuts\]'"):
        methods.answer(methods.get("mlp-nuts-1"), instance, generator(1))
    assert issubclass(MissingExtra, BenchbookError)


def test_listing_and_describing_it_loads_neither_jax_nor_numpyro():
    code = (
        "import sys; from benchbook import methods\n"
        "print(methods.get('mlp-nuts-1').description, 'mlp-nuts-1' in methods.available())\n"
        "print([name for name in ('jax', 'numpyro', 'numba') if name in sys.modules])"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    message, loaded = process.stdout.splitlines()
    assert message.endswith(" True")
    assert "NUTS" in message
    assert loaded == "[]"


def test_it_is_an_extra_of_the_project(repository):
    import tomllib

    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf8"))["project"]
    assert any(need.startswith("numpyro") for need in project["optional-dependencies"]["nuts"])
    assert not any("numpyro" in need or "jax" in need for need in project["dependencies"])


class Made:
    """States of two chains, made by hand: three weights, two sets of which one is fixed."""

    def __init__(self, apart: float) -> None:
        rng = generator(2, "states")
        self.weights = rng.normal(size=(2, 200, 3))
        self.sigma = np.ones((2, 200, 2))
        self.sigma[..., 0] = np.exp(rng.normal(size=(2, 200)))
        self.noise = np.exp(0.1 * rng.normal(size=(2, 200)) + np.array([[0.0], [apart]]))
        self.gradients, self.diverged, self.acceptance = 123, 4, 0.912345


def test_diagnostics_compare_the_chains():
    watched = generator(3, "watched").normal(size=(2, 200, 5))
    together, apart = (diagnose(Made(move), watched, 100) for move in (0.0, 1.0))
    assert together["rhat_noise"] < 1.03
    assert apart["rhat_noise"] > 1.5
    assert apart["ess_noise"] < 20 < 200 < together["ess_noise"]
    assert together["rhat_sigma"] == apart["rhat_sigma"] < 1.03
    assert together["noise_sd"] == pytest.approx(1.0, abs=0.03)
    assert together["noise_sd_error"] == pytest.approx(0.1 / np.sqrt(400), rel=0.3)
    assert together["sigma"][1] == 1.0
    assert (together["gradient_passes"], together["diverged"], together["acceptance"]) == (
        123,
        4,
        0.9123,
    )
    assert all(np.isfinite(value).all() for value in together.values())


def test_it_refuses_a_single_case(make_instance, rng):
    inputs = rng.normal(size=(1, 2))
    with pytest.raises(BenchbookError, match="at least 2 training cases"):
        methods.get("mlp-nuts-1").predict(make_instance(inputs, inputs[:, 0], inputs), generator(1))


def test_the_constants_are_those_of_the_method_it_checks():
    """Same network and priors as mlp-mc-3."""
    from benchbook.methods.networks.bayesian import constants

    assert methods.get("mlp-nuts-1").settings.model == constants.model(relevance=True, direct=False)
    assert methods.get("mlp-mc-3").settings.model == constants.model(relevance=True, direct=False)
