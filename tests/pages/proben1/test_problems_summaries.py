"""What is counted about the problems, and the same cases in other representations."""

import numpy as np
import pytest

from benchbook import datasets
from benchbook.datasets import proben1
from benchbook.datasets.printed import table
from benchbook.datasets.proben1 import representation
from benchbook_book.pages import proben1 as originals
from benchbook_book.pages.proben1 import summaries


@pytest.mark.parametrize("problem", ["cancer", "diabetes", "flare", "glass", "gene", "horse"])
def test_counts_are_those_printed_where_there_is_no_question(problem):
    number = 2 if problem == "flare" else 1
    line = next(row for row in table(number).iter_rows(named=True) if row["problem"] == problem)
    result = summaries.counted(problem)
    assert result.attributes == tuple(
        line[f"attributes_{kind}"] for kind in ("binary", "continuous", "nominal")
    )
    assert result.inputs == tuple(
        line[f"inputs_{kind}"] for kind in ("binary", "continuous", "missing")
    )


@pytest.mark.parametrize("problem", ["heart", "soybean"])
def test_inputs_are_those_printed_with_all_indicators(problem):
    line = next(row for row in table(1).iter_rows(named=True) if row["problem"] == problem)
    assert summaries.counted(problem).inputs == tuple(
        line[f"inputs_{kind}"] for kind in ("binary", "continuous", "missing")
    )


@pytest.mark.parametrize(
    ("sizes", "bits"), [((1, 1), 1.0), ((1, 0), 0.0), ((2, 1, 1), 1.5), ((458, 241), 0.9293)]
)
def test_entropy_in_bits(sizes, bits):
    assert summaries.entropy(np.array(sizes)) == pytest.approx(bits, abs=1e-4)
    assert summaries.entropy(7.0 * np.array(sizes)[::-1]) == pytest.approx(bits, abs=1e-4)


def test_facts_of_a_stand_in_against_plain_counting():
    result, data = summaries.facts("sklearn-iris1"), datasets.load("sklearn-iris1")
    inputs, targets = summaries.values("sklearn-iris1")
    both = np.hstack([inputs, targets])
    assert result.cases == 150
    assert list(result.sizes.values()) == [50, 50, 50]
    assert result.entropy == pytest.approx(np.log2(3))
    assert result.repeated == 150 - len(np.unique(both, axis=0))
    training, test = both[: data.card.partition[0]], both[sum(data.card.partition[:2]) :]
    assert result.seen == sum((training == line).all(axis=1).any() for line in test)
    assert result.contradicted == 0
    assert result.constant == ()


def test_constant_inputs_are_named():
    inputs, _ = summaries.values("sklearn-digits1")
    names = [attribute.name for attribute in datasets.card("sklearn-digits1").attributes]
    wanted = tuple(names[index] for index in np.flatnonzero(np.ptp(inputs, axis=0) == 0))
    assert summaries.facts("sklearn-digits1").constant == wanted != ()


def test_portions_average_to_the_whole():
    shares = summaries.portions("sklearn-wine2")
    _, targets = summaries.values("sklearn-wine2")
    for output, mean in zip(
        datasets.card("sklearn-wine2").targets, targets.mean(axis=0), strict=True
    ):
        here = shares.filter(output=output)
        assert (here["mean"] * here["cases"]).sum() / here["cases"].sum() == pytest.approx(mean)
    assert shares.filter(portion="test")["mean"].sum() == pytest.approx(1)


def test_least_squares_of_a_real_target_has_no_wrong_cases():
    result = summaries.least_squares("sklearn-diabetes1")
    assert np.isnan(result["wrong"])
    assert 0 < result["training"] < result["constant"]
    assert result["test"] < result["constant"]


def test_least_squares_of_classes_beats_the_mean():
    result = summaries.least_squares("sklearn-cancer1")
    assert result["wrong"] < 15
    assert result["test"] < 0.5 * result["constant"]


def test_words_become_numbers_and_nothing_else_changes():
    rules = originals.original("card").representation
    numbers = representation.as_numbers(rules)
    widths = {part.attribute: part.encoder.width for part in numbers.inputs}
    assert widths["A6"] == widths["A4"] == 2
    assert widths["A13"] == 1
    assert {name: widths[name] for name in ("A1", "A2", "A9")} == {"A1": 3, "A2": 2, "A9": 1}
    assert numbers.outputs == rules.outputs
    coded = next(part for part in numbers.inputs if part.attribute == "A4").encoder
    np.testing.assert_allclose(coded.encode(["u", "l", None]), [[0, 0], [2 / 3, 0], [0, 1]])


def test_without_indicators_missing_values_get_the_mean_code():
    rules = proben1.Representation(
        (
            proben1.EncodedAttribute("a", proben1.Flagged(proben1.Linear(0, 10))),
            proben1.EncodedAttribute("b", proben1.Flagged(proben1.one_of("xy"))),
        ),
        (),
    )
    columns = {"a": [0, None, 4], "b": ["x", "y", None]}
    plain = representation.without_indicators(rules, columns)
    np.testing.assert_allclose(plain.inputs[0].encoder.encode(columns["a"])[:, 0], [0, 0.2, 0.4])
    np.testing.assert_allclose(
        plain.inputs[1].encoder.encode(columns["b"]), [[1, 0], [0, 1], [0.5, 0.5]]
    )


def test_an_attribute_that_is_never_known_becomes_zero():
    rules = proben1.Representation(
        (proben1.EncodedAttribute("a", proben1.Flagged(proben1.Linear(0, 10))),), ()
    )
    plain = representation.without_indicators(rules, {"a": [None, None]})
    np.testing.assert_array_equal(plain.inputs[0].encoder.encode([None, None]), [[0], [0]])
