"""Networks made for tables, by pytabkit: realmlp-1 and tabm-1."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.extras import library, version_of
from benchbook.methods.settings import setting
from benchbook.predictive import Point

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

REALMLP, TABM = "realmlp-1", "tabm-1"
_FEWEST = 5


@dataclass(frozen=True)
class RealMLP:
    """The constants of realmlp-1, the tuned defaults of the library."""

    epochs: int = setting(256, "times that the network sees its cases", least=1)


@dataclass(frozen=True)
class TabM:
    """The constants of tabm-1, the defaults of the library."""

    members: int = setting(32, "networks that share most of their weights", least=1)
    patience: int = setting(16, "epochs without a better one after which it stops", least=1)


@method(
    name=REALMLP,
    description="RealMLP with its tuned defaults (pytabkit, an optional extra), the best epoch on a fifth of the "
    "training cases; states no variance",
    kinds={"real"},
    extra="tables",
    settings=RealMLP(),
    source="D. Holzmüller et al., Better by Default: Strong Pre-Tuned MLPs and Boosted Trees on Tabular Data, 2024",
    calls=["benchbook.methods.extras:library"],
)
def realmlp_1(
    instance: TaskInstance, rng: np.random.Generator, settings: RealMLP
) -> tuple[Predictive, dict[str, Any]]:
    """RealMLP-TD as its library has it: 256 epochs, of which the one with the least error on a fifth held out is kept.

    Raises:
        MissingExtra: pytabkit is not installed.
    """
    return _fitted(REALMLP, "RealMLP_TD_Regressor", {"n_epochs": settings.epochs}, instance, rng)


@method(
    name=TABM,
    description="TabM with its default settings (pytabkit, an optional extra), stopped on a fifth of the training "
    "cases; states no variance",
    kinds={"real"},
    extra="tables",
    settings=TabM(),
    source="Y. Gorishniy et al., TabM: Advancing Tabular Deep Learning with Parameter-Efficient Ensembling, 2024",
    calls=["benchbook.methods.extras:library"],
)
def tabm_1(
    instance: TaskInstance, rng: np.random.Generator, settings: TabM
) -> tuple[Predictive, dict[str, Any]]:
    """TabM-D as its library has it: 32 networks that share weights, until a fifth held out is no better for 16 epochs.

    Raises:
        MissingExtra: pytabkit is not installed.
    """
    changed = {"tabm_k": settings.members, "patience": settings.patience}
    return _fitted(TABM, "TabM_D_Regressor", changed, instance, rng)


def _fitted(
    name: str,
    learner: str,
    constants: dict[str, Any],
    instance: TaskInstance,
    rng: np.random.Generator,
) -> tuple[Predictive, dict[str, Any]]:
    """A learner of pytabkit on one thread, or the mean of the targets where there are no five cases to hold one out."""
    need_cases(instance, 2, name)
    module = library("pytabkit", name, "tables")
    if len(instance.train_targets) < _FEWEST:
        mean = float(instance.train_targets.mean())
        return Point(np.full(len(instance.test_inputs), mean)), version_of(module)
    model = getattr(module, learner)(
        device="cpu", n_threads=1, random_state=int(rng.integers(2**31)), **constants
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own use of other libraries
        model.fit(np.array(instance.train_inputs), np.array(instance.train_targets))
        predicted = model.predict(np.array(instance.test_inputs))
    return Point(np.asarray(predicted, dtype=np.float64)), version_of(module)
