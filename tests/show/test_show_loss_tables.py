"""The tables of a prototask's page say what ``assess`` computes: methods as rows, with units and standard errors."""

import polars as pl
import pytest

from benchbook import assess, show, studies, tasks
from benchbook.show import loss_tables

SIM = "kin-8nm-sim/dist"
LARGEST = f"{SIM}/std.1024"


@pytest.fixture(scope="module")
def frames(tmp_path_factory):
    """Expected losses, comparisons and records of three instances of two methods."""
    archive = studies.Archive(tmp_path_factory.mktemp("runs"))
    plan = studies.Plan("tables", 1, ["base-1", "lin-1"], [SIM], losses=["S"], instances=[0, 1, 2])
    studies.run(plan, archive, workers=1, progress=False)
    losses = archive.losses()
    return *assess.assessment(losses, "hierarchical", tasks.standard), archive.records()


def only(frame, **chosen):
    (row,) = frame.filter(**chosen).to_dicts()
    return row


def test_methods_are_rows_and_training_cases_columns(frames):
    expected = frames[0]
    head, _, *lines = loss_tables.standard_table(expected, "S").text.splitlines()[1:]
    assert head.split() == ["method", "64", "128", "256", "512", "1024"]
    assert [line.split()[0] for line in lines] == ["base-1", "lin-1"]
    last = only(expected, task=LARGEST, method="lin-1")
    scaled = show.with_error(
        last["standardised_mean"], last["standardised_standard_error"], places=3
    )
    assert lines[1].endswith(scaled)


def test_losses_are_shown_in_units_of_the_target(frames):
    expected = frames[0]
    text = loss_tables.losses_table(expected, "S").text
    assert "in squared units of the target" in text
    first = only(expected, task=f"{SIM}/std.64", method="lin-1")
    (line,) = [line for line in text.splitlines() if line.split()[:2] == ["64", "lin-1"]]
    assert show.with_error(first["mean"], first["standard_error"]) in line


def test_each_pair_stands_once(frames):
    compared = frames[1]
    lines = [
        line
        for line in loss_tables.pairs_table(compared, "S").text.splitlines()
        if "base-1 − lin-1" in line
    ]
    assert len(lines) == 5
    row = only(compared, task=f"{SIM}/std.64", method="base-1")
    assert show.with_error(row["difference"], row["standard_error"]) in lines[0]
    assert lines[0].endswith(show.p_value(row["p"]))


def test_seconds_are_means_over_runs(frames):
    records = frames[2].with_columns(
        seconds=pl.when(pl.col("method") == "lin-1").then(0.25).otherwise(4.0)
    )
    lines = loss_tables.effort_table(records).text.splitlines()
    assert lines[-1].split() == ["lin-1", *["0.25"] * 5]
    assert lines[-2].split() == ["base-1", *["4.0"] * 5]


def test_the_sentence_names_the_best_and_those_not_told_apart_from_it(frames):
    expected, compared, _ = frames
    standings = assess.standings(expected, compared).filter(task=LARGEST)
    best = standings.row(0, named=True)
    output = loss_tables.best_in_words(standings, "S")
    assert output.startswith("With 1,024 training cases lin-1 has the smallest loss S of 2 methods")
    assert show.with_error(best["standardised_mean"], best["standardised_standard_error"]) in output
    assert output.endswith("it is significantly different from every other method.")
    tied = standings.with_columns(ties=pl.lit("a"), standardised_mean=pl.lit(None, pl.Float64))
    output = loss_tables.best_in_words(tied, "S")
    assert (
        show.with_error(best["mean"], best["standard_error"]) + ", in squared units of the target"
        in output
    )
    assert output.endswith("not significantly different from it: base-1.")
    assert loss_tables.best_in_words(standings.clear(), "S") == ""


def test_without_losses_the_tables_say_so(frames):
    for shown in (
        loss_tables.side_by_side(frames[0].clear(), "S"),
        loss_tables.pairs(frames[1].clear(), "S"),
        loss_tables.effort_table(frames[2].clear()),
    ):
        assert shown.text == "There are no losses to show here."


def test_seconds_are_means_of_the_runs_that_ended_well_and_none_is_nothing():
    rows = [("a", 0, "ok", 1.0), ("a", 1, "ok", 2.0), ("a", 2, "ok", 6.0), ("a", 3, "failed", 99.0)]
    rows += [("b", 0, "ok", 0.001), ("c", 0, "ok", 0.0009)]
    schema = ["method", "instance", "status", "seconds"]
    records = pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        task=pl.lit(LARGEST), cpu=pl.lit("x")
    )
    lines = loss_tables.effort_table(records).text.splitlines()
    assert [line.split(maxsplit=1) for line in lines[-3:]] == [
        ["a", "3.0"],
        ["b", "0.0010"],
        ["c", "< 0.001"],
    ]


@pytest.mark.parametrize(("scheme", "heading"), [("hierarchical", "t"), ("common", "F")])
def test_the_statistic_of_pairs_is_that_of_the_scheme(frames, scheme, heading):
    compared = frames[1].with_columns(scheme=pl.lit(scheme))
    assert loss_tables.pairs_table(compared, "S").text.splitlines()[1].split()[4] == heading


def test_a_spread_that_nobody_has_leaves_no_column(frames):
    known = frames[0].with_columns(sd_cases=pl.lit(0.5))
    assert frames[0]["sd_cases"].null_count() == frames[0].height
    assert "sd, test cases" not in loss_tables.losses_table(frames[0], "S").text
    assert "sd, test cases" in loss_tables.losses_table(known, "S").text


def test_the_scale_of_the_target_stands_behind_a_fold_where_there_is_a_standard_one(frames):
    expected = frames[0]
    both = loss_tables.side_by_side(expected, "S").text
    title = "Loss S on the scale of the target, and where the uncertainty is from"
    assert both.index("Standardised expected loss S") < both.index(title) < both.index("in squared")
    bare = expected.with_columns(standard=pl.lit(None, pl.Float64))
    assert loss_tables.standard_table(bare, "S").text == ""
    assert loss_tables.side_by_side(bare, "S").text == loss_tables.losses_table(bare, "S").text
