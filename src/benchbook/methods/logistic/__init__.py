"""Bayesian logistic regression: the posterior of its weights and scales, and the chains that sample it."""
