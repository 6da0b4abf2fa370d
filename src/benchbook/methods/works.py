"""The works that methods come from, as their sources name them."""

NEAL = "R. M. Neal, Assessing Relevance Determination Methods Using DELVE, 1998"
PROBEN1 = "L. Prechelt, PROBEN1, 1994"
CHALLENGE = "J. Quinonero-Candela and others, Evaluating Predictive Uncertainty Challenge, 2006"
DENSITIES = (
    "A. Vehtari and J. Lampinen, Bayesian model assessment and comparison using cross-validation predictive "
    "densities, 2001"
)
