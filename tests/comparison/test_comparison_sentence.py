"""The sentences of a comparison, word for word, from verdicts made by hand."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from benchbook.comparison import sentence
from benchbook.comparison.alarms import _leak_text
from benchbook.comparison.candidates import CONSTANT
from benchbook.comparison.further import _design, _sizes, utilities
from benchbook.comparison.losses import empirical_crps, name_faults
from benchbook.comparison.scale import Scale, scale_of, share
from benchbook.errors import BenchbookError, FaultyInput

UNKNOWN = ("low", "high", "difference", "diff_low", "diff_high", "p", "p_holm", "df", "method_test")
EMPTY = dict.fromkeys((*UNKNOWN, "prob_worse", "prob_same", "prob_better", "p_missing_reason"))


def row(method, mean, verdict="best", **more):
    return EMPTY | {"method": method, "mean": mean, "verdict": verdict, "loss": "absolute"} | more


def second(verdict, method="b", mean=1.5, **more):
    apart = {"difference": mean - 1.0, "diff_low": mean - 1.2, "diff_high": mean - 0.8}
    said = {"p_holm": 0.2, "prob_worse": 0.9, "prob_same": 0.0999, "prob_better": 0.0001}
    return row(method, mean, verdict, **(apart | said | more))


def made(*rows, code="absolute", unit="EUR", rounds=10, others=(), **more):
    """A comparison with these rows of its first loss."""
    tables = {code: list(rows), **dict(others)}
    info = {
        name: SimpleNamespace(code=name, title=f"{name} error", unit=unit if name == code else "")
        for name in tables
    }
    plan = SimpleNamespace(
        splits=[None] * 10,
        words="10-fold",
        design=SimpleNamespace(train_size=1079.6, answers="the procedure", kind="folds"),
    )
    data = SimpleNamespace(
        y=np.repeat([0, 1], [300, 900]),
        target="rent",
        unit="EUR",
        kind="real",
        positive=None,
        classes=(),
    )
    table = pl.DataFrame(
        [line for lines in tables.values() for line in lines], infer_schema_length=None
    )
    given = {
        "severe": False,
        "rounds": rounds,
        "plan": plan,
        "data": data,
        "codes": tuple(tables),
        "loss_info": info,
        "rope": {code: 0.02},
        "rope_words": "",
        "errors": {},
        "tuned": False,
        "verdicts": SimpleNamespace(table=table),
        "rows": lambda asked=code: tables[asked],
        "scales": {name: scale_of(info[name], tables[name]) for name in tables},
    }
    return SimpleNamespace(**(given | more))


BEST, GUESS = row("a", 1.0, method_test="t-test"), row(CONSTANT, 3.0, "worse")


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("−", "-")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [BEST, second("as good"), GUESS],
            "**a** and **b** do equally well, 1.00 and 1.50 EUR: they differ by 0.50 EUR (95 % interval 0.30 to "
            "0.70), and the probability that the difference is less than the 0.02 EUR that matters is 10 %.",
        ),
        (
            [BEST, second("worse"), GUESS],
            "**a** has the smallest absolute error of both, 1.00 EUR; **b** is worse by 0.50 EUR (95 % interval 0.30 "
            "to 0.70), and the probability that this is more than the 0.02 EUR that matters is 90 %.",
        ),
        (
            [BEST, second("open", p_holm=0.0501), second("worse", "c", 2.0)],
            "**a** has the smallest absolute error of 3 methods, 1.00 EUR, but **b** is not significantly different: "
            "they differ by 0.50 EUR (95 % interval 0.30 to 0.70), and 0.02 EUR would matter. The probability that b "
            "is worse by at least that is 90 %, that they are equal for practical purposes 10 %, that it is better "
            "by at least that < 0.1 %. Of the others, c is worse.",
        ),
        (
            [BEST, second("likely worse", p=0.05, p_holm=0.0501), GUESS],
            "**a** has the smallest absolute error of both, 1.00 EUR, but **b** is not significantly different after "
            "Holm's correction (p = 0.05): they differ by 0.50 EUR (95 % interval 0.30 to 0.70), and 0.02 EUR would "
            "matter. The probability that b is worse by at least that is 90 %, that they are equal for practical "
            "purposes 10 %, that it is better by at least that < 0.1 %.",
        ),
        (
            [BEST, second("likely worse", p_holm=0.05), second("open", "c"), second("open", "d")],
            "**a** has the smallest absolute error of 4 methods, 1.00 EUR; **b** is worse, but perhaps by less than "
            "matters: they differ by 0.50 EUR (95 % interval 0.30 to 0.70), and 0.02 EUR would matter. The "
            "probability that b is worse by at least that is 90 %, that they are equal for practical purposes 10 %, "
            "that it is better by at least that < 0.1 %. Of the others, c and d are undecided.",
        ),
        (
            [BEST, second("no test", diff_low=None, diff_high=None), GUESS],
            "**a** has the smallest absolute error of both, 1.0000 EUR; **b** has 1.5000. The difference was not "
            "tested: no valid test exists.",
        ),
        (
            [BEST, second("no test", p_missing_reason="one split"), GUESS],
            "**a** has the smallest absolute error of both, 1.00 EUR; **b** has 1.50. The difference was not tested: "
            "one split.",
        ),
        (
            [row("a", 1.0, low=0.9, high=1.1)],
            "**a** has an absolute error of 1.0000 EUR (95 % interval 0.9000 to 1.1000).",
        ),
        ([row("a", 1.0)], "**a** has an absolute error of 1.0000 EUR."),
        (
            [row("a", 1.0, low=0.9, high=1.1), GUESS],
            "**a** has an absolute error of 1.0000 EUR (95 % interval 0.9000 to 1.1000); a constant guess has 3.0000.",
        ),
        ([BEST, GUESS], "**a** has an absolute error of 1.0000 EUR; a constant guess has 3.0000."),
        (
            [row(CONSTANT, 1.0), second("worse", mean=2.0), second("worse", "c", 3.0)],
            "**No method is better than a constant guess**, which has an absolute error of 1.00 EUR; the nearest, b, "
            "has 2.00.",
        ),
        (
            [row(CONSTANT, 1.0), row("b", None)],
            "**No method is better than a constant guess**, which has 1.0000 EUR.",
        ),
    ],
)
def test_the_sentence_of_each_verdict(rows, said):
    assert plain(sentence.headline(made(*rows))) == said


def test_each_word_for_the_others_in_its_order():
    rows = [
        second(word, word[0]) for word in ("no test", "open", "likely worse", "worse", "as good")
    ]
    assert sentence._rest(rows) == (
        " Of the others, a is as good as the best, w is worse, l is likely worse, o is undecided and n is not tested."
    )
    assert sentence._rest([]) == ""


def test_where_the_default_of_what_matters_comes_from_is_said():
    text = plain(sentence.headline(made(BEST, second("worse"), rope_words="1 % of it")))
    assert "more than 0.02 EUR (1 % of it) is 90 %" in text
    text = plain(sentence.headline(made(BEST, second("open"), rope_words="1 % of it")))
    assert "0.02 EUR (1 % of it) would matter" in text


@pytest.mark.parametrize(
    ("rounds", "splits", "winner"), [(4, 10, False), (5, 10, True), (1, 2, False), (2, 2, True)]
)
def test_a_verdict_needs_five_rounds_or_all_there_are(rounds, splits, winner):
    one = made(BEST, second("worse"), rounds=rounds)
    one.plan.splits = [None] * splits
    text = sentence.headline(one)
    assert ("smallest" in text) == winner
    assert (f"Only {rounds} of {splits} rounds of fits were completed" in text) != winner
    assert (sentence.for_paper(one) != "") == (rounds >= 5)


def test_an_alarm_leaves_no_winner_and_errors_none_possible():
    lines = [
        row("a", 0.0, loss="zero_one"),
        row("b", 0.1, loss="zero_one"),
        row(CONSTANT, 0.0, loss="zero_one"),
    ]
    one = made(*lines, code="zero_one", severe=True)
    assert sentence.headline(one) == (
        "**No winner is named.** a made no error in 1,200 cases; that leaves any error rate below 0.25 % possible."
    )
    assert sentence.for_paper(one) == ""
    assert sentence.headline(made(BEST, severe=True)) == "**No winner is named.**"


def test_the_sentence_for_a_paper_says_data_design_and_test():
    one = made(BEST, second("worse"))
    assert sentence.for_paper(one).endswith(" (1,200 cases; 10-fold; t-test.)")
    assert "**" not in sentence.for_paper(one)
    one = made(row("a", 1.0), second("worse"), errors={"z": [(3, "E"), (4, "F")]})
    assert sentence.for_paper(one).endswith(
        " z is not compared: it failed on 2 of 10 splits (E). (1,200 cases; 10-fold; no test.)"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (float("nan"), "–"),
        (1.0, "> 99.9 %"),
        (0.9996, "> 99.9 %"),
        (0.9994, "99.9 %"),
        (0.991, "99.1 %"),
        (0.99, "99 %"),
        (0.5, "50 %"),
        (0.01, "1 %"),
        (0.009, "0.9 %"),
        (0.0006, "0.1 %"),
        (0.0004, "< 0.1 %"),
        (0.0, "< 0.1 %"),
    ],
)
def test_shares(value, text):
    assert plain(share(value)) == text


@pytest.mark.parametrize(
    ("code", "mean", "widths", "text"),
    [
        ("absolute", 12.345678, [0.5], "12.35 EUR"),
        ("absolute", 12.345678, [0.05], "12.346 EUR"),
        ("absolute", 12.345678, [0.5, 0.05, 0.005], "12.346 EUR"),
        ("absolute", 12.345678, [50.0], "12 EUR"),
        ("absolute", 12.345678, [], "12.35 EUR"),
        ("absolute", 1234567.0, [500.0], "1.23 × 10⁶ EUR"),
        ("absolute", 1234.5678, [500.0], "1235 EUR"),
        ("zero_one", 0.12345, [0.005], "12.35 %"),
        ("absolute", float("inf"), [0.5], "∞ EUR"),
    ],
)
def test_digits_are_as_many_as_the_intervals_support(code, mean, widths, text):
    """Half the middle width, so that 0.5 gives two decimals and 50 none."""
    rows = [row("a", mean)] + [
        row(f"b{at}", 20 * mean, diff_low=1.0, diff_high=1.0 + 2 * width)
        for at, width in enumerate(widths)
    ]
    one = made(*rows, code=code)
    assert plain(one.scales[code].with_unit(mean)) == text


def test_signs_and_dashes():
    scale = Scale(1.0, "", 1)
    said = [scale.write(value, sign=True) for value in (0.04, -0.04, 0.26, -0.26, None)]
    assert said == ["+0.0", "0.0", "+0.3", "−0.3", "–"]
    assert scale.interval(0.1, None) == scale.interval(None, 0.1) == "–"
    assert scale.with_unit(1.0) == "1.0"


def test_the_lines_around_the_table():
    one = made(BEST, second("worse"))
    assert sentence.about(one) == "rent in EUR · 1,200 cases · 10-fold"
    one.data.kind, one.data.classes, one.data.unit = "class", ("no", "yes"), ""
    assert sentence.about(one).startswith("rent (2 classes) · ")
    one.data.positive = 1
    assert plain(sentence.about(one)).startswith("rent (75 % yes) · ")
    assert sentence.depends_on(one).startswith("training on 1,080 cases;")
    assert sentence.not_covered(one) == (
        "cases that arise otherwise than these did: other places, other times; "
        "what tuning would change (nothing was tuned)"
    )
    one.tuned, one.plan.design.kind = True, "time"
    assert sentence.not_covered(one) == "changes after the last of these cases"


def test_what_the_other_losses_say():
    first = [BEST, second("worse"), second("worse", "c", 2.0), GUESS]
    a, b, c = (row(name, 1.0) for name in "abc")
    others = {
        "same": [a, b, GUESS, c],
        "a_too": [a, c, b],
        "sure": [b, second("worse", "a", p_holm=0.05), c],
        "unsure": [c, second("open", "a", p_holm=0.051), b],
        "none": [GUESS],
    }
    one = made(*first, others=others.items())
    assert sentence.other_losses(one) == (
        "same error: same order · a_too error: a first too, the others in another order · "
        "sure error: b first, ahead of a by 0.50 (significant) · "
        "unsure error: c first, ahead of a by 0.50 (not significantly different)"
    )
    one.severe = True
    assert sentence.other_losses(one) == ""


# -- what the sentences stand on --------------------------------------------------------------------------------------


def test_the_crps_of_values_by_its_definition():
    values, y = np.array([3.0, 0.0, 1.0, 1.0]), np.array([-1.0, 0.5, 1.0, 9.0])
    apart = np.abs(values[:, None] - values).mean() / 2
    by_hand = np.abs(values[:, None] - y).mean(axis=0) - apart
    np.testing.assert_allclose(empirical_crps(values, y), by_hand)


def test_names_of_losses():
    assert (
        name_faults(
            ["absolute", " Log ", "r2", "neg_mean_absolute_error", "d2_absolute_error_score"]
        )
        == []
    )
    assert name_faults("neg_max_error") == name_faults(None) == name_faults([3]) == []
    assert [fault.found for fault in name_faults(["absolut", "absolute"])] == ["'absolut'"]


@pytest.mark.parametrize(("absent", "said"), [(0, True), (1, False)])
def test_an_input_that_is_empty_for_a_class_is_told_only_where_it_is_for_all_of_it(absent, said):
    data = SimpleNamespace(kind="class", classes=("n", "y"), y=np.array([0, 0, 1, 1]))
    values = SimpleNamespace(missing=np.array([False, absent == 1, True, True]))
    if absent:
        data.y = np.array([0, 1, 1, 0])
    text = _leak_text(data, "x", values)
    assert ("it is empty for every case of class 'y'" in text) == said
    data.kind = "real"
    assert "gives the target nearly exactly. Is it" in _leak_text(data, "x", values)


def test_expected_utilities_and_how_probably_each_is_the_best():
    losses = pl.DataFrame(
        {
            "loss": ["absolute"] * 40,
            "method": ["a"] * 20 + ["b"] * 20,
            "row": [*range(20)] * 2,
            "value": [1.0] * 20 + [0.5, 0.6] * 10,
        }
    )
    one = SimpleNamespace(
        losses=losses,
        fits=SimpleNamespace(methods=["a", "b"]),
        settings={"seed": 1},
        data=SimpleNamespace(groups=None),
    )
    table = utilities(one, "absolute")
    assert table["method"].to_list() == ["b", "a"]
    assert table["expected"].to_list() == pytest.approx([0.55, 1.0])
    assert table["probability_best"].to_list() == [1.0, 0.0]
    assert table["low"][0] < 0.55 < table["high"][0]
    assert table["high"][0] - table["low"][0] == pytest.approx(2 * 1.645 * 0.05 / 20**0.5, rel=0.1)
    one.data.groups = np.repeat([0, 1], 10)
    alike = utilities(one, "absolute")
    assert alike["low"][0] == pytest.approx(0.55)
    infinite = losses.with_columns(value=pl.lit(float("inf")))
    for code, faulty in (("log", losses), ("absolute", infinite)):
        one.losses = faulty
        with pytest.raises(BenchbookError):
            utilities(one, code)


@pytest.mark.parametrize(
    ("sizes", "most", "made_of"),
    [
        (None, 64, [8, 16, 32]),
        (None, 63, [8, 16, 32]),
        (None, 56, [14, 28]),
        ([2, 64, 30], 64, [2, 30]),
        (np.array([9, 5, 9]), 64, [5, 9]),
        (7, 64, [7]),
    ],
)
def test_sizes_of_a_learning_curve(sizes, most, made_of):
    assert _sizes(sizes, most) == made_of


@pytest.mark.parametrize("sizes", [[1], [65], [2.0], [True], [], ["9"]])
def test_what_is_no_size(sizes):
    with pytest.raises(FaultyInput):
        _sizes(sizes, 64)


@pytest.mark.parametrize(
    ("design", "repeated"), [("10x5", 10), ("5x10", 5), ("disjoint", 10), ("auto", "auto"), (5, 5)]
)
def test_a_learning_curve_takes_the_design_without_its_repeats(design, repeated):
    assert _design(SimpleNamespace(settings={"design": design})) == repeated
