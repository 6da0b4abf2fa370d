# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% tags=["parameters"]
# One data set of the robot arm. Described in book/runs/index.md.
data = "fresh-1"  # mackay-1, mackay-2, mackay-3, fresh-1 or fresh-2
slug = ""  # name of this page in book/runs/runs.toml, when it has one

# %% tags=["remove-cell"]
from benchbook import show
from benchbook.charts.expected_utilities import utilities_chart
from benchbook.charts.weight_plots import effective_chart
from benchbook.show.html import paragraph, stack
from benchbook.studies.densities import arm_results as shown
from benchbook.studies.densities import robot_arm

show.setup()
slug = "" if show.parameters() else slug  # with other parameters it is no page of the manifest

# %% tags=["remove-cell"]
show.heading(f"Robot arm, data set {data}")

# %% tags=["remove-input"]
published = ["robotarm"] if data.startswith("mackay") else []  # the fresh ones are drawn here
stack(*(box for name in published for box in (show.which_data(name), show.missing(name)))) or None

# %% [markdown]
# ## Expected errors and the truth
#
# Root mean square errors of a network and a Gaussian process with 90 % intervals; upright ticks are the true errors of
# the fitted models on 10,000 new inputs.

# %%
procedures = ["training", "IS-LOO", "10-fold", "10-fold, corrected"]
errors = shown.errors(procedures, [data])  # estimate, low, high and the truth
utilities_chart(
    errors,
    "root mean square error",
    "robot arm errors",
    reference=robot_arm.NOISE,
    fmt=".3f",
    columns=1,
)

# %% tags=["remove-input"]
show.result(shown.in_words(errors))

# %% [markdown]
# ## Can the weights be trusted?

# %%
sizes = {
    words: shown.cases(data, model)["effective"].to_numpy() for model, words in shown.NAMES.items()
}  # of 100 draws
effective_chart(sizes, 100)

# %% [markdown]
# ## Which is better?
#
# The chains of both samplers must have converged: R-hat at most 1.01 and at least 400 effective draws for every
# quantity that was watched. Otherwise the intervals below are about these draws only.

# %%
short = {words: shown.chains(data, model).shortfall() for model, words in shown.NAMES.items()}
show.table(
    [{"model": words, "what fails": fails or "nothing"} for words, fails in short.items()],
    "The chains fitted to all 200 cases",
    label="model",
)

# %% tags=["remove-input"]
paragraph(
    "No verdict: the chains of one or both have not converged."
    if any(short.values())
    else "The chains of both models have converged."
)

# %% [markdown]
# The network's error less that of the process, and what it is made of.

# %%
utilities_chart(
    shown.differences([data]),
    "difference of root mean square errors",
    "robot arm difference",
    reference=0.0,
    fmt=".4f",
    columns=1,
)

# %%
rows = shown.component_rows(data)
show.table(
    rows,
    "Standard deviations by source",
    digits=2,
    headings={"gaussian_process": "Gaussian process"},
)

# %% tags=["remove-input"]
show.provenance(
    data=published,
    slug=slug,
    template="book/runs/templates/robot_arm.py",
    parameters={"data": data},
)
