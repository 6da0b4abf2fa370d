"""The hulls of what was seen, in the chapter on the robot arm."""

import numpy as np


def test_hulls_are_closed_and_drawn_by_sign(page):
    inputs = np.array([[1, 1], [2, 1], [1, 2], [1.2, 1.2], [-1, 1], [-2, 1], [-1, 2]])
    result = page.hulls(inputs)
    assert result.group_by("hull").len()["len"].to_list() == [4, 4]


def test_drawn(page):
    hulls = page.hulls(np.array([[1.0, 1], [2, 1], [1, 2], [-1, 1], [-2, 1], [-1, 2]]))
    page.range_chart(hulls, hulls, [(0.4, 2.5, 0.5, 3.0), (-2.5, -0.5, 0.5, 3.0)])
