"""Every published dataset that is at hand, against its card."""

import pytest

from benchbook import datasets
from benchbook.datasets import families

PUBLISHED = [name for name in datasets.available() if name not in families.available()]


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_dataset_is_what_its_card_says(real_data, name):
    import polars as pl

    real_data(name)
    data = datasets.load(name)
    card = data.card
    assert data.cases.shape == (card.shape.cases, card.shape.attributes)
    assert data.cases.columns == [attribute.name for attribute in card.attributes]
    for attribute in card.attributes:
        column = data.cases[attribute.name]
        assert column.dtype == (pl.Float64 if attribute.numeric else pl.String)
        assert column.null_count() == card.missing.get(attribute.name, 0)
        known = column.drop_nulls()
        if attribute.numeric:
            assert known.is_finite().all()
            assert known.min() in attribute.range
            assert known.max() in attribute.range
            assert attribute.nature == "real" or (known == known.round()).all()
        else:
            assert set(known.unique()) <= set(attribute.range)
    lines = data.summary()
    assert lines.height == card.shape.attributes
    assert lines["missing"].sum() == sum(card.missing.values())


def test_the_price_prototask_is_a_permutation_of_boston(real_data):
    real_data("boston")
    real_data("boston-price")
    first, second = (datasets.load(name) for name in ("boston", "boston-price"))
    columns = first.cases.columns
    assert first.digest != second.digest
    assert first.cases.sort(columns).equals(second.cases.sort(columns))
    assert second.cases["medv"].mean() == pytest.approx(22.533, abs=0.001)


def test_both_copies_of_comp_activ_agree_case_by_case(real_data):
    real_data("comp-activ")
    real_data("comp-activ-cpu")
    small, large = datasets.load("comp-activ"), datasets.load("comp-activ-cpu")
    assert large.cases.select(small.cases.columns).equals(small.cases)


def test_titanic_has_the_standard_totals(real_data):
    real_data("titanic")
    counts = dict(datasets.load("titanic").cases["class"].value_counts().iter_rows())
    assert counts == {"1st": 325, "2nd": 285, "3rd": 706, "crew": 885}


def test_thyroid_keeps_the_order_of_its_original(real_data):
    real_data("uci-thyroid")
    real_data("proben1-thyroid1")
    original, encoded = datasets.load("uci-thyroid").cases, datasets.load("proben1-thyroid1").cases
    assert encoded["TSH"].to_list() == original["TSH"].to_list()
    assert [int(value) for value in encoded["normal"]] == [
        int(value == "3") for value in original["class"]
    ]


def test_cancer_is_encoded_from_its_original(real_data):
    real_data("uci-cancer")
    real_data("proben1-cancer2")
    original, encoded = datasets.load("uci-cancer").cases, datasets.load("proben1-cancer2").cases
    grades = (original["bare-nuclei"].fill_null(3.5) / 10).sort().round(6)
    assert encoded["bare-nuclei"].sort().round(6).to_list() == grades.to_list()
