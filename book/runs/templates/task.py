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

from benchbook import assess, charts, show, tasks
from benchbook.assess.standings import expected_and_pairs, standings_by_design
from benchbook.show import loss_tables
from benchbook.show.html import stack
from benchbook.studies.task_verdicts import verdicts_of_losses
from benchbook.words import counted

show.setup()
slug = "" if show.parameters() else slug  # with other parameters it is no page of the manifest
dataset = prototask.partition("/")[0]

# %% tags=["remove-cell"]
show.heading(f"{prototask}: {counted(len(methods), 'method')} compared")

# %% tags=["remove-input"]
show.which_data(dataset)

# %% [markdown]
# [How to read this page](index.md#delve). `values` has a line for every run, test case and loss.

# %%
found = show.assessed(
    prototask, methods, instances=instances, codes=losses, seed=seed, source=source
)
values, code = found.values, found.codes[0]  # and the loss of the figures
scheme = tasks.prototask(prototask).test_set_selection
verdicts = verdicts_of_losses(values, instances)  # each task by its design
expected, compared = expected_and_pairs(verdicts)
there = [name for name in found.methods if name in values["method"].unique()]

# %% tags=["remove-input"]
found.about() or None

# %% [markdown]
# ## What is asked

# %%
show.definition(prototask)

# %% [markdown]
# ## Who does best
#
# With the most training cases, best first; methods that share a letter do not differ significantly at 0.05 (Holm).

# %%
of_loss = pl.col("loss") == code
largest = standings_by_design(verdicts).filter(
    of_loss, pl.col("task") == tasks.available(prototask)[-1]
)
shown = ["method", "ties", "mean", "standard_error", "p", "holm"]
loss_tables.standings_table(largest.select(shown), code) if there else None

# %% tags=["remove-input"]
show.result(loss_tables.best_in_words(largest, code))

# %% [markdown]
# ## How the methods compare
#
# Expected losses with one standard error up and down; a digit is 100 *p*, rounded up, where the method of the column is
# significantly better than that of the row.

# %%
charts.rasmussen(expected, compared, loss=code, methods=there) if there else None

# %% [markdown]
# The same expected losses as curves over the number of training cases:

# %%
charts.learning_curve(expected, loss=code, methods=there) if there else None

# %% [markdown]
# ## Expected losses
#
# The standard error counts both training sets and test cases; the standard deviations say which contributes more.

# %%
stack(*(loss_tables.side_by_side(expected, each) for each in found.codes))

# %% [markdown]
# ## Which differences are there

# %%
stack(*(loss_tables.pairs(compared, each) for each in found.codes))

# %% [markdown]
# The two methods that do best with the most training cases: a dot is the difference on one instance, the bar one
# standard error to both sides of the mean.

# %%
means = assess.instance_means(values.filter(of_loss), scheme)
two = largest["method"].to_list()[:2]
charts.paired_differences(means, compared, *two, loss=code) if len(two) > 1 else None

# %% [markdown]
# ## What it took

# %%
loss_tables.effort_table(found.records)

# %% [markdown]
# How attributes are encoded:

# %%
show.encoding(prototask) or None

# %% tags=["remove-input"]
asked = {
    "prototask": prototask,
    "methods": methods,
    "instances": instances,
    "losses": losses,
    "seed": seed,
    "source": source,
}
template = "book/runs/templates/task.py"
show.provenance(values, seed=seed, data=[dataset], slug=slug, template=template, parameters=asked)
