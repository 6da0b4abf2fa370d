"""Every statement of a comparison in words is true of its table: 2,000 random results, each sentence taken apart.

A result is drawn, its headline is cut into statements by a grammar, and each statement is checked against the rows of
``pairs`` and ``table`` that it speaks of: names, sign, size, interval, verdict, p. What no rule of the grammar reads is
a failure, and so is a result that should have been spoken of and was not.
"""

import html
import re
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from results_by_hand import NAN, mean_of, pair_of, result
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score

import benchbook
from benchbook.assess.decisions import PairTest
from benchbook.assess.designs import Design
from benchbook.assess.spread import Spread
from benchbook.comparison import footnotes, losses, shown
from benchbook.comparison.alarms import Alarm
from benchbook.comparison.measure import LossInfo
from benchbook.show.grids import tex

GUESS = "constant guess"
NAMES = ["ols", "ridge_1", "forest", "knn&5", "svm-50%", "lin.2", "tree", "gp{3}", "a_b"]
INFOS = (
    LossInfo("absolute", "absolute error", "EUR"),
    LossInfo("zero_one", "misclassification rate"),
    LossInfo("r2", "r2", "", False, True),
    LossInfo("log", "log loss", "nats"),
    LossInfo("exact", "exact match", "", True, True),
)
DESIGNS = (
    Design("folds", 10, 3, train_size=100.0, test_to_train=1 / 9),
    Design("holdout", 1),
    Design("time", 5, train_size=40.0, test_to_train=0.3),
    Design("groups", 10, test_to_train=1 / 9, groups=12),
)


# -- results at random ------------------------------------------------------------------------------------------------


def drawn(seed):
    """A random result: any number of methods, ties, infinite losses, missing tests, stopped runs, alarms, failures."""
    rng = np.random.default_rng(seed)
    methods = [str(name) for name in rng.permutation(NAMES)[: rng.integers(1, 9)]]
    failed = [name for name in methods if rng.random() < 0.07] if rng.random() < 0.8 else methods
    if rng.random() < 0.03:
        failed = methods
    compared = [name for name in methods if name not in failed]
    compared += [GUESS] if rng.random() < 0.8 or not compared else []
    infos = [INFOS[at] for at in rng.permutation(len(INFOS))[: rng.integers(1, 4)]]
    wanted = int(rng.choice([1, 3, 10, 30]))
    stopped = rng.random() < 0.08
    alarms = [Alarm("BB08", "ols warned")] if rng.random() < 0.1 else []
    alarms += [Alarm("BB03", "too good", True)] if rng.random() < 0.05 else []
    reference = str(rng.choice(compared)) if rng.random() < 0.5 else None
    return result(
        [_table(rng, compared, info) for info in infos],
        infos=infos,
        rope=float(rng.choice([0.0, 0.01, 0.05, 0.5])),
        rope_words=str(rng.choice(["", "1 % of the constant guess's loss"])),
        reference=reference,
        rounds=int(rng.integers(1, wanted + 1)) if stopped else wanted,
        wanted=wanted,
        alarms=alarms,
        errors={
            name: str(rng.choice(["ValueError: Input X contains NaN.", "E"])) for name in failed
        },
        design=DESIGNS[rng.integers(len(DESIGNS))],
        cases=None if rng.random() < 0.2 else 1200,
        times=rng.random() < 0.8,
        methods=None if rng.random() < 0.2 else dict.fromkeys(methods),
        settings={"reference": reference},
    )


def _table(rng, names, info):
    """Means and pairs of one loss: equal, near, or far apart for their standard errors."""
    spread = float(rng.choice([0.0, 0.02, 0.2, 2.0]))
    means = {name: float(0.5 + spread * rng.random()) for name in names}
    if info.higher:
        means = {name: 0.4 - mean for name, mean in means.items()}
    for name in names:
        if rng.random() < 0.05:
            means[name] = means[names[0]]
        elif rng.random() < 0.05:
            means[name] = float("inf")
    error = float(rng.choice([0.001, 0.02, 0.2]))
    pairs = []
    for name, other in combinations(names, 2):
        gap = means[name] - means[other]
        reason = "rows depend" if rng.random() < 0.05 else ""
        own = error * float(rng.uniform(0.3, 3.0))
        if not np.isfinite(gap):
            pairs.append(
                PairTest(name, other, Spread(NAN, NAN, 0.0, "t"), "infinite losses", False)
            )
        elif gap == 0.0 and rng.random() < 0.5:
            pairs.append(
                PairTest(name, other, Spread(0.0, 0.0, 9.0, "t"), "the same losses", False)
            )
        else:
            pairs.append(
                pair_of(means, name, other, own, 9.0, reason, not reason or rng.random() < 0.5)
            )
    rng.shuffle(pairs)
    return [mean_of(name, mean, error) for name, mean in means.items()], pairs


# -- what a text says -------------------------------------------------------------------------------------------------

NUMBER = r"[−]?(?:\d[\d,]*(?:\.\d+)?(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?|∞)"
AMOUNT = rf"{NUMBER}(?: (?:EUR|nats|%))?"
SHARE = r"[<>]? ?[\d.]+ %"
NAME = "|".join(map(re.escape, [*NAMES, GUESS]))
LIST = rf"(?:{NAME})(?:, (?:{NAME}))*(?: and (?:{NAME}))?"
TITLE = "|".join(re.escape(info.title) for info in INFOS)
GAP = rf"(?P<gap>{AMOUNT})(?: \(95 % interval (?P<low>{NUMBER}) to (?P<high>{NUMBER})(?P<alone>, uncorrected)?\))?"
ROPE = rf"(?:the (?P<rope>{AMOUNT}) that matters|(?P<rope2>{AMOUNT}) \(1 % of the constant guess's loss\))"
BEST = (
    rf"(?P<best>{NAME}) has the (?P<first>smallest|highest) (?:{TITLE}) (?:of both|of (?P<count>\d) methods), "
    rf"(?P<mean>{AMOUNT})"
)
SAME = (
    rf"(?P<best>{NAME}) and (?P<other>{NAME}) have the same (?:{TITLE}), (?P<mean>{AMOUNT})(?:, the "
    r"(?P<first>smallest|highest) of (?P<count>\d) methods)?"
)
MATTERS = rf"(?:, and (?P<rope>{AMOUNT})(?: \(1 % of the constant guess's loss\))? would matter)?\."
HOLM = r"(?: after Holm's correction \((?P<p>p [=<] [\d.]+(?:e-\d+)?)\))?"
UNTESTED = r"The difference was not tested: (?P<why>[a-z ]+)\."
GRAMMAR = {
    "withheld": r"No winner is named\.(?: Only \d+ of \d+ rounds of fits were completed; a verdict needs \d\.)?",
    "no error": rf"(?P<names>{LIST}) made no error in 1,200 cases; that leaves any error rate below 0\.25 % possible\.",
    "infinite": rf"(?P<names>{LIST}) (?:has|have) no finite (?:{TITLE})\.",
    "nothing": r"Nothing could be compared\.",
    "untested": rf"{BEST}; (?P<other>{NAME}) has (?P<other_mean>{NUMBER}|no finite one)\. {UNTESTED}",
    "same untested": rf"{SAME}\. {UNTESTED}",
    "as good": rf"(?P<best>{NAME}) and (?P<other>{NAME}) do equally well, (?P<mean>{NUMBER}) and "
    rf"(?P<other_mean>{AMOUNT}): "
    rf"they differ by {GAP}, and the probability that the difference is less than {ROPE} is (?P<same>{SHARE})\.",
    "worse": rf"{BEST}; (?P<other>{NAME}) is (?P<word>worse|lower) by {GAP}, and the probability that (?:this "
    rf"is more than "
    rf"{ROPE}|it is worse) is (?P<worse>{SHARE})\.",
    "perhaps": rf"{BEST}; (?P<other>{NAME}) is (?P<word>worse|lower), but perhaps by less than matters: they differ by "
    rf"{GAP}{MATTERS}",
    "open": rf"{BEST}, but (?P<other>{NAME}) is not significantly different{HOLM}: they differ by {GAP}{MATTERS}",
    "same open": rf"{SAME}, and they are not significantly different: they differ by {GAP}{MATTERS}",
    "rest": r"Of the others, (?P<parts>.+?)\.(?= |$)",
    "alone": rf"(?P<best>{NAME}) has an? (?:{TITLE}) of (?P<mean>{AMOUNT})(?: \(95 % interval (?P<low>{NUMBER}) to "
    rf"(?P<high>{NUMBER})\))?(?:; a constant guess (?:is (?P<word>worse|lower) by (?P<gap>{AMOUNT}) \(95 % interval "
    rf"(?P<gap_low>{NUMBER}) to (?P<gap_high>{NUMBER})\)|has (?P<guess>{NUMBER})\. {UNTESTED[:-2]}))?\.",
    "none": rf"(?:(?P<subject>No method|Every method|{NAME}) is(?P<not> not)? (?P<claim>shown to be "
    rf"better|worse) than a "
    rf"constant guess), which has an? (?:{TITLE}) of (?P<guess>{AMOUNT}); (?:the best, (?P<best>{NAME}),|it) has "
    rf"(?P<mean>{NUMBER})(?:: (?P<side>better|worse) by {GAP}, which is (?P<significant>significant|not significant)"
    rf"{HOLM}|\. {UNTESTED[:-2]})\.",
    "best and guess": rf"A constant guess has (?P<guess>{AMOUNT}); whether (?P<best>{NAME}) is better was not tested\.",
    "best not better": rf"(?P<best>{NAME}) is not shown to be better than a constant guess, which has "
    rf"(?P<guess>{AMOUNT}): "
    rf"worse by {GAP}\.",
    "reference": rf"Compared with the reference, (?P<reference>a constant guess|{NAME}): (?P<parts>.+?)\.(?= |$)",
    "failed": rf"(?P<best>{NAME}) is not compared: it failed on 1 of \d+ splits? \((?P<error>E|ValueError: "
    rf"Input X contains "
    rf"NaN\.)\)\.",
    "help": r"SimpleImputer\(\) in a pipeline fills in what is missing, and histogram boosting takes it as it is\.",
}
WORDS = {"undecided": "open", "not tested": "no test", "as good as the best": "as good"}


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("**", "")


def statements(text):
    """The statements of a text in their order: the rule that reads each and what it found; nothing is left over."""
    found, rest = [], plain(text)
    while rest:
        for name, rule in GRAMMAR.items():
            if match := re.match(rule, rest):
                found.append((name, match.groupdict()))
                rest = rest[match.end() :].strip()
                break
        else:
            raise AssertionError(f"no rule reads: {rest}")
    return found


def grouped(parts):
    """Verdicts by method of "a and b are worse and c is undecided"."""
    said = {}
    while parts:
        match = re.match(rf"({LIST}) (?:is|are) ([a-z ]+?)(?:(?:, | and )(?={NAME})|$)", parts)
        assert match, parts
        names = re.split(", | and ", match[1])
        said |= dict.fromkeys(names, WORDS.get(match[2], match[2]))
        parts = parts[match.end() :]
    return said


def says(text, value, factor=1.0):
    """Whether a number in a text is the value, as far as its digits go."""
    if text is None or value is None:
        return text is None and value is None
    digits = re.sub(r" (EUR|nats|%)$", "", plain(text)).replace("−", "-").replace(",", "")
    base, _, power = digits.partition(" × 10")
    scale = (
        10.0 ** int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))) if power else 1.0
    )
    places = len(base.partition(".")[2])
    return abs(float(base) * scale - value * factor) <= 0.5001 * scale * 10.0**-places + 1e-12


def probably(text, value):
    """Whether a share in a text is the probability."""
    if text is None:
        return True
    number = float(re.sub(r"[<>% ]", "", text)) / 100
    if text[0] in "<>":
        return value < 0.0005 if text[0] == "<" else value > 0.9995
    return abs(number - value) <= 0.00501


def holds(probabilities):
    """Those for which Holm's steps at 5 % reject, by name."""
    order, found = sorted(probabilities, key=probabilities.get), set()
    for at, name in enumerate(order):
        if probabilities[name] * (len(order) - at) > 0.05:
            break
        found.add(name)
    return found


class Truth:
    """The rows that a text has to agree with, by an own way from the tables to a pair."""

    def __init__(self, made):
        self.made, self.code, self.pairs = made, made.codes[0], made.pairs.to_dicts()
        self.rows = [row for row in made.table.to_dicts() if row["loss"] == self.code]
        self.methods = [row for row in self.rows if row["method"] != GUESS]
        self.higher = made.loss_info[self.code].higher
        self.word = "lower" if self.higher else "worse"

    def factor(self, code=None):
        return 100.0 if (code or self.code) == "zero_one" else 1.0

    def pair(self, method, other, code=None):
        for row in self.pairs:
            if row["loss"] != (code or self.code):
                continue
            if (row["method"], row["other"]) == (method, other):
                return row
            if (row["other"], row["method"]) == (method, other):
                names = ("difference", "low", "high")
                gap, low, high = (None if row[name] is None else -row[name] for name in names)
                turned = {
                    "method": method,
                    "other": other,
                    "difference": gap,
                    "low": high,
                    "high": low,
                }
                better = {"prob_worse": row["prob_better"], "prob_better": row["prob_worse"]}
                return row | turned | better
        raise AssertionError(f"no pair {method}, {other}")

    def mean(self, method):
        value = next(row["mean"] for row in self.rows if row["method"] == method)
        return -value if self.higher and value is not None else value

    def claim(self, row):
        """What is claimed of a pair with the reference that was asked for, by Holm's steps over all of its pairs."""
        reference = self.made.settings["reference"]
        if reference not in (row["method"], row["other"]):
            return "as good" if row["prob_same"] >= 0.95 else ""
        method = row["method"] if row["other"] == reference else row["other"]
        others = [item["method"] for item in self.rows if item["method"] != reference]
        pairs = {name: self.pair(name, reference) for name in others}
        tested = {name: one for name, one in pairs.items() if one["p"] is not None}
        if method in holds({name: 1 - one["prob_same"] for name, one in tested.items()}):
            return "as good"
        margin = self.made.rope[self.code] > 0 and row["other"] == reference
        not_worse = holds({name: one["prob_worse"] for name, one in tested.items()})
        return "not worse" if margin and method in not_worse else ""

    def verdict(self, row):
        if row["p"] is None:
            return "no test"
        claim = self.claim(row)
        if claim == "as good":
            return "as good"
        for word in ("worse", "better"):
            if row[f"prob_{word}"] >= 0.95 and row["p_holm"] <= 0.05:
                return word
        if claim:
            return claim
        return "open"

    def better_than_guess(self):
        """Those significantly better than the constant guess, and whether all were tested."""
        pairs = [(row["method"], self.pair(row["method"], GUESS)) for row in self.methods]
        sure = [
            name
            for name, row in pairs
            if row["p"] is not None and row["p_holm"] <= 0.05 and row["difference"] < 0
        ]
        return sure, all(row["p"] is not None for _, row in pairs)


def check_pair(truth, said, method, other):
    """Gap, interval, probabilities and p of what was said are those of method minus other."""
    row, factor = truth.pair(method, other), truth.factor()
    assert says(said["gap"], row["difference"], factor)
    assert says(said["low"], row["low"], factor)
    assert says(said["high"], row["high"], factor)
    assert bool(said.get("alone")) == (row["p"] <= 0.05 < row["p_holm"])
    for ours, column in (("worse", "prob_worse"), ("same", "prob_same")):
        assert probably(said.get(ours), row[column])
    assert said.get("word") in (None, truth.word)
    for rope in (said.get("rope"), said.get("rope2")):
        assert rope is None or says(rope, truth.made.rope[truth.code], factor)
    if said.get("p"):
        assert (
            says(said["p"][4:], row["p_holm"]) or said["p"].startswith("p <") or "e-" in said["p"]
        )
    return row


def check_pair_statement(truth, kind, said):
    best, second = (row["method"] for row in truth.methods[:2])
    assert {said["best"], said["other"]} == {best, second}
    assert said["best"] == best
    assert says(said["mean"], truth.mean(best), truth.factor())
    if said.get("other_mean") == "no finite one":
        assert truth.mean(second) is None
    elif "other_mean" in said:
        assert says(said["other_mean"], truth.mean(second), truth.factor())
    assert said.get("first") in (None, "highest" if truth.higher else "smallest")
    assert said.get("count") in (None, str(len(truth.methods)))
    row = truth.pair(second, best)
    assert ("same" in kind) == (row["difference"] == 0 and kind != "as good")
    if "untested" in kind:
        assert row["p"] is None
        assert said["why"] == row["p_missing_reason"]
        return
    check_pair(truth, said, second, best)
    verdict, sure = truth.verdict(row), row["p_holm"] <= 0.05
    assert (kind in ("as good", "worse")) == (verdict in ("as good", "worse"))
    assert kind not in ("as good", "worse") or kind == verdict
    assert kind != "perhaps" or sure
    assert "open" not in kind or not sure
    assert bool(said.get("p")) == ("open" in kind and row["p"] <= 0.05 < row["p_holm"])


def check_none(truth, said):
    sure, tested = truth.better_than_guess()
    assert not sure
    assert tested or truth.rows[0]["method"] == GUESS
    best = truth.methods[0]["method"]
    row, factor = truth.pair(best, GUESS), truth.factor()
    assert said["best"] in (None, best)
    assert said["subject"] in ("No method", "Every method") or [said["subject"]] == [best]
    assert (said["subject"] == best) == (len(truth.methods) == 1)
    assert says(said["guess"], truth.mean(GUESS), factor)
    assert says(said["mean"], truth.mean(best), factor)
    pairs = [truth.pair(item["method"], GUESS) for item in truth.methods]
    all_worse = all(
        one["p"] is not None and one["p_holm"] <= 0.05 and one["difference"] > 0 for one in pairs
    )
    assert (said["claim"] == "worse") == all_worse
    assert bool(said["not"]) == (len(pairs) == 1 and not all_worse)
    if said["why"]:
        assert row["p"] is None
        return
    better = row["difference"] < 0
    assert (said["side"] == "better") == better
    check_pair(truth, said, *((GUESS, best) if better else (best, GUESS)))
    assert (said["significant"] == "significant") == (row["p_holm"] <= 0.05)


def check_alone(truth, said):
    (row,) = truth.methods
    assert said["best"] == row["method"]
    assert says(said["mean"], truth.mean(row["method"]), truth.factor())
    ends = (row["low"], row["high"])
    if truth.higher and row["low"] is not None:
        ends = (-row["high"], -row["low"])
    assert says(said["low"], ends[0], truth.factor())
    assert says(said["high"], ends[1], truth.factor())
    guess = [item for item in truth.rows if item["method"] == GUESS and item["mean"] is not None]
    assert bool(guess) == bool(said["gap"] or said["guess"])
    if said["gap"]:
        pair = truth.pair(GUESS, row["method"])
        assert said["word"] == truth.word
        assert pair["p_holm"] <= 0.05
        assert pair["difference"] > 0
        assert says(said["gap"], pair["difference"], truth.factor())
        assert says(said["gap_low"], pair["low"], truth.factor())
        assert says(said["gap_high"], pair["high"], truth.factor())
    if said["guess"]:
        assert truth.pair(GUESS, row["method"])["p"] is None
        assert says(said["guess"], truth.mean(GUESS), truth.factor())


def check_rest(truth, said):
    best = truth.methods[0]["method"]
    expected = {
        row["method"]: truth.verdict(truth.pair(row["method"], best)) for row in truth.methods[2:]
    }
    assert grouped(said["parts"]) == expected


def check_reference(truth, said):
    name = GUESS if said["reference"] == "a constant guess" else said["reference"]
    assert name != truth.rows[0]["method"]
    expected = {
        row["method"]: truth.verdict(truth.pair(row["method"], name))
        for row in truth.methods
        if row["method"] != name
    }
    assert grouped(said["parts"]) == expected


def check_best_and_guess(truth, kind, said):
    best = truth.methods[0]["method"]
    row = truth.pair(best, GUESS)
    assert said["best"] == best
    assert says(said["guess"], truth.mean(GUESS), truth.factor())
    if kind == "best and guess":
        assert row["p"] is None
        return
    assert row["p_holm"] > 0.05
    check_pair(truth, said, GUESS, best)


def expected_kinds(truth):
    """The kinds of statements that a result has to make, in their order."""
    made, pairs = (
        truth.made,
        ["untested", "same untested", "as good", "worse", "perhaps", "open", "same open"],
    )
    finite = [row for row in truth.methods if row["mean"] is not None]
    guess = any(row["method"] == GUESS and row["mean"] is not None for row in truth.rows)
    if made.withheld or (truth.methods and not finite):
        zero = any(row["mean"] == 0 and row["method"] != GUESS for row in made.rows("zero_one"))
        kinds = [["withheld"], ["no error"]] if made.severe and zero else [["withheld"]]
        kinds += [] if made.withheld else [["infinite"]]
    elif not truth.methods:
        kinds = [["nothing"]]
    else:
        sure, tested = truth.better_than_guess() if guess else ([], False)
        if guess and not sure and (tested or truth.rows[0]["method"] == GUESS):
            kinds = [["none"]]
        elif len(truth.methods) == 1:
            kinds = [["alone"]]
        else:
            kinds = [pairs] + [["rest"]] * (len(truth.methods) > 2)
            if guess and finite[0]["method"] not in sure:
                kinds.append(["best and guess", "best not better"])
    reference = next((row["method"] for row in truth.rows if row["verdict"] == "reference"), None)
    if (
        reference
        and not made.withheld
        and [row for row in truth.methods if row["method"] != reference]
    ):
        kinds.append(["reference"])
    kinds += [["failed"]] * len(made.errors)
    if any("NaN" in faults[0][1] for faults in made.errors.values()):
        kinds.append(["help"])
    return kinds


def check_headline(made):
    truth, said = Truth(made), statements(made.headline)
    expected = expected_kinds(truth)
    assert len(said) == len(expected), (made.headline, expected)
    for (kind, words), allowed in zip(said, expected, strict=True):
        assert kind in allowed, (made.headline, allowed)
        if (
            "gap" in words and kind not in ("none", "alone", "best not better")
        ) or "untested" in kind:
            check_pair_statement(truth, kind, words)
        elif kind == "none":
            check_none(truth, words)
        elif kind == "alone":
            check_alone(truth, words)
        elif kind == "rest":
            check_rest(truth, words)
        elif kind == "reference":
            check_reference(truth, words)
        elif kind in ("best and guess", "best not better"):
            check_best_and_guess(truth, kind, words)
        elif kind == "failed":
            assert words["error"] == made.errors[words["best"]][0][1]


ORDER = re.compile(
    rf"(?P<title>{TITLE}): (?:(?P<none>no finite value)|(?P<same>same order)|(?P<tied>the same for "
    rf"all)|(?P<too>{NAME}) first too, the "
    rf"others in another "
    rf"order|(?P<first>{NAME}) first, ahead of (?P<best>{NAME}) by (?P<gap>{AMOUNT}) \((?P<sure>[a-z ]+)\))"
    rf"(?: \(without (?P<without>{LIST})\))?"
)


def check_other_losses(made):
    truth, text = Truth(made), plain(footnotes.other_losses(made))
    if made.withheld:
        assert text == ""
        return
    said = [ORDER.fullmatch(part) for part in text.split(" · ")] if text else []
    assert len(said) == len(made.codes) - 1, text
    assert all(said), text
    for code, match in zip(made.codes[1:], said, strict=True):
        means = {row["method"]: row["mean"] for row in made.table.to_dicts() if row["loss"] == code}
        both = [
            row["method"]
            for row in truth.rows
            if row["mean"] is not None and means[row["method"]] is not None
        ]
        assert match["title"] == made.loss_info[code].title
        ranked = [means[name] for name in both]
        assert bool(match["none"]) == (not both)
        assert bool(match["tied"]) == (len(both) > 1 and len(set(ranked)) == 1)
        assert bool(match["same"]) == (
            bool(both) and ranked == sorted(ranked) and not match["tied"]
        )
        if match["too"]:
            assert match["too"] == both[0]
            assert means[both[0]] == min(ranked)
        if match["first"]:
            assert match["best"] == both[0]
            assert means[match["first"]] == min(ranked) < means[both[0]]
            row = truth.pair(match["best"], match["first"], code)
            assert says(match["gap"], row["difference"], truth.factor(code))
            sure = (
                "not tested"
                if row["p"] is None
                else "significant"
                if row["p_holm"] <= 0.05
                else "not significantly different"
            )
            assert match["sure"] == sure


SEED = re.compile(
    rf"another shuffling of the folds would put (?P<best>{NAME}) first in about (?P<first>\d+) of 100"
    r"(?:, and find the same differences significant in about (?P<significant>\d+) of 100)?\."
)


def check_another_seed(made):
    """Of folds that were made several times, the method and the shares that were found."""
    truth, text = Truth(made), plain(footnotes.another_seed(made))
    finite = [row for row in truth.methods if row["mean"] is not None]
    if made.withheld or made.plan.design.repeats < 2 or len(finite) < 2:
        assert text == ""
        return
    said, found = SEED.fullmatch(text), made.stability
    assert said["best"] == truth.methods[0]["method"]
    assert int(said["first"]) == min(99, round(100 * found.first))
    reference = made.settings["reference"]
    own = [row for row in truth.pairs if reference in (None, row["method"], row["other"])]
    tested = any(row["p"] is not None for row in own if row["loss"] == truth.code)
    assert bool(said["significant"]) == tested
    if tested:
        assert int(said["significant"]) == min(99, round(100 * found.significant))


def check_lines(made):
    """Every line of the table shows the row of the table against the reference, in HTML, text and LaTeX."""
    truth = Truth(made)
    reference = next(
        (row["method"] for row in truth.rows if row["verdict"] in ("best", "reference")), None
    )
    for line in shown.lines(made):
        if line.row is None or made.withheld:
            assert line.worse_by == line.interval == line.probability == ""
            continue
        assert says(
            line.loss if line.loss != "–" else None, truth.mean(line.method), truth.factor()
        )
        if line.method == reference:
            assert line.verdict in ("best", "reference")
            assert line.worse_by == ""
            continue
        row = truth.pair(line.method, reference)
        assert line.verdict == truth.verdict(row)
        if row["difference"] is not None:
            assert says(line.worse_by, row["difference"], truth.factor())
            better = "prob_better" if row["difference"] < 0 else "prob_worse"
            if line.verdict == "open":
                assert line.probability == ""
                continue
            assert probably(line.probability if row[better] is not None else None, row[better])


def check_forms(made):
    """The same words, lines and heads in a terminal, in a notebook and in LaTeX."""
    truth, text, page = (
        Truth(made),
        repr(made),
        re.sub("<style>.*?</style>", "", made._repr_html_()),
    )
    page = " ".join(html.unescape(re.sub("<[^>]+>", " ", page)).split())
    for words in (made.headline, *footnotes.footnotes(made).values()):
        assert squeezed(words) in squeezed(text)
        assert squeezed(words) in squeezed(page)
    assert squeezed(footnotes.how_to_read(made)) in squeezed(page)
    corrected = sum(row["p"] is not None for row in truth.pairs if row["loss"] == truth.code)
    if made.settings["reference"] is not None:
        corrected = sum(row["p"] is not None for row in truth.rows)
    assert f"Holm's correction over {corrected} pair" in footnotes.how_to_read(made)
    named = {row["verdict"] for row in truth.rows if row["verdict"] == "reference"}
    disagree = [
        row for row in truth.rows if row["p"] is not None and row["p"] <= 0.05 < row["p_holm"]
    ]
    caption, _, table = made.to_latex().partition("\\toprule")
    for form in (text.partition(made.headline[-20:])[2] or text, table):
        for line in shown.lines(made):
            assert line.row is None or squeezed(
                tex(line.method) if form is table else line.method
            ) in squeezed(form)
    assert bool(named) == (" than " in table.partition("midrule")[0])
    assert bool(disagree) == ("uncorrected" in table.partition("midrule")[0])
    assert (made.sentence == "") == made.severe == ("see the warnings" in caption)
    assert made.severe or tex(made.sentence) in caption


def squeezed(words):
    return re.sub(r"[\s`*\N{NO-BREAK SPACE}]+", "", words)


@pytest.mark.parametrize("block", range(40))
def test_each_statement_of_a_random_result_is_true_of_its_table(block):
    for seed in range(50 * block, 50 * block + 50):
        made = drawn(seed)
        try:
            check_headline(made)
            check_other_losses(made)
            check_another_seed(made)
            check_lines(made)
            if seed % 10 == 0:
                check_forms(made)
        except AssertionError as error:
            raise AssertionError(f"result {seed}: {made.headline}") from error


def test_smoothing_is_said_with_its_amount_where_log_loss_is_smoothed():
    rng = np.random.default_rng(8)
    inputs, target = rng.normal(size=(60, 2)), np.repeat([0, 1, 2], 20)
    model = {"logistic": LogisticRegression()}
    options = {"effort": "quick", "progress": False}
    made = benchbook.compare(model, inputs, target, **options)
    assert "(N p + 1) / (N + 3)" in str(made)
    assert f"none is below {1 / 57:.2g}" in " ".join(str(made).split())
    plain = benchbook.compare(model, inputs, target, smooth=False, **options)
    assert "(N p + 1)" not in str(plain)
    other = benchbook.compare(model, inputs, target, losses="zero_one", **options)
    assert "(N p + 1)" not in str(other)
    own = benchbook.compare(["base-1", "knn-cv-1"], inputs, target, **options)
    assert "(N p + 1)" not in str(own)


def test_the_note_on_neighbours_names_the_columns_that_go_with_their_order():
    rng = np.random.default_rng(9)
    place = np.repeat(np.arange(30), 6)
    frame = pl.DataFrame(
        {"x": rng.normal(size=180), "height": place * 0.5, "y": 4.0 * rng.normal(size=30)[place]}
    )
    noisy = frame.with_columns(y=pl.col("y") + rng.normal(size=180))
    options = {"target": "y", "effort": "quick", "progress": False}
    made = benchbook.compare({"ridge": Ridge()}, noisy, **options)
    assert "go with the order of the rows: height" in " ".join(str(made).split())
    bare = benchbook.compare({"ridge": Ridge()}, noisy.drop("height"), **options)
    assert "neighbouring rows have similar losses" in " ".join(str(bare).split())
    assert "go with the order" not in " ".join(str(bare).split())


@pytest.mark.parametrize("weighted", [False, True])
def test_the_area_under_the_curve_is_that_of_scikit_learn(weighted):
    rng = np.random.default_rng(10)
    for digits in (0, 1, 6):
        truth = np.r_[True, False, rng.random(80) < 0.3]
        score = np.round(rng.normal(size=82) + truth, digits)
        weights = rng.random(82) if weighted else None
        expected = roc_auc_score(truth, score, sample_weight=weights)
        assert losses.area_under_roc(truth, score, weights) == pytest.approx(expected, rel=1e-12)
