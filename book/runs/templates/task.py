# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # One prototask, assessed

# %% tags=["remove-cell"]
from IPython.display import display

from benchbook import show

show.setup()

# %% tags=["parameters"]
prototask = "kin-8nm-sim/dist"
methods = ["base-1", "lin-1", "knn-cv-1"]
instances = 0  # so many of each task; 0 for all
losses = []  # codes, such as S; empty for all that suit the target
seed = 1
source = "archive"  # or fresh: make every run again
slug = ""  # name of this page in book/runs/runs.toml, when it has one

# %% tags=["remove-cell"]
show.parameters()

# %%
dataset = prototask.partition("/")[0]
page = show.assessed(prototask, methods, instances=instances, codes=losses, seed=seed, source=source)

# %% tags=["remove-input"]
show.which_data(dataset)

# %% tags=["remove-input"]
page.about() or None

# %% [markdown]
# ## What is asked
#
# Every task below asks for the same prediction from a different number of training cases. The training sets of its
# instances have no case in common, so that what differs between instances shows how much depends on the training set
# one happens to get.

# %%
page.definition()

# %% [markdown]
# ## How the methods compare
#
# There is one rectangle for each number of training cases, and a column in it for each method: its expected loss, with
# one standard error up and down. Below stand the p values. Where a column meets a row there is a digit if the method of
# the column is significantly better than that of the row: 100 *p*, rounded up, so that 1 means *p* ≤ 0.01. A dot says
# that there is no such difference, or that the row's method is the better one.

# %%
page.figure(page.codes[0])

# %% [markdown]
# The same expected losses as curves over the number of training cases:

# %%
page.curves(page.codes[0])

# %% [markdown]
# ## Expected losses
#
# The standard error tells how far the estimate may be from the expected loss over all training sets and test cases that
# might have been drawn. Its sources have different remedies: training sets, which only more instances average out, and
# test cases, of which one can take more. The standard deviations say which of them dominates.

# %%
for code in page.codes:
    display(page.losses(code))

# %% [markdown]
# ## Which differences are there
#
# Methods are compared on the same cases, through the differences of their losses. A small *p* says that a difference so
# large would be rare if the two were equally good; it does not say that the difference is large.

# %%
for code in page.codes:
    display(page.pairs(code))

# %% [markdown]
# Behind a p value stand the instances. Here are the differences of the two methods that do best with the most training
# cases, a dot for each instance; the bar reaches one standard error to both sides of their mean.

# %%
page.differences(page.codes[0])

# %% [markdown]
# ## What it took
#
# Seconds depend on the machine and are here for a sense of proportion.

# %%
page.effort_table()

# %% [markdown]
# How attributes became the numbers that the methods saw:

# %%
page.encoding() or None

# %% tags=["remove-input"]
asked = {"prototask": prototask, "methods": methods, "instances": instances, "losses": losses, "seed": seed,
         "source": source}
template = "book/runs/templates/task.py"
show.provenance(page.values, seed=seed, data=[dataset], slug=slug, template=template, parameters=asked)
