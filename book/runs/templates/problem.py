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
from benchbook.datasets.printed import mean_test_errors
from benchbook.show.html import fold, stack
from benchbook.tasks.partitions import dataset_of
from benchbook_book.pages import show
from benchbook_book.pages.charts.run_strips import run_strips
from benchbook_book.pages.show import proben1_form, proben1_problem

show.setup()
slug = "" if show.parameters() else slug  # with other parameters it is no page of the manifest
names = proben1_problem.names_of(problem)
dataset = dataset_of(names[0])[0]

# %% tags=["remove-input"]
# `found` has a line for each run, with its errors in percent.
found = proben1_problem.runs(problem, methods, runs, seed, source)
means = proben1_problem.means_over_runs(found)

# %% tags=["remove-cell"]
show.heading(proben1_problem.title(problem, means))

# %% tags=["remove-input"]
show.result(proben1_problem.best_in_words(means))

# %% tags=["remove-input"]
stack(show.which_data(dataset), proben1_problem.about(problem, found))

# %% tags=["remove-input"]
run_strips(found, mean_test_errors(names, methods)) if found.height else None

# %% tags=["remove-input"]
proben1_problem.means_table(means) if means.height else None

# %% [markdown]
# A mark is one run: its test error at the state of least validation error. A bar is a mean, a hollow diamond the
# printed mean. Errors are squared error percentages, ± is the standard deviation over runs. [How to read this
# page](index.md#proben1).

# %% tags=["remove-input"]
asked = {"problem": problem, "methods": methods, "runs": runs, "seed": seed, "source": source}
show.run_again(slug, "-p methods proben1-pivot -p runs 5", asked)

# %% tags=["remove-input"]
show.downloads({"means": ("means over runs", means), "runs": ("every run", found)})

# %% tags=["remove-input"]
stack(
    fold("What is asked", proben1_problem.partitions(names)),
    fold(
        "To be reported: the sentence for a paper, and the form by PROBEN1's rules",
        *(proben1_form.from_runs(found, method, names[0]) for method in methods),
    ),
)

# %% tags=["remove-input"]
show.provenance(
    proben1_problem.digests(found),
    seed=seed,
    data=[dataset],
    slug=slug,
    template="book/runs/templates/problem.py",
    parameters=asked,
)
