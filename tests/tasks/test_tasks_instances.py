"""Task instances: what is in them, what can leak into them, and the way back to the original scale."""

import pickle
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from benchbook import datasets, tasks
from benchbook.errors import BenchbookError, FaultyInput, UnknownName
from benchbook.predictive import Categorical, Gaussian, Point, Quantiles


def with_columns(data, *columns):
    return replace(data, cases=data.cases.with_columns(*columns))


def test_contents_by_hand(world):
    # Pool 0..10; training set 2 of size 3 is cases 17, 18, 19; test block 2 of floor(11/4) is cases 4, 5.
    instance = tasks.instance("line/double/std.3", 2)
    assert instance.name == "line/double/std.3#2"
    assert (instance.kind, instance.classes) == ("real", ())
    # x = 17, 18, 19: median 18, deviations 1, 0, 1 with divisor 2, so the average deviation is 1; y doubles everything.
    assert instance.train_inputs.tolist() == [[-1.0], [0.0], [1.0]]
    assert instance.train_targets.tolist() == [-1.0, 0.0, 1.0]
    assert instance.test_inputs.tolist() == [[-14.0], [-13.0]]
    assert instance.case_ids.tolist() == [4, 5]
    assert instance.input_groups == (("x", slice(0, 1)),)
    assert (instance.encoding.target.centre, instance.encoding.target.scale) == (36.0, 2.0)


def test_class_instance(world):
    instance = tasks.instance("people/verdict/std.7", 1)
    assert instance.classes == ("good", "fair", "bad", "unseen")
    assert instance.train_targets.dtype.kind == "i"
    words = datasets.load("people").cases["verdict"].to_list()
    order = [case for case in range(40) if case not in (3, 17)]
    assert [instance.classes[code] for code in instance.train_targets] == [
        words[case] for case in order[19:26]
    ]
    assert instance.case_ids.tolist() == order[:12]


def test_groups_cover_the_columns(world):
    for name in tasks.available():
        instance = tasks.instance(name, 0)
        assert instance.train_inputs.shape[1] == instance.test_inputs.shape[1]
        columns = [
            index for _, part in instance.input_groups for index in range(part.start, part.stop)
        ]
        assert columns == list(range(instance.train_inputs.shape[1]))
        assert len(instance.encoding.names()) == len(columns)
        assert np.isfinite(instance.train_inputs).all()
        assert np.isfinite(instance.test_inputs).all()


def test_an_instance_can_be_sent_to_another_process(world):
    instance = tasks.instance("people/height/std.7", 1)
    copy = pickle.loads(pickle.dumps(instance))
    np.testing.assert_array_equal(copy.test_inputs, instance.test_inputs)
    assert (copy.name, copy.digest, str(copy.encoding)) == (
        instance.name,
        instance.digest,
        str(instance.encoding),
    )


def test_arrays_cannot_be_written_to(world):
    instance = tasks.instance("line/double/std.3", 0)
    for array in (
        instance.train_inputs,
        instance.train_targets,
        instance.test_inputs,
        instance.case_ids,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize("name", ["people/height/std.7", "people/verdict/std.7"])
def test_nothing_leaks_from_outside_the_training_cases(world, name):
    """Every value of every other case may change without any change to what a method is trained on."""
    data, before = datasets.load("people"), tasks.instance(name, 1)
    assignment = tasks.assignment(name)
    trained = assignment.filter((pl.col("role") == "train") & (pl.col("instance") == 1))[
        "case"
    ].to_list()
    others = [case for case in range(40) if case not in (*trained, 3, 17)]
    shuffled = list(range(40))
    for case, source in zip(others, reversed(others), strict=True):
        shuffled[case] = source
    scaled = (
        data.cases[shuffled]
        .with_row_index("case")
        .with_columns(
            pl.when(pl.col("case").is_in(trained))
            .then(pl.col(column))
            .otherwise(pl.col(column) * 100 + 7)
            .alias(column)
            for column in ("income", "height")
        )
        .drop("case")
    )
    assert not scaled.equals(data.cases)
    world(replace(data, cases=scaled))
    after = tasks.instance(name, 1)
    np.testing.assert_array_equal(after.train_inputs, before.train_inputs)
    np.testing.assert_array_equal(after.train_targets, before.train_targets)
    assert str(after.encoding) == str(before.encoding)
    assert after.digest != before.digest


def test_the_leakage_test_can_fail(world):
    """Negative control: a change to one training case does change the training inputs."""
    data, before = datasets.load("line"), tasks.instance("line/double/std.3", 2)
    world(
        with_columns(data, pl.when(pl.col("x") == 18).then(99.0).otherwise(pl.col("x")).alias("x"))
    )
    assert (
        tasks.instance("line/double/std.3", 2).train_inputs.tolist() != before.train_inputs.tolist()
    )


def test_test_targets_do_not_reach_the_instance(world):
    data, before = datasets.load("line"), tasks.instance("line/double/std.3", 2)
    world(
        with_columns(
            data,
            pl.when(pl.col("x").is_in([4.0, 5.0])).then(-1e6).otherwise(pl.col("y")).alias("y"),
        )
    )
    after = tasks.instance("line/double/std.3", 2)
    for name in ("train_inputs", "train_targets", "test_inputs", "case_ids"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))
    assert tasks.Scorer("line/double/std.3", 2).targets.tolist() == [-1e6, -1e6]


def test_decoding_inverts_the_encoding(world):
    for number in range(4):
        instance = tasks.instance("people/height/std.7", number)
        scorer = tasks.Scorer("people/height/std.7", number)
        target = instance.encoding.target
        coded = (scorer.targets - target.centre) / target.scale
        np.testing.assert_allclose(instance.decode(Point(coded)).value, scorer.targets, rtol=1e-14)


def test_decoding_has_its_jacobian(world):
    instance = tasks.instance("line/double/std.3", 2)
    coded = Gaussian([0.5, -1.0], [4.0, 9.0])
    decoded = instance.decode(coded)
    # y = 36 + 2 z
    assert decoded.mean().tolist() == [37.0, 34.0]
    assert decoded.variance().tolist() == [16.0, 36.0]
    y = np.array([40.0, 30.0])
    np.testing.assert_allclose(
        decoded.log_density(y), coded.log_density((y - 36) / 2) - np.log(2), rtol=1e-14
    )
    grid = np.linspace(-40, 110, 20001)
    mass = np.trapezoid(
        [np.exp(decoded.take([0]).log_density([value]))[0] for value in grid[::20]], grid[::20]
    )
    assert mass == pytest.approx(1, abs=1e-6)


def test_decoding_quantiles(world):
    instance = tasks.instance("line/double/std.3", 2)
    decoded = instance.decode(Quantiles([0.25, 0.75], [[-1.0, 1.0], [0.0, 3.0]]))
    assert decoded.quantile([0.25, 0.75]).tolist() == [[34.0, 38.0], [36.0, 42.0]]


def test_constant_target_is_decoded_as_it_is(world):
    data = datasets.load("line")
    world(with_columns(data, pl.lit(5.0).alias("y")))
    instance = tasks.instance("line/double/std.3", 0)
    assert instance.train_targets.tolist() == [5.0, 5.0, 5.0]
    assert instance.decode(Point([5.0, 6.0])).value.tolist() == [5.0, 6.0]


def test_class_probabilities_pass_through(world):
    instance = tasks.instance("people/verdict/std.7", 0)
    prediction = Categorical(np.full((12, 4), 0.25))
    assert instance.decode(prediction) is prediction


@pytest.mark.parametrize(
    ("name", "prediction", "said"),
    [
        (
            "line/double/std.3",
            Point([1.0, 2.0, 3.0]),
            "one prediction for each of the 2 test cases",
        ),
        (
            "line/double/std.3",
            Categorical([[0.5, 0.5]] * 2),
            "a real target needs a real-valued distribution",
        ),
        ("people/verdict/std.7", Point(np.zeros(12)), "a class target needs class probabilities"),
        (
            "people/verdict/std.7",
            Categorical(np.full((12, 2), 0.5)),
            "found 2; 4: good, fair, bad, unseen",
        ),
    ],
)
def test_unsuited_predictions(world, name, prediction, said):
    with pytest.raises(FaultyInput, match=said):
        tasks.instance(name, 0).decode(prediction)


def test_decode_integer_truncates_like_delve():
    values = np.array([2.4, 2.5, -0.4, -0.6, -1.4, -1.7, 0.0])
    assert tasks.decode_integer(values).tolist() == [2.0, 3.0, 0.0, 0.0, 0.0, -1.0, 0.0]


@pytest.mark.parametrize("number", [-1, 4, 100])
def test_no_such_instance(world, number):
    with pytest.raises(
        BenchbookError, match=rf"has no instance {number}: it has 4, numbered 0 to 3"
    ):
        tasks.instance("line/double/std.3", number)


def test_all_instances(world):
    result = tasks.instances("line/double/std.3")
    assert [instance.number for instance in result] == [0, 1, 2, 3]
    assert len({instance.digest for instance in result}) == 4


def test_unknown_task_names_the_nearest(world):
    with pytest.raises(
        UnknownName, match=r"unknown task 'line/duoble/std\.3'\. Nearest: line/double/std\.3"
    ):
        tasks.instance("line/duoble/std.3", 0)


def test_assignment_agrees_with_the_instances(world):
    for name in tasks.available():
        frame = tasks.assignment(name)
        assert frame.columns == ["case", "order_position", "role", "instance"]
        assert frame["case"].to_list() == list(range(len(frame)))
        for instance in tasks.instances(name):
            common = tasks.get(name).prototask.test_set_selection == "common"
            tested = frame.filter(
                pl.col("role") == "test", pl.lit(common) | (pl.col("instance") == instance.number)
            )
            assert sorted(instance.case_ids) == tested["case"].to_list()
            trained = frame.filter(pl.col("role") == "train", pl.col("instance") == instance.number)
            assert len(trained) == len(instance.train_targets)
        dropped = frame.filter(pl.col("order_position").is_null())
        assert set(dropped["role"]) <= {"dropped"}


def test_assignment_by_hand(world):
    frame = tasks.assignment("line/double/std.12")
    assert frame["role"].to_list() == ["test"] * 11 + ["train"] * 12 + ["unused"] * 7
    assert frame["instance"].to_list() == [0] * 23 + [None] * 7


def test_encoding_describes_itself(world):
    encoding = tasks.instance("people/height/std.7", 0).encoding
    rows = {row["attribute"]: row for row in encoding.rows()}
    assert list(rows) == ["direction", "sex", "colour", "size", "siblings", "income", "height"]
    assert rows["direction"] | {"centre": None} == {
        "attribute": "direction",
        "role": "input",
        "nature": "angular",
        "encoding": "rectan unit=360",
        "units": 2,
        "centre": None,
        "scale": None,
    }
    assert rows["height"]["role"] == "target"
    assert rows["height"]["centre"] == encoding.target.centre
    assert encoding.names()[:6] == (
        "sin(k*direction)",
        "cos(k*direction)",
        "sex",
        "colour:red",
        "colour:green",
        "colour:blue",
    )
    text = str(encoding).splitlines()
    assert text[:2] == ["direction rectan unit=360", "sex -1/+1"]
    assert f"normalization options absDev height {encoding.target.scale!r}" in text


def test_an_instance_is_shown_in_a_few_lines():
    item = tasks.instance("kin-8nm-sim/dist/std.64", 2)
    assert repr(item).splitlines() == [
        "TaskInstance kin-8nm-sim/dist/std.64#2",
        "  training cases: 64",
        "  test cases: 512",
        "  inputs: 8 columns of theta1, theta2, theta3, theta4, theta5, theta6, theta7, theta8",
        "  target: real",
    ]
    assert item._repr_html_().count("<tr>") == 4
