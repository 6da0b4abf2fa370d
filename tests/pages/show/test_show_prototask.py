"""A prototask's page: losses of the archive, runs made for what is missing, plain words for what is not there."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from benchbook import datasets, studies, tasks
from benchbook.archive.quantization import pack_run, unpack_run
from benchbook.errors import BenchbookError, FaultyInput, UnknownName
from benchbook.studies import RunKey
from benchbook_book.pages import show
from benchbook_book.pages.show import prototask

SIM = "kin-8nm-sim/dist"


@pytest.fixture
def own_runs(tmp_path, monkeypatch):
    """A store of the user's own that begins empty, and an archive that is empty too."""
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(studies.overlay, "__defaults__", (None, tmp_path / "archive"))
    return tmp_path / "runs"


@pytest.fixture
def nothing_at_hand(monkeypatch):
    monkeypatch.setattr(datasets, "at_hand", lambda name: datasets.card(name).simulated_here)


def test_only_missing_runs_are_made_and_they_are_kept(own_runs, monkeypatch):
    made = []
    whole = studies.run

    def run(plan, archive, **options):
        made.extend(plan.runs())
        return whole(plan, archive, **options)

    monkeypatch.setattr(studies, "run", run)
    show.assessed(SIM, ["base-1"], instances=1)
    assert len(made) == 5
    page = show.assessed(SIM, ["base-1", "lin-1"], instances=1)
    assert {key.method for key in made[5:]} == {"lin-1"}
    again = show.assessed(SIM, ["base-1", "lin-1"], instances=1)
    assert len(made) == 10
    assert (
        page.notes
        == again.notes
        == (
            "The runs behind this page were made on this machine and are kept in its own store, not in the archive.",
        )
    )
    assert page.values.equals(again.values)


def test_fresh_runs_leave_no_trace_and_are_compared_with_the_archive(own_runs):
    page = show.assessed(SIM, ["lin-1"], instances=1, source="fresh")
    assert not own_runs.exists()
    assert page.values.height == 3 * (4 * 512 + 1024)
    assert any(note.startswith("All 5 runs were made anew") for note in page.notes)
    assert sum("archive" in note for note in page.notes) == 1


def test_data_that_is_missing_is_said_and_the_page_still_stands(own_runs, nothing_at_hand):
    for source in ("archive", "fresh"):
        page = show.assessed("boston/price", ["base-1", "lin-1"], source=source)
        assert page.values.is_empty()
        assert "benchbook datasets fetch boston" in page.about().text
    assert show.encoding("boston/price").html == ""
    assert "hierarchical" not in show.definition("boston/price").text
    assert "common" in show.definition("boston/price").text


def test_archived_losses_are_shown_without_the_data(own_runs, nothing_at_hand, monkeypatch):
    whole = show.assessed(SIM, ["base-1", "lin-1"], instances=2, codes=["S"])
    monkeypatch.setattr(datasets, "at_hand", lambda name: False)
    page = show.assessed(SIM, ["base-1", "lin-1"], instances=2, codes=["S"])
    assert page.values.equals(whole.values)


def test_a_method_with_a_gap_is_left_out_of_that_task_alone(own_runs, monkeypatch):
    show.assessed(SIM, ["lin-1"], instances=2)
    half = studies.Plan("half", 1, ["base-1"], [f"{SIM}/std.64"], instances=[0])
    studies.run(half, own_runs, workers=1, progress=False)
    monkeypatch.setattr(datasets, "at_hand", lambda name: False)
    page = show.assessed(SIM, ["base-1", "lin-1"], instances=2, codes=["S"])
    assert page.values["method"].unique().to_list() == ["lin-1"]
    assert page.notes[-1] == (
        "base-1 has no losses for some instances of std.64, std.128, std.256, std.512, std.1024, "
        "and is left out there."
    )


def test_no_run_is_begun_after_the_time_given(own_runs):
    page = show.assessed(SIM, ["base-1"], instances=2, budget=1e-12)
    assert "10 runs were not begun within the 1.00 × 10⁻¹² s given." in page.notes
    assert page.values.is_empty()


def test_methods_that_do_not_suit_the_target_are_named(own_runs, nothing_at_hand):
    page = show.assessed("titanic/survived", ["base-1", "lin-1"])
    assert page.methods == ("base-1",)
    assert page.codes == ("Z", "Q", "L")
    assert page.notes[0].startswith("lin-1: left out")
    with pytest.raises(BenchbookError, match="none of lin-1 predicts a class target"):
        show.assessed("titanic/survived", ["lin-1"])


def test_unknown_names_are_refused_with_the_nearest(own_runs):
    with pytest.raises(UnknownName, match="kin-8nm"):
        show.assessed("kin-8mn/dist", ["lin-1"])
    with pytest.raises(BenchbookError, match="lin-2"):
        show.assessed(SIM, ["lin-2"])
    with pytest.raises(BenchbookError, match="archive or fresh, not 'new'"):
        show.assessed(SIM, ["lin-1"], source="new")


def test_a_loss_that_the_runs_lack_is_made(own_runs):
    first = show.assessed(SIM, ["base-1"], instances=1, codes=["S"])
    assert set(first.values["loss"]) == {"S"}
    second = show.assessed(SIM, ["base-1"], instances=1, codes=["CRPS"])
    assert set(second.values["loss"]) == {"CRPS"}
    assert second.values.height == first.values.height
    both = show.assessed(SIM, ["base-1"], instances=1)
    assert set(both.values["loss"]) == {"S", "A", "L"}


def test_losses_that_are_there_are_not_lost_when_others_are_made(own_runs, monkeypatch):
    show.assessed(SIM, ["base-1"], instances=1, codes=["S"])
    show.assessed(SIM, ["base-1"], instances=1, codes=["A"])
    monkeypatch.setattr(studies, "run", lambda *_, **__: pytest.fail("all is there already"))
    again = show.assessed(SIM, ["base-1"], instances=1, codes=["S"])
    assert set(again.values["loss"]) == {"S"}


@pytest.mark.parametrize("instances", [-1, 1.5, "2"])
def test_instances_of_a_page_are_all_for_zero_and_never_negative(instances):
    with pytest.raises(FaultyInput, match="at least 0; 0 is all of them"):
        show.assessed("kin-8nm-sim/dist", ["lin-1"], instances=instances)


def test_the_agreement_with_the_archive_is_told_in_its_steps_and_in_standard_errors(monkeypatch):
    rng = np.random.default_rng(1)
    values = pl.DataFrame(
        {
            "method": "a",
            "task": "t/std.1",
            "instance": 0,
            "case": range(400),
            "loss": "S",
            "digest": "d",
            "value": rng.normal(size=400) ** 2,
        }
    )
    plan = SimpleNamespace(tasks=[], methods=[])

    def agreement(kept, fresh=values):
        archived = fresh.with_columns(value=pl.Series(kept))
        archive = SimpleNamespace(losses=lambda tasks, methods: archived)
        monkeypatch.setattr(prototask.studies, "Archive", lambda path: archive)
        return prototask._agreement(values, plan)

    exact = values["value"].to_numpy()
    for squared in ({"S"}, set()):
        rounded = unpack_run(pack_run({"S": exact}, frozenset(squared)))["S"]
        assert abs(rounded / exact - 1).max() > 0.9
        assert "none differs by more than that" in agreement(rounded)
    other = exact.copy()
    other[:3] += 1.0
    assert "400 case losses" in agreement(other)
    assert "3 differ by more than that, and no mean loss by more than 0.1" in agreement(other)
    strange = values.with_columns(digest=pl.lit("of another task"))
    assert "nothing to compare them with" in agreement(exact, strange)


@pytest.mark.parametrize(
    ("archives", "which"),
    [("aa", None), ("oo", "The runs behind"), ("oaa", "1 of the 3 runs behind")],
)
def test_runs_of_ones_own_are_counted(own_runs, archives, which):
    where = {"o": str(studies.runs_path()), "a": "archive"}
    notes = prototask._whence(pl.DataFrame({"archive": [where[letter] for letter in archives]}))
    assert [note.partition(" this page")[0] for note in notes] == ([which] if which else [])


def test_what_a_prototask_asks_is_told_with_its_tasks():
    lines = [
        " ".join(line.split()) for line in show.definition("titanic/survived").text.splitlines()
    ]
    assert lines[:5] == [
        "target: `survived`, a class",
        "inputs: 3: class, age, sex",
        "test scheme: common, 921 test cases in the pool",
        "order of cases: our own permutation",
        "cases: all",
    ]
    assert lines[-4] == "`titanic/survived/std.20` 20 8 921"
    assert "a number" in show.definition(SIM).text


def test_an_encoding_is_shown_for_the_largest_task_up_to_twelve_lines(monkeypatch):
    lines = [{"input": f"x{number}"} for number in range(13)]
    monkeypatch.setattr(
        tasks, "get", lambda name: SimpleNamespace(describe=lambda: {"encoding": lines})
    )
    text = show.encoding(SIM).text
    assert text.startswith(f"As fitted on the training cases of `{SIM}/std.1024#0`\n")
    assert text.endswith("x11\nThe first 12 of 13.")


def test_absent_runs_are_planned_by_method_and_task_with_the_losses_that_they_have():
    plan = studies.Plan("p", 5, ["base-1", "lin-1"], [SIM], losses=["S", "A"])
    rows = [("lin-1", 1, ["CRPS", "S", "X"]), ("lin-1", 3, None), ("base-1", 2, ["A"])]
    absent = pl.DataFrame(rows, schema=["method", "instance", "asked"], orient="row")
    parts = prototask._parts(plan, absent.with_columns(task=pl.lit(f"{SIM}/std.64")))
    assert [
        (part.name, part.seed, part.methods, part.tasks, part.losses, part.instances)
        for part in parts
    ] == [
        ("p", 5, ("lin-1",), (f"{SIM}/std.64",), ("S", "A", "CRPS"), (1, 3)),
        ("p", 5, ("base-1",), (f"{SIM}/std.64",), ("S", "A"), (2,)),
    ]


def test_time_left_runs_left_and_failures_are_counted_over_all_parts(own_runs, monkeypatch):
    """Each part takes ten of the 25 seconds; what is not begun by then is left, with all its runs."""
    clock, given, keys = [0.0], [], [RunKey("lin-1", f"{SIM}/std.64", number) for number in (0, 1)]

    def run(part, folder, **how):
        clock[0] += 10.0
        given.append((part.budget_seconds, folder, how))
        failed, before = (([(keys[0], "no")], []), ([], [(keys[1], "yes")]), ([], []))[
            len(given) - 1
        ]
        return SimpleNamespace(left=len(given), failed=failed, kept_failed=before)

    monkeypatch.setattr(studies, "run", run)
    monkeypatch.setattr(prototask, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    page = show.assessed(SIM, ["lin-1"], instances=2, budget=25.0)
    assert given == [
        (left, own_runs, {"workers": 1, "progress": False}) for left in (25.0, 15.0, 5.0)
    ]
    assert page.notes == (
        f"Failed: lin-1 on {SIM}/std.64#0: no.",
        f"Failed: lin-1 on {SIM}/std.64#1: yes.",
        "10 runs were not begun within the 25.0 s given.",
        "The archive has no losses of these methods here.",
    )


@pytest.mark.parametrize(
    ("asked", "status", "absent"),
    [("S A", "ok", False), ("A S Z", "ok", False), ("S", "ok", True), ("S A", "failed", True)],
)
def test_a_run_is_absent_without_one_of_the_losses_or_when_it_failed(
    monkeypatch, asked, status, absent
):
    key = {"method": ["lin-1"], "task": [f"{SIM}/std.64"], "instance": [0]}
    records = pl.DataFrame(key | {"asked": [asked], "status": [status]})
    archives = SimpleNamespace(records=lambda tasks: records)
    monkeypatch.setattr(prototask.studies, "overlay", lambda: archives)
    plan = studies.Plan("p", 1, ["lin-1"], [SIM], losses=["S", "A"])
    assert prototask._absent(plan, pl.DataFrame(key)).height == absent
