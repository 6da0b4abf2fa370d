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

from benchbook.show.html import fold, stack
from benchbook_book.course.challenge.archived import POINT, entered
from benchbook_book.course.challenge.leaderboard import losses_against
from benchbook_book.pages import show
from benchbook_book.pages.show import challenge_board

show.setup()
slug = "" if show.parameters() else slug  # with other parameters it is no page of the manifest
dataset = prototask.partition("/")[0]

# %% tags=["remove-input"]
# Methods without an entry in the archive enter now; `entries` has an entry a line, by the loss that ranks.
results = entered(prototask, methods, seed)
entries = results.entries

# %% tags=["remove-cell"]
show.heading(challenge_board.title(results))

# %% tags=["remove-input"]
show.result(challenge_board.best_in_words(results))

# %% tags=["remove-input"]
stack(show.which_data(dataset), challenge_board.about(results))

# %% tags=["remove-input"]
scale = 100 if results.kind == "real" else 1  # nMSE in percent
both = entries.select("entry", "kind", x=scale * pl.col("point").cast(pl.Float64), y="ranked")
across = f"{POINT[results.kind]} (%)" if scale > 1 else POINT[results.kind]
up = "NLPD, nats" if results.kind == "real" else "NLP, base 10"
losses_against(both, across, up) if results.has_entries else None

# %% tags=["remove-input"]
challenge_board.board(results)

# %% [markdown]
# Smaller losses are better. An entry does not differ significantly from those at the places beside it (5 %, corrected
# for all pairs, on these test cases). Entries marked with < learned from the training cases alone. [How to read this
# page](index.md#the-challenge).

# %% tags=["remove-input"]
asked = {"prototask": prototask, "methods": methods, "seed": seed}
show.run_again(slug, "-p methods lin-1 -p methods mine.py:my_method", asked)

# %% tags=["remove-input"]
show.downloads({"entries": ("entries and their losses", entries)})

# %% tags=["remove-input"]
stack(
    fold("What is asked", challenge_board.definition(results)),
    fold("Calibration", challenge_board.calibration(results)),
)

# %% tags=["remove-input"]
template = "book/runs/templates/challenge.py"
show.provenance(seed=seed, data=[dataset], slug=slug, template=template, parameters=asked)
