"""What each mark of a chart is drawn at: the columns and constants behind its ends, and which lines have one."""

import re

import polars as pl
import pytest

from benchbook import assess, charts
from benchbook.charts import (
    convergence,
    curves,
    differences,
    expected_utilities,
    explained,
    false_alarms,
    leaderboard,
    leave_one_out,
    reproduced,
    run_strips,
    tiers,
    weight_plots,
    worlds,
)


def table(text, **columns):
    """One line of text columns, and of others."""
    return pl.DataFrame({**dict.fromkeys(text.split(), "a"), **columns})


def at(channel):
    """The column, or the constant, and the kind of scale."""
    of = channel.get("field", channel.get("datum", channel.get("value")))
    kind = (channel.get("scale") or {}).get("type", "")
    return f"{of}{f' ({kind})' * bool(kind)}"


def marks(node, filters=()):
    """A line for each mark, those below first."""
    filters = (*filters, *(step.get("filter") for step in node.get("transform", [])))
    if "spec" in node:
        return [f"facet={node['facet']['field']}", *marks(node["spec"], filters)]
    if "layer" in node:
        return [line for layer in node["layer"] for line in marks(layer, filters)]
    channels = {
        name: at(channel)
        for name, channel in sorted(node["encoding"].items())
        if name != "tooltip" and "condition" not in channel
    }
    if channels.get("shape") == channels.get("color"):
        channels.pop("shape", "")
    if tips := node["encoding"].get("tooltip"):
        channels["tips"] = ",".join(tip["field"] for tip in tips)
    words = [node["mark"]["type"], *(f"{name}={of}" for name, of in channels.items())]
    words += [
        "if " + re.sub("datum[.]|^[(]|(?<=')[)]$|'|==?(?==)", "", each) for each in filters if each
    ]
    return [" ".join(words)]


RATES = pl.DataFrame(
    {
        "test": ["a", "a", "b"],
        "rate": 0.1,
        "standard_error": 0.1,
        "resamples": [2, 4, 2],
        "advantage": 0.5,
    }
)
TIERS = pl.DataFrame(
    {
        "method": ["a", "b"],
        "training_cases": 64,
        "seconds": [1.0, 10.0],
        "mean": 0.5,
        "standard_error": 0.1,
        "tier": 1,
    }
)
REPRODUCED = table("kind dataset column", printed=1.0, ours=1.0, standard_error=0.1, apart=1.0)
DRAWN = {
    "tier_curves": (
        lambda: tiers.tier_curves(TIERS, most=1),
        """
        line detail=method x=training_cases (log) y=mean tips=method,training_cases,mean,standard_error
        point detail=method x=training_cases (log) y=mean tips=method,training_cases,mean,standard_error
        line color=method x=training_cases (log) y=mean
        rule color=method x=training_cases (log) y=_low y2=_high
        point color=method x=training_cases (log) y=mean tips=method,training_cases,mean,standard_error""",
    ),
    "cost_of_loss": (
        lambda: tiers.cost_of_loss(TIERS),
        """
        rule x=seconds (log) y=_low y2=_high
        point x=seconds (log) y=mean tips=method,tier,seconds,mean,standard_error
        text text=_label x=seconds (log) y=_at if !_left
        text text=_label x=seconds (log) y=_at if _left""",
    ),
    "noise_traces": (
        lambda: convergence.noise_traces(table("chain", passes=2.0, value=1.0), 15.0),
        """
        line color=chain x=passes y=value (log) tips=chain,passes,value
        point color=chain x=passes y=value (log) tips=chain,passes,value if _last
        rule x=15.0 if _first
        text text=kept from here x=15.0 y=0 if _first""",
    ),
    "diagnosed_losses": (
        lambda: convergence.diagnosed_losses(
            table("method panel task", instance=0, rhat=1.2, loss=1.0, noise=1.0), reached=1.25
        ),
        """
        facet=panel
        point color=method x=_beyond (log) y=loss (log) tips=method,task,instance,rhat,loss,noise
        rule x=0.25 if _first""",
    ),
    "longer_runs": (
        lambda: convergence.longer_runs(table("method dataset", size=64, more=0.1, p=0.1)),
        """
        facet=dataset
        rule color=method x=size xOffset=method y=more y2=zero
        rule y=0 if _first
        point color=method x=size xOffset=method y=more tips=method,size,more,p
        point color=method x=size xOffset=method y=more tips=method,size,more,p if sure""",
    ),
    "losses_against": (
        lambda: leaderboard.losses_against(
            pl.DataFrame({"entry": ["a", "b"], "kind": "entry", "x": [1.0, 2.0], "y": 1.0}),
            "x",
            "y",
        ),
        """
        point color=kind x=x y=_y tips=entry,x,y""",
    ),
    "k_hat_chart": (
        lambda: leave_one_out.k_hat_chart(
            table("case", k_hat=0.1, effective_draws=9.0, reliable=True), 0.75
        ),
        """
        rule y=0.75
        point color=kind x=place y=k tips=case,k,effective_draws""",
    ),
    "utilities_chart": (
        lambda: expected_utilities.utilities_chart(
            table("panel row model", estimate=1.0, low=0.5, high=2.0, truth=1.0),
            "t",
            "n",
            reference=0.25,
        ),
        """
        facet=panel
        rule x=0.25 if first
        rule color=model x=low x2=high y=row yOffset=model if isValid(low)
        tick x=truth y=row yOffset=model if isValid(truth)
        point color=model x=estimate y=row yOffset=model tips=panel,row,model,estimate,low,high,truth""",
    ),
    "coverage_chart": (
        lambda: worlds.coverage_chart(
            table("world procedure interval", coverage=0.8, standard_error=0.01), 0.875
        ),
        """
        facet=world
        rule x=0.875 if first
        rule color=interval x=low x2=high y=procedure yOffset=interval
        point color=interval x=coverage y=procedure yOffset=interval tips=world,procedure,interval,coverage""",
    ),
    "mass_chart": (
        lambda: weight_plots.mass_chart(table("model", line=0, rank=1, mass=0.5)),
        """
        facet=model
        line color=model detail=line x=rank (log) y=mass""",
    ),
    "effective_chart": (
        lambda: weight_plots.effective_chart({"m": [1.0, 2.0]}, 100),
        """
        line color=line strokeDash=line x=share y=effective (log)""",
    ),
    "ours_against_theirs": (
        lambda: reproduced.ours_against_theirs(
            pl.concat([REPRODUCED.with_columns(choice=pl.lit(name)) for name in "ab"])
        ),
        """
        rule x=0.0 if _first
        rule color=kind x=low x2=high y=dataset yOffset=kind if choice = which
        point color=kind x=_at y=dataset yOffset=kind tips=dataset,kind,printed,ours,apart if choice = which
        point x=_at y=dataset yOffset=kind if choice = which if far""",
    ),
    "columns_apart": (
        lambda: reproduced.columns_apart(REPRODUCED),
        """
        rect x=-3.0 x2=3.0 y=0 y2=height if _first
        rect x=-2.0 x2=2.0 y=0 y2=height if _first
        point shape=_beyond x=_at y=column yOffset=_jitter tips=dataset,column,printed,ours,apart if kind = networks""",
    ),
    "alarm_rates": (
        lambda: false_alarms.alarm_rates(RATES),
        """
        line color=test x=resamples (log) y=rate
        rule color=test x=resamples (log) y=_low y2=_high
        point color=test x=resamples (log) y=rate tips=test,resamples,_says
        rule y=_level
        text text=no cases left for more x=resamples (log) y=rate""",
    ),
    "power_curves": (
        lambda: false_alarms.power_curves(RATES),
        """
        line color=test x=advantage y=rate
        rule color=test x=advantage y=_low y2=_high
        point color=test x=advantage y=rate tips=test,advantage,_says
        rule y=_level""",
    ),
    "believed_variance": (
        lambda: false_alarms.believed_variance(
            table("quantity", resamples=2, simulated=1.0, formula=1.0)
        ),
        """
        line color=quantity x=resamples (log) y=formula
        point color=quantity x=resamples (log) y=simulated tips=quantity,resamples,simulated,formula""",
    ),
    "explained": (
        lambda: explained.explained(
            pl.DataFrame({"panel": "a", "clean": [1.0, 2.0], "recorded": [1.0, 3.0]})
        ),
        """
        facet=panel
        rect opacity=_strength x=clean x2=_right y=recorded y2=_top tips=cases
        rule x=-3.0 x2=width y=-3.0 y2=0""",
    ),
    "run_strips": (
        lambda: run_strips.run_strips(
            table("dataset method", test_error=1.0), table("dataset method", printed=1.0)
        ),
        """
        point color=method x=test_error (log) y=dataset yOffset=method tips=dataset,method,test_error
        tick x=mean (log) y=dataset yOffset=method tips=dataset,method,mean,runs
        point x=printed (log) y=dataset yOffset=method tips=dataset,method,printed""",
    ),
}
ASSESSED = {
    "learning_curve": (
        lambda means, expected, pairs: curves.learning_curve(expected),
        """
        rule color=method x=_across (log) y=_low y2=_high
        line color=method strokeDash=_dash x=_across (log) y=value
        point color=method x=_across (log) y=value tips=method,size,value,standard_error""",
    ),
    "learning_curve log": (
        lambda means, expected, pairs: curves.learning_curve(expected, logarithmic=True),
        """
        rule color=method x=_across (log) y=_low y2=_high
        line color=method strokeDash=_dash x=_across (log) y=value (log)
        point color=method x=_across (log) y=value (log) tips=method,size,value,standard_error""",
    ),
    "paired_differences": (
        lambda means, expected, pairs: differences.paired_differences(
            means, pairs, "lin-1", "knn-cv-1"
        ),
        """
        rule x=_zero
        bar x=_low x2=_high y=_row if kind = mean
        point x=difference y=_row tips=task,difference,instance if kind = instance
        tick x=difference y=_row tips=task,difference,standard_error,_says if kind = mean
        text text=_says x=width y=_row if kind = mean""",
    ),
    "paired_instances": (
        lambda means, expected, pairs: differences.paired_instances(
            means.filter(task="toy/t/std.64"), "lin-1", "knn-cv-1"
        ),
        """
        rule x=_low x2=_high y=instance
        point color=method x=mean y=instance tips=method,instance,mean""",
    ),
    "rasmussen": (
        lambda means, expected, pairs: charts.rasmussen(expected, pairs, means=means),
        """
        facet=training_cases
        rect x=0 x2=width y=0 y2=190.0 if _column = 1
        rect x=method (band) y=0 y2=246.0 tips=method,_says,training_cases if kind = expected loss
        rect fillOpacity=_strength x=method (band) y=_low y2=_high \
tips=method,other,_says,training_cases if kind = comparison
        text text=mark x=method (band) y=_middle tips=method,other,_says,training_cases if kind = comparison
        text text=_column x=method (band) y=_middle tips=method,_says,training_cases if kind = expected loss
        tick x=method (band) y=_y tips=method,_says,training_cases if kind = expected loss
        rule x=method (band) y=_low y2=_high tips=method,_says,training_cases if kind = expected loss
        text text=mark x=method (band) y=0 tips=method,_says,training_cases if kind = expected loss
        rule x=0 x2=width y=318.0 if _column = 1
        text x=0 y=259.0 if _column = 1""",
    ),
}


def drawn(chart):
    return [line for line in marks(charts.specification(chart)) if "indexof" not in line]


@pytest.mark.parametrize(("draw", "at"), DRAWN.values(), ids=DRAWN)
def test_each_mark_stands_at_its_columns(draw, at):
    assert drawn(draw()) == [line.strip() for line in at.strip().splitlines()]


@pytest.mark.parametrize(("draw", "at"), ASSESSED.values(), ids=ASSESSED)
def test_each_mark_of_an_assessment_stands_at_its_columns(toy, draw, at):
    frame = toy.losses(2)
    means, (expected, pairs) = assess.instance_means(frame), assess.assessment(frame)
    assert drawn(draw(means, expected, pairs)) == [line.strip() for line in at.strip().splitlines()]
