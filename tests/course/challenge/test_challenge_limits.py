"""Where the rules of a challenge begin and end: each limit from both sides, and each thing that decides."""

import io
import zipfile
from dataclasses import replace
from functools import reduce
from pathlib import Path
from types import SimpleNamespace
from urllib.error import HTTPError, URLError

import numpy as np
import polars as pl
import pytest

from benchbook.errors import BenchbookError, FaultyInput, UnknownName
from benchbook.predictive import Categorical, Draws, Gaussian, Point, Quantiles
from benchbook_book.course import challenge
from benchbook_book.course.challenge import (
    Entry,
    Submission,
    boards,
    checking,
    client,
    example,
    export,
    names,
    scoring,
    targets,
)
from benchbook_book.course.challenge import writing as entering
from benchbook_book.course.challenge.asked import Asked, Key, Offer, Organiser, resolution
from benchbook_book.course.challenge.board import differ_significantly
from benchbook_book.course.challenge.board_page import _drawn, page
from benchbook_book.course.challenge.findings import Findings, SubmissionLimits, quote, report
from benchbook_book.course.challenge.manifest import Promise
from benchbook_book.course.challenge.recreated import Recreated
from benchbook_book.course.challenge.scoring import _evenly, remarks, score
from benchbook_book.course.challenge.text import read, read_csv, read_text

GAUSSIAN = {"task": "fuel/test", "file": "a.txt", "kind": "gaussian"}
QUANTILES = GAUSSIAN | {"kind": "quantiles"}
PROBABILITY = {"task": "ill/test", "file": "a.txt", "kind": "probability"}


def lines(numbers, kind="real"):
    return [f"{f'car-{i}' if kind == 'real' else 100 + i} {numbers}" for i in range(8)]


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([0.0001, 0.0003, 0.0004], 0.0001),
        ([0.00001, 0.00003, 0.00004], None),
        ([0.0, 1.0, 10_000.0], 1.0),
        ([0.0, 1.0, 10_001.0], None),
        ([0.0, 1.0005, 2.0], 0.0005),
        ([-2e9, 0.0, 1.0], None),
        ([0.0, 1.0, 2.0], 1.0),
        ([0.3, 1.3, 2.3], 1.0),
        ([0.0, 1.0], None),
    ],
)
def test_the_resolution_has_four_decimals_and_ten_thousand_steps_at_most(values, step):
    assert resolution(np.array(values)) == (step if step is None else pytest.approx(step))


def test_the_book_offers_tasks_with_phases_and_an_unknown_one_leads_to_those(monkeypatch):
    asked = challenge.asked
    made = {
        "a/b": ("class", {"validation": 3, "test": 4}),
        "a/c": ("real", {"validation": 1, "test": 2}),
    }
    names = ("a/b/test", "a/b/validation", "a/c/test-before", "a/b/std.64", "x/a/b/test", "test")
    monkeypatch.setattr(asked.tasks, "available", lambda: names)
    monkeypatch.setattr(
        asked.tasks,
        "prototask",
        lambda path: SimpleNamespace(kind=made[path][0], phases=made[path][1]),
    )
    monkeypatch.setattr(asked.tasks, "instance", lambda *given: given)
    monkeypatch.setattr(asked, "_prototask_key", lambda name: SimpleNamespace(asked=name))
    offers = asked.book_organiser()
    assert [(name, offer.kind, offer.cases) for name, offer in offers.items()] == [
        ("a/b/test", "class", 4),
        ("a/b/validation", "class", 3),
        ("a/c/test-before", "real", 2),
    ]
    assert (offers.asked("a/b/test"), offers.instance("a/b/test")) == ("a/b/test", ("a/b/test", 0))
    assert Offer("real", 1, None, asked="given", instance=lambda: "own").asked == "given"
    with pytest.raises(UnknownName, match=r"unknown task 'a/b/tes'. Nearest: a/b/test"):
        offers.key("a/b/tes")


def test_of_two_organisers_the_later_one_offers_a_task_of_one_name():
    first, second = (
        Organiser({"a/test": SimpleNamespace(kind=kind)}) for kind in ("real", "class")
    )
    assert (first | second).kind("a/test") == "class"


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("a,training,1\nb,test,-1\n", "class", [1, 0]),
        ("# a note\na#1,training,1\nb,test,-1\n", "class", [1, 0]),
        ("#kind=real\na,training,1\nb,test,-1\n", "real", [1, -1]),
        ("\ufeffcase", "", []),
        ("a,training,2\nb,test,3\n", "real", [2, 3]),
        ("a,training,2\nb,validation,3\n", "real", [2, 3]),
    ],
)
def test_a_file_of_targets_needs_training_cases_and_one_phase(tmp_path, text, kind, values):
    path = tmp_path / "mine.csv"
    mark = "\ufeff" if kind == "" else ""
    text = "a,training,1\nb,test,-1\n" if kind == "" else text
    path.write_text(f"{mark}case,phase,target\n{text}", encoding="utf8")
    table = targets.read_table(path)
    assert (table.name, table.kind) == ("mine", kind or "class")
    assert table.values.tolist() == (values or [1, 0])


def test_inputs_that_do_not_differ_are_told(tmp_path):
    (tmp_path / "x.csv").write_text("case,phase,target,x\na,training,1, \nb,test,2,\n")
    offers = targets.read(tmp_path / "x.csv")
    with pytest.raises(
        FaultyInput, match=r"inputs of x: 1 fault\n  inputs: found none that differ"
    ):
        offers.instance("x/test")


def test_a_line_that_is_no_csv_is_named_by_its_number(tmp_path):
    (tmp_path / "x.csv").write_text('case,phase,target\na,training,1\nb,"test,1\n')
    with pytest.raises(BenchbookError, match="line 2 is no CSV"):
        targets.read_table(tmp_path / "x.csv")
    assert targets.as_text({"task": "a", "kind": None, "resolution": 0}, []).startswith(
        "# task = a\n# resolution = 0\ncase,"
    )


# -- boards -----------------------------------------------------------------------------------------------------------


def entry(organiser, name="a", team="t", task="fuel/test", shift=1.0, exploit=False):
    values = organiser.key(task).targets
    prediction = Gaussian(
        values + shift * np.linspace(-1, 1, len(values)), np.full(len(values), 2.0)
    )
    return score(Submission(name, team, "m", exploit, (Entry(task, prediction),)), organiser)[0]


def test_entries_are_the_same_by_name_team_and_task(organiser):
    sound = [entry(organiser), entry(organiser, team="u"), entry(organiser, task="fuel/validation")]
    assert len(boards(sound)) == 2
    with pytest.raises(FaultyInput, match="two entries a of team t"):
        boards([*sound, entry(organiser)])


def test_one_name_with_other_cases_is_another_board(organiser):
    one = entry(organiser)
    asked = replace(one.key.asked, cases=tuple(f"x{case}" for case in one.key.asked.cases))
    other = replace(one, name="b", key=replace(one.key, asked=asked))
    assert len(boards([one, other])) == 2


def test_only_entries_with_a_reason_are_refused_and_marks_have_an_order(organiser):
    some = [
        entry(organiser),
        entry(organiser, "game", exploit=True),
        entry(organiser, "game", task="fuel/test-before", exploit=True),
    ]
    (board,) = boards(some, enforce=True)
    last = {line.label: line for line in board.lines if line.refused}
    assert set(last) == {"game", "< game"}
    assert [line.rank for line in board.lines if line.scored.name == "a"] == [1]
    html = page([board])
    assert html.count('tr class="refused"') == 2
    assert 'aria-label="3 marks' in html, "what is refused is not drawn"
    (board,) = boards(some)
    kinds = {line.label: _drawn(line) for line in board.lines}
    assert (kinds["game"], kinds["< game"], kinds["a"]) == ("exploit", "exploit", "entry")
    rows = [line for line in page([board]).split("<tr") if 'class="base"' in line]
    assert all('<td class="num" data-value="">–</td>' in row for row in rows), "no gain over itself"


def test_losses_that_differ_by_rounding_are_the_same_and_others_are_not():
    level = np.full((2, 30), 1e-3)
    rounding = 1e-12 * (1 + np.arange(30))
    assert not differ_significantly(np.array([level[0], level[0] + rounding])).any()
    assert differ_significantly(np.array([level[0], level[0] + 1e3 * rounding]))[0, 1]
    some = np.array([level[0], level[0] + np.r_[np.zeros(3), np.linspace(1.0, 1.1, 27)]])
    assert differ_significantly(some)[0, 1], "equal in three cases, and far apart in the others"
    infinite = np.array([level[0], np.r_[np.inf, level[0][1:]]])
    assert differ_significantly(infinite)[0, 1]


def test_a_standard_error_is_of_finite_losses_and_no_number_is_infinite(organiser):
    values = organiser.key("fuel/test").targets
    far = Gaussian(values + np.r_[1e90, np.ones(7)], np.full(8, 1e-190))
    (item,) = score(Submission("a", "t", "m", False, (Entry("fuel/test", far),)), organiser)
    assert item.values["NLPD"] == np.inf
    assert item.error("NLPD") is None
    single = replace(item, per_case={"NLPD": np.array([1.0])})
    assert single.error("NLPD") is None
    lost = SimpleNamespace(per_case=lambda *_: np.array([1.0, np.nan]), is_set=False, code="X")
    from benchbook_book.course.challenge.scoring import _each

    assert _each(lost, None, SimpleNamespace(targets=None)).tolist() == [1.0, np.inf]


def test_remarks_look_at_few_cases_evenly_and_at_all_values(organiser, monkeypatch):
    assert _evenly(500, 500).tolist() == list(range(500))
    chosen = _evenly(1001, 500)
    assert (len(chosen), chosen[0], chosen[-1]) == (500, 0, 1000)
    seen = {}

    def inspect(pred, values, resolution, possible):
        seen.update(pred=pred.mean(), values=values, possible=possible)
        return SimpleNamespace(suspicious=False)

    monkeypatch.setattr("benchbook_book.course.challenge.scoring.inspect", inspect)
    means = np.arange(1001.0)
    key = Key(Asked("a/test", "real", ()), means, np.array([-5.0, 2.0]), 1.0)
    assert remarks(Gaussian(means, np.ones(1001)), key, {}, False) == ()
    assert np.array_equal(seen["pred"], seen["values"])
    assert (seen["possible"][0], seen["possible"][-1]) == (-5.0, 1000.0)
    told = SimpleNamespace(suspicious=True, earned=1.25, core=0.5, above_bound=0.25)
    monkeypatch.setattr("benchbook_book.course.challenge.scoring.inspect", lambda *_: told)
    (remark,) = remarks(Gaussian(means, np.ones(1001)), replace(key, resolution=0.5), {}, False)
    assert remark == (
        "spikes",
        "spikes: targets are 0.5 apart, 1.25 nats a case were earned below that, 50 % of the probability near the "
        "possible values lies in the middle tenth of their cells, and the density exceeds 2 in 25 % of the cases",
        True,
    )
    assert scoring._VALUES == 200
    two = replace(key, targets=np.zeros(2), resolution=None)
    (remark,) = remarks(Gaussian([1.0, 1.0], [2.0, 2.0]), two, {}, False)
    assert remark.kind == "constant"


# -- files of a submission --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("x" * 255, False),
        ("x" * 256, True),
        ("1/2/3/4.txt", False),
        ("1/2/3/4/5.txt", True),
        ("a .txt", False),
        ("a.txt ", True),
        ("a./b.txt", True),
        ("CON .x", True),
        ("a/nul", True),
        ("./a", True),
        ("", True),
    ],
)
def test_names_that_some_system_does_not_take_are_refused(name, broken):
    assert bool(names.broken_rule(name, 4)) is broken


def test_names_are_dust_the_same_or_below_one_folder():
    assert [names.dust(name) for name in ("a/._b", "a/.b", "__MACOSX/x", "Thumbs.db", "a")] == [
        True,
        False,
        True,
        True,
        False,
    ]
    assert names.packed("a/B.ZIP")
    assert names.same("Cafe\u0301.TXT") == names.same("café.txt") != names.same("cafe.txt")
    assert names.root(["a/m", "a/b"], "m") == "a/"
    assert names.root(["a/x"], "m") == names.root(["a/m", "b"], "m") == names.root(["m"], "m") == ""


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"name": "x" * 64, "team": "y" * 80, "method": "z" * 2000}, ""),
        ({"team": "y" * 81}, "text of 1 to 80"),
        ({"method": "z" * 2001}, "text of 1 to 2000"),
    ],
)
def test_texts_of_a_manifest_may_be_as_long_as_is_said(sent, changed, said):
    sent.put("manifest.toml", sent.manifest(GAUSSIAN, **changed))
    sent.put("a.txt", "\n".join(lines("1 1")))
    assert said in sent.said()
    assert sent.said().endswith("is valid") is not said


@pytest.mark.parametrize(
    ("predictions", "said"),
    [
        ([QUANTILES | {"levels": [0.0, 0.5]}], "level 0: found 0.0; must be strictly between"),
        ([QUANTILES | {"file": "A.TXT", "levels": [0.25, 0.5]}], "is valid"),
        ([QUANTILES | {"file": "a/b/c/d.txt", "levels": [0.25, 0.5]}], "is valid"),
        (
            [GAUSSIAN, GAUSSIAN | {"task": "fuel/validation", "file": "A.txt"}],
            "that of one prediction only",
        ),
        ([QUANTILES], "is valid"),
    ],
)
def test_files_and_levels_of_a_manifest(sent, predictions, said):
    sent.put("manifest.toml", sent.manifest(*predictions))
    levels = "" if "levels" in predictions[0] else "0.25 0.5 "
    for prediction in predictions:
        sent.put(prediction["file"], "\n".join(f"{levels}{i} {i + 1}" for i in range(8)))
    assert said in sent.said()


def test_as_many_predictions_as_a_submission_may_have(sent):
    both = [GAUSSIAN, GAUSSIAN | {"task": "fuel/validation", "file": "b.txt"}]
    sent.put("manifest.toml", sent.manifest(*both))
    sent.put("a.txt", "\n".join(lines("1 1")))
    sent.put("b.txt", "1 1\n" * 4)
    sent.put("manifest.toml", sent.manifest(*both, *both))
    assert "found 4 tables; must be at most 3" in sent.said(entries=3)
    assert "tables" not in sent.said(entries=4)
    sent.put("manifest.toml", sent.manifest(*both))
    sent.put("c.txt", "x")
    assert "remark: not named in the manifest and not read: 'c.txt'" in sent.said()
    sent.put("manifest.toml", sent.manifest(*both, team=""))
    assert "not named" not in sent.said()


def chunked(reader, chunks, kind="gaussian", limits=None, cases=8, levels=()):
    """What a reader makes of a file that comes in chunks."""
    findings = Findings(50)
    asked = Asked("t/test", "real", tuple(f"car-{i}" for i in range(cases)))
    promise = Promise("t/test", "a.txt", kind, levels)
    sheet = reader(chunks, promise, asked, findings, limits or SubmissionLimits())
    return sheet, [str(fault) for faults in findings.faults.values() for fault in faults]


def test_a_file_is_read_in_chunks_as_in_one():
    whole = "\r\n".join(lines("1.5 2")).encode()
    for size in (1, 3, 7, 1000):
        chunks = [whole[start : start + size] for start in range(0, len(whole), size)]
        sheet, faults = chunked(read_text, chunks)
        assert faults == []
        assert sheet.values.tolist() == [[1.5, 2.0]] * 8
    limits = SubmissionLimits(line=20, lines=4)
    endless = (b"1" * 15 for _ in iter(int, 1))
    with pytest.raises(Exception, match="a line of more than 20 bytes"):
        list(read(endless, "a", 8, Findings(9), limits))
    assert len(list(read([b"x" * 19 + b"\n"] * 20, "a", 8, Findings(9), limits))) == 20
    with pytest.raises(Exception, match="more than 20 lines"):
        list(read([b"x\n"] * 21, "a", 8, Findings(9), limits))


def test_columns_are_found_by_their_names_in_any_order():
    ordered = b"case,level 2,quantile 10,quantile 2,level 10\n" + b"".join(
        b"car-%d,.2,8,2,.8\n" % i for i in range(8)
    )
    sheet, faults = chunked(read_csv, [ordered], "quantiles")
    assert faults == []
    assert sheet.values[0].tolist() == [0.2, 0.8, 2.0, 8.0]
    sheet, faults = chunked(
        read_csv,
        [b"case,q0.9,q0.1\n" + b"".join(b"car-%d,9,1\n" % i for i in range(8))],
        "quantiles",
    )
    assert (faults, sheet.layout.levels, sheet.values[0].tolist()) == ([], (0.1, 0.9), [1.0, 9.0])


def test_a_case_may_be_called_as_a_heading_is():
    asked = Asked("t/test", "real", ("mean", "b"))
    findings = Findings(9)
    promise = Promise("t/test", "a.txt", "gaussian", ())
    read_text([b"mean 1 2\nb 1 2\n"], promise, asked, findings, SubmissionLimits())
    assert findings.total == 0


def test_faults_are_told_with_the_case_and_line_they_stand_in_beyond_the_first_block(
    tmp_path, sent
):
    from benchbook_book.course.challenge.checking import prediction

    text = "\n".join(f"car-{i} {'-2e100 1' if i == 270 else '1 2'}" for i in range(300))
    sheet, _ = chunked(read_text, [text.encode()], cases=300)
    assert prediction(sheet, sheet._found) is None
    (fault,) = sheet._found.faults["a.txt"]
    assert (
        str(fault)
        == "a.txt, line 271, case car-270, mean: found -2e+100; must be within 1e+100 of zero"
    )
    for numbers, broken in (("1 1e-200", False), ("1 1e-201", True), ("-1e100 1", False)):
        sheet, _ = chunked(read_text, ["\n".join(lines(numbers)).encode()])
        assert (prediction(sheet, sheet._found) is None) is broken


def test_certain_probabilities_are_probabilities_of_the_positive_class(sent):
    sent.put("manifest.toml", sent.manifest(PROBABILITY))
    sent.put("a.txt", "\n".join([*lines("1", "class")[:4], *lines("0", "class")[4:]]))
    submission, found = sent.check()
    assert found.good, found.lines()
    assert submission.entries[0].prediction.probability[:, 1].tolist() == [1.0] * 4 + [0.0] * 4


def test_as_many_faults_as_are_shown_are_not_said_to_be_more():
    findings = Findings(9)
    for number in range(3):
        findings.add("a.txt", f"line {number}", "x", "y")
    told = report("p", findings)
    assert not any("more" in line for line in told.lines(3))
    assert "  ... and 1 more in a.txt" in told.lines(2)
    assert (told.total, told.good) == (3, False)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x" * 40, repr("x" * 40)),
        ("x" * 41, f"{'x' * 40!r}... (41 characters)"),
        ([1.5], "[1.5]"),
        ([10**5000], "a list too long to show"),
        (reduce(lambda inner, _: [inner], range(9999), 1), "a list too long to show"),
    ],
)
def test_a_value_of_a_stranger_is_shown_in_forty_letters(value, text):
    assert quote(value) == text


# -- entering, exporting, sending -------------------------------------------------------------------------------------


def test_a_method_enters_with_its_seed_form_and_what_its_name_says(monkeypatch, tmp_path):
    written = []
    method = SimpleNamespace(name="exploit-x", description="a  method\nof two lines")
    instance = SimpleNamespace(decode=lambda prediction: prediction)
    organiser = SimpleNamespace(asked=lambda task: task, instance=lambda task: instance)
    monkeypatch.setattr(entering.methods, "declared", lambda spec: method)
    monkeypatch.setattr(entering.methods, "from_outside", lambda spec: False)
    monkeypatch.setattr(
        entering, "answered", lambda *work: SimpleNamespace(prediction=lambda name: (work, name))
    )
    monkeypatch.setattr(entering, "write", lambda *args: written.append(args))
    entering.enter("x", ["a/test"], organiser, tmp_path, team="t", seed=5, form="csv")
    folder, name, team, text, predictions, form, exploit = written[0]
    assert (folder, name, team, text, form, exploit) == (
        tmp_path,
        "exploit-x",
        "t",
        "a method of two lines",
        "csv",
        True,
    )
    assert predictions == [("a/test", (("x", 5, instance), "exploit-x"))]
    method.name, method.description = "honest", " "
    entering.enter("x", ["a/test"], organiser, tmp_path)
    assert written[1][3] == "honest", "what has no words of its own goes by its name"
    assert (written[1][-1], written[1][2], written[1][4][0][1][0][1]) == (False, "benchbook", 1)
    entering.enter("x", ["a/test"], organiser, tmp_path, exploit=True)
    assert written[2][-1] is True
    with pytest.raises(BenchbookError, match="which tasks to enter"):
        entering.enter("x", [], organiser, tmp_path)


def test_a_prototask_without_phases_is_tested_on_the_first_cases_of_its_order():
    table, about = export.of_prototask("kin-8nm-sim/dist")
    order = challenge.asked.tasks.get("kin-8nm-sim/dist/std.64").cases.order
    test = table.cases[table.phases == "test"]
    assert set(test) == set(order[: len(test)])
    assert len(test) == len(order) // 4
    assert about == "Target: dist."


def prototask(kind, count=15, phases=()):
    return SimpleNamespace(
        kind=kind, count=count, phases=phases, dataset="d", inputs=("x",), target="y", note="N."
    )


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            prototask("ordinal"),
            "a/b has targets of kind ordinal; a challenge takes numbers or two classes",
        ),
        (
            prototask("class", phases=("three",)),
            "a/b has 3 classes; a challenge asks for the second of two",
        ),
        (prototask("real", 11), "a/b has 11 cases; a challenge needs at least 12"),
        (prototask("real", 12), ("Target: y.", "0 1 2 3 4 5 6 7 8 9 10 11", 3, 3)),
        (prototask("real"), ("Target: y.", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14", 5, 3)),
        (
            prototask("class", phases=("two",)),
            ("Target: y. +1 stands for y = no. N.", "14 2 1", 1, 1),
        ),
    ],
)
def test_a_prototask_is_a_challenge_with_so_many_cases_of_each_phase(monkeypatch, made, said):
    places = {"training": np.array([1]), "validation": np.array([2]), "test": np.array([14])}
    every = np.arange(made.count)
    classes = {"three": "abc", "two": ("yes", "no")}.get(*made.phases, ()) if made.phases else ()
    cases = SimpleNamespace(order=every, columns={"y": every % 2}, classes=classes)
    task = SimpleNamespace(cases=cases, places=lambda: places)
    frame = pl.DataFrame({"x": [None, *range(1, made.count)]})
    monkeypatch.setattr(export.tasks, "prototasks", lambda: ["a/b"])
    monkeypatch.setattr(export.tasks, "prototask", lambda name: made)
    monkeypatch.setattr(export, "replace", lambda made, phases: made)
    monkeypatch.setattr(export.ChallengeTask, "at", lambda prototask, stage: task)
    monkeypatch.setattr(export.datasets, "load", lambda name: SimpleNamespace(cases=frame))
    if isinstance(said, str):
        with pytest.raises(BenchbookError, match=f"^{said}$"):
            export.of_prototask("a/b")
        return
    table, about = export.of_prototask("a/b")
    counts = [int((table.phases == part).sum()) for part in ("test", "validation")]
    order = [int(case) for case in table.cases[::-1]]
    assert (about, " ".join(map(str, order)), *counts) == said
    assert (table.name, table.kind, table.hidden.any()) == ("a/b", made.kind, False)
    assert table.values.tolist() == [case % 2 for case in order[::-1]]
    assert table.inputs == {"x": tuple(str(case) if case else "" for case in order[::-1])}


@pytest.mark.parametrize(
    ("folder", "key"),
    [("a/b", "a/b-targets.csv"), ("a/.", "a-targets.csv"), ("a/b/..", "a-targets.csv")],
)
def test_all_targets_are_kept_beside_the_folder(folder, key):
    assert str(export._beside(Path(folder))) == key
    with pytest.raises(BenchbookError, match="nothing lies beside /; say with --key where"):
        export._beside(Path("/"))


@pytest.mark.parametrize(("kind", "classes"), [("class", 2), ("class", 3), ("real", 0)])
def test_the_key_of_a_prototask_is_of_numbers_or_of_two_classes(monkeypatch, kind, classes):
    column = np.array([0.0, 0.5, 1.5, 9.0])
    task = SimpleNamespace(
        split=lambda: SimpleNamespace(train=[np.arange(3)], test=[np.array([3])]),
        cases=SimpleNamespace(columns={"y": column}, classes=range(classes)),
        prototask=SimpleNamespace(target="y", kind=kind),
        test_targets=lambda instance: column[3:],
    )
    monkeypatch.setattr(challenge.asked.tasks, "get", {"a/b/test": task}.get)
    if classes == 3:
        with pytest.raises(BenchbookError, match="a/b/test has 3 classes; a challenge asks for"):
            challenge.asked._prototask_key("a/b/test")
        return
    key = challenge.asked._prototask_key("a/b/test")
    assert (key.asked.kind, key.asked.cases) == (kind, ("3",))
    assert (list(key.targets), list(key.training)) == ([9.0], [0.0, 0.5, 1.5])
    assert key.resolution == (None if classes else 0.5)


def test_a_readme_of_another_challenge_is_not_written_over(tmp_path):
    (tmp_path / "README.md").write_text("# another\n")
    with pytest.raises(BenchbookError, match="no description of mine"):
        export._check_places("mine", tmp_path, tmp_path.parent / "key.csv")
    (tmp_path / "README.md").write_text("# mine\n")
    export._check_places("mine", tmp_path, tmp_path.parent / "key.csv")


def test_a_token_is_read_without_what_editors_add(tmp_path, monkeypatch):
    (tmp_path / "token").write_text("\ufeff abc \n", encoding="utf8")
    assert client.token(str(tmp_path / "token")) == "abc"
    monkeypatch.setenv("BENCHBOOK_TOKEN", " def ")
    assert client.token(None) == "def"


def test_a_submission_is_waited_for_while_it_is_queued_or_running(monkeypatch, tmp_path):
    """The clock goes on by the pauses; the server has scored it after six questions."""
    clock, states = [1000.0], iter(["queued", "running", "running", "running", "running", "scored"])
    monkeypatch.setattr(client.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(client.time, "sleep", lambda pause: clock.__setitem__(0, clock[0] + pause))
    monkeypatch.setattr(client, "_check", lambda server, path: "test")
    monkeypatch.setattr(client, "pack", lambda path: b"zip")
    server = SimpleNamespace(
        send=lambda packed: {"number": 3, "status": next(states)},
        state=lambda number: {"number": number, "status": next(states)},
    )
    said = []
    assert client.submit(server, tmp_path, said.append)["status"] == "scored"
    assert clock[0] - 1000.0 == pytest.approx(0.3 + 0.5 + 1.0 + 2.0 + 2.0)
    assert said[1:] == ["sending 3 bytes", "received as number 3"]
    clock[0], states = 1000.0, iter(["queued"] * 9)
    assert client.submit(server, tmp_path, said.append, wait=3)["status"] == "queued"
    assert clock[0] - 1000.0 == pytest.approx(3.8)


def test_entries_of_the_example_know_the_mean_and_so_much_of_the_spread():
    mean, sd = np.array([3.0, 5.0]), np.array([2.0, 3.0])
    made = {name: pred for name, (_, pred) in example.entries(mean, sd).items()}
    for name, factor in (("honest", 1), ("bold", 1 / 3), ("shy", 2), ("needles", 1)):
        assert made[name].mean() == pytest.approx(mean, rel=0.01), name
        assert made[name].variance() == pytest.approx((factor * sd) ** 2, rel=0.05), name
    quartiles = mean[:, None] + sd[:, None] * np.array([-0.6745, 0.0, 0.6745])
    assert made["quartiles"].quantile([0.25, 0.5, 0.75]) == pytest.approx(quartiles)


@pytest.mark.parametrize(
    ("pred", "said"),
    [
        (Categorical([[0.25, 0.25, 0.5]]), "one of two classes; these are 3"),
        (Point([1.0]), "takes distributions, and a point prediction is none; give a variance"),
        (
            Draws([[1.0, 1.0, 2.0]]),
            "a draws prediction cannot be written by its quantiles at 103 levels, as some",
        ),
    ],
)
def test_what_a_challenge_does_not_take_is_not_written(pred, said):
    with pytest.raises(BenchbookError, match=said):
        entering.as_written(pred)


@pytest.mark.parametrize("form", ["txt", "csv", "parquet"])
def test_quantiles_of_each_case_are_written_with_their_numbers(tmp_path, form):
    pred = Quantiles([[0.1, 0.9], [0.2, 0.8]], [[1.0, 2.0], [3.0, 4.5]])
    asked = Asked("a/test", "real", ("x", "y"))
    entering.write(tmp_path, "e", "Zoë", "m", [(asked, pred)], form)
    path = tmp_path / f"a-test.{form}"
    text = pl.read_parquet(path).write_csv() if form == "parquet" else path.read_text()
    head = "case,level 1,level 2,quantile 1,quantile 2"
    gap = {"txt": " "}.get(form, ",")
    assert text.splitlines() == [
        f"# {head.replace(' ', '_').replace(',', ' ')}" if form == "txt" else head,
        "x 0.1 0.9 1.0 2.0".replace(" ", gap),
        "y 0.2 0.8 3.0 4.5".replace(" ", gap),
    ]
    assert 'team = "Zoë"\n' in (tmp_path / "manifest.toml").read_text(encoding="utf8")
    assert entering.as_name("-[a b]" + "c" * 70) == "a-b" + "-" + "c" * 60


def test_quantiles_are_written_at_every_hundredth_and_four_in_the_tails():
    levels = [0.001, 0.005, *np.arange(1, 100) / 100, 0.995, 0.999]
    assert list(entering.LEVELS) == pytest.approx(levels, abs=1e-12)


def test_tasks_that_the_phase_does_not_take_are_not_sent(sent, organiser, monkeypatch, tmp_path):
    sent.put("manifest.toml", sent.manifest(GAUSSIAN))
    sent.put("a.txt", "\n".join(lines("1 1")))
    monkeypatch.setattr(client, "read_targets", lambda table: organiser)

    def server(*taken):
        now = {"name": "Fuel", "phase": "test", "tasks": [{"task": task} for task in taken]}
        return SimpleNamespace(cases=lambda: b"", now=lambda: now)

    assert client._check(server("fuel/test"), sent.folder) == "test"
    for taken, said in (("fuel/validation", "fuel/validation"), ("", "nothing")):
        with pytest.raises(FaultyInput) as refused:
            client._check(server(*filter(None, [taken])), sent.folder)
        (fault,) = refused.value.faults
        assert str(fault) == (
            f"manifest.toml, task: found 'fuel/test'; must be one that Fuel takes now: {said}"
        )
        assert refused.value.advice.startswith(
            f"Nothing was sent. The phase of Fuel is test: it takes predictions for {said}. "
        )


@pytest.mark.parametrize(
    ("address", "base"),
    [
        (" https://a.org/c/fuel ", "https://a.org"),
        ("http://a:8000/b/c/fuel/board?x", "http://a:8000/b"),
        ("https://a.org/c/c/c/fuel/submit", "https://a.org/c/c"),
        ("https://me@a.org/c/fuel", None),
        ("ftp://a.org/c/fuel", None),
        ("https://a.org/c/Fuel", None),
        ("https://a.org", None),
    ],
)
def test_a_server_is_known_by_the_address_of_a_page(monkeypatch, address, base):
    """The token goes to that server alone, and what it answers is read, or told with its reason."""
    if base is None:
        with pytest.raises(BenchbookError, match="is no address of a challenge; copy that of"):
            client.Server(address, "x")
        return
    seen, answers = [], [b'{"a": 1}', b"csv"]
    handlers, server = [], client.Server(address, "T-1")

    def opened(request, timeout):
        seen.append((request.get_method(), request.full_url, request.data, timeout))
        assert request.headers == {"Authorization": "Bearer T-1", "Content-type": "application/zip"}
        if isinstance(answers[0], Exception):
            raise answers[0]
        return io.BytesIO(answers.pop(0))

    opener = SimpleNamespace(open=opened)
    monkeypatch.setattr(
        client.urllib.request, "build_opener", lambda *given: handlers.extend(given) or opener
    )
    assert (server.send(b"zip"), server.cases()) == ({"a": 1}, b"csv")
    answers += [b'{"b": 2}', b'{"c": 3}']
    assert (server.now(), server.state(7)) == ({"b": 2}, {"c": 3})
    above = f"{base}/api/challenges/fuel"
    assert seen == [
        ("POST", f"{above}/submissions", b"zip", 30),
        ("GET", f"{above}/cases.csv", None, 30),
        ("GET", above, None, 30),
        ("GET", f"{base}/api/submissions/7", None, 30),
    ]
    assert handlers == [client._Stay] * 4
    for body, said in (
        (b'{"status": 429, "error": "wait"}', "the server refused: wait"),
        (b"<p>", "the server refused: 502 Bad Gateway"),
        (b"[]", "the server refused: 502 Bad Gateway"),
        (
            None,
            f"{base} cannot be reached: no route. Check the address, and whether the server runs.",
        ),
    ):
        answers[:] = [
            URLError("no route")
            if body is None
            else HTTPError("", 502, "Bad Gateway", {}, io.BytesIO(body))
        ]
        with pytest.raises(BenchbookError) as refused:
            server.now()
        assert str(refused.value) == said


@pytest.mark.parametrize("token", ["", "a b", "x" * 201, "ä"])
def test_what_is_no_token_is_sent_to_nobody(token, tmp_path, monkeypatch):
    with pytest.raises(BenchbookError, match="that is no token; copy it as the organiser gave it"):
        client.Server("https://a.org/c/fuel", token)
    (tmp_path / "t").write_bytes(b"\xff")
    with pytest.raises(BenchbookError, match=r"the token in .*t cannot be read: 'utf-8' codec"):
        client.token(str(tmp_path / "t"))
    monkeypatch.setenv("BENCHBOOK_TOKEN", " ")
    with pytest.raises(
        BenchbookError, match="say who you are: put your token into BENCHBOOK_TOKEN"
    ):
        client.token(None)


def test_a_folder_is_packed_alike_whatever_order_its_files_come_in(tmp_path, monkeypatch):
    for name in ("b/c.txt", "a.txt", ".DS_Store", "b/a.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    first = client.pack(tmp_path)
    listed = list(tmp_path.rglob("*"))
    monkeypatch.setattr(type(tmp_path), "rglob", lambda self, pattern: iter(listed[::-1]))
    assert client.pack(tmp_path) == first
    (tmp_path / "x.zip").write_bytes(first)
    assert zipfile.ZipFile(tmp_path / "x.zip").namelist() == ["a.txt", "b/a.txt", "b/c.txt"]
    assert client.pack(tmp_path / "x.zip") == first


def test_the_token_follows_no_redirection():
    request = client._Stay().redirect_request(None, None, 302, "", {}, "https://elsewhere/")
    assert request is None


def test_quantiles_of_a_file_have_the_levels_of_each_case():
    from benchbook_book.course.challenge.checking import prediction

    text = "\n".join(f"car-{i} 0.2 0.{8 - i % 2} {i} {i + 1}" for i in range(8))
    sheet, _ = chunked(read_text, [text.encode()], "quantiles")
    made = prediction(sheet, sheet._found)
    assert isinstance(made, Quantiles)
    assert made.quantile([0.2])[:, 0].tolist() == pytest.approx([float(i) for i in range(8)])


@pytest.mark.parametrize(
    ("last", "said"),
    [(0.5, ["less than"]), (1.0, ["equal to"]), (1.0005, ["too near"]), (1.001, []), (2.0, [])],
)
def test_a_number_is_less_equal_or_too_near_and_never_two_of_these(last, said):
    found = list(checking._not_increasing(np.array([[0.0, 1.0, last]]), 0, 3, 0.00099, "level"))
    assert [text.rpartition("is ")[2] for _, text in found] == said
    for marks, _ in found:
        assert marks.tolist() == [[False, False, True]]


def test_large_negative_values_have_no_step():
    assert resolution(np.array([-2e9, -2e9 + 1, -2e9 + 2])) is None


def test_a_recreated_task_shows_training_cases_and_asks_for_test_cases(monkeypatch):
    split = SimpleNamespace(train=["train"], test=["test"])
    own = SimpleNamespace(
        task=SimpleNamespace(split=lambda: split),
        targets="t",
        code="NLPD",
        _inputs=lambda cases: ("inputs", cases),
        _targets=lambda cases: ("targets", cases),
        printed=lambda: pl.DataFrame({"method": ["gp", "baseline"], "ranked": [1.0, 2.0]}),
    )
    assert Recreated.seen.func(own) == (("inputs", "train"), ("targets", "train"))
    assert Recreated.inputs.func(own) == ("inputs", "test")
    assert Recreated.printed_baseline.fget(own) == 2.0
    each = {
        "NLPD": SimpleNamespace(is_set=False, per_case=lambda *given: np.array([1.0, 2.0])),
        "nMSE": SimpleNamespace(is_set=True, per_set=lambda *given: 3),
    }
    monkeypatch.setattr("benchbook_book.course.challenge.recreated.losses.get", each.get)
    assert [Recreated.mean_loss(own, "p", code) for code in ("", "NLPD", "nMSE")] == [1.5, 1.5, 3.0]


def test_the_baseline_of_a_recreated_task_is_of_its_training_targets():
    own = SimpleNamespace(targets=np.zeros(5), kind="class", seen=("inputs", np.array([0, 0, 1])))
    shares = Recreated.baseline.func(own).probability
    np.testing.assert_allclose(shares, [[2 / 3, 1 / 3]] * 5)
    own.kind, own.seen = "real", ("inputs", np.array([1.0, 3.0]))
    assert Recreated.baseline.func(own).mean().tolist() == [2.0] * 5
