"""The standard set: what a new method is held against when nobody names anything else."""

STANDARD = {
    "real": (
        "base-1",
        "lin-1",
        "knn-cv-1",
        "forest-1",
        "boosting-1",
        "kernel-variance-1",
        "gp-map-1",
        "mlp-ese-1",
    ),
    "class": (
        "base-1",
        "knn-cv-1",
        "bayes-logistic-1",
        "forest-1",
        "boosting-1",
        "svm-platt-1",
        "mlp-committee-class-1",
    ),
}
"""By kind of target: the constant guess, a straight line, neighbours, two kinds of trees, kernels, and networks.

Each takes a second or two with a thousand training cases, and gives a distribution, so that every loss applies.
"""
PILOT = {"real": ("lin-1", "knn-cv-1"), "class": ("knn-cv-1", "svm-platt-1")}
"""Two that take a moment: how their losses differ says what differences the data can show."""
LOSSES = {"real": ("S", "A", "L", "CRPS"), "class": ("Z", "Q", "L")}
"""The losses of the page; the first is the one that methods are ranked by when none is named."""
