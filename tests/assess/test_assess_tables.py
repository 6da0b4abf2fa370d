"""The assessment of a long frame agrees with the arrays, and refuses what does not belong together."""

import math
import pickle

import numpy as np
import polars as pl
import pytest
from refusals import refused

from benchbook import assess
from benchbook.assess.anova.atomic import all_squares
from benchbook.assess.anova.squares import mean_squares
from benchbook.errors import FaultyInput

KEY = ["task", "loss", "method", "other"]


def long_frame(losses, *, scheme="hierarchical", task="toy/t/std.64", loss="S", methods=None):
    """A long frame from losses [M, I, J]."""
    count, instances, cases = losses.shape
    methods = methods or [f"m{k}" for k in range(count)]
    numbers = (
        np.arange(instances * cases)
        if scheme == "hierarchical"
        else np.tile(np.arange(cases), instances)
    )
    each = pl.DataFrame({"instance": np.repeat(np.arange(instances), cases), "case": numbers})
    frames = [
        each.with_columns(
            method=pl.lit(name),
            task=pl.lit(task),
            loss=pl.lit(loss),
            value=pl.Series(losses[k].ravel()),
            digest=pl.format("digest-{}-{}", pl.lit(task), pl.col("instance")),
        )
        for k, name in enumerate(methods)
    ]
    return pl.concat(frames).select("method", "task", "instance", "case", "loss", "value", "digest")


@pytest.fixture
def losses(rng):
    return rng.exponential(size=(4, 5, 12)) + rng.normal(size=(4, 5, 1))


@pytest.mark.parametrize("scheme", ["hierarchical", "common"])
def test_tables_hold_what_the_atomic_layer_gives(losses, scheme):
    frame = long_frame(losses, scheme=scheme)
    table = assess.expected_losses(frame)
    assert table["scheme"].unique().to_list() == [scheme]
    for k, line in enumerate(table.iter_rows(named=True)):
        item = assess.expected_loss(losses[k], scheme)
        for name in ("mean", "standard_error", "sd_instances", "sd_residual", "instances", "cases"):
            assert line[name] == pytest.approx(getattr(item, name), rel=1e-12)
        assert (line["sd_cases"] is None) == (scheme == "hierarchical")
    pairs = assess.comparisons(frame, scheme)
    assert pairs.height == 12
    for line in pairs.iter_rows(named=True):
        a, b = int(line["method"][1]), int(line["other"][1])
        pair = assess.compare(losses[a], losses[b], scheme)
        assert (line["p"], line["difference"], line["statistic"]) == pytest.approx(
            (pair.p, pair.difference, pair.statistic), rel=1e-10
        )
        assert [df for df in (line["df_1"], line["df_2"]) if df is not None] == pytest.approx(
            pair.df, rel=1e-10
        )


def test_one_walk_gives_both_tables(losses):
    frame = long_frame(losses)
    expected, pairs = assess.assessment(frame)
    assert expected.equals(assess.expected_losses(frame), null_equal=True)
    assert pairs.equals(assess.comparisons(frame), null_equal=True)


@pytest.mark.parametrize("scheme", ["hierarchical", "common"])
def test_order_of_lines_does_not_matter(losses, scheme):
    frame = pl.concat(
        [
            long_frame(losses, scheme=scheme),
            long_frame(losses**2, scheme=scheme, loss="A"),
            long_frame(losses[:3], scheme=scheme, task="toy/t/std.128"),
        ]
    )
    frame = frame.filter(~((pl.col("method") == "m3") & (pl.col("loss") == "A")))
    wanted = assess.comparisons(frame).sort(KEY)
    for other in (
        frame.sample(fraction=1.0, shuffle=True, seed=3),
        frame.sort("case", "loss", "instance"),
        frame.with_columns(pl.col("method", "task", "loss").cast(pl.Categorical)),
    ):
        result = assess.comparisons(other).sort(KEY)
        assert result.drop("reason").equals(wanted.drop("reason")) or _close(result, wanted)
    assert wanted.filter(pl.col("loss") == "A")["method"].unique().sort().to_list() == [
        "m0",
        "m1",
        "m2",
    ]


def test_lines_of_the_tables_are_in_the_order_in_which_methods_first_appear(rng):
    """Also when the losses of a run do not stand together, or are few."""
    frame = long_frame(rng.exponential(size=(9, 3, 4)))
    methods = [f"m{k}" for k in range(9)]
    for mixed in (frame, frame.sort("case", maintain_order=True)):
        assert assess.expected_losses(mixed)["method"].to_list() == methods
        assert assess.comparisons(mixed)["method"].unique(maintain_order=True).to_list() == methods


def _close(found, wanted):
    numbers = ["difference", "standard_error", "p"]
    np.testing.assert_allclose(
        found.select(numbers).to_numpy(), wanted.select(numbers).to_numpy(), rtol=1e-10
    )
    return found.select(KEY).equals(wanted.select(KEY))


def test_common_test_cases_are_lined_up_across_instances(losses):
    frame = long_frame(losses, scheme="common")
    mixed = pl.concat(
        [
            part.sample(fraction=1.0, shuffle=True, seed=seed)
            for seed, part in enumerate(
                frame.partition_by("method", "instance", maintain_order=True)
            )
        ]
    )
    assert _close(
        assess.comparisons(mixed, "common").sort(KEY), assess.comparisons(frame, "common").sort(KEY)
    )


def test_different_cases_are_refused_and_named(losses):
    frame = long_frame(losses)
    mask = (pl.col("method") == "m2") & (pl.col("instance") == 3) & (pl.col("case") == 40)
    odd = frame.with_columns(case=pl.when(mask).then(999).otherwise(pl.col("case")))
    with pytest.raises(FaultyInput) as caught:
        assess.comparisons(odd)
    assert len(caught.value.faults) == 1
    assert caught.value.faults[0].where == "toy/t/std.64#3, method m2, loss S"
    assert "2 of them not shared (first: case 40)" in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_different_digests_are_refused_and_named(losses):
    frame = long_frame(losses).with_columns(
        digest=pl.when((pl.col("method") == "m1") & (pl.col("instance") == 0))
        .then(pl.lit("other"))
        .otherwise(pl.col("digest"))
    )
    with pytest.raises(
        FaultyInput, match="#0, method m1, loss S: found digest other; method m0 has digest"
    ):
        assess.expected_losses(frame)
    assert assess.expected_losses(frame.drop("digest")).height == 4


def test_missing_instances_are_refused_unless_asked_for(losses):
    frame = long_frame(losses).filter(
        ~((pl.col("method") == "m1") & pl.col("instance").is_in([1, 4]))
    )
    with pytest.raises(FaultyInput, match="method m1, loss S: found nothing for instances 1, 4"):
        assess.comparisons(frame)
    table = assess.comparisons(frame, on_common_instances=True)
    assert set(table["left_out"]) == {"1, 4"}
    assert set(table["instances"]) == {3}
    used = losses[:, [0, 2, 3]]
    first = table.row(0, named=True)
    assert first["p"] == pytest.approx(assess.compare(used[0], used[1]).p, rel=1e-10)
    nothing = frame.filter((pl.col("method") != "m0") | pl.col("instance").is_in([1, 4]))
    with pytest.raises(FaultyInput, match="no instance that every method has"):
        assess.comparisons(nothing, on_common_instances=True)


def test_an_instance_nobody_has_is_noticed_when_the_task_is_known(losses):
    frame = long_frame(losses)
    with pytest.raises(FaultyInput, match="nothing for instance 5"):
        assess.expected_losses(frame, instances={"toy/t/std.64": 6})
    table = assess.expected_losses(frame, instances={"toy/t/std.64": 6}, on_common_instances=True)
    assert set(table["left_out"]) == {"5"}


def test_schemes_that_do_not_fit_the_cases_are_refused(losses):
    with pytest.raises(
        FaultyInput, match="different cases in every instance; that is not the common scheme"
    ):
        assess.expected_losses(long_frame(losses), "common")
    with pytest.raises(FaultyInput, match="that is not the hierarchical scheme"):
        assess.expected_losses(
            long_frame(losses, scheme="common"), {"toy/t/std.64": "hierarchical"}
        )
    shared = long_frame(losses).with_columns(
        case=pl.when(pl.col("case") == 12).then(0).otherwise(pl.col("case"))
    )
    refused(FaultyInput, "share 1 of their test cases", assess.expected_losses, shared)
    uneven = long_frame(losses).filter(pl.col("case") != 12)
    refused(FaultyInput, "11 to 12 test cases an instance", assess.expected_losses, uneven)


def test_faulty_tables_are_refused(losses):
    frame = long_frame(losses)
    refused(FaultyInput, "a column 'case' is needed", assess.expected_losses, frame.drop("case"))
    with pytest.raises(FaultyInput, match="it must hold whole numbers"):
        assess.expected_losses(frame.with_columns(pl.col("instance").cast(pl.String)))
    with pytest.raises(FaultyInput, match="1 nulls"):
        assess.expected_losses(
            frame.with_columns(value=pl.when(pl.int_range(pl.len()) > 0).then(pl.col("value")))
        )
    bad = pl.int_range(pl.len()).is_in([3, 100])
    nan = frame.with_columns(value=pl.when(bad).then(math.nan).otherwise(pl.col("value")))
    with pytest.raises(FaultyInput) as caught:
        assess.expected_losses(nan)
    assert [fault.where for fault in caught.value.faults] == [
        "toy/t/std.64#0, method m0, loss S",
        "toy/t/std.64#3, method m1, loss S",
    ]
    refused(FaultyInput, "cases more than once", assess.expected_losses, pl.concat([frame, frame]))
    again = frame.with_columns(digest=pl.lit("later"))
    with pytest.raises(FaultyInput, match="one run has the losses of one task instance"):
        assess.expected_losses(pl.concat([frame, again]))


def test_infinite_losses_spoil_only_their_method(losses):
    losses[1, 2, 3] = math.inf
    frame = long_frame(losses)
    table = assess.expected_losses(frame)
    assert table["mean"].is_infinite().to_list() == [False, True, False, False]
    assert table["standard_error"].is_null().to_list() == [False, True, False, False]
    assert (
        table["reason"][1] == "the loss of m1 is infinite in 1 of 60 cases: case 27 of instance 2"
    )
    pairs = assess.comparisons(frame)
    for line in pairs.iter_rows(named=True):
        touched = "m1" in (line["method"], line["other"])
        assert (line["p"] is None) == touched
        assert bool(line["reason"]) == touched
        if not touched:
            a, b = int(line["method"][1]), int(line["other"][1])
            assert line["p"] == pytest.approx(assess.compare(losses[a], losses[b]).p, rel=1e-10)


def test_no_number_is_nan(losses):
    losses[1] = losses[0]
    losses[2, 0, 0], losses[2, 0, 1] = math.inf, -math.inf
    for frame in (
        long_frame(losses),
        long_frame(losses[:, :1]),
        long_frame(losses, scheme="common"),
    ):
        for table in assess.assessment(frame):
            numbers = table.select(pl.selectors.float())
            assert not any(numbers[name].is_nan().any() for name in numbers.columns)
            undefined = table.filter(pl.col("standard_error").is_null())
            assert undefined.height
            assert not (undefined["reason"] == "").any()
    assert "both methods have the same loss in every case" in set(
        assess.comparisons(long_frame(losses))["reason"]
    )


def test_standardised_columns(losses):
    frame = pl.concat([long_frame(losses), long_frame(losses, loss="L")])
    constants = {("toy/t/std.64", "S"): 2.0, ("toy/t/std.64", "L"): 0.5}
    table = assess.expected_losses(frame, standard=constants)
    squared, logarithmic = table.partition_by("loss", maintain_order=True)
    assert squared["standardised_mean"].to_list() == pytest.approx(
        (squared["mean"] / 2.0).to_list()
    )
    halved = (squared["standard_error"] / 2.0).to_list()
    assert squared["standardised_standard_error"].to_list() == pytest.approx(halved)
    assert logarithmic["standardised_mean"].to_list() == pytest.approx(
        (logarithmic["mean"] - 0.5).to_list()
    )
    assert (
        logarithmic["standardised_standard_error"].to_list()
        == logarithmic["standard_error"].to_list()
    )
    pairs = assess.comparisons(frame, standard=lambda task, code: constants[task, code])
    squared, logarithmic = pairs.partition_by("loss", maintain_order=True)
    assert squared["standardised_difference"].to_list() == pytest.approx(
        (squared["difference"] / 2.0).to_list()
    )
    assert logarithmic["standardised_difference"].to_list() == logarithmic["difference"].to_list()
    assert assess.expected_losses(frame)["standard"].null_count() == 8
    with pytest.raises(
        FaultyInput, match=r"constant of toy/t/std.64, loss S: 1 fault\n.*positive finite"
    ):
        assess.expected_losses(frame, standard=lambda task, code: 0.0)
    with pytest.raises(FaultyInput, match="loss L: 1 fault"):
        assess.expected_losses(frame, standard={("toy/t/std.64", "S"): 2.0})


def test_instance_means_are_what_the_t_test_sees(losses):
    table = assess.instance_means(long_frame(losses))
    np.testing.assert_allclose(
        table["mean"].to_numpy().reshape(4, 5), losses.mean(axis=2), rtol=1e-13
    )
    assert set(table["cases"]) == {12}


def test_nothing_in_nothing_out():
    empty = long_frame(np.ones((1, 1, 1))).clear()
    assert assess.expected_losses(empty).is_empty()
    assert "reason" in assess.comparisons(empty).columns


def test_cubes_carry_their_cases(losses):
    cube = next(assess.cubes(long_frame(losses)))
    np.testing.assert_array_equal(cube.losses, losses)
    np.testing.assert_array_equal(cube.case_ids, np.arange(60).reshape(5, 12))
    assert (cube.methods, cube.instances, cube.left_out) == (
        ("m0", "m1", "m2", "m3"),
        (0, 1, 2, 3, 4),
        (),
    )


@pytest.mark.parametrize("scheme", ["common", "hierarchical"])
def test_methods_whose_losses_are_all_infinite_have_squares_of_nothing(scheme):
    none = np.zeros((0, 3, 4))
    assert mean_squares(none, scheme).mean.shape == (0,)
    assert all_squares(none, scheme).single.mean.shape == (0,)


@pytest.mark.parametrize("scheme", ["common", "hierarchical"])
@pytest.mark.parametrize("power", [-1000, 500, 1000])
def test_errors_of_huge_and_tiny_losses_are_those_of_others_in_another_unit(losses, power, scheme):
    """By powers of two, so that nothing is rounded; squares of the losses would overflow."""
    unit = 2.0**power
    plain, moved = (
        assess.assessment(long_frame(losses * item, scheme=scheme), scheme) for item in (1.0, unit)
    )
    for before, after in zip(plain, moved, strict=True):
        for name in ("mean", "standard_error", "sd_instances", "sd_cases", "sd_residual"):
            if name in before.columns:
                wanted = before[name].to_numpy() * unit
                np.testing.assert_allclose(after[name].to_numpy(), wanted, rtol=1e-12)


def test_what_is_not_a_number_is_counted_by_run(losses):
    frame = long_frame(losses).with_row_index("line")
    spoilt = frame.with_columns(
        value=pl.when(pl.col("line").is_in([0, 1])).then(float("nan")).otherwise("value")
    )
    with pytest.raises(FaultyInput, match="nan in 2 cases, first case"):
        assess.assessment(spoilt.drop("line"), "hierarchical")
