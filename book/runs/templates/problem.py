# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # One problem, in three permutations

# %% tags=["remove-cell"]
from benchbook import show
from benchbook.show import proben1_problem
from benchbook.tasks.partitions import dataset_of

show.setup()

# %% tags=["parameters"]
problem = "sklearn-iris"
methods = ["proben1-linear", "proben1-pivot", "proben1-noshort"]
runs = 10  # so many of each method on each permutation; 0 for all sixty
seed = 1  # of runs that are made now
source = "archive"  # or fresh: make every run again
slug = ""  # name of this page in book/runs/runs.toml, when it has one

# %% tags=["remove-cell"]
show.parameters()

# %%
page = proben1_problem.problem(problem, methods, runs=runs, seed=seed, source=source)
dataset = dataset_of(page.names[0])[0]

# %% tags=["remove-input"]
show.which_data(dataset)

# %% tags=["remove-input"]
page.about() or None

# %% [markdown]
# ## What is asked
#
# PROBEN1 hands its cases out in fixed parts: a half to train on, a quarter to decide by, a quarter for the test. Three
# permutations of the cases make three partitions, so that one can see how much of a result belongs to the cases that
# happened to be tested.

# %%
page.partitions()

# %% [markdown]
# ## The runs
#
# Each mark is one run: the test error at the state of least validation error. The bar is the mean. A hollow diamond is
# the mean that the report prints, where it prints one. Runs on one partition differ in their random numbers alone; what
# lies between the partitions is the cases.

# %%
page.figure()

# %%
page.statistics()

# %% [markdown]
# ## To be reported
#
# A report by PROBEN1's rules, made from the records of these runs and checked by a machine, and the sentence that may
# go into a paper. It is for the first permutation; the others have the same form with other results.

# %%
page.forms()

# %% tags=["remove-input"]
asked = {"problem": problem, "methods": methods, "runs": runs, "seed": seed, "source": source}
template = "book/runs/templates/problem.py"
show.provenance(page.losses, seed=seed, data=[dataset], slug=slug, template=template, parameters=asked)
