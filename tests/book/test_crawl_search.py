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
    "Brier score": ["uncertainty/losses-classes"],
    "CRPS": ["uncertainty/losses-numbers"],
    "McNemar": ["proben1/testing"],
    "PIT": ["uncertainty/calibration"],
    "PSIS": ["predictive-densities/importance"],
    "R-hat": ["delve/convergence"],
    "ROC": ["uncertainty/lift"],
    "ROPE": ["predictive-densities/comparing"],
    "bootstrap": ["predictive-densities/bootstrap"],
    "compact letter display": ["today/tiers"],
    "confidence interval": ["synthesis/method-or-model", "predictive-densities/bootstrap"],
    "conformal prediction": ["uncertainty/calibration", "today/calibration"],
    "covariate shift": ["proben1/partitions", "uncertainty/tasks"],
    "coverage": ["uncertainty/calibration", "predictive-densities/coverage"],
    "cross-entropy": ["uncertainty/losses-classes"],
    "data leakage": ["predictive-densities/forest"],
    "early stopping": ["proben1/early-stopping", "delve/early-stopping"],
    "effect size": ["predictive-densities/comparing"],
    "expected calibration error": ["uncertainty/calibration"],
    "false positives": ["delve/why-assessments-fail"],
    "generalisation error": ["delve/expected-loss"],
    "imputation": ["proben1/representation"],
    "interval score": ["uncertainty/losses-numbers"],
    "k-fold": ["predictive-densities/folds"],
    "learning curve": ["today/tiers"],
    "leave-one-out": ["predictive-densities/importance"],
    "minibatch": ["proben1/rprop"],
    "multiple comparisons": ["today/tiers", "delve/study"],
    "nested cross-validation": ["predictive-densities/folds"],
    "one-hot encoding": ["proben1/representation"],
    "overconfidence": ["uncertainty/calibration", "today/calibration"],
    "paired t test": ["delve/expected-loss"],
    "proper scoring rule": ["uncertainty/losses-classes", "uncertainty/losses-numbers"],
    "reliability diagram": ["uncertainty/calibration"],
    "sample size": ["delve/planning"],
    "stacking": ["uncertainty/methods"],
    "standard error": ["delve/expected-loss"],
    "statistical power": ["delve/planning"],
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
