"""Small worlds for testing samplers of networks under every residual model."""

from __future__ import annotations

from typing import Any

import pytest
from residual_networks import ResidualNetworkWorld

from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.methods.networks.residuals.model import ResidualNetwork
from benchbook.methods.shared.residuals import ONE_GROUP, Groups
from benchbook.seeds import generator


def _network(**form: Any) -> ResidualNetwork:
    read = Prior.parse
    return ResidualNetwork(
        2,
        input_hidden=read("x1:6:5"),
        hidden_bias=read("0.7:5"),
        hidden_output=read("x1:6"),
        hidden_spread=read("x0.7:6"),
        input_spread=read("x0.5:5:6"),
        **form,
    )


FORMS: dict[str, tuple[dict[str, Any], bool, Groups]] = {
    "n": ({}, False, ONE_GROUP),
    "n, two outputs": ({"outputs": 2}, False, ONE_GROUP),
    "t": ({}, True, ONE_GROUP),
    "in": ({"spread": True}, False, ONE_GROUP),
    "it": ({"spread": True}, True, ONE_GROUP),
    "in, groups": ({}, False, Groups((1,), (0.0,))),
    "it, groups": ({}, True, Groups((1,), (0.0,))),
    "logistic": ({"classes": True}, False, ONE_GROUP),
}


@pytest.fixture(scope="session")
def worlds() -> dict[str, ResidualNetworkWorld]:
    """Two hidden units and seven cases of two inputs, the second 0 or 1, under each residual model."""
    inputs = generator(0, "vl").normal(size=(7, 2))
    inputs[:, 1] = inputs[:, 1] > 0
    noise = Prior.parse("0.5:6:5")
    return {
        name: ResidualNetworkWorld(_network(**form), inputs, tails, groups, noise)
        for name, (form, tails, groups) in FORMS.items()
    }
