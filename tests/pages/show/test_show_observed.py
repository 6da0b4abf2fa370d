"""What is seen in records of runs, at the limit itself: each kind of observation from invented costs."""

import json

import polars as pl
import pytest

from benchbook_book.pages.show import observed

LAST = observed._LAST
BANK, PUMA = "bank-8nm-sim/rej/std", "pumadyn-32nm-sim/accel/std"


def seen(kind, *runs):
    """The marks of runs: method, task, instance and what their record has."""
    records = pl.DataFrame(
        [
            {"method": method, "task": task, "instance": instance, "cost": json.dumps(cost)}
            for method, task, instance, cost in runs
        ]
    )
    return [(line["method"], line["mark"]) for line in kind(records).iter_rows(named=True)]


def chosen(*several, method="mlp-bgd-1", instance=0):
    return method, f"{BANK}.64", instance, {"selected_iterations": list(several)}


@pytest.mark.parametrize(
    ("kind", "several", "marks"),
    [
        (observed.early_chosen, (LAST // 20, LAST // 20 + 1), ["for", "against"]),
        (observed.first_chosen, (1, 7), ["for"]),
        (observed.first_chosen, (2, 7), ["against"]),
        (observed.last_not_chosen, (LAST - 1, LAST), ["for", "against"]),
    ],
)
def test_which_iterations_were_chosen(kind, several, marks):
    found = seen(kind, chosen(*several), chosen(3, method="mlp-bgd-3"))
    assert found == [("mlp-bgd-1", mark) for mark in marks]


@pytest.mark.parametrize(
    ("third", "marks"),
    [
        ((LAST, LAST, LAST), ["for"]),
        ((LAST, LAST, 1), []),
        ((LAST, 1, 1), []),
        ((1, 1, 1), ["against"]),
    ],
)
def test_the_static_method_has_more_networks_at_the_last_iteration_than_both_or_fewer(third, marks):
    others = (chosen(LAST, 1, 1), chosen(LAST, LAST, 1, method="mlp-bgd-2"))
    found = seen(observed.last_chosen_more, *others, chosen(*third, method="mlp-bgd-3"))
    assert [mark for _, mark in found] == marks
    assert seen(observed.last_chosen_more, *others, chosen(1, method="mlp-bgd-3", instance=1)) == []


@pytest.mark.parametrize(("rhat", "mark"), [(1.1, "against"), (1.11, "for"), (0.0, "for")])
def test_chains_beyond_the_limit_or_without_a_number_have_not_converged(rhat, mark):
    runs = [(name, f"{PUMA}.64", 0, {"rhat_sigma": rhat}) for name in ("mlp-mc-1", "mlp-mc-2")]
    assert seen(observed.not_converged, *runs) == [("mlp-mc-2", mark)]


@pytest.mark.parametrize(
    ("size", "long", "marks"),
    [(64, 0.1, []), (128, 0.1, []), (256, 0.1, ["for"]), (256, 0.2, ["against"])],
)
def test_noise_of_a_longer_run_is_compared_from_256_cases_on(size, long, marks):
    runs = [
        ("mlp-mc-2", f"{BANK}.{size}", 0, {"noise_sd": 0.2}),
        ("mlp-mc-2b", f"{BANK}.{size}", 0, {"noise_sd": long}),
        ("mlp-mc-2b", f"{BANK}.{size}", 1, {"noise_sd": 0.1}),
    ]
    assert [mark for _, mark in seen(observed.noise_lower, *runs)] == marks
