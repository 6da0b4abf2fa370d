"""Methods in tiers: who is in colour, and labels of costs that do not cover each other."""

import polars as pl

from benchbook.charts.tiers import cost_of_loss, tier_curves, unbeaten

FOUND = pl.DataFrame(
    [
        {
            "method": f"m-{m}",
            "training_cases": n,
            "mean": 0.1 * m + 8.0 / n,
            "standard_error": 0.01,
            "tier": m + 1,
            "seconds": 10.0 ** (m - 3),
        }
        for m in range(8)
        for n in (64, 256)
    ]
)


def test_drawn():
    tier_curves(FOUND, most=3)
    tier_curves(FOUND, most=3, shown=["m-6"])
    crossing = {
        "method": ["a", "b", "c"] * 2,
        "training_cases": [64] * 3 + [256] * 3,
        "mean": [0.1, 0.2, 0.3, 0.3, 0.1, 0.2],
        "standard_error": 0.01,
    }
    tier_curves(pl.DataFrame(crossing), most=2)
    alike = pl.Series([0.2, 0.2, 0.201, 0.6, 0.6, 0.6, 0.9, 0.4])
    cost_of_loss(FOUND.filter(training_cases=64).with_columns(mean=alike))
    many = pl.DataFrame(
        {
            "method": [f"m-{m}" for m in range(17)],
            "mean": [0.1 * (m % 5) + 0.01 * m for m in range(17)],
            "standard_error": 0.01,
            "tier": 1,
            "seconds": [2.0 ** -(m % 7) * (m + 1) for m in range(17)],
        }
    )
    cost_of_loss(many, shown=["m-9"])


def test_the_unbeaten_are_those_than_which_none_is_faster_and_better(rng):
    for _ in range(200):
        seconds, means = rng.integers(1, 8, (2, 9)) / 4
        found = pl.DataFrame({"method": list("abcdefghi"), "seconds": seconds, "mean": means})
        left = unbeaten(found)
        pairs = list(zip(seconds, means, strict=True))
        at = dict(zip("abcdefghi", pairs, strict=True))
        assert set(at.values()) >= {at[name] for name in left}
        for name, (time, mean) in at.items():
            beaten = any(t <= time and m <= mean and (t, m) != (time, mean) for t, m in pairs)
            if name in left:
                assert not beaten
            else:  # or another one stands for it that is exactly as fast and as good
                assert beaten or (time, mean) in {at[other] for other in left}


def test_of_many_methods_the_unbeaten_and_ones_own_have_names():
    many = pl.concat(
        [
            FOUND.filter(training_cases=64),
            FOUND.filter(training_cases=64).with_columns(
                pl.col("method") + "-slow", seconds=10 * pl.col("seconds"), mean=pl.col("mean") + 1
            ),
        ]
    )
    front = unbeaten(many)
    chart = cost_of_loss(many, shown=["m-7-slow"]).to_dict()
    grey, *_, left, right = (chart["datasets"][layer["data"]["name"]] for layer in chart["layer"])
    assert left == right
    assert {row["method"] for row in left} == {*front, "m-7-slow"}
    assert {row["method"] for row in grey} == set(many["method"]) - {*front, "m-7-slow"}
