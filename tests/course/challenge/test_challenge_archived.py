"""Archived entries to the challenge: who is told apart, shares of the knowable, and their boards on a page."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from printed import held, shown

from benchbook import studies
from benchbook.assess.multiplicity import share_a_letter
from benchbook.errors import UnknownName
from benchbook.show.numbers import number, with_error
from benchbook_book.course.challenge import archived
from benchbook_book.pages.show import challenge_board

METHODS = ["base-1", "lin-1", "mdn-1", "exploit-spikes-1"]


@pytest.fixture
def few(tmp_path, monkeypatch):
    """A store with made-up losses of four entries to gaze, one of them without validation targets too."""
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path))
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "none"))
    rng, archive = np.random.default_rng(1), studies.Archive(tmp_path)
    hard = rng.normal(size=427)
    task = archived.results("gaze").task.name
    from benchbook.archive.records import RunKey, RunResult, blank_record

    for name, name_of_task, level in [
        *((m, task, 7.0 - k) for k, m in enumerate(METHODS)),
        ("mdn-1", f"{task}-before", 5.5),
    ]:
        level = -3.9 if name.startswith("exploit") else level
        values = {
            "NLPD": level + hard + 0.1 * rng.normal(size=427),
            "CRPS": 20 + level + hard,
            "S": np.ones(427),
        }
        cost = json.dumps({"nMSE": max(level, 1.0) / 7, "coverage_90": 0.9})
        record = blank_record(RunKey(name, name_of_task, 0), 1, "test") | {
            "status": "ok",
            "cost": cost,
        }
        archive.write(RunResult(record, values, np.arange(427)))
    lost = blank_record(RunKey("lin-1", f"{task}-before", 0), 1, "test")
    archive.write(RunResult(lost | {"status": "failed"}, {}, np.arange(0)))
    archived.results.cache_clear()
    yield archived.results("gaze")
    archived.results.cache_clear()


def test_a_board_ranks_marks_and_ties(few):
    entries = few.entries
    assert entries["entry"].to_list() == ["exploit-spikes-1", "mdn-1", "< mdn-1", "lin-1", "base-1"]
    assert entries["kind"].to_list() == ["exploit", "entry", "before", "entry", "baseline"]
    assert entries["groups"].to_list() == ["a", "b", "c", "d", "e"]
    assert entries["gain"][-1] == 0
    assert few.facts.keys() == {*entries["entry"]}, "none of a run that failed"
    assert challenge_board.title(few) == "gaze-sim: mdn-1 first of 3"
    text = challenge_board.board(few).text
    assert "the true distribution" in text
    assert "`exploit-spikes-1` (exploit)" in text
    best = entries.row(1, named=True)
    assert "NLPD (nats)" in text
    assert with_error(best["ranked"], best["standard_error"]) in text
    words = (
        f"Best without a trick is mdn-1 with {number(best['ranked'], 4)}, "
        f"{number(best['gain'], 3)} below the baseline; "
    )
    assert challenge_board.best_in_words(few).startswith(words)
    assert (
        "all others differ significantly from it; the print has 5.180"
        in challenge_board.best_in_words(few)
    )
    share = archived.shares(["gaze"])
    law, base = few.law["ranked"], entries["ranked"][-1]
    assert share["share"].to_list() == pytest.approx(
        [(base - r) / (base - law) for r in entries["ranked"]]
    )


def test_an_entry_whose_chains_have_not_converged_has_no_place(few):
    chains = {"rhat_prediction": 1.5, "gradient_passes": 17160}
    few.__dict__["facts"] = few.facts | {"mdn-1": few.facts["mdn-1"] | chains}
    last = few.entries.row(-1, named=True)
    assert (last["entry"], last["kind"], last["groups"]) == ("mdn-1", archived.NO_PLACE, "")
    assert few.placed["groups"].to_list() == ["a", "b", "c", "d"]
    assert few.honest["entry"].to_list() == ["< mdn-1", "lin-1"]
    text = challenge_board.board(few).text
    assert "`mdn-1`" in text
    assert "(no place)" in text
    assert "17,160 passes, R-hat 1.5" in text


def test_an_entry_whose_chains_have_converged_keeps_its_place(few):
    few.__dict__["facts"] = few.facts | {"mdn-1": few.facts["mdn-1"] | {"rhat_prediction": 1.05}}
    assert few.placed.height == few.entries.height == 5
    assert "R-hat 1.05" in challenge_board.board(few).text


def test_places_are_those_of_entries_and_ties_are_in_words(few):
    places = challenge_board.places(few)
    ranked = few.placed.filter(pl.col("kind") != "baseline")["entry"].to_list()
    assert [places[entry][0] for entry in ranked] == [str(k + 1) for k in range(len(ranked))]
    base = few.placed.filter(kind="baseline")["entry"][0]
    assert places[base][0] == ""
    groups = dict(few.placed.select("entry", "groups").rows())
    for index, entry in enumerate(ranked, start=1):
        tied = {
            place
            for part in places[entry][1].split(", ")
            for low, _, high in [part.partition(" to ")]
            for place in range(int(low), int(high or low) + 1)
        }
        assert index in tied
        assert tied == {
            k
            for k, other in enumerate(ranked, start=1)
            if share_a_letter(groups[entry], groups[other])
        }


def test_the_best_and_those_better_than_the_baseline(few):
    assert few.better_than_baseline("NLPD") == [
        "mdn-1",
        "lin-1",
    ]  # neither the exploit nor the entry made before
    (best,) = archived.best_entries(["gaze"]).rows(named=True)
    base, first = (few.entries.row(place, named=True)["ranked"] for place in (-1, 1))
    assert best == {
        "task": "gaze",
        "loss": "NLPD",
        "baseline": base,
        "best": "mdn-1",
        "ranked": first,
        "tied": "none",
        "ties": 0,
    }
    worse = few.losses["mdn-1"]
    few.__dict__["losses"] = few.losses | {
        "mdn-1": {code: each + 9 for code, each in worse.items()}
    }
    assert few.better_than_baseline("NLPD") == ["lin-1"]  # told apart, and worse


def test_table_and_sentence_count_the_same_ties(few):
    """Also those of entries without the validation targets, which stand on the board too."""
    letters = pl.col("entry").replace({"< mdn-1": "bc", "lin-1": "b"})
    few.__dict__["entries"] = few.entries.with_columns(
        groups=pl.when(pl.col("entry").is_in(["< mdn-1", "lin-1"]))
        .then(letters)
        .otherwise(pl.col("groups"))
    )
    assert few.tied == ["< mdn-1", "lin-1"]
    assert "2 others do not differ significantly from it" in challenge_board.best_in_words(few)
    assert archived.best_entries(["gaze"]).select("tied", "ties").row(0) == ("< mdn-1, lin-1", 2)


@pytest.fixture
def classes(monkeypatch):
    """A task of two classes with made-up losses of four entries, and its law."""
    losses = {
        "base-1": [[0.4, 0.3, 0.3, 0.4], [0.5, 0.4, 0.4, 0.5], [0.0, 1.0, 0.0, 1.0]],
        "lin-class-1": [[0.1, 0.3, 0.2, 0.1], [0.2, 0.4, 0.3, 0.2], [0.0, 1.0, 0.0, 0.0]],
        "exploit-x": [[0.0, 0.2, 0.1, 0.3], [0.1, 0.3, 0.2, 0.4], [0.0, 0.0, 0.0, 1.0]],
        "< lin-class-1": [[0.2, 0.3, 0.2, 0.1], [0.3, 0.4, 0.3, 0.2], [1.0, 1.0, 0.0, 0.0]],
    }
    item, each = archived.Results("gatineau"), np.array([0.1, 0.2, 0.2, 0.1])
    item.__dict__.update(
        task=SimpleNamespace(name="g/t", prototask=SimpleNamespace(kind="class")),
        losses={
            entry: dict(zip(archived.CODES["class"], map(np.array, values), strict=True))
            for entry, values in losses.items()
        },
        facts={"lin-class-1": {"LIFT": 0.25, "nMSE": 7, "coverage_90": 7}},
    )
    known = SimpleNamespace(
        law="law",
        targets=[1, 0],
        mean_loss=lambda law, code: {"01L": 0.2, "BRIER": 0.3}.get(code, code),
    )
    monkeypatch.setattr(archived, "recreated", lambda name: known)
    monkeypatch.setattr(archived, "results", lambda name: item)
    code = SimpleNamespace(per_case=lambda law, targets: each)
    monkeypatch.setattr(archived.losses, "get", {"NLP10": code}.get)
    return item


def test_a_board_of_classes_and_what_is_made_of_it_are_held(classes):
    made = [
        classes.entries,
        {**classes.law},
        classes.honest["entry"].to_list(),
        archived.best_entries(["g"]),
    ]
    classes.law["extra"] = 0.5
    made += [archived.shares(["g"]).select("entry", "share", "point_share"), classes.tied]
    text = "".join(f"{shown(item)}\n" for item in made).replace("], ", "],\n")
    held(Path(__file__).with_name("held.txt"), "entries of classes", text)


@pytest.mark.parametrize(
    ("kinds", "has"), [([], 0), (["baseline"], 0), (["entry"] * 2, 0), (["entry", "baseline"], 1)]
)
def test_a_task_has_entries_when_there_is_one_beside_the_baseline(classes, kinds, has):
    classes.__dict__["entries"] = pl.DataFrame({"kind": kinds}, schema={"kind": pl.String})
    assert classes.has_entries == has


def test_of_numbers_the_law_holds_so_many_in_its_intervals_of_ninety_percent(classes, monkeypatch):
    def interval(share):
        return np.zeros(4), np.full(4, 10 * share)

    classes.task.prototask.kind = "real"
    known = SimpleNamespace(
        law=SimpleNamespace(interval=interval), mean_loss=lambda law, code: code
    )
    known.targets = np.array([-1.0, 0.0, 9.0, 9.2])
    monkeypatch.setattr(archived, "recreated", lambda name: known)
    each = SimpleNamespace(per_case=lambda law, targets: targets)
    monkeypatch.setattr(archived.losses, "get", {"NLPD": each}.get)
    law = classes.law
    assert (law["ranked"], law["point"], law["other"], law["extra"]) == (4.3, "nMSE", "CRPS", 0.5)
    assert law["standard_error"] == pytest.approx(known.targets.std(ddof=1) / 2)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({}, None),
        ({"rhat": 1.2345, "sweeps": 2000}, "2,000 sweeps, R-hat 1.23"),
        (
            {"rhat_prediction": 1.0, "gradient_passes": 9, "gradients": 1234},
            "9 passes, 1,234 gradients, R-hat 1",
        ),
        ({"rhat": 0}, "R-hat undefined"),
    ],
)
def test_what_is_said_of_chains(facts, words):
    assert archived._chains(facts) == words


@pytest.mark.parametrize("near", [True, False])
def test_losses_of_the_baseline_are_computed_anew_in_the_order_of_the_cases(monkeypatch, near):
    key = SimpleNamespace(asked=SimpleNamespace(cases=("10", "9", "100")))
    monkeypatch.setattr(archived, "book_organiser", lambda: SimpleNamespace(key={"t": key}.get))
    each = {"NLPD": np.array([1.0, 2.0, 3.0]), "CRPS": np.array([4.0, 5.0, 6.0])}
    monkeypatch.setattr(archived, "baseline", lambda it: SimpleNamespace(per_case=each))
    kept = pl.DataFrame(
        {"method": "base-1", "task": "t", "loss": "NLPD", "case": [9], "value": 0.0}
    )
    store = SimpleNamespace(losses=lambda **asked: kept)
    monkeypatch.setattr(archived.studies, "overlay", lambda: store)
    monkeypatch.setattr(archived.datasets, "at_hand", lambda name: near)
    item = archived.Results("gaze")
    item.__dict__["task"] = SimpleNamespace(
        name="t", prototask=SimpleNamespace(kind="real", path="p", dataset="d")
    )
    found = {code: values.tolist() for code, values in item.losses["base-1"].items()}
    assert found == ({"NLPD": [2, 1, 3], "CRPS": [5, 4, 6]} if near else {"NLPD": [0], "CRPS": []})
    kept = kept.clear()
    assert archived.Results.losses.func(item) == {}


@pytest.mark.parametrize("near", [True, False])
@pytest.mark.parametrize(
    ("prototask", "name"), [("gaze-sim/gaze", "gaze"), ("concrete/challenge", "concrete")]
)
def test_methods_without_an_entry_are_run_on_the_task(monkeypatch, prototask, name, near):
    plans = []
    monkeypatch.setattr(archived.Results, "losses", {"base-1": {}})
    monkeypatch.setattr(archived.datasets, "at_hand", lambda name: near)
    monkeypatch.setattr(
        archived.studies, "run", lambda plan, *_, **said: plans.append((plan, said))
    )
    assert archived.entered(prototask, ["base-1"], 1).name == name
    assert plans == []
    assert archived.entered(prototask, ["base-1", "lin-1"], 7).name == name
    for plan, said in plans:
        assert (plan.seed, plan.methods, plan.tasks) == (7, ("lin-1",), (f"{prototask}/test",))
        assert (plan.losses, said["workers"]) == (("NLPD", "CRPS", "NLP10", "BRIER", "01L"), 1)
    assert len(plans) == near


def test_a_run_page_makes_the_entries_that_are_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "a"))
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "b"))
    page = archived.entered("gaze-sim/gaze", ["base-1", "lin-1"], 1)
    assert page.entries["entry"].to_list() == ["lin-1", "base-1"]
    assert "427" in challenge_board.definition(page).text
    assert "93.0 %" in challenge_board.calibration(page).text
    made = {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*.parquet")}
    archived.entered("gaze-sim/gaze", ["base-1"], 1)
    assert made == {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*.parquet")}


def test_a_misspelt_task_is_no_page_of_another():
    with pytest.raises(UnknownName, match="gaze-sim/gazee"):
        archived.entered("gaze-sim/gazee", ["base-1"], 1)


def test_without_runs_the_pages_say_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "a"))
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "b"))
    archived.results.cache_clear()
    item = archived.results("gaze")
    assert not item.has_entries
    assert archived.with_entries(["gaze"]) == []
    assert "challenge-few" in challenge_board.board(item).text
    assert challenge_board.best_in_words(item) == ""
    assert archived.shares([]).is_empty()
    archived.results.cache_clear()
