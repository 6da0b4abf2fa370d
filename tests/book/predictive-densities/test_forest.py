"""The chart of the images, in the chapter on trees in images."""

import polars as pl


def test_drawn(page):
    page.image_chart(pl.DataFrame({"image": [1, 2], "trees": [0.25, 0.75]}))
