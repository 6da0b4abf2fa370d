"""The hulls of what was seen, in the chapter on the robot arm."""

import numpy as np
import polars as pl


def test_hulls_are_closed_and_drawn_by_sign(chapter):
    helper = chapter("predictive-densities/robot_arm")
    result = helper.hulls(
        np.array([[1.0, 1.0], [2.0, 1.0], [1.0, 2.0], [1.2, 1.2], [-1, 1], [-2, 1], [-1, 2.0]])
    )
    assert result.group_by("hull").len()["len"].to_list() == [4, 4]
    corners = pl.DataFrame(
        {"x1": [1.0, 1.5, 1.2, 1.0], "x2": [1.0, 1.0, 2.0, 1.0], "hull": ["+"] * 4}
    )
    reported = helper.range_chart(corners, corners, [(0.4, 2.0, 0.5, 3.0)]).to_dict()["description"]
    assert "4 inputs in 1 boxes" in reported
