"""The chart of the images, in the chapter on trees in images."""

import polars as pl


def test_the_shares_are_told_in_words(chapter):
    result = chapter("predictive-densities/forest").image_chart(
        pl.DataFrame({"image": [1, 2], "trees": [0.25, 0.75]})
    )
    assert "2 images, from 25% to 75%; all together 50%" in result.to_dict()["description"]
