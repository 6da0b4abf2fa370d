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
import polars as pl

from benchbook.charts.expected_utilities import utilities_chart
from benchbook.show.html import paragraph, stack
from benchbook_book.pages import show
from benchbook_book.pages.simulations import arm_results as shown
from benchbook_book.pages.simulations import robot_arm

show.setup()
slug = "" if show.parameters() else slug  # with other parameters it is no page of the manifest

# %% tags=["remove-input"]
procedures = ["training", "IS-LOO", "10-fold", "10-fold, corrected"]
errors = shown.errors(procedures, [data])  # estimate, low, high and the truth

# %% tags=["remove-cell"]
show.heading(shown.title(data, errors))

# %% tags=["remove-input"]
show.result(shown.in_words(errors))

# %% tags=["remove-input"]
published = ["robotarm"] if data.startswith("mackay") else []  # the fresh ones are drawn here
stack(*(box for name in published for box in (show.which_data(name), show.missing(name)))) or None

# %% tags=["remove-input"]
utilities_chart(
    errors,
    "root mean square error",
    "robot arm errors",
    reference=robot_arm.NOISE,
    fmt=".3f",
    columns=1,
)

# %% tags=["remove-input"]
rows = shown.component_rows(data).with_columns(pl.col(pl.Float64) * 1000)
show.table(
    rows,
    "Where the uncertainty comes from: standard deviations by source, in thousandths",
    digits=2,
    headings={"gaussian_process": "Gaussian process", "difference": "of the difference"},
)

# %% tags=["remove-input"]
paragraph(shown.trust_in_words(data))

# %% [markdown]
# A mark is the expected error of a network or a Gaussian process, a bar its 90 % interval, an upright tick the true
# error of the fitted model on 10,000 new inputs. [How to read this page](index.md#predictive-densities).

# %% tags=["remove-input"]
asked = {"data": data}
show.run_again(slug, "-p data mackay-1", asked)

# %% tags=["remove-input"]
show.downloads(
    {
        "errors": ("expected errors", errors),
        "differences": ("differences of the two models", shown.differences([data])),
        "cases": ("effective draws of every case", shown.effective(data)),
    }
)

# %% tags=["remove-input"]
show.provenance(
    data=published, slug=slug, template="book/runs/templates/robot_arm.py", parameters=asked
)
