"""Markov chain Monte Carlo: what all samplers of the methods share."""
