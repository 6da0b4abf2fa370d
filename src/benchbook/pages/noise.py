"""What a sampled network says of its own errors, beside what they are: live on one instance, and from the archive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from benchbook import assess, datasets, studies, tasks
from benchbook.datasets import families
from benchbook.methods.bayes import constants
from benchbook.methods.bayes.runs import Run, run
from benchbook.methods.bayes.warped_constants import warps
from benchbook.methods.bayes.warped_predict import unwarped
from benchbook.methods.bayes.warped_runs import run as warped_run
from benchbook.methods.bayes.warps import Warps
from benchbook.pages.neal import most_compared
from benchbook.predictive import Mixture
from benchbook.seeds import generator
from benchbook.studies.frames import long_frame
from benchbook.tasks import TaskInstance

_MOST_NOTES = 200


@dataclass(frozen=True)
class Answered:
    """A run of mlp-mc-2, or of mlp-mc-2w, on one instance, and its answer on the encoded scale.

    Attributes:
        chain: the run; its noise is on the encoded scale, or on the warped one.
        prediction: for the test cases.
        maps, choice: the warps and the one of each draw; none of either without a warp.
    """

    chain: Run
    prediction: Mixture
    maps: Warps | None
    choice: np.ndarray | None

    def trace(self) -> pl.DataFrame:
        """The noise standard deviation at evenly spaced notes: passes, value."""
        notes = np.unique(np.linspace(0, len(self.chain.passes) - 1, _MOST_NOTES).round().astype(int))
        return pl.DataFrame({"passes": self.chain.passes[notes], "value": self.chain.noise[notes]})


def answered(instance: TaskInstance, seed: int, *, times: float = 1.0, warped: bool = False) -> Answered:
    """Run mlp-mc-2, or with ``warped`` mlp-mc-2w, with so many times its passes."""
    model, schedule = constants.model(relevance=True, direct=True), constants.schedule(times=times)
    inputs, targets = instance.train_inputs, instance.train_targets
    rng = generator(seed, instance.name, "warped" if warped else "plain")
    if not warped:
        chain = run(model, schedule, inputs, targets, rng)
        centres = chain.outputs(instance.test_inputs, model.hidden)
        draws = centres.shape[1]
        spread = np.tile(chain.noise_sd**2, (len(centres), 1))
        return Answered(chain, Mixture(np.full(draws, 1.0 / draws), centres, spread), None, None)
    made = warped_run(model, schedule, warps(targets), inputs, targets, rng)
    chain, choice = made.chain, made.choice[made.chain.drawn]
    centres = chain.outputs(instance.test_inputs, model.hidden)
    return Answered(chain, Mixture(*unwarped(made.warps, choice, centres, chain.noise_sd)), made.warps, choice)


def encoded_targets(instance: TaskInstance) -> np.ndarray:
    """Test targets [J] on the scale that the methods see."""
    target = instance.encoding.target
    held: np.ndarray = tasks.Scorer(instance.task, instance.number).targets
    return (held - target.centre) / target.scale


def daily_noise(instance: TaskInstance, days: int, seed: int) -> np.ndarray:
    """The standard deviation [J], on the encoded scale, of the simulated target of each test case over many days.

    Args:
        instance: of a re-created dataset.
        days: how often every test case is simulated anew.
        seed: where the days come from.
    """
    task = tasks.get(instance.task)
    name = task.prototask.dataset
    columns = [task.cases.columns[attribute][instance.case_ids] for attribute in task.prototask.inputs]
    inputs, family = np.column_stack(columns).astype(float), families.find(name)
    drawn = [family.noisy(name, inputs, generator(seed, "days", str(day))) for day in range(days)]
    sd: np.ndarray = np.std(drawn, axis=0, ddof=1) / instance.encoding.target.scale
    return sd


def by_group(prediction: Mixture, targets: np.ndarray, known: np.ndarray | None, panel: str,
             groups: int = 10) -> pl.DataFrame:
    """Standard deviations of groups of test cases of about equal size, in the order of the predicted value.

    Stated: the root of the mean predictive variance; seen: the root of the mean squared residual; known: that of the
    mean of ``known`` squared.

    Args:
        prediction: for J cases.
        targets: [J], on the same scale.
        known: [J], the noise's standard deviations, where they are known.
        panel: the name of the method.
        groups: how many.

    Returns:
        panel, group (from 1), kind ("stated", "seen" and "the day's noise"), value, low and high (of the predictions).
    """
    mean = prediction.mean()
    kinds = {"stated": prediction.variance(), "seen": (targets - mean) ** 2}
    kinds |= {} if known is None else {"the day's noise": known**2}
    lines = []
    for group, members in enumerate(np.array_split(np.argsort(mean, kind="stable"), groups), start=1):
        low, high = float(mean[members[0]]), float(mean[members[-1]])
        lines += [(panel, group, kind, float(np.sqrt(np.mean(squares[members]))), low, high)
                  for kind, squares in kinds.items()]
    return pl.DataFrame(lines, schema=["panel", "group", "kind", "value", "low", "high"], orient="row")


def assessed(prototask: str, methods: Sequence[str], code: str,
             archive: str | Path | None = None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Expected losses and comparisons of archived methods by one loss, on its own scale.

    As ``neal.study`` does it: on the instances that most methods have, and what the archive lacks is left out.
    """
    kept = studies.Archive(archive or studies.archive_path())
    losses, _ = most_compared(long_frame(kept.read(studies.Choice(prototask, None, list(methods)), code)[1]))
    return assess.assessment(losses, "hierarchical")


def above_the_least(prototask: str, method: str, other: str, archive: str | Path | None = None) -> pl.DataFrame:
    """Mean difference of the log loss of two methods, on all test cases and on those not tied at the least target.

    A density can be made as high as one likes where targets repeat a value; a method that gains there only has found
    the tie and nothing else.

    Returns:
        task, all, others (in nats, ``method`` less ``other``), tied (share of the test cases); no lines where the data
        or the runs are not at hand.
    """
    schema = {"task": pl.String, "all": pl.Float64, "others": pl.Float64, "tied": pl.Float64}
    kept = studies.Archive(archive or studies.archive_path())
    losses = kept.losses(prototask=prototask, methods=[method, other], code="L")
    if not datasets.at_hand(prototask.split("/")[0]) or losses["method"].n_unique() < 2:
        return pl.DataFrame(schema=schema)
    keys = ["task", "instance", "case"]
    one, two = (losses.filter(method=name).select(*keys, "value") for name in (method, other))
    both = one.join(two, on=keys, suffix="_other").with_columns(more=pl.col("value") - pl.col("value_other"))
    lines = []
    for (name,), here in both.group_by("task", maintain_order=True):
        task = tasks.get(str(name))
        targets = task.cases.columns[task.prototask.target]
        tied = targets[here["case"].to_numpy()] == targets.min()
        more = here["more"].to_numpy()
        lines.append((name, float(more.mean()), float(more[~tied].mean()), float(tied.mean())))
    return pl.DataFrame(lines, schema=schema, orient="row")
