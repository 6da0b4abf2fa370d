"""Gaussian processes: the model and its marginal likelihood, the search for its maximum, and the sampler."""
