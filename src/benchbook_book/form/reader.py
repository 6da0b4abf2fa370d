"""One reader of free texts: whether a choice, a scale or a made-up case came from the test cases, or from all cases.

A text is cut into clauses, and in each clause the words for test cases become TEST (their errors TESTERROR), those for
training and validation cases OWN (OWNERROR), and those for all cases ALL. What stands between these decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from benchbook_book.form.rules import Draft, fault, remark
from benchbook_book.form.schema import Other, Report, Table
from benchbook_book.form.words import options_of, plain_text

# -- words, from which the patterns below are made

_WHO = (
    r"(?:cases?|data\w*|rows?|records?|examples?|samples?|patterns?|patients?|subjects?|people|persons?|images?|scans?|"
    r"observations?|points?|items?|documents?|texts?|questions?|houses?|customers?|women|men|children|sets?|splits?|"
    r"parts?|portions?|partitions?|folds?|half|third|quarter|fifth|tenth|blocks?|periods?|years?|months?|weeks?|days?|"
    r"hospitals?|sites?|centres?|centers?|groups?|labels?|targets?|outcomes?|answers?|series|batch(?:es)?|pairs?|ones|"
    r"inputs|file|predictions?)"
)
_ERROR = (
    r"(?:errors?|loss(?:es)?|accurac\w+|scores?|performances?|auc|f1|metrics?|r?mse|mae|curves?|wrong|risk|likelihood|"
    r"deviance|misclassif\w+|percentages?|classification|recall|precision|sensitivity|specificity|youden\w*|r2|kappa|cost)"
)
_OUTCOME = rf"(?:{_ERROR}|results?|figures?)"
_TEST = (
    rf"\btest(?:ing)?[\s-]*(?:{_WHO}|{_OUTCOME})\b|\b(?:on|by|from|over|against|in)\s+(?:the\s+)?test(?:ing)?\b"
    r"(?!\s*(?:of|statistic|whether|that|for|at)\b)|\bleaderboard|\breport(?:ed|s|ing)?\s+(?:on|for)\b|"
    r"\btrain\w*\s*(?:\+|and|&|/|\u222a|plus)\s*test\w*|\bon\s+which\s+(?:we|the\s+\w+)\s+reports?|"
    rf"\b(?:{_WHO}|errors?)\s+(?:of|in|behind|under)\s+(?:the\s+)?(?:results?|tables?)\b|\b(?:results|numbers|figures)\s+"
    rf"(?:are|were)\s+(?:reported|given|stated|shown)|\b{_WHO}\s+(?:that|which)\s+(?:are\s+|is\s+|were\s+|we\s+)?(?:later\s+)?"
    r"(?:scored|report\w*|tested|evaluated)\b|\b(?:that|which)\s+(?:the\s+)?results\b|\bresults\s+(?:cover|are\s+(?:about|of))\b"
)
_ASIDE = (
    rf"\b(?:hold(?:ing)?|held)[\s-]*(?:outs?|back)\b|\b(?:kept|set|put|laid|left)[\s-]*(?:aside|apart|back|out|away)\s+"
    rf"(?:{_WHO}|{_OUTCOME})\b|\b(?:withheld|reserved|unseen|out[\s-]*of[\s-]*sample|evaluation|eval|blind(?:ed)?|"
    rf"hidden|final|future|scoring|external|public|private|reported|never[\s-]*seen)\s+(?:{_WHO}|{_OUTCOME})\b|"
    rf"\b{_WHO}\s+(?:that\s+(?:are|were)\s+)?(?:withheld|reserved|(?:set|put|kept)\s+aside)\b"
)
"""Test cases, unless the clause says that they were taken from training or validation cases."""
_PARTS = (
    rf"(?:\btrain(?:ing)?[\s-]+(?:[\w-]+\s+)?(?:{_WHO}|{_OUTCOME}|means?|ranges?)\b|\btrain(?:ing)?(?=\s*(?:and|or|,|\+|&|/))|"
    rf"(?<=(?:.the|..of|..on|..by|from|..in)\s)training\b(?=\W*$)|(?<!cross.)\b(?:valid\w*|dev(?:elopment)?\b)(?:[\s-]+(?:{_WHO}|"
    rf"{_OUTCOME})\b)?|\b(?:inner|nested|pilot)\b|\bin[\s-]sample|\bout[\s-]of[\s-]bag(?:\s+error)?|\b(?:earlier|other)\s+"
    r"(?:study|work|data)\b|\bfitting\s+cases\b)"
)
_CRITERION = (
    r"\b(?:cross[\s-]?validat\w*|aic|bic|evidence|marginal|a\s+priori|in\s+advance|beforehand|before\s+(?:any|the)\s+"
    r"(?:run|result)\w*|before\s+TEST\w*|at\s+random|randomly|by\s+hand|literature|expert\w*|published|authors?|stability)\b"
)
_WHOLE = (
    rf"\b(?:all|(?:the\s+)?(?:whole|entire|full|complete)|both)(?:\s+(?:of|the|these|our|available|\d+))*\s+"
    rf"(?:{_WHO}|table|matrix|collection|corpus|cohort|population)\b(?!\s+(?:of|in|from|for)\s+(?:the\s+)?OWN)"
)
_BETTER = r"(?:best|lowest|least|smallest|minim\w+|fewest|optimal|better|lower|smaller|lucky|luckiest|top|peak)"
_WORSE = (
    r"(?:highest|greatest|largest|maxim\w+|worst|weakest|poorest|higher|larger|worse|strongest)"
)
_TRIES = (
    r"(?:epochs|runs|seeds|draws|snapshots|checkpoints|starts|restarts|settings|trials|attempts|thresholds|models|networks|"
    r"states|iterations|steps|methods|rivals|competitors|values|ones|\d+|two|three|four|five|six|seven|eight|nine|ten|twenty)"
)
_ERRORS = rf"(?:{_OUTCOME}|TESTERROR|OWNERROR)"
_PEAK = (
    rf"(?:\b(?:{_BETTER}|{_WORSE})\b(?:\s+[\w-]+){{0,4}}?\s+{_ERRORS}\b|\b{_ERRORS}\s+(?:[\w-]+\s+){{0,6}}?(?:is|was|were|"
    rf"are|looks?|looked|came\s+out)\s+(?:{_BETTER}|{_WORSE}|good|too\s+\w+)\b|\b(?:{_BETTER}|{_WORSE})\s+(?:(?:over|of|across|"
    rf"among)\s+)?(?:the\s+|all\s+)*{_TRIES}\b)"
)
_PICK = (
    r"(?:\b(?:chos\w+|choos\w+|choice|select\w*|pick\w*|tun(?:e|es|ed|ing)|optimi[sz]\w+|maximi[sz]\w+|minimi[sz]\w+|"
    r"adjust\w*|calibrat\w+|guided|decid\w+|determin\w+|judged|ranked\s+(?:by|on)|tried\s+(?:out\s+)?on|search\w*|monitor\w*|"
    r"watch\w*|kept|keep|retained|taken|took|gave|dropped|discarded|removed|optimum|whichever|settled|compared|comparing|best|"
    r"set\s+(?:by|on|from|to|so)|trained\s+(?:on|with|by)|fit(?:ted)?\s+(?:to|on)|learnt?\w*\s+(?:on|from)|corrected|"
    rf"lower(?:ed|s)|improve[ds]|did\s+(?:best|better|worse|worst))\b|{_PEAK})"
)
_FITS = (
    r"\b(?:re-?)?(?:scal\w+|standardi[sz]\w+|normali[sz]\w+|cent(?:re|er)\w*|z-?scor\w*|means?|averag\w+|medians?|modes?|"
    r"sds?|deviations?|variances?|ranges?|min\w*|max\w*|least|greatest|extremes?|quantiles?|percentiles?|imput\w+|fill\w*|"
    r"smote|over-?sampl\w+|under-?sampl\w+|re-?sampl\w+|rebalanc\w+|balanc\w+|synthetic|augment\w+|made\s+up|pca|"
    r"components?|svd|whiten\w*|embedd\w+|t-?sne|umap|cluster\w*|k-?means|vocabular\w+|tf-?idf|idf|bins?|binned|"
    r"discreti[sz]\w+|fit\w*|learn\w*|estimat\w+|comput\w+|correlat\w+|information|anova|lasso|missing|mice|knn|interpolat\w+|"
    r"generat\w+|ranked|screen\w+|frequenc\w+|trained|cross[\s-]?validat\w*|chos\w+|select\w+|tun(?:ed|ing)|optimi[sz]\w+|"
    r"adjusted|corrected)\b"
)
_EARLY = (
    r"(?:\b(?:before|prior\s+to|ahead\s+of|previous\s+to)\s+(?:the\s+|any\s+|(?:it|they|we)\s+(?:was\s+|were\s+)?)*(?:split\w*|"
    r"partition\w*|divi\w+|cut\b|folds?\b)|\bthen\s+(?:[\w-]+\s+){0,4}?(?:split|separated|divided|division|partition\w*|cut)\b|"
    r"\bglobally\b)"
)
_ALONE = (
    r"\b(?:duplicat\w+|constants?|fixed|divid\w+\s+by\s+\d|known\s+(?:range|limits)|one[\s-]hot|log(?:arithm\w*|10)?|"
    r"per\s+(?:case|row))\b"
)
"""What is done to a case whatever the others are."""
_NOT = (
    r"(?:\b(?:no(?!\s+(?:other|less|gain|improve|rise|progress|better|fall|decrease|new|further))|not(?!\s+(?:only|just|merely"
    r"))|never|without|nor|neither|none(?!\s+(?:but|other))|nobody|nothing(?!\s+(?:but|other|else))|ignor\w+|independent\w*|"
    r"blind\s+to|regardless|irrespective|instead\s+of|rather\s+than|apart\s+from|other\s+than|before|until\s+after|unaware)\b|"
    r"n't\b)"
)
_NEVER = (
    r"(?:\W+[\w-]+){0,3}?\W+(?:not(?!\s+(?:improv|gain|risen?|fall|decrea|drop|better))|never|no\s+(?:part|use|role|say)|"
    r"(?:used|touched|opened|seen)\s+(?:only\s+)?once|untouched|unseen|unused|unopened|sealed|(?:only|solely|are|were|kept|used)"
    r"\s+for\s+(?:the\s+)?results|locked|nothing|plays?\s+no|played\s+no|n't|(?:was|were|is|are)\s+(?:only\s+)?opened\s+(?:after|"
    r"only|last|later|then)|after\s+(?:this|that))\b"
)
_USE = (
    r"(?:evaluat\w+|measur\w+|report\w*|scor(?:e|ed|es|ing)|appl(?:y|ied|ies)|assess\w*|predict\w*|results?\s+(?:are|is|come)|"
    r"reserved|transform\w*|encod\w+|carried|serves?|shown|given|frozen|tested|as\s+for|same\s+(?:for|on)|also\s+for)"
)
_CLAUSE = re.compile(
    r"[.;!?](?=\s|$)|[():\u2013\u2014]|\s-\s|,(?!\s*(?:(?:on|in|of|for|by)\s+)?(?:which|that|whose|where)\b)(?!\d)|"
    r"\b(?:but|while|whereas|although|and\s+then|then)\b|\band\s+(?=(?:is|are|was|were|(?:the\s+)?results?|only|"
    rf"finally)?\s*(?:{_USE}))",
    re.I,
)
_ENDS = (
    r"\b(?:stop\w*|ends?|ended|halts?|quits?|until|once|when|rises?|rose|improve\w*|gain|progress|plateau\w*|"
    r"patience)\b"
)
_STATES = r"\b(?:differs?|changes?|rang(?:es|ed)|var(?:ies|ied)|(?:is|are|was|were|of)\s+\d)"
_MEASURE = (
    r"\b(?:largest|greatest|highest|maxim\w+|worst)[\s-]+(?:[\w-]+\s+){0,3}?(?:errors?|loss(?:es)?|deviations?|cost|"
    r"risk)\b"
)
"""A measure of its own, such as the largest error."""
_EQUAL = r"(?:valid\w*|dev)\W+(?:cases?|set|data)?\W*(?:=|is|are|equals?)\W+(?:the\s+)?test"
_OF = r"\b(?:of|from|over|on|using|including|with|by|across|plus|both|among)\s+"


def _has(pattern: str, text: str) -> bool:
    return re.search(pattern, text) is not None


def speaks_of_test(text: str) -> bool:
    """Whether a text speaks of test cases, their error or score; "no gain in 10 successive tests" does not."""
    return _has(f"{_TEST}|{_ASIDE}|{_EQUAL}", _lower(text))


def _lower(text: str) -> str:
    return re.sub(r"train\stest\ssplit", "", plain_text(text).replace("_", " ").lower())


class Names(NamedTuple):
    """How this report can speak of its test cases, and of all its cases, besides the words of every report."""

    test: str
    whole: str


_SHARES = {2: "half", 3: "third", 4: "quarter", 5: "fifth", 10: "tenth"}
_COUNTED = (
    r"(?:[\w-]+\s+){0,2}?(?!epochs|trees|units|settings|values|steps|rounds|runs|weights|seeds|inputs|folds|draws|networks)"
    r"(?:\w{3,}s|people|women|men|children|data)\b"
)


def names_of(report: Report) -> Names:
    """The counts and names that a report has for its test cases and for all its cases."""
    split = getattr(report.__dict__.get("split"), "__dict__", {})
    counts = [split.get(name) or 0 for name in ("training", "validation", "test", "cases")]
    test, total = counts[2], counts[3] or sum(counts[:3])
    named = [_name(text) for key in ("kind", "groups", "name") for text in _called(split.get(key))]
    whole = ""
    if 12 < test < total:
        named += [rf"\b{test}\s+{_COUNTED}"] if test not in counts[:2] else []
        named += [rf"\b{total - test + 1}\s*(?:to|-|\u2013)\s*{total}\b"]
        named += [
            rf"\b(?:last|final|fourth|remaining|held\S*)\s+{_SHARES.get(round(total / test), 'part')}\b"
        ]
        whole = rf"\b{total}\s+{_COUNTED}" if total not in counts[:2] else ""
    return Names("|".join(filter(None, named)), whole)


_CALLED = re.compile(
    r"(?P<before>[^,.;:()]+?)\s+(?:(?:is|are|was|were|as|for|being|=)\s+)*(?:the\s+|a\s+)?(?:only\s+)?(?:held[\s-]*(?:out|back)|"
    r"test\w*|evaluat\w+|for\s+(?:the\s+)?(?:test\w*|results))|(?:test\w*|evaluat\w+|held[\s-]*out|results)\s*(?:\w+\s+)?"
    r"(?:on|is|are|from|of|in|with|:|=)\s+(?P<after>[^,.;:()]+)",
    re.I,
)
_COMMON = re.compile(
    rf"(?:the|a|an|of|and|is|are|one|all|each|in|turn|from|its|other|rest|train\w*|valid\w*|tests?|on|by|for|{_WHO})$",
    re.I,
)


def _called(value: object) -> Iterator[str]:
    """What a description of the split calls its test part."""
    text = value.other if isinstance(value, Other) else value if isinstance(value, str) else ""
    for found in _CALLED.finditer(text if " " in text else ""):
        parts = re.split(r"\b(?:train\w*|valid\w*|and)\b", found["before"] or found["after"])
        yield parts[-1 if found["before"] else 0]


def _name(text: str) -> str:
    """A pattern of a name that nothing else is called by: it has a number or a capital, or two words of its own."""
    words = re.findall(r"[\w-]+", text)[:5]
    while words and _COMMON.match(words[0]) and not re.match(r"\d|[A-Z]$", " ".join(words[1:2])):
        words = words[1:]
    telling = [word for word in words if not _COMMON.match(word)]
    known = len(telling) > 1 or any(_has(r"\d|^[A-Z]", word) for word in telling)
    return r"\b" + r"\W+".join(re.escape(word.lower()) for word in words) + r"\b" if known else ""


class Clause(NamedTuple):
    """Words, the same with TEST, OWN and ALL in them, and whether their ``own`` cases or criterion decided."""

    words: str
    tagged: str
    own: bool

    @property
    def test(self) -> bool:
        """Whether it speaks of test cases and does not deny that they had a part in it."""
        between = r"(?:OWN\w*\W+(?:or|and|nor)\W+(?:the\W+)?|(?!OWN|TEST)\w+\W+){0,6}?"
        denied = rf"{_NOT}\W+{between}TEST|TEST\w*{_NEVER}"
        return "TEST" in self.tagged and not _has(rf"\b(?:inner|nested)\b|{denied}", self.tagged)

    @property
    def used(self) -> bool:
        """Whether the test cases are spoken of as what results are from."""
        return _has(
            rf"\b{_USE}\W+(?:\w+\W+){{0,4}}?TEST|TEST\w*\W+(?:\w+\W+){{0,2}}?{_USE}", self.tagged
        )

    @property
    def picks(self) -> bool:
        """Whether it chooses something."""
        return _has(_PICK, self.tagged)


def _clause(text: str, names: Names, before: Clause | None = None) -> Clause:
    def tag(name: str) -> Callable[[re.Match[str]], str]:
        return lambda found: name + ("ERROR" if re.search(rf"\b{_ERROR}$", found[0]) else "")

    tagged = re.sub(_TEST, tag("TEST"), _lower(text))
    tagged = re.sub(names.test, "TEST", tagged) if names.test else tagged
    inner = re.search(r"\b(?:inner|nested)\b", tagged)
    tagged = re.sub(_PARTS, tag("OWN"), tagged)
    tagged = re.sub(_WHOLE, "ALL", tagged)
    tagged = re.sub(names.whole, "ALL", tagged) if names.whole else tagged
    goes_on = (
        before is not None
        and before.own
        and _has(r"^\W*(?:each|all|held|left|kept|set|put|which|that)\b", tagged)
    )
    stated = re.sub(rf"{_NOT}[^,]{{0,30}}?OWN", "", tagged)
    own = bool(goes_on or _has(f"OWN|{_CRITERION}", stated))
    tagged = tagged if own else re.sub(_ASIDE, tag("TEST"), tagged)
    tagged = re.sub("TEST", "", tagged) if inner else tagged
    joined = _has(r"OWN\w*\W*(?:\w+\W+)?(?:and|or|plus|\+|/)?\W+(?:the\W+)?TEST", tagged)
    return Clause(text.strip(), tagged, own and not joined)


def _clauses(texts: list[str], names: Names) -> list[Clause]:
    """Clauses, each that picks or ends something without saying by what joined to its neighbour that says so."""
    done: list[Clause] = []
    for text in texts:
        one = _clause(text, names, done[-1] if done else None)
        if done and (_asks(done[-1], one) or _asks(one, done[-1])):
            one = _clause(f"{done[-1].words}, {one.words}", names)._replace(own=False)
            done.pop()
        done.append(one)
    return done


def _asks(one: Clause, other: Clause) -> bool:
    """Whether one clause chooses or ends something by what the other one says."""
    open_ = not (one.own or "TEST" in one.tagged) and (one.picks or _has(_ENDS, one.tagged))
    return open_ and other.test and not other.picks and not _has(_STATES, other.tagged)


def _from_all(tagged: str) -> bool:
    """Whether something is computed, chosen or made up from all cases."""
    if "OWN" in tagged or _has(rf"{_ALONE}|{_NOT}[^,]*ALL", tagged):
        return False
    direct = rf"ALL\s+(?:was|were|is|are|being|ha(?:s|ve)\s+been)\s+(?:\w+\s+)?{_FITS}|{_FITS}\s+(?:the\s+)?ALL"
    return (
        _has(rf"(?:{_OF}|\b(?:to|in)\s+)(?:the\s+)?ALL", tagged) and _has(_FITS, tagged)
    ) or _has(direct, tagged)


def _governed(tagged: str) -> bool:
    """Whether something is computed of, from or by test cases."""
    glue = r"(?:(?:the|all|both|every|\d+|OWN\w*|ALL|cases|data|sets?|and|or|plus|as|well|errors?|of)\W+)*"
    return _has(rf"{_OF}{glue}TEST", tagged) and _has(_FITS, tagged)


_BY_ERROR = (
    rf"TESTERROR|(?:bad|good|poor|{_BETTER}|{_WORSE})\s+TEST|{_ERROR}\s+(?:\w+\s+){{0,2}}?TEST|"
    rf"{_PICK}.*\b{_ERROR}\b"
)
_ONE_SIDED = r"\buntil\b|\bsignifican|\bours?\b(?!.*\b(?:either|both|other)\b)"


def _by_peak(one: Clause, pattern: str) -> bool:
    return _has(pattern, one.tagged) or (_has(_PEAK, one.tagged) and "OWNERROR" not in one.tagged)


_FAULTS: dict[str, Callable[[Clause, bool], bool]] = {
    "choice": lambda one, own: (
        (not one.own and not (one.used and own and not one.picks))
        or (_governed(one.tagged) and not one.used)
    ),
    "encoding": lambda one, own: (
        _governed(one.tagged)
        or (one.picks and _has(rf"{_PEAK}|TESTERROR", one.tagged) and not one.own)
    ),
    "rival": lambda one, own: _has(r"\b(?:worst|weakest|poorest|least\s+accurate)\b", one.tagged),
    "other": lambda one, own: _has(_PICK, re.sub(_MEASURE, "", one.tagged)) and not one.own,
    "rule": lambda one, own: (one.picks or "TESTERROR" in one.tagged) and not one.own,
    "split": lambda one, own: _by_peak(one, _BY_ERROR),
    "outliers": lambda one, own: _by_peak(one, _ONE_SIDED),
}
"""By what a text describes: whether a clause that speaks of test cases is a fault, and ``own``, whether its sentence
has cases that decided."""


def quoted(text: str, role: str, names: Names) -> tuple[str, bool] | None:
    """The words of a text that give a choice away, and whether they are a fault or only to be remarked on.

    Args:
        text: of the report.
        role: what it describes: ``choice``, where test cases have no place; ``encoding``; ``split``, which cannot but
            name them; ``outliers`` of test errors; a ``rule`` for classes; a ``rival``; or ``other``.
        names: of the test cases and of all cases.
    """
    spoken = ""
    for sentence in re.split(r"(?<=[.;!?])\s+", plain_text(text)):
        low = _lower(sentence)
        if _has(_EQUAL, low) or (_has(_EARLY, low) and _has(_FITS, low) and not _has(_ALONE, low)):
            return sentence, True
        clauses = _clauses([part for part in _CLAUSE.split(sentence) if part.strip()], names)
        for one in clauses:
            tagged = re.sub(r"cross\Wvalidat", "", one.tagged) if role == "split" else one.tagged
            wrong = one.test and _FAULTS[role](one, any(each.own for each in clauses))
            if wrong or _from_all(tagged):
                return one.words, True
            if (
                "TEST" not in tagged
                and not one.own
                and role in ("split", "outliers", "choice")
                and _has(_PEAK, tagged)
            ):
                return one.words, role == "split"
            speaks = "TEST" in tagged and (
                role in ("choice", "encoding") or (role == "rival" and one.picks)
            )
            spoken = spoken or (one.words if speaks else "")
    return (spoken, False) if spoken else None


_ROLES = {
    "comparison[": "other",
    "encoding": "encoding",
    "error.classes_by": "rule",
    "error": "other",
    "optimiser.source": "other",
    "model.software": "other",
    "tuning.sensitivity": "other",
    **dict.fromkeys(("split", "runs.seeds", "problem", "results", "time", "study"), "split"),
}


def role_of(key: str) -> str:
    """What the text at a key describes."""
    ending = {"outlier_rule": "outliers", "against": "rival"}.get(key.rpartition(".")[2])
    return ending or next((role for name, role in _ROLES.items() if key.startswith(name)), "choice")


def texts_of(
    value: object, key: str = "", options: tuple[str, ...] = ()
) -> Iterator[tuple[str, str]]:
    """Every free text of a report with its key; words of a vocabulary are none."""
    if isinstance(value, Table):
        for name, inner in value.__dict__.items():
            kinds = options_of(type(value).model_fields[name].annotation)
            yield from texts_of(inner, f"{key}.{name}" if key else name, kinds)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from texts_of(
                inner, f"{key}[{number}]" if isinstance(inner, Table) else key, options
            )
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from texts_of(f"{name}: {inner}" if isinstance(inner, str) else name, key)
    elif isinstance(value, str) and value not in options:
        yield key, value


def free_texts(report: Report) -> Iterator[Draft]:
    """No text says that test cases chose, scaled or ended anything; a description in words is a remark."""
    names = names_of(report)
    for key, text in texts_of(report):
        found = quoted(text, role_of(key), names) if re.search(r"[\s_]", text) else None
        words, wrong = found or ("", False)
        how = "how it was done without the test cases"
        which = "which cases decided, if any did: not the test cases"
        if words:
            make, write = (fault, how) if wrong else (remark, which)
            yield make(key, write, "test set", f'"{words}"')
        if key.endswith(".other") and not wrong:
            yield remark(key, "a word of the form's vocabulary, if one fits", "other words")


RULES = (free_texts,)
