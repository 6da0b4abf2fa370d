"""What the study's pages compute from archived losses: answers, agreement, effort, plans and the table of verdicts."""

import json
import re

import numpy as np
import polars as pl
import pytest
from scipy import stats

from benchbook import assess
from benchbook.pages import agreement, answers, efforts, learned, neal, planning, tallies, verdicts
from benchbook.studies import RECORD_SCHEMA

LEVELS = {"mlp-bgd-1": 1.0, "mlp-bgd-2": 0.7, "mlp-mc-3": 0.69, "mlp-mc-4": 0.72, "lin-1": 2.0}


def losses(prototask, levels, sizes=neal.SIZES, instances=8, cases=4, spread=0.05, seed=0):
    rng = np.random.default_rng([seed, len(prototask)])
    frames = []
    for size in sizes:
        luck = 0.1 * rng.normal(size=(instances, 1))
        for name, level in levels.items():
            value = level * (1 + luck + spread * rng.normal(size=(instances, cases)))
            frames.append(pl.DataFrame({
                "method": name, "task": f"{prototask}/std.{size}", "instance": np.repeat(np.arange(instances), cases),
                "case": np.arange(instances * cases), "loss": "S", "value": value.ravel(),
                "digest": np.repeat([f"{size}#{number}" for number in range(instances)], cases)}))
    return pl.concat(frames)


def records(prototasks, methods, **told):
    rows = [{**dict.fromkeys(RECORD_SCHEMA, ""), "method": method, "task": f"{name}/std.{size}", "instance": 0,
             "status": "ok", "seconds": size / 64, "cost": json.dumps(told), "cpu": "a processor", "seed": 1}
            for name in prototasks for method in methods for size in neal.SIZES]
    return pl.DataFrame(rows, schema=RECORD_SCHEMA)


@pytest.fixture(scope="module")
def study():
    names = [*neal.PROTOTASKS, *neal.PUBLISHED.values()]
    frame = pl.concat([losses(name, LEVELS, seed=place) for place, name in enumerate(names)])
    told = {"gradient_passes": 60_000, "selected_iterations": [1, 500]}
    return neal.Study(*assess.assessment(frame, "hierarchical"), assess.instance_means(frame, "hierarchical"),
                      records(neal.PROTOTASKS, LEVELS, **told), ())


def numbers(text):
    return [float(found) for found in re.findall(r"\d+(?:\.\d+)?", text)]


# -- answers ----------------------------------------------------------------------------------------------------------

def test_an_answer_counts_the_librarys_comparisons(study):
    one = answers.answer(study.compared, "mlp-bgd-2", "mlp-bgd-1")
    told = study.compared.filter(pl.col("task").str.contains("-sim/"), method="mlp-bgd-2", other="mlp-bgd-1")
    assert one.lines.height == told.height == 30
    assert one.better.height == told.filter((pl.col("p") <= 0.05) & (pl.col("difference") < 0)).height
    assert one.worse.height == told.filter((pl.col("p") <= 0.05) & (pl.col("difference") > 0)).height
    assert one.mean_ratio == pytest.approx(0.7, abs=0.02)


def test_an_interval_excludes_one_exactly_when_p_is_small(study):
    for pair in (("mlp-bgd-2", "mlp-bgd-1"), ("mlp-mc-3", "mlp-mc-4"), ("mlp-mc-3", "mlp-bgd-2")):
        lines = answers.answer(study.compared, *pair).lines
        outside = (lines["high"] < 1.0) | (lines["low"] > 1.0)
        assert outside.to_list() == (lines["p"] <= 0.05).to_list()


def test_the_words_say_the_numbers(study):
    one = answers.answer(study.compared, "mlp-bgd-2", "mlp-bgd-1")
    said = one.words()
    assert "`mlp-bgd-2` has the smaller expected loss on 30 of 30 tasks." in said
    assert "on 30 of them (chance alone would make it so on about 1.5)" in said
    assert "30 times in favour of `mlp-bgd-2`, never of `mlp-bgd-1`" in said
    assert "30 % lower" in said
    back = answers.answer(study.compared, "mlp-bgd-1", "mlp-bgd-2").words()
    assert "smaller expected loss on 0 of 30 tasks" in back
    assert "Against it speak" in back
    assert "27 more" in back


def test_words_for_nothing_and_for_no_difference(study):
    nothing = answers.answer(study.compared, "mlp-bgd-2", "mlp-mc-1")
    assert "cannot compare" in nothing.words()
    assert nothing.verdict() == "no difference shown"
    frame = losses("kin-8nm-sim/dist", {"lin-1": 1.0, "base-1": 1.0}, sizes=(64,), seed=3)
    equal = answers.answer(assess.comparisons(frame), "lin-1", "base-1")
    assert "On none is the difference significant at the 5 % level" in equal.words()


@pytest.mark.parametrize(("ratios", "p", "verdict"), [
    ([0.5, 0.9], [0.01, 0.5], "a"), ([1.5, 0.9], [0.01, 0.5], "b"), ([0.5, 1.9], [0.01, 0.01], "mixed"),
    ([0.5, 0.6, 1.9], [0.01, 0.01, 0.01], "mixed, more often a"), ([0.5], [0.2], "no difference shown")])
def test_the_verdict_in_a_word(ratios, p, verdict):
    assert answers.Answer("a", "b", pl.DataFrame({"ratio": ratios, "p": p})).verdict() == verdict


def test_holm_is_the_definition():
    rng = np.random.default_rng(1)
    for count in (1, 2, 7, 40):
        p = rng.uniform(size=count) ** 6
        rejected, alive = set(), sorted(range(count), key=lambda k: p[k])
        while alive and p[alive[0]] <= 0.05 / len(alive):
            rejected.add(alive.pop(0))
        assert set(np.flatnonzero(tallies.holm(p))) == rejected
    assert tallies.holm(np.zeros(0)).size == 0


def test_holm_keeps_its_promise_where_nothing_is_there():
    """Negative control: 5 % of families have a find, while single tests find something in nearly all of them."""
    p = np.random.default_rng(2).uniform(size=(2000, 100))
    alarms = np.mean([tallies.holm(one).any() for one in p])
    assert 0.03 < alarms < 0.07
    assert (p <= 0.05).any(axis=1).mean() > 0.98


def test_comparisons_are_counted_once(study):
    counted = tallies.many(study.compared)
    assert counted.comparisons == 45 * 10
    both = study.compared.filter(pl.col("p") <= 0.05).height
    assert counted.found == both // 2
    assert counted.by_chance == pytest.approx(22.5)
    assert counted.held <= counted.found <= counted.digits <= counted.comparisons


def test_champions_share_out_the_tasks(study):
    table = tallies.champions(study.expected, list(LEVELS))
    assert table["tasks"].sum() == 30
    assert set(table["method"]) <= {"mlp-bgd-2", "mlp-mc-3", "mlp-mc-4"}
    assert tallies.champions(study.expected, ["lin-1"]).to_dicts() == [{"method": "lin-1", "tasks": 30}]


def test_standing_is_a_ratio_with_wins_and_defeats(study):
    table = answers.standing(study.compared, ["mlp-bgd-1", "mlp-mc-1", "mlp-mc-3"], "mlp-mc-3")
    assert table["method"].to_list() == ["mlp-bgd-1"]
    ratio, wins, defeats = numbers(table["kin-8nm-sim"][0])
    assert ratio == pytest.approx(1 / 0.69, abs=0.05)
    assert (wins, defeats) == (0, 5)


def test_a_reading_names_the_best_by_size(study):
    said = answers.reading(study, neal.FAMILIES["kin"], list(LEVELS))
    for name in neal.FAMILIES["kin"]:
        best = study.expected.filter(task=f"{name}/std.256").sort("mean")["method"][0]
        assert f"`{best}` (256)" in said
    assert "of 50 comparisons" in said
    assert answers.reading(study, ("boston/price",), list(LEVELS)) == ""


def test_answers_are_summed_by_dataset(study):
    one = answers.answer(study.compared, "mlp-bgd-2", "mlp-bgd-1")
    table = one.by_dataset()
    assert table["dataset"].to_list() == [neal.short(name) for name in neal.PROTOTASKS]
    assert table.select("tasks", "lower", "better", "worse").unique().rows() == [(5, 5, 5, 0)]
    first = one.lines.filter(dataset="kin-8nm-sim")["ratio"].to_numpy()
    assert table["ratio"][0] == pytest.approx(np.exp(np.log(first).mean()))
    back = answers.answer(study.compared, "mlp-bgd-1", "mlp-bgd-2").by_dataset()
    assert back.select("lower", "better", "worse").unique().rows() == [(0, 0, 5)]
    assert back["ratio"][0] == pytest.approx(1.0 / table["ratio"][0], rel=1e-9)


def test_the_crowned_are_named():
    table = pl.DataFrame({"method": ["a", "b"], "tasks": [2, 1]})
    assert tallies.crowned(table) == "Of 3 tasks, the least expected loss is had by `a` on 2 and `b` on 1."
    assert tallies.crowned(table.head(0)) == ""


# -- agreement --------------------------------------------------------------------------------------------------------

def test_datasets_that_are_alike_agree(study):
    table = agreement.agreement(study)
    assert table.height == 15
    assert table["methods"].unique().to_list() == [5]
    assert table["correlation"].min() > 0.5
    assert (table["same"] == table["both"]).all()
    assert table["both"].sum() > 60
    whole = agreement.agreement_by_dataset(table)
    assert whole["dataset"].to_list() == ["kin-8nm", "pumadyn-8nm", "bank-8nm"]
    assert "in all of them the same method is the better one" in agreement.words(table)


def test_the_correlation_is_spearmans(study):
    line = agreement.agreement(study).row(0, named=True)
    both = [study.expected.filter(task=f"{name}/std.64").sort("method")["mean"].to_numpy()
            for name in ("kin-8nm-sim/dist", "kin-8nm/dist")]
    ranks = [stats.rankdata(values) for values in both]
    assert line["correlation"] == pytest.approx(np.corrcoef(*ranks)[0, 1])


def test_opposite_datasets_disagree():
    """Negative control: with the methods' losses turned round the agreement is gone."""
    turned = {name: 1.0 / level for name, level in LEVELS.items()}
    frame = pl.concat([losses("kin-8nm-sim/dist", LEVELS), losses("kin-8nm/dist", turned)])
    other = neal.Study(*assess.assessment(frame), assess.instance_means(frame), records([], []), ())
    table = agreement.agreement(other)
    assert table["correlation"].max() < 0.0
    assert table["same"].sum() < 0.2 * table["both"].sum()
    assert "%) the same method" in agreement.words(table)


def test_losses_stand_side_by_side(study):
    points = agreement.losses_side_by_side(study)
    assert points.height == 3 * 5 * 4
    line = points.filter(dataset="kin-8nm", training_cases=64, method="mlp-mc-3").row(0, named=True)
    mean = {row["method"]: row["mean"] for row in study.expected.filter(task="kin-8nm/dist/std.64").to_dicts()}
    assert line["original"] == pytest.approx(mean["mlp-mc-3"] / mean["lin-1"])


def test_without_the_originals_that_is_said():
    frame = losses("kin-8nm-sim/dist", LEVELS)
    alone = neal.Study(*assess.assessment(frame), assess.instance_means(frame), records([], []), ())
    table = agreement.agreement(alone)
    assert table.is_empty()
    assert "no methods that were run both" in agreement.words(table)
    assert agreement.losses_side_by_side(alone).is_empty()


# -- effort -----------------------------------------------------------------------------------------------------------

def test_timing_has_the_papers_form(study):
    table = efforts.timing(study.records)
    assert table.select("methods", "inputs").rows() == [
        ("mlp-bgd-*", 8), ("mlp-bgd-*", 32), ("mlp-mc-*", 8), ("mlp-mc-*", 32)]
    assert table["64"].to_list() == [1.0] * 4
    assert table["1024"].to_list() == [16.0] * 4


def test_the_whole_is_the_sum(study):
    table = efforts.whole(study.records, ["mlp-mc-3", "mlp-bgd-1", "mlp-mc-1"])
    assert table["method"].to_list() == ["mlp-mc-3", "mlp-bgd-1"]
    assert table["runs"].to_list() == [30, 30]
    assert table["minutes"][0] == pytest.approx(6 * 31 / 60)
    assert table["passes"][0] == 60_000
    said = efforts.words(study.records, ["mlp-mc-3", "mlp-bgd-1"])
    assert "One method on its 30 task instances took between 3 min 6 s" in said
    assert "a processor" in said
    assert efforts.together(study.records, ["mlp-mc-3", "mlp-bgd-1"]) == "6 min 12 s"
    assert "does not tell" in efforts.together(study.records, ["mlp-mc-1"])
    assert "no runs" in efforts.words(study.records, ["mlp-mc-1"])
    assert "for 30 runs" in efforts.words(study.records, ["mlp-mc-3"])


def test_failures_are_told(study):
    assert efforts.failures(study.records) == ""
    bad = study.records.head(2).with_columns(status=pl.lit("failed"))
    assert efforts.failures(pl.concat([study.records, bad])) == "Runs that failed: 2 of mlp-bgd-1 on kin-8nm-sim."
    slower = study.records.with_columns(status=pl.lit("failed"), seconds=pl.lit(1e9))
    assert efforts.timing(pl.concat([study.records, slower]))["64"].to_list() == [1.0] * 4


# -- plans ------------------------------------------------------------------------------------------------------------

TASK = "kin-8nm-sim/dist/std.128"


def test_a_spread_is_the_librarys(study):
    one = planning.spread(study.compared, "mlp-mc-3", "mlp-mc-4", TASK)
    line = study.compared.filter(task=TASK, method="mlp-mc-3", other="mlp-mc-4").row(0, named=True)
    assert (one.sd_instances, one.sd_residual, one.base) == (
        line["sd_instances"], line["sd_residual"], line["other_mean"])
    assert one.low <= one.sd_instances <= one.high
    assert (one.instances, one.cases) == (8, 4)
    assert one.power(one.detectable(), 8, 4) == pytest.approx(0.8)
    assert one.power(0.0, 8, 4) == pytest.approx(0.05)
    assert one.detectable(32) < one.detectable() < one.detectable(8, 2)


def test_the_interval_covers_the_truth_nine_times_of_ten():
    rng = np.random.default_rng(5)
    squares = assess.simulate_losses(rng, 8, 64, 0.5, 0.0, 1.0, replications=2000).mean(axis=2).var(axis=1, ddof=1)
    ends = np.array([planning._interval(square, 1.0 / 64, 7) for square in squares])
    inside = (ends[:, 0] <= 0.5) & (ends[:, 1] >= 0.5)
    assert inside.mean() == pytest.approx(0.9, abs=0.025)


def test_no_spread_where_there_is_no_comparison(study):
    assert planning.spread(study.compared, "mlp-mc-3", "mlp-mc-1", TASK) is None
    twins = pl.concat([losses("kin-8nm-sim/dist", {name: 1.0}, sizes=(128,)) for name in ("a", "b")])
    assert planning.spread(assess.comparisons(twins), "a", "b", TASK) is None
    assert planning.spreads(study.compared, [("mlp-mc-3", "mlp-mc-1", TASK)]) == []
    assert planning.surface([], [0.1], [8], [64]).is_empty()


def test_a_surface_is_the_power_of_every_design(study):
    one = planning.spread(study.compared, "mlp-mc-3", "mlp-mc-4", TASK)
    table = planning.surface([one], [0.01, 0.1], [2, 8], [64, 512])
    assert table.height == 8
    for line in table.iter_rows(named=True):
        assert line["power"] == pytest.approx(one.power(line["share"], line["instances"], line["cases"]))
        assert line["most"] * (128 + line["cases"]) <= planning.POOL < (line["most"] + 1) * (128 + line["cases"])


def test_the_pool_is_used_as_well_as_can_be(study):
    one = planning.spread(study.compared, "mlp-mc-3", "mlp-mc-4", TASK)
    best = planning.pool(one, 0.02)
    assert best["instances"] * (128 + best["cases"]) <= planning.POOL < best["instances"] * (129 + best["cases"])
    rivals = {count: one.power(0.02, count, planning.POOL // count - 128) for count in range(2, 64)}
    assert best["power"] == pytest.approx(max(rivals.values()))
    assert best["eight"] == pytest.approx(rivals[8])
    good = [count for count, power in rivals.items() if power >= 0.95 * best["power"]]
    assert (best["least"], best["most"]) == (good[0], good[-1])


def test_what_the_design_could_see(study):
    table = planning.visible(study.compared, "mlp-bgd-2", "mlp-bgd-1")
    assert table.height == 30
    assert table["found"].to_list() == pytest.approx([-0.3] * 30, abs=0.08)
    assert (table["visible"] > 0).all()


# -- verdicts in a table ----------------------------------------------------------------------------------------------

def test_every_statement_has_its_line(study):
    found = learned.outcomes(study)
    everything = learned.flat(found)
    counted = len(everything) - len(learned.emended(found))
    assert sum(learned.tally(found).values()) == counted < len(everything)
    assert numbers(learned.summary(found))[0] == counted
    for group, several in found.items():
        text = learned.evidence_table(several, several, group).text
        assert all(one.statement.words in text for one in several)
        assert text.count("(Emended: ") == len([one for one in several if one.statement.emended])
    said = {one.statement.key: (one.verdict, learned.evidence(one), learned.why(one)) for one in everything}
    assert said["bgd-2"][0] == "reproduced"
    assert said["bgd-2"][1] == "30 for, 0 against, 0 open; 30 for, 0 against, 0 open (asked: ratio below 1.25)"
    assert "Median ratio of expected losses 0.70." in said["bgd-2"][2]
    assert said["stop-first"] == ("reproduced", "60 of 60 (100 %)", "Counted are runs with a network of one iteration.")
    assert said["bank-linear"][0] == "not reproduced"
    assert "Too few" in said["bank-linear"][2] or "Furthest" in said["bank-linear"][2]
    assert said["kin-samplers"][0] == "not reproduced"  # mlp-mc-4 is a little worse than mlp-bgd-2 here
    assert "Furthest from it: mlp-mc-4 and mlp-bgd-2 on kin" in said["kin-samplers"][2]
    assert said["long-helps"][0] == "not tested"
    assert "bgd-3" not in {key for key, one in said.items() if one[0] == "reproduced"}
    assert learned.named(found, "not reproduced").count(";") + 1 == learned.tally(found)["not reproduced"]
    assert learned.named({}, "undecided") == "none"


def test_an_open_question_tells_what_could_have_been_seen():
    frame = pl.concat([losses(name, {"mlp-bgd-1": 1.0, "mlp-bgd-2": 1.0}, seed=8) for name in neal.FAMILIES["kin"]])
    means = assess.instance_means(frame)
    one = next(one for one in learned.STATEMENTS["kin"] if one.key == "kin-bgd-2")
    outcome = verdicts.judge(one, means, records([], []))
    assert outcome.verdict == "undecided"
    said = learned.why(outcome)
    assert "The open comparisons could have shown departures of" in said
    assert "To be kept in mind: the data is re-created." in said


def test_the_chart_gets_the_first_part_of_what_is_compared(study):
    frame, order = learned.marks(learned.outcomes(study))
    assert set(frame["statement"]) <= {key for key, _, _ in order}
    assert "bgd-2" in set(frame["statement"])
    assert not {"stop-early", "long-noise"} & {key for key, _, _ in order}
    assert frame.filter(statement="bgd-2").height == 30
    assert all(label.partition(": ")[0] in learned.STATEMENTS for _, label, _ in order)


def test_the_rules_are_shown():
    text = learned.rules().text
    assert "mlp-bgd-2" in text
    assert "0.8 × " in text
    assert "networks chosen before the last iteration" in text


def test_with_shuffled_names_little_is_reproduced(study):
    """Negative control of the whole table: only what asks for no difference may still hold."""
    rng = np.random.default_rng(1)
    before, after = (learned.outcomes(one) for one in (study, learned.shuffled(study, rng)))
    asking = [one.statement.key for one in learned.flat(before)
              if not any(part.counted or part.least == 0.0 for part in one.statement.parts)
              and all(source.factor <= 1.0 for part in one.statement.parts for source in part.sources)]
    held = [[one.statement.key for one in learned.flat(found)
             if one.verdict == "reproduced" and one.statement.key in asking] for found in (before, after)]
    assert len(held[0]) >= 4
    assert len(held[1]) <= 1
    dealt = learned.shuffled(study, rng).means
    assert dealt["mean"].to_list() == study.means.sort("task", "loss", "instance", "method")["mean"].to_list()
    assert dealt.group_by("task", "instance").agg(pl.col("method").n_unique())["method"].unique().to_list() == [5]


def test_pairing_saves_instances():
    frame = losses("kin-8nm-sim/dist", {"a": 1.0, "b": 1.0}, sizes=(64,))
    expected, compared = assess.assessment(frame)
    errors = expected["standard_error"]
    t = compared.filter(method="a").row(0, named=True)
    wanted = (errors[0] ** 2 + errors[1] ** 2) / (t["difference"] / t["statistic"]) ** 2
    assert learned.pairing(compared, expected) == pytest.approx(wanted)
    assert wanted > 2
    assert learned.pairing(compared.head(0), expected) is None


def test_reversals_between_sizes_are_counted():
    lines = [("x/t/std.64", "a", "b", -1.0, 0.01), ("x/t/std.128", "a", "b", 1.0, 0.01),
             ("x/t/std.64", "a", "c", 1.0, 0.01), ("x/t/std.128", "a", "c", 1.0, 0.9),
             ("y/t/std.64", "a", "b", 1.0, 0.5)]
    table = pl.DataFrame(lines, schema=["task", "method", "other", "difference", "p"], orient="row")
    assert learned.turning(table) == (2, 1)
