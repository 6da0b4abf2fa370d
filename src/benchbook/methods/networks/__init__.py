"""Networks: early-stopping ensembles, committees, and Bayesian networks sampled by Markov chain Monte Carlo."""
