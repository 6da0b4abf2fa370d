"""The rule for a verdict, its agreement with the library's comparisons, and that every statement can be judged."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchbook import assess, methods, tasks
from benchbook_book.pages import verdicts
from benchbook_book.pages.show import observed, statements
from benchbook_book.pages.show.neal import PROTOTASKS
from benchbook_book.pages.verdicts import (
    NOT,
    REPRODUCED,
    UNDECIDED,
    UNTESTED,
    WITHIN_CHANCE,
    Claim,
    Counted,
    Part,
    Statement,
)

TASK = "kin-8nm-sim/dist/std.{}"
EVERY = [item for several in statements.STATEMENTS.values() for item in several]
NO_RECORDS = pl.DataFrame(
    schema={"method": pl.String, "task": pl.String, "instance": pl.Int64, "cost": pl.String}
)


def means(levels, sizes=(64, 128), instances=8, spread=0.1, seed=0):
    """Instance means of methods with these expected losses; the luck of an instance is common to all."""
    rng = np.random.default_rng(seed)
    lines = []
    for size in sizes:
        luck = rng.normal(0, 0.2, instances)
        for name, level in levels.items():
            values = level * (1 + 0.2 * luck) + spread * level * rng.normal(size=instances)
            lines += [
                {
                    "task": TASK.format(size),
                    "loss": "S",
                    "method": name,
                    "instance": i,
                    "mean": float(value),
                    "cases": 512,
                }
                for i, value in enumerate(values)
            ]
    return pl.DataFrame(lines)


def evidence(good, bad, leaning, other):
    marks = ["for"] * good + ["against"] * bad + ["open"] * (leaning + other)
    leans = [True] * good + [False] * bad + [True] * leaning + [False] * other
    return pl.DataFrame(
        {"mark": marks, "leans": leans}, schema={"mark": pl.String, "leans": pl.Boolean}
    )


@pytest.mark.parametrize(
    ("marks", "least", "wanted"),
    [
        ((0, 0, 0, 0), 0.5, UNTESTED),
        ((10, 0, 0, 0), 0.9, REPRODUCED),
        ((9, 0, 0, 1), 0.9, REPRODUCED),
        ((8, 0, 2, 0), 0.9, UNDECIDED),
        ((1, 0, 4, 5), 0.1, UNDECIDED),  # one of ten is what chance may give
        ((2, 0, 4, 4), 0.1, REPRODUCED),
        ((9, 1, 0, 0), 0.5, REPRODUCED),  # one against of ten may be chance
        ((8, 2, 0, 0), 0.5, NOT),
        ((0, 0, 0, 10), 0.5, NOT),  # not even a lean
        ((0, 0, 3, 7), 0.5, UNDECIDED),
        ((0, 0, 0, 2), 0.5, UNDECIDED),  # two leans the wrong way prove nothing
        ((0, 1, 0, 0), 0.1, NOT),  # all is decided, and against
        ((0, 1, 5, 4), 0.0, WITHIN_CHANCE),
        ((0, 0, 6, 4), 0.0, REPRODUCED),
        ((0, 3, 5, 2), 0.0, NOT),
    ],
)
def test_the_rule(marks, least, wanted):
    assert verdicts.verdict(evidence(*marks), least) == wanted


def test_a_share_may_be_tolerated():
    assert verdicts.verdict(evidence(7, 3, 0, 0), 0.5) == NOT
    assert verdicts.verdict(evidence(7, 3, 0, 0), 0.5, most=0.3) == REPRODUCED


def test_what_may_still_come_true_is_undecided():
    """Five of ten are against and the five others lean that way: half of them may be for, and half is asked."""
    assert verdicts.verdict(evidence(0, 5, 5, 0), 0.5, most=1.0) == UNDECIDED
    assert verdicts.verdict(evidence(0, 6, 4, 0), 0.5, most=1.0) == NOT


def test_a_statement_may_ask_for_few():
    assert verdicts.verdict(evidence(4, 0, 6, 0), 0.0, 1.0, below=0.5) == REPRODUCED
    assert verdicts.verdict(evidence(5, 0, 5, 0), 0.0, 1.0, below=0.5) == NOT


def test_chance_plays_no_part_in_what_is_counted():
    assert verdicts.verdict(evidence(1, 9, 0, 0), 0.1, 1.0, counted=True) == REPRODUCED
    assert verdicts.verdict(evidence(1, 0, 0, 9), 0.1, 1.0) == UNDECIDED
    assert verdicts.verdict(evidence(1, 11, 0, 0), 0.1, 1.0, counted=True) == NOT


@pytest.mark.parametrize("count", [1, 2, 10, 40, 64])
def test_more_than_chance_is_a_binomial_tail(count):
    for index in range(count + 1):
        wanted = index > 0 and stats.binom.sf(index - 1, count, 0.025) <= 0.05
        assert verdicts.more_than_chance(index, count) == wanted


def test_equal_methods_are_rarely_called_different():
    """Negative control: of sixty statements about two equal methods hardly one is said to be reproduced."""
    lines = [
        verdicts.judge(
            statement(Claim(("a",), ("b",), ("kin-8nm-sim/dist",))),
            means({"a": 1.0, "b": 1.0}, (64, 128, 256, 512, 1024), seed=seed),
            NO_RECORDS,
        ).verdict
        for seed in range(60)
    ]
    assert lines.count(REPRODUCED) <= 3
    assert lines.count(UNDECIDED) >= 40


def statement(*claims, least=0.5, most=0.05):
    return Statement("key", "label", "words", (Part(claims, least, most),), "study")


def test_a_real_difference_is_seen_and_its_reverse_refused():
    table = means({"a": 0.7, "b": 1.0})
    better, worse = (
        Claim(pair[:1], pair[1:], ("kin-8nm-sim/dist",), (64, 128))
        for pair in (("a", "b"), ("b", "a"))
    )
    assert verdicts.judge(statement(better), table, NO_RECORDS).verdict == REPRODUCED
    assert verdicts.judge(statement(worse), table, NO_RECORDS).verdict == NOT


def test_a_factor_asks_for_more():
    table = means({"a": 0.9, "b": 1.0}, spread=0.01)
    for factor, wanted in ((1.0, "for"), (0.95, "for"), (0.8, "against")):
        result = verdicts.compared(table, [("a", "b")], [TASK.format(64)], factor)
        assert result["mark"].to_list() == [wanted]
        assert result["ratio"][0] == pytest.approx(0.9, abs=0.02)


def test_comparisons_are_the_librarys():
    rng = np.random.default_rng(3)
    frame = pl.concat(
        [
            pl.DataFrame(
                {
                    "method": name,
                    "task": TASK.format(64),
                    "instance": np.repeat(np.arange(5), 7),
                    "case": np.arange(35),
                    "loss": "S",
                    "value": level + rng.normal(size=35) ** 2,
                    "digest": np.repeat(list("abcde"), 7),
                }
            )
            for name, level in (("a", 0.0), ("b", 0.4), ("c", 1.0))
        ]
    )
    ours = verdicts.compared(
        assess.instance_means(frame), [("a", "b"), ("a", "c"), ("c", "b")], [TASK.format(64)]
    )
    theirs = assess.comparisons(frame)
    both = ours.join(theirs, on=["method", "other", "task"], suffix="_assess")
    assert both.height == 3
    np.testing.assert_allclose(both["p"], both["p_assess"], rtol=1e-9)
    np.testing.assert_allclose(both["ratio"], both["mean"] / both["other_mean"], rtol=1e-9)


def test_detectable_is_what_the_design_can_see():
    table = means({"a": 1.0, "b": 1.0})
    result = verdicts.compared(table, [("a", "b")], [TASK.format(64)])
    wide = table.filter(task=TASK.format(64)).pivot("method", index="instance", values="mean")
    spread = (wide["a"] - wide["b"]).std()
    assert assess.power(
        result["detectable"][0] * wide["b"].mean(), spread, 0.0, 8, 1
    ) == pytest.approx(0.8)


def test_what_is_missing_is_left_out():
    table = means({"a": 1.0, "b": 2.0}, instances=1)
    assert verdicts.compared(
        table, [("a", "b"), ("a", "z")], [TASK.format(64), "no/such/std.64"]
    ).is_empty()
    alone = statement(Claim(("a",), ("z",), ("kin-8nm-sim/dist",)))
    assert verdicts.judge(alone, table, NO_RECORDS).verdict == UNTESTED
    constant = means({"a": 1.0, "b": 1.0}, spread=0.0)
    assert verdicts.compared(constant, [("a", "b")], [TASK.format(64)])["mark"].to_list() == [
        "open"
    ]


def test_the_worst_part_decides():
    table = means({"a": 0.7, "b": 1.0})
    claims = [
        Claim(pair[:1], pair[1:], ("kin-8nm-sim/dist",), (64, 128))
        for pair in (("a", "b"), ("b", "a"))
    ]
    both = Statement(
        "key", "label", "words", tuple(Part((claim,), 0.5) for claim in claims), "study"
    )
    outcome = verdicts.judge(both, table, NO_RECORDS)
    assert (outcome.verdict, outcome.verdicts) == (NOT, (REPRODUCED, NOT))
    assert outcome.counts() == (2, 2, 0)
    assert outcome.counts(1) == (0, 2, 0)


def record(method, task, instance, **told):
    return {"method": method, "task": task, "instance": instance, "cost": json.dumps(told)}


def test_records_are_counted():
    task, records = TASK.format(64), []
    for instance, (plain, static) in enumerate(
        [([1, 50], [20_000, 20_000]), ([20_000, 900], [1, 1]), ([5], [5])]
    ):
        records += [
            record(name, task, instance, selected_iterations=plain)
            for name in ("mlp-bgd-1", "mlp-bgd-2")
        ]
        records.append(record("mlp-bgd-3", task, instance, selected_iterations=static))
    records.append(
        record("mlp-bgd-1", "boston/price/std.64", 0, selected_iterations=[1])
    )  # of another study
    frame = pl.DataFrame(records)
    assert observed.early_chosen(frame)["mark"].to_list().count("for") == 8
    assert observed.first_chosen(frame)["mark"].to_list() == [
        "for",
        "for",
        "against",
        "against",
        "against",
        "against",
    ]
    assert observed.last_not_chosen(frame)["mark"].to_list().count("against") == 2
    assert observed.last_chosen_more(frame)["mark"].to_list() == ["for", "against"]


def test_chains_are_counted():
    wide, bank = "pumadyn-32nm-sim/accel/std.64", "bank-8nm-sim/rej/std.512"
    frame = pl.DataFrame(
        [
            record("mlp-mc-3", wide, 0, rhat_sigma=1.3),
            record("mlp-mc-3", wide, 1, rhat_sigma=1.02),
            record("mlp-mc-3", wide, 2, rhat_sigma=0.0),  # undefined: too few draws
            record("mlp-mc-3", TASK.format(64), 0, rhat_sigma=9.0),
            record("mlp-mc-4", bank, 0, noise_sd=0.3),
            record("mlp-mc-4b", bank, 0, noise_sd=0.1),
            record("mlp-mc-4", bank, 1, noise_sd=0.3),
            record("mlp-mc-4b", bank, 1, noise_sd=0.4),
        ]
    )
    assert observed.not_converged(frame)["mark"].to_list() == ["for", "against", "for"]
    assert sorted(observed.noise_lower(frame)["mark"]) == ["against", "for"]


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.key)
def test_every_statement_is_about_methods_and_tasks_that_exist(one):
    for source in (source for part in one.parts for source in part.sources):
        if isinstance(source, Claim):
            assert set(source.better) | set(source.worse) <= set(methods.available())
            assert set(source.prototasks) <= set(PROTOTASKS)
            assert all(
                f"{name}/std.{size}" in tasks.available(name)
                for name in source.prototasks
                for size in source.sizes
            )
        else:
            assert isinstance(source, Counted)
    assert one.words.endswith(".")
    assert len(one.label) <= 52
    assert not one.emended.endswith(".")
    assert verdicts.judge(one, means({"a": 1.0}), NO_RECORDS).verdict == UNTESTED


def test_statements_have_their_names_to_themselves():
    keys = [item.key for item in EVERY]
    assert len(set(keys)) == len(keys) > 25
