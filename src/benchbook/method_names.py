"""What a method is called in charts and tables that people read; its code is what commands and files take."""

from __future__ import annotations

import re
from collections.abc import Iterator

NAMES = {
    "bagged-trees-1": "bagged trees",
    "base-1": "constant guess",
    "bayes-logistic-1": "Bayesian logistic regression",
    "bayes-logistic-ard-1": "Bayesian logistic + relevance",
    "boosting-1": "boosted trees",
    "boosting-bagged-1": "bagged boosted trees",
    "boosting-conformal-1": "conformal boosted quantiles",
    "boosting-quantiles-1": "boosted quantiles",
    "boosting-tuned-1": "tuned boosted trees",
    "can2-1": "bagged nets of planes",
    "catboost-1": "CatBoost",
    "catboost-bagged-1": "bagged CatBoost",
    "catboost-squared-1": "CatBoost for squared error",
    "catboost-stopped-1": "CatBoost stopped early",
    "conformal-1": "conformal intervals",
    "conformal-cpd-1": "conformal distribution",
    "deep-ensemble-1": "deep ensemble",
    "deep-ensemble-stopped-1": "deep ensemble stopped early",
    "exploit-llr-1": "spikes on local regression",
    "exploit-spikes-1": "spikes on conformal",
    "extra-trees-1": "trees split at random",
    "forest-1": "random forest",
    "forest-default-1": "random forest by default",
    "forest-quantiles-1": "forest quantiles",
    "gated-experts-1": "gated experts",
    "gp-map-1": "Gaussian process",
    "gp-mc-1": "sampled Gaussian process",
    "gp-sparse-1": "sparse Gaussian process",
    "kernel-variance-1": "kernel ridge + own variance",
    "knn-cv-1": "nearest neighbours",
    "laplace-ensemble-1": "ten Laplace last layers",
    "laplace-last-1": "network + Laplace last layer",
    "lightgbm-bagged-1": "bagged LightGBM",
    "lightgbm-quantiles-1": "LightGBM quantiles",
    "lightgbm-squared-1": "LightGBM for squared error",
    "lin-1": "linear regression",
    "ridge-1": "ridge regression",
    "loohkrr-1": "kernel mean and variance",
    "mc-dropout-1": "dropout",
    "mc-dropout-chosen-1": "dropout + chosen step",
    "mdn-1": "mixture density networks",
    "mlp-bgd-1": "early stopping",
    "mlp-bgd-2": "early stopping + relevance",
    "mlp-bgd-2b": "one early-stopped network",
    "mlp-bgd-3": "early stopping + fixed steps",
    "mlp-committee-1": "committee of networks",
    "mlp-committee-class-1": "committee of class networks",
    "mlp-ese-1": "many early-stopped networks",
    "mlp-mc-1": "long sampled network",
    "mlp-mc-2": "sampled network + shortcuts",
    "mlp-mc-2b": "sampled network + shortcuts ×3",
    "mlp-mc-2w": "sampled network + warp",
    "mlp-mc-2wb": "sampled network + warp ×3",
    "mlp-mc-3": "sampled network + relevance",
    "mlp-mc-3b": "sampled network + relevance ×3",
    "mlp-mc-4": "sampled network",
    "mlp-mc-4b": "sampled network ×3",
    "mlp-nuts-1": "network sampled by NUTS",
    "ngboost-1": "NGBoost",
    "ngboost-stopped-1": "NGBoost stopped early",
    "proben1-boosting": "boosted trees (PROBEN1)",
    "proben1-forest": "random forest (PROBEN1)",
    "proben1-least-squares": "least squares",
    "proben1-linear": "linear network",
    "proben1-logistic": "ridge or logistic regression",
    "proben1-noshort": "pivot network without shortcuts",
    "proben1-pivot": "pivot network",
    "proben1-pivot-fewer": "pivot network of one output less",
    "proben1-pivot-narrow": "pivot network taught 0.1 and 0.9",
    "proben1-pivot-text": "pivot network by the text",
    "proben1-search": "architecture search",
    "proben1-search-tables": "architecture search by tables",
    "proben1-sklearn-mlp": "ReLU network",
    "realmlp-1": "RealMLP",
    "subspace-trees-1": "subspace trees",
    "svm-platt-1": "support vector machine",
    "swag-1": "weight averaging",
    "swag-ensemble-1": "ten weight averagings",
    "swag-slow-1": "slow weight averaging",
    "tabicl-1": "TabICL",
    "tabm-1": "TabM",
    "vl-gp-in": "GP + varying Normal noise",
    "vl-gp-it": "GP + varying t noise",
    "vl-gp-logistic": "logistic GP",
    "vl-gp-n": "GP + Normal noise",
    "vl-gp-nb": "GP + Normal noise ×18",
    "vl-gp-t": "GP + t noise",
    "vl-gp-tb": "GP + t noise ×30",
    "vl-mlp-in": "8 units + varying Normal noise",
    "vl-mlp-it": "8 units + varying t noise",
    "vl-mlp-logistic": "8 units + logistic",
    "vl-mlp-n": "8 units + Normal noise",
    "vl-mlp-t": "8 units + t noise",
    "xgboost-bagged-1": "bagged XGBoost",
    "xgboost-quantiles-1": "XGBoost quantiles",
    "xgboost-squared-1": "XGBoost for squared error",
}
"""By code, without commas, which lists have; ×3: so many times the passes of a chain."""

_CODE = re.compile(rf"(?<![\w.:/=-])`?({'|'.join(map(re.escape, NAMES))})`?(?![\w-]|\.\w)")
_MARKS = re.compile(r"(?:[\s,;<≤>+&–-]|\band\b|\bv\b|\bless\b|\[[^][]*\]|\([^()]*\)|none)*")


def in_words(text: str) -> str:
    """A text with the name of a method in place of each code: "lin-1 (2)" is "linear regression (2)".

    Example:
        >>> in_words("mlp-mc-3 and lin-1")
        'sampled network + relevance and linear regression'
    """
    return _CODE.sub(lambda found: NAMES[found[1]], text)


def codes(text: str) -> Iterator[str]:
    """The codes of methods that stand in a text, in their order."""
    return (found[1] for found in _CODE.finditer(text))


def only_codes(text: str) -> bool:
    """Whether a text is codes of methods, with marks and remarks in brackets at most: no sentence about them."""
    rest, count = _CODE.subn("", text)
    return count > 0 and _MARKS.fullmatch(rest) is not None


def with_codes(text: str, said: set[str]) -> str:
    """As ``in_words``, with the code in backticks after a name that is not among those said, to which it is added.

    Example:
        >>> with_codes("lin-1, base-1", {"base-1"})
        'linear regression `lin-1`, constant guess'
    """

    def name(found: re.Match[str]) -> str:
        code = found[1]
        if code in said:
            return NAMES[code]
        said.add(code)
        return f"{NAMES[code]} `{code}`"

    return _CODE.sub(name, text)
