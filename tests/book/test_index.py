"""The figure of the first page: what it says holds on other seeds, and its marks are where the numbers are."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import ShuffleSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

import benchbook


@pytest.fixture(scope="module")
def page(chapter):
    return chapter("index")


@pytest.fixture(scope="module")
def shown(page):
    values = np.array([-0.2, 0.4, -6.1, 4.3, 4.0, -2.3, -3.0, 6.4, -1.1, -10.8])
    return page.Differences(values, -6.2, 4.5, 62, 120)


def test_on_other_seeds_too_both_models_win_splits_and_the_interval_contains_zero():
    cases, target = load_diabetes(return_X_y=True)
    wins = []
    for seed in range(12):
        splits = ShuffleSplit(10, test_size=0.1, random_state=seed)
        linear, svm = (
            -cross_val_score(model, cases, target, cv=splits, scoring="neg_mean_absolute_error")
            for model in (LinearRegression(), make_pipeline(StandardScaler(), SVR(C=100)))
        )
        d = svm - linear
        se = d.std(ddof=1) * np.sqrt(1 / 10 + 45 / 397)
        assert abs(d.mean()) < stats.t.isf(0.025, 9) * se
        wins.append((d > 0).sum())
    assert all(0 < won < 10 for won in wins)
    assert sum(wins) == 62


def test_both_pictures_have_a_bar_for_each_split_in_proportion_to_its_difference(page, shown):
    wide, narrow = re.findall(r"<svg.*?</svg>", page.figure(shown).html)
    for picture, side in ((wide, "height"), (narrow, "width")):
        bars = [
            item
            for item in ElementTree.fromstring(picture).iter("rect")
            if item.get("class") in ("fa", "fb")
        ]
        assert [bar.get("class") == "fa" for bar in bars] == list(shown.values > 0)
        lengths = np.array([float(bar.get(side)) for bar in bars])
        assert np.corrcoef(lengths, abs(shown.values))[0, 1] == pytest.approx(1, abs=1e-4)
        assert "No winner yet" in picture


def test_the_description_names_each_winner_the_mean_and_the_interval(page, shown):
    words = page.description(shown)
    assert "split 8, linear regression better by 6.4" in words
    assert "split 10, support vector machine better by 10.8" in words
    assert "from support vector machine better by 6.2 to linear regression better by 4.5" in words
    assert "In 120 such splits linear regression wins 62" in words


def test_pages_offer_the_package_of_this_version(repository):
    names = [f"benchbook-{benchbook.__version__}{end}" for end in ("-py3-none-any.whl", ".tar.gz")]
    for page in ("index.md", "guide/run-it.md"):
        source = (repository / "book" / page).read_text(encoding="utf8")
        assert set(re.findall(r"downloads/([^\"]+)\"", source)) == set(names)
