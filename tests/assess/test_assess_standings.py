"""Standings against numbers by numpy and scipy: order, parts of the uncertainty, corrected p values, and letters."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchbook import assess
from benchbook.errors import UnknownName

RNG = np.random.default_rng(8)
SETS, CASES = 6, 40
LOSSES = {
    "a": RNG.gamma(2.0, size=(SETS, CASES)),
    "b": RNG.gamma(2.0, size=(SETS, CASES)) + 0.2,
    "c": RNG.gamma(2.0, size=(SETS, CASES)) + 1.5,
}


def frame(scheme="hierarchical", **losses):
    rows = [
        ("t", "S", name, i, (0 if scheme == "common" else i * CASES) + j, float(values[i, j]))
        for name, values in losses.items()
        for i in range(SETS)
        for j in range(CASES)
    ]
    table = pl.DataFrame(
        rows, schema=["task", "loss", "method", "instance", "case", "value"], orient="row"
    )
    return table.with_columns(digest=pl.lit("d") + pl.col("instance").cast(pl.String))


def found(scheme="hierarchical", against=None):
    return assess.standings(*assess.assessment(frame(scheme, **LOSSES), scheme), against)


def test_the_order_is_that_of_the_means_and_p_and_holm_are_scipys():
    table = found()
    means = {name: values.mean() for name, values in LOSSES.items()}
    assert table["method"].to_list() == sorted(means, key=means.get)
    p = {
        pair: stats.ttest_rel(*(LOSSES[name].mean(axis=1) for name in pair)).pvalue
        for pair in combinations(sorted(LOSSES), 2)
    }
    false_rate = dict(zip(p, stats.false_discovery_control(list(p.values())), strict=True))
    largest = 0.0
    holm = {}
    for index, pair in enumerate(sorted(p, key=p.get)):
        largest = holm[pair] = max(largest, min(1.0, p[pair] * (len(p) - index)))
    for row in table.to_dicts():
        if row["method"] == row["against"]:
            assert row["p"] is None
            continue
        pair = tuple(sorted((row["method"], row["against"])))
        assert row["p"] == pytest.approx(p[pair])
        assert row["holm"] == pytest.approx(holm[pair])
        assert row["benjamini_hochberg"] == pytest.approx(false_rate[pair])
        assert row["difference"] == pytest.approx(means[row["method"]] - means[row["against"]])
    ties = dict(table.select("method", "ties").rows())
    for first, other in combinations(sorted(LOSSES), 2):
        assert bool(set(ties[first]) & set(ties[other])) == (holm[first, other] > 0.05)
    assert len(set(ties["c"]) & (set(ties["a"]) | set(ties["b"]))) == 0


@pytest.mark.parametrize("scheme", ["hierarchical", "common"])
def test_the_parts_of_the_doubt_add_up_in_squares(scheme):
    expected = assess.error_components(assess.expected_losses(frame(scheme, **LOSSES), scheme))
    for row in expected.to_dicts():
        assert row["from_training_sets"] ** 2 + row["from_test_cases"] ** 2 == pytest.approx(
            row["standard_error"] ** 2
        )
    values = LOSSES["a"] + 3.0 * np.arange(SETS)[:, None]
    item = assess.error_components(
        assess.expected_losses(frame("hierarchical", a=values), "hierarchical")
    ).to_dicts()[0]
    within = values.var(axis=1, ddof=1).mean() / (SETS * CASES)
    assert item["from_test_cases"] == pytest.approx(np.sqrt(within))
    assert item["from_training_sets"] == pytest.approx(
        np.sqrt(values.mean(axis=1).var(ddof=1) / SETS - within)
    )


def test_a_method_to_compare_with_must_be_there():
    assert set(found(against="c")["against"]) == {"c"}
    with pytest.raises(UnknownName):
        found(against="d")


def test_equal_losses_have_no_p_and_share_a_letter():
    pairs = assess.assessment(frame(x=LOSSES["a"], y=LOSSES["a"]), "hierarchical")
    table = assess.standings(*pairs)
    assert table["ties"].to_list() == ["a", "a"]
    assert table["p"].null_count() == 2
    assert "the same loss" in table["why_no_p"][1] or table["why_no_p"][1]
