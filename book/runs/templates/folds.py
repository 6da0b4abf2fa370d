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
import polars as pl

from benchbook import show, tasks
from benchbook.charts.expected_utilities import utilities_chart, utility_row
from benchbook.show import folds_page
from benchbook.show.html import paragraph, stack
from benchbook.studies import cross_validation
from benchbook.words import counted

show.setup()
slug = "" if show.parameters() else slug  # with other parameters it is no page of the manifest
dataset = task.partition("/")[0]

# %% tags=["remove-cell"]
show.heading(f"{task}: {counted(len(methods), 'method')} by {ask}")

# %% tags=["remove-input"]
show.which_data(dataset)

# %% [markdown]
# [How to read this page](index.md#predictive-densities). Every case is predicted by a model that has not seen its fold.

# %%
runs = folds_page.runs(task, methods, ask, seed, source)
expected = (
    cross_validation.expected(task, ask, runs.methods, source=runs.store) if runs.methods else None
)

# %% tags=["remove-input"]
folds_page.about(runs)

# %% [markdown]
# ## What is asked

# %%
facts = tasks.get(task).describe()
asked = ("target", "inputs", "scheme", "group", "folds", "cases_of_the_data_set", "note")
show.table(
    [
        {"fact": name.replace("_", " "), "value": str(facts[name])}
        for name in asked
        if facts.get(name)
    ],
    f"{task}: what is asked",
)

# %% [markdown]
# ## Expected utilities
#
# Central 90 % intervals of a Bayesian bootstrap, as cross-validated and corrected for the smaller training sets.

# %%
table = expected.table() if expected else pl.DataFrame()  # the best first
rows = [
    utility_row(found, panel=task, row=method, model=words)
    for method in (table["method"] if expected else ())
    for both in [expected.distributions[method]]
    for words, found in (
        ("as cross-validated", both.cross_validated),
        ("corrected", both.corrected),
    )
]
utilities_chart(
    pl.DataFrame(rows, schema_overrides={"truth": pl.Float64}),
    expected.question.words,
    f"folds of {task}",
    columns=1,
) if rows else None

# %%
stack(
    show.table(
        table,
        f"{expected.question.words}: {expected.question.orientation}",
        formats=dict.fromkeys(table.columns[1:], ".4g"),
        label="method",
        headings={"training": "on training cases"},
    ),
    paragraph(f"Bayesian bootstrap: {expected.weighting}."),
    *map(paragraph, expected.warnings),
) if expected else None

# %% tags=["remove-input"]
show.result(folds_page.best_in_words(expected))

# %% [markdown]
# ## Which is better?
#
# The probability that the method of the line is better than that of the column, not corrected.

# %%
(
    show.table(expected.pairs_in_words(), "Probability to be better", label="method")
    if expected and table.height > 1
    else None
)

# %% tags=["remove-input"]
parameters = {"task": task, "methods": methods, "ask": ask, "seed": seed, "source": source}
template = "book/runs/templates/folds.py"
show.provenance(
    runs.shown, seed=seed, data=[dataset], slug=slug, template=template, parameters=parameters
)
