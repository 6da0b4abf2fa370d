"""The density one drags: Vega's own arithmetic against the library's, order kept, faults refused."""

import re

import numpy as np
import pytest

from benchbook import charts
from benchbook.charts.kit.output import picture
from benchbook.errors import FaultyInput

LEVELS = {"figure 4": [0.2, 0.3, 0.8, 0.9], "wide": [0.05, 0.25, 0.75, 0.95]}


@pytest.fixture(scope="module")
def equations(chapter):
    return chapter("uncertainty/challenge_equations")


def said(page, value, levels="figure 4"):
    """The numbers above the plot: mean, lower tail, inner part, upper tail, printed mean."""
    spec = charts.specification(page.quantile_density(LEVELS, value))
    next(param for param in spec["params"] if param["name"] == "levels")["value"] = levels
    text = " ".join(re.findall(r">((?:mean|lower tail|as printed)[^<]*)<", picture(spec)))
    return [float(item.replace("−", "-")) for item in re.findall(r"−?\d+\.\d+", text)]


@pytest.mark.parametrize(
    ("levels", "value"), [("figure 4", [-2, -1, 1, 3]), ("wide", [-4.5, 0, 0.25, 5])]
)
def test_the_picture_computes_what_the_equations_say(page, equations, levels, value):
    a, q = np.array(LEVELS[levels]), np.array(value, dtype=float)
    parts = equations.mean_parts(a, q)
    assert said(page, value, levels) == pytest.approx(
        [equations.mean(a, q), parts.lower, parts.inner, parts.upper, equations.printed_mean(a, q)],
        abs=0.0051,
    )


def test_a_quantile_that_is_pushed_moves_the_next_one_on(page, equations):
    spec = charts.specification(page.quantile_density(LEVELS, [-2, -1, 1, 3]))
    next(param for param in spec["params"] if param["name"] == "drag1")["value"] = 0.5
    reported = float(re.search(r">mean (−?[\d.]+)<", picture(spec)).group(1).replace("−", "-"))
    mean = equations.mean(np.array(LEVELS["figure 4"]), np.array([0.5, 0.75, 1.0, 3.0]))
    assert reported == pytest.approx(mean, abs=0.0051)


def test_what_is_refused(page):
    with pytest.raises(FaultyInput, match=r"(?s)levels short.*increasing by 0\.25"):
        page.quantile_density({"short": [0.2, 0.3, 0.9]}, [-2, -1.9, 1, 3])


def test_drawn(page):
    page.quantile_density(LEVELS, [-2, -1, 1, 3])
