# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% tags=["parameters"]
# One problem, in three permutations. Described in book/runs/index.md.
problem = "sklearn-iris"
methods = ["proben1-linear", "proben1-pivot", "proben1-noshort"]
runs = 10  # so many of each method on each permutation; 0 for all sixty
seed = 1  # of runs that are made now
source = "archive"  # or fresh: make every run again
slug = ""  # name of this page in book/runs/runs.toml, when it has one

# %% tags=["remove-cell"]
from benchbook import show
from benchbook.charts.run_strips import run_strips
from benchbook.datasets.printed import mean_test_errors
from benchbook.show import proben1_form, proben1_problem
from benchbook.show.html import stack
from benchbook.tasks.partitions import dataset_of
from benchbook.words import counted

show.setup()
slug = "" if show.parameters() else slug  # with other parameters it is no page of the manifest
names = proben1_problem.names_of(problem)
dataset = dataset_of(names[0])[0]

# %% tags=["remove-cell"]
show.heading(f"{problem}: {counted(len(methods), 'method')} on three permutations")

# %% tags=["remove-input"]
show.which_data(dataset)

# %% [markdown]
# [How to read this page](index.md#proben1). `found` has a line for each run, with its errors in percent.

# %%
found = proben1_problem.runs(problem, methods, runs, seed, source)

# %% tags=["remove-input"]
proben1_problem.about(problem, found)

# %% [markdown]
# ## What is asked

# %%
proben1_problem.partitions(names)

# %% [markdown]
# ## The runs
#
# Each mark is one run: the test error at the state of least validation error. The bar is the mean, a hollow diamond the
# printed mean.

# %%
printed = mean_test_errors(names, methods)
run_strips(found, printed) if found.height else None

# %% [markdown]
# Errors are squared error percentages, `wrong` is in percent of the test cases; ± is the standard deviation over runs.

# %%
means = proben1_problem.means_over_runs(found)
proben1_problem.means_table(means) if means.height else None

# %% tags=["remove-input"]
show.result(proben1_problem.best_in_words(means))

# %% [markdown]
# ## To be reported
#
# A report by PROBEN1's rules for the first permutation, checked by a machine, and the sentence for a paper.

# %%
stack(*(proben1_form.from_runs(found, method, names[0]) for method in methods))

# %% tags=["remove-input"]
asked = {"problem": problem, "methods": methods, "runs": runs, "seed": seed, "source": source}
template = "book/runs/templates/problem.py"
show.provenance(
    proben1_problem.digests(found),
    seed=seed,
    data=[dataset],
    slug=slug,
    template=template,
    parameters=asked,
)
