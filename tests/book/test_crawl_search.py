"""Whoever searches the built book for a word of the field finds the page about it among the first three."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

pytestmark = [pytest.mark.crawl, pytest.mark.timeout(120)]
SEARCH = Path(__file__).resolve().parents[2] / "_build" / "html" / "search.html"

PAGES = {
    "ARD": ["delve/methods"],
    "Bayes factor": ["predictive-densities/other-densities"],
    "Bonferroni": ["today/tiers"],
    "Brier score": ["uncertainty/losses-classes"],
    "CRPS": ["uncertainty/losses-numbers"],
    "F1": ["uncertainty/losses-classes"],
    "Holm": ["today/tiers"],
    "McNemar": ["proben1/testing"],
    "PR curve": ["uncertainty/lift"],
    "PIT": ["uncertainty/calibration"],
    "PSIS": ["predictive-densities/importance"],
    "R-hat": ["delve/convergence"],
    "ROC": ["uncertainty/lift"],
    "ROPE": ["predictive-densities/comparing"],
    "bootstrap": ["predictive-densities/expected-utility"],
    "compact letter display": ["today/tiers"],
    "confidence interval": ["synthesis/method-or-model", "predictive-densities/expected-utility"],
    "conformal prediction": ["uncertainty/calibration", "today/calibration"],
    "covariate shift": ["proben1/partitions", "uncertainty/tasks"],
    "confusion matrix": ["uncertainty/losses-classes"],
    "coverage": ["uncertainty/calibration", "predictive-densities/coverage"],
    "cross-validation": ["synthesis/cross-validation"],
    "cross-entropy": ["uncertainty/losses-classes"],
    "data leakage": ["synthesis/cross-validation"],
    "early stopping": ["proben1/early-stopping", "delve/early-stopping"],
    "ensembles": ["uncertainty/methods", "delve/early-stopping"],
    "effect size": ["predictive-densities/comparing"],
    "expected calibration error": ["uncertainty/calibration"],
    "false positives": ["delve/why-assessments-fail"],
    "generalisation error": ["delve/expected-loss"],
    "gradient boosting": ["proben1/modern"],
    "group split": ["synthesis/cross-validation"],
    "hyperparameter tuning": ["synthesis/cross-validation"],
    "imputation": ["proben1/representation"],
    "interval score": ["uncertainty/losses-numbers"],
    "k-fold": ["synthesis/cross-validation", "predictive-densities/folds"],
    "learning curve": ["today/tiers"],
    "leave-one-out": ["predictive-densities/importance"],
    "minibatch": ["proben1/rprop"],
    "multiple comparisons": ["today/tiers", "delve/study"],
    "nested cross-validation": ["synthesis/cross-validation"],
    "one-hot encoding": ["proben1/representation"],
    "overconfidence": ["uncertainty/calibration", "today/calibration"],
    "overfitting": ["synthesis/cross-validation"],
    "paired t test": ["delve/expected-loss"],
    "proper scoring rule": ["uncertainty/losses-classes", "uncertainty/losses-numbers"],
    "random seed": ["proben1/why-rules"],
    "reliability diagram": ["uncertainty/calibration"],
    "sample size": ["delve/planning"],
    "stacking": ["uncertainty/methods"],
    "standard error": ["delve/expected-loss"],
    "statistical power": ["delve/planning"],
    "time series split": ["synthesis/cross-validation"],
    "variance components": ["delve/expected-loss"],
}


@pytest.fixture(scope="module")
def page() -> Iterator:
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.fail("the crawl needs a browser, and there is none: apt-get install --yes chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


@pytest.mark.parametrize("words", PAGES)
def test_a_word_of_the_field_leads_to_its_page(page, words):
    page.goto(f"{SEARCH.as_uri()}?q={quote(words)}")
    page.wait_for_selector("#search-results li a")
    result = page.eval_on_selector_all("#search-results li a", "all => all.map(one => one.href)")
    assert any(f"/book/{name}.html" in link for link in result[:3] for name in PAGES[words]), result
