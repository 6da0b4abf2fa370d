"""What the pages of the challenge's five tasks show of each: the trait that its task is about, as frames."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.datasets.families import catalysis, gatineau, gaze, outaouais, stereopsis
from benchbook.pages.challenge_tasks import Recreated, recreated
from benchbook.predictive import Gaussian, Mixture
from benchbook.seeds import generator

Array = NDArray[np.float64]

# -- stereopsis -------------------------------------------------------------------------------------------------------


def planes() -> pl.DataFrame:
    """The test cases of stereopsis-sim: case and plane (from 1), depth, rest (depth less that of its plane), across,
    down and seen (where the two rays meet), all in mm, and chance, that of the plane given the pixels."""
    one = recreated("stereopsis")
    plane = nearest_plane(one.targets)
    points = stereopsis.triangulate(one.inputs)
    assert isinstance(one.law, Mixture)
    chance = one.law.weight.reshape(len(plane), 10, 3).sum(axis=2)[np.arange(len(plane)), plane]
    return pl.DataFrame({
        "case": np.arange(1, len(plane) + 1), "depth": one.targets, "plane": plane + 1,
        "rest": one.targets - plane_depths()[plane], "across": points[:, 0], "down": points[:, 1], "seen": points[:, 2],
        "chance": chance})


def plane_depths() -> Array:
    """The depths [10] at which the planes were meant to be, mm."""
    return stereopsis.MIDDLE + stereopsis.SPACING * (np.arange(10, dtype=np.float64) - 4.5)


def nearest_plane(depth: Array) -> NDArray[np.int64]:
    """The plane, from 0, that is nearest to each depth [n]."""
    return np.abs(depth[:, None] - plane_depths()).argmin(axis=1).astype(np.int64)


class Snapped(NamedTuple):
    """Predictions that trust their plane, and the test cases in which that was another one."""

    prediction: Gaussian
    wrong: NDArray[np.int64]


def snapped() -> Snapped:
    """Depths from the rig's geometry: triangulate, take the nearest plane, and on it the least squares of its training
    cases (tilt and sag) with their spread as the standard deviation.

    The idea is that of the challenge's entry "modelling the experimental setting"; how its authors did it is not known
    here. The rig is taken as known, which they had to find out.
    """
    one = recreated("stereopsis")
    mean, variance = np.zeros(len(one.targets)), np.zeros(len(one.targets))
    plane, trained = (nearest_plane(stereopsis.triangulate(pixels)[:, 2]) for pixels in (one.inputs, one.seen[0]))
    real = nearest_plane(one.seen[1])
    for k in range(10):
        fit, here = (real == k) & (trained == k), plane == k
        design, asked = (_surface(pixels) for pixels in (one.seen[0][fit], one.inputs[here]))
        weights, _, rank, _ = np.linalg.lstsq(design, one.seen[1][fit], rcond=None)
        mean[here] = asked @ weights
        rest = one.seen[1][fit] - design @ weights
        variance[here] = rest @ rest / (fit.sum() - rank)
    return Snapped(Gaussian(mean, variance), np.flatnonzero(plane != nearest_plane(one.targets)))


def _surface(pixels: Array) -> Array:
    x, y, _ = stereopsis.triangulate(pixels).T / 100
    return np.column_stack([np.ones_like(x), x, y, x**2 + y**2])


# -- gaze -------------------------------------------------------------------------------------------------------------

FATES = ("nothing lost", "eye cameras slipped", "markers lost")
"""What may have happened in a case of gaze-sim."""


def read_off() -> pl.DataFrame:
    """The test cases of gaze-sim: case, target, expected and sd (by the law, pixels), likely (which fate is the most
    probable given the inputs) and farthest, the largest of the distances of the inputs from their median in units of
    the median distance."""
    one = recreated("gaze")
    mass = gaze.mass(one.dataset, one.inputs)
    pixels = np.arange(gaze.LEAST, gaze.MOST + 1)
    expected = mass @ pixels
    likely = gaze.fates(one.inputs).argmax(axis=1)
    away = np.abs(one.inputs - np.median(one.seen[0], axis=0))
    unit = np.median(np.abs(one.seen[0] - np.median(one.seen[0], axis=0)), axis=0)
    return pl.DataFrame({
        "case": np.arange(1, len(expected) + 1), "target": one.targets, "expected": expected,
        "sd": np.sqrt(mass @ pixels**2 - expected**2), "likely": np.array(FATES)[likely],
        "farthest": (away / unit).max(axis=1)})


def examples() -> dict[int, str]:
    """Three test cases of gaze-sim by number and what they are: one of median spread, the one in which the eye cameras
    have most probably slipped, and the first with lost markers."""
    cases = read_off()
    slipped = int(gaze.fates(recreated("gaze").inputs)[:, 1].argmax()) + 1
    fine = cases.filter(likely=FATES[0]).sort("sd")
    lost = cases.filter(likely=FATES[2])["case"][0]
    return {int(fine["case"][fine.height // 2]): "an ordinary case", slipped: "pupils that do not match",
            int(lost): "markers far from all others"}


def laws(cases: list[int], step: int = 4) -> pl.DataFrame:
    """The law of some test cases of gaze-sim (numbers from 1): case, pixel and chance (per pixel), every ``step``th."""
    one = recreated("gaze")
    at = np.array(cases) - 1
    pixels = np.arange(gaze.LEAST, gaze.MOST + 1)[::step]
    mass = gaze.mass(one.dataset, one.inputs[at])[:, ::step]
    return pl.DataFrame({"case": np.repeat(cases, len(pixels)), "pixel": np.tile(pixels, len(cases)),
                         "chance": mass.ravel(), "target": np.repeat(one.targets[at], len(pixels))})


# -- outaouais --------------------------------------------------------------------------------------------------------


def clusters(shown: int = 6, cases: int = 1500) -> pl.DataFrame:
    """Test cases of outaouais-sim: first and second (principal components of the standardised inputs), cluster (1 is
    the most frequent; "others" beyond ``shown``), along (the place in its cluster's first direction) and target."""
    one = recreated("outaouais")
    inputs, targets = one.inputs[:cases], one.targets[:cases]
    scaled = (inputs - one.inputs.mean(axis=0)) / one.inputs.std(axis=0)
    turned = scaled @ np.linalg.svd(scaled, full_matrices=False)[2][:2].T
    cluster = outaouais.nearest(inputs)
    names = [f"cluster {k + 1}" if k < shown else "others" for k in cluster]
    return pl.DataFrame({"first": turned[:, 0], "second": turned[:, 1], "cluster": names, "target": targets})


def inside(shown: int = 6) -> pl.DataFrame:
    """The test cases of the most frequent clusters of outaouais-sim: cluster, along (the place in the direction of its
    own that says most of the target), target, and expected, by the law."""
    one = recreated("outaouais")
    cluster = outaouais.nearest(one.inputs)
    frames = []
    for k in range(shown):
        here = np.flatnonzero(cluster == k)[:250]
        z = outaouais.coordinates(one.inputs[here], cluster[here])
        expected = outaouais.clean(one.dataset, one.inputs[here])
        best = np.abs([np.corrcoef(column, expected)[0, 1] for column in z.T]).argmax()
        frames.append(pl.DataFrame({"cluster": f"cluster {k + 1}", "along": z[:, best], "target": one.targets[here],
                                    "expected": expected}))
    return pl.concat(frames)


def shares_of_variance() -> dict[str, float]:
    """Of the test targets' variance in outaouais-sim: what least squares on all inputs leaves, what the mean of the
    cluster leaves, and noise. Least squares and means are fitted to the training cases."""
    one = recreated("outaouais")
    (inputs, targets), total = one.seen, one.targets.var()
    center, scale = inputs.mean(axis=0), inputs.std(axis=0)
    design, asked = (np.column_stack([np.ones(len(part)), (part - center) / scale]) for part in (inputs, one.inputs))
    line = asked @ np.linalg.lstsq(design, targets, rcond=None)[0]
    cluster, here = outaouais.nearest(inputs), outaouais.nearest(one.inputs)
    count = np.bincount(cluster, minlength=outaouais.CLUSTERS)
    means = np.bincount(cluster, targets, minlength=outaouais.CLUSTERS) / np.maximum(count, 1)
    left = {"least squares": line, "mean of the cluster": means[here],
            "noise": outaouais.clean(one.dataset, one.inputs)}
    return {name: float(np.mean((one.targets - fit) ** 2) / total) for name, fit in left.items()}


# -- classes ----------------------------------------------------------------------------------------------------------


def signals(name: str, seed: int = 1) -> pl.DataFrame:
    """What single inputs say of the class: input (from 1), whose and z, the difference of the two classes' means over
    the standard error it has when they are alike, among the training and validation cases.

    ``whose`` is ``inputs`` and, with the classes shuffled, ``shuffled classes``. Of gatineau-sim the inputs that the
    law depends on are ``inputs that matter``. Inputs of catalysis-sim are taken as logarithms.
    """
    one = recreated(name)
    inputs, targets = one.seen
    inputs = np.log(inputs) if name == "catalysis" else inputs
    shuffled = generator(seed, "shuffled", name).permutation(targets)
    whose = np.full(inputs.shape[1], "inputs", dtype=object)
    if name == "gatineau":
        whose[np.union1d(gatineau.law().place, gatineau.law().pair)] = "inputs that matter"
    number = np.arange(1, inputs.shape[1] + 1)
    parts = [pl.DataFrame({"input": number, "whose": whose.tolist(), "z": _differences(inputs, targets)}),
             pl.DataFrame({"input": number, "whose": "shuffled classes", "z": _differences(inputs, shuffled)})]
    return pl.concat(parts)


def _differences(inputs: Array, targets: NDArray[np.int64]) -> Array:
    first, second = inputs[targets == 0], inputs[targets == 1]
    error = inputs.std(axis=0, ddof=1) * np.sqrt(1 / len(first) + 1 / len(second))
    moved = second.mean(axis=0) - first.mean(axis=0)
    return np.divide(moved, error, out=np.zeros_like(moved), where=error > 0)


def chances(name: str, bins: int = 20) -> pl.DataFrame:
    """Test cases by the law's probability of +1: low and high (of the bin), target ("-1" or "+1") and cases."""
    one = recreated(name)
    positive = _positive(one)
    edges = np.linspace(0, 1, bins + 1)
    return pl.concat([pl.DataFrame({
        "low": edges[:-1], "high": edges[1:], "target": word,
        "cases": np.histogram(positive[one.targets == value], edges)[0]}) for value, word in ((0, "-1"), (1, "+1"))])


def by_chance(name: str, groups: int = 20) -> pl.DataFrame:
    """Groups of test cases by the law's probability of +1, each of as many cases: group (1 has the least), cases,
    chance (the mean probability), positives and share."""
    one = recreated(name)
    positive = _positive(one)
    parts = np.array_split(np.argsort(positive, kind="stable"), groups)
    return pl.DataFrame([{
        "group": k, "cases": len(part), "chance": float(positive[part].mean()),
        "positives": int(one.targets[part].sum()), "share": float(one.targets[part].mean())}
        for k, part in enumerate(parts, 1)])


def _positive(one: Recreated) -> Array:
    return {"catalysis": catalysis, "gatineau": gatineau}[one.name].FAMILY.clean(one.dataset, one.inputs)
