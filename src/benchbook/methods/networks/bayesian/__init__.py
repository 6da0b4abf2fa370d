"""Bayesian neural networks by Markov chain Monte Carlo: priors, the model, updates, runs, convergence, predictions."""
