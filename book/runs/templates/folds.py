# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # The folds of one data set

# %% tags=["remove-cell"]
from benchbook import show
from benchbook.show import folds_page

show.setup()

# %% tags=["parameters"]
task = "forest-scene-sim/cv-18/grouped-8"
methods = ["base-1"]
ask = "error-rate"  # rmse, mae, q90, nlpd, likelihood, error-rate or nlp
seed = 1  # of runs that are made now
source = "archive"  # or fresh: make every run again
slug = ""  # name of this page in book/runs/runs.toml, when it has one

# %% tags=["remove-cell"]
show.parameters()

# %%
dataset = task.partition("/")[0]
page = folds_page.folds(task, methods, ask, seed, source)

# %% tags=["remove-input"]
show.which_data(dataset)

# %% tags=["remove-input"]
page.about() or None

# %% [markdown]
# ## What is asked
#
# Every case is predicted by a model that has not seen its fold. Choose the folds by what the future brings: cases one
# by one, or whole groups.

# %%
page.definition()

# %% [markdown]
# ## Expected utilities
#
# With intervals that hold 90 % of a Bayesian bootstrap, as they are and corrected for the bias of smaller training
# sets. The correction is of the first order: distrust it for methods that err hardly at all on their training cases.

# %%
page.figure()

# %%
page.utilities()

# %% [markdown]
# ## Which is better?
#
# Under the same weights of the cases, replicate by replicate.

# %%
page.pairs()

# %% tags=["remove-input"]
asked = {"task": task, "methods": methods, "ask": ask, "seed": seed, "source": source}
template = "book/runs/templates/folds.py"
show.provenance(page.losses, seed=seed, data=[dataset], slug=slug, template=template, parameters=asked)
