"""Networks: early-stopping ensembles, committees, and Bayesian neural networks sampled by Markov chain Monte Carlo."""
