"""Other spellings of the words of the form, and texts that say nothing exact."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable
from typing import Any, Literal, get_args

Cases = Literal[
    "nothing",
    "training cases",
    "validation cases",
    "test cases",
    "all cases",
    "other data",
    "published results",
]
"""What a choice may have looked at. Test cases and all cases are understood, for a rule to refuse."""
Activation = Literal[
    "logistic",
    "tanh",
    "identity",
    "softsign",
    "ReLU",
    "GELU",
    "SiLU",
    "ELU",
    "softplus",
    "softmax",
]

_PARTS = {"training": "training cases", "validation": "validation cases", "test": "test cases"}
_OTHER_NAMES = {"train": "training", "dev": "validation", "development": "validation"} | {
    name: "test" for name in ("holdout", "heldout", "evaluation", "testing", "final", "unseen")
}
_NOUNS = (
    "set|sets|data|cases?|examples?|samples?|patterns?|errors?|loss|losses|accuracy|scores?|folds?|split|portion|"
    "partition|performance|results?|auc|f1|metrics?|mse|rmse|curve|wrong|classification|rows?|images?|batch|batches"
)
_RANKS = "the|best|lowest|least|minimum|min|highest|greatest|largest|maximum|max|worst|own"
_SPELLINGS = {
    "standardsigmoid": "logistic",
    "thestandardsigmoid": "logistic",
    "logisticsigmoid": "logistic",
    "linear": "identity",
    "none": "none",
    "rectifiedlinear": "ReLU",
    "swish": "SiLU",
    "x/(1+|x|)": "softsign",
    "1/(1+exp(x))": "logistic",
    "max(0,x)": "ReLU",
    "regression": "approximation",
    "stochasticgradientdescent": "SGD",
    "backpropagation": "SGD",
    "gradientdescent": "SGD",
    "sgdwithmomentum": "SGD",
    "kaimingnormal": "He normal",
    "kaiminguniform": "He uniform",
    "xaviernormal": "Glorot normal",
    "xavieruniform": "Glorot uniform",
    "gaussian": "normal",
    "random": "uniform",
    "mse": "mean squared error",
    "rmse": "root mean squared error",
    "mae": "mean absolute error",
    "logloss": "cross entropy",
    "softmaxcrossentropy": "cross entropy",
    "argmax": "winner takes all",
    "kfold": "k folds",
    "crossvalidation": "k folds",
    "welch": "Welch t test",
    "welchsttest": "Welch t test",
    "studentsttest": "Student t test",
    "wilcoxonranksumtest": "Mann-Whitney test",
    "mannwhitneyutest": "Mann-Whitney test",
    "pairedstudentsttest": "paired t test",
    "half": "worst half",
    "nodifference": "no significant difference",
    "nodifferenceshown": "no significant difference",
    "lastepoch": "last",
    "gradientboosting": "boosted trees",
    "gradientboostedtrees": "boosted trees",
    "neuralnetwork": "network",
    "own": "own data",
    "trainingerror": "training cases",
    "validationerror": "validation cases",
}

_INEXACT = re.compile(
    r"\b(about|approximately|approx|roughly|around|circa|until (?:it )?converge\w*|as (?:usual|needed)|the usual|etc|"
    r"suitabl[ey]|appropriate(?:ly)?|reasonabl[ey]|sufficient(?:ly)?|some|several|various|typical(?:ly)?|"
    r"(?:standard|common|usual|normal) (?:settings?|values?|parameters?|pre-?processing|encodings?|scaling|practice|"
    r"set-?up|way|normali[sz]ation|choices?|methods?)|defaults?|best practices?|state of the art|as in "
    r"(?:previous|earlier|related|other) work|see (?:the )?(?:text|code|paper))\b|\.\.\.|\?",
    re.I,
)
_SAYS_NOTHING = {
    *("", "-", "?", "...", "n/a", "tbd", "todo", "unknown", "various", "yes", "no", "ok", "some"),
    *("default", "defaults", "default values", "standard", "usual", "the usual", "as usual"),
    *("everything", "all", "all parameters", "parameters", "hyperparameters"),
    *("none stated", "not stated", "normal settings", "see text", "see code"),
}


@functools.lru_cache(maxsize=4096)
def plain_text(text: str) -> str:
    """The text as it is read: compatible letters of Unicode made one, invisible ones gone, single blanks."""
    folded = unicodedata.normalize("NFKC", text)
    seen = "".join(letter for letter in folded if unicodedata.category(letter) != "Cf")
    return " ".join(seen.split())


@functools.lru_cache(maxsize=4096)
def squeezed(text: str) -> str:
    """The text without case, blanks, hyphens, apostrophes and underscores: what two spellings have in common."""
    return re.sub(r"[\s_'’‘\-‐-―]+", "", plain_text(text).casefold())


def canonical(value: object, options: Iterable[str]) -> Any:
    """A text, or those in a list, as the vocabulary spells it, whatever its case and blanks; others stay."""
    if isinstance(value, list):
        return [canonical(item, options) for item in value]
    if not isinstance(value, str):
        return value
    spelt = {squeezed(option): option for option in options}
    key = squeezed(value)
    other = _synonym(key, value)
    readings = (key, squeezed(other), squeezed(f"best on {other}"))
    return next((spelt[reading] for reading in readings if reading in spelt), value)


def _synonym(key: str, value: str) -> str:
    """Another spelling of a word of the form, or the part of the cases that a text names."""
    if key in _SPELLINGS:
        return _SPELLINGS[key]
    text = re.sub(rf"^(?:(?:{_RANKS})\s+)+", "", plain_text(value).casefold().replace("-", " "))
    match = re.fullmatch(rf"([a-z]+?)[\s_]*(out)?[\s_]*(?:(?:{_NOUNS})[\s_]*)*(?:only)?", text)
    head = match[1] + (match[2] or "") if match else ""
    return _PARTS.get(_OTHER_NAMES.get(head, head), value)


def options_of(annotation: object) -> tuple[str, ...]:
    """The words of all vocabularies in a type."""
    if getattr(annotation, "__origin__", None) is Literal:
        return tuple(word for word in get_args(annotation) if isinstance(word, str))
    return tuple(word for part in get_args(annotation) for word in options_of(part))


def inexact(text: str) -> bool:
    """Whether a description leaves open what it should say: about 1000, until convergence, the default."""
    return bool(_INEXACT.search(plain_text(text)))


def says_nothing(text: str) -> bool:
    """Whether a text is empty or a filler such as ``default`` or ``as usual``."""
    return plain_text(text).casefold().rstrip(".") in _SAYS_NOTHING
