"""What a comparison says of counts, of one split, of a stopped run, and of methods that all fail."""

from itertools import count

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, PoissonRegressor, Ridge

import benchbook
from benchbook.comparison import footnotes, shown
from benchbook.errors import BenchbookError

RNG = np.random.default_rng(2)
X = RNG.normal(size=(300, 2))
COUNTS = RNG.poisson(np.exp(-1.5 + 0.9 * X[:, 0])).astype(float)
EVEN = X[:, 0] + RNG.normal(size=300)
RANKED = "ranked by squared error: models predict means, and the median guess has the smallest absolute error"


def compared(methods, target, inputs=X, **asked):
    options = {"effort": "quick", "design": 5, "kind": "number", "progress": False} | asked
    return benchbook.compare(methods, inputs, target, **options)


def test_of_counts_the_loss_that_models_minimise_ranks(tmp_path):
    """The median of few counts is 0, and nearer to them in absolute error than their true means are."""
    true = {"truth": lambda _X, _y, test: np.exp(-1.5 + 0.9 * test[:, 0])}
    by_absolute = compared(true, COUNTS, losses=["absolute", "squared"])
    assert by_absolute.rows()[0]["method"] == "constant guess"
    assert footnotes.other_losses(by_absolute).startswith(
        "squared error: truth first, ahead of constant guess by "
    )
    assert RANKED not in footnotes.about(by_absolute)
    made = compared(true, COUNTS)
    assert made.codes == ["squared", "absolute"]
    assert made.best == "truth"
    assert footnotes.about(made).endswith(RANKED)
    assert footnotes.other_losses(made).startswith(
        "absolute error: constant guess first, ahead of truth by "
    )
    assert "BB07" not in {alarm.code for alarm in made.alarms}
    assert made.table.filter(loss="absolute").equals(by_absolute.table.filter(loss="absolute"))
    assert footnotes.about(benchbook.Comparison.load(made.save(tmp_path / "kept"))).endswith(RANKED)
    more = made.more({"poisson": PoissonRegressor()})
    assert more.codes == ["squared", "absolute"]


@pytest.mark.parametrize(
    ("target", "asked"),
    [(EVEN, {}), (COUNTS, {"rope": 0.01}), (COUNTS, {"losses": ["absolute", "squared"]})],
)
def test_else_absolute_error_ranks(target, asked):
    """Where it is asked for, or its unit is that of the difference that matters, or it tells models from the guess."""
    made = compared({"ols": LinearRegression()}, target, **asked)
    assert made.codes == ["absolute", "squared"]
    assert "ranked by" not in footnotes.about(made)


def test_one_split_has_a_sentence():
    made = compared({"ols": LinearRegression(), "ridge": Ridge(1e3)}, EVEN, design="holdout-0.3")
    assert made.sentence.startswith("ols has the smallest absolute error of both")
    assert made.sentence.endswith("paired t over cases.)")
    assert "No verdict" not in made.to_latex()


def test_a_run_that_was_stopped_says_so_and_gives_no_verdict(tmp_path):
    fits = count()

    def stopped(_X, y, test):
        if next(fits) == 3:
            raise KeyboardInterrupt
        return np.full(len(test), y.mean())

    made = compared({"a": stopped, "ols": LinearRegression()}, EVEN, design=10, cache=False)
    text = "No winner is named. Only 3 of 10 rounds of fits were completed; a verdict needs 5."
    assert made.headline == text
    assert made.sentence.startswith(text)
    assert benchbook.Comparison.load(made.save(tmp_path / "kept")).headline == text
    assert made.best is None
    assert {line.verdict for line in shown.lines(made)} == {"no verdict", ""}
    with pytest.raises(BenchbookError):
        made.plot()


def test_when_every_method_fails_that_is_said_first_with_what_helps():
    holes = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
    made = compared({"ridge": Ridge(), "ols": LinearRegression()}, EVEN, holes)
    assert made.headline.startswith(
        "Nothing could be compared. ridge is not compared: it failed on 5 of 5 splits (Val"
    )
    assert made.headline.endswith(
        "fills in what is missing, and histogram boosting takes it as it is."
    )
    assert "Nothing could be compared" in made._repr_html_()
    assert made.to_latex().startswith("\\begin{table}\n\\caption{Nothing could be compared.")
