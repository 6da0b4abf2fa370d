"""The challenge's five sets re-created: sizes, the published baselines, and laws that nothing beats."""

import dataclasses

import numpy as np
import pytest

from benchbook import datasets, losses, tasks
from benchbook.datasets import families
from benchbook.datasets.families import catalysis, gatineau, gaze, outaouais, stereopsis
from benchbook.losses import baselines
from benchbook.predictive import Categorical, Gaussian
from benchbook.seeds import generator

# prototask: Table 1's inputs, training, validation and test cases; printed baseline, best printed loss; our law's own.
SETS = {
    "stereopsis-sim/depth": (4, 192, 300, 500, 4.94, -2.077, -2.474),
    "gaze-sim/gaze": (12, 150, 300, 427, 6.91, 5.180, 5.003),
    "outaouais-sim/outaouais": (37, 20000, 9000, 20000, 1.115, -1.037, -1.353),
    "catalysis-sim/catalysis": (617, 873, 300, 700, 0.2940, 0.2273, 0.2097),
    "gatineau-sim/gatineau": (1092, 3000, 2176, 3000, 0.1314, 0.1192, 0.1128),
}
DIGESTS = {
    "stereopsis-sim": "8537f974c250",
    "gaze-sim": "d947c8303a88",
    "outaouais-sim": "daa61c491cf1",
    "catalysis-sim": "164d15840299",
    "gatineau-sim": "b9ddd6e98c32",
}
AGAIN = {
    "stereopsis-again-sim": "7048a93e23fe",
    "gaze-again-sim": "b80498c9b01d",
    "outaouais-again-sim": "eaeb6aded179",
    "catalysis-again-sim": "f8c8300443bb",
    "gatineau-again-sim": "dc576d7e7bda",
}


@pytest.mark.parametrize("path", SETS)
def test_sizes_baselines_and_the_laws_own_loss(path):
    inputs, training, validation, test, baseline, best, own = SETS[path]
    task = tasks.get(f"{path}/test")
    assert task.prototask.phases == {"training": training, "validation": validation, "test": test}
    assert task.prototask.order == "retain"
    instance, scorer, code = (
        task.instance(0),
        tasks.Scorer(task.name, 0),
        tasks.ranking_loss(task.name),
    )
    assert instance.train_inputs.shape == (training + validation, inputs)
    seen = task.cases.columns[task.prototask.target][task.split().train[0]]
    known = instance.kind == "class"
    rule = baselines.class_frequencies if known else baselines.empirical_gaussian
    assert scorer.losses(rule(seen, test), [code])[code].mean() == pytest.approx(
        baseline, abs=5e-4 if known else 0.025
    )
    data = datasets.load(path.split("/")[0])
    raw = data.cases[instance.case_ids].drop(data.card.targets).to_numpy().astype(np.float64)
    result = scorer.losses(families.find(data.name).truth(data.name, raw), [code])[code].mean()
    assert result == pytest.approx(own, abs=5e-4)
    assert result < best < baseline
    assert data.digest[:12] == DIGESTS[data.name]
    assert instance.classes == (("-1", "+1") if known else ())


def test_there_are_five_and_each_once_more():
    assert set(families.available("challenge")) == {*DIGESTS, *AGAIN}
    assert not {*DIGESTS, *AGAIN} & set(families.available("DELVE"))
    assert {*DIGESTS, *AGAIN} < set(families.available())


@pytest.mark.parametrize("path", SETS)
def test_fresh_cases_are_asked_the_same_way_and_are_all_new(path):
    name, again = path.split("/")[0], path.replace("-sim", "-again-sim").split("/")[0]
    first, fresh = datasets.load(name), datasets.load(again)
    assert fresh.digest[:12] == AGAIN[again]
    assert fresh.attributes == first.attributes
    assert len(fresh) == len(first)
    assert fresh.cases.join(first.cases, on=fresh.cases.columns, how="semi").is_empty()
    old, new = tasks.prototask(path), tasks.prototask(path.replace("-sim", "-again-sim"))
    assert dataclasses.replace(new, dataset=name) == old
    assert (new.phases, new.encodings) == (old.phases, old.encodings)
    assert families.find(again) is families.find(name)


def test_the_canonical_cases_are_the_familys():
    family = families.find("gaze-sim")
    inputs, targets = family.cases("gaze-sim", 877, generator(family.seed, "gaze-sim"))
    frame = datasets.load("gaze-sim").cases.to_numpy()
    np.testing.assert_array_equal(frame, np.column_stack([inputs, targets]))


@pytest.mark.parametrize(
    "name", ["stereopsis-sim", "outaouais-sim", "catalysis-sim", "gatineau-sim"]
)
def test_no_other_prediction_is_better_than_the_law(name, rng):
    """The expected loss has its least value at the law: by draws from it, against sharper and flatter ones."""
    family = families.find(name)
    inputs = family.draw(name, 1500, rng)
    law = family.truth(name, inputs)
    if isinstance(law, Categorical):
        odds = np.log(law.probability[:, 1] / law.probability[:, 0])
        changes = ((0.7, 0.0), (1.4, 0.0), (1.0, 0.4), (1.0, -0.4))
        ours, *theirs = [
            law.probability[:, 1],
            *(1 / (1 + np.exp(-times * odds - shift)) for times, shift in changes),
        ]
        loss = [-(ours * np.log(p) + (1 - ours) * np.log1p(-p)).mean() for p in (ours, *theirs)]
    else:
        targets = family.noisy(name, inputs, rng)
        sd = np.sqrt(law.variance())
        others = [
            law.affine(0.0, 1.0),
            Gaussian(law.mean(), (1.3 * sd) ** 2),
            Gaussian(law.mean(), (0.75 * sd) ** 2),
            Gaussian(law.mean() + 0.3 * sd, sd**2),
        ]
        loss = [losses.get("NLPD").per_case(pred, targets).mean() for pred in others]
    assert loss[0] == min(loss)
    assert min(loss[1:]) - loss[0] > 1e-3


def test_stereopsis_depths_follow_the_law_of_their_pixels(rng):
    """Drawn forwards, from pointer to pixels, the place of the depth in its law is uniform."""
    inputs, depth = stereopsis.joint("stereopsis-sim", 4000, rng)
    law = stereopsis.truth("stereopsis-sim", inputs)
    counts = np.histogram(law.cdf(depth), 20, (0, 1))[0]
    assert (
        (counts - 200) ** 2 / 200
    ).sum() < 43.8  # 99.9 % point of chi-square with 19 degrees of freedom
    assert law.weight.max(axis=1).min() > 1 - 1e-9  # the rig tells every plane
    seen = stereopsis.triangulate(inputs)[:, 2] - depth
    assert np.abs(seen).max() < 6 * seen.std()  # and nothing else is wrong with a case
    assert np.abs(seen).max() < stereopsis.SPACING / 4
    assert np.sqrt(law.component_variance.min()) == pytest.approx(stereopsis.REPEAT, rel=0.02)
    nearest = np.abs(depth[:, None] - stereopsis._DEPTHS).argmin(axis=1)
    assert np.std(depth - stereopsis._DEPTHS[nearest]) == pytest.approx(0.13, abs=0.03)


def test_stereopsis_cameras_are_pinholes(rng):
    points = rng.uniform(-1, 1, (6, 3)) * [100, 80, 60] + [0, 0, 1000]
    pixels, slopes = stereopsis.project(points)
    for i in range(3):
        step = np.eye(3)[i] * 1e-4
        numeric = (
            stereopsis.project(points + step)[0] - stereopsis.project(points - step)[0]
        ) / 2e-4
        np.testing.assert_allclose(slopes[:, :, i], numeric, rtol=1e-6, atol=1e-7)
    middle = stereopsis.project(np.array([0.0, 0.0, 1000.0]))[0]
    np.testing.assert_allclose(middle, [640, 512, 640, 512], atol=1e-9)
    np.testing.assert_allclose(stereopsis.triangulate(pixels), points, atol=1e-8)


def test_gaze_targets_follow_the_law_of_their_inputs(rng):
    inputs, across = gaze.joint("gaze-sim", 1500, rng)
    assert np.array_equal(across, np.round(across))
    assert across.min() >= gaze.LEAST
    assert across.max() <= gaze.MOST
    mass = gaze.mass("gaze-sim", inputs)
    np.testing.assert_allclose(mass.sum(axis=1), 1.0)
    at = (across - gaze.LEAST).astype(int)
    own = mass[np.arange(1500), at]
    index = np.cumsum(mass, axis=1)[np.arange(1500), at] - rng.random(1500) * own
    counts = np.histogram(index, 15, (0, 1))[0]
    assert (
        (counts - 100) ** 2 / 100
    ).sum() < 36.1  # 99.9 % point of chi-square with 14 degrees of freedom
    inner = (at > 0) & (at < 839)
    density = np.exp(gaze.truth("gaze-sim", inputs[inner][:200]).log_density(across[inner][:200]))
    np.testing.assert_allclose(density, own[inner][:200], rtol=1e-4, atol=1e-8)
    drawn = gaze.noisy("gaze-sim", inputs[:300], rng)
    assert np.abs(drawn - mass[:300] @ np.arange(92, 932)).mean() < 60


def test_lost_markers_and_slipped_eye_cameras(rng):
    """Markers that are far off widen the law; with the head still, looking right means a larger pixel."""
    still = np.zeros((1, 6))
    spots = gaze.spot_of(np.array([300.0, 512.0, 700.0]), np.full(3, 384.0))
    inputs = np.hstack([np.tile(gaze.markers(still), (3, 1)), gaze.pupils(np.zeros((3, 6)), spots)])
    wild = inputs.copy()
    wild[:, :8] += 300 * rng.standard_normal((3, 8))
    pixels = np.arange(gaze.LEAST, gaze.MOST + 1)
    means, sds = [], []
    for each in (inputs, wild):
        mass = gaze.mass("gaze-sim", each)
        means.append(mass @ pixels)
        sds.append(np.sqrt(mass @ pixels**2 - means[-1] ** 2))
    np.testing.assert_allclose(means[0], [300, 512, 700], atol=3)
    assert (sds[0] < 50).all()
    assert (sds[1] > 100).all()


def test_outaouais_by_hand(rng):
    """The target of each case by the formula, one case at a time, and clusters that are far apart."""
    world, inputs = outaouais.clusters(), outaouais.draw("outaouais-sim", 40, rng)
    clean = outaouais.clean("outaouais-sim", inputs)
    for case, expected in zip(inputs, clean, strict=True):
        k = int(np.argmin([np.linalg.norm(case - centre) for centre in world.centre]))
        z = world.along[k].T @ (case[9:] - world.centre[k, 9:])
        value = world.offset[k] + world.slope[k] @ z
        for wave in range(outaouais.WAVES):
            value += world.height[k, wave] * np.sin(
                world.number[k, wave] @ z + world.phase[k, wave]
            )
        assert expected == pytest.approx(value)
    apart = np.linalg.norm(world.centre[:, None] - world.centre, axis=2)[~np.eye(160, dtype=bool)]
    assert apart.min() > 6
    assert (inputs[:, :9] == np.round(inputs[:, :9])).all()


def test_catalysis_by_hand(rng):
    made, inputs = catalysis.law(), catalysis.draw("catalysis-sim", 3000, rng)
    t = catalysis.groups(inputs)
    logs = (np.log(inputs[0, 30:40]) - made.median[30:40]) / made.spread[30:40]
    assert t[0, 3] == pytest.approx(logs.mean() / np.sqrt(0.6 + 0.4 / 10))
    assert t.std(axis=0) == pytest.approx(1, abs=0.06)
    u = catalysis.broad(t[:1])[0]
    value = (
        catalysis.INTERCEPT + catalysis.BROAD * made.slope @ u + catalysis.LOCAL * made.local @ t[0]
    )
    value += catalysis.PRODUCTS * sum(
        made.weight[f, g] * u[f] * u[g] for f in range(6) for g in range(f + 1, 6)
    )
    assert catalysis.log_odds(inputs[:1])[0] == pytest.approx(value)
    assert np.linalg.norm(made.weight) == pytest.approx(1)
    correlation = np.corrcoef(np.log(inputs[:, :20]).T)
    assert correlation[:10, :10].mean() > 0.6
    assert np.abs(correlation[0, 10:]).max() < 0.5


def test_gatineau_hangs_on_twenty_four_inputs(rng):
    made, inputs = gatineau.law(), gatineau.draw("gatineau-sim", 200, rng)
    relevant = np.union1d(made.place, made.pair)
    assert len(relevant) == 24
    others = np.setdiff1d(np.arange(1092), relevant)
    changed = inputs.copy()
    changed[:, others] = 0
    np.testing.assert_array_equal(gatineau.log_odds(changed), gatineau.log_odds(inputs))
    case = inputs[0]
    value = gatineau.INTERCEPT + sum(
        w for i, over, w in zip(made.place, made.over, made.weight, strict=True) if case[i] > over
    )
    value += sum(
        w
        for (i, j), (a, b), w in zip(made.pair, made.pair_over, made.pair_weight, strict=True)
        if case[i] > a and case[j] > b
    )
    assert gatineau.log_odds(inputs[:1])[0] == pytest.approx(value)
    assert set(np.unique(inputs[:, :700])) == {0.0, 1.0}
    probability = gatineau.FAMILY.clean("gatineau-sim", inputs)
    assert np.mean(probability > 0.5) < 0.04


def test_a_pattern_encodes_all_inputs_that_match_it():
    encodings = tasks.prototask("gatineau-sim/gatineau").encodings
    assert len(encodings) == 1092
    assert set(encodings.values()) == {"nm-sqr"}
