"""The power chart of the chapter on planning: its data, its words, and what it refuses."""

import math

import polars as pl
import pytest

from benchbook.errors import FaultyInput


def surface(cases=(256, 512), shares=(0.1, 0.2)):
    return pl.DataFrame(
        [
            {
                "comparison": name,
                "share": share,
                "instances": instances,
                "cases": size,
                "power": min(1.0, share * math.sqrt(instances * size) / 8),
                "most": 8192 // (64 + size),
            }
            for name in ("a − b", "c − d")
            for share in shares
            for instances in (2, 4, 8, 16)
            for size in cases
        ]
    )


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda page: page.planning(surface(), cases=100), "found 100"),
        (lambda page: page.planning(surface(cases=(500, 512))), "a power of two"),
        (
            lambda page: page.planning(surface(shares=tuple(k / 10 for k in range(1, 9)))),
            "6 can be distinguished",
        ),
    ],
)
def test_tables_that_cannot_be_drawn_are_refused(page, call, says):
    with pytest.raises(FaultyInput, match=says):
        call(page)


def test_drawn(page):
    page.planning(surface())
    page.planning(surface(), cases=256)
