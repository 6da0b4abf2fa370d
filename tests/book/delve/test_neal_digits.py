"""The digits of the figures of 1998: what stands in them, and what is said of them beside ours."""

import polars as pl
import pytest

from benchbook_book.pages.show import neal

FAMILIES = ("kin", "pumadyn", "bank")


@pytest.fixture(scope="module")
def study():
    """The methods of the figures on the re-created data."""
    return neal.study(neal.PROTOTASKS, ("lin-1", *neal.EARLY, *neal.SAMPLED))


@pytest.fixture
def compared(study):
    """All comparisons of the methods of the figures."""
    return study.compared


def test_the_digits_were_read_whole_and_no_pair_has_two(page):
    printed = page.printed()
    assert printed.height == 2 * 5 * (8 + 8 + 7)
    for (dataset, size), grid in printed.group_by("dataset", "training_cases", maintain_order=True):
        names = neal.FIGURES[dataset.partition("-")[0]]
        assert set(grid["digits"].str.len_chars()) == {len(names)}
        if size is None:
            assert "-32nm" in dataset
            assert grid["better"].null_count() == grid.height == 4 * len(names)
            continue
        assert tuple(grid["better"]) == names
        rows = grid["digits"].to_list()
        for first in range(len(names)):
            assert rows[first][first] == "."
            assert not any(rows[first][k] != "." != rows[k][first] for k in range(len(names)))


def test_how_many_digits_he_has_and_how_many_we_have(page, compared):
    """Counted by hand in the paper: 415 of 770 pairs have a digit, 246 a 1."""
    counts = page.counts(compared).rows()
    assert [(*line[:3], line[4]) for line in counts] == [
        ("kin", 280, 139, 75),
        ("pumadyn", 280, 176, 120),
        ("bank", 210, 100, 51),
    ]
    assert sum(line[3] for line in counts) == 453
    assert sum(line[5] for line in counts) == 316


def test_cells_say_what_the_two_digits_say(page, compared):
    cells = page.cells(compared)
    assert cells.height == 6 * (28 + 28 + 21)
    agreement = page.agreement(cells)
    for line in agreement.iter_rows(named=True):
        assert sum(line[name] for name in (page.SAME, page.OPPOSITE, page.HIS,
                                           page.OURS, page.NEITHER)) == line["pairs"]  # fmt: skip
    digits = {line[:4]: line[4] for line in page.ours(compared).iter_rows()}
    for line in cells.iter_rows(named=True):
        place, pair = (line["dataset"], line["training_cases"]), (line["method"], line["other"])
        found = [digits.get((*place, *both)) for both in (pair, pair[::-1])]
        our = line["our"]
        assert found == [str(our) if our > 0 else None, str(-our) if our < 0 else None]


@pytest.mark.parametrize(
    ("his", "our", "p", "verdict"),
    [
        ([1, 2, 3], [1, 1, 1], 0.01, "reproduced"),
        ([1, 2, 3], [-1, -1, -1], 0.01, "not reproduced"),
        ([1, 2, 3], [7, 7, 7], 0.07, "undecided"),
        ([0, 0, 0], [1, 1, 1], 0.01, "not tested"),
    ],
)
def test_the_verdict_is_about_pairs_in_which_he_has_a_digit(page, his, our, p, verdict):
    said = [page._said(*both) for both in zip(his, our, strict=True)]
    pairs = pl.DataFrame({"family": "kin", "his": his, "our": our, "p": p, "said": said})
    assert page.agreement(pairs)["verdict"].item() == verdict


def test_the_dataset_that_is_set_apart_is_the_one_whose_losses_leave_his_axis(page, study):
    ends = dict(page.axes().iter_rows())
    apart = []
    for family in FAMILIES:
        for prototask in neal.FAMILIES[family]:
            losses = neal.of(study.expected, prototask).filter(
                pl.col("method").is_in(neal.FIGURES[family])
            )
            above = losses["standardised_mean"] > ends[neal.short(prototask).removesuffix("-sim")]
            if above.sum() > losses.height / 2:
                apart.append((prototask, above.sum(), losses.height))
    assert apart == [(neal.APART[0], 31, 35)]
