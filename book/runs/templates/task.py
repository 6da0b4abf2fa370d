# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% tags=["parameters"]
# One prototask, assessed. Described in book/runs/index.md.
prototask = "kin-8nm-sim/dist"
methods = ["base-1", "lin-1", "knn-cv-1"]
instances = 0  # so many of each task; 0 for all
losses = []  # codes, such as S; empty for all that suit the target
seed = 1
source = "archive"  # or fresh: make every run again
slug = ""  # name of this page in book/runs/runs.toml, when it has one

# %% tags=["remove-cell"]
import polars as pl

from benchbook import charts, tasks
from benchbook.assess.standings import expected_and_pairs, standings_by_design
from benchbook.show.html import fold, stack
from benchbook.studies.task_verdicts import verdicts_of_losses
from benchbook_book.pages import show
from benchbook_book.pages.show import loss_tables

show.setup()
slug = "" if show.parameters() else slug  # with other parameters it is no page of the manifest
dataset = prototask.partition("/")[0]

# %% tags=["remove-input"]
# `values` has a line for every run, test case and loss; each task is tested by its design.
found = show.assessed(
    prototask, methods, instances=instances, codes=losses, seed=seed, source=source
)
values, code = found.values, found.codes[0]  # and the loss of the figure
verdicts = verdicts_of_losses(values, instances)
expected, compared = expected_and_pairs(verdicts)
standings = standings_by_design(verdicts).filter(pl.col("loss") == code)
largest = standings.filter(pl.col("task") == tasks.available(prototask)[-1])

# %% tags=["remove-cell"]
show.heading(loss_tables.title(prototask, largest))

# %% tags=["remove-input"]
show.result(loss_tables.best_in_words(largest, code))

# %% tags=["remove-input"]
stack(show.which_data(dataset), found.about())

# %% tags=["remove-input"]
there = [name for name in found.methods if name in values["method"].unique()]
charts.learning_curve(expected, loss=code, methods=there) if there else None

# %% tags=["remove-input"]
loss_tables.by_size(standings, code)

# %% [markdown]
# A mark is an expected loss, a bar one standard error up and down, due to training sets and test cases. [How to read
# this page](index.md#delve).

# %% tags=["remove-input"]
asked = {
    "prototask": prototask,
    "methods": methods,
    "instances": instances,
    "losses": losses,
    "seed": seed,
    "source": source,
}
show.run_again(slug, "-p methods lin-1 -p methods mine.py:my_method", asked)

# %% tags=["remove-input"]
show.downloads(
    {
        "expected": ("expected losses", expected),
        "pairs": ("every pair with its test", compared.filter(pl.col("method") < pl.col("other"))),
        "runs": ("runs and their seconds", found.records),
    }
)

# %% tags=["remove-input"]
fold(
    "What is asked, and how attributes are encoded",
    show.definition(prototask),
    show.encoding(prototask),
)

# %% tags=["remove-input"]
template = "book/runs/templates/task.py"
show.provenance(values, seed=seed, data=[dataset], slug=slug, template=template, parameters=asked)
