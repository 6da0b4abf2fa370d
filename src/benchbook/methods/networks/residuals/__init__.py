"""Bayesian neural networks under any residual model: the model, a chain's runs, and sampling on any arrays."""
