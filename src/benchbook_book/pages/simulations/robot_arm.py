"""MacKay's robot arm put through the report's whole toolbox, data set by data set, with the true future utility.

Source: Vehtari and Lampinen (2001), section 3.2. Two angles, two coordinates of the arm's end, 200 cases, a network of
eight hidden units and a Gaussian process, 100 draws from every posterior, ten folds at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from benchbook import datasets
from benchbook.assess import densities
from benchbook.errors import BenchbookError
from benchbook.files import atomic
from benchbook.folds import Fold, labels_of, random_folds
from benchbook.methods.gaussian_processes.residuals.sampling import sample_gp
from benchbook.methods.gaussian_processes.residuals.settings import GPSettings
from benchbook.methods.networks.residuals.runs import ResidualSettings
from benchbook.methods.networks.residuals.sampling import sample_mlp
from benchbook.progress import bar
from benchbook.seeds import generator
from benchbook_book.pages.simulations import longer as longer_chains
from benchbook_book.pages.simulations.left_out import OnData, diagnostics, fact_line

if TYPE_CHECKING:
    from benchbook.methods.shared.posterior import Posterior

Array = NDArray[np.float64]
NOISE = 0.05
CASES, FUTURE, FOLDS = 200, 10_000, 10
MODELS = ("mlp", "gp")
SETS = ("mackay-1", "mackay-2", "mackay-3", "fresh-1", "fresh-2")
_RANKS = 40
_REDRAWN = 30
_NETWORK = ResidualSettings(hidden=8, outputs=2)


def arm(inputs: Array) -> Array:
    """Where the end of the arm is, [n, 2], for angles [n, 2] in radians; equations 40 and 41 without the noise."""
    first, second = inputs.T
    return np.column_stack(
        [
            2.0 * np.cos(first) + 1.3 * np.cos(first + second),
            2.0 * np.sin(first) + 1.3 * np.sin(first + second),
        ]
    )


def angles(cases: int, rng: np.random.Generator) -> Array:
    """Angles [n, 2] as the report draws them."""
    first = rng.choice([-1.0, 1.0], cases) * rng.uniform(0.453, 1.932, cases)
    return np.column_stack([first, rng.uniform(0.534, 3.142, cases)])


def data_set(name: str) -> tuple[Array, Array]:
    """Inputs [200, 2] and targets [200, 2] of one of ``SETS``.

    Raises:
        MissingData: one of MacKay's, and they are not available.
        BenchbookError: there is no such set.
    """
    kind, _, number = name.partition("-")
    if name not in SETS:
        raise BenchbookError(f"there is no robot arm {name!r}; there are {', '.join(SETS)}")
    if kind == "fresh":
        rng = generator(1, "robot arm", name)
        inputs = angles(CASES, rng)
        return inputs, arm(inputs) + NOISE * rng.normal(size=(CASES, 2))
    cases = datasets.load("robotarm").cases[CASES * (int(number) - 1) : CASES * int(number)]
    return cases.select("x1", "x2").to_numpy(), cases.select("y1", "y2").to_numpy()


def fitted(
    model: str,
    inputs: Array,
    targets: Array,
    rng: np.random.Generator,
    settings: ResidualSettings | None = None,
) -> OnData:
    """The posterior of one of ``MODELS`` given cases [n, 2] and [n, 2]; with other settings of a network's sampler than
    those of the example, if they are given."""

    def fit(standard: Array, wanted: Array, chance: np.random.Generator) -> Posterior:
        return _sample(model, standard, wanted, chance, settings)

    return OnData(fit, inputs, targets, False, rng)


def _sample(
    model: str,
    inputs: Array,
    targets: Array,
    rng: np.random.Generator,
    settings: ResidualSettings | None,
) -> Posterior:
    if model == "gp":
        return sample_gp(inputs, targets, "n", GPSettings(), rng)
    return sample_mlp(inputs, targets, "n", settings or _NETWORK, rng)


def assessed(
    name: str, model: str, seed: int = 1, folds: int = FOLDS
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """One model on one data set: everything that the report's figures 1 to 7 need.

    Utilities are squared errors, the mean over both coordinates, and log densities of both together, in nats.

    Returns:
        a line for each case: ``case``, ``x1``, ``x2``, ``fold``; ``error_training``, ``error_loo``, ``error_cv``,
        ``density_training``, ``density_loo``, ``density_raw``, ``density_cv``, ``k_hat``, ``effective``; ``curve``, the
        cumulative raw weights at 40 ranks; ``errors`` and ``densities``, of each fold's model, and ``redrawn``, thirty
        draws of ``error_cv`` by reweighting the posterior's draws. And the facts of ``truth`` with the diagnostics.
    """
    inputs, targets = data_set(name)
    parts = random_folds(len(inputs), folds, generator(seed, "robot arm", name, "folds"))
    whole = fitted(model, inputs, targets, generator(seed, "robot arm", name, model, "all"))
    columns = {
        "case": np.arange(len(inputs)),
        "x1": inputs[:, 0],
        "x2": inputs[:, 1],
        "fold": labels_of(parts, len(inputs)),
    } | _by_weights(whole, targets)
    columns |= _by_folds(model, inputs, targets, parts, seed, name)
    facts = {"set": name, "model": model, **truth(whole, inputs, targets)}
    frame = pl.DataFrame(
        {key: value if value.ndim == 1 else value.tolist() for key, value in columns.items()}
    )
    return frame.select(
        pl.lit(name).alias("set"), pl.lit(model).alias("model"), pl.all()
    ), facts | {"diagnostics": diagnostics(whole)}


def squared(means: Array, targets: Array) -> Array:
    """Squared errors [..., n], the mean over both coordinates, of predictions [..., n, 2]."""
    return ((means - targets) ** 2).mean(axis=-1)


def _by_weights(whole: OnData, targets: Array) -> dict[str, Array]:
    likelihood = whole.posterior.log_likelihood
    estimate, raw = densities.loo(likelihood), densities.loo_weights(likelihood, smooth=False)[0]
    jacobian = np.log(whole.spread).sum()
    mean = np.einsum("mn,mno->no", densities.loo_weights(likelihood)[0], whole.left_out())
    curves = densities.cumulative_weights(raw)
    places = np.unique(np.geomspace(1, len(curves), _RANKS).round().astype(int)) - 1
    return {
        "error_training": squared(whole.draws(whole.inputs).mean(axis=0), targets),
        "error_loo": squared(mean, targets),
        "density_training": whole.log_density(whole.inputs, targets),
        "density_loo": estimate.log_density - jacobian,
        "density_raw": estimate.raw_log_density - jacobian,
        "k_hat": estimate.k_hat,
        "effective": estimate.raw_effective,
        "curve": curves[places].T,
    }


def _by_folds(
    model: str, inputs: Array, targets: Array, parts: Sequence[Fold], seed: int, name: str
) -> dict[str, Array]:
    cases = len(inputs)
    errors, density = np.empty((len(parts), cases)), np.empty((len(parts), cases))
    redrawn = np.empty((_REDRAWN, cases))
    for index, fold in enumerate(bar(parts, label=f"{name} {model}")):
        rng = generator(seed, "robot arm", name, model, str(index))
        item = fitted(model, inputs[fold.train], targets[fold.train], rng)
        means = item.draws(inputs)
        errors[index], density[index] = (
            squared(means.mean(axis=0), targets),
            item.log_density(inputs, targets),
        )
        weights = rng.dirichlet(np.ones(len(means)), _REDRAWN)
        redrawn[:, fold.test] = squared(
            np.einsum("rm,mno->rno", weights, means[:, fold.test]), targets[fold.test]
        )
    own, every = labels_of(parts, cases), np.arange(cases)
    return {
        "error_cv": errors[own, every],
        "density_cv": density[own, every],
        "errors": errors.T,
        "densities": density.T,
        "redrawn": redrawn.T,
    }


def truth(whole: OnData, inputs: Array, targets: Array) -> dict[str, float]:
    """The true expected utilities of a fitted model, by 10,000 new inputs.

    ``true_error``: mean squared error with the noise integrated analytically, (f - f̂)² + 0.05²; ``true_error_inside``
    of those inputs that lie in the convex hulls of the training inputs, a hull for either sign of the first angle,
    which are a share ``inside``; ``true_density``: mean log density with noise drawn; ``realised``: root mean square of
    the noise in the data.
    """
    rng = generator(1, "robot arm", "future")
    new = angles(FUTURE, rng)
    error = squared(whole.draws(new).mean(axis=0), arm(new)) + NOISE**2
    within = inside(new, inputs)
    density = whole.log_density(new, arm(new) + NOISE * rng.normal(size=new.shape))
    return {
        "true_error": float(error.mean()),
        "true_error_inside": float(error[within].mean()),
        "inside": float(within.mean()),
        "true_density": float(density.mean()),
        "realised": float(np.sqrt(np.mean((targets - arm(inputs)) ** 2))),
    }


def inside(new: Array, inputs: Array) -> NDArray[np.bool_]:
    """[J], whether new inputs lie in the convex hull of the inputs [n, 2] whose first angle has their sign."""
    within = np.zeros(len(new), dtype=bool)
    for sign in (-1.0, 1.0):
        hull = scipy.spatial.Delaunay(inputs[np.sign(inputs[:, 0]) == sign])
        here = np.sign(new[:, 0]) == sign
        within[here] = hull.find_simplex(new[here]) >= 0
    return within


def continued(
    folder: Path, sets: Sequence[str] = SETS, models: Sequence[str] = MODELS
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """All of them, kept in a folder as they come: call it again to go on.

    Returns:
        the cases, and the facts, as ``assessed`` gives them.
    """
    cases, facts = [], []
    for name in sets:
        for model in models:
            path = folder / f"{name}-{model}"
            if not path.with_suffix(".facts.parquet").is_file():
                frame, lines = assessed(name, model)
                with atomic(path.with_suffix(".cases.parquet")) as scratch:
                    frame.write_parquet(scratch)
                with atomic(path.with_suffix(".facts.parquet")) as scratch:
                    pl.DataFrame([lines]).write_parquet(scratch)
            cases.append(pl.read_parquet(path.with_suffix(".cases.parquet")))
            facts.append(pl.read_parquet(path.with_suffix(".facts.parquet")))
    return pl.concat(cases), pl.concat(facts)


def longer(folder: Path, sets: Sequence[str], times: Sequence[int]) -> pl.DataFrame:
    """The network given all cases of a set, with so many times the passes; with 1 it is that of ``assessed``.

    Returns:
        a line for each fit: ``set``, ``times``, the facts of ``truth``, and ``diagnostics``; see ``longer.fits``.
    """

    def line(name: str, factor: int) -> pl.DataFrame:
        inputs, targets = data_set(name)
        whole = fitted(
            "mlp",
            inputs,
            targets,
            generator(1, "robot arm", name, "mlp", "all"),
            longer_chains.settings(_NETWORK, factor),
        )
        return fact_line(whole, set=name, times=factor, **truth(whole, inputs, targets))

    return longer_chains.fits(folder, sets, times, line)
