"""What the page on the problems says of each of the fifteen, held against the data."""

import numpy as np
import polars as pl
import pytest

from benchbook import datasets
from benchbook.datasets import printed, proben1
from benchbook_book.pages import proben1 as originals
from benchbook_book.pages.proben1 import summaries


def three(problem):
    """The files of a problem."""
    return [f"proben1-{problem}{number}" for number in (1, 2, 3)]


@pytest.fixture
def files(request, real_data):
    """The files of the problem that the test is about; skipped without them."""
    problem = request.function.__name__.split("_")[1]
    for name in three(problem):
        real_data(name)
    return three(problem)


def test_building_is_as_the_page_says(files):
    portions = [summaries.portions(name) for name in files]
    fits = [summaries.least_squares(name)["test"] for name in files]
    assert fits[0] > 2 * max(fits[1:])
    linear = [
        dict(printed.table(4).select("dataset", "test_error_mean").iter_rows())[f"building{k}"]
        for k in (1, 2, 3)
    ]
    assert linear[0] > 2 * max(linear[1:])
    apart = [
        one.group_by("output").agg(pl.col("mean").max() - pl.col("mean").min())["mean"].max()
        for one in portions
    ]
    assert 3 * max(apart[1:]) < apart[0]
    assert max(apart[1:]) < 0.03
    first, *shuffled = [
        [line.tobytes() for line in np.hstack(summaries.values(name))] for name in files
    ]
    hour_of = {line: hour for hour, line in enumerate(first)}
    assert 5.5 < len(hour_of) / 24 / 30.4 < 6.1
    training, test = len(first) // 2, len(first) // 4
    for hours in ([hour_of[line] for line in lines] for lines in shuffled):
        trained = set(hours[:training])
        assert np.mean([bool({hour - 1, hour + 1} & trained) for hour in hours[-test:]]) > 0.7


def test_cancer_is_as_the_page_says(files):
    portions = [summaries.portions(name) for name in files]
    rules = originals.original("cancer")
    found = [summaries.facts(name) for name in files]
    assert all(one.repeated > one.cases / 3.1 for one in found)
    assert 0.3 < sum(one.seen for one in found) / 3 / (found[0].cases // 4) < 0.4
    assert not any(one.contradicted for one in found)
    grades, targets = summaries.values(files[0])
    assert (grades.min(), 9) == (0.1, grades.shape[1])
    assert (grades[targets[:, 0] == 1] == 0.1).mean() > 0.6
    ill = [one.filter(output="malignant")["mean"].to_list() for one in portions]
    misses = [summaries.least_squares(name)["wrong"] for name in files]
    assert ill[2][2] - ill[2][0] > 0.05
    assert abs(ill[0][2] - ill[2][2]) < 0.01
    assert misses[2] > 1.9 * misses[0]

    def wrong(name):
        return (
            sum(summaries.least_squares(f"proben1-{name}{number}")["wrong"] for number in (1, 2, 3))
            / 3
        )

    others = [
        name
        for name in ("diabetes", "heart", "heartc", "horse", "thyroid")
        if all(datasets.at_hand(f"proben1-{name}{number}") for number in (1, 2, 3))
    ]
    assert all(wrong("cancer") < wrong(name) for name in others)
    assert datasets.card(rules.sources[0]).missing == {"bare-nuclei": 16}


def test_card_is_as_the_page_says(files):
    fits = [summaries.least_squares(name)["test"] for name in files]
    assert 1.3 * min(fits) < max(fits) < 1.4 * min(fits)
    inputs = summaries.values(files[0])[0]
    assert inputs.shape[1] > 3 * 15
    assert ((inputs != 0).mean(axis=0) < 0.1).mean() > 0.5
    shares = summaries.portions(files[1]).filter(output="granted")["mean"].to_list()
    assert shares[1] > max(shares[0], shares[2]) + 0.05
    assert 4.9 < 11.5 * inputs[:, -1].max() / np.log(10) < 5.1
    mixture = {
        name: summaries.entropy(summaries.counted(name).attributes) for name in originals.PROBLEMS
    }
    assert max(mixture, key=mixture.get) == "card"
    assert sum(summaries.counted("card").attributes) == 15
    assert [
        (name, one.attribute)
        for name in originals.PROBLEMS
        for one in originals.original(name).representation.inputs
        if isinstance(one.encoder, proben1.Logarithm)
    ] == [("card", "A15")]


def test_diabetes_is_as_the_page_says(files):
    rules = originals.original("diabetes")
    data, targets = summaries.values(files[0])
    assert 0.64 < targets.mean(axis=0).max() < 0.68
    assert 0.45 < (data[:, 4] == 0).mean() < 0.55
    assert (data[:, 2] == 0).sum() > 30
    assert not any(datasets.card(rules.sources[0]).missing.values())


def test_flare_is_as_the_page_says(files):
    portions = [summaries.portions(name) for name in files]
    found = summaries.facts(files[0])
    assert 0.62 < found.contradicted / found.cases < 0.7
    assert len(found.constant) == 2
    targets = summaries.values(files[0])[1]
    assert (targets == 0).mean() > 0.5
    assert 0.78 < (targets == 0).all(axis=1).mean() < 0.84
    assert min(one["mean"].min() for one in portions) == 0
    fits = [summaries.least_squares(name) for name in files]
    assert all(fit["constant"] < 1 for fit in fits)
    assert sum(fit["test"] > fit["constant"] for fit in fits) == 1
    assert 0.8 < min(fit["test"] / fit["constant"] for fit in fits) < 0.9


def test_gene_is_as_the_page_says(files):
    rules = originals.original("gene")
    lines = printed.table(3).filter(pl.col("dataset").str.starts_with("gene"))
    assert all(
        abs(summaries.least_squares(f"proben1-{name}")["test"] - error) < 0.02
        for name, error in lines.select("dataset", "test_error_mean").iter_rows()
    )
    assert 0.45 < summaries.values(files[0])[1].mean(axis=0).max() < 0.55
    assert (summaries.values(files[0])[1].mean(axis=0) > 0.45).tolist() == [False, False, True]
    base = dict(rules.representation.inputs[0].encoder.table)
    far = {
        letter: sum((one - other) ** 2 for one, other in zip(base["C"], base[letter], strict=True))
        for letter in "AGT"
    }
    assert far["A"] == far["G"] == far["T"] / 2
    assert 1550 < datasets.card(files[0]).partition[0] < 1650


def test_glass_is_as_the_page_says(files):
    portions = [summaries.portions(name) for name in files]
    found = summaries.facts(files[0])
    assert min(found.sizes.values()) < 10
    inputs = summaries.values(files[0])[0]
    assert [
        one.name
        for one, most in zip(datasets.card(files[0]).attributes, inputs.max(axis=0), strict=False)
        if most > 1
    ] == ["Si"]
    for one in portions:
        shares = one.filter(output="tableware")["mean"].to_list()
        pairs = [(low, high) for low in shares for high in shares if high >= 2 * low > 0]
        assert all(0.9 < 53 * (high - low) < 2.1 for low, high in pairs)
    cases = {name: sum(datasets.card(f"proben1-{name}1").partition) for name in originals.PROBLEMS}
    assert min(cases, key=cases.get) == "glass"
    assert 1.5 < 100 / datasets.card(files[0]).partition[2] < 2


def test_heart_is_as_the_page_says(files, real_data):
    rules = originals.original("heart")
    cleveland, *others = (datasets.card(name) for name in rules.sources)
    patients = sum(datasets.card(files[0]).partition) - 303
    gone = {
        name: sum(card.missing.get(name, 0) for card in others) / patients
        for name in ("ca", "thal", "slope")
    }
    assert gone["ca"] > 0.95 > 0.8 > gone["thal"] > 0.75 > gone["slope"]
    assert cleveland.missing["ca"] < 0.02 * 303
    for name in rules.sources:
        real_data(name)
    ill = [(datasets.load(name).cases["num"].cast(float) > 0).mean() for name in rules.sources]
    assert min(ill) < 0.4
    assert max(ill) > 0.9
    found = summaries.facts(files[0])
    assert (
        sum(one.name.endswith("-missing") for one in datasets.card(files[0]).attributes) == 13 - 2
    )
    assert {"fasting-sugar1", "exercise-angina1"} <= set(found.constant)
    if datasets.at_hand("proben1-hearta1"):
        lines = [summaries.values(one)[0] for one in (files[0], "proben1-hearta1")]
        assert (lines[0] == lines[1]).all(axis=1).mean() < 0.01


def test_hearta_is_as_the_page_says(files):
    degrees = sorted(set(summaries.values(files[0])[1].ravel().round(3)))
    assert degrees == [0.1, 0.6, 0.7, 0.8, 0.9]


def test_heartac_is_as_the_page_says(files):
    facts = {name: summaries.facts(name) for name in files}
    flags = [
        one.name for one in datasets.card(files[0]).attributes if one.name.endswith("-missing")
    ]
    assert len(set(flags) & set(facts[files[0]].constant)) > 0.75 * len(flags)
    fits = [summaries.least_squares(name)["test"] for name in files]
    for other in ("hearta", "flare"):
        if datasets.at_hand(f"proben1-{other}1"):
            rest = [
                summaries.least_squares(f"proben1-{other}{number}")["test"] for number in (1, 2, 3)
            ]
            assert max(rest) / min(rest) < max(fits) / min(fits)
    assert 1.7 * min(fits) < max(fits) < 2 * min(fits)
    sizes = {
        name: sum(datasets.card(f"proben1-{name}1").partition)
        for name in ("building", "flare", "hearta", "heartac")
    }
    assert min(sizes, key=sizes.get) == "heartac"


def test_heartc_is_as_the_page_says(files):
    portions = [summaries.portions(name) for name in files]
    fits = [summaries.least_squares(name)["wrong"] for name in files]
    assert max(fits) > 3 * min(fits)
    assert (
        0.28
        < len(summaries.facts(files[0]).constant) / summaries.values(files[0])[0].shape[1]
        < 0.38
    )
    assert (
        max(
            one.group_by("output").agg(pl.col("mean").max() - pl.col("mean").min())["mean"].max()
            for one in portions
        )
        > 0.1
    )
    gaps, *more_gaps = (
        sum(datasets.card(name).missing.values()) for name in originals.original("heart").sources
    )
    assert gaps < 0.01 * 303 * 13
    assert gaps < min(more_gaps) / 40
    assert 0.32 < 303 / sum(datasets.card("proben1-heart1").partition) < 0.34
    wrong = dict(printed.table(8).select("dataset", "test_wrong_mean").iter_rows())
    assert wrong["heartc2"] < 7
    assert 17 < wrong["heartc1"] < 23


def test_horse_is_as_the_page_says(files):
    facts = {name: summaries.facts(name) for name in files}
    rules = originals.original("horse")
    fits = [summaries.least_squares(name) for name in files]
    assert all(fit["validation"] > 1.8 * fit["training"] for fit in fits)
    stopped = dict(printed.table(3).select("dataset", "test_error_mean").iter_rows())
    assert all(stopped[f"horse{number}"] < fit["test"] for number, fit in enumerate(fits, 1))
    inputs = summaries.values(files[0])[0]
    gaps = inputs[
        :,
        [
            attribute.name.endswith("-missing")
            for attribute in datasets.card(files[0]).attributes[:58]
        ],
    ]
    assert inputs.shape[1] == 58
    assert gaps.shape[1] == 19
    assert 0.23 < gaps.sum() / (len(gaps) * len(rules.representation.inputs)) < 0.29
    assert 0.78 < gaps.mean(axis=0).max() < 0.84
    assert facts[files[0]].sizes["euthanized"] < min(
        0.16 * len(gaps), *list(facts[files[0]].sizes.values())[:2]
    )
    assert datasets.card(files[0]).partition[:2] == (182, 91)


def test_mushroom_is_as_the_page_says(files):
    portions = [summaries.portions(name) for name in files]
    fits = [summaries.least_squares(name) for name in files]
    assert all(fit["wrong"] == 0 and fit["test"] < 1e-12 for fit in fits)
    assert len(summaries.facts(files[0]).constant) == 10
    assert all(one["mean"].is_between(0.45, 0.55).all() for one in portions)
    assert printed.table(3).filter(pl.col("dataset").str.starts_with("mushroom"))[
        "runs"
    ].to_list() == [1]


def test_soybean_is_as_the_page_says(files):
    portions = [summaries.portions(name) for name in files]
    rules = originals.original("soybean")
    found = summaries.facts(files[0])
    assert len(found.sizes) == 19
    assert sum(size < 20 for size in found.sizes.values()) == 4
    fit = summaries.least_squares(files[0])
    assert 4.5 < fit["constant"] < 100 / 19 < 5.5
    seldom = [round(170 * one.filter(portion="test")["mean"].min()) for one in portions]
    assert min(seldom) == 0
    assert sorted(seldom)[1] == 1
    classes = {name: len(datasets.card(f"proben1-{name}1").targets) for name in originals.PROBLEMS}
    assert max(classes, key=classes.get) == "soybean"
    assert len(rules.representation.inputs) == 35
    assert (
        printed.table(3)
        .filter(pl.col("dataset").str.starts_with("soybean"))["test_error_mean"]
        .is_between(0.9, 1.2)
        .all()
    )


def test_thyroid_is_as_the_page_says(files):
    found = summaries.facts(files[0])
    assert found.sizes["normal"] > 0.92 * found.cases
    assert all(summaries.least_squares(name)["wrong"] > 6 for name in files)
    assert summaries.counted("thyroid").attributes[:2] == (15, 6)
    share = 100 * (1 - found.sizes["normal"] / found.cases)
    assert all(0.7 * share < summaries.least_squares(name)["wrong"] < 1.1 * share for name in files)
    flat, deep = (
        dict(printed.table(number).select("dataset", "test_error_mean").iter_rows())
        for number in (3, 8)
    )
    gained = {
        name: sum(deep[f"{name}{number}"] / flat[f"{name}{number}"] for number in (1, 2, 3)) / 3
        for name in {name[:-1] for name in deep}
        if f"{name}3" in flat and f"{name}3" in deep
    }
    assert min(gained, key=gained.get) == "thyroid"
    assert all(deep[f"thyroid{number}"] < flat[f"thyroid{number}"] / 2.8 for number in (1, 2, 3))
