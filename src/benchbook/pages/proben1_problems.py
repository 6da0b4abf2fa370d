"""The pages of PROBEN1's problems: what is asked, how it is encoded, how cases fall, Tables 1 and 2 counted again."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from benchbook import datasets
from benchbook.datasets.printed import table as printed
from benchbook.datasets.proben1 import PROBLEMS, original, rebuild, summaries
from benchbook.datasets.proben1.encoders import Both, Codes, Encoder, Filled, Flagged, Linear, Logarithm
from benchbook.datasets.proben1.representation import Part
from benchbook.pages import origins
from benchbook.pages.html import Html, paragraph, stack
from benchbook.pages.tables import table

STAND_INS = ("cancer", "diabetes", "digits", "iris", "wine")
_COMPUTED = {"weekday": "day of the week, from the date; Friday first", "midnight": "distance of the hour from noon",
             "clock": "hour of the day", "half": "half of the day"}
WHY_COUNTS_DIFFER = {
    "building": "The report counts date, time and four weather values. Weekday, nearness to midnight, time and half of "
                "the day are made of the first two, and we count what is encoded.",
    "card": "The report seems to count the indicators of missing A2 and A14 among the binary inputs; we count all "
            "seven as indicators.",
    "heart": "Fasting sugar and angina are answers yes or no with two inputs; the report counts them as nominal, we as "
             "binary.",
    "mushroom": "Four attributes have two values; the report counts them as nominal, we as binary.",
    "soybean": "Two attributes with does not apply in the middle of a scale are nominal for the report; they are coded "
               "by a number, so we count them as continuous.",
    "thyroid": "The printed 9 + 6 + 0 attributes do not add up to 21, and six of the fifteen binary inputs are called "
               "indicators of missing values. The files do not say which.",
}
"""Why our counts of attributes and inputs are not those of Tables 1 and 2; the heart problems are all alike."""
_ENTROPIES = {
    "gene": "The printed entropy is that of the rounded shares 25, 25 and 50 %; the classes have 24, 24 and 52 %.",
    "horse": "The printed entropy seems cut off after two digits, not rounded.",
}


def at_hand(problem: str) -> bool:
    """Whether the three files of a problem can be read without the network."""
    return all(datasets.at_hand(f"proben1-{problem}{number}") for number in (1, 2, 3))


def shown_problems() -> dict[str, str]:
    """Problem -> the stem of its datasets: those of PROBEN1 that are at hand, or the stand-ins when none is."""
    published = {problem: f"proben1-{problem}" for problem in PROBLEMS if at_hand(problem)}
    return published or {f"{problem} (stand-in)": f"sklearn-{problem}" for problem in STAND_INS}


def overview() -> pl.DataFrame:
    """A line for each problem, from its card: what is asked, cases, inputs, outputs, and the page about it."""
    rows = []
    for problem in PROBLEMS:
        card = datasets.card(f"proben1-{problem}1")
        outputs = len(card.targets)
        rows.append({"problem": problem, "page": f"problem-{problem}.html", "what is asked": card.description,
                     "cases": card.shape.cases, "attributes": sum(summaries.counted(problem).attributes),
                     "inputs": card.shape.attributes - outputs,
                     "outputs": f"{outputs}\u00a0{'classes' if summaries.is_classification(card) else 'real'}"})
    return pl.DataFrame(rows)


def unexplained() -> pl.DataFrame:
    """Problem, permutation, unexplained: test error of least squares over that of the training mean."""
    rows = []
    for problem, stem in shown_problems().items():
        for number in (1, 2, 3):
            fit = summaries.least_squares(f"{stem}{number}")
            rows.append({"problem": problem, "permutation": number, "unexplained": fit["test"] / fit["constant"]})
    return pl.DataFrame(rows)


def recounted(number: int) -> pl.DataFrame:
    """Table 1 or 2 beside our counts.

    Columns: problem; attributes and inputs printed and counted, as binary/continuous/nominal and
    binary/continuous/indicators; cases printed and on the card; for Table 1 the class entropy printed and computed
    (null without the data); agrees.
    """
    rows = []
    for line in printed(number).iter_rows(named=True):
        problem, card = line["problem"], datasets.card(f"proben1-{line['problem']}1")
        ours = summaries.counted(problem)
        row: dict[str, Any] = {
            "problem": problem,
            "attributes printed": _slashed(line, "attributes", ("binary", "continuous", "nominal")),
            "attributes counted": "/".join(map(str, ours.attributes)),
            "inputs printed": _slashed(line, "inputs", ("binary", "continuous", "missing")),
            "inputs counted": "/".join(map(str, ours.inputs)),
            "cases printed": line["cases"], "cases counted": card.shape.cases}
        if number == 1:
            row["entropy printed"] = line["class_entropy_bits"]
            known = at_hand(problem)
            row["entropy computed"] = summaries.facts(f"proben1-{problem}1").entropy if known else None
        rows.append({**row, "agrees": _agrees(row)})
    return pl.DataFrame(rows, schema_overrides={"entropy computed": pl.Float64} if number == 1 else None)


def _slashed(line: dict[str, Any], what: str, kinds: tuple[str, ...]) -> str:
    return "/".join(str(line[f"{what}_{kind}"]) for kind in kinds)


def _agrees(row: dict[str, Any]) -> bool:
    same = all(row[f"{what} printed"] == row[f"{what} counted"] for what in ("attributes", "inputs", "cases"))
    computed = row.get("entropy computed")
    return same and (computed is None or _rounds(computed, row["entropy printed"]))


def recount(number: int) -> Html:
    """Table 1 or 2 as printed, with our count beside every entry that it differs from."""
    frame, columns = recounted(number), ("attributes", "inputs", "cases")
    rows = []
    for line in frame.iter_rows(named=True):
        row = {"problem": line["problem"],
               **{what: _beside(*(line[f"{what} {kind}"] for kind in ("printed", "counted"))) for what in columns}}
        if number == 1:
            bits, ours = line["entropy printed"], line["entropy computed"]
            differs = ours is not None and not _rounds(ours, bits)
            row["entropy (bits)"] = f"{bits:.2f}, is {ours:.3f}" if differs else f"{bits:.2f}"
        rows.append(row)
    kinds = "attributes are binary/continuous/nominal, inputs binary/continuous/indicators"
    return table(rows, f"Table {number} of the report, and what we count where it differs: {kinds}")


def _beside(theirs: str | int, ours: str | int) -> str:
    return str(theirs) if theirs == ours else f"{theirs}, counted {ours}"


def _rounds(ours: float, theirs: float) -> bool:
    """Whether a number rounds to the two digits printed."""
    return abs(ours - theirs) <= 0.005 + 1e-9


def differences(*numbers: int) -> list[str]:
    """A sentence for each way in which problems of Table 1 or 2 are counted otherwise by us, naming the problems."""
    said: dict[str, list[str]] = {}
    for line in (line for number in numbers for line in recounted(number).iter_rows(named=True)):
        problem = line["problem"]
        if any(line[f"{what} printed"] != line[f"{what} counted"] for what in ("attributes", "inputs")):
            reason = WHY_COUNTS_DIFFER["heart" if problem.startswith("heart") else problem]
            said.setdefault(reason, []).append(problem)
        computed = line.get("entropy computed")
        if computed is not None and not _rounds(computed, line["entropy printed"]):
            said.setdefault(_ENTROPIES[problem], []).append(problem)
    return [f"{', '.join(f'`{name}`' for name in names)}: {reason}" for reason, names in said.items()]


def coding(encoder: Encoder) -> str:
    """How an encoder codes, in a few words."""
    if isinstance(encoder, Flagged):
        never = "" if encoder.alarm else ", which is never set"
        return f"{coding(encoder.inner)}; an indicator when missing{never}"
    if isinstance(encoder, Filled) and isinstance(encoder.inner, Flagged):
        code = " ".join(f"{value:g}" for value in encoder.code)
        return f"{coding(encoder.inner.inner)}; an indicator that is never set; {code} when missing"
    if isinstance(encoder, Filled):
        return f"{coding(encoder.inner)}; {' '.join(f'{value:g}' for value in encoder.code)} when missing"
    if isinstance(encoder, Both):
        return f"{coding(encoder.first)} and {coding(encoder.second)}"
    if isinstance(encoder, Logarithm):
        return f"log(1 + x) / {encoder.divisor:g}"
    if isinstance(encoder, Linear):
        return f"linear, {encoder.low:g} to {encoder.high:g} onto [{encoder.bottom:g}, {encoder.top:g}]"
    assert isinstance(encoder, Codes)
    return _codes(encoder)


def _codes(encoder: Codes) -> str:
    codes = list(encoder.table.values())
    if all(sorted(code) == [0.0] * (len(code) - 1) + [1.0] for code in codes) and encoder.width == len(codes) > 1:
        return f"1 of {len(codes)}"
    written = {word: " ".join(f"{value:.3g}" for value in code) for word, code in encoder.table.items()}
    return ", ".join(f"{word} as {code}" for word, code in written.items())


@dataclass(frozen=True)
class Problem:
    """One problem of PROBEN1 as its page shows it. Without the data, pieces that need it say so or are empty."""

    name: str

    @property
    def at_hand(self) -> bool:
        """Whether its three files are."""
        return at_hand(self.name)

    @property
    def files(self) -> tuple[str, ...]:
        """The names of its three datasets."""
        return tuple(f"proben1-{self.name}{number}" for number in (1, 2, 3))

    def facts(self) -> Html:
        """Cases, repeated cases and the like, from the first file where the order does not matter."""
        if not self.at_hand:
            return _absent(self)
        found = [summaries.facts(name) for name in self.files]
        first = found[0]
        rows = [("cases", f"{first.cases:,}"),
                ("class entropy", "" if first.entropy is None else f"{first.entropy:.3f} bits"),
                ("cases equal to an earlier one", f"{first.repeated:,}"),
                ("cases whose inputs occur with other outputs, too", f"{first.contradicted:,}"),
                ("test cases with a twin among the training cases", ", ".join(f"{one.seen:,}" for one in found)
                 + " in the three permutations"),
                ("inputs with two values", f"{first.binary} of {self._inputs()}"),
                ("inputs with one value", ", ".join(f"`{name}`" for name in first.constant) or "none")]
        return table([{"fact": name, "found": text} for name, text in rows if text],
                     f"What the cases of `{self.name}` show")

    def _inputs(self) -> int:
        card = datasets.card(self.files[0])
        return card.shape.attributes - len(card.targets)

    def attributes(self) -> Html:
        """Every attribute with its meaning, its inputs and its code; needs no data."""
        rules = original(self.name)
        cards = [datasets.card(name) for name in rules.sources]
        meanings = {attribute.name: attribute.comment for card in reversed(cards) for attribute in card.attributes}
        missing = {name: sum(card.missing.get(name, 0) for card in cards) for name in meanings}
        rows = []
        for side, parts in (("in", rules.representation.inputs), ("out", rules.representation.outputs)):
            for name, part in _runs(parts):
                meaning = _COMPUTED.get(part.attribute, meanings.get(part.attribute, ""))
                if name != part.attribute:
                    meaning = re.sub(r"\b\d+ ", "", meaning, count=1)
                rows.append({"attribute": name, "meaning": meaning, "": side, "inputs": part.encoder.width,
                             "code": coding(part.encoder), "missing": missing.get(part.attribute, 0)})
        return table(rows, f"The attributes of `{self.name}` and how they are encoded; each line is one attribute",
                     formats={"missing": lambda count: f"{count:,}" if count else ""})

    def shares(self) -> Any:
        """The chart of the outputs in the portions of the three permutations, or what is missing."""
        from benchbook.charts.portions import portion_shares

        if not self.at_hand:
            return paragraph(f"The files of `{self.name}` are not at hand, so that there is nothing to draw.")
        frames = [summaries.portions(name).with_columns(permutation=pl.lit(name.removeprefix("proben1-")))
                  for name in self.files]
        classes = summaries.is_classification(datasets.card(self.files[0]))
        return portion_shares(pl.concat(frames), title="share of the cases" if classes else "mean of the output")

    def first_numbers(self) -> Html:
        """Least squares on each permutation beside the report's linear networks."""
        if not self.at_hand:
            return Html("", "")
        lines = printed(3 if summaries.is_classification(datasets.card(self.files[0])) else 4)
        theirs = {line["dataset"]: line for line in lines.iter_rows(named=True)}
        rows = []
        for name in self.files:
            fit, short = summaries.least_squares(name), name.removeprefix("proben1-")
            line = theirs.get(short, {})
            rows.append({"dataset": short, "training": fit["training"], "validation": fit["validation"],
                         "test": fit["test"], "test, training mean": fit["constant"], "wrong": fit["wrong"],
                         "test, printed": line.get("test_error_mean"), "wrong, printed": line.get("test_wrong_mean")})
        frame = pl.DataFrame(rows).fill_nan(None)
        gone = [name for name in frame.columns if frame[name].null_count() == frame.height]
        formats = {name: ".2f" for name in frame.columns[1:] if name not in gone}
        return table(frame.drop(gone), "Squared error percentages: least squares, and the report's linear networks",
                     formats=formats)

    def rebuilt(self) -> Html:
        """Whether the files can be made again from the originals, and where they part from their README."""
        rules = original(self.name)
        if not (self.at_hand and all(datasets.at_hand(name) for name in rules.sources)):
            return paragraph("Files and originals are not both at hand, so that they are not compared here. "
                             f"`benchbook proben1 rebuild {self.name}` compares them.")
        found = rebuild.compare(self.name)
        kept = [file.name.removeprefix("proben1-") for file in found.files if file.original_order]
        order = f" `{kept[0]}` keeps the order of the originals." if kept else ""
        differing = found.columns.filter(pl.col("equal") < 100)
        said = ("Encoded by these rules, the originals give every value of all three files." if found.exact else
                f"Encoded by these rules, the originals give all but {differing.height} columns.") + order
        notes = [paragraph(text) for text in rules.deviations]
        if notes:
            notes.insert(0, paragraph("Where the files part from their own README, we follow the files:"))
        tables = [] if found.exact else [table(differing, "Shares of equal values", formats={"equal": ".1f"})]
        return stack(paragraph(said), *tables, *notes)


def _absent(problem: Problem) -> Html:
    card = datasets.card(problem.files[0])
    counts = card.partition
    text = (f"{card.shape.cases:,} cases, of which {counts[0]:,} for training, {counts[1]:,} for validation and "
            f"{counts[2]:,} for the test, says the card.")
    return stack(origins.missing(*problem.files), paragraph(text))


def _runs(parts: tuple[Part, ...]) -> Iterator[tuple[str, Part]]:
    """Attributes, with neighbours that differ in their number alone taken together: base1 to base60."""
    for _, group in itertools.groupby(parts, key=lambda part: re.sub(r"^base\d+$", "base", part.attribute)):
        same = list(group)
        name = same[0].attribute if len(same) == 1 else f"{same[0].attribute} to {same[-1].attribute}"
        yield name, same[0]
