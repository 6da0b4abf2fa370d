"""Groups on a leaderboard mean what they say, false alarms are as rare as stated, and the page is safe and sortable."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from printed import held, shown
from scipy import stats

from benchbook.errors import FaultyInput, UnknownName
from benchbook.losses.gaming import spikes
from benchbook.predictive import Gaussian
from benchbook.seeds import generator
from benchbook_book.course import challenge
from benchbook_book.course.challenge import (
    Entry,
    Submission,
    archived,
    board_page,
    boards,
    differ_significantly,
    export,
    names,
    scoring,
)
from benchbook_book.course.challenge import board as board_module
from benchbook_book.course.challenge.board import false_alarms, p_values
from benchbook_book.course.challenge.board_page import page, with_error
from benchbook_book.course.challenge.targets import read_table


def test_p_values_are_those_of_paired_t_tests_with_holms_rule(rng):
    losses = rng.normal(size=(3, 40)) + np.array([[0], [0.3], [1]])
    raw = sorted(
        (stats.ttest_rel(losses[i], losses[j]).pvalue, i, j) for i, j in ((0, 1), (0, 2), (1, 2))
    )
    held_out = 0.0
    for index, (p, i, j) in enumerate(raw):
        held_out = max(held_out, min(1.0, (3 - index) * p))
        assert np.isclose(p_values(losses)[i, j], held_out)


def test_infinite_equal_and_single_losses_have_a_verdict():
    losses = np.array(
        [[1.0, 2, 3], [1 + 1e-12, 2, 3 + 1e-12], [1, np.inf, 3], [np.inf, 2, 3], [2, 3, 4]]
    )
    apart = differ_significantly(losses)
    assert not apart[0, 1], "rounding"
    assert apart[0, 2]
    assert not apart[2, 3]
    assert apart[0, 4], "the same difference in every case"
    assert not differ_significantly(np.array([[1.0], [2.0]])).any()
    two = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert p_values(two)[0, 1] == pytest.approx(stats.ttest_rel(*two).pvalue)
    assert p_values(np.array([[1e300, -1e300], [0.0, 0.0]]))[0, 1] == 1.0, "no number at all"


def test_boards_stand_by_name_and_portion_and_have_no_baseline_where_none_can_be(some):
    (one,) = (item for item in some if item.name == "twin")
    tasks = ("b/validation", "b/test", "a/validation")
    key = replace(one.key, training=np.ones(5))
    made = boards([replace(one, task=task, key=key) for task in tasks])
    found = [(each.name, each.portion, [line.baseline for line in each.lines]) for each in made]
    assert found == [
        (*name, [False]) for name in (("a", "validation"), ("b", "test"), ("b", "validation"))
    ]
    with pytest.raises(UnknownName, match="unknown loss 'BRIER'"):
        boards(some, by="BRIER")


@pytest.mark.parametrize(("cells", "shown"), [(1.06, 1), (0.94, 1), (1.04, 0), (0.96, 0)])
def test_a_board_has_the_loss_of_cells_where_it_differs_much(some, cells, shown):
    (one,) = (item for item in some if item.name == "twin")
    (board,) = boards([replace(one, values={**one.values, "NLPD": 1.0, "NLPD@1": cells})])
    assert ("NLPD@1" in board.codes) == shown


def test_the_chance_of_a_board_with_a_false_difference_is_about_what_is_stated():
    rates = false_alarms(generator(1, "false alarms of boards"), boards=300)
    assert rates.height == 4
    assert (rates["rate"] <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 300)).all(), rates
    assert rates["rate"].max() > 0.01, "the rule can find something"
    rng = generator(1, "without Holm")
    uncorrected = np.mean(
        [(p_of_pairs(rng.normal(size=(6, 200))) <= 0.05).any() for _ in range(100)]
    )
    assert uncorrected > 0.15, "without Holm's rule it is far more"
    result = sum(
        differ_significantly(rng.normal(size=(6, 200)) + np.arange(6)[:, None] * 0.15)[0, 5]
        for _ in range(50)
    )
    assert result >= 45


def test_the_share_of_boards_has_the_error_of_a_share(monkeypatch, rng):
    alarms = iter([True, False, False, False] * 4)
    monkeypatch.setattr(
        board_module,
        "differ_significantly",
        lambda losses: losses[:3, :5] > (-99 if next(alarms) else 99),
    )
    made = false_alarms(rng, entries=3, cases=5, boards=4)
    assert made["losses"].to_list() == list(board_module.OWN)
    (line,) = made.drop("losses").unique().to_dicts()
    error = pytest.approx(np.sqrt(0.25 * 0.75 / 4))
    assert line == {"entries": 3, "cases": 5, "boards": 4, "rate": 0.25, "standard_error": error}


def p_of_pairs(losses):
    return np.array([p_values(losses[[i, j]])[0, 1] for i in range(len(losses)) for j in range(i)])


@pytest.fixture
def some(organiser):
    """Scored entries: a good one before and after, its twin, an exploit, and one infinitely bad."""
    t = organiser.key("fuel/test").targets
    good = Gaussian(t + np.array([1, -1] * 4), np.full(8, 1.5))
    game = spikes(np.arange(20.0), np.full((8, 20), 1 / 20), 1e-8)
    sent = [
        Submission(
            "good",
            "<b>us</b>",
            'it is "fine"',
            False,
            (Entry("fuel/test", good), Entry("fuel/test-before", good)),
        ),
        Submission("twin", "them", "copied", False, (Entry("fuel/test", good),)),
        Submission("game", "they", "spikes", True, (Entry("fuel/test", game),)),
        Submission(
            "far",
            "you",
            "far off",
            False,
            (Entry("fuel/test", Gaussian(t + 1e90, np.full(8, 1e-190))),),
        ),
    ]
    return [item for each in sent for item in challenge.score(each, organiser)]


def test_cells_of_rounded_targets_lie_around_the_values_that_targets_take(tmp_path):
    """Targets 0.25, 1.25, 2.25: the cell of 1.25 is 0.75 to 1.75, and not 0.5 to 1.5 about the whole numbers."""
    rng = generator(1, "off the lattice")
    lines = ["# resolution = 1", "case,phase,target"]
    lines += [f"t{i},training,{rng.integers(0, 9) + 0.25}" for i in range(20)]
    lines += [f"v{i},validation,{rng.integers(0, 9) + 0.25}" for i in range(4)]
    lines += [f"x{i},test,{rng.integers(0, 9) + 0.25}" for i in range(6)]
    (tmp_path / "off.csv").write_text("\n".join(lines))
    offers = challenge.from_files([tmp_path / "off.csv"])
    key = offers.key("off/test")
    mean, sd = key.targets + np.array([0.3, -0.2, 0.0, 0.4, -0.4, 0.1]), 0.4
    prediction = Gaussian(mean, np.full(6, sd**2))
    (scored,) = challenge.score(
        Submission("a", "a", "a", False, (Entry("off/test", prediction),)), offers
    )
    law = stats.norm(mean, sd)
    mass = law.cdf(key.targets + 0.5) - law.cdf(key.targets - 0.5)
    assert scored.values["NLPD@1"] == pytest.approx(-np.log(mass).mean(), rel=1e-9)


@pytest.mark.parametrize("given", [{}, {"enforce": True}, {"by": "CRPS"}], ids=str)
def test_boards_their_page_and_what_they_say_are_held(some, given):
    ranked = boards(some, **given)
    text = re.sub(r"<(style|script|svg).*?</\1>", "", page(ranked, "T <1>"), flags=re.S)
    text = re.sub(r"\n", "", text)
    text = re.sub(r"-?\d+[.]\d{6,}", lambda number: f"{float(number[0]):.5g}", text)
    lines = [shown(each.as_data() | {"lines": ""}) for each in ranked]
    lines += [shown(line) for each in ranked for line in each.as_data()["lines"]]
    lines += [re.sub(r"(<(?:t[rdh]|p|h\d|figure|li)\b)", r"\n\1", text), board_page._legend(ranked)]
    held(Path(__file__).with_name("held.txt"), f"boards {given}", "\n".join([*lines, ""]))


def test_what_is_written_for_entrants_is_held(tmp_path):
    rows = [
        f"c{at},{('training', 'validation', 'test')[at % 3]},{at % 7},{at / 4},w{at % 2}"
        for at in range(30)
    ]
    classes = [
        f"k{at},{('training', 'test')[at % 2]},{'-1' if at % 3 else '+1'},{at}" for at in range(20)
    ]
    tables = {"auto/fuel": "case,phase,target,size,word\n" + "\n".join(rows)}
    tables["ill"] = "case,phase,target,size\n" + "\n".join(classes)
    for name, text in tables.items():
        notes = f"# task = {name}\n" + "# resolution = 1\n" * (name != "ill")
        (tmp_path / "t.csv").write_text(f"{notes}{text}\n")
        table = read_table(tmp_path / "t.csv")
        for released in (False, True):
            folder = tmp_path / name.replace("/", "-") / str(released)
            paths = export.export(
                name, folder, released=released, key=tmp_path / "key.csv", table=table
            )
            for path in paths:
                text = "\n".join([*path.read_text(encoding="utf8").splitlines()[:40], ""])
                held(Path(__file__).with_name("held.txt"), f"{path.relative_to(tmp_path)}", text)


def test_the_words_of_archived_entries_are_held():
    words = [
        archived.AVERAGED,
        archived.REAL,
        archived.CODES,
        archived.POINT,
        scoring.CODES,
        scoring.RANKING,
        sorted(names._DEVICES | names._DUST),
        names._PACKED,
        [mark.hex() for mark in names._MAGIC],
    ]
    held(Path(__file__).with_name("held.txt"), "words", f"{shown(words)}\n".replace(", ", ",\n"))


def test_two_entries_of_one_name_are_refused(some):
    with pytest.raises(FaultyInput, match="two entries good of team"):
        boards([*some, some[0]])


def test_the_page_stands_alone_escapes_what_strangers_wrote_and_can_be_sorted(some):
    html = page(boards(some), "Who <wins>?")
    assert "<b>us" not in html
    assert "&lt;b&gt;us&lt;/b&gt;" in html
    assert "Who &lt;wins&gt;?" in html
    assert not re.search(r"(src|href)=|https?://(?!www\.w3\.org/)", html)
    assert html.count("<button") == len(boards(some)[0].codes) + 5
    assert 'data-value="Infinity"' in html
    assert "∞" in html
    assert "<figure" in html
    assert 'aria-label="6 marks, nMSE against NLPD; the smallest NLPD is that of game' in html
    assert "1 entry with infinite losses left out" in html
    assert "Holm" in html
    assert ">remarks</button>" in html
    assert ">remarks</button>" not in page(boards([item for item in some if not item.remarks]))


@pytest.mark.parametrize(
    ("before", "marks", "legend"),
    [
        (False, (), ""),
        (True, (), "< marks entries made before the validation targets were out."),
        (False, ("spikes",), "Exploits and what looks like one are named in the last column."),
    ],
)
def test_a_legend_says_what_marks_mean(before, marks, legend):
    line = SimpleNamespace(before=before, marks=marks, scored=SimpleNamespace(exploit=False))
    assert board_page._legend([SimpleNamespace(lines=[line])]) == legend


@pytest.mark.parametrize("baseline", [False, True])
def test_a_row_has_each_number_with_its_error_and_ranks_and_a_dash_where_there_is_none(baseline):
    item = SimpleNamespace(
        name="n",
        method="m",
        team="<t>",
        values={"NLPD": 1.5, "CRPS": np.inf},
        error={"NLPD": 0.125, "CRPS": None}.get,
        gain=(0.5, 0.25),
        remarks=(),
        ranking="NLPD",
    )
    line = SimpleNamespace(
        scored=item,
        rank=2,
        label="< n",
        baseline=baseline,
        before=True,
        marks=(),
        refused=(),
        ranges={"NLPD": "1 to 3"},
    )
    codes = ["NLPD", "CRPS", "S"]
    shown = SimpleNamespace(
        codes=codes, lines=[line], units=dict.fromkeys(codes, "u"), title="T", ranking="CRPS"
    )
    html = page([shown], pictures=False)
    assert re.findall(r"<t([dh][ >][^>]*)>(?!<button)(.*?)</t[dh]>", html) == [
        ('d class="num" data-value="2"', "2"),
        ('h scope="row" data-value="n" title="m"', "&lt; n"),
        ('d data-value="&lt;t&gt;"', "&lt;t&gt;"),
        ('d class="num" data-value="1.5"', "1.50 ± 0.12 <small>(1 to 3)</small>"),
        ('d class="num" data-value="Infinity"', "∞"),
        ('d class="num" data-value=""', "–"),
        ('d class="num" data-value=""', "–")
        if baseline
        else ('d class="num" data-value="0.5"', "0.50 ± 0.25"),
    ]
    heads = re.findall(r'<th scope="col"( class="num")?([^>]*)><button type="button">(.*?)<', html)
    assert [name for number, _, name in heads if not number] == ["entry", "team"]
    assert [name for _, sort, name in heads if sort] == ["CRPS"]
    assert "by NLPD." in html
    assert f'<tr class="{"base" if baseline else "entry"}">' in html


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (1.23456, 0.0123, "1.235 ± 0.012"),
        (-2e7, 3e5, "(-2.000 ± 0.030)e7"),
        (1234.5, 120.0, "1234 ± 120"),
        (np.inf, None, "∞"),
        (-np.inf, 1, "-∞"),
        (0.5, None, "0.5"),
        (np.nan, 1.0, "undefined"),
        (2.0, 0.0, "2"),
        (2.0, 2e-9, "2.00000 ± 2.0e-9"),
        (-1e-17, 1e-17, "0"),
    ],
)
def test_a_loss_is_printed_to_the_digits_that_its_error_leaves(value, error, text):
    assert with_error(value, error) == text


def not_apart(board, code):
    """By line the ranks by a loss that it tells, and those of the entries from which it does not differ."""
    values = [line.scored.values[code] for line in board.lines]
    of_entries = sorted(
        value for value, line in zip(values, board.lines, strict=True) if not line.baseline
    )
    ranks = [
        0 if line.baseline else of_entries.index(value) + 1
        for value, line in zip(values, board.lines, strict=True)
    ]
    apart = differ_significantly(np.array([line.scored.per_case[code] for line in board.lines]))
    for line, differs in zip(board.lines, apart, strict=True):
        told = set()
        for first, last in re.findall(r"(\d+)(?: to (\d+))?", line.ranges[code]):
            told |= {rank for rank in ranks if int(first) <= rank <= int(last or first)}
        yield told, {rank for rank, differ in zip(ranks, differs, strict=True) if not differ} - {0}


@pytest.mark.parametrize("entries", [12, 60])
def test_behind_a_loss_stand_the_ranks_from_which_an_entry_does_not_differ(some, rng, entries):
    (one,) = (item for item in some if item.name == "twin")
    losses = rng.normal(size=(entries, 8)) * 0.1 + rng.integers(0, 5, entries)[:, None] * 3.0
    losses[1] = losses[0]
    made = [
        replace(
            one,
            name=f"e{k}",
            per_case={**one.per_case, "NLPD": losses[k]},
            values={**one.values, "NLPD": losses[k].mean()},
        )
        for k in range(entries)
    ]
    (board,) = boards(made)
    for told, true in not_apart(board, "NLPD"):
        assert told == true
    assert board.as_data()["lines"][0]["ranges"]["NLPD"] == board.lines[0].ranges["NLPD"]
    assert f"<small>({board.lines[0].ranges['NLPD']})</small>" in page([board], pictures=False)


def test_ranks_of_a_loss_that_orders_otherwise_stand_on_the_lines_of_their_entries(organiser):
    """By the squared error the order is a, b, c; by the density c, a, b, for a and b are far too sure of themselves."""
    t = organiser.key("fuel/test").targets
    signs = np.array([1, -1] * 4)
    entries = {
        "a": Gaussian(t + 0.1 * signs, np.full(8, 1e-6)),
        "b": Gaussian(t + (0.1 + 1e-3 * np.arange(8)) * signs, np.full(8, 1e-6)),
        "c": Gaussian(t + (4.0 + 0.1 * np.arange(8)) * signs, np.full(8, 20.0)),
    }
    sent = [Submission(n, n, n, False, (Entry("fuel/test", p),)) for n, p in entries.items()]
    (board,) = boards([item for each in sent for item in challenge.score(each, organiser)])
    lines = {line.scored.name: line for line in board.lines if not line.baseline}
    code = next(c for c in board.codes if c in lines["a"].ranges and c in ("nMSE", "MSE", "S"))
    assert list(lines) != sorted(lines, key=lambda name: lines[name].scored.values[code])
    for each in (code, board.ranking):
        for told, true in not_apart(board, each):
            assert told == true
