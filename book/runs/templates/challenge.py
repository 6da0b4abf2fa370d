# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% tags=["parameters"]
# One task of a challenge. Described in book/runs/index.md.
prototask = "gaze-sim/gaze"
methods = [
    "base-1",
    "lin-1",
]  # run now when they have no entry yet; others with an entry are shown too
seed = 2006
slug = ""  # name of this page in book/runs/runs.toml, when it has one

# %% tags=["remove-cell"]
import polars as pl

from benchbook import show
from benchbook.challenge.archived import POINT, entered
from benchbook.charts.leaderboard import losses_against
from benchbook.show import challenge_board

show.setup()
slug = "" if show.parameters() else slug  # with other parameters it is no page of the manifest
dataset = prototask.partition("/")[0]

# %% tags=["remove-cell"]
show.heading(f"{prototask}: the entries of the challenge")

# %% tags=["remove-input"]
show.which_data(dataset)

# %% [markdown]
# [How to read this page](index.md#the-challenge). Methods without an entry in the archive enter now.

# %%
results = entered(prototask, methods, seed)
entries = results.entries  # an entry a line, by the loss that ranks

# %% tags=["remove-input"]
challenge_board.about(results) or None

# %% [markdown]
# ## What is asked

# %%
challenge_board.definition(results)

# %% [markdown]
# ## The board
#
# Smaller losses are better. Entries that share a letter do not differ significantly on these test cases, at the 5 %
# level, corrected for all pairs; entries marked with < learned from the training cases alone.

# %%
challenge_board.board(results)

# %% tags=["remove-input"]
show.result(challenge_board.best_in_words(results))

# %% [markdown]
# ## One loss against another

# %%
both = entries.select("entry", "kind", x=pl.col("point").cast(pl.Float64), y="ranked")
across = POINT[results.kind]
up = "NLPD, nats" if results.kind == "real" else "NLP, base 10"
losses_against(both, across, up) if results.has_entries else None

# %% [markdown]
# ## Calibration

# %%
challenge_board.calibration(results)

# %% tags=["remove-input"]
asked = {"prototask": prototask, "methods": methods, "seed": seed}
template = "book/runs/templates/challenge.py"
show.provenance(seed=seed, data=[dataset], slug=slug, template=template, parameters=asked)
