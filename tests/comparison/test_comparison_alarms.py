"""Alarms of leaks, rare classes and clumps of rows, in both directions: on planted faults, and on clean tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from benchbook.comparison import alarms
from benchbook.comparison.clumps import clumped_share
from benchbook.comparison.data import ask
from benchbook.comparison.splits import lay_out

CASES = 200
CLEAN = ("iris", "wine", "diabetes", "breast_cancer")


def found(frame, target, *codes):
    data = ask(frame, target=target)
    plan = lay_out(data, 10, "quick")
    return [alarm for alarm in alarms.of_data(data, plan) if alarm.code in codes]


def table(seed, classes=2):
    rng = np.random.default_rng(seed)
    inputs = rng.normal(size=(CASES, 5))
    frame = pd.DataFrame(inputs, columns=list("abcde"))
    frame["y"] = inputs[:, :2].sum(axis=1) + rng.normal(size=CASES)
    if classes:
        frame["y"] = pd.qcut(frame["y"], classes, labels=list("nopqrstuvwxy"[:classes])).astype(str)
    return frame, rng


@pytest.fixture(scope="module", params=CLEAN)
def clean(request):
    frame = getattr(datasets, f"load_{request.param}")(as_frame=True).frame
    if request.param != "diabetes":
        frame["target"] = frame["target"].map(str)
    return frame


def test_clean_public_tables_raise_none(clean):
    assert not found(clean, "target", "BB03", "BB04", "BB05")


@pytest.mark.parametrize("wrong", [0.006, 0.01, 0.02, 0.05, 0.1])
def test_a_flag_that_is_wrong_in_some_rows_is_a_mild_warning(wrong):
    frame, rng = table(1)
    flag = (frame["y"] == "n").to_numpy().astype(float)
    rows = rng.choice(CASES, round(wrong * CASES), replace=False)
    flag[rows] = 1 - flag[rows]
    (alarm,) = found(frame.assign(flag=flag), "y", "BB03")
    assert alarm.columns == ("flag",)
    assert "`flag` alone leaves" in alarm.text
    assert not alarm.severe
    assert not found(frame, "y", "BB03")


def test_an_input_that_is_right_in_three_rows_of_four_is_no_leak():
    frame, rng = table(1)
    flag = (frame["y"] == "n").to_numpy() ^ (rng.random(CASES) < 0.25)
    assert not found(frame.assign(flag=flag.astype(float)), "y", "BB03")


@pytest.mark.parametrize(("noise", "speaks"), [(0.1, True), (0.15, True), (1.0, False)])
def test_a_column_that_is_nearly_the_target_is_a_mild_warning(noise, speaks):
    frame, rng = table(2, classes=0)
    nearly = frame["y"] + noise * frame["y"].std() * rng.normal(size=CASES)
    assert bool(found(frame.assign(nearly=nearly), "y", "BB03")) == speaks


@pytest.mark.parametrize("name", ["customer_id", "patient", "account"])
def test_a_name_that_tells_the_target_is_warned_of(name):
    frame, rng = table(3)
    order = np.argsort((frame["y"] == "n").to_numpy() + rng.normal(scale=0.4, size=CASES))
    number = np.empty(CASES)
    number[order] = 1000 + np.arange(CASES)
    (alarm,) = found(frame.assign(**{name: number}), "y", "BB03")
    assert f"`{name}` names the cases" in alarm.text
    assert not found(frame.assign(**{name: rng.permutation(CASES) + 1000.0}), "y", "BB03")


@pytest.mark.parametrize("classes", [2, 10, 12])
def test_balanced_classes_are_not_rare(classes):
    frame, _ = table(4, classes)
    assert not found(frame, "y", "BB04")


def test_a_class_of_few_cases_is_rare():
    frame, rng = table(4, classes=4)
    frame.loc[rng.choice(CASES, 6, replace=False), "y"] = "z"
    (alarm,) = found(frame, "y", "BB04")
    assert "6 of 200 cases are 'z'" in alarm.text


COPIES = {
    "noise of 1e-6": lambda part, rng: part * (1 + 1e-6 * rng.normal(size=part.shape)),
    "a decimal": lambda part, rng: part.round(1),
}


@pytest.mark.parametrize("kind", COPIES)
def test_near_copies_are_found_in_any_order(kind):
    frame, rng = table(5, classes=0)
    part = frame.sample(60, random_state=0)
    whole = pd.concat([frame, COPIES[kind](part, rng)]).sample(frac=1.0, random_state=1)
    (alarm,) = found(whole, "y", "BB05")
    assert "nearer than chance allows" in alarm.text
    assert not found(frame, "y", "BB05")


def test_several_rows_of_a_person_are_found_after_shuffling():
    rng = np.random.default_rng(6)
    person = rng.permutation(np.repeat(np.arange(60), 6))
    inputs = rng.normal(size=(60, 4))[person] + 0.05 * rng.normal(size=(360, 4))
    assert clumped_share(inputs) > 0.5


@pytest.mark.parametrize("width", [2, 3, 8])
@pytest.mark.parametrize("law", ["normal", "uniform", "lognormal", "mixture"])
def test_independent_rows_are_no_clumps(law, width):
    rng = np.random.default_rng(7)
    inputs = {
        "normal": lambda: rng.normal(size=(CASES, width)),
        "uniform": lambda: rng.random((CASES, width)),
        "lognormal": lambda: rng.lognormal(size=(CASES, width)),
        "mixture": lambda: rng.normal(size=(CASES, width)) + 6 * rng.integers(0, 3, (CASES, 1)),
    }[law]()
    assert clumped_share(inputs) < 0.06


def test_few_rows_and_lines_are_not_judged():
    rng = np.random.default_rng(8)
    line = np.linspace(0.0, 1.0, 100) ** 2
    assert clumped_share(np.repeat(rng.normal(size=(20, 3)), 2, axis=0)) == 0.0
    assert clumped_share(np.column_stack([line, 2 * line])) == 0.0


@pytest.mark.parametrize(
    ("target", "other", "said"),
    [
        ("time", "status", True),
        ("futime", "fustat", True),
        ("price", "status", False),
        ("time", "width", False),
    ],
)
def test_times_until_something_have_a_word_on_censoring(target, other, said):
    frame, rng = table(9, classes=0)
    frame = frame.assign(y=np.exp(frame["y"]), **{other: rng.integers(0, 2, CASES)})
    assert bool(found(frame.rename(columns={"y": target}), target, "BB12")) == said


@pytest.mark.parametrize("weights", [(1.0, 1.0), (0.5, 0.5), (1.0, -1.0)])
def test_sums_means_and_differences_are_named_by_their_parts(weights):
    frame, rng = table(10, classes=0)
    frame["y"] = frame["b"] * weights[0] + frame["d"] * weights[1]
    (alarm,) = [alarm for alarm in found(frame, "y", "BB03") if alarm.severe]
    assert set(alarm.columns) == {"b", "d"}
    frame["y"] += 0.05 * frame["y"].std() * rng.normal(size=CASES)  # R2 of .9975
    assert not any(alarm.severe for alarm in found(frame, "y", "BB03"))


def test_numbers_of_rows_are_left_out_in_python_too_and_classes_that_look_alike_are_asked_about():
    frame, _ = table(11)
    frame["y"] = np.where(frame["y"] == "n", "Yes", np.where(np.arange(CASES) % 2, "no", " No"))
    for name in ("Unnamed: 0", "rownames", "nr"):
        made = ask(frame.assign(**{name: np.arange(CASES) + 1}), target="y")
        assert made.left_out == (name,)
        assert name not in made.columns
    assert ask(frame.assign(year=np.arange(CASES)), target="y").left_out == ()
    (alarm,) = found(frame, "y", "BB12")
    assert "' No' (" in alarm.text
    assert "'no' (" in alarm.text
