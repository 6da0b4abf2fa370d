"""The sentences of a comparison, word for word: an example of each kind, from means and differences by hand."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from results_by_hand import INFO, mean_of, pair_of, result

from benchbook.assess.designs import Design
from benchbook.comparison import footnotes, sentence
from benchbook.comparison.alarms import Alarm, _leak_text
from benchbook.comparison.candidates import CONSTANT
from benchbook.comparison.further import _design, _sizes, utilities
from benchbook.comparison.losses import empirical_crps, name_faults
from benchbook.comparison.measure import LossInfo
from benchbook.comparison.scale import Scale, scale_of, share
from benchbook.errors import BenchbookError, FaultyInput

ALARM = Alarm("BB03", "too good", True)


def table(means, **errors):
    """Means and pairs; ``a_b=0.1`` is the standard error of a difference, or why it was not tested."""
    pairs = []
    for at, name in enumerate(means):
        for other in list(means)[:at]:
            known = errors.get(f"{other}_{name}".replace(CONSTANT, "guess"), 0.05)
            why = known if isinstance(known, str) else ""
            error = 0.05 if why else known
            pairs.append(pair_of(means, name, other, error, reason=why, shown=not why))
    return [mean_of(name, mean) for name, mean in means.items()], pairs


def made(means, gaps=None, **more):
    return result([table(means, **(gaps or {}))], **more)


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("−", "-")


TWO = {"a": 1.0, "b": 1.5, CONSTANT: 3.0}
SMALLEST = "**a** has the smallest absolute error of both, 1.00 EUR"
R2 = LossInfo("r2", "r2", "", False, True)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (
            made(TWO),
            f"{SMALLEST}; **b** is worse by 0.50 EUR (95 % interval 0.39 to 0.61), and the probability that "
            f"this is more "
            "than the 0.02 EUR that matters is > 99.9 %.",
        ),
        (
            made(TWO, rope_words="1 % of it"),
            f"{SMALLEST}; **b** is worse by 0.50 EUR (95 % interval 0.39 to 0.61), and the probability that "
            f"this is more "
            "than 0.02 EUR (1 % of it) is > 99.9 %.",
        ),
        (
            made(TWO, rope=0.0),
            f"{SMALLEST}; **b** is worse by 0.50 EUR (95 % interval 0.39 to 0.61), and the probability that it "
            f"is worse "
            "is > 99.9 %.",
        ),
        (
            made(TWO, rope=1.0),
            "**a** and **b** do equally well, 1.00 and 1.50 EUR: they differ by 0.50 EUR (95 % interval 0.39 to 0.61), "
            "and the probability that the difference is less than the 1.00 EUR that matters is > 99.9 %.",
        ),
        (
            made({"a": 1.0, "b": 1.5, "c": 2.0, "d": 1.9}, {"a_b": 0.4, "a_d": 0.4}),
            "**a** has the smallest absolute error of 4 methods, 1.00 EUR, but **b** is not significantly different: "
            "they differ by 0.50 EUR (95 % interval -0.40 to 1.40), and 0.02 EUR would matter. Of the others, c is "
            "worse and d is undecided.",
        ),
        (
            made({"a": 1.0, "b": 1.5, "c": 2.0}, {"a_b": 0.18, "b_c": 0.5, "a_c": 0.5}, rope=0.0),
            "**a** has the smallest absolute error of 3 methods, 1.0 EUR, but **b** is not significantly "
            "different after "
            "Holm's correction (p = 0.064): they differ by 0.5 EUR (95 % interval 0.1 to 0.9, uncorrected). Of the "
            "others, c is undecided.",
        ),
        (
            made(TWO, {"a_b": 0.12}, rope=0.4),
            f"{SMALLEST}; **b** is worse, but perhaps by less than matters: they differ by 0.50 EUR (95 % "
            f"interval 0.23 "
            "to 0.77), and 0.40 EUR would matter.",
        ),
        (
            made(TWO, {"a_b": "one split"}),
            f"{SMALLEST.replace('1.00', '1.0000')}; **b** has 1.5000. The difference was not tested: one split.",
        ),
        (
            made({"a": 1.0, "b": 1.0, "c": 2.0}),
            "**a** and **b** have the same absolute error, 1.00 EUR, the smallest of 3 methods, and they are not "
            "significantly different: they differ by 0.00 EUR (95 % interval -0.11 to 0.11), and 0.02 EUR would "
            "matter. Of the others, c is worse.",
        ),
        (
            result([table({"a": -0.6, "b": -0.1, CONSTANT: 0.02})], infos=[R2]),
            "**a** has the highest r2 of both, 0.600; **b** is lower by 0.500 (95 % interval 0.387 to 0.613), and the "
            "probability that this is more than the 0.020 that matters is > 99.9 %.",
        ),
        (
            made({"a": 1.0}),
            "**a** has an absolute error of 1.0000 EUR (95 % interval 0.8869 to 1.1131).",
        ),
        (
            made({"a": 1.0, CONSTANT: 3.0}),
            "**a** has an absolute error of 1.0000 EUR (95 % interval 0.8869 to 1.1131); a constant guess is worse by "
            "2.0000 EUR (95 % interval 1.8869 to 2.1131).",
        ),
        (
            made({"a": 1.0, CONSTANT: 3.0}, {"a_guess": "one split"}),
            "**a** has an absolute error of 1.0000 EUR (95 % interval 0.8869 to 1.1131); a constant guess has 3.0000. "
            "The difference was not tested: one split.",
        ),
        (
            made({"a": 1.0, "b": float("inf")}, {"a_b": "infinite losses"}),
            f"{SMALLEST.replace('1.00', '1.0000')}; **b** has no finite one. The difference was not tested: infinite "
            "losses.",
        ),
        (made({"a": float("inf")}), "**No winner is named.** a has no finite absolute error."),
    ],
)
def test_the_sentence_of_each_verdict(result, text):
    assert plain(sentence.headline(result)) == text


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (
            made({CONSTANT: 1.0, "b": 2.0, "c": 3.0}, {"guess_b": 0.6}),
            "**No method is shown to be better than a constant guess**, which has an absolute error of 1.0 EUR; the "
            "best, b, has 2.0: worse by 1.0 EUR (95 % interval -0.4 to 2.4), which is not significant.",
        ),
        (
            made({CONSTANT: 1.0, "b": 2.0, "c": 3.0}),
            "**Every method is worse than a constant guess**, which has an absolute error of 1.00 EUR; the "
            "best, b, has "
            "2.00: worse by 1.00 EUR (95 % interval 0.89 to 1.11), which is significant.",
        ),
        (
            made({CONSTANT: 2.1, "b": 2.0, "c": 2.2}),
            "**No method is shown to be better than a constant guess**, which has an absolute error of 2.10 EUR; the "
            "best, b, has 2.00: better by 0.10 EUR (95 % interval -0.01 to 0.21), which is not significant.",
        ),
        (
            made({CONSTANT: 1.0, "b": 1.05}),
            "**b is not shown to be better than a constant guess**, which has an absolute error of 1.00 EUR; it has "
            "1.05: worse by 0.05 EUR (95 % interval -0.06 to 0.16), which is not significant.",
        ),
        (
            made({CONSTANT: 1.0, "b": 2.0}, {"guess_b": "one split"}),
            "**b is not shown to be better than a constant guess**, which has an absolute error of 1.0000 EUR; it has "
            "2.0000. The difference was not tested: one split.",
        ),
        (
            made({"a": 1.0, "b": 1.5, CONSTANT: 3.0}, {"a_guess": 1.5}),
            f"{SMALLEST}; **b** is worse by 0.50 EUR (95 % interval 0.39 to 0.61), and the probability that "
            f"this is more "
            "than the 0.02 EUR that matters is > 99.9 %. a is not shown to be better than a constant guess, which has "
            "3.00 EUR: worse by 2.00 EUR (95 % interval -1.39 to 5.39).",
        ),
        (
            made({"a": 1.0, "b": 1.5, CONSTANT: 3.0}, {"a_guess": "one split", "a_b": "one split"}),
            "**a** has the smallest absolute error of both, 1.0000 EUR; **b** has 1.5000. The difference was not "
            "tested: one split. A constant guess has 3.0000 EUR; whether a is better was not tested.",
        ),
    ],
)
def test_whether_anything_is_better_than_a_constant_guess(result, text):
    assert plain(sentence.headline(result)) == text


def test_a_reference_adds_a_sentence_and_changes_no_other():
    """The pair that the sentence speaks of is the best and the second, whatever the differences of the table are to."""
    means = {"a": 1.0, "b": 1.5, "c": 2.0, CONSTANT: 3.0}
    without = sentence.headline(made(means))
    assert sentence.headline(made(means, reference="a")) == without
    assert sentence.headline(made(means, reference="c")) == (
        f"{without} Compared with the reference, **c**: a and b are better."
    )
    assert sentence.headline(made(means, reference=CONSTANT)).endswith(
        "Compared with the reference, a constant guess: a, b and c are better."
    )
    how = footnotes.how_to_read(made(means, reference="c"))
    assert how.startswith(
        "Each interval is for the difference to the reference, c, on the same cases (corrected t, 9 "
    )
    assert "The best method was picked" not in how


@pytest.mark.parametrize(
    ("rounds", "wanted", "winner"),
    [(4, 10, False), (5, 10, True), (1, 2, False), (2, 2, True), (1, 1, True)],
)
def test_a_verdict_needs_five_rounds_or_all_there_are(rounds, wanted, winner):
    one = made(TWO, rounds=rounds, wanted=wanted)
    only = f"Only {rounds} of {wanted} rounds of fits were completed"
    unfinished = f"No winner is named. {only}; a verdict needs {min(5, wanted)}."
    assert (SMALLEST in plain(sentence.headline(one))) == winner
    assert one.sentence.startswith(unfinished) != winner
    assert one.to_latex().startswith(
        r"\begin{table}" "\n" rf"\caption{{{'a has' if winner else unfinished}"
    )
    assert ("worse" in one.to_latex().partition("midrule")[2]) == winner
    assert (one.best is not None) == winner


def test_an_alarm_leaves_no_winner_and_errors_none_possible():
    info = LossInfo("zero_one", "misclassification rate")
    one = result([table({"a": 0.0, "b": 0.1, CONSTANT: 0.0})], infos=[info], alarms=[ALARM])
    assert sentence.headline(one) == (
        "**No winner is named.** a made no error in 1,200 cases; that leaves any error rate below 0.25 % possible."
    )
    assert one.sentence == ""
    assert "No verdict: see the warnings" in one.to_latex()
    assert "best" not in one.to_latex()
    assert sentence.headline(made(TWO, alarms=[ALARM])) == "**No winner is named.**"


def test_the_sentence_for_a_paper_says_data_design_and_test():
    assert made(TWO).sentence.endswith(" (1,200 cases; ten folds; corrected t.)")
    assert made(TWO, {"a_b": "one split"}).sentence.endswith("; ten folds; no test.)")
    assert made(TWO, cases=None).sentence.endswith("%. (ten folds; corrected t.)")
    one = made({"a": 1.0}, errors={"z": "E"})
    assert one.sentence.endswith(
        "z is not compared: it failed on 1 of 10 splits (E). (1,200 cases; ten folds; no test.)"
    )


def test_when_all_methods_fail_that_comes_first_with_what_helps():
    errors = {
        "a": "ValueError: Input X contains NaN.",
        "b": "ValueError: could not convert string to float: 'x'",
    }
    text = made({CONSTANT: 1.0}, errors=errors).headline
    assert text.startswith(
        "Nothing could be compared. a is not compared: it failed on 1 of 10 splits (ValueError: Input"
    )
    assert text.endswith(
        "SimpleImputer() in a pipeline fills in what is missing, and histogram boosting takes it as it is. "
        "OneHotEncoder() in a pipeline makes numbers of words."
    )


def test_of_results_from_elsewhere_nothing_is_said_about_fits():
    design = Design("holdout", 1)
    one = made(TWO, cases=None, design=design, rounds=1, times=False)
    assert footnotes.about(one) == "ten folds"
    assert footnotes.depends_on(one) == "The answer is about these fitted models only."
    assert (
        footnotes.not_covered(one)
        == "cases that arise otherwise than these did: other places, other times"
    )
    text = repr(one)
    assert "fit" not in text.partition("verdict")[2].partition("\n")[0]
    assert "Fit</th>" not in one._repr_html_()
    assert "lower than" not in text
    assert one.sentence != ""


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
    ends = [(None, None), *((1.0, 1.0 + 2 * width) for width in widths)]
    rows = [
        {"method": f"m{at}", "mean": mean * (20 if at else 1), "diff_low": low, "diff_high": high}
        for at, (low, high) in enumerate(ends)
    ]
    info = LossInfo(code, "", "EUR" if code == "absolute" else "")
    assert plain(scale_of(info, rows).with_unit(mean)) == text


def test_signs_and_dashes():
    scale = Scale(1.0, "", 1)
    said = [scale.write(value, sign=True) for value in (0.04, -0.04, 0.26, -0.26, None)]
    assert said == ["+0.0", "0.0", "+0.3", "−0.3", "–"]
    assert scale.interval(0.1, None) == scale.interval(None, 0.1) == "–"
    assert scale.with_unit(1.0) == "1.0"


def test_of_a_metric_means_are_written_as_they_are_known_and_differences_as_losses():
    scale = Scale(1.0, "", 2, higher=True)
    assert (scale.means.write(-0.6), scale.means.interval(-0.7, -0.5)) == ("0.60", "0.50 to 0.70")
    assert (scale.write(0.1), scale.interval(-0.1, 0.2)) == ("0.10", "−0.10 to 0.20")


def test_the_lines_around_the_table():
    one = made(TWO, methods={"a": object()})
    assert footnotes.about(one) == "rent in EUR · 1,200 cases · ten folds"
    one.data.kind, one.data.classes, one.data.unit = "class", ("no", "yes"), ""
    assert footnotes.about(one).startswith("rent (2 classes) · ")
    one.data.positive = 1
    assert plain(footnotes.about(one)).startswith("rent (75 % yes) · ")
    assert footnotes.depends_on(one).startswith("training on 1,080 cases;")
    assert footnotes.not_covered(one) == (
        "cases that arise otherwise than these did: other places, other times; "
        "what tuning would change (nothing was tuned)"
    )
    time = Design("time", 5, test_to_train=0.3)
    tuned = made(TWO, settings={"tuned": True}, design=time)
    assert footnotes.not_covered(tuned) == "changes after the last of these cases"


def test_what_the_other_losses_say():
    first = {"a": 1.0, "b": 1.5, "c": 2.0, CONSTANT: 3.0}
    others = {
        "same": {"a": 1.0, "b": 1.0, "c": 2.0, CONSTANT: 3.0},
        "guess": {"a": 1.0, CONSTANT: 1.5, "b": 2.0, "c": 3.0},
        "reversal": {CONSTANT: 1.0, "a": 1.5, "b": 2.0, "c": 3.0},
        "unsure": {"b": 1.0, "a": 1.05, "c": 2.0, CONSTANT: 3.0},
        "some": {"b": 1.0, "c": 2.0},
        "none": {"a": float("inf")},
    }
    infos = [INFO, *(LossInfo(name, f"{name} error") for name in others)]
    one = result([table(means) for means in (first, *others.values())], infos=infos, reference="c")
    assert footnotes.other_losses(one).split(" · ") == [
        "same error: same order",
        "guess error: a first too, the others in another order",
        "reversal error: constant guess first, ahead of a by 0.50 (significant)",
        "unsure error: b first, ahead of a by 0.05 (not significantly different)",
        "some error: same order (without a and constant guess)",
        "none error: no finite value",
    ]
    assert footnotes.other_losses(made(TWO, alarms=[ALARM])) == ""


# -- what the sentences stand on --------------------------------------------------------------------------------------


def test_the_crps_of_values_by_its_definition():
    values, y = np.array([3.0, 0.0, 1.0, 1.0]), np.array([-1.0, 0.5, 1.0, 9.0])
    apart = np.abs(values[:, None] - values).mean() / 2
    by_hand = np.abs(values[:, None] - y).mean(axis=0) - apart
    every = np.column_stack([values, np.ones(4)])
    np.testing.assert_allclose(empirical_crps(every, y), by_hand)
    twice = np.array([[3.0, 2.0], [0.0, 2.0], [1.0, 4.0]])
    np.testing.assert_allclose(empirical_crps(twice, y), by_hand)


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
            "split": [0] * 40,
            "row": [*range(20)] * 2,
            "value": [1.0] * 20 + [0.5, 0.6] * 10,
            "weight": [1.0] * 40,
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
