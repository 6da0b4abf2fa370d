"""The figure of the door: a panel a family, and what its words say of the ratios."""

import polars as pl


def test_a_panel_a_family_and_all_ratios_in_words(page):
    lines = pl.DataFrame(
        [
            {"dataset": name, "training_cases": size, "ratio": ratio, "p": p}
            for name in ("kin-8nm-sim", "kin-32nm-sim", "bank-8nm-sim")
            for size, ratio, p in ((64, 0.5, 0.01), (256, 1.25, 0.3))
        ]
    )
    text = str(page.ratios_by_family(lines).to_dict())
    for words in page.FAMILIES["kin"], page.FAMILIES["bank"], "32 inputs: 0.50, 1.25":
        assert words in text
    assert page.FAMILIES["pumadyn"] not in text
    assert text.count("'sure': True") == 3
