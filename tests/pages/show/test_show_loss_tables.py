"""What a prototask's page says is what ``assess`` computes: methods as rows, sizes as columns, the best in bold."""

import base64

import polars as pl
import pytest

from benchbook import assess, studies, tasks
from benchbook_book.pages import show
from benchbook_book.pages.show import loss_tables

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


def test_methods_are_rows_and_training_cases_columns_and_bold_is_near_the_best(frames):
    expected, compared, _ = frames
    standings = assess.standings(expected, compared)
    head, _, *lines = loss_tables.by_size(standings, "S").text.splitlines()[1:]
    assert head.split() == ["method", "64", "128", "256", "512", "1,024"]
    cells = {line.split("`")[1]: line.split("`")[2].split() for line in lines}
    assert list(cells) == ["lin-1", "base-1"], "the best of the largest size first"
    for column, size in enumerate((64, 128, 256, 512, 1024)):
        best, worse = standings.filter(task=f"{SIM}/std.{size}").to_dicts()
        near = bool(set(best["ties"]) & set(worse["ties"]))
        for row, bold in ((best, True), (worse, near)):
            value = show.number(row["standardised_mean"])
            assert cells[row["method"]][column] == (f"**{value}**" if bold else value)
    assert "<strong>" in loss_tables.by_size(standings, "S").html
    bare = standings.with_columns(standardised_mean=pl.lit(None, pl.Float64))
    assert "in squared units of the target" in loss_tables.by_size(bare, "S").text
    assert loss_tables.by_size(standings.clear(), "S").text == "There are no losses to show here."
    assert loss_tables.title(f"{SIM}", standings.clear()) == f"{SIM}: no runs"
    tied = pl.DataFrame({"method": ["b", "a", "c"], "ties": ["a", "ab", "a2"]})
    assert loss_tables.title("kin/dist", tied) == "kin: 2 of 3 methods share first place"
    assert loss_tables.title("kin/dist", tied[[0, 2]]) == "kin: b first of 2"


def test_tables_are_taken_away_as_files(frames):
    shown = show.downloads({"a": ("the records", frames[2]), "b": ("nothing", frames[2].clear())})
    assert shown.text == "a.csv: the records"
    coded = shown.html.partition("base64,")[2].partition('"')[0]
    read = pl.read_csv(base64.b64decode(coded))
    assert read["method"].to_list() == frames[2]["method"].to_list()


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
    ties = pl.when(pl.col("method") == "lin-1").then(pl.lit("ab")).otherwise(pl.lit("bc"))
    output = loss_tables.best_in_words(standings.with_columns(ties=ties), "S")
    assert output.endswith("not significantly different from it: base-1.")
    assert loss_tables.best_in_words(standings.clear(), "S") == ""
