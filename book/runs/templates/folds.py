# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% tags=["parameters"]
# The folds of one data set. Described in book/runs/index.md.
task = "forest-scene-sim/cv-18/grouped-8"
methods = ["base-1"]
ask = "error-rate"  # rmse, mae, q90, nlpd, likelihood, error-rate or nlp
seed = 1  # of runs that are made now
source = "archive"  # or fresh: make every run again
slug = ""  # name of this page in book/runs/runs.toml, when it has one

# %% tags=["remove-cell"]
from benchbook.charts.expected_utilities import utilities_chart
from benchbook.show.html import fold, paragraph, stack
from benchbook.studies import cross_validation
from benchbook_book.pages import show
from benchbook_book.pages.show import folds_page

show.setup()
slug = "" if show.parameters() else slug  # with other parameters it is no page of the manifest
dataset = task.partition("/")[0]

# %% tags=["remove-input"]
# Every case is predicted by a model that has not seen its fold.
runs = folds_page.runs(task, methods, ask, seed, source)
expected = (
    cross_validation.expected(task, ask, runs.methods, source=runs.store) if runs.methods else None
)

# %% tags=["remove-cell"]
show.heading(folds_page.title(dataset, ask, expected))

# %% tags=["remove-input"]
show.result(folds_page.best_in_words(expected))

# %% tags=["remove-input"]
stack(show.which_data(dataset), folds_page.about(runs))

# %% tags=["remove-input"]
utilities_chart(
    folds_page.intervals(expected, task), expected.question.words, f"folds of {task}", columns=1
) if expected else None

# %% tags=["remove-input"]
stack(
    show.table(
        expected.table(),
        f"{expected.question.words}: {expected.question.orientation}",
        formats=dict.fromkeys(expected.table().columns[1:], ".4g"),
        label="method",
        headings={"training": "on training cases"},
    ),
    paragraph(f"Bayesian bootstrap: {expected.weighting}."),
    *map(paragraph, expected.warnings),
) if expected else None

# %% [markdown]
# Bars are central 90 % intervals of a Bayesian bootstrap: as cross-validated, and corrected for the smaller training
# sets. [How to read this page](index.md#predictive-densities).

# %% tags=["remove-input"]
asked = {"task": task, "methods": methods, "ask": ask, "seed": seed, "source": source}
show.run_again(slug, "-p methods lin-1 -p methods mine.py:my_method", asked)

# %% tags=["remove-input"]
show.downloads(
    {
        "expected": ("expected utilities", expected.table()),
        "pairs": ("the probability that one is better than another", expected.pairs_in_words()),
    }
) if expected else None

# %% tags=["remove-input"]
fold("What is asked", folds_page.definition(task))

# %% tags=["remove-input"]
template = "book/runs/templates/folds.py"
show.provenance(
    runs.shown, seed=seed, data=[dataset], slug=slug, template=template, parameters=asked
)
